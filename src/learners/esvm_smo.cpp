// esvm_smo.cpp: the kernel ellipsoidal machine, two multipliers at a time.
//
// Source   002, section 3, corrected as in docs/mathematics.md B3   [momma2010esvm]
// Problem  (9)
// Choice   b_k = (omega_kk - y_k F_k)/(y_k c_k) is the bias at which point k would be content (H_k of 3.1, negated). i has the
//          largest b_i among those with room to grow, j the largest (b_i - b_j)^2/curvature among those that can fall.
// Update   a_i += t/d_i, a_j -= t/d_j:  U'(t) = r det'/det - h'(q) q',  det = |I + (1/r) diag(steps) omega| over i and j; U' falls,
//          so its root needs no cubic: the end of the box first, else safeguarded Newton.
//          omega <- omega - s_k omega_k omega_k'/(r + s_k omega_kk) for k = i, then j.
//          Without a bias there is no sum to keep: one multiplier at a time.
// Cost     m^2 a step, but matrix times matrix: the updates of omega wait until kWaiting columns are together. A column that is
//          wanted before takes O(m kWaiting).
// Stop     duality gap <= tolerance r m; omega is made anew from the multipliers before it is believed.
#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/math.hpp"
#include "esvm.hpp"
#include "esvm_step.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr std::size_t kWaiting = 64;

class EllipsoidSmo {
 public:
  EllipsoidSmo(const EsvmProblem& problem, const Matrix& k) : problem_(problem), k_(k), m_(problem.y.size()) {}

  EsvmSolution solve() {
    EsvmSolution out;
    const double whole = problem_.whole();
    a_ = esvm_start(problem_, kInfinity);
    for (double& a : a_)
      if (a == kInfinity) a = 1;
    balance(problem_, a_);
    const std::uint64_t most = 200 * static_cast<std::uint64_t>(m_) + 10'000;
    out.a = a_;
    out.status = "the kernel matrix is not positive semidefinite, or numbers overflow";
    double last_gap = kInfinity;
    bool moved = true;
    while (refresh()) {
      const std::uint64_t steps = out.iterations;
      out = measured();
      out.iterations = steps;
      if (!(out.gap > problem_.tolerance * whole) || out.iterations >= most || !moved) break;
      // Less than three hundredths from check to check is the degenerate regime, or the end of what is possible.
      if (std::isfinite(last_gap) && !(out.gap <= 0.97 * last_gap)) break;
      last_gap = out.gap;
      moved = false;
      for (std::size_t step = 0; step < 10 * m_ && out.iterations < most; ++step, ++out.iterations) {
        look_up("iterations", out.iterations);
        if (!(problem_.free_bias() ? step_pair() : step_one())) break;
        moved = true;
        if (step % m_ == m_ - 1 && measured().gap <= 0.5 * problem_.tolerance * whole) break;
      }
    }
    if (!out.status.empty()) return out;
    out.converged = out.gap <= problem_.tolerance * whole;
    out.status = out.converged ? "solved (SMO)" : "did not converge (SMO)";
    return out;
  }

 private:
  // ---- the state: omega = base_ - sum_t sigma_t p_t p_t' ----

