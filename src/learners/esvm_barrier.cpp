// esvm_barrier.cpp: the linear ellipsoidal machine's primal problems by a barrier method in (E, w, b).
//
// Source   002, problems (1), (4), (5), (6), corrected as in MATH.md B1   [momma2010esvm]; Boyd and Vandenberghe, chapter 11
// Problem  min lambda (-r log|E| + (1-r) tr E) - m rho + sum_i C_i xi_i
//          s.t. s_i = y_i (w'x_i + c_i b) + xi_i - t_i rho,   s_i >= |E x_i|  (exact),  s_i >= x_i'E x_i  (relaxed),  s_i >= 0  (sphere),
//               |w| <= 1,  xi >= 0.   Hard margin: no xi.  relaxed: + gamma_min (|w|^2 - 1), as its dual has gamma >= gamma_min.
// Barrier  t objective - sum log(s_i^2 - |E x_i|^2) - sum log xi_i - log(1 - |w|^2);  relaxed: - sum log(s_i - x_i'E x_i)
// Update   Newton on z = (E on and below the diagonal, w, b, rho); each xi_i has one equation of its own and is eliminated. With
//          D = s^2 - |Ex|^2, h = the gradient of |Ex|^2/2, a = that of s, and p = phi_ss + 1/xi^2:
//            phi_ss = 4s^2/D^2 - 2/D,   H = sum (phi_ss - phi_ss^2/p) aa' - 4s/D^2 (1 - phi_ss/p)(ah' + ha')
//                                          + (4/D^2 - 16 s^2/(D^4 p)) hh' + (2/D) [dE x.dE x],  + t r tr(E^-1 dE E^-1 dE)
//          t grows by 12 when the decrement is small.
// Cost     a round: m (n^2/2)^2 for H, (n^2/2)^3/3 for its factor.
// Choices  rho: problems (1) and (4) keep their m and t_i^2 as printed. Tests: EsvmBarrier in tests/oracle/esvm_test.cpp.
#include <algorithm>
#include <cmath>
#include <limits>

#include "esvm.hpp"
#include "postil/kernels.hpp"

namespace postil {
namespace {

constexpr double kGrowth = 12;
constexpr int kMostRounds = 500;
using Kind = EsvmPrimal::Ellipsoid;

class Barrier {
 public:
  Barrier(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x)
      : problem_(problem),
        primal_(primal),
        x_(x),
        n_(x.rows()),
        m_(x.columns()),
        pairs_(primal.ellipsoid == Kind::none ? 0 : n_ * (n_ + 1) / 2),
        bias_at_(n_),
        rho_at_(n_ + (problem.free_bias() ? 1 : 0)),
        small_(rho_at_ + (primal.margin.empty() ? 0 : 1)) {}

  EsvmPrimalSolution solve() {
    EsvmPrimalSolution out;
    begin();
    const double scale = std::max(1.0, problem_.r() * static_cast<double>(n_));
    const double constraints =
        static_cast<double>(m_) * ((primal_.ellipsoid == Kind::exact ? 2 : 1) + (soft() ? 1 : 0)) + 1;
    double t = constraints / scale / 10;
    bool stuck = false;
    for (;;) {
      while (out.iterations < kMostRounds) {
        ++out.iterations;
        const double decrement = newton(t, stuck);
        if (stuck || decrement < 1e-4) break;
      }
      out.gap = constraints / t;
      out.converged = !stuck && out.gap <= problem_.tolerance * scale;
      if (out.converged || stuck || out.iterations >= kMostRounds) break;
      t *= kGrowth;
    }
    if (stuck) out.converged = out.gap <= 10 * problem_.tolerance * scale;  // as near as doubles come
    out.e = z_.e;
    out.w = z_.w;
    out.bias = z_.b;
    out.rho = z_.rho;
    out.objective = objective(z_);
    out.a.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      const double s = side(z_, i);
      out.a[i] = primal_.ellipsoid == Kind::exact ? 2 * s / (s * s - curve(z_, i)) / t : 1 / ((s - curve(z_, i)) * t);
    }
    return out;
  }

 private:
  struct Point {
    Matrix e;
    std::vector<double> w, xi;
    double b = 0, rho = 0;
  };

  [[nodiscard]] bool soft() const { return !problem_.hard(); }
  [[nodiscard]] double ridge() const { return primal_.ellipsoid == Kind::relaxed ? kLeastGamma : 0; }

