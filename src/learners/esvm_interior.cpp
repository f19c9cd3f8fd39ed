// esvm_interior.cpp: the ellipsoidal machine's dual by an interior-point method; slow but sure.
//
// Source   Boyd and Vandenberghe, Convex Optimization, algorithm 11.2 (primal-dual interior-point)   [boyd2004convex]; MATH.md B1
// Problem  min phi(a) = h(q) - r log|I + KA/(1-r)|,   d'a = 0,  0 <= a <= C
// Update   gradient y_i f_i - omega_ii;  Hessian omega_ij^2/r + [Q/sqrt q - (Qa)(Qa)'/q^(3/2)]  (gamma held: Q/(2 gamma));
//          Newton's step of the conditions with a_i z_i = (C_i - a_i) v_i = 1/t;  t = 10 (pairs)/(a'z + (C-a)'v); the step is
//          halved until the residual falls.
// Cost     a round: one Cholesky factor and inverse of m x m for omega, one factor for the step.
#include <algorithm>
#include <cmath>
#include <limits>

#include "esvm.hpp"
#include "postil/kernels.hpp"

namespace postil {
namespace {

constexpr int kMostRounds = 200;
constexpr double kCentring = 10;

class Interior {
 public:
  Interior(const EsvmProblem& problem, const Matrix& k) : problem_(problem), k_(k), m_(problem.y.size()) {}

  EsvmSolution solve(std::vector<double> start) {
    EsvmSolution out;
    const double whole = problem_.whole();
    a_ = start.empty() ? esvm_start(problem_, first_size()) : std::move(start);
    keep_inside(a_);
    if (!esvm_state(problem_, k_, a_, state_)) {
      out.status = "the kernel matrix is not positive semidefinite, or numbers overflow";
      out.a = a_;
      return out;
    }
    bias_ = 0;
    const double first = whole / static_cast<double>(m_);
    z_.resize(m_);
    v_.assign(m_, 0);
    for (std::size_t i = 0; i < m_; ++i) {
      z_[i] = first / a_[i];
      if (bounded()) v_[i] = first / (problem_.upper[i] - a_[i]);
    }
    EsvmSolution best;
    for (int round = 0;; ++round) {
      remember(out, round);
      if (out.gap < best.gap || round == 0) best = out;
      if (out.gap <= problem_.tolerance * whole) break;
      if (round == kMostRounds || !advance()) break;
    }
    best.converged = best.gap <= problem_.tolerance * whole;
    best.status = best.converged ? "solved (interior point)" : "did not converge (interior point)";
    return best;
  }

 private:
  [[nodiscard]] bool bounded() const { return !problem_.hard(); }
  [[nodiscard]] double first_size() const {  // for which sqrt(q) is about r m
    double sum = 0, trace = 0;
    for (std::size_t j = 0; j < m_; ++j) {
      trace += k_(j, j);
      for (std::size_t i = 0; i < m_; ++i) sum += problem_.y[i] * problem_.y[j] * k_(i, j);
    }
    return problem_.r() * static_cast<double>(m_) / std::sqrt(std::max(sum, trace));
  }
  void keep_inside(std::vector<double>& a) const {
    double size = 0;
    for (const double x : a) size = std::max(size, x);
    for (std::size_t i = 0; i < m_; ++i) {
      a[i] = std::max(a[i], 1e-6 * size);
      if (bounded()) a[i] = std::clamp(a[i], 1e-6 * problem_.upper[i], (1 - 1e-6) * problem_.upper[i]);
    }
  }

  // What the multipliers come to when the sum is made exact.
  void remember(EsvmSolution& out, int round) {
    std::vector<double> a = a_;
    const EsvmState* at = &state_;
    EsvmState balanced;
    if (problem_.free_bias()) {
      double sum = 0, size = 0;
      for (std::size_t i = 0; i < m_; ++i) {
        sum += problem_.coefficient(i) * a[i];
        size += std::fabs(problem_.coefficient(i) * a[i]);
      }
      if (std::fabs(sum) > 1e-13 * size) {
        balance(problem_, a);
        if (!esvm_state(problem_, k_, a, balanced)) {
          out = {};
          return;
        }
        at = &balanced;
      }
    }
    out = evaluate_esvm(problem_, *at, a);
    out.iterations = static_cast<std::uint64_t>(round);
  }

  struct Residual {
    std::vector<double> dual, low, high;
    double sum = 0, size = 0;
  };
  Residual residual(const EsvmState& state, std::span<const double> a, std::span<const double> z,
                    std::span<const double> v, double bias, double mu) const {
    Residual out;
    const NormTerm norm(state.q);
    out.dual.resize(m_);
    out.low.resize(m_);
    out.high.resize(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      const double d = problem_.coefficient(i);
      out.dual[i] = problem_.y[i] * state.g[i] / (2 * norm.gamma) - state.omega(i, i) + d * bias - z[i] + v[i];
      out.low[i] = a[i] * z[i] - mu;
      if (bounded()) out.high[i] = (problem_.upper[i] - a[i]) * v[i] - mu;
      out.sum += d * a[i];
      out.size += out.dual[i] * out.dual[i] + out.low[i] * out.low[i] + out.high[i] * out.high[i];
    }
    out.size = std::sqrt(out.size + out.sum * out.sum);
    return out;
  }

