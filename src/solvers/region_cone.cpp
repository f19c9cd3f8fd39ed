#include "region_cone.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace postil {
namespace {

constexpr int kNewtonSteps = 200;
constexpr double kRidge = 1e-13;  // keeps the matrix of parallel rows regular

double times(double gamma, double bound) { return std::isinf(bound) ? bound : gamma * bound; }

// Cholesky in place, row by row; needs a matrix that is positive definite up to rounding.
void factorise(std::vector<double>& m, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = m[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= m[i * n + k] * m[j * n + k];
      m[i * n + j] = i == j ? std::sqrt(std::max(sum, kRidge)) : sum / m[j * n + j];
    }
}

void solve(const std::vector<double>& l, std::size_t n, std::span<double> x) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= l[i * n + k] * x[k];
    x[i] /= l[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] -= l[k * n + i] * x[k];
    x[i] /= l[i * n + i];
  }
}

}  // namespace

RegionCone::RegionCone(std::vector<double> low, std::vector<double> high, std::vector<Row> rows)
    : low_(std::move(low)), high_(std::move(high)), rows_(std::move(rows)) {
  for (Row& row : rows_) {  // of unit length, so that one tolerance serves all
    double norm = 0;
    for (const auto& [j, value] : row.terms) norm += value * value;
    norm = std::sqrt(norm);
    for (auto& [j, value] : row.terms) value /= norm;
    row.bound /= norm;
  }
  v_.assign(rows_.size(), 0);
  t_.assign(low_.size(), 0);
  y_ = s_ = t_;
}

// gamma = (beta + a'v + sum h_j)_+, where the bounds' multipliers t - y cost h_j = (t_j - y_j) times the bound. Both sides
// are piecewise linear in gamma, their difference rises at least as fast as gamma: Newton's steps, kept in a bracket.
void RegionCone::evaluate() {
  double constant = beta_;
  std::copy(p_.begin(), p_.end(), t_.begin());
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (v_[k] == 0) continue;
    constant += rows_[k].bound * v_[k];
    for (const auto& [j, value] : rows_[k].terms) t_[j] -= value * v_[k];
  }
  const auto excess = [&](double gamma, double& rise) {
    double sum = gamma - constant;
    rise = 1;
    for (std::size_t j = 0; j < t_.size(); ++j) {
      const double high = times(gamma, high_[j]), low = times(gamma, low_[j]);
      const double bound = t_[j] > high ? high_[j] : t_[j] < low ? low_[j] : 0;
      if (bound == 0) continue;
      sum -= (t_[j] - gamma * bound) * bound;
      rise += bound * bound;
    }
    return sum;
  };
  double rise = 1, below = 0, above = std::numeric_limits<double>::infinity();
  double value = excess(0, rise);
  if (value >= 0) {
    gamma_ = 0;
  } else {
    above = -value;
    if (!(gamma_ > 0 && gamma_ < above)) gamma_ = -value / rise;
    for (int step = 0; step < 200; ++step) {
      value = excess(gamma_, rise);
      if (value == 0) break;
      (value < 0 ? below : above) = gamma_;
      double next = gamma_ - value / rise;
      if (!(next > below && next < above)) {
        if (std::fabs(next - gamma_) <= 1e-15 * gamma_) break;
        next = below / 2 + above / 2;
      }
      const bool done = std::fabs(next - gamma_) <= 1e-16 * gamma_;
      gamma_ = next;
      if (done) break;
    }
  }
  length_ = gamma_ * gamma_;
  for (std::size_t j = 0; j < t_.size(); ++j) {
    y_[j] = std::clamp(t_[j], times(gamma_, low_[j]), times(gamma_, high_[j]));
    length_ += y_[j] * y_[j];
  }
}

double RegionCone::slope(std::size_t k) const {
  double sum = rows_[k].bound * gamma_;
  for (const auto& [j, value] : rows_[k].terms) sum -= value * y_[j];
  return sum;
}

