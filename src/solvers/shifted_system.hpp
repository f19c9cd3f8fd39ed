// Solves (I + mu M) x = b for one symmetric positive semidefinite M and any mu >= 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace postil {

class ShiftedSystem {
 public:
  ShiftedSystem() = default;
  ShiftedSystem(std::span<const double> m, std::size_t n);  // n x n, row by row; factored once
  // M = sum over groups g of c_g c_g', c_g being the coefficients of the rows in group g.
  ShiftedSystem(std::vector<double> coefficients, const std::vector<std::uint32_t>& groups);
  // Needs: b and x of n numbers, not the same; work of n numbers.
  void solve(double mu, std::span<const double> b, std::span<double> x, std::span<double> work) const;

 private:
  std::size_t n_ = 0;
  std::vector<double> values_;        // eigenvalues; or the coefficients of groups
  std::vector<double> vectors_;       // eigenvectors, one a row
  std::vector<std::uint32_t> group_;  // per row, numbered from 0; empty: eigenvectors
  std::vector<double> squares_;       // per group: |c|^2
};

// min 1/2 x'Hx - b'x  s.t.  x_k >= 0 where not free; H positive definite, n x n row by row. By coordinate descent from the x
// given. Gives the sweeps it took, 0 if it did not converge.
int nonnegative_qp(std::span<const double> h, std::span<const double> b, std::span<const unsigned char> free,
                   std::span<double> x);

}  // namespace postil
