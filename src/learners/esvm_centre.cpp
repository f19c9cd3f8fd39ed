// esvm_centre.cpp: the hard-margin ellipsoidal machine at r -> 1, which is the analytic centre machine.
//
// Source   Trafalis and Malyscheff, An Analytic Center Machine, 2002   [trafalis2002acm]; MATH.md B1
// Problem  max sum_i log(y_i f_i),  |w| <= 1.  With K positive definite, log|KA| = log|K| + sum log a_i: the dual (9) is
//          max sum_i log a_i - sqrt(a'Qa),  d'a = 0
// Update   Newton on 1/2 u'Qu - sum log u_i, d'u = 0, with steps of 1/(1 + decrement) until the decrement is small;
//          a = sqrt(m) u.
// Cost     9-12 Cholesky factors of m x m.
#include <algorithm>
#include <cmath>
#include <limits>

#include "esvm.hpp"
#include "postil/kernels.hpp"

namespace postil {

AnalyticCentre analytic_centre(const EsvmProblem& problem, const Matrix& k) {
  constexpr int kMostRounds = 100;
  const std::size_t m = problem.y.size();
  AnalyticCentre out;
  // A start on the scale of the answer, u'Qu = m, that meets the sum.
  std::vector<double> u = esvm_start(problem, 1), qu(m);
  const auto times_q = [&] {
    std::vector<double> signed_u(m);
    for (std::size_t i = 0; i < m; ++i) signed_u[i] = problem.y[i] * u[i];
    multiply(1, k, signed_u, 0, qu);
    for (std::size_t i = 0; i < m; ++i) qu[i] *= problem.y[i];
    return dot(std::span<const double>(u), std::span<const double>(qu));
  };
  const double first = times_q(), factor = std::sqrt(static_cast<double>(m) / std::max(first, 1e-12));
  for (double& x : u) x *= factor;
  double decrement = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    times_q();
    Matrix h(m, m);
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = j; i < m; ++i) h(i, j) = problem.y[i] * problem.y[j] * k(i, j);
    std::vector<double> step(m), d(m);
    for (std::size_t i = 0; i < m; ++i) {
      h(i, i) += 1 / (u[i] * u[i]);
      step[i] = 1 / u[i] - qu[i];
      d[i] = problem.coefficient(i);
    }
    const std::vector<double> downhill = step;
    if (!factorise(h)) break;
    solve_factorised(h, step);
    if (problem.free_bias()) {
      const std::vector<double> plain = d;
      solve_factorised(h, d);
      double sum = 0;
      for (std::size_t i = 0; i < m; ++i) sum += plain[i] * (u[i] + step[i]);
      const double multiplier = sum / dot(std::span<const double>(plain), std::span<const double>(d));
      for (std::size_t i = 0; i < m; ++i) step[i] -= multiplier * d[i];
    }
    decrement = std::sqrt(std::max(0.0, dot(std::span<const double>(downhill), std::span<const double>(step))));
    double t = decrement < 0.25 ? 1 : 1 / (1 + decrement);
    for (std::size_t i = 0; i < m; ++i)
      if (step[i] < 0) t = std::min(t, -0.95 * u[i] / step[i]);
    for (std::size_t i = 0; i < m; ++i) u[i] += t * step[i];
    ++out.iterations;
    out.converged = decrement < 1e-9 * std::sqrt(static_cast<double>(m));
    if (out.converged || !std::isfinite(decrement)) break;
  }
  out.u = std::move(u);
  return out;
}

EsvmSolution solve_esvm_centre(const EsvmProblem& problem, const Matrix& k) {
  const std::size_t m = problem.y.size();
  AnalyticCentre centre = analytic_centre(problem, k);
  for (double& a : centre.u) a *= std::sqrt(static_cast<double>(m));
  balance(problem, centre.u);
  EsvmSolution out;
  EsvmState state;
  if (centre.converged && esvm_state(problem, k, centre.u, state)) {
    out = evaluate_esvm(problem, state, centre.u);
    out.converged = out.gap <= problem.tolerance * problem.r() * static_cast<double>(m);
    out.status = out.converged ? "solved (analytic centre)" : "the analytic centre is not the answer at this r";
  } else {
    out.a = std::move(centre.u);
    out.gap = std::numeric_limits<double>::infinity();
    out.status = "did not converge (analytic centre)";
  }
  out.iterations = centre.iterations;
  return out;
}

}  // namespace postil
