// Linear programs, by COIN-OR CLP.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace postil {

// min cost'x  s.t.  low <= a'x <= high for each row, lower <= x <= upper. Infinite bounds are none.
class LinearProgram {
 public:
  // Gives the column's number.
  std::uint32_t add_column(double cost, double lower, double upper);
  void add_row(std::span<const std::pair<std::uint32_t, double>> terms, double low, double high);

  enum class Status : std::uint8_t { optimal, infeasible, unbounded, failed };
  struct Solution {
    Status status = Status::failed;
    double objective = 0;
    double residual = 0;  // what rows and columns are short of, summed
    int iterations = 0;
    std::vector<double> x;
    std::vector<double> multipliers;  // of the rows: the objective's change per unit of the active bound
  };
  // Fails, among others, where the numbers differ so much that rounding would decide.
  [[nodiscard]] Solution solve() const;

 private:
  [[nodiscard]] bool tame() const;
  [[nodiscard]] Solution solve_tame() const;
  [[nodiscard]] Solution solve_scaled() const;

  std::vector<double> cost_, lower_, upper_;
  std::vector<int> starts_{0}, columns_;
  std::vector<double> values_, low_, high_;
};

}  // namespace postil
