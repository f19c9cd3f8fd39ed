// esvm_centre.cpp: the hard-margin ellipsoidal machine at r -> 1, which is the analytic centre machine.
//
// Source   Trafalis and Malyscheff, An Analytic Center Machine, 2002   [trafalis2002acm]; docs/mathematics.md B1
// Problem  max sum_i log(y_i f_i),  |w| <= 1.  With K positive definite, log|KA| = log|K| + sum log a_i: the dual (9) is
//          max sum_i log a_i - sqrt(a'Qa),  d'a = 0
// Update   Newton on 1/2 u'Qu - sum log u_i, d'u = 0, the length of a step by a search along it;
//          a = sqrt(m) u.
// Cost     9-12 Cholesky factors of m x m.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "esvm.hpp"
#include "esvm_step.hpp"
#include "postil/watch.hpp"

namespace postil {

namespace {

// The minimum of 1/2 u'Qu - sum log u along u + t step: by Newton in t, short of where a number would vanish.
double best_length(std::span<const double> u, std::span<const double> step, std::span<const double> qu,
                   std::span<const double> q_step) {
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < u.size(); ++i)
    if (step[i] < 0) most = std::min(most, -u[i] / step[i]);
  const double slope = dot(step, qu), curve = dot(step, q_step);
  const double t = find_top(
      [&](double at) -> Slope {
        Slope out{-slope - at * curve, -curve};
        for (std::size_t i = 0; i < u.size(); ++i) {
          const double share = step[i] / (u[i] + at * step[i]);
          out.first += share;
          out.second -= share * share;
        }
        return out;
      },
      0.999 * most);
  return t;
}

}  // namespace

AnalyticCentre analytic_centre(const EsvmProblem& problem, const Matrix& k) {
  constexpr int kMostRounds = 100;
  const std::size_t m = problem.y.size();
  AnalyticCentre out;
  // A start on the scale of the answer, u'Qu = m, that meets the sum.
  std::vector<double> u = esvm_start(problem, 1), qu(m);
  const auto times = [&](std::span<const double> v) {  // Qv
    std::vector<double> out_v(m), signed_v(m);
    for (std::size_t i = 0; i < m; ++i) signed_v[i] = problem.y[i] * v[i];
    multiply(1, k, signed_v, 0, out_v);
    for (std::size_t i = 0; i < m; ++i) out_v[i] *= problem.y[i];
    return out_v;
  };
  qu = times(u);
  const double first = dot(std::span<const double>(u), std::span<const double>(qu)),
               factor = std::sqrt(static_cast<double>(m) / std::max(first, 1e-12));
  for (double& x : u) x *= factor;
  double decrement = 0;
  for (int round = 0; round < kMostRounds; ++round) {
    look_up("iterations", static_cast<std::uint64_t>(round));
    qu = times(u);
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
    const double t = decrement < 0.1 ? 1 : best_length(u, step, qu, times(step));
    for (std::size_t i = 0; i < m; ++i) u[i] += t * step[i];
    ++out.iterations;
    out.converged = decrement < 1e-5;  // and after this step its square
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
    out.converged = out.gap <= problem.tolerance * problem.whole();
    out.status = out.converged ? "solved (analytic centre)" : "the analytic centre is not the answer at this r";
  } else {
    out.a = std::move(centre.u);
    out.status = "did not converge (analytic centre)";
  }
  out.iterations = centre.iterations;
  return out;
}

}  // namespace postil
