// esvm_barrier.cpp: the linear ellipsoidal machine's primal problems by a barrier method in (E, w, b).
//
// Source   002, problems (1), (4), (5), (6), corrected as in docs/mathematics.md B1   [momma2010esvm];
//          Boyd and Vandenberghe, chapter 11.7   [boyd2004convex]
// Problem  min lambda (-r log|E| + (1-r) tr E) - m rho + sum_i C_i xi_i
//          s.t. s_i = y_i (w'x_i + c_i b) + xi_i - t_i rho,  slack_i = s_i - phi_i(E) >= 0,  |w| <= 1,  xi >= 0
//               phi = |E x_i|, its tangent u_i'E x_i (iterated), or 0 (sphere).  Hard margin: no xi.
// Barrier  Newton on the conditions a_i slack_i = (C_i - a_i) xi_i = gamma (1 - |w|^2) = mu with the multipliers a, gamma as
//          unknowns beside z = (E on and below the diagonal, w, b, rho); mu is a tenth of the mean of these products.
// Update   with D = slack + a xi/(C - a), J = the gradient of slack, G = that of the Lagrangian:
//            (H + sum (a/D) JJ') dz = -G + sum J (mu - a (s - phi) - a (mu - (C-a) xi)/(C-a))/D;  slacks are unknowns too, so
//            that curved constraints do not stop straight steps, and equal s - phi in the end
//            H = r lambda [E^-1 dE E^-1] + sum a phi'' + 2 gamma on w;  |Ex|'' = (|dE x|^2 - (h.dE)^2/|Ex|^2)/|Ex|, h = grad |Ex|^2/2
//          a, xi and gamma follow. The step is halved until all stay inside and the residual falls.
// Cost     a round: m (n^2/2)^2 for the sum over JJ', (n^2/2)^3/3 for its factor.
// Choices  rho: problems (1) and (4) keep their m and t_i^2 as printed.  Tests: tests/python/test_esvm.py, a convex solver.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "esvm.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr int kMostRounds = 200;
constexpr double kCentring = 10;

class Barrier {
 public:
  Barrier(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x)
      : problem_(problem),
        primal_(primal),
        x_(x),
        n_(x.rows()),
        m_(x.columns()),
        pairs_(primal.ellipsoid ? n_ * (n_ + 1) / 2 : 0),
        bias_at_(n_),
        rho_at_(n_ + (problem.free_bias() ? 1 : 0)),
        small_(rho_at_ + (primal.margin.empty() ? 0 : 1)) {}

  EsvmPrimalSolution solve() {
    EsvmPrimalSolution out;
    begin();
    const double scale = std::max(1.0, problem_.r() * static_cast<double>(n_));
    for (;;) {
      look_up("iterations", out.iterations);
      out.gap = products(at_);
      const double left = residual(at_, 0).conditions;
      out.converged = out.gap <= problem_.tolerance * scale && left <= problem_.tolerance * scale;
      if (out.converged || out.iterations >= kMostRounds || !advance()) break;
      ++out.iterations;
    }
    out.e = at_.e;
    out.w = at_.w;
    if (const double norm = 1 - left_of_ball(at_); norm > 1)
      for (double& w : out.w) w /= std::sqrt(norm);
    out.bias = at_.b;
    out.rho = at_.rho;
    // what the point given is short of, at the middle of the biases that make it least
    std::vector<double> short_by(m_);
    for (std::size_t i = 0; i < m_; ++i)
      short_by[i] = phi(at_, i) - problem_.y[i] * dot(x_.column(i), std::span<const double>(out.w)) +
                    (primal_.margin.empty() ? 0 : primal_.margin[i] * at_.rho);
    if (soft() && problem_.free_bias()) out.bias = best_bias(problem_, short_by);
    out.objective = objective(at_);
    for (std::size_t i = 0; i < at_.xi.size(); ++i)
      out.objective +=
          problem_.upper[i] * (std::max(0.0, short_by[i] - problem_.coefficient(i) * out.bias) - at_.xi[i]);
    out.a = at_.a;
    if (!soft()) shrink_inside(out);
    return out;
  }

 private:
  struct Point {
    Matrix e;
    std::vector<double> w, xi, a;
    double b = 0, rho = 0, gamma = 1;
    std::vector<double>
        slack;        // of the rows and of |w|: positive throughout, equal to what they stand for at the end only,
    double room = 1;  // so that curved constraints do not stop straight steps
    Matrix ex;        // E x_i, a column each
  };

