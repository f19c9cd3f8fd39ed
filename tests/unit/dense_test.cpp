// Dense matrices, kernels between rows, and the exponential they need.
#include "solvers/dense.hpp"

#include <cmath>

#include "core/math.hpp"
#include "core/parallel.hpp"
#include "learners/kernel.hpp"
#include "support.hpp"

namespace postil {
namespace {

Matrix random_matrix(std::uint64_t seed, std::size_t rows, std::size_t columns) {
  Random random(seed);
  Matrix out(rows, columns);
  for (double& value : out.values()) value = random.normal();
  return out;
}

Matrix product(const Matrix& a, const Matrix& b, bool transposed) {  // a b or a b', by the definition
  Matrix out(a.rows(), transposed ? b.rows() : b.columns());
  for (std::size_t i = 0; i < out.rows(); ++i)
    for (std::size_t j = 0; j < out.columns(); ++j)
      for (std::size_t k = 0; k < a.columns(); ++k) out(i, j) += a(i, k) * (transposed ? b(j, k) : b(k, j));
  return out;
}

void expect_equal(const Matrix& a, const Matrix& b, double close = 1e-10) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  for (std::size_t k = 0; k < a.values().size(); ++k)
    EXPECT_NEAR(a.values()[k], b.values()[k], close * (1 + std::fabs(b.values()[k])));
}

TEST(Dense, FactorsSolveAndInvert) {
  for (const std::size_t n : {std::size_t{1}, std::size_t{40}, std::size_t{600}}) {  // in one block, and in several
    const Matrix half = random_matrix(1, n, n + 30), a = product(half, half, true);
    Matrix l = a;
    ASSERT_TRUE(factorise(l));
    std::vector<double> x(n, 1), back(n);
    solve_factorised(l, x);
    multiply(1, a, x, 0, back);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(back[i], 1, 1e-7);
    const double log_det = log_determinant(l);
    invert_factorised(l);
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> column(n);
      multiply(1, a, l.column(j), 0, column);
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(column[i], i == j ? 1 : 0, 1e-7);
    }
    Matrix copy = a;
    double sum = 0;
    for (const double value : eigenvectors(copy)) sum += std::log(value);
    EXPECT_NEAR(sum, log_det, 1e-8 * (1 + std::fabs(sum)));
  }
  Matrix indefinite(2, 2);
  indefinite(0, 0) = 1;
  indefinite(1, 1) = -1;
  EXPECT_FALSE(factorise(indefinite));
}

TEST(Dense, EigenvectorsRebuildTheMatrix) {
  const Matrix half = random_matrix(2, 12, 9), a = product(half, half, true);
  Matrix v = a;
  const std::vector<double> values = eigenvectors(v);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  Matrix scaled = v;
  for (std::size_t j = 0; j < 12; ++j) {
    for (double& x : scaled.column(j)) x *= values[j];
    const auto largest = std::max_element(v.column(j).begin(), v.column(j).end(),
                                          [](double x, double y) { return std::fabs(x) < std::fabs(y); });
    EXPECT_GT(*largest, 0);
  }
  expect_equal(product(scaled, v, true), a, 1e-9);
}

TEST(Dense, RankFactorsHaveTheRank) {
  const Matrix half = random_matrix(3, 20, 6), a = product(half, half, true);
  const RankFactor factor = factorise_rank(a, 1e-12);
  EXPECT_EQ(factor.f.columns(), 6U);
  expect_equal(product(factor.f, factor.f, true), a, 1e-9);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i + 1; j < 6; ++j) EXPECT_EQ(factor.f(factor.pivots[i], j), 0);
}

