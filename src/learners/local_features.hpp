// The few features that rules name, among the many of a row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/row.hpp"

namespace postil {

class LocalFeatures {
 public:
  LocalFeatures() = default;
  explicit LocalFeatures(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {  // sorted
    if (numbers_.empty()) return;
    named_.resize(numbers_.back() / 64 + 1);
    for (const std::uint32_t number : numbers_) named_[number / 64] |= std::uint64_t{1} << (number % 64);
  }

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return numbers_; }
  [[nodiscard]] std::uint32_t place(std::uint32_t number) const {
    return static_cast<std::uint32_t>(std::lower_bound(numbers_.begin(), numbers_.end(), number) - numbers_.begin());
  }

  // f(place, value) for each named feature that the row has, in order. A look at a bitmap for each value of a sparse row.
  template <class F>
  void for_each(const Row& x, const F& f) const {
    if (numbers_.empty()) return;
    if (x.dense()) {
      for (std::uint32_t p = 0; p < numbers_.size() && numbers_[p] < x.count; ++p) f(p, x.value(numbers_[p]));
      return;
    }
    const std::uint32_t last = numbers_.back();
    for (std::size_t k = 0; k < x.count; ++k) {
      const std::uint32_t number = x.indices[k];
      if (number > last) break;
      if ((named_[number / 64] >> (number % 64) & 1) != 0) f(place(number), x.value(k));
    }
  }
  [[nodiscard]] double dot(const Row& x, std::span<const double> weights) const {
    double sum = 0;
    for_each(x, [&](std::uint32_t p, double value) { sum += weights[p] * value; });
    return sum;
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint64_t> named_;  // a bit for each feature up to the last
};

}  // namespace postil