  [[nodiscard]] bool soft() const { return !problem_.hard(); }
  [[nodiscard]] double other(const Point& z, std::size_t i) const { return problem_.upper[i] - z.a[i]; }  // of xi >= 0
  [[nodiscard]] double phi(const Point& z, std::size_t i) const {
    if (pairs_ == 0) return 0;
    if (primal_.tangent != nullptr) return dot(primal_.tangent->column(i), z.ex.column(i));
    return std::sqrt(dot(z.ex.column(i), z.ex.column(i)));
  }
  // The gradient of phi is sym(u x')/length.
  struct Slope {
    std::span<const double> u;
    double length;
  };
  [[nodiscard]] Slope slope(const Point& z, std::size_t i) const {
    if (primal_.tangent != nullptr) return {primal_.tangent->column(i), 1};
    return {z.ex.column(i), phi(z, i)};
  }

  // s_i - phi_i
  [[nodiscard]] double left(const Point& z, std::size_t i) const {
    return problem_.y[i] * dot(x_.column(i), std::span<const double>(z.w)) + problem_.coefficient(i) * z.b +
           (soft() ? z.xi[i] : 0) - (primal_.margin.empty() ? 0 : primal_.margin[i] * z.rho) - phi(z, i);
  }
  [[nodiscard]] static double left_of_ball(const Point& z) {
    return 1 - dot(std::span<const double>(z.w), std::span<const double>(z.w));
  }

  // E x; false: E is not positive definite.
  bool complete(Point& z) const {
    if (pairs_ == 0) return true;
    Matrix factor = z.e;
    if (!factorise(factor)) return false;
    z.ex = multiply_transposed(z.e, x_);
    return true;
  }

  // A point where the products are about alike and the larger parts of the conditions hold already.
  void begin() {
    at_.w.assign(n_, 0);
    at_.a.resize(m_);
    const double whole = problem_.r() * static_cast<double>(n_) * primal_.lambda;
    std::vector<double> norm(m_), v(n_), side(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      norm[i] = std::sqrt(dot(x_.column(i), x_.column(i)));
      at_.a[i] = soft() ? problem_.upper[i] / 2 : whole / (static_cast<double>(m_) * norm[i]);
      axpy(at_.a[i] * problem_.y[i], x_.column(i), v);
    }
    const std::vector<double>& towards = soft() ? v : primal_.inside;  // hard margins: a point of the version space
    double length = 0;
    for (std::size_t j = 0; j < n_; ++j) length += towards[j] * towards[j];
    length = std::sqrt(std::max(length, 1e-300));
    for (std::size_t j = 0; j < n_; ++j) at_.w[j] = 0.5 * towards[j] / length;
    if (!soft() && problem_.free_bias()) at_.b = 0.5 * primal_.inside[n_] / length;
    at_.room = 0.75;
    at_.gamma = std::max(std::sqrt(dot(std::span<const double>(v), std::span<const double>(v))), whole / 10);
    const double mu = at_.gamma * at_.room;

    double least = std::numeric_limits<double>::infinity(),
           pressed = 0;  // how far E can reach, and sum of a phi at E = I
    for (std::size_t i = 0; i < m_; ++i) {
      const double reach = norm[i];
      side[i] = problem_.y[i] * dot(x_.column(i), std::span<const double>(at_.w)) + problem_.coefficient(i) * at_.b;
      least = std::min(least, side[i] / reach);
      pressed += at_.a[i] * reach;
    }
    const double size = soft() ? whole / pressed : 0.5 * least;
    at_.e = Matrix(pairs_ > 0 ? n_ : 0, pairs_ > 0 ? n_ : 0);
    for (std::size_t j = 0; j < at_.e.rows(); ++j) at_.e(j, j) = size;
    for (std::size_t i = 0; i < m_; ++i) {
      const double need = pairs_ == 0 ? 0 : size * norm[i];
      if (soft())
        at_.xi.push_back(std::max(0.0, need - side[i]) + mu / at_.a[i]);
      else
        at_.a[i] = mu / (side[i] - need);
    }
    complete(at_);
    for (std::size_t i = 0; i < m_; ++i) at_.slack.push_back(left(at_, i));
  }

