#include "linear_program.hpp"

#include <coin/Clp_C_Interface.h>

#include <cmath>
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

LinearProgram::Solution LinearProgram::solve() const {
  const std::unique_ptr<Clp_Simplex, void (*)(Clp_Simplex*)> clp(Clp_newModel(), Clp_deleteModel);
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