  void begin() {
    z_.w.assign(n_, 0);
    double longest = 1e-300;
    for (std::size_t i = 0; i < m_; ++i) longest = std::max(longest, std::sqrt(dot(x_.column(i), x_.column(i))));
    double size = 0.1 / longest;
    if (!soft()) {  // inside the version space, with an ellipsoid small enough
      std::copy_n(primal_.inside.begin(), n_, z_.w.begin());
      double norm = 0;
      for (const double w : z_.w) norm += w * w;
      const double factor = 0.5 / std::sqrt(std::max(norm, 1e-300));
      for (double& w : z_.w) w *= factor;
      z_.b = problem_.free_bias() ? primal_.inside[n_] * factor : 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < m_; ++i) least = std::min(least, side(z_, i));
      size = 0.5 * least / longest / (primal_.ellipsoid == Kind::relaxed ? longest : 1);
    }
    z_.e = Matrix(pairs_ > 0 ? n_ : 0, pairs_ > 0 ? n_ : 0);
    for (std::size_t j = 0; j < z_.e.rows(); ++j) z_.e(j, j) = size;
    if (soft()) z_.xi.assign(m_, 1);
  }

  // y_i (w'x_i + c_i b) + xi_i - t_i rho
  [[nodiscard]] double side(const Point& z, std::size_t i) const {
    return problem_.y[i] * dot(x_.column(i), std::span<const double>(z.w)) + problem_.coefficient(i) * z.b +
           (z.xi.empty() ? 0 : z.xi[i]) - (primal_.margin.empty() ? 0 : primal_.margin[i] * z.rho);
  }
  // |E x_i|^2 (exact), x_i'E x_i (relaxed), 0
  double curve(const Point& z, std::size_t i) const {
    if (pairs_ == 0) return 0;
    std::vector<double> ex(n_);
    multiply(1, z.e, x_.column(i), 0, ex);
    return dot(std::span<const double>(ex),
               primal_.ellipsoid == Kind::exact ? std::span<const double>(ex) : x_.column(i));
  }

  [[nodiscard]] double log_det(const Point& z) const {
    Matrix l = z.e;
    return factorise(l) ? log_determinant(l) : -std::numeric_limits<double>::infinity();
  }

  [[nodiscard]] double objective(const Point& z) const {
    double sum = -primal_.examples * (primal_.margin.empty() ? 0 : z.rho);
    if (pairs_ > 0) {
      double trace = 0;
      for (std::size_t j = 0; j < n_; ++j) trace += z.e(j, j);
      sum += primal_.lambda * (problem_.one_minus_r * trace - problem_.r() * log_det(z));
    }
    for (std::size_t i = 0; i < z.xi.size(); ++i) sum += problem_.upper[i] * z.xi[i];
    return sum + ridge() * (dot(std::span<const double>(z.w), std::span<const double>(z.w)) - 1);
  }

  // Infinite outside.
  [[nodiscard]] double value(const Point& z, double t) const {
    constexpr double kOutside = std::numeric_limits<double>::infinity();
    const double room = 1 - dot(std::span<const double>(z.w), std::span<const double>(z.w));
    if (!(room > 0)) return kOutside;
    double sum = t * objective(z) - std::log(room);
    const Matrix ex = pairs_ > 0 ? multiply_transposed(z.e, x_) : Matrix();
    for (std::size_t i = 0; i < m_; ++i) {
      const double s = side(z, i);
      double left = s;
      if (pairs_ > 0)
        left = primal_.ellipsoid == Kind::exact ? s * s - dot(ex.column(i), ex.column(i))
                                                : s - dot(ex.column(i), x_.column(i));
      if (!(left > 0) || !(s > 0)) return kOutside;
      sum -= std::log(left);
      if (z.xi.empty()) continue;
      if (!(z.xi[i] > 0)) return kOutside;
      sum -= std::log(z.xi[i]);
    }
    return std::isfinite(sum) ? sum : kOutside;
  }

