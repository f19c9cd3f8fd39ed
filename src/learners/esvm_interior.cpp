// esvm_interior.cpp: the relaxed ellipsoidal machine by a primal-dual interior-point method.
//
// Source   Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, 1992   [mehrotra1992primal];
//          docs/mathematics.md B1
// Problem  (6) and its dual at once; B = r ((1-r) I + X'AX)^-1 follows from a, so that omega_i = x_i'B x_i does. With z, u and
//          gamma the multipliers of a >= 0, a <= C and |w| <= 1, and gamma_ = gamma + gamma_min:
//            y_i w'x_i - omega_i + d_i b - z_i + u_i = 0,   d'a = 0,   sum a_i y_i x_i = 2 gamma_ w,   room = 1 - |w|^2
//            a_i z_i = (C_i - a_i) u_i = gamma room = mu
// Update   Newton's step towards mu -> 0. Without dz, du, dw, dgamma and the room's, which follow:
//            (Omega o Omega/r + YX M^-1 X'Y + D) da + d db = ...,   Omega_ij = x_i'B x_j,   D = z/a + u/(C - a)
//            M = 2 gamma_ I + (4 gamma/room) ww'
//          First at mu = 0, which tells how far that would get: sigma = (mu there/mu)^3. Then, with the same factor, at sigma mu
//          with the products of the first step's changes, as far as that reached. Along it .99 of the way to the first bound.
// Cost     a round: the factor of a matrix of m x m, or of p x p with p = n (n+3)/2 if that is less, m p^2 to make it. 8-30 rounds,
//          more with many rows at small nu.
// Choices  w and gamma are unknowns beside a: where |w| <= 1 is not active (nu < nu*), sqrt(q) has its edge at the optimum, and
//          Newton on a alone does not get round it. Kernels: rows are those of a Cholesky factor of K.
//          Rows whose multiplier another solver found to be 0 are left out, and come in when they are short of their margin.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "esvm.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr int kMostRounds = 300;
constexpr double kShort = 0.1;       // of a step
constexpr double kLeft = 1e-8;       // of a system by pairs: more is left to the one by rows
constexpr std::size_t kSmall = 400;  // rows for which the larger system, which loses fewer digits, costs nothing either
using View = std::span<const double>;

// D + J'J, J a column for each row: solves by a factor of it or, if J has fewer rows than columns, of I + J D^-1 J'.
class Curvature {
 public:
  // z: columns L^-1 x_i with Omega = Z'Z; v: columns M^-1/2 y_i x_i.  J'J = Omega o Omega/r + V'V.
  bool make(const Matrix& z, const Matrix& v, std::span<const double> d, double r, bool by_rows) {
    const std::size_t n = z.rows(), m = z.columns(), p = n * (n + 3) / 2;
    d_.assign(d.begin(), d.end());
    if (by_rows || m <= std::max(p, kSmall)) {
      factor_ = Matrix(m, m);
      add_inner(1, z, 0, factor_);
      for (double& omega : factor_.values()) omega *= omega / r;
      add_inner(1, v, 1, factor_);
      for (std::size_t i = 0; i < m; ++i) factor_(i, i) += d[i];
      j_ = {};
    } else {
      j_ = Matrix(p, m);
      const double twice = std::sqrt(2 / r), once = std::sqrt(1 / r);
      for (std::size_t i = 0; i < m; ++i) {
        double* out = j_.column(i).data();
        for (std::size_t b = 0; b < n; ++b)
          for (std::size_t a = b; a < n; ++a) *out++ = (a == b ? once : twice) * z(a, i) * z(b, i);
        std::copy_n(v.column(i).data(), n, out);
      }
      Matrix scaled = j_;
      for (std::size_t i = 0; i < m; ++i)
        for (double& value : scaled.column(i)) value /= std::sqrt(d[i]);
      factor_ = Matrix(p, p);
      for (std::size_t k = 0; k < p; ++k) factor_(k, k) = 1;
      add_outer(1, scaled, 1, factor_);
    }
    return factorise_with_ridge(factor_);
  }
  // Gives the part of b that is left over.
  double solve(std::span<double> b) const {
    if (j_.columns() == 0) {
      solve_factorised(factor_, b);
      return 0;
    }
    // Where D is small what it divides is a small difference: what is left is solved for again.
    std::vector<double> left(b.begin(), b.end()), inner(j_.rows()), sum(b.size());
    for (int again = 0; again < kRefinements; ++again) {
      axpy(1, by_pairs(left), sum);
      multiply(1, j_, sum, 0, inner);
      multiply_transposed(-1, j_, inner, 0, left);
      for (std::size_t i = 0; i < b.size(); ++i) left[i] += b[i] - d_[i] * sum[i];
    }
    const double part = std::sqrt(dot(View(left), View(left)) / dot(b, b));
    std::copy(sum.begin(), sum.end(), b.begin());
    return part;
  }

