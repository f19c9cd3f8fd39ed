// Whether one hyperplane can obey several advice sets at once, and which of them cannot be obeyed together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

struct HyperplaneDemand {
  const std::vector<AdviceRow>* rows;
  double z, margin;                        // z * (score - target) >= margin wherever the rows hold
  const LinearFunction* target = nullptr;  // null: 0
};

// By a linear program over the features given. Those of a group of `one_of` are known to sum to at most 1; some weights have
// their sign prescribed.
bool one_hyperplane_obeys(std::span<const HyperplaneDemand> demands, const std::vector<std::uint32_t>& features,
                          const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
                          std::span<const Direction> signs = {});

// A smallest subset that is not possible, given that all together are not: by trial for two and three where there are not
// too many; beyond that one from which nothing can be taken away.
template <class Possible>
std::vector<std::uint32_t> smallest_core(std::vector<std::uint32_t> items, const Possible& possible) {
  constexpr std::size_t kMostForPairs = 60, kMostForTriples = 20;
  const std::size_t n = items.size();
  for (std::size_t i = 0; n <= kMostForPairs && i < n; ++i)
    for (std::size_t k = i + 1; k < n; ++k)
      if (!possible({items[i], items[k]})) return {items[i], items[k]};
  for (std::size_t i = 0; n <= kMostForTriples && i < n; ++i)
    for (std::size_t k = i + 1; k < n; ++k)
      for (std::size_t l = k + 1; l < n; ++l)
        if (!possible({items[i], items[k], items[l]})) return {items[i], items[k], items[l]};
  for (std::size_t many = std::max<std::size_t>(1, n / 2);; many /= 2) {  // many at a time, then fewer, then one
    for (std::size_t i = 0; i < items.size();) {
      std::vector<std::uint32_t> without = items;
      const auto from = without.begin() + static_cast<std::ptrdiff_t>(i);
      without.erase(from, from + static_cast<std::ptrdiff_t>(std::min(many, without.size() - i)));
      if (without.empty() || possible(without))
        i += many;
      else
        items = std::move(without);
    }
    if (many == 1) return items;
  }
}

}  // namespace postil