  // Everything from the multipliers. Those at 0 have no place in N: their part of omega follows from that of the others.
  bool refresh() {
    std::vector<std::uint32_t> on, off;
    for (std::uint32_t i = 0; i < m_; ++i) (a_[i] > 0 ? on : off).push_back(i);
    const std::size_t s = on.size();
    const double r = problem_.r(), e = problem_.one_minus_r;
    Matrix n(s, s);
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t i = j; i < s; ++i) n(i, j) = std::sqrt(a_[on[i]] * a_[on[j]]) * k_(on[i], on[j]);
      n(j, j) += e;
    }
    if (!factorise(n)) return false;
    log_det_ = log_determinant(n) - static_cast<double>(s) * std::log(e);
    // rows that are off: with R = N^-1 D K_S,off:  omega_S,off = r D^-1 R,  omega_off = (r/e) (K_off - K_off,S D R)
    Matrix dk(s, off.size());
    for (std::size_t j = 0; j < off.size(); ++j)
      for (std::size_t i = 0; i < s; ++i) dk(i, j) = std::sqrt(a_[on[i]]) * k_(on[i], off[j]);
    Matrix inverse_dk = dk;
    if (s > 0 && !off.empty()) solve_factorised(n, inverse_dk);
    base_ = Matrix(m_, m_);
    const Matrix product = s > 0 && !off.empty() ? multiply_transposed(dk, inverse_dk) : Matrix(off.size(), off.size());
    for (std::size_t j = 0; j < off.size(); ++j) {
      for (std::size_t i = 0; i < off.size(); ++i)
        base_(off[i], off[j]) = r / e * (k_(off[i], off[j]) - (product(i, j) + product(j, i)) / 2);
      for (std::size_t i = 0; i < s; ++i)
        base_(on[i], off[j]) = base_(off[j], on[i]) = r * inverse_dk(i, j) / std::sqrt(a_[on[i]]);
    }
    invert_factorised(n);
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t i = 0; i < s; ++i) base_(on[i], on[j]) = -r * e * n(i, j) / std::sqrt(a_[on[i]] * a_[on[j]]);
      base_(on[j], on[j]) += r / a_[on[j]];
    }
    waiting_ = 0;
    p_ = Matrix(m_, kWaiting);
    sigma_p_ = Matrix(m_, kWaiting);
    diagonal_.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) diagonal_[i] = std::max(base_(i, i), 0.0);
    std::vector<double> signed_a(m_);
    for (std::size_t i = 0; i < m_; ++i) signed_a[i] = problem_.y[i] * a_[i];
    g_.resize(m_);
    multiply(1, k_, signed_a, 0, g_);
    q_ = std::max(0.0, dot(std::span<const double>(signed_a), std::span<const double>(g_)));
    return true;
  }

  void column(std::size_t k, std::vector<double>& out) {
    out.assign(base_.column(k).begin(), base_.column(k).end());
    for (std::size_t t = 0; t < waiting_; ++t) axpy(-sigma_p_(k, t), p_.column(t), out);
  }

  // a_k += s, with omega's column k at hand.
  void move(std::size_t k, double s, const std::vector<double>& column) {
    const double sigma = s / (problem_.r() + s * column[k]);
    const std::span<double> p = p_.column(waiting_), sp = sigma_p_.column(waiting_);
    for (std::size_t i = 0; i < m_; ++i) {
      p[i] = column[i];
      sp[i] = sigma * column[i];
      diagonal_[i] = std::max(0.0, diagonal_[i] - sp[i] * column[i]);
    }
    q_ += s * (2 * problem_.y[k] * g_[k] + s * k_(k, k));
    axpy(problem_.y[k] * s, k_.column(k), g_);
    a_[k] += s;
    if (a_[k] < 1e-14 * largest_) a_[k] = 0;
    if (++waiting_ < kWaiting) return;
    subtract_products(sigma_p_, p_, base_);
    waiting_ = 0;
  }

  // ---- steps ----

  [[nodiscard]] double violation(std::size_t k, double gamma) const {  // b_k; without a bias the gradient
    const double gradient = diagonal_[k] - problem_.y[k] * g_[k] / (2 * gamma);
    return problem_.free_bias() ? gradient / problem_.coefficient(k) : gradient;
  }

  bool step_pair() {
    const NormTerm norm(q_);
    const double r = problem_.r();
    std::size_t i = m_;
    double top = -kInfinity;
    for (std::size_t k = 0; k < m_; ++k)
      if (const double b = violation(k, norm.gamma); b > top && room(k, problem_.y[k]) > 0) {
        top = b;
        i = k;
      }
    if (i == m_) return false;
    column(i, column_i_);
    const double d_i = problem_.coefficient(i);
    std::size_t j = m_;
    double best = 0;
    const double own = column_i_[i] / d_i, g_i = g_[i] / problem_.c[i];
    for (std::size_t k = 0; k < m_; ++k) {
      const double drop = top - violation(k, norm.gamma);
      if (drop <= 0 || room(k, -problem_.y[k]) <= 0) continue;
      const double d_k = problem_.coefficient(k);
      const double cross = column_i_[k] * column_i_[k] / (d_i * d_k), other = diagonal_[k] / d_k;
      const double kappa =
          k_(i, i) / (d_i * d_i) + k_(k, k) / (d_k * d_k) - 2 * k_(i, k) / (problem_.c[i] * problem_.c[k]);
      const double along = g_i - g_[k] / problem_.c[k];
      double curve = (own * own - 2 * cross + other * other) / r + kappa / (2 * norm.gamma);
      if (!norm.held) curve -= along * along / (8 * norm.gamma * norm.gamma * norm.gamma);
      const double gain = drop * drop / std::max(curve, 1e-12);
      if (gain > best) {
        best = gain;
        j = k;
      }
    }
    if (j == m_) return false;
    column(j, column_j_);
    const double d_j = problem_.coefficient(j);
    const double most = std::min(room(i, d_i) * std::fabs(d_i), room(j, -d_j) * std::fabs(d_j));
    const double w_i = column_i_[i] / (r * d_i), w_j = column_j_[j] / (r * d_j),
                 w_ij = column_i_[j] * column_i_[j] / (r * r * d_i * d_j);
    const double q1 = 2 * (g_i - g_[j] / problem_.c[j]);
    const double q2 = k_(i, i) / (d_i * d_i) + k_(j, j) / (d_j * d_j) - 2 * k_(i, j) / (problem_.c[i] * problem_.c[j]);
    const double t = find_top(
        [&](double s) {
          const double det = (1 + s * w_i) * (1 - s * w_j) + s * s * w_ij;
          const double det1 = w_i - w_j - 2 * s * w_i * w_j + 2 * s * w_ij, det2 = 2 * (w_ij - w_i * w_j);
          return whole_slope(det, det1, det2, q_ + s * (q1 + s * q2), q1 + 2 * s * q2, 2 * q2);
        },
        most);
    if (!(t > 0)) return false;
    largest_ = std::max({largest_, a_[i], a_[j]});
    const double s_i = t / d_i, s_j = -t / d_j;
    const bool end_i = std::fabs(s_i) >= room(i, s_i) * (1 - 1e-12),
               end_j = std::fabs(s_j) >= room(j, s_j) * (1 - 1e-12);
    const double shrink = s_i * column_i_[j] / (r + s_i * column_i_[i]);
    axpy(-shrink, column_i_, column_j_);
    move(i, s_i, column_i_);
    move(j, s_j, column_j_);
    if (end_i) a_[i] = s_i > 0 ? problem_.upper[i] : 0;
    if (end_j) a_[j] = s_j > 0 ? problem_.upper[j] : 0;
    return true;
  }

  bool step_one() {
    const NormTerm norm(q_);
    const double r = problem_.r();
    std::size_t i = m_;
    double best = 0;
    for (std::size_t k = 0; k < m_; ++k) {
      const double gradient = violation(k, norm.gamma);
      if (room(k, gradient) <= 0) continue;
      double curve = diagonal_[k] * diagonal_[k] / r + k_(k, k) / (2 * norm.gamma);
      if (!norm.held) curve -= g_[k] * g_[k] / (8 * norm.gamma * norm.gamma * norm.gamma);
      const double gain = gradient * gradient / std::max(curve, 1e-12);
      if (gain > best) {
        best = gain;
        i = k;
      }
    }
    if (i == m_) return false;
    column(i, column_i_);
    const double sign = violation(i, norm.gamma) > 0 ? 1 : -1, w = sign * column_i_[i] / r;
    const double q1 = 2 * sign * problem_.y[i] * g_[i], q2 = k_(i, i);
    const double t = find_top(
        [&](double s) { return whole_slope(1 + s * w, w, 0, q_ + s * (q1 + s * q2), q1 + 2 * s * q2, 2 * q2); },
        room(i, sign));
    if (!(t > 0)) return false;
    largest_ = std::max(largest_, a_[i]);
    const bool end = t >= room(i, sign) * (1 - 1e-12);
    move(i, sign * t, column_i_);
    if (end) a_[i] = sign > 0 ? problem_.upper[i] : 0;
    return true;
  }

  [[nodiscard]] double room(std::size_t k, double direction) const {
    return direction > 0 ? problem_.upper[k] - a_[k] : a_[k];
  }

  // Of r log det - h(q) along a line, given the parts' derivatives.
  [[nodiscard]] Slope whole_slope(double det, double det1, double det2, double q, double q1, double q2) const {
    const NormTerm norm(q);
    const double share = det1 / det;
    const double bend = norm.held ? 0 : q1 * q1 / (32 * norm.gamma * norm.gamma * norm.gamma);
    return {problem_.r() * share - norm.slope * q1,
            problem_.r() * (det2 / det - share * share) - norm.slope * q2 + bend};
  }

  // ---- the end ----

  [[nodiscard]] EsvmSolution measured() const { return measure_esvm(problem_, a_, diagonal_, g_, q_, log_det_); }

  const EsvmProblem& problem_;
  const Matrix& k_;
  std::size_t m_, waiting_ = 0;
  std::vector<double> a_, g_, diagonal_, column_i_, column_j_;
  Matrix base_, p_, sigma_p_;
  double q_ = 0, log_det_ = 0, largest_ = 0;
};

}  // namespace

EsvmSolution solve_esvm_smo(const EsvmProblem& problem, const Matrix& k) { return EllipsoidSmo(problem, k).solve(); }

}  // namespace postil