 private:
  static constexpr int kRefinements = 3;

  // D^-1 (b - J'(I + J D^-1 J')^-1 J D^-1 b)
  [[nodiscard]] std::vector<double> by_pairs(View b) const {
    std::vector<double> out(b.size()), inner(j_.rows());
    for (std::size_t i = 0; i < b.size(); ++i) out[i] = b[i] / d_[i];
    multiply(1, j_, out, 0, inner);
    solve_factorised(factor_, inner);
    multiply_transposed(-1, j_, inner, 0, out);
    for (std::size_t i = 0; i < b.size(); ++i) out[i] = (b[i] + out[i]) / d_[i];
    return out;
  }

  Matrix factor_, j_;
  std::vector<double> d_;
};

void conclude(const EsvmProblem& problem, EsvmSolution& solution) {
  solution.converged = solution.gap <= problem.tolerance * problem.whole();
  solution.status = solution.converged ? "solved (interior point)" : "did not converge (interior point)";
}

class Interior {
 public:
  // primal: w is what it came to; else, for kernels, what follows from a.
  Interior(const EsvmProblem& problem, const Matrix& x, bool primal)
      : problem_(problem), x_(x), primal_(primal), n_(x.rows()), m_(x.columns()), d_(m_), omega_(m_) {
    for (std::size_t i = 0; i < m_; ++i) d_[i] = problem.coefficient(i);
  }

  EsvmSolution solve() {
    EsvmSolution out;
    const double enough = problem_.tolerance * problem_.whole();
    double least = std::numeric_limits<double>::infinity();
    Point best;
    int round = 0;
    for (bool inside = begin(); inside && round < kMostRounds; ++round, inside = advance()) {
      look_up("iterations", static_cast<std::uint64_t>(round));
      const double gap = gap_here();
      if (gap <= enough && (out = evaluated(at_)).gap <= enough) break;
      if (best.a.empty() || gap < least) {
        best = at_;
        least = gap;
      }
    }
    if (!(out.gap <= enough)) out = evaluated(best.a.empty() ? at_ : best);
    out.iterations = static_cast<std::uint64_t>(round);
    conclude(problem_, out);
    return out;
  }

 private:
  struct Point {  // or a step
    std::vector<double> a, z, u, w;
    double b = 0, gamma = 0, room = 0;
    double left = 0;  // of a step: the part of its equations that rounding left unsolved
  };

  [[nodiscard]] EsvmSolution evaluated(const Point& at) const {
    return evaluate_esvm(problem_, x_, at.a, primal_ ? at.w : std::vector<double>());
  }
  [[nodiscard]] bool bounded() const { return !problem_.hard(); }
  [[nodiscard]] double rest(std::size_t i) const { return problem_.upper[i] - at_.a[i]; }
  [[nodiscard]] double pairs() const { return static_cast<double>(bounded() ? 2 * m_ : m_) + 1; }
  [[nodiscard]] double held() const { return at_.gamma + kLeastGamma; }  // gamma_

