// esvm_dual.cpp: what all solvers of the ellipsoidal machine's dual share: where it stands, and how far that is from the end.
//
// Source   Momma, Hatano and Nakayama, Ellipsoidal Support Vector Machines, ACML 2010   [momma2010esvm];
//          docs/mathematics.md B1 to B3
// Gap      sum C_i xi_i - sum a_i omega_ii + h(q) + gamma_min (|w|^2 - 1),  xi_i = max(0, omega_ii - y_i (f_i + c_i b)), f = w'x,
//          for any multipliers that meet the sum, any b and any |w| <= 1: (1-r) tr B = r n - sum a_i omega_ii, and the primal
//          whose dual has gamma >= gamma_min has that last term.
//          Hard margin: with s B in place of B, s = min y_i (f_i + c_i b)/omega_ii or less:  gap = -r n log s + (s - 1)(r n -
//          sum a omega) - sum a omega + h(q) + gamma_min (|w|^2 - 1).
// State    with D = A^(1/2), N = (1-r) I + D K D:  log|I + KA/(1-r)| = log|N/(1-r)|,  omega = r D^-1 (I - (1-r) N^-1) D^-1.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/math.hpp"
#include "esvm.hpp"

namespace postil {
namespace {

// b that makes the least y_i (f_i + c_i b)/omega_i largest, a concave function of b: by halving on the sign of its slope.
double best_hard_bias(const EsvmProblem& problem, std::span<const double> omega, std::span<const double> f) {
  double low = -kInfinity, high = kInfinity;  // where every score has its sign
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double at = -f[i] / problem.c[i];
    if (problem.y[i] > 0)
      low = std::max(low, at);
    else
      high = std::min(high, at);
  }
  if (!std::isfinite(low) || !std::isfinite(high)) return std::isfinite(low) ? low : std::isfinite(high) ? high : 0;
  if (low > high) return (low + high) / 2;
  for (int step = 0; step < 200 && high - low > 1e-15 * (std::fabs(low) + std::fabs(high)); ++step) {
    const double b = (low + high) / 2;
    double least = kInfinity, slope = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double value = problem.y[i] * (f[i] + problem.c[i] * b) / omega[i];
      if (value < least) {
        least = value;
        slope = problem.y[i];
      }
    }
    (slope > 0 ? low : high) = b;
  }
  return (low + high) / 2;
}

}  // namespace

double best_bias(const EsvmProblem& problem, std::span<const double> short_by) {
  struct Turn {
    double at, slope;
  };
  std::vector<Turn> turns;
  turns.reserve(short_by.size());
  double slope = 0;
  for (std::size_t i = 0; i < short_by.size(); ++i) {
    const double weight = problem.upper[i] * problem.c[i];
    turns.push_back({problem.y[i] * short_by[i] / problem.c[i], weight});
    if (problem.y[i] > 0) slope -= weight;
  }
  std::sort(turns.begin(), turns.end(), [](const Turn& a, const Turn& b) { return a.at < b.at; });
  double total = 0;
  for (const Turn& turn : turns) total += turn.slope;
  const double nothing = 1e-12 * total;
  for (std::size_t k = 0; k < turns.size(); ++k) {
    slope += turns[k].slope;
    if (slope < -nothing) continue;
    if (slope <= nothing && k + 1 < turns.size()) return (turns[k].at + turns[k + 1].at) / 2;
    return turns[k].at;
  }
  return turns.empty() ? 0 : turns.back().at;
}

NormTerm::NormTerm(double q) {
  const double norm = std::sqrt(std::max(0.0, q));
  held = norm < 2 * kLeastGamma;
  gamma = held ? kLeastGamma : norm / 2;
  h = held ? q / (4 * kLeastGamma) + kLeastGamma : norm;
  slope = 1 / (4 * gamma);
}

EsvmGap esvm_gap(const EsvmProblem& problem, std::span<const double> a, std::span<const double> omega,
                 std::span<const double> f, double q, double squared_w) {
  EsvmGap out;
  const std::size_t m = a.size();
  const NormTerm norm(q);
  const double norms = norm.h + kLeastGamma * (squared_w - 1);
  for (std::size_t i = 0; i < m; ++i) out.spent += a[i] * omega[i];
  std::vector<double> short_by(m);
  for (std::size_t i = 0; i < m; ++i) short_by[i] = omega[i] - problem.y[i] * f[i];
  if (problem.free_bias()) out.bias = problem.hard() ? best_hard_bias(problem, omega, f) : best_bias(problem, short_by);
  const auto bias_part = [&](std::size_t i) { return problem.coefficient(i) * out.bias; };
  if (problem.hard()) {
    double scale = kInfinity;
    for (std::size_t i = 0; i < m; ++i)
      scale = std::min(scale, (problem.y[i] * f[i] + bias_part(i)) / std::max(omega[i], 1e-300));
    const double whole = problem.whole(), trace = whole - out.spent;  // (1-r) tr B
    if (trace > 0) scale = std::min(scale, whole / trace);
    out.gap = scale > 0 && std::isfinite(scale) ? -whole * std::log(scale) + (scale - 1) * trace - out.spent + norms
                                                : kInfinity;
    return out;
  }
  out.gap = norms - out.spent;
  for (std::size_t i = 0; i < m; ++i)
    if (const double lack = short_by[i] - bias_part(i); !(lack <= 0)) out.gap += problem.upper[i] * lack;
  return out;
}

void balance(const EsvmProblem& problem, std::vector<double>& a) {
  if (!problem.free_bias()) return;
  double side[2] = {};
  for (std::size_t i = 0; i < a.size(); ++i) side[problem.y[i] > 0 ? 0 : 1] += problem.c[i] * a[i];
  const double least = std::min(side[0], side[1]);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const double own = side[problem.y[i] > 0 ? 0 : 1]; own > least) a[i] *= least / own;
}

