// esvm_ascent.cpp: the linear ellipsoidal machine by dual coordinate ascent on the n x n matrix B.
//
// Source   Hsieh et al., A Dual Coordinate Descent Method, 2008, for the idea; docs/mathematics.md B3   [momma2010esvm]
// Problem  (7) with gamma = |v|/2, v = sum a_i y_i x_i:  max r log|B^-1| - |v|,   B = r ((1-r) I + X'AX)^-1
// Update   rows in random order; a_i += s with U'(s) = omega/(1 + s omega/r) - (y_i v'x_i + s k)/|v + s y_i x_i| = 0,
//          omega = x_i'B x_i, k = |x_i|^2, cut off at [0, C_i];  B <- B - s Bx (Bx)'/(r + s omega),  v += s y_i x_i.
//          A free bias adds the sum d'a = 0: method of multipliers, U' - d_i (b + p (d'a + s d_i)), b += p d'a after each pass,
//          p as strong as the curvature of a step itself.
// Cost     O(n^2) a step.
// Stop     duality gap <= tolerance r n, at multipliers that meet the sum exactly; B is made anew for it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "esvm.hpp"
#include "esvm_step.hpp"
#include "postil/random.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr int kMostPasses = 300;

class Ascent {
 public:
  Ascent(const EsvmProblem& problem, const Matrix& x) : problem_(problem), x_(x), n_(x.rows()), m_(x.columns()) {
    for (std::size_t i = 0; i < m_; ++i) norms_.push_back(dot(x_.column(i), x_.column(i)));
  }

  EsvmSolution solve(std::size_t patience) {
    EsvmSolution out, best;
    const double whole = problem_.r() * static_cast<double>(n_);
    a_ = esvm_start(problem_, whole / static_cast<double>(std::max<std::size_t>(m_, 1)));
    std::vector<std::uint32_t> order(m_);
    std::iota(order.begin(), order.end(), 0);
    Random random(0);
    std::vector<double> gaps;
    for (int pass = 0;; ++pass) {
      out = evaluate_esvm(problem_, x_, a_);
      out.iterations = static_cast<std::uint64_t>(pass);
      if (pass == 0 || out.gap < best.gap) best = out;
      best.iterations = out.iterations;
      gaps.push_back(best.gap);
      if (best.gap <= problem_.tolerance * whole || pass == kMostPasses) break;
      if (gaps.size() > 2 * patience && best.gap > 0.5 * gaps[gaps.size() - 1 - patience]) break;
      if (!rebuild(a_)) break;
      if (pass == 0) bias_ = out.bias;
      random.shuffle(std::span(order));
      for (const std::uint32_t i : order) {
        look_up("passes", static_cast<std::uint64_t>(pass));
        step(i);
      }
      if (problem_.free_bias()) bias_ += pull_ * sum_;
    }
    best.converged = best.gap <= problem_.tolerance * whole;
    best.status = best.converged ? "solved (coordinate ascent)" : "did not converge (coordinate ascent)";
    return best;
  }

 private:
  // B, v and the sum of these multipliers.
  bool rebuild(std::span<const double> a) {
    b_ = esvm_metric(problem_, x_, a);
    if (b_.rows() != n_) return false;
    std::vector<double> signed_a(m_);
    sum_ = 0;
    for (std::size_t i = 0; i < m_; ++i) {
      signed_a[i] = a[i] * problem_.y[i];
      sum_ += problem_.coefficient(i) * a[i];
    }
    v_.resize(n_);
    multiply(1, x_, signed_a, 0, v_);
    q_ = dot(std::span<const double>(v_), std::span<const double>(v_));
    bx_.resize(n_);
    if (!problem_.free_bias()) return true;
    double curvature = 0, weights = 0;
    for (std::size_t i = 0; i < m_; i += std::max<std::size_t>(1, m_ / 200)) {
      multiply(1, b_, x_.column(i), 0, bx_);
      const double omega = dot(x_.column(i), std::span<const double>(bx_));
      curvature += omega * omega / problem_.r();
      weights += problem_.c[i] * problem_.c[i];
    }
    pull_ = curvature / weights;
    return true;
  }

  void step(std::size_t i) {
    const std::span<const double> x = x_.column(i);
    multiply(1, b_, x, 0, bx_);
    const double omega = dot(x, std::span<const double>(bx_)), r = problem_.r(), d = problem_.coefficient(i);
    const double along = problem_.y[i] * dot(x, std::span<const double>(v_));
    const double price = d * (bias_ + pull_ * sum_), pull = pull_ * d * d;
    const auto slope = [&](double s, double sign) -> Slope {  // of U at a_i + sign s
      const double t = sign * s;
      const NormTerm norm(q_ + t * (2 * along + t * norms_[i]));
      const double share = omega / (1 + t * omega / r), run = along + t * norms_[i];
      const double first = share - run / (2 * norm.gamma) - price - pull * t;
      double second = -share * share / r - norms_[i] / (2 * norm.gamma) - pull;
      if (!norm.held) second += run * run / (8 * norm.gamma * norm.gamma * norm.gamma);
      return {sign * first, second};
    };
    const double start = slope(0, 1).first;
    const double sign = start > 0 ? 1 : -1, room = sign > 0 ? problem_.upper[i] - a_[i] : a_[i];
    if (start == 0 || room <= 0) return;
    const double s = sign * find_top([&](double t) { return slope(t, sign); }, room);
    if (s == 0) return;
    const double factor = -s / (r + s * omega);
    for (std::size_t j = 0; j < n_; ++j)
      if (bx_[j] != 0) axpy(factor * bx_[j], bx_, b_.column(j));
    q_ = std::max(0.0, q_ + s * (2 * along + s * norms_[i]));
    axpy(s * problem_.y[i], x, v_);
    sum_ += d * s;
    a_[i] = std::fabs(s) >= room ? (s > 0 ? problem_.upper[i] : 0) : a_[i] + s;
  }

  const EsvmProblem& problem_;
  const Matrix& x_;
  std::size_t n_, m_;
  std::vector<double> norms_, a_, v_, bx_;
  Matrix b_;
  double q_ = 0, sum_ = 0, bias_ = 0, pull_ = 0;
};

}  // namespace

EsvmSolution solve_esvm_ascent(const EsvmProblem& problem, const Matrix& x, std::size_t patience) {
  return Ascent(problem, x).solve(patience);
}

}  // namespace postil