  // Every multiplier inside its bounds, and z - u near what the first equation asks for: the products are off, and little else.
  bool begin() {
    at_.a = bounded() ? half_of_bounds() : alike();
    for (std::size_t i = 0; bounded() && i < m_; ++i)
      at_.a[i] = std::clamp(at_.a[i], 1e-6 * problem_.upper[i], (1 - 1e-6) * problem_.upper[i]);
    if (!update_omega()) return false;
    at_.w = pull(at_.a);
    const double length = std::sqrt(dot(View(at_.w), View(at_.w)));
    for (double& value : at_.w) value *= length > 0 ? 0.5 / length : 0;
    at_.room = 1 - dot(View(at_.w), View(at_.w));
    const std::vector<double> f = scores(at_.w);
    at_.b = esvm_gap(problem_, at_.a, omega_, f, length * length, 1 - at_.room).bias;
    double mu = 0;
    for (std::size_t i = 0; i < m_; ++i) mu += std::fabs(slope(f, i)) * at_.a[i] / static_cast<double>(m_);
    mu = std::max(mu, 1e-6 * problem_.whole() / static_cast<double>(m_));
    at_.z.resize(m_);
    at_.u.assign(m_, 0);
    for (std::size_t i = 0; i < m_; ++i) {
      at_.z[i] = std::max(0.0, slope(f, i)) + mu / at_.a[i];
      if (bounded()) at_.u[i] = std::max(0.0, -slope(f, i)) + mu / rest(i);
    }
    at_.gamma = std::max(length, mu);
    least_ = 0.01 * problem_.tolerance * problem_.whole() / pairs();
    return true;
  }
  [[nodiscard]] std::vector<double> half_of_bounds() const {
    return esvm_start(problem_, std::numeric_limits<double>::infinity());
  }
  [[nodiscard]] std::vector<double> alike() const {  // for which |sum a_i y_i x_i| is about r m
    std::vector<double> sum(n_);
    double trace = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      axpy(problem_.y[i], x_.column(i), sum);
      trace += dot(x_.column(i), x_.column(i));
    }
    const double squared = std::max(dot(View(sum), View(sum)), trace);
    return esvm_start(problem_, problem_.r() * static_cast<double>(m_) / std::sqrt(squared));
  }

  // Z = L^-1 X' with LL' = ((1-r) I + X'AX)/r, and omega.
  bool update_omega() {
    Matrix scaled = x_, l(n_, n_);
    for (std::size_t i = 0; i < m_; ++i)
      for (double& value : scaled.column(i)) value *= std::sqrt(at_.a[i] / problem_.r());
    for (std::size_t j = 0; j < n_; ++j) l(j, j) = problem_.one_minus_r / problem_.r();
    add_outer(1, scaled, 1, l);
    if (!factorise(l)) return false;
    z_ = x_;
    solve_lower(l, z_);
    for (std::size_t i = 0; i < m_; ++i) omega_[i] = dot(z_.column(i), z_.column(i));
    return true;
  }
  [[nodiscard]] std::vector<double> pull(View a) const {  // sum a_i y_i x_i
    std::vector<double> signed_a(m_), out(n_);
    for (std::size_t i = 0; i < m_; ++i) signed_a[i] = a[i] * problem_.y[i];
    multiply(1, x_, signed_a, 0, out);
    return out;
  }
  [[nodiscard]] std::vector<double> scores(View w) const {
    std::vector<double> out(m_);
    multiply_transposed(1, x_, w, 0, out);
    return out;
  }
  [[nodiscard]] double slope(View f, std::size_t i) const { return problem_.y[i] * f[i] - omega_[i] + d_[i] * at_.b; }

  // Of the multipliers as they are; whether they meet the sum is seen when they are evaluated.
  [[nodiscard]] double gap_here() const {
    const std::vector<double> v = pull(at_.a);
    const double q = dot(View(v), View(v)), squared = dot(View(at_.w), View(at_.w)), gamma = NormTerm(q).gamma;
    std::vector<double> f = scores(primal_ ? at_.w : v);
    for (double& value : f) value /= primal_ ? std::max(1.0, std::sqrt(squared)) : 2 * gamma;
    return esvm_gap(problem_, at_.a, omega_, f, q, primal_ ? std::min(1.0, squared) : q / (4 * gamma * gamma)).gap;
  }

  [[nodiscard]] double products(const Point& step, double t) const {
    double sum = (at_.gamma + t * step.gamma) * (at_.room + t * step.room);
    for (std::size_t i = 0; i < m_; ++i) {
      sum += (at_.a[i] + t * step.a[i]) * (at_.z[i] + t * step.z[i]);
      if (bounded()) sum += (rest(i) - t * step.a[i]) * (at_.u[i] + t * step.u[i]);
    }
    return sum;
  }

  // How much of a step leaves everything inside.
  [[nodiscard]] double reach(const Point& step) const {
    double most = std::numeric_limits<double>::infinity();
    const auto keep = [&](double value, double change) {
      if (change < 0) most = std::min(most, -value / change);
    };
    keep(at_.gamma, step.gamma);
    keep(at_.room, step.room);
    for (std::size_t i = 0; i < m_; ++i) {
      keep(at_.a[i], step.a[i]);
      keep(at_.z[i], step.z[i]);
      if (!bounded()) continue;
      keep(rest(i), -step.a[i]);
      keep(at_.u[i], step.u[i]);
    }
    return most;
  }

  bool advance() {
    const double square = dot(View(at_.w), View(at_.w));
    const std::vector<double> f = scores(at_.w);
    // M^-1 = (I - t ww')/(2 gamma_), whose root is (I - s ww')/sqrt(2 gamma_)
    const double k = 2 * at_.gamma / (held() * at_.room), t = k / (1 + k * square);
    const double s = square > 0 ? (1 - std::sqrt(std::max(0.0, 1 - t * square))) / square : 0;
    Matrix v = x_;
    std::vector<double> diagonal(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      axpy(-s * f[i], at_.w, v.column(i));
      for (double& value : v.column(i)) value *= problem_.y[i] / std::sqrt(2 * held());
      diagonal[i] = at_.z[i] / at_.a[i] + (bounded() ? at_.u[i] / rest(i) : 0);
    }
    if (!curvature_.make(z_, v, diagonal, problem_.r(), by_rows_)) return false;
    by_bias_ = d_;
    if (problem_.free_bias()) curvature_.solve(by_bias_);

    Point step = direction(f, t, 0, nullptr);
    if (!(step.left <= kLeft) && !by_rows_ && m_ <= kMostInterior) {
      by_rows_ = true;
      return advance();
    }
    const double mu = products(step, 0) / pairs(), there = products(step, std::min(1.0, reach(step))) / pairs();
    const double ratio = std::min(1.0, there / mu);
    // Not far below what the tolerance asks for, unless that does not do: the system loses digits with every step.
    double off = 0;  // by how much the first equation does not hold
    for (std::size_t i = 0; i < m_; ++i) off += at_.a[i] * std::fabs(slope(f, i) - at_.z[i] + at_.u[i]);
    if (mu < 2 * least_ && off < mu * pairs()) least_ *= 0.01;
    step = direction(f, t, std::max(ratio * ratio * ratio * mu, least_), &step);
    double length = std::min(1.0, 0.99 * reach(step));
    if (!(length > kShort)) {  // too near to a bound: first away from it
      Point centring = direction(f, t, mu, nullptr);
      if (const double other = std::min(1.0, 0.99 * reach(centring)); !(length > other)) {
        step = std::move(centring);
        length = other;
      }
    }
    if (!(length > 1e-10) || !std::isfinite(products(step, length))) return false;
    for (std::size_t i = 0; i < m_; ++i) {
      at_.a[i] += length * step.a[i];
      at_.z[i] += length * step.z[i];
      at_.u[i] += length * step.u[i];
    }
    axpy(length, step.w, at_.w);
    at_.b += length * step.b;
    at_.gamma += length * step.gamma;
    at_.room += length * step.room;
    return update_omega();
  }

  // Towards products of mu, less the products of the changes of an earlier step.
  [[nodiscard]] Point direction(View f, double t, double mu, const Point* earlier) const {
    const double reached = earlier == nullptr ? 0 : std::min(1.0, reach(*earlier)), second = reached * reached;
    const auto changed = [&](double x, double y) { return second * x * y; };
    const auto inverse = [&](std::vector<double> x) {  // M^-1 x
      axpy(-t * dot(View(at_.w), View(x)), at_.w, x);
      for (double& value : x) value /= 2 * held();
      return x;
    };
    const double off_ball = 1 - dot(View(at_.w), View(at_.w)) - at_.room;
    const double ball = mu - at_.gamma * at_.room - (earlier != nullptr ? changed(earlier->gamma, earlier->room) : 0);
    const double push = (ball - at_.gamma * off_ball) / at_.room;
    std::vector<double> off_w = pull(at_.a);
    axpy(-2 * (held() + push), at_.w, off_w);
    const std::vector<double> first_w = inverse(std::move(off_w)), first_f = scores(first_w);

    Point out;
    out.a.resize(m_);
    out.z.resize(m_);
    out.u.resize(m_);
    std::vector<double> low(m_), high(m_);
    double sum = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      low[i] = mu - at_.a[i] * at_.z[i] - (earlier != nullptr ? changed(earlier->a[i], earlier->z[i]) : 0);
      if (bounded())
        high[i] = mu - rest(i) * at_.u[i] + (earlier != nullptr ? changed(earlier->a[i], earlier->u[i]) : 0);
      out.a[i] =
          -(slope(f, i) - at_.z[i] + at_.u[i]) + low[i] / at_.a[i] - high[i] / rest(i) - problem_.y[i] * first_f[i];
      sum += d_[i] * at_.a[i];
    }
    out.left = curvature_.solve(out.a);
    if (problem_.free_bias()) {
      out.b = (dot(View(d_), View(out.a)) + sum) / dot(View(d_), View(by_bias_));
      axpy(-out.b, by_bias_, out.a);
    }
    out.w = inverse(pull(out.a));
    axpy(1, first_w, out.w);
    const double along = dot(View(at_.w), View(out.w));
    out.room = off_ball - 2 * along;
    out.gamma = push + 2 * at_.gamma / at_.room * along;
    for (std::size_t i = 0; i < m_; ++i) {
      out.z[i] = (low[i] - at_.z[i] * out.a[i]) / at_.a[i];
      if (bounded()) out.u[i] = (high[i] + at_.u[i] * out.a[i]) / rest(i);
    }
    return out;
  }

  const EsvmProblem& problem_;
  const Matrix& x_;
  bool primal_;
  std::size_t n_, m_;
  std::vector<double> d_, omega_, by_bias_;
  Matrix z_;
  Point at_;
  Curvature curvature_;
  bool by_rows_ = false;
  double least_ = 0;  // mu
};