  // One step; gives the square of the decrement before it.
  double newton(double t, bool& stuck) {
    const std::size_t size = pairs_ + small_;
    Matrix h(size, size), inverse(n_, n_);
    std::vector<double> gradient(size);
    // rows: their part of the gradient and of H
    Matrix plus(pairs_, m_), minus(pairs_, m_), a(small_, m_), ah(pairs_, m_);
    std::size_t up = 0, down = 0;
    std::vector<double> both(m_), cross(m_), xi_gradient(m_), xi_curve(m_), s_curve(m_), h_curve(m_);
    Matrix spread(pairs_ > 0 ? n_ : 0, primal_.ellipsoid == Kind::exact ? m_ : 0);
    const Matrix ex = pairs_ > 0 ? multiply_transposed(z_.e, x_) : Matrix();
    std::vector<double> hh(pairs_);
    for (std::size_t i = 0; i < m_; ++i) {
      const std::span<const double> x = x_.column(i);
      const std::span<double> ai = a.column(i);
      for (std::size_t j = 0; j < n_; ++j) ai[j] = problem_.y[i] * x[j];
      if (problem_.free_bias()) ai[bias_at_] = problem_.coefficient(i);
      if (!primal_.margin.empty()) ai[rho_at_] = -primal_.margin[i];
      const double s = side(z_, i);
      double phi_s = 0, phi_ss = 0, phi_h = 0, phi_sh = 0, phi_hh = 0;  // derivatives in s and along h
      const std::span<double> hi = ah.column(i);
      if (primal_.ellipsoid == Kind::exact) {
        const double left = s * s - dot(ex.column(i), ex.column(i));
        phi_s = -2 * s / left;
        phi_ss = 4 * s * s / (left * left) - 2 / left;
        phi_h = 2 / left;
        phi_sh = -4 * s / (left * left);
        phi_hh = 4 / (left * left);
        const double root = std::sqrt(2 / left);
        for (std::size_t j = 0; j < n_; ++j) spread(j, i) = root * x[j];
        pair_gradient(ex.column(i), x, hi);
      } else {
        const double left = s - (pairs_ > 0 ? dot(ex.column(i), x) : 0);
        phi_s = -1 / left;
        phi_ss = phi_hh = 1 / (left * left);
        phi_h = 1 / left;
        phi_sh = -phi_ss;
        if (pairs_ > 0) pair_gradient(x, x, hi);
      }
      double g_s = phi_s, g_h = phi_h;
      s_curve[i] = phi_ss;
      h_curve[i] = phi_sh;
      if (soft()) {
        const double xi = z_.xi[i];
        xi_gradient[i] = t * problem_.upper[i] + phi_s - 1 / xi;
        xi_curve[i] = phi_ss + 1 / (xi * xi);
        const double share = 1 / xi_curve[i];
        g_s -= phi_ss * share * xi_gradient[i];
        g_h -= phi_sh * share * xi_gradient[i];
        phi_hh -= phi_sh * phi_sh * share;
        phi_sh *= 1 - phi_ss * share;
        phi_ss *= 1 - phi_ss * share;
      }
      both[i] = phi_ss;
      cross[i] = phi_sh;
      for (std::size_t j = 0; j < small_; ++j) gradient[pairs_ + j] += g_s * ai[j];
      if (pairs_ == 0) continue;
      axpy(g_h, {.values = hi.data(), .count = static_cast<std::uint32_t>(pairs_)}, gradient.data());
      const std::span<double> to = phi_hh >= 0 ? plus.column(up++) : minus.column(down++);
      const double root = std::sqrt(std::fabs(phi_hh));
      for (std::size_t k = 0; k < pairs_; ++k) to[k] = root * hi[k];
    }
    if (pairs_ > 0) {
      add_pairs(plus, up, 1, h);
      add_pairs(minus, down, -1, h);
      add_ellipsoid(t, spread, inverse, gradient, h);
    }
    add_small(a, ah, both, cross, h);
    // |w|
    const double room = 1 - dot(std::span<const double>(z_.w), std::span<const double>(z_.w));
    for (std::size_t j = 0; j < n_; ++j) {
      gradient[pairs_ + j] += 2 * z_.w[j] / room + 2 * t * ridge() * z_.w[j];
      h(pairs_ + j, pairs_ + j) += 2 / room + 2 * t * ridge();
      for (std::size_t i = j; i < n_; ++i) h(pairs_ + i, pairs_ + j) += 4 * z_.w[i] * z_.w[j] / (room * room);
    }
    if (!primal_.margin.empty()) gradient[pairs_ + rho_at_] -= t * primal_.examples;

    std::vector<double> step(size);
    for (std::size_t k = 0; k < size; ++k) step[k] = -gradient[k];
    double most = 0;
    for (std::size_t k = 0; k < size; ++k) most = std::max(most, h(k, k));
    const Matrix plain = h;
    for (double add = 0; !factorise(h); add = std::max(100 * add, 1e-16 * most)) {
      if (add > 1e-4 * most) {
        stuck = true;
        return 0;
      }
      h = plain;
      for (std::size_t k = 0; k < size; ++k) h(k, k) += add;
    }
    solve_factorised(h, step);
    double decrement = -dot(std::span<const double>(gradient), std::span<const double>(step));
    // back to the slacks
    std::vector<double> dxi(z_.xi.size());
    for (std::size_t i = 0; i < dxi.size(); ++i) {
      const double along_s = dot(a.column(i), std::span<const double>(step).subspan(pairs_));
      const double along_h = pairs_ > 0 ? dot(ah.column(i), std::span<const double>(step).first(pairs_)) : 0;
      dxi[i] = -(xi_gradient[i] + s_curve[i] * along_s + h_curve[i] * along_h) / xi_curve[i];
      decrement += xi_gradient[i] * xi_gradient[i] / xi_curve[i];
    }
    const double now = value(z_, t);
    for (double length = 1; length > 1e-10; length /= 2) {
      Point next = moved(step, dxi, length);
      if (!(value(next, t) <= now - 0.1 * length * decrement + 1e-12 * std::fabs(now))) continue;
      z_ = std::move(next);
      return decrement;
    }
    stuck = true;
    return decrement;
  }

