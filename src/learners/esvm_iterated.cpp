// esvm_iterated.cpp: the exact ellipsoidal machine by its relaxation, linearised again at the last ellipsoid.
//
// Source   002, section 2: (6) is (5) linearised at E_0 = cI, "the initial problem"; docs/mathematics.md B1   [momma2010esvm]
// Problem  (5)    min F(E, w, b) = -r log|E| + (1-r) tr E + sum_i C_i max(0, |E x_i| - y_i (w'x_i + c_i b)),   |w| <= 1
//          (6_k)  the same with u_i'E x_i in place of |E x_i|,  u_i = E_k x_i/|E_k x_i|;   u_i = x_i/|x_i| makes it (6)
// Update   z_k = (E_k, w_k, b_k);  z+ solves (6_k);  z_{k+1} = z_k + s (z+ - z_k) with the first s of 1, 1/2, 1/4, ... where
//          F(z_{k+1}) <= F(z_k) - s (F(z_k) - min (6_k))/10
// Bounds   |E x| >= u'E x, so min (6_k) <= min (5) <= F(z_k): the method stops when the two are near, and the gap is a proof.
//          z+ - z_k is a direction of descent of F unless they are equal, so there is such an s (docs/mathematics.md B1).
// Cost     a barrier solve (esvm_barrier.cpp) for each linearisation, some 5 to 20 of them: dearer than (5) itself.
// Choices  Whole steps, s = 1, are what the paper suggests. They oscillate or diverge: what (6_k) leaves out bends more than what it
//          keeps where the ellipsoid is long.  Test: Esvm.WholeStepsNeedNotConverge.
//          Hard margins: F is that of the ellipsoid shrunk until it is inside.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "esvm.hpp"

namespace postil {
namespace {

constexpr double kSufficient = 0.1, kLeastStep = 1e-6;

struct Place {
  Matrix e;
  std::vector<double> w;
  double b = 0;
};

class Relinearise {
 public:
  Relinearise(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x)
      : problem_(problem), inner_(problem), primal_(primal), x_(x), tangent_(x.rows(), x.columns()) {
    inner_.tolerance *= 0.1;
    primal_.tangent = &tangent_;
  }

  EsvmPrimalSolution solve(const EsvmIterated& options) {
    const double scale = std::max(1.0, problem_.r() * static_cast<double>(x_.rows()));
    turn_to(x_);  // E_0 = cI: u_i = x_i/|x_i|
    EsvmPrimalSolution out = solve_esvm_barrier(inner_, primal_, x_);
    out.linearisations = 1;
    Place at{out.e, out.w, out.bias};
    double lower = out.objective - out.gap, value = objective(at);
    while (value - lower > problem_.tolerance * scale && out.linearisations < options.most) {
      turn_to(multiply_transposed(at.e, x_));
      const EsvmPrimalSolution next = solve_esvm_barrier(inner_, primal_, x_);  // (6_k)
      const double below = next.objective - next.gap;
      lower = std::max(lower, below);
      out.iterations += next.iterations;
      ++out.linearisations;
      double step = 1, reached = 0;
      for (;; step /= 2) {
        Place moved = between(at, next, step);
        reached = objective(moved);
        const bool enough = reached <= value - kSufficient * step * (value - below);
        if (!enough && !options.whole && step > kLeastStep) continue;
        if (enough || options.whole) {
          at = std::move(moved);
          value = reached;
          out.a = next.a;
        }
        break;
      }
      if (step <= kLeastStep) break;
    }
    out.e = std::move(at.e);
    out.w = std::move(at.w);
    out.bias = at.b;
    out.objective = value;
    out.gap = value - lower;
    out.converged = out.gap <= problem_.tolerance * scale;
    return out;
  }

 private:
  // u_i = v_i/|v_i|
  void turn_to(const Matrix& v) {
    for (std::size_t i = 0; i < v.columns(); ++i) {
      const double length = std::sqrt(dot(v.column(i), v.column(i)));
      for (std::size_t j = 0; j < v.rows(); ++j) tangent_(j, i) = v(j, i) / length;
    }
  }

  static Place between(const Place& from, const EsvmPrimalSolution& to, double step) {
    Place out = from;
    for (std::size_t k = 0; k < out.e.values().size(); ++k)
      out.e.values()[k] += step * (to.e.values()[k] - from.e.values()[k]);
    for (std::size_t j = 0; j < out.w.size(); ++j) out.w[j] += step * (to.w[j] - from.w[j]);
    out.b += step * (to.bias - from.b);
    return out;
  }

  // F; hard margins: at the largest sE inside, which takes the place of E.
  double objective(Place& z) const {
    const Matrix ex = multiply_transposed(z.e, x_);
    double lost = 0, inside = 1;
    for (std::size_t i = 0; i < x_.columns(); ++i) {
      const double need = std::sqrt(dot(ex.column(i), ex.column(i)));
      const double side =
          problem_.y[i] * dot(x_.column(i), std::span<const double>(z.w)) + problem_.coefficient(i) * z.b;
      if (problem_.hard())
        inside = std::min(inside, side / need);
      else
        lost += problem_.upper[i] * std::max(0.0, need - side);
    }
    Matrix factor = z.e;
    if (!(inside > 0) || !factorise(factor)) return std::numeric_limits<double>::infinity();
    double trace = 0;
    for (std::size_t j = 0; j < z.e.rows(); ++j) trace += inside * z.e(j, j);
    const double log_det = log_determinant(factor) + static_cast<double>(z.e.rows()) * std::log(inside);
    for (double& value : z.e.values()) value *= inside;
    return problem_.one_minus_r * trace - problem_.r() * log_det + lost;
  }

  const EsvmProblem& problem_;
  EsvmProblem inner_;
  EsvmPrimal primal_;
  const Matrix& x_;
  Matrix tangent_;  // u_i
};

}  // namespace

EsvmPrimalSolution solve_esvm_iterated(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x,
                                       const EsvmIterated& options) {
  return Relinearise(problem, primal, x).solve(options);
}

}  // namespace postil