  [[nodiscard]] double products(const Point& z) const {
    double sum = z.gamma * z.room;
    for (std::size_t i = 0; i < m_; ++i) sum += z.a[i] * z.slack[i] + (soft() ? other(z, i) * z.xi[i] : 0);
    return sum;
  }

  [[nodiscard]] double objective(const Point& z) const {
    double sum = -primal_.examples * (primal_.margin.empty() ? 0 : z.rho);
    if (pairs_ > 0) {
      double trace = 0;
      for (std::size_t j = 0; j < n_; ++j) trace += z.e(j, j);
      Matrix factor = z.e;
      factorise(factor);
      sum += primal_.lambda * (problem_.one_minus_r * trace - problem_.r() * log_determinant(factor));
    }
    for (std::size_t i = 0; i < z.xi.size(); ++i) sum += problem_.upper[i] * z.xi[i];
    return sum;
  }

  // The gradient of the Lagrangian, and how far everything is from the conditions at mu.
  struct Residual {
    std::vector<double> g;
    std::vector<double> off;  // left - slack of the rows ...
    double off_ball = 0;      // ... and of |w|
    double conditions = 0;    // |g| and these
    double size = 0;          // with the products
  };
  Residual residual(const Point& z, double mu) const {
    Residual out;
    out.g.resize(pairs_ + small_);
    out.off.resize(m_);
    out.off_ball = left_of_ball(z) - z.room;
    double squares = out.off_ball * out.off_ball;
    if (pairs_ > 0) {
      Matrix inverse = z.e;
      factorise(inverse);
      invert_factorised(inverse);
      // sum a_i (gradient of phi): sym(sum (a/|Ex|) Ex x')
      Matrix weighted(n_, m_);
      for (std::size_t i = 0; i < m_; ++i) {
        const Slope at = slope(z, i);
        for (std::size_t j = 0; j < n_; ++j) weighted(j, i) = z.a[i] / at.length * at.u[j];
      }
      Matrix sum(n_, n_);
      subtract_products(weighted, x_, sum);  // minus it
      for (std::size_t q = 0, k = 0; q < n_; ++q)
        for (std::size_t p = q; p < n_; ++p, ++k) {
          const double twice = p == q ? 1 : 2;
          out.g[k] = -twice * primal_.lambda * problem_.r() * inverse(p, q) - twice * (sum(p, q) + sum(q, p)) / 2;
          if (p == q) out.g[k] += primal_.lambda * problem_.one_minus_r;
        }
    }
    double* small = out.g.data() + pairs_;
    for (std::size_t i = 0; i < m_; ++i) {
      axpy(-z.a[i] * problem_.y[i], x_.column(i), {small, n_});
      if (problem_.free_bias()) small[bias_at_] -= z.a[i] * problem_.coefficient(i);
      if (!primal_.margin.empty()) small[rho_at_] += z.a[i] * primal_.margin[i];
      out.off[i] = left(z, i) - z.slack[i];
      squares += out.off[i] * out.off[i];
      const double one = z.a[i] * z.slack[i] - mu, two = soft() ? other(z, i) * z.xi[i] - mu : 0;
      out.size += one * one + two * two;
    }
    for (std::size_t j = 0; j < n_; ++j) small[j] += 2 * z.gamma * z.w[j];
    if (!primal_.margin.empty()) small[rho_at_] -= primal_.examples;
    const double ball = z.gamma * z.room - mu;
    for (const double g : out.g) squares += g * g;
    out.size = std::sqrt(out.size + ball * ball + squares);
    out.conditions = weighed(z, out);
    return out;
  }

  // E G for the ellipsoid, since what matters is the gradient along E itself; the others by their multipliers or sizes.
  [[nodiscard]] double weighed(const Point& z, const Residual& of) const {
    double sum = z.gamma * std::fabs(of.off_ball), matrix = 0;
    for (std::size_t i = 0; i < m_; ++i) sum += z.a[i] * std::fabs(of.off[i]);
    for (std::size_t j = 0; j < n_; ++j) sum += std::fabs(of.g[pairs_ + j]);
    if (problem_.free_bias()) sum += std::fabs(of.g[pairs_ + bias_at_]) * (1 + std::fabs(z.b));
    if (!primal_.margin.empty()) sum += std::fabs(of.g[pairs_ + rho_at_]) * std::fabs(z.rho);
    if (pairs_ == 0) return sum;
    Matrix g(n_, n_);
    for (std::size_t q = 0, k = 0; q < n_; ++q)
      for (std::size_t p = q; p < n_; ++p, ++k) g(p, q) = g(q, p) = of.g[k] / (p == q ? 1 : 2);
    const Matrix product = multiply_transposed(z.e, g);
    for (const double value : product.values()) matrix += value * value;
    return sum + std::sqrt(matrix);
  }

