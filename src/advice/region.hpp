// Regions: the points of the domain that satisfy a conjunction of comparisons as written.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "postil/rules.hpp"
#include "solvers/linear_program.hpp"

namespace postil {

// The range of one feature.
struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool low_open = false, high_open = false;

  [[nodiscard]] bool empty() const { return low > high || (low == high && (low_open || high_open)); }
  [[nodiscard]] bool above(const Interval& other) const {
    return low > other.high || (low == other.high && (low_open || other.high_open));
  }
  [[nodiscard]] bool contains(const Interval& other) const {
    return (low < other.low || (low == other.low && (!low_open || other.low_open))) &&
           (high > other.high || (high == other.high && (!high_open || other.high_open)));
  }
  void narrow(const AdviceRow& row);                     // by a row about this feature alone
  [[nodiscard]] bool needs(const AdviceRow& row) const;  // having been narrowed by it: it gives one of the ends
  [[nodiscard]] double inside() const;                   // a point well inside, near 0 or the one finite end
  [[nodiscard]] double clamp(double value) const;        // the nearest point of it, or one well inside
};

// The values of the features that the rows speak of; others may have any value of their domain.
using Point = std::unordered_map<std::uint32_t, double>;

// A point that satisfies all rows, strict ones strictly, inside the box; of each group of `one_of` the features sum to
// at most 1. None: there is no such point. Intervals and a few projections decide most cases, a linear program the rest.
std::optional<Point> find_point(std::span<const AdviceRow* const> rows, const Box& box,
                                std::span<const std::vector<std::uint32_t>> one_of);

std::vector<const AdviceRow*> pointers(const std::vector<AdviceRow>& rows);

}  // namespace postil
