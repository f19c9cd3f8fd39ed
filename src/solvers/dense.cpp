#include "dense.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "blas.hpp"
#include "core/parallel.hpp"
#include "postil/error.hpp"

namespace postil {
namespace {

const int kOne = 1;

// One thread a call: the program has threads of its own. An OpenBLAS that was built without any has no locks either, and two
// calls at once would share their work space; there they take turns.
class Blas {
 public:
  Blas() {
    static const bool takes_turns = [] {
      openblas_set_num_threads(1);
      return openblas_get_parallel() == 0;
    }();
    if (takes_turns) turn_ = std::unique_lock(mutex());
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::unique_lock<std::mutex> turn_;
};

int count_of(std::size_t n) { return static_cast<int>(n); }
int stride_of(std::size_t n) { return std::max(1, static_cast<int>(n)); }

}  // namespace

namespace {

// Large matrices are worked on in blocks of columns, on all CPUs; each block's arithmetic is the same whoever does it.
constexpr std::size_t kBlock = 192;
std::size_t blocks_of(const Matrix& a) { return (a.rows() + kBlock - 1) / kBlock; }
int rows_from(const Matrix& a, std::size_t block) { return count_of(std::min(kBlock, a.rows() - block * kBlock)); }

// c -= a b' (rows x columns, `inner` products each)
void subtract_block(const double* a, const double* b, double* c, int rows, int columns, int inner, int stride) {
  const double minus = -1, one = 1;
  const Blas blas;
  dgemm_("N", "T", &rows, &columns, &inner, &minus, a, &stride, b, &stride, &one, c, &stride);
}

bool factorise_block(double* a, int n, int stride) {
  int info = 0;
  const Blas blas;
  dpotrf_("L", &n, a, &stride, &info);
  return info == 0;
}

}  // namespace

bool factorise(Matrix& a) {
  const int stride = stride_of(a.rows());
  const double one = 1;
  const std::size_t blocks = blocks_of(a);
  for (std::size_t k = 0; k < blocks; ++k) {
    const std::size_t at = k * kBlock;
    const int wide = rows_from(a, k);
    if (!factorise_block(&a(at, at), wide, stride)) return false;
    const std::size_t below = blocks - k - 1;
    if (below == 0) break;
    in_parallel(below, [&](std::size_t i) {  // the blocks below: A_ik <- A_ik L_kk^-T
      const int high = rows_from(a, k + 1 + i);
      const Blas blas;
      dtrsm_("R", "L", "T", "N", &high, &wide, &one, &a(at, at), &stride, &a((k + 1 + i) * kBlock, at), &stride);
    });
    in_parallel(below * (below + 1) / 2, [&](std::size_t task) {  // what is left: A_ij -= A_ik A_jk'
      std::size_t i = 0;
      while ((i + 1) * (i + 2) / 2 <= task) ++i;
      const std::size_t row = k + 1 + i, column = k + 1 + task - i * (i + 1) / 2;
      subtract_block(&a(row * kBlock, at), &a(column * kBlock, at), &a(row * kBlock, column * kBlock),
                     rows_from(a, row), rows_from(a, column), wide, stride);
    });
  }
  for (std::size_t j = 0; j < a.rows(); ++j)
    if (!std::isfinite(a(j, j))) return false;
  return true;
}

bool factorise_with_ridge(Matrix& a) {
  double most = 0;
  for (std::size_t i = 0; i < a.rows(); ++i) {
    if (!std::isfinite(a(i, i))) return false;
    most = std::max(most, a(i, i));
  }
  if (!(most > 0)) return false;
  const Matrix plain = a;
  for (double add = 1e-16 * most; !factorise(a); add *= 10) {
    if (add > 1e-3 * most) return false;
    a = plain;
    for (std::size_t i = 0; i < a.rows(); ++i) a(i, i) += add;
  }
  return true;
}

RankFactor factorise_rank(Matrix a, double tolerance) {
  const int n = count_of(a.rows()), stride = stride_of(a.rows());
  double most = 0;
  for (std::size_t j = 0; j < a.rows(); ++j) most = std::max(most, a(j, j));
  const double stop = tolerance * most;
  std::vector<int> order(a.rows());
  std::vector<double> work(2 * a.rows());
  int rank = 0, info = 0;
  const Blas blas;
  dpstrf_("L", &n, a.data(), &stride, order.data(), &rank, &stop, work.data(), &info);
  RankFactor out{Matrix(a.rows(), static_cast<std::size_t>(rank)), {}};
  for (std::size_t i = 0; i < a.rows(); ++i) {
    const auto row = static_cast<std::uint32_t>(order[i] - 1);
    if (out.pivots.size() < out.f.columns()) out.pivots.push_back(row);
    for (std::size_t j = 0; j <= std::min<std::size_t>(i, out.f.columns() - 1) && out.f.columns() > 0; ++j)
      out.f(row, j) = a(i, j);
  }
  return out;
}

void solve_factorised(const Matrix& l, std::span<double> b) {
  const int n = count_of(l.rows()), stride = stride_of(l.rows());
  int info = 0;
  const Blas blas;
  dpotrs_("L", &n, &kOne, l.data(), &stride, b.data(), &stride, &info);
}

void solve_factorised(const Matrix& l, Matrix& b) {
  const int n = count_of(l.rows()), stride = stride_of(l.rows()), columns = count_of(b.columns());
  int info = 0;
  const Blas blas;
  dpotrs_("L", &n, &columns, l.data(), &stride, b.data(), &stride, &info);
}

void solve_lower(const Matrix& l, Matrix& b) {
  const int n = count_of(l.rows()), stride = stride_of(l.rows()), columns = count_of(b.columns());
  const double one = 1;
  const Blas blas;
  dtrsm_("L", "L", "N", "N", &n, &columns, &one, l.data(), &stride, b.data(), &stride);
}

void solve_lower_transposed(const Matrix& l, std::span<double> b) {
  const int n = count_of(l.rows()), stride = stride_of(l.rows());
  const Blas blas;
  dtrsv_("L", "T", "N", &n, l.data(), &stride, b.data(), &kOne);
}

void invert_factorised(Matrix& l) {
  const int n = count_of(l.rows()), stride = stride_of(l.rows());
  const std::size_t blocks = blocks_of(l);
  if (blocks < 3) {
    int info = 0;
    {
      const Blas blas;
      dpotri_("L", &n, l.data(), &stride, &info);
    }
    mirror(l);
    return;
  }
  // X = L^-1 by blocks of columns, then X'X
  Matrix x(l.rows(), l.rows());
  in_parallel(blocks, [&](std::size_t k) {
    const std::size_t at = k * kBlock;
    const int wide = rows_from(l, k), high = count_of(l.rows() - at);
    const double one = 1;
    for (std::size_t j = 0; j < static_cast<std::size_t>(wide); ++j) x(at + j, at + j) = 1;
    const Blas blas;
    dtrsm_("L", "L", "N", "N", &high, &wide, &one, &l(at, at), &stride, &x(at, at), &stride);
  });
  in_parallel(blocks * (blocks + 1) / 2, [&](std::size_t task) {
    std::size_t i = 0;
    while ((i + 1) * (i + 2) / 2 <= task) ++i;
    const std::size_t row = i * kBlock, column = (task - i * (i + 1) / 2) * kBlock;
    const int high = rows_from(l, i), wide = rows_from(l, column / kBlock), inner = count_of(l.rows() - row);
    const double one = 1, zero = 0;
    const Blas blas;
    dgemm_("T", "N", &high, &wide, &inner, &one, &x(row, row), &stride, &x(row, column), &stride, &zero,
           &l(row, column), &stride);
  });
  mirror(l);
}

double log_determinant(const Matrix& l) {
  double sum = 0;
  for (std::size_t j = 0; j < l.rows(); ++j) sum += std::log(l(j, j));
  return 2 * sum;
}

void mirror(Matrix& a) {
  constexpr std::size_t kTile = 32;
  const std::size_t n = a.rows();
  for (std::size_t jj = 0; jj < n; jj += kTile)
    for (std::size_t ii = jj; ii < n; ii += kTile)
      for (std::size_t j = jj; j < std::min(n, jj + kTile); ++j)
        for (std::size_t i = std::max(ii, j + 1); i < std::min(n, ii + kTile); ++i) a(j, i) = a(i, j);
}

namespace {

void gemv(const char* transposed, double alpha, const Matrix& a, std::span<const double> x, double beta,
          std::span<double> y) {
  const int rows = count_of(a.rows()), columns = count_of(a.columns()), stride = stride_of(a.rows());
  const Blas blas;
  dgemv_(transposed, &rows, &columns, &alpha, a.data(), &stride, x.data(), &kOne, &beta, y.data(), &kOne);
}

}  // namespace

void multiply(double alpha, const Matrix& a, std::span<const double> x, double beta, std::span<double> y) {
  gemv("N", alpha, a, x, beta, y);
}

void multiply_transposed(double alpha, const Matrix& a, std::span<const double> x, double beta, std::span<double> y) {
  gemv("T", alpha, a, x, beta, y);
}

Matrix multiply_transposed(const Matrix& a, const Matrix& b) {
  Matrix c(a.columns(), b.columns());
  const int m = count_of(a.columns()), n = count_of(b.columns()), k = count_of(a.rows()), stride = stride_of(a.rows()),
            stride_c = stride_of(c.rows());
  const double one = 1, zero = 0;
  const Blas blas;
  dgemm_("T", "N", &m, &n, &k, &one, a.data(), &stride, b.data(), &stride, &zero, c.data(), &stride_c);
  return c;
}

void add_outer(double alpha, const Matrix& a, double beta, Matrix& c) {
  const int n = count_of(a.rows()), k = count_of(a.columns()), stride = stride_of(a.rows());
  const Blas blas;
  dsyrk_("L", "N", &n, &k, &alpha, a.data(), &stride, &beta, c.data(), &stride);
}

void add_inner(double alpha, const Matrix& a, double beta, Matrix& c) {
  const int n = count_of(a.columns()), k = count_of(a.rows()), stride = stride_of(a.rows()),
            stride_c = stride_of(c.rows());
  const Blas blas;
  dsyrk_("L", "T", &n, &k, &alpha, a.data(), &stride, &beta, c.data(), &stride_c);
}

void multiply_block(const Matrix& a, std::size_t i, std::size_t rows, std::size_t j, std::size_t columns, double* out,
                    std::size_t stride) {
  const int m = count_of(rows), n = count_of(columns), k = count_of(a.rows()), lda = stride_of(a.rows()),
            ldc = stride_of(stride);
  const double one = 1, zero = 0;
  const Blas blas;
  dgemm_("T", "N", &m, &n, &k, &one, a.column(i).data(), &lda, a.column(j).data(), &lda, &zero, out, &ldc);
}

void subtract_products(const Matrix& a, const Matrix& b, Matrix& c) {
  constexpr std::size_t kWide = 256;
  const std::size_t n = c.columns();
  in_parallel((n + kWide - 1) / kWide, [&](std::size_t part) {
    const std::size_t from = part * kWide;
    const int rows = count_of(c.rows()), columns = count_of(std::min(kWide, n - from)), inner = count_of(a.columns()),
              stride = stride_of(c.rows());
    const double minus = -1, one = 1;
    const Blas blas;
    dgemm_("N", "T", &rows, &columns, &inner, &minus, a.data(), &stride, b.data() + from, &stride, &one,
           c.column(from).data(), &stride);
  });
}

std::vector<double> eigenvectors(Matrix& a) {
  const int n = count_of(a.rows()), stride = stride_of(a.rows());
  std::vector<double> values(a.rows());
  if (n == 0) return values;
  int info = 0, query = -1, int_size = 0;
  double size = 0;
  const Blas blas;
  dsyevd_("V", "L", &n, a.data(), &stride, values.data(), &size, &query, &int_size, &query, &info);
  std::vector<double> work(static_cast<std::size_t>(size));
  std::vector<int> int_work(static_cast<std::size_t>(int_size));
  const int work_size = static_cast<int>(work.size());
  dsyevd_("V", "L", &n, a.data(), &stride, values.data(), work.data(), &work_size, int_work.data(), &int_size, &info);
  if (info != 0) throw DataError({"", 0, 0}, "the eigenvalues of a matrix were not found: its numbers are too large");
  for (std::size_t j = 0; j < a.columns(); ++j) {
    const std::span<double> v = a.column(j);
    const auto largest = std::max_element(v.begin(), v.end(), [](double x, double y) {
      return std::fabs(x) < std::fabs(y) - 1e-12;  // near ties go to the first
    });
    if (*largest < 0)
      for (double& x : v) x = -x;
  }
  return values;
}

}  // namespace postil
