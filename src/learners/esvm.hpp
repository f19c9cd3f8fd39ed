// The ellipsoidal support vector machine's problems, and one solver for each way of solving them.
//
// Rows are scaled to unit length beforehand if q_i = |x_i| (rows=unit): then (6) stands as printed, and only the bias of row i
// gets the coefficient c_i = 1/|x_i|. r and 1 - r are kept apart, so that 1 - r = 1e-8 loses nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solvers/dense.hpp"

namespace postil {

// (6)  min -r log|B| + (1-r) tr B + sum_i C_i xi_i   s.t.  y_i (w'x_i + c_i b) + xi_i >= x_i'B x_i,  |w| <= 1,  xi >= 0
// (9)  max r log|I + KA/(1-r)| - h(q)                s.t.  sum_i y_i c_i a_i = 0,  0 <= a_i <= C_i,  q = a'Qa
// h(q) = sqrt(q), or with gamma held at kLeastGamma what stands below it: the degenerate regime.
struct EsvmProblem {
  std::vector<double> y;
  std::vector<double> c;      // coefficients of the bias; empty: there is none, and no sum to keep
  std::vector<double> upper;  // C_i; infinite: hard margin
  double one_minus_r = 1e-6;
  double rank = 0;          // n of the identities: features, or 0 for as many as there are rows (kernels)
  double tolerance = 1e-5;  // of the duality gap, relative to r n

