// Solves (I + mu M) x = b for one symmetric positive semidefinite M and any mu >= 0.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace postil {

class ShiftedSystem {
 public:
  ShiftedSystem() = default;
  ShiftedSystem(std::span<const double> m, std::size_t n);  // n x n, row by row; factored once
  explicit ShiftedSystem(std::vector<double> diagonal) : n_(diagonal.size()), values_(std::move(diagonal)) {}
  // Needs: b and x of n numbers, not the same; work of n numbers.
  void solve(double mu, std::span<const double> b, std::span<double> x, std::span<double> work) const;

 private:
  std::size_t n_ = 0;
  bool diagonal_ = true;
  std::vector<double> values_;   // eigenvalues, or the diagonal
  std::vector<double> vectors_;  // eigenvectors, one a row; empty if diagonal
};

// min 1/2 x'Hx - b'x  s.t.  x_k >= 0 where not free; H positive definite, n x n row by row. By coordinate descent from the x
// given. Gives the sweeps it took, 0 if it did not converge.
int nonnegative_qp(std::span<const double> h, std::span<const double> b, std::span<const unsigned char> free,
                   std::span<double> x);

}  // namespace postil