  bool advance() {
    const double count = static_cast<double>(m_) * (soft() ? 2 : 1) + 1;
    // Not below what the tolerance asks for: directions in which there are no rows grow by doubling, and may take longer.
    const double mu =
        std::max(products(at_) / count / kCentring,
                 0.1 * problem_.tolerance * std::max(1.0, problem_.r() * static_cast<double>(n_)) / count);
    const Residual now = residual(at_, mu);
    const std::size_t size = pairs_ + small_;
    Matrix h(size, size), plus(pairs_, m_), minus(pairs_, pairs_ > 0 ? m_ : 0), a(small_, m_), ah(pairs_, m_);
    Matrix spread(n_, pairs_ > 0 ? m_ : 0);
    std::vector<double> step(size), own(m_), cross(m_), push(m_), d(m_);
    for (std::size_t k = 0; k < size; ++k) step[k] = -now.g[k];
    for (std::size_t i = 0; i < m_; ++i) {
      const std::span<const double> x = x_.column(i);
      const std::span<double> ai = a.column(i), hi = ah.column(i);
      for (std::size_t j = 0; j < n_; ++j) ai[j] = problem_.y[i] * x[j];
      if (problem_.free_bias()) ai[bias_at_] = problem_.coefficient(i);
      if (!primal_.margin.empty()) ai[rho_at_] = -primal_.margin[i];
      const double alpha = at_.a[i], beta = soft() ? other(at_, i) : 1, xi = soft() ? at_.xi[i] : 0;
      d[i] = at_.slack[i] + alpha * xi / beta;
      push[i] = mu - alpha * (at_.slack[i] + now.off[i]) - (soft() ? alpha * (mu - beta * xi) / beta : 0);
      own[i] = alpha / d[i];
      for (std::size_t j = 0; j < small_; ++j) step[pairs_ + j] += ai[j] * push[i] / d[i];
      if (pairs_ == 0) continue;
      // h: the gradient of phi
      const Slope at = slope(at_, i);
      pair_gradient(at.u, x, hi);
      for (double& value : hi) value /= at.length;
      cross[i] = -own[i];
      axpy(-push[i] / d[i], hi, step);
      const double root = std::sqrt(own[i]);
      for (std::size_t k = 0; k < pairs_; ++k) plus(k, i) = root * hi[k];
      const double bend = primal_.tangent != nullptr ? 0 : std::sqrt(alpha / at.length);  // a tangent has none
      for (std::size_t k = 0; k < pairs_; ++k) minus(k, i) = bend * hi[k];
      for (std::size_t j = 0; j < n_; ++j) spread(j, i) = bend * x[j];
    }
    if (pairs_ > 0) {
      Matrix block(pairs_, pairs_);
      add_outer(1, plus, 0, block);
      add_outer(-1, minus, 1, block);
      for (std::size_t j = 0; j < pairs_; ++j)
        for (std::size_t i = j; i < pairs_; ++i) h(i, j) = block(i, j);
      add_ellipsoid(spread, h);
    }
    add_small(a, ah, own, cross, h);
    const double tight = at_.gamma / at_.room, ball = mu - at_.gamma * (at_.room + now.off_ball);
    for (std::size_t j = 0; j < n_; ++j) {  // |w|
      step[pairs_ + j] -= 2 * at_.w[j] * ball / at_.room;
      h(pairs_ + j, pairs_ + j) += 2 * at_.gamma;
      for (std::size_t i = j; i < n_; ++i) h(pairs_ + i, pairs_ + j) += 4 * tight * at_.w[i] * at_.w[j];
    }
    if (!factorise_with_ridge(h)) return false;
    solve_factorised(h, step);

    std::vector<double> da(m_), dxi(at_.xi.size()), dslack(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      double along = dot(a.column(i), std::span<const double>(step).subspan(pairs_));
      if (pairs_ > 0) along -= dot(ah.column(i), std::span<const double>(step).first(pairs_));
      da[i] = (push[i] - at_.a[i] * along) / d[i];
      if (soft()) dxi[i] = (mu - other(at_, i) * at_.xi[i] + at_.xi[i] * da[i]) / other(at_, i);
      dslack[i] = along + (soft() ? dxi[i] : 0) + now.off[i];
    }
    const double dw = dot(std::span<const double>(at_.w), std::span<const double>(step).subspan(pairs_, n_));
    const double dgamma = (ball + 2 * at_.gamma * dw) / at_.room, droom = now.off_ball - 2 * dw;
    double most = 1;
    const auto reach = [&](double value, double change) {
      if (change < 0) most = std::min(most, -0.99 * value / change);
    };
    reach(at_.gamma, dgamma);
    reach(at_.room, droom);
    for (std::size_t i = 0; i < m_; ++i) {
      reach(at_.a[i], da[i]);
      reach(at_.slack[i], dslack[i]);
      if (!soft()) continue;
      reach(other(at_, i), -da[i]);
      reach(at_.xi[i], dxi[i]);
    }
    double length = 2 * most;
    for (int halvings = 0; halvings < 30; ++halvings) {
      length /= 2;
      Point next = moved(step, da, dxi, length);
      for (std::size_t i = 0; i < m_; ++i) next.slack[i] += length * dslack[i];
      next.gamma += length * dgamma;
      next.room += length * droom;
      if (!complete(next)) continue;
      if (!(residual(next, mu).size <= (1 - 0.01 * length) * now.size)) continue;
      at_ = std::move(next);
      return true;
    }
    return false;
  }

