// Sequential minimal optimisation: quadratic programs with one sign vector, as support vector machines have them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace postil {

// A symmetric positive semidefinite matrix whose rows are worked out when they are wanted.
class SymmetricRows {
 public:
  virtual ~SymmetricRows() = default;
  [[nodiscard]] virtual std::size_t size() const = 0;
  [[nodiscard]] virtual double diagonal(std::size_t i) const = 0;
  // Row i at these columns. May be called from several threads.
  virtual void fill(std::size_t i, std::span<const std::uint32_t> columns, double* out) const = 0;
  // All of row i, if it stands somewhere anyway; else null.
  [[nodiscard]] virtual const double* whole(std::size_t /*i*/) const { return nullptr; }
};

//   min 1/2 a'Qa + p'a   s.t.  s'a = s'start,  0 <= a <= upper,   Q_ij = s_i s_j K_ij,  s_i = +-1
// balanced: also the sums over s_i = +1 and over s_i = -1 stay what they are, as nu asks.
struct SmoProblem {
  const SymmetricRows& k;
  std::span<const double> s, p, upper;
  std::vector<double> start;
  bool balanced = false;
};

struct SmoOptions {
  double tolerance = 1e-3;            // of the largest violation
  std::uint64_t cache = 200'000'000;  // bytes for rows
  std::uint64_t most_iterations = 0;  // 0: 100 for each unknown, ten million at least
};

struct SmoResult {
  std::vector<double> a;
  double rho = 0;     // multiplier of s'a: s_i (Qa + p)_i = rho where 0 < a_i < upper_i
  double spread = 1;  // balanced: half the distance of the two multipliers, by which nu-machines divide
  double objective = 0;
  double violation = 0;
  std::uint64_t iterations = 0;
  bool converged = false;
};

SmoResult solve_smo(const SmoProblem& problem, const SmoOptions& options);

}  // namespace postil
