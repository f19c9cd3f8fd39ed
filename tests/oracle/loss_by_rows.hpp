// The loss of one advice set as it is written, by coordinate descent on the multipliers of its rows: nothing of it is shared
// with the projections that the program uses.
#pragma once

#include <algorithm>
#include <cmath>

#include "naive.hpp"

namespace postil::test {

// min over u >= 0 of |D'u + z w|^2 + (margin + d'u - z b)_+^2 over all features; known ranges are rows.
inline double loss_by_rows(const TaskAdvice& advice, const TaskAdvice::Set& set, const Vector& w, double b, bool seen) {
  std::vector<AdviceRow> rows = set.rows;
  for (const TaskAdvice::Feature& f : advice.features) {
    const double low = std::isinf(f.low) && seen ? f.seen_low : f.low,
                 high = std::isinf(f.high) && seen ? f.seen_high : f.high;
    if (std::isfinite(high)) rows.push_back({{{f.number, 1.0}}, high, false, false});
    if (std::isfinite(low)) rows.push_back({{{f.number, -1.0}}, -low, false, false});
  }
  Vector u(rows.size()), eta(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) eta[j] = set.z * w[j];
  double slack = set.margin - set.z * b;
  const auto loss = [&] { return inner(eta, eta) + std::pow(std::max(0.0, slack), 2); };
  double last = loss();
  for (int sweep = 1; sweep <= 200'000; ++sweep) {
    for (std::size_t k = 0; k < rows.size(); ++k)
      for (int again = 0; again < 3; ++again) {  // piecewise quadratic along a coordinate
        double slope = rows[k].bound * std::max(0.0, slack), curvature = rows[k].bound * rows[k].bound;
        for (const auto& [j, value] : rows[k].terms) {
          slope += value * eta[j];
          curvature += value * value;
        }
        double next = u[k] - slope / curvature;
        if (!rows[k].equality) next = std::max(0.0, next);
        for (const auto& [j, value] : rows[k].terms) eta[j] += (next - u[k]) * value;
        slack += (next - u[k]) * rows[k].bound;
        u[k] = next;
      }
    if (sweep % 500 == 0) {
      const double now = loss();
      if (last - now <= 1e-13 * (1 + now)) break;
      last = now;
    }
  }
  return loss();
}

// Directions of two features that the rules name, of either sign.
inline void add_directions(Random& random, TaskAdvice& advice) {
  for (TaskAdvice::Feature& f : advice.features) f.variance = 4;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::uint32_t feature = advice.features[k * (advice.features.size() - 1)].number;
    advice.directions.push_back({{feature, random.uniform() < 0.5 ? 1.0 : -1.0}, 7, 0.5 + random.uniform(), "way"});
  }
}

// Three random sets of one or two comparisons, features 0 to 3, some with a promised range.
inline TaskAdvice random_rules(Random& random, bool ranges) {
  TaskAdvice advice;
  for (int i = 0; i < 3; ++i) {
    TaskAdvice::Set set;
    set.z = i == 1 ? -1 : 1;
    set.trust = 0.5 + random.uniform();
    set.margin = 0.5 + random.uniform();
    Vector inside(4);  // a point of the region, so that it is not empty
    for (double& value : inside) value = 2 * random.uniform() - 1;
    for (int k = 0; k < 2; ++k) {
      AdviceRow row;
      const auto first = static_cast<std::uint32_t>(random.below(4));
      row.terms = {{first, random.normal()}};
      if (random.uniform() < 0.4 && first < 3) row.terms.emplace_back(first + 1, random.normal());
      row.bound = random.uniform();
      for (const auto& [j, value] : row.terms) row.bound += value * inside[j];
      set.rows.push_back(row);
    }
    advice.sets.push_back(set);
  }
  name_features(advice);
  for (TaskAdvice::Feature& f : advice.features) {
    f.seen_low = -4;
    f.seen_high = 4;
    f.mean = 0.1;
    if (ranges && random.uniform() < 0.5) {
      f.low = -3;
      f.high = 3;
    }
  }
  return advice;
}

}  // namespace postil::test