std::vector<double> esvm_start(const EsvmProblem& problem, double size) {
  std::vector<double> a(problem.y.size());
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::min(size, problem.upper[i] / 2);
  balance(problem, a);
  return a;
}

bool esvm_state(const EsvmProblem& problem, const Matrix& k, std::span<const double> a, EsvmState& out) {
  const std::size_t m = a.size();
  std::vector<double> root(m), signed_a(m);
  for (std::size_t i = 0; i < m; ++i) {
    if (!(a[i] > 0)) return false;
    root[i] = std::sqrt(a[i]);
    signed_a[i] = a[i] * problem.y[i];
  }
  out.omega = Matrix(m, m);
  for (std::size_t j = 0; j < m; ++j)
    for (std::size_t i = j; i < m; ++i) out.omega(i, j) = root[i] * root[j] * k(i, j);
  for (std::size_t j = 0; j < m; ++j) out.omega(j, j) += problem.one_minus_r;
  if (!factorise(out.omega)) return false;
  out.log_det = log_determinant(out.omega) - static_cast<double>(m) * std::log(problem.one_minus_r);
  invert_factorised(out.omega);
  const double r = problem.r(), e = problem.one_minus_r;
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i < m; ++i) out.omega(i, j) *= -r * e / (root[i] * root[j]);
    out.omega(j, j) += r / a[j];
  }
  out.g.resize(m);
  multiply(1, k, signed_a, 0, out.g);
  out.q = std::max(0.0, dot(std::span<const double>(signed_a), std::span<const double>(out.g)));
  return true;
}

EsvmSolution measure_esvm(const EsvmProblem& problem, std::span<const double> a, std::span<const double> omega,
                          std::span<const double> g, double q, double log_det) {
  const NormTerm norm(q);
  std::vector<double> f(g.begin(), g.end());
  for (double& value : f) value /= 2 * norm.gamma;
  EsvmSolution out;
  out.a.assign(a.begin(), a.end());
  out.gamma = norm.gamma;
  out.norm = std::sqrt(std::max(0.0, q));
  out.length = out.norm / (2 * norm.gamma);
  out.objective = problem.r() * log_det - norm.h;
  const EsvmGap gap = esvm_gap(problem, a, omega, f, q, out.length * out.length);
  out.bias = gap.bias;
  out.gap = gap.gap;
  out.spent = gap.spent;
  return out;
}

EsvmSolution evaluate_esvm(const EsvmProblem& problem, const EsvmState& state, std::span<const double> a) {
  std::vector<double> omega(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) omega[i] = state.omega(i, i);
  return measure_esvm(problem, a, omega, state.g, state.q, state.log_det);
}

Matrix esvm_metric(const EsvmProblem& problem, const Matrix& x, std::span<const double> a, double* log_det) {
  const std::size_t n = x.rows();
  Matrix scaled(n, x.columns()), b(n, n);
  for (std::size_t i = 0; i < x.columns(); ++i) {
    const double root = std::sqrt(a[i]);
    for (std::size_t j = 0; j < n; ++j) scaled(j, i) = root * x(j, i);
  }
  for (std::size_t j = 0; j < n; ++j) b(j, j) = problem.one_minus_r;
  add_outer(1, scaled, 1, b);
  if (!factorise(b)) return {};
  if (log_det != nullptr) *log_det = log_determinant(b) - static_cast<double>(n) * std::log(problem.one_minus_r);
  invert_factorised(b);
  for (double& value : b.values()) value *= problem.r();
  return b;
}

EsvmSolution evaluate_esvm(const EsvmProblem& problem, const Matrix& x, std::span<const double> a,
                           std::vector<double> w, std::vector<double>* short_by) {
  const std::size_t n = x.rows(), m = x.columns();
  EsvmSolution out;
  out.a.assign(a.begin(), a.end());
  balance(problem, out.a);
  double log_det = 0;
  const Matrix b = esvm_metric(problem, x, out.a, &log_det);
  if (b.rows() != n) return out;
  std::vector<double> signed_a(m), v(n), f(m), omega(m), bx(n);
  for (std::size_t i = 0; i < m; ++i) signed_a[i] = out.a[i] * problem.y[i];
  multiply(1, x, signed_a, 0, v);
  const double q = dot(std::span<const double>(v), std::span<const double>(v));
  const NormTerm norm(q);
  out.w = w;
  if (w.empty())
    for (const double value : v) w.push_back(value / (2 * norm.gamma));
  out.length = std::sqrt(dot(std::span<const double>(w), std::span<const double>(w)));
  if (out.length > 1) {
    for (double& value : w) value /= out.length;
    if (!out.w.empty()) out.w = w;
    out.length = 1;
  }
  multiply_transposed(1, x, w, 0, f);
  for (std::size_t i = 0; i < m; ++i) {
    multiply(1, b, x.column(i), 0, bx);
    omega[i] = dot(x.column(i), std::span<const double>(bx));
  }
  const EsvmGap gap = esvm_gap(problem, out.a, omega, f, q, out.length * out.length);
  out.bias = gap.bias;
  if (short_by != nullptr) {
    short_by->resize(m);
    for (std::size_t i = 0; i < m; ++i)
      (*short_by)[i] = omega[i] - problem.y[i] * f[i] - problem.coefficient(i) * gap.bias;
  }
  out.gamma = norm.gamma;
  out.norm = std::sqrt(q);
  out.objective = problem.r() * log_det - norm.h;
  out.gap = gap.gap;
  out.spent = gap.spent;
  return out;
}

}  // namespace postil
