// Rules about single points, so that the points that stand for them are known; and a radial kernel to check with.
#pragma once

#include <cmath>

#include "naive.hpp"

namespace postil::test {

inline double kernel(const Vector& a, const Vector& b) {
  double squares = 0;
  for (std::size_t j = 0; j < a.size(); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
  return std::exp(-0.6 * squares);
}

// Two rules about one point each, so that the points are known.
inline TaskAdvice point_rules(const Vector& first, const Vector& second) {
  TaskAdvice advice;
  for (std::uint32_t r = 0; r < 2; ++r) {
    const Vector& at = r == 0 ? first : second;
    TaskAdvice::Set set{r, r == 0 ? -1.0 : 1.0, r == 0 ? 1.0 : 0.5, 1, {}, ""};
    for (std::uint32_t j = 0; j < at.size(); ++j) set.rows.push_back({{{j, 1.0}}, at[j], false, true});
    advice.sets.push_back(set);
  }
  name_features(advice, 3);
  return advice;
}

}  // namespace postil::test