  bool advance() {
    double complement = 0;
    for (std::size_t i = 0; i < m_; ++i)
      complement += a_[i] * z_[i] + (bounded() ? (problem_.upper[i] - a_[i]) * v_[i] : 0);
    const double mu = complement / (static_cast<double>(bounded() ? 2 * m_ : m_) * kCentring);
    const Residual now = residual(state_, a_, z_, v_, bias_, mu);
    // (H + z/a + v/(C-a)) da + d db = -(dual + low/a - high/(C-a))
    const NormTerm norm(state_.q);
    const double curve = norm.held ? 0 : 1 / (8 * norm.gamma * norm.gamma * norm.gamma);  // q^(-3/2)
    Matrix h(m_, m_);
    for (std::size_t j = 0; j < m_; ++j) {
      const double qa = problem_.y[j] * state_.g[j];
      for (std::size_t i = j; i < m_; ++i)
        h(i, j) = state_.omega(i, j) * state_.omega(i, j) / problem_.r() +
                  problem_.y[i] * problem_.y[j] * k_(i, j) / (2 * norm.gamma) -
                  curve * qa * problem_.y[i] * state_.g[i];
    }
    std::vector<double> step(m_), by_bias(m_);
    for (std::size_t i = 0; i < m_; ++i) {
      const double rest = problem_.upper[i] - a_[i];
      h(i, i) += z_[i] / a_[i] + (bounded() ? v_[i] / rest : 0);
      step[i] = -(now.dual[i] + now.low[i] / a_[i] - (bounded() ? now.high[i] / rest : 0));
      by_bias[i] = problem_.coefficient(i);
    }
    double ridge = 0;
    for (std::size_t i = 0; i < m_; ++i) ridge = std::max(ridge, h(i, i));
    const Matrix plain = h;
    for (double add = 1e-15 * ridge; !factorise(h); add *= 10) {
      if (add > 1e-3 * ridge) return false;
      h = plain;
      for (std::size_t i = 0; i < m_; ++i) h(i, i) += add;
    }
    solve_factorised(h, step);
    double db = 0;
    if (problem_.free_bias()) {
      const std::vector<double> d = by_bias;
      solve_factorised(h, by_bias);
      const double dhd = dot(std::span<const double>(d), std::span<const double>(by_bias));
      db = (dot(std::span<const double>(d), std::span<const double>(step)) + now.sum) / dhd;
      for (std::size_t i = 0; i < m_; ++i) step[i] -= db * by_bias[i];
    }
    std::vector<double> dz(m_), dv(m_);
    double most = 1;
    const auto reach = [&](double value, double change) {
      if (change < 0) most = std::min(most, -0.99 * value / change);
    };
    for (std::size_t i = 0; i < m_; ++i) {
      dz[i] = -(now.low[i] + z_[i] * step[i]) / a_[i];
      reach(a_[i], step[i]);
      reach(z_[i], dz[i]);
      if (!bounded()) continue;
      dv[i] = -(now.high[i] - v_[i] * step[i]) / (problem_.upper[i] - a_[i]);
      reach(problem_.upper[i] - a_[i], -step[i]);
      reach(v_[i], dv[i]);
    }
    std::vector<double> a(m_), z(m_), v(m_);
    double t = 2 * most;
    for (int halvings = 0; halvings < 27; ++halvings) {
      t /= 2;
      for (std::size_t i = 0; i < m_; ++i) {
        a[i] = a_[i] + t * step[i];
        z[i] = z_[i] + t * dz[i];
        v[i] = v_[i] + t * dv[i];
      }
      if (!esvm_state(problem_, k_, a, next_)) continue;
      if (!(residual(next_, a, z, v, bias_ + t * db, mu).size <= (1 - 0.01 * t) * now.size)) continue;
      a_ = a;
      z_ = z;
      v_ = v;
      bias_ += t * db;
      std::swap(state_, next_);
      return true;
    }
    return false;
  }

  const EsvmProblem& problem_;
  const Matrix& k_;
  std::size_t m_;
  std::vector<double> a_, z_, v_;
  double bias_ = 0;
  EsvmState state_, next_;
};

}  // namespace

EsvmSolution solve_esvm_interior(const EsvmProblem& problem, const Matrix& k, std::vector<double> start) {
  return Interior(problem, k).solve(std::move(start));
}

}  // namespace postil