  [[nodiscard]] double r() const { return 1 - one_minus_r; }
  [[nodiscard]] bool hard() const { return !upper.empty() && upper[0] == std::numeric_limits<double>::infinity(); }
  [[nodiscard]] double whole() const {  // r n: what all terms of the optimum add up to
    return r() * (rank > 0 ? rank : static_cast<double>(y.size()));
  }
  [[nodiscard]] bool free_bias() const { return !c.empty(); }
  [[nodiscard]] double coefficient(std::size_t i) const { return c.empty() ? 0 : y[i] * c[i]; }  // d_i, of the sum
};

constexpr double kLeastGamma = 1e-3;
constexpr std::size_t kMostInterior = 6000;  // side of the matrices that the interior-point method factorises

// gamma = sqrt(q)/2 unless that is too small, and h with its derivative by q.
struct NormTerm {
  double gamma, h, slope;
  bool held;  // gamma is at its least: the norm constraint on w is not active
  explicit NormTerm(double q);
};

struct EsvmSolution {
  std::vector<double> a;
  double bias = 0;
  double gamma = 0;
  double objective = 0;  // of the dual as printed in (9), at a
  // primal minus dual, at (a, bias); hard margins: after shrinking the ellipsoid until it is inside
  double gap = std::numeric_limits<double>::infinity();
  double norm = 0;        // sqrt(q)
  std::vector<double> w;  // linear, where it is not sum a_i y_i x_i/(2 gamma): of the primal itself
  double length = 0;      // |w|
  double spent = 0;       // sum a_i omega_i: r n less (1-r) tr B
  std::uint64_t iterations = 0;
  bool converged = false;
  std::string status;
};

// The best bias for these multipliers and this w, and how far they are from the optimum. omega_i = x_i'Bx_i, f_i = w'x_i.
struct EsvmGap {
  double bias = 0, gap = 0;
  double spent = 0;  // sum a_i omega_i
};
EsvmGap esvm_gap(const EsvmProblem& problem, std::span<const double> a, std::span<const double> omega,
                 std::span<const double> f, double q, double squared_w);

// Soft margins: b that makes the sum of C_i max(0, short_by_i - y_i c_i b) least; the middle if many do.
double best_bias(const EsvmProblem& problem, std::span<const double> short_by);

// Multipliers inside the bounds that meet the sum.
std::vector<double> esvm_start(const EsvmProblem& problem, double size);
// Makes the sum exact by shrinking the heavier side.
void balance(const EsvmProblem& problem, std::vector<double>& a);

// Everything about multipliers, from scratch. Kernel form: K is the matrix of inner products.
struct EsvmState {
  Matrix omega;               // x_i'B x_j
  std::vector<double> g;      // K (a o y)
  double q = 0, log_det = 0;  // log|I + KA/(1-r)|
};
// Gives false if a is not positive throughout or numbers overflow.
bool esvm_state(const EsvmProblem& problem, const Matrix& k, std::span<const double> a, EsvmState& out);

// Bias, gap, objective of these multipliers, from what goes with them: omega_ii, K (a o y), q and log|I + KA/(1-r)|.
EsvmSolution measure_esvm(const EsvmProblem& problem, std::span<const double> a, std::span<const double> omega,
                          std::span<const double> g, double q, double log_det);
EsvmSolution evaluate_esvm(const EsvmProblem& problem, const EsvmState& state, std::span<const double> a);
// The same over linear rows, one per column of x; and B = r ((1-r) I + X'AX)^-1.
EsvmSolution evaluate_esvm(const EsvmProblem& problem, const Matrix& x, std::span<const double> a,
                           std::vector<double> w = {}, std::vector<double>* short_by = nullptr);
Matrix esvm_metric(const EsvmProblem& problem, const Matrix& x, std::span<const double> a, double* log_det = nullptr);

EsvmSolution solve_esvm_smo(const EsvmProblem& problem, const Matrix& k);
EsvmSolution solve_esvm_interior(const EsvmProblem& problem, const Matrix& k);
// Linear; x holds one row per column. Multipliers `near` the answer: where they are 0, a row is left out until it is short of its
// margin.
EsvmSolution solve_esvm_interior_linear(const EsvmProblem& problem, const Matrix& x, std::span<const double> near = {});
// u with u_i y_i f_i = 1 at w = sum u_i y_i x_i: inside the version space, if there is one. Needs no positive definite K.
struct AnalyticCentre {
  std::vector<double> u;
  std::uint64_t iterations = 0;
  bool converged = false;
};
AnalyticCentre analytic_centre(const EsvmProblem& problem, const Matrix& k);
// Hard margin, positive definite K, r -> 1: the analytic centre. The gap is that of (9) at the r asked for.
EsvmSolution solve_esvm_centre(const EsvmProblem& problem, const Matrix& k);
// Linear, on the n x n matrix B; x holds one row per column. Stops where so many passes do not halve the gap.
EsvmSolution solve_esvm_ascent(const EsvmProblem& problem, const Matrix& x, std::size_t patience = 20);

// The primal problems over linear rows, in (E, w, b):
//   exact  (5)  |E x_i|        sphere  (1)  nothing but rho
// rho: also a margin, (4) and (1):  ... >= t_i rho on the right, - m rho in the objective, and lambda before the log-determinant.
struct EsvmPrimal {
  bool ellipsoid = true;
  std::vector<double> margin;  // t_i; empty: no rho
  double examples = 0;         // m of -m rho
  double lambda = 1;
  std::vector<double> inside;       // hard margins: (w, b) with y_i (w'x_i + c_i b) > 0 for all rows
  const Matrix* tangent = nullptr;  // u_i'E x_i in place of |E x_i|; a column each, |u_i| = 1
};
struct EsvmPrimalSolution {
  Matrix e;
  std::vector<double> w;  // |w| <= 1
  std::vector<double> a;  // multipliers of the rows
  double bias = 0, rho = 0;
  double objective = 0;  // of the primal
  double gap = 0;        // the sum of the products that the barrier brings to 0; iterated: between two bounds of (5)
  std::uint64_t iterations = 0;
  std::uint64_t linearisations = 0;  // iterated only
  bool converged = false;
};
EsvmPrimalSolution solve_esvm_barrier(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x);

// (5) by (6), linearised again at the last E.
struct EsvmIterated {
  std::uint64_t most = 300;  // linearisations
  bool whole = false;        // steps are never halved: as the paper suggests, but it need not converge
};
EsvmPrimalSolution solve_esvm_iterated(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x,
                                       const EsvmIterated& options = {});

}  // namespace postil
