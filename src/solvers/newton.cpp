#include "newton.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

// d = -H^-1 g, until what is left is a tenth of g, or less near the end.
struct ConjugateGradients {
  explicit ConjugateGradients(std::size_t n) : d(n), r(n), z(n), p(n), hp(n), diagonal(n) {}

  void solve(SmoothFunction& f, std::span<const double> g, double left) {
    const std::size_t n = g.size();
    f.hessian_diagonal(diagonal);
    for (std::size_t j = 0; j < n; ++j) {
      d[j] = 0;
      r[j] = -g[j];
      z[j] = r[j] / diagonal[j];
    }
    p = z;
    double rz = dot(r, z);
    const double enough = left * left * dot(g, g);
    for (std::size_t step = 0; step < 2 * n + 20; ++step, look_up()) {
      f.hessian_times(p, hp);
      const double curvature = dot(p, hp);
      if (!(curvature > 0)) break;
      const double alpha = rz / curvature;
      for (std::size_t j = 0; j < n; ++j) {
        d[j] += alpha * p[j];
        r[j] -= alpha * hp[j];
      }
      if (dot(r, r) <= enough) break;
      for (std::size_t j = 0; j < n; ++j) z[j] = r[j] / diagonal[j];
      const double next = dot(r, z);
      for (std::size_t j = 0; j < n; ++j) p[j] = z[j] + next / rz * p[j];
      rz = next;
    }
    if (dot(d, d) == 0)
      for (std::size_t j = 0; j < n; ++j) d[j] = -g[j] / diagonal[j];
  }

  std::vector<double> d, r, z, p, hp, diagonal;
};

}  // namespace

NewtonResult minimise(SmoothFunction& f, std::span<double> x, const NewtonOptions& options) {
  const std::size_t n = x.size();
  std::vector<double> g(n), trial(n);
  ConjugateGradients system(n);
  NewtonResult out;
  out.value = f.value(x);
  f.gradient(g);
  out.gradient = std::sqrt(dot(g, g));
  const double first = options.first > 0 ? options.first : out.gradient;
  while (out.gradient > options.tolerance && out.iterations < options.most) {
    look_up("iterations", ++out.iterations);
    system.solve(f, g, std::min(0.1, std::sqrt(out.gradient / first) * 0.1));
    const double slope = dot(g, system.d);
    double value = out.value, alpha = 1;
    bool falls = false;
    for (; alpha > 1e-10 && !falls; alpha /= 2) {
      for (std::size_t j = 0; j < n; ++j) trial[j] = x[j] + alpha * system.d[j];
      value = f.value(trial);
      falls = value <= out.value + 1e-4 * alpha * slope;
    }
    if (!falls) {  // rounding
      f.value(x);
      out.converged = out.gradient <= options.slack * first;
      return out;
    }
    std::copy(trial.begin(), trial.end(), x.begin());
    const double value_before = std::exchange(out.value, value), gradient_before = out.gradient;
    f.gradient(g);
    out.gradient = std::sqrt(dot(g, g));
    if (!(value < value_before) && out.gradient > gradient_before / 2 &&
        out.gradient > options.tolerance) {  // rounding
      out.converged = out.gradient <= options.slack * first;
      return out;
    }
  }
  out.converged = out.gradient <= options.tolerance && std::isfinite(out.value) && std::isfinite(out.gradient);
  return out;
}

}  // namespace postil