// Projected Newton on half the squared length as a function of the multipliers v of the rows.
void RegionCone::project(std::span<const double> p, double beta) {
  p_ = p;
  beta_ = beta;
  evaluate();
  const std::size_t k_all = rows_.size();
  std::vector<double> slopes(k_all), before(k_all), step(k_all), newton;
  converged_ = k_all == 0;
  double scale = std::fabs(beta);
  for (const double value : p) scale = std::max(scale, std::fabs(value));
  for (int round = 0; round < kNewtonSteps && !converged_; ++round) {
    // A multiplier near 0 that wants to fall goes there and takes no part in Newton's step (Bertsekas 1982): near is what
    // a step down the slope would reach.
    double near = 0;
    for (std::size_t k = 0; k < k_all; ++k) {
      slopes[k] = slope(k);
      const double fall = rows_[k].equality ? slopes[k] : v_[k] - std::max(0.0, v_[k] - slopes[k]);
      near = std::max(near, std::fabs(fall));
    }
    if (near <= 1e-14 * scale) {
      converged_ = true;
      break;
    }
    on_.clear();
    for (std::size_t k = 0; k < k_all; ++k) {
      step[k] = 0;
      if (rows_[k].equality || slopes[k] <= 0 || v_[k] > near)
        on_.push_back(k);
      else
        step[k] = -v_[k];
    }
    settle_face();
    newton.resize(on_.size());
    for (std::size_t i = 0; i < on_.size(); ++i) newton[i] = -slopes[on_[i]];
    solve(factor_, on_.size(), newton);
    for (std::size_t i = 0; i < on_.size(); ++i) step[on_[i]] = newton[i];
    before = v_;
    const double length = length_;
    bool moved = false;
    for (double alpha = 1; alpha > 1e-12 && !moved; alpha /= 2) {
      double promised = 0;
      for (std::size_t k = 0; k < k_all; ++k) {
        v_[k] = before[k] + alpha * step[k];
        if (!rows_[k].equality) v_[k] = std::max(0.0, v_[k]);
        promised += slopes[k] * (v_[k] - before[k]);
      }
      evaluate();
      moved = v_ != before && length_ <= length + 2e-4 * promised;
    }
    if (!moved) {  // rounding: no step makes it shorter
      v_ = before;
      evaluate();
      converged_ = near <= 1e-9 * scale;
      break;
    }
  }
  on_.clear();
  for (std::size_t k = 0; k < k_all; ++k)
    if (rows_[k].equality || v_[k] > 0) on_.push_back(k);
  settle_face();
}

void RegionCone::settle_face() {
  sq_ = 1;
  for (std::size_t j = 0; j < t_.size(); ++j) {
    s_[j] = inside(j) ? 0 : t_[j] > y_[j] ? high_[j] : low_[j];
    sq_ += s_[j] * s_[j];
  }
  const std::size_t n = on_.size();
  q_.resize(n);
  factor_.assign(n * n, 0);
  work_.assign(t_.size(), 0);
  for (std::size_t i = 0; i < n; ++i) {
    const Row& row = rows_[on_[i]];
    q_[i] = row.bound;
    for (const auto& [j, value] : row.terms) {
      if (inside(j)) work_[j] = value;
      q_[i] -= value * s_[j];
    }
    for (std::size_t l = 0; l <= i; ++l) {
      double sum = gamma_ > 0 ? q_[i] * q_[l] / sq_ : 0;
      for (const auto& [j, value] : rows_[on_[l]].terms)
        if (inside(j)) sum += value * work_[j];
      factor_[i * n + l] = sum + (i == l ? kRidge : 0);
    }
    for (const auto& [j, value] : row.terms) work_[j] = 0;
  }
  factorise(factor_, n);
  work_.assign(n, 0);
}

// On the face's span, (y_F, gamma) are coordinates with the metric diag(1, 1 + |s|^2); the rows that hold are constraints
// [A_F, -q] on them.
void RegionCone::add_derivative(double factor, std::span<const double> dp, double dbeta, std::span<double> out,
                                double& out_beta) const {
  double g = 0;
  if (gamma_ > 0) {
    g = dbeta;
    for (std::size_t j = 0; j < s_.size(); ++j) g += s_[j] * dp[j];
    g /= sq_;
  }
  const std::size_t n = on_.size();
  for (std::size_t i = 0; i < n; ++i) {
    double sum = -q_[i] * g;
    for (const auto& [j, value] : rows_[on_[i]].terms)
      if (inside(j)) sum += value * dp[j];
    work_[i] = sum;
  }
  solve(factor_, n, std::span(work_).first(n));
  if (gamma_ > 0)
    for (std::size_t i = 0; i < n; ++i) g += q_[i] * work_[i] / sq_;
  for (std::size_t j = 0; j < s_.size(); ++j) out[j] += factor * (inside(j) ? dp[j] : s_[j] * g);
  for (std::size_t i = 0; i < n; ++i)
    for (const auto& [j, value] : rows_[on_[i]].terms)
      if (inside(j)) out[j] -= factor * value * work_[i];
  out_beta += factor * g;
}

void RegionCone::add_diagonal(double factor, std::span<double> out, double& out_beta) const {
  for (std::size_t j = 0; j < s_.size(); ++j) out[j] += factor * (inside(j) ? 1 : gamma_ > 0 ? s_[j] * s_[j] / sq_ : 0);
  if (gamma_ > 0) out_beta += factor / sq_;
}

}  // namespace postil
