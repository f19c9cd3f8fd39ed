// From examples to the ellipsoidal machine's problem: which rows count, how they are scaled, and along what they lie.
#pragma once

#include <cstdint>
#include <vector>

#include "esvm.hpp"
#include "kernel.hpp"

namespace postil {

// The rows that count, each once, scaled to length 1 if so wished.
struct EsvmRows {
  std::vector<std::uint32_t> of;  // numbers in the sample
  std::vector<double> weight;     // of all that are the same
  std::vector<double> length;     // what they were divided by
  std::vector<double> norm;       // |x_i|, with the constant feature if there is one
  EsvmProblem problem;
  double examples = 0;    // sum of weights
  std::size_t empty = 0;  // rows of zeros, left out
  Matrix k;               // kernels
  Matrix x;      // linear: a row per column, with the constant feature if there is one; along `basis` if that is there
  Matrix basis;  // orthonormal columns that span the rows, where these do not span everything
  [[nodiscard]] std::size_t features() const { return basis.rows() > 0 ? basis.rows() : x.rows(); }
};
// Reads the parameters of esvm; `features` without the constant. Throws DataError for rows of one class, and where the margin is
// hard for the same row in both.
EsvmRows esvm_rows(const Params& params, const KernelSample& all, std::size_t features);

// Linear: weights and ellipsoids over all features from those over the basis.
std::vector<double> lifted(const EsvmRows& rows, std::vector<double> w);
std::vector<double> lifted(const EsvmRows& rows, const Matrix& b);
// Linear: some (w, b) with every score on its side, by linear programming; throws DataError if there is none.
std::vector<double> separator(const EsvmRows& rows);

}  // namespace postil
