#include "linear_program.hpp"

#include <coin/Clp_C_Interface.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

namespace postil {

std::uint32_t LinearProgram::add_column(double cost, double lower, double upper) {
  cost_.push_back(cost);
  lower_.push_back(lower);
  upper_.push_back(upper);
  return static_cast<std::uint32_t>(cost_.size() - 1);
}

void LinearProgram::add_row(std::span<const std::pair<std::uint32_t, double>> terms, double low, double high) {
  for (const auto& [column, value] : terms) {
    columns_.push_back(static_cast<int>(column));
    values_.push_back(value);
  }
  starts_.push_back(static_cast<int>(columns_.size()));
  low_.push_back(low);
  high_.push_back(high);
}

namespace {

// CLP asserts what it cannot compute with; numbers in between are safe.
constexpr double kSmallest = 1e-20, kLargest = 1e20, kLargestBound = 1e30;

bool safe(double value) { return value == 0 || (std::fabs(value) >= kSmallest && std::fabs(value) <= kLargest); }
bool safe_bound(double value) { return std::isinf(value) || std::fabs(value) <= kLargestBound; }

// The exponents between which numbers other than 0 lie.
struct Exponents {
  int low = std::numeric_limits<int>::max(), high = std::numeric_limits<int>::min();
  void see(double value) {
    if (value == 0) return;
    low = std::min(low, std::ilogb(value));
    high = std::max(high, std::ilogb(value));
  }
  [[nodiscard]] int towards_one() const { return low > high ? 0 : -(low + (high - low) / 2); }
};

}  // namespace

bool LinearProgram::tame() const {
  return std::all_of(values_.begin(), values_.end(), safe) && std::all_of(cost_.begin(), cost_.end(), safe) &&
         std::all_of(lower_.begin(), lower_.end(), safe_bound) &&
         std::all_of(upper_.begin(), upper_.end(), safe_bound) && std::all_of(low_.begin(), low_.end(), safe_bound) &&
         std::all_of(high_.begin(), high_.end(), safe_bound);
}

LinearProgram::Solution LinearProgram::solve() const { return tame() ? solve_tame() : solve_scaled(); }

// Columns, rows and costs multiplied by powers of two, which is exact: x = 2^c x', row' = 2^r row, cost' = 2^k cost.
LinearProgram::Solution LinearProgram::solve_scaled() const {
  std::vector<int> c(cost_.size()), r(low_.size());
  for (int round = 0; round < 3; ++round) {
    std::vector<Exponents> by_column(c.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      Exponents own;
      for (auto k = static_cast<std::size_t>(starts_[i]); k < static_cast<std::size_t>(starts_[i + 1]); ++k)
        own.see(std::ldexp(values_[k], c[static_cast<std::size_t>(columns_[k])]));
      r[i] = own.towards_one();
      for (auto k = static_cast<std::size_t>(starts_[i]); k < static_cast<std::size_t>(starts_[i + 1]); ++k)
        by_column[static_cast<std::size_t>(columns_[k])].see(std::ldexp(values_[k], r[i]));
    }
    for (std::size_t j = 0; j < c.size(); ++j) {
      if (by_column[j].low > by_column[j].high) by_column[j].see(cost_[j]);  // in no row
      c[j] = by_column[j].towards_one();
    }
  }
  LinearProgram scaled = *this;
  Exponents costs;
  for (std::size_t j = 0; j < c.size(); ++j) {
    scaled.cost_[j] = std::ldexp(cost_[j], c[j]);
    costs.see(scaled.cost_[j]);
    scaled.lower_[j] = std::ldexp(lower_[j], -c[j]);
    scaled.upper_[j] = std::ldexp(upper_[j], -c[j]);
  }
  const int k = costs.towards_one();
  for (double& cost : scaled.cost_) cost = std::ldexp(cost, k);
  for (std::size_t i = 0; i < r.size(); ++i) {
    for (auto at = static_cast<std::size_t>(starts_[i]); at < static_cast<std::size_t>(starts_[i + 1]); ++at)
      scaled.values_[at] = std::ldexp(values_[at], r[i] + c[static_cast<std::size_t>(columns_[at])]);
    scaled.low_[i] = std::ldexp(low_[i], r[i]);
    scaled.high_[i] = std::ldexp(high_[i], r[i]);
  }
  for (std::vector<double>* numbers : {&scaled.cost_, &scaled.values_})  // beside numbers near 1 these are nothing
    for (double& number : *numbers)
      if (std::fabs(number) < kSmallest) number = 0;
  if (!scaled.tame()) {
    Solution none;
    none.x.resize(c.size());
    none.multipliers.resize(r.size());
    return none;
  }
  Solution out = scaled.solve_tame();
  for (std::size_t j = 0; j < c.size(); ++j) out.x[j] = std::ldexp(out.x[j], c[j]);
  for (std::size_t i = 0; i < r.size(); ++i) out.multipliers[i] = std::ldexp(out.multipliers[i], r[i] - k);
  out.objective = std::ldexp(out.objective, -k);
  return out;
}

LinearProgram::Solution LinearProgram::solve_tame() const {
  // Where memory ran out inside CLP its model is half made, and deleting it would crash: it is left alone.
  const auto end = [before = std::uncaught_exceptions()](Clp_Simplex* model) {
    if (std::uncaught_exceptions() == before) Clp_deleteModel(model);
  };
  const std::unique_ptr<Clp_Simplex, decltype(end)> clp(Clp_newModel(), end);
  const auto bound = [](double value) {
    return std::isinf(value) ? (value < 0 ? -std::numeric_limits<double>::max() : std::numeric_limits<double>::max())
                             : value;
  };
  std::vector<double> lower, upper, low, high;
  for (const double value : lower_) lower.push_back(bound(value));
  for (const double value : upper_) upper.push_back(bound(value));
  for (const double value : low_) low.push_back(bound(value));
  for (const double value : high_) high.push_back(bound(value));
  const int columns = static_cast<int>(cost_.size()), rows = static_cast<int>(low_.size());
  Clp_setLogLevel(clp.get(), 0);
  Clp_resize(clp.get(), 0, columns);
  for (int j = 0; j < columns; ++j) {
    Clp_columnLower(clp.get())[j] = lower[static_cast<std::size_t>(j)];
    Clp_columnUpper(clp.get())[j] = upper[static_cast<std::size_t>(j)];
    Clp_objective(clp.get())[j] = cost_[static_cast<std::size_t>(j)];
  }
  Clp_addRows(clp.get(), rows, low.data(), high.data(), starts_.data(), columns_.data(), values_.data());
  Clp_setPrimalTolerance(clp.get(), 1e-9);
  Clp_setDualTolerance(clp.get(), 1e-9);
  Clp_initialSolve(clp.get());
  Solution out;
  if (Clp_isProvenOptimal(clp.get()) != 0)
    out.status = Status::optimal;
  else if (Clp_isProvenPrimalInfeasible(clp.get()) != 0)
    out.status = Status::infeasible;
  else if (Clp_isProvenDualInfeasible(clp.get()) != 0)
    out.status = Status::unbounded;
  out.objective = Clp_objectiveValue(clp.get());
  out.residual = Clp_sumPrimalInfeasibilities(clp.get()) + Clp_sumDualInfeasibilities(clp.get());
  out.iterations = Clp_numberIterations(clp.get());
  const double* x = Clp_primalColumnSolution(clp.get());
  out.x.assign(x, x + columns);
  const double* multipliers = Clp_dualRowSolution(clp.get());
  out.multipliers.assign(multipliers, multipliers + rows);
  return out;
}

}  // namespace postil
