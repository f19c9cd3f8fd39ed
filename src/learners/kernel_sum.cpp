#include "kernel_sum.hpp"

#include <cmath>
#include <numeric>

#include "core/kernels.hpp"

namespace postil {

void KernelSum::values(const Row& x, std::vector<double>& out) const {
  out.resize(rows_.size());
  rows_.values(kernel_, x, out);
  for (double& value : out) value += constant_ * constant_;
}

double KernelSum::of_itself(const Row& x) const { return kernel_.of_itself(squared_norm(x)) + constant_ * constant_; }

double KernelSum::now(std::span<const double> values) const { return dot(a_, values); }

double KernelSum::mean(std::span<const double> values) const {
  const double f = now(values);
  return rounds_ == 0 ? f : f - dot(u_, values) / static_cast<double>(rounds_);
}

bool KernelSum::join(std::size_t next) {
  constexpr double kIndependent = 1e-4;  // of K(x, x); at 1e-7 rounding in G^-1 takes banana from 10 % errors to 17
  const std::size_t n = joined_;
  const Row x = rows_.row(next);
  values(x, k_);
  d_.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    d_[i] = dot(std::span<const double>(inverse_).subspan(i * n, n), std::span<const double>(k_).first(n));
  const double itself = of_itself(x), e = itself - dot(d_, std::span<const double>(k_).first(n));
  if (!(e > kIndependent * itself) || (budget_ > 0 && n == budget_)) return false;
  std::vector<double> wider((n + 1) * (n + 1));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) wider[i * (n + 1) + j] = inverse_[i * n + j] + d_[i] * d_[j] / e;
    wider[i * (n + 1) + n] = wider[n * (n + 1) + i] = -d_[i] / e;
  }
  wider[n * (n + 1) + n] = 1 / e;
  inverse_ = std::move(wider);
  ++joined_;
  return true;
}

void KernelSum::add(double step, const Row& x) {
  if (step == 0) return;
  if (inverse_.empty()) joined_ = 0;
  while (budget_ > 0 && joined_ < rows_.size() && join(joined_)) {
  }
  rows_.append(x);
  if (budget_ > 0 && !join(rows_.size() - 1)) {
    rows_.erase(rows_.size() - 1);
    for (std::size_t i = 0; i < d_.size(); ++i) change(i, step * d_[i]);
    return;
  }
  a_.push_back(0);
  u_.push_back(0);
  change(a_.size() - 1, step);
}

void KernelSum::negate() {
  for (std::vector<double>* list : {&a_, &u_})
    for (double& value : *list) value = -value;
}

std::vector<double> KernelSum::predicting(bool averaged) const {
  std::vector<double> out = a_;
  for (std::size_t i = 0; averaged && rounds_ > 0 && i < out.size(); ++i)
    out[i] -= u_[i] / static_cast<double>(rounds_);
  return out;
}

std::optional<LinearModel> KernelSum::linear(bool averaged) const {
  if (kernel_.kind != Kernel::Kind::linear) return std::nullopt;
  LinearModel out;
  out.weights.assign(rows_.width(), 0);
  const std::vector<double> coefficients = predicting(averaged);
  for (std::size_t i = 0; i < rows_.size(); ++i) axpy(coefficients[i], rows_.row(i), out.weights.data());
  out.bias = std::accumulate(coefficients.begin(), coefficients.end(), 0.0) * constant_ * constant_;
  return out;
}

std::optional<KernelExpansion> KernelSum::expansion(bool averaged) const {
  if (kernel_.kind == Kernel::Kind::linear) return std::nullopt;
  const std::vector<double> coefficients = predicting(averaged);
  return expansion_of(kernel_, rows_, coefficients,
                      std::accumulate(coefficients.begin(), coefficients.end(), 0.0) * constant_ * constant_);
}

bool KernelSum::fits(std::size_t features) const {
  return kernel_.gamma > 0 && rows_.compressed() && rows_.whole() && rows_.width() == features &&
         a_.size() == rows_.size() && u_.size() == rows_.size() && (budget_ == 0 || rows_.size() <= budget_);
}

}  // namespace postil
