#include "shifted_system.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

namespace postil {

ShiftedSystem::ShiftedSystem(std::span<const double> m, std::size_t n) : n_(n) {
  const auto size = static_cast<Eigen::Index>(n);
  const Eigen::Map<const Eigen::MatrixXd> matrix(m.data(), size, size);  // symmetric: rows or columns first is the same
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  for (Eigen::Index k = 0; k < size; ++k) {
    values_.push_back(std::max(0.0, solver.eigenvalues()[k]));
    for (Eigen::Index i = 0; i < size; ++i) vectors_.push_back(solver.eigenvectors()(i, k));
  }
}

ShiftedSystem::ShiftedSystem(std::vector<double> coefficients, const std::vector<std::uint32_t>& groups)
    : n_(coefficients.size()), values_(std::move(coefficients)) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (std::size_t i = 0; i < n_; ++i) {
    const std::uint32_t group = numbers.emplace(groups[i], static_cast<std::uint32_t>(numbers.size())).first->second;
    group_.push_back(group);
    squares_.resize(numbers.size());
    squares_[group] += values_[i] * values_[i];
  }
}

void ShiftedSystem::solve(double mu, std::span<const double> b, std::span<double> x, std::span<double> work) const {
  if (!group_.empty()) {  // x = b - mu c (c'b) / (1 + mu |c|^2) in each group
    std::fill_n(work.begin(), squares_.size(), 0);
    for (std::size_t i = 0; i < n_; ++i) work[group_[i]] += values_[i] * b[i];
    for (std::size_t g = 0; g < squares_.size(); ++g) work[g] *= mu / (1 + mu * squares_[g]);
    for (std::size_t i = 0; i < n_; ++i) x[i] = b[i] - values_[i] * work[group_[i]];
    return;
  }
  for (std::size_t k = 0; k < n_; ++k) {  // x = Q (I + mu L)^-1 Q'b
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) sum += vectors_[k * n_ + i] * b[i];
    work[k] = sum / (1 + mu * values_[k]);
  }
  std::fill(x.begin(), x.end(), 0);
  for (std::size_t k = 0; k < n_; ++k)
    for (std::size_t i = 0; i < n_; ++i) x[i] += vectors_[k * n_ + i] * work[k];
}

int nonnegative_qp(std::span<const double> h, std::span<const double> b, std::span<const unsigned char> free,
                   std::span<double> x) {
  constexpr int kSweeps = 20'000;
  const std::size_t n = b.size();
  for (int sweep = 1; sweep <= kSweeps; ++sweep) {
    double moved = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double gradient = -b[i];
      for (std::size_t j = 0; j < n; ++j) gradient += h[i * n + j] * x[j];
      double next = x[i] - gradient / h[i * n + i];
      if (free[i] == 0) next = std::max(0.0, next);
      moved = std::max(moved, std::fabs(next - x[i]));
      size = std::max(size, std::fabs(next));
      x[i] = next;
    }
    if (moved <= 1e-15 * (1 + size)) return sweep;
  }
  return 0;
}

}  // namespace postil
