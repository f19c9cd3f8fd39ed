// esvm_rows.cpp: the rows of the ellipsoidal machine.
//
// Source   docs/mathematics.md B1   [momma2010esvm]
// Choices  q_i = |x_i| (rows=unit): rows are divided by their length, the bias of row i gets the coefficient c_i = 1/|x_i| and its
//          bound becomes C_i |x_i|; then (6) stands as printed.   C_i = rank/(nu m |x_i|), rank = min(n, m) for linear, m for
//          kernels (c_form=rank).
//          Rows that occur more than once count as one with the sum of their C. Rows of length 0 are left out: 1/|x| would make
//          them infinitely heavy.
//          In directions that no row has, w is 0 and B is r/(1-r): known beforehand, and hard on solvers. They see the span.
#include "esvm_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "postil/error.hpp"
#include "solvers/linear_program.hpp"

namespace postil {
namespace {

constexpr std::size_t kMostKernelRows = 20000, kMostFeatures = 20000;
constexpr double kNothing = 1e-24;  // of the largest |x|^2: what rounding leaves of a row of zeros

bool augmented(const Params& params) { return params.choice("bias") == "augmented"; }
bool hard(const Params& params) { return params.choice("margin") == "hard"; }

double own_kernel(const KernelSample& all, std::size_t i) {
  if (all.kernel.kind != Kernel::Kind::precomputed) return all.kernel.of_itself(all.rows.squared_norm(i));
  const Row x = all.rows.row(i);
  for (std::size_t k = 0; k < x.count; ++k)
    if (x.index(k) == i) return x.value(k);
  return 0;
}

EsvmRows choose_rows(const Params& params, const KernelSample& all, std::size_t features) {
  EsvmRows rows;
  const double constant = augmented(params) ? 1 : 0;
  std::map<std::vector<double>, std::size_t> seen;  // row with its label last
  std::size_t both[2] = {};
  double largest = 0;
  for (std::uint32_t i = 0; i < all.rows.size(); ++i) largest = std::max(largest, own_kernel(all, i) + constant);
  for (std::uint32_t i = 0; i < all.rows.size(); ++i) {
    rows.examples += all.weights[i];
    const double self = own_kernel(all, i) + constant;
    check_finite(self);
    if (!(self > kNothing * largest)) {
      if (hard(params) && params.choice("bias") == "free")
        throw DataError({.code = Code::unsupported,
                         .subject = {"row", fmt::format("{}", all.numbers[i] + 1)},
                         .message = fmt::format(
                             "margin=hard: row {} is nothing but zeros and says only on which side the bias lies",
                             all.numbers[i] + 1),
                         .remedy = Text(Option{"set", "bias", "augmented"}, " or ", Option{"scale", "", "standard"},
                                        " makes it a row like others")});
      ++rows.empty;
      continue;
    }
    ++both[all.y[i] > 0 ? 0 : 1];
    std::vector<double> key;
    const Row x = all.rows.row(i);
    key.reserve(x.count + 1);
    for (std::size_t k = 0; k < x.count; ++k) {
      if (!x.dense()) key.push_back(x.index(k));
      key.push_back(x.value(k));
    }
    if (hard(params)) {
      key.push_back(-all.y[i]);
      if (const auto other = seen.find(key); other != seen.end())
        throw DataError({.code = Code::impossible,
                         .subject = {"row", fmt::format("{}", all.numbers[i] + 1)},
                         .message = fmt::format("margin=hard: rows {} and {} are the same but of different classes",
                                                all.numbers[rows.of[other->second]] + 1, all.numbers[i] + 1)});
      key.pop_back();
    }
    key.push_back(all.y[i]);
    const auto [place, fresh] = seen.emplace(std::move(key), rows.of.size());
    if (!fresh) {
      rows.weight[place->second] += all.weights[i];
      continue;
    }
    rows.of.push_back(i);
    rows.weight.push_back(all.weights[i]);
    rows.norm.push_back(std::sqrt(self));
  }
  if (both[0] == 0 || both[1] == 0 || rows.of.empty())
    throw DataError({.code = Code::one_class,
                     .message = "there are examples of one class only (rows of nothing but zeros do not count)",
                     .expected = "examples of two classes"});
  const bool unit = params.choice("rows") == "unit";
  EsvmProblem& problem = rows.problem;
  problem.one_minus_r = params.number("one_minus_r");
  problem.tolerance = params.number("tolerance");
  const double nu = params.number("nu");
  const bool linear = all.kernel.kind == Kernel::Kind::linear;
  const auto dimensions = static_cast<double>(features + (augmented(params) ? 1 : 0));
  if (linear) problem.rank = dimensions;
  const double rank = linear ? std::min(dimensions, rows.examples) : rows.examples;
  for (std::size_t i = 0; i < rows.of.size(); ++i) {
    const double norm = rows.norm[i];
    rows.length.push_back(unit ? norm : 1);
    problem.y.push_back(all.y[rows.of[i]]);
    if (params.choice("bias") == "free") problem.c.push_back(1 / rows.length[i]);
    const std::string& form = params.choice("c_form");
    const double c = form == "rank"    ? rank / (nu * rows.examples * norm)
                     : form == "norm"  ? 1 / (nu * norm)
                     : form == "norm2" ? 1 / (nu * norm * norm)
                                       : 1 / (nu * rows.examples);
    problem.upper.push_back(hard(params) ? std::numeric_limits<double>::infinity()
                                         : c * rows.weight[i] * rows.length[i]);
  }
  return rows;
}

void make_gram(const Params& params, const KernelSample& all, EsvmRows& rows) {
  if (rows.of.size() > kMostKernelRows)
    throw DataError({.code = Code::too_many,
                     .message = fmt::format("{} different rows: a kernel machine with an ellipsoid holds several "
                                            "matrices of rows x rows numbers, for at most {}",
                                            rows.of.size(), kMostKernelRows),
                     .found = fmt::format("{} rows", rows.of.size()),
                     .expected = fmt::format("at most {}", kMostKernelRows),
                     .remedy = Text(Option{"set", "kernel", "linear"}, " has no such limit")});
  const Matrix whole = gram(all.kernel, all.rows);
  rows.k = Matrix(rows.of.size(), rows.of.size());
  const double constant = augmented(params) ? 1 : 0;
  for (std::size_t j = 0; j < rows.of.size(); ++j)
    for (std::size_t i = 0; i < rows.of.size(); ++i)
      rows.k(i, j) = (whole(rows.of[i], rows.of[j]) + constant) / (rows.length[i] * rows.length[j]);
}

void span_only(EsvmRows& rows) {
  const std::size_t n = rows.x.rows();
  Matrix products(n, n);
  add_outer(1, rows.x, 0, products);
  const std::vector<double> values = eigenvectors(products);
  std::size_t lost = 0;
  while (lost < n && values[lost] <= 1e-12 * values.back()) ++lost;
  if (lost == 0 || lost == n) return;
  rows.basis = Matrix(n, n - lost);
  std::copy(products.data() + lost * n, products.data() + n * n, rows.basis.data());
  rows.x = multiply_transposed(rows.basis, rows.x);
  rows.problem.rank = static_cast<double>(n - lost);
}

void make_rows(const Params& params, const KernelSample& all, std::size_t features, EsvmRows& rows) {
  const std::size_t side = features + (augmented(params) ? 1 : 0);
  if (side > kMostFeatures)
    throw DataError({.code = Code::too_many,
                     .subject = {"learner", "esvm"},
                     .message = fmt::format("{} features: the ellipsoid has as many numbers squared", side),
                     .found = fmt::format("{} features", side),
                     .expected = fmt::format("at most {}", kMostFeatures),
                     .remedy = Text(Option{"pca"}, " makes fewer")});
  rows.x = Matrix(side, rows.of.size());
  for (std::size_t i = 0; i < rows.of.size(); ++i) {
    const Row x = all.rows.row(rows.of[i]);
    for (std::size_t k = 0; k < x.count; ++k) rows.x(x.index(k), i) = x.value(k) / rows.length[i];
    if (augmented(params)) rows.x(features, i) = 1 / rows.length[i];
  }
  span_only(rows);
}

}  // namespace

EsvmRows esvm_rows(const Params& params, const KernelSample& all, std::size_t features) {
  EsvmRows rows = choose_rows(params, all, features);
  if (all.kernel.kind == Kernel::Kind::linear)
    make_rows(params, all, features, rows);
  else
    make_gram(params, all, rows);
  return rows;
}

std::vector<double> lifted(const EsvmRows& rows, std::vector<double> w) {
  if (rows.basis.rows() == 0) return w;
  std::vector<double> out(rows.basis.rows());
  multiply(1, rows.basis, w, 0, out);
  return out;
}
std::vector<double> lifted(const EsvmRows& rows, const Matrix& b) {  // V B V' + r/(1-r) (I - VV')
  const Matrix& v = rows.basis;
  if (v.rows() == 0 || b.rows() == 0) return b.values();
  const double outside = rows.problem.r() / rows.problem.one_minus_r;
  Matrix inner = b, across(v.rows(), b.columns()), out(v.rows(), v.rows());
  for (std::size_t j = 0; j < b.rows(); ++j) inner(j, j) -= outside;
  for (std::size_t j = 0; j < b.columns(); ++j) multiply(-1, v, inner.column(j), 0, across.column(j));
  subtract_products(across, v, out);
  for (std::size_t j = 0; j < v.rows(); ++j) out(j, j) += outside;
  return out.values();
}

std::vector<double> separator(const EsvmRows& rows) {
  const std::size_t n = rows.x.rows();
  LinearProgram program;
  for (std::size_t j = 0; j < n; ++j) program.add_column(0, -1, 1);
  const bool bias = rows.problem.free_bias();
  constexpr double kAny = std::numeric_limits<double>::infinity();
  if (bias) program.add_column(0, -kAny, kAny);
  const std::uint32_t margin = program.add_column(-1, 0, 1);
  std::vector<std::pair<std::uint32_t, double>> terms;
  for (std::size_t i = 0; i < rows.x.columns(); ++i) {
    terms.clear();
    for (std::uint32_t j = 0; j < n; ++j)
      if (rows.x(j, i) != 0) terms.emplace_back(j, rows.problem.y[i] * rows.x(j, i));
    if (bias) terms.emplace_back(static_cast<std::uint32_t>(n), rows.problem.coefficient(i));
    terms.emplace_back(margin, -1);
    program.add_row(terms, 0, kAny);
  }
  LinearProgram::Solution solution = program.solve();
  if (solution.status != LinearProgram::Status::optimal || !(solution.x[margin] > 1e-9))
    throw DataError({.code = Code::impossible,
                     .message = "margin=hard: no hyperplane separates the classes",
                     .remedy = Text(Option{"set", "margin", "soft"}, " allows losses")});
  solution.x.resize(n + 1);
  if (!bias) solution.x[n] = 0;
  return solution.x;
}

}  // namespace postil