// Some of the rows, solved a little better than the whole asks for.
struct Part {
  EsvmProblem problem;
  Matrix x;
  Part(const EsvmProblem& whole, const Matrix& rows, std::span<const std::uint32_t> of)
      : problem(whole), x(rows.rows(), of.size()) {
    for (std::size_t k = 0; k < of.size(); ++k) {
      std::copy_n(rows.column(of[k]).data(), rows.rows(), x.column(k).data());
      problem.y[k] = whole.y[of[k]];
      problem.upper[k] = whole.upper[of[k]];
      if (whole.free_bias()) problem.c[k] = whole.c[of[k]];
    }
    problem.y.resize(of.size());
    problem.upper.resize(of.size());
    if (whole.free_bias()) problem.c.resize(of.size());
    problem.tolerance /= 2;
  }
};

// X with X'X = K, as many rows as K has rank; empty: K is not positive semidefinite.
Matrix factor_of(const Matrix& k) {
  constexpr double kRounding = 1e-14, kOff = 1e-9;
  const Matrix f = factorise_rank(k, kRounding).f;
  Matrix left = k;
  subtract_products(f, f, left);
  double most = 0, off = 0;
  for (std::size_t i = 0; i < k.rows(); ++i) most = std::max(most, k(i, i));
  for (const double value : left.values()) off = std::max(off, std::fabs(value));
  if (!(off <= kOff * most)) return {};
  Matrix x(f.columns(), f.rows());
  for (std::size_t j = 0; j < f.columns(); ++j)
    for (std::size_t i = 0; i < f.rows(); ++i) x(j, i) = f(i, j);
  return x;
}

}  // namespace

