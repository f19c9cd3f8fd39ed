// The few features that rules name, among the many of a row.
#pragma once

#include <algorithm>
#include <bit>
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
    bits_.resize(numbers_.back() / 64 + 1);
    before_.resize(bits_.size());
    for (const std::uint32_t number : numbers_) bits_[number / 64] |= std::uint64_t{1} << (number % 64);
    for (std::size_t k = 1; k < bits_.size(); ++k)
      before_[k] = before_[k - 1] + static_cast<std::uint32_t>(std::popcount(bits_[k - 1]));
  }

  [[nodiscard]] std::size_t size() const { return numbers_.size(); }
  [[nodiscard]] std::span<const std::uint32_t> numbers() const { return numbers_; }
  [[nodiscard]] bool named(std::uint32_t number) const { return (bits_[number / 64] >> (number % 64) & 1) != 0; }
  [[nodiscard]] std::uint32_t place(std::uint32_t number) const {  // needs: named
    const std::uint64_t lower = bits_[number / 64] & ((std::uint64_t{1} << (number % 64)) - 1);
    return before_[number / 64] + static_cast<std::uint32_t>(std::popcount(lower));
  }
  [[nodiscard]] const std::uint64_t* bits() const { return bits_.data(); }

  void grow(std::size_t features) { bits_.resize(std::max(bits_.size(), features / 64 + 1)); }

  // f(place, value) for each named feature that the row has, in order. A look at a bitmap for each value of a sparse row.
  template <class F>
  void for_each(const Row& x, const F& f) const {
    if (numbers_.empty()) return;
    if (x.dense()) {
      for (std::uint32_t p = 0; p < numbers_.size() && numbers_[p] < x.count; ++p) f(p, x.value(numbers_[p]));
      return;
    }
    for (std::uint32_t k = 0; k < x.count && x.indices[k] <= numbers_.back(); ++k)
      if (named(x.indices[k])) f(place(x.indices[k]), x.value(k));
  }
  [[nodiscard]] double dot(const Row& x, std::span<const double> weights) const {
    double sum = 0;
    for_each(x, [&](std::uint32_t p, double value) { sum += weights[p] * value; });
    return sum;
  }

 private:
  std::vector<std::uint32_t> numbers_;
  std::vector<std::uint64_t> bits_;    // one for each feature up to the last named
  std::vector<std::uint32_t> before_;  // per word of them: how many are named before
};

// The values of named features in a sparse row, found one by one while something else is done with it. Needs: both have grown
// to the row's width.
class NamedValues {
 public:
  explicit NamedValues(const LocalFeatures& features) : features_(&features) {}
  void grow(std::size_t features) { found_.resize(std::max(found_.size(), features)); }  // no row is longer
  struct Search {
    const std::uint64_t* bits;
    std::uint32_t* found;
    std::size_t count = 0;
    void look(std::uint32_t k, std::uint32_t number) {  // at value k of the row; without a branch
      found[count] = k;
      count += bits[number / 64] >> (number % 64) & 1;
    }
  };
  Search search() { return {features_->bits(), found_.data()}; }
  void found(const Search& search) { count_ = search.count; }
  template <class F>
  void for_each(const Row& x, const F& f) const {
    if (x.dense()) return features_->for_each(x, f);
    for (std::size_t i = 0; i < count_; ++i) f(features_->place(x.indices[found_[i]]), x.value(found_[i]));
  }

 private:
  const LocalFeatures* features_;
  std::vector<std::uint32_t> found_;  // places in the row
  std::size_t count_ = 0;
};

}  // namespace postil