  [[nodiscard]] Point moved(std::span<const double> step, std::span<const double> dxi, double length) const {
    Point next = z_;
    for (std::size_t q = 0, k = 0; pairs_ > 0 && q < n_; ++q)
      for (std::size_t p = q; p < n_; ++p, ++k) {
        next.e(p, q) += length * step[k];
        if (p != q) next.e(q, p) = next.e(p, q);
      }
    for (std::size_t j = 0; j < n_; ++j) next.w[j] += length * step[pairs_ + j];
    if (problem_.free_bias()) next.b += length * step[pairs_ + bias_at_];
    if (!primal_.margin.empty()) next.rho += length * step[pairs_ + rho_at_];
    for (std::size_t i = 0; i < dxi.size(); ++i) next.xi[i] += length * dxi[i];
    return next;
  }

  // Of u'E v over the pairs (p >= q): u_p v_q + u_q v_p, on the diagonal once.
  void pair_gradient(std::span<const double> u, std::span<const double> v, std::span<double> out) const {
    for (std::size_t q = 0, k = 0; q < n_; ++q) {
      out[k++] = u[q] * v[q];
      for (std::size_t p = q + 1; p < n_; ++p) out[k++] = u[p] * v[q] + u[q] * v[p];
    }
  }

  void add_pairs(Matrix& columns, std::size_t count, double sign, Matrix& h) const {
    if (count == 0) return;
    Matrix used(pairs_, count), block(pairs_, pairs_);
    std::copy_n(columns.data(), pairs_ * count, used.data());
    add_outer(sign, used, 0, block);
    for (std::size_t j = 0; j < pairs_; ++j)
      for (std::size_t i = j; i < pairs_; ++i) h(i, j) += block(i, j);
  }

  // The log-determinant, the trace, and tr(dE S dE) with S = sum (2/D) xx'.
  void add_ellipsoid(double t, const Matrix& spread, Matrix& inverse, std::vector<double>& gradient, Matrix& h) const {
    inverse = z_.e;
    factorise(inverse);
    invert_factorised(inverse);
    Matrix s(n_, n_);
    if (spread.columns() > 0) {
      add_outer(1, spread, 0, s);
      mirror(s);
    }
    const double weight = t * primal_.lambda * problem_.r();
    for (std::size_t q = 0, k = 0; q < n_; ++q)
      for (std::size_t p = q; p < n_; ++p, ++k) {
        const double f = p == q ? 0.5 : 1;
        gradient[k] -= 2 * f * weight * inverse(p, q);
        if (p == q) gradient[k] += t * primal_.lambda * problem_.one_minus_r;
        for (std::size_t v = 0, l = 0; v < n_ && l <= k; ++v)
          for (std::size_t u = v; u < n_ && l <= k; ++u, ++l) {
            const double ff = f * (u == v ? 0.5 : 1);
            double sum = 2 * weight * (inverse(q, u) * inverse(p, v) + inverse(q, v) * inverse(p, u));
            if (spread.columns() > 0)
              sum += (p == v ? s(q, u) : 0) + (p == u ? s(q, v) : 0) + (q == v ? s(p, u) : 0) + (q == u ? s(p, v) : 0);
            h(k, l) += ff * sum;
          }
      }
  }

  // The rows of H for (w, b, rho): across to E, and their own.
  void add_small(const Matrix& a, const Matrix& ah, std::span<const double> both, std::span<const double> cross,
                 Matrix& h) const {
    Matrix own(m_, small_), other(m_, small_);
    for (std::size_t i = 0; i < m_; ++i)
      for (std::size_t j = 0; j < small_; ++j) {
        own(i, j) = both[i] * a(j, i);
        other(i, j) = cross[i] * a(j, i);
      }
    for (std::size_t j = 0; j < small_; ++j) {
      std::vector<double> column(small_), across(pairs_);
      multiply(1, a, own.column(j), 0, column);
      for (std::size_t i = j; i < small_; ++i) h(pairs_ + i, pairs_ + j) += column[i];
      if (pairs_ == 0) continue;
      multiply(1, ah, other.column(j), 0, across);
      for (std::size_t k = 0; k < pairs_; ++k) h(pairs_ + j, k) += across[k];
    }
  }

  const EsvmProblem& problem_;
  const EsvmPrimal& primal_;
  const Matrix& x_;
  std::size_t n_, m_, pairs_, bias_at_, rho_at_, small_;
  Point z_;
};

}  // namespace

EsvmPrimalSolution solve_esvm_barrier(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x) {
  return Barrier(problem, primal, x).solve();
}

}  // namespace postil