EsvmSolution solve_esvm_interior(const EsvmProblem& problem, const Matrix& k) {
  const Matrix x = factor_of(k);
  if (x.rows() > 0) return Interior(problem, x, false).solve();
  EsvmSolution none;
  none.a.resize(problem.y.size());
  none.status = "the kernel matrix is not positive semidefinite, or numbers overflow";
  return none;
}

EsvmSolution solve_esvm_interior_linear(const EsvmProblem& problem, const Matrix& x, std::span<const double> near) {
  const std::size_t m = x.columns();
  bool seen[2] = {};  // some of both classes, or there is nothing to leave out
  for (std::size_t i = 0; i < near.size(); ++i)
    if (near[i] > 0) seen[problem.y[i] > 0 ? 0 : 1] = true;
  const bool all = !(seen[0] && seen[1]);
  std::vector<std::uint32_t> of;  // rows that are not left out
  std::vector<bool> in(m);
  for (std::uint32_t i = 0; i < m; ++i)
    if (all || near[i] > 0) of.push_back(i);
  for (std::uint64_t rounds = 0;;) {
    if (of.size() == m) {
      EsvmSolution out = Interior(problem, x, true).solve();
      out.iterations += rounds;
      return out;
    }
    const Part part(problem, x, of);
    const EsvmSolution found = Interior(part.problem, part.x, true).solve();
    std::vector<double> a(m), short_by;
    for (std::size_t k = 0; k < of.size(); ++k) {
      a[of[k]] = found.a[k];
      in[of[k]] = true;
    }
    EsvmSolution out = evaluate_esvm(problem, x, a, found.w, &short_by);
    out.iterations = rounds += found.iterations;
    conclude(problem, out);
    if (out.converged) return out;
    // Rows that are short come in; if there are none (what was left out shows in the bias alone), or nothing is known, all do.
    std::vector<std::uint32_t> others;
    for (std::uint32_t i = 0; i < m && found.converged && !short_by.empty(); ++i)
      if (!in[i] && short_by[i] > 0) others.push_back(i);
    if (others.empty())
      for (std::uint32_t i = 0; i < m; ++i)
        if (!in[i]) others.push_back(i);
    of.insert(of.end(), others.begin(), others.end());
  }
}

}  // namespace postil
