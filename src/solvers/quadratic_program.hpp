// Convex quadratic programs with a diagonal quadratic term, by a primal-dual interior-point method (Mehrotra 1992).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace postil {

// min sum cost_k x_k + quadratic_k x_k^2 / 2   s.t.  low <= a'x <= high for each row, x >= lower. Infinite bounds are none.
class QuadraticProgram {
 public:
  std::uint32_t add_column(double cost, double quadratic, double lower);
  void add_row(std::span<const std::pair<std::uint32_t, double>> terms, double low, double high);

  struct Solution {
    bool converged = false;
    std::vector<double> x;
    double objective = 0;
    double residual = 0;  // largest violation of the conditions for an optimum, relative to the numbers in them
    int iterations = 0;
  };
  [[nodiscard]] Solution solve(double tolerance = 1e-9) const;

 private:
  struct Row {
    std::vector<std::pair<std::uint32_t, double>> terms;
    double bound;
  };
  std::vector<double> cost_, quadratic_;
  std::vector<Row> above_, equal_;  // a'x >= bound, a'x = bound
};

}  // namespace postil
