// Dense matrices, and the few things that BLAS and LAPACK (OpenBLAS, one thread a call) do with them.
//
// OpenBLAS chooses its loops by the CPU, so the last bits may differ between types of CPU; never between runs or thread counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace postil {

// Column by column.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), values_(rows * columns) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] double& operator()(std::size_t i, std::size_t j) { return values_[i + j * rows_]; }
  [[nodiscard]] double operator()(std::size_t i, std::size_t j) const { return values_[i + j * rows_]; }
  [[nodiscard]] std::span<double> column(std::size_t j) { return {values_.data() + j * rows_, rows_}; }
  [[nodiscard]] std::span<const double> column(std::size_t j) const { return {values_.data() + j * rows_, rows_}; }
  [[nodiscard]] double* data() { return values_.data(); }
  [[nodiscard]] const double* data() const { return values_.data(); }
  [[nodiscard]] std::vector<double>& values() { return values_; }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::size_t rows_ = 0, columns_ = 0;
  std::vector<double> values_;
};

// Symmetric matrices are whole unless it says "lower": then only what stands on and below the diagonal counts.
bool factorise(Matrix& a);  // lower: a = LL', L in its place; false: not positive definite
// With as little added to the diagonal as it takes; false: a thousandth of the largest there does not do, or numbers overflow.
bool factorise_with_ridge(Matrix& a);
// A positive semidefinite a as FF' with as many columns as its rank, by a Cholesky factor with pivots. The rows `pivots` of F,
// in this order, are a lower triangle.
struct RankFactor {
  Matrix f;
  std::vector<std::uint32_t> pivots;
};
RankFactor factorise_rank(Matrix a, double tolerance);
void solve_factorised(const Matrix& l, std::span<double> b);        // b <- a^-1 b
void solve_factorised(const Matrix& l, Matrix& b);                  // every column of it
void solve_lower(const Matrix& l, Matrix& b);                       // b <- L^-1 b
void solve_lower_transposed(const Matrix& l, std::span<double> b);  // b <- L^-T b
void invert_factorised(Matrix& l);                                  // l <- a^-1, whole
double log_determinant(const Matrix& l);                            // of a
void mirror(Matrix& a);                                             // makes a lower matrix whole

void multiply(double alpha, const Matrix& a, std::span<const double> x, double beta,
              std::span<double> y);  // y <- alpha a x + beta y
void multiply_transposed(double alpha, const Matrix& a, std::span<const double> x, double beta, std::span<double> y);
Matrix multiply_transposed(const Matrix& a, const Matrix& b);           // a'b
void add_outer(double alpha, const Matrix& a, double beta, Matrix& c);  // lower: c <- alpha a a' + beta c
void add_inner(double alpha, const Matrix& a, double beta, Matrix& c);  // lower: c <- alpha a'a + beta c
void multiply_block(const Matrix& a, std::size_t i, std::size_t rows, std::size_t j, std::size_t columns, double* out,
                    std::size_t stride);  // out = A_i'A_j of two ranges of columns

void subtract_products(const Matrix& a, const Matrix& b, Matrix& c);  // c <- c - a b', on all CPUs

// a's eigenvalues, from small to large; a becomes its eigenvectors, column by column, each with its largest entry positive.
std::vector<double> eigenvectors(Matrix& a);

}  // namespace postil