  [[nodiscard]] Point moved(std::span<const double> step, std::span<const double> da, std::span<const double> dxi,
                            double length) const {
    Point next = at_;
    for (std::size_t q = 0, k = 0; pairs_ > 0 && q < n_; ++q)
      for (std::size_t p = q; p < n_; ++p, ++k) {
        next.e(p, q) += length * step[k];
        if (p != q) next.e(q, p) = next.e(p, q);
      }
    for (std::size_t j = 0; j < n_; ++j) next.w[j] += length * step[pairs_ + j];
    if (problem_.free_bias()) next.b += length * step[pairs_ + bias_at_];
    if (!primal_.margin.empty()) next.rho += length * step[pairs_ + rho_at_];
    for (std::size_t i = 0; i < m_; ++i) next.a[i] += length * da[i];
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

  // r lambda tr(E^-1 dE E^-1 dE), and tr(dE S dE) with S = sum (a/|Ex|) xx'.
  void add_ellipsoid(const Matrix& spread, Matrix& h) const {
    Matrix inverse = at_.e, s(n_, n_);
    factorise(inverse);
    invert_factorised(inverse);
    add_outer(1, spread, 0, s);
    mirror(s);
    const double weight = primal_.lambda * problem_.r();
    for (std::size_t v = 0, l = 0; v < n_; ++v)
      for (std::size_t u = v; u < n_; ++u, ++l)
        for (std::size_t q = v, k = l; q < n_; ++q)
          for (std::size_t p = q == v ? u : q; p < n_; ++p, ++k) {
            const double ff = (p == q ? 0.5 : 1) * (u == v ? 0.5 : 1);
            const double sum = 2 * weight * (inverse(q, u) * inverse(p, v) + inverse(q, v) * inverse(p, u)) +
                               (p == v ? s(q, u) : 0) + (p == u ? s(q, v) : 0) + (q == v ? s(p, u) : 0) +
                               (q == u ? s(p, v) : 0);
            h(k, l) += ff * sum;
          }
  }

  // Hard margins: phi grows with E, so a smaller E is inside whatever w was rounded to.
  void shrink_inside(EsvmPrimalSolution& out) {
    double scale = 1;
    for (std::size_t i = 0; pairs_ > 0 && i < m_; ++i) {
      const double side =
          problem_.y[i] * dot(x_.column(i), std::span<const double>(out.w)) + problem_.coefficient(i) * out.bias;
      if (const double need = phi(at_, i); need > 0) scale = std::min(scale, side / need);
    }
    if (!(scale > 0)) {
      out.converged = false;
      return;
    }
    for (double& value : at_.e.values()) value *= scale;
    out.e = at_.e;
    out.objective = objective(at_);
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
  Point at_;
};

}  // namespace

EsvmPrimalSolution solve_esvm_barrier(const EsvmProblem& problem, const EsvmPrimal& primal, const Matrix& x) {
  return Barrier(problem, primal, x).solve();
}

}  // namespace postil