TEST(Dense, ProductsAreProducts) {
  const Matrix a = random_matrix(4, 30, 7), b = random_matrix(5, 30, 7);
  Matrix c(30, 30), expected = product(a, b, true);
  subtract_products(a, b, c);
  for (double& value : c.values()) value = -value;
  expect_equal(c, expected);
  Matrix outer(30, 30);
  add_outer(2, a, 0, outer);
  mirror(outer);
  expected = product(a, a, true);
  for (double& value : expected.values()) value *= 2;
  expect_equal(outer, expected);
}

TEST(Dense, ParallelWorkIsDoneOnceEach) {
  std::vector<int> done(1000);
  in_parallel(1000, [&](std::size_t k) { ++done[k]; });
  EXPECT_EQ(std::count(done.begin(), done.end(), 1), 1000);
}

TEST(Kernel, ExponentialsOfManyAreThoseOfOne) {
  std::vector<double> x;
  for (double at = -760; at < 712; at += 0.37) x.push_back(at);
  std::vector<double> y = x;
  portable_exp(y);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = x[i] <= -708 ? 0 : std::exp(std::min(x[i], 709.0));
    EXPECT_NEAR(y[i], expected, 1e-15 * expected) << x[i];
  }
}

// Every form of every kernel is the formula.
TEST(Kernel, ValuesFollowTheFormulas) {
  Random random(7);
  for (const double zeros : {0.1, 0.9}) {
    std::vector<std::vector<double>> x(70, std::vector<double>(9));
    for (auto& row : x)
      for (double& value : row) value = random.uniform() < zeros ? 0 : random.normal();
    std::vector<Row> rows;
    for (const auto& row : x) rows.push_back({.values = row.data(), .count = 9});
    const KernelRows kept(rows, 9);
    EXPECT_EQ(kept.compressed(), zeros > 0.5);
    for (const Kernel::Kind kind : {Kernel::Kind::linear, Kernel::Kind::polynomial, Kernel::Kind::rbf}) {
      const Kernel kernel{kind, 0.3, 1.5, 3};
      const Matrix k = gram(kernel, kept);
      const KernelMatrix by_row(kernel, kept);
      std::vector<std::uint32_t> all(70);
      for (std::uint32_t i = 0; i < 70; ++i) all[i] = i;
      std::vector<double> row(70);
      for (std::size_t i = 0; i < 70; ++i) {
        by_row.fill(i, all, row.data());
        for (std::size_t j = 0; j < 70; ++j) {
          double dot = 0, distance = 0;
          for (std::size_t f = 0; f < 9; ++f) {
            dot += x[i][f] * x[j][f];
            distance += (x[i][f] - x[j][f]) * (x[i][f] - x[j][f]);
          }
          const double expected = kind == Kernel::Kind::linear ? dot
                                  : kind == Kernel::Kind::rbf  ? std::exp(-0.3 * distance)
                                                               : std::pow(0.3 * dot + 1.5, 3);
          EXPECT_NEAR(k(i, j), expected, 1e-12 * (1 + std::fabs(expected)));
          EXPECT_NEAR(row[j], expected, 1e-12 * (1 + std::fabs(expected)));
          EXPECT_EQ(k(i, j), k(j, i));
        }
      }
    }
  }
}

TEST(Kernel, GammaByWords) {
  const std::vector<double> values{1, 2, 3, 4, 5, 9};
  BlockData data;
  data.width = 2;
  data.values.assign(values.begin(), values.end());
  const Block block(std::move(data));
  const std::vector<double> y{1, -1, 1};
  const LearnerInfo& info = find_learner("svm");
  const auto gamma = [&](const char* word) {
    return kernel_sample(Params(info.name, info.params, {{"gamma", word}}), {std::span(&block, 1), y, {}}, 2)
        .kernel.gamma;
  };
  EXPECT_NEAR(gamma("scale"), 1 / (2 * (136.0 / 6 - 16)), 1e-12);  // mean 4, mean of squares 136/6
  EXPECT_EQ(gamma("auto"), 0.5);
  EXPECT_EQ(gamma("7"), 7);
}

}  // namespace
}  // namespace postil
