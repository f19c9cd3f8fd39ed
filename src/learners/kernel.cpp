#include "kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/kernels.hpp"
#include "core/math.hpp"
#include "core/parallel.hpp"
#include "postil/error.hpp"

namespace postil {
namespace {

double power(double base, int exponent) {
  double out = 1;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2 == 1) out *= base;
  return out;
}

}  // namespace

void Kernel::apply(std::span<double> values, double xx, const double* zz) const {
  if (kind == Kind::polynomial)
    for (double& value : values) value = power(gamma * value + coef0, degree);
  if (kind != Kind::rbf) return;
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = -gamma * std::max(0.0, xx + zz[k] - 2 * values[k]);
  portable_exp(values);
}

double Kernel::of_itself(double xx) const {
  return kind == Kind::rbf ? 1 : kind == Kind::polynomial ? power(gamma * xx + coef0, degree) : xx;
}

// ---- rows ----

double inner(const Row& a, const Row& b) {
  if (a.dense() && !a.single && b.extent() <= a.count) return dot(b, static_cast<const double*>(a.values));
  if (b.dense() && !b.single && a.extent() <= b.count) return dot(a, static_cast<const double*>(b.values));
  double sum = 0;
  for (std::size_t i = 0, j = 0; i < a.count && j < b.count;) {
    const std::uint32_t at_a = a.index(i), at_b = b.index(j);
    if (at_a == at_b) sum += a.value(i) * b.value(j);
    i += at_a <= at_b ? 1 : 0;
    j += at_b <= at_a ? 1 : 0;
  }
  return sum;
}

KernelRows::KernelRows(std::span<const Row> rows, std::size_t features) : width_(features) {
  std::size_t nonzeros = 0;
  for (const Row& row : rows)
    for (std::size_t k = 0; k < row.count; ++k) nonzeros += row.value(k) != 0 ? 1 : 0;
  const bool dense = 3 * nonzeros >= rows.size() * features;
  if (!dense) starts_.push_back(0);
  values_.reserve(dense ? rows.size() * features : nonzeros);
  norms_.reserve(rows.size());
  for (const Row& row : rows) {
    if (dense) {
      values_.resize(values_.size() + features);
      double* to = values_.data() + values_.size() - features;
      for (std::size_t k = 0; k < row.count; ++k) to[row.index(k)] = row.value(k);
    } else {
      for (std::size_t k = 0; k < row.count; ++k) {
        if (row.value(k) == 0) continue;
        indices_.push_back(row.index(k));
        values_.push_back(row.value(k));
      }
      starts_.push_back(values_.size());
    }
    norms_.push_back(postil::squared_norm(this->row(norms_.size())));
  }
}

Row KernelRows::row(std::size_t i) const {
  if (starts_.empty()) return {.values = values_.data() + i * width_, .count = static_cast<std::uint32_t>(width_)};
  static constexpr std::uint32_t kNone = 0;  // an empty row is still a compressed one
  return {.indices = indices_.empty() ? &kNone : indices_.data() + starts_[i],
          .values = values_.data() + starts_[i],
          .count = static_cast<std::uint32_t>(starts_[i + 1] - starts_[i])};
}

double KernelRows::inner(std::size_t i, const Row& x) const { return postil::inner(row(i), x); }

KernelRows KernelRows::chosen(std::span<const std::uint32_t> rows) const {
  std::vector<Row> list;
  list.reserve(rows.size());
  for (const std::uint32_t i : rows) list.push_back(row(i));
  return {list, width_};
}

KernelRows KernelRows::none() {
  KernelRows out;
  out.starts_.push_back(0);
  return out;
}

void KernelRows::append(const Row& x) {
  for (std::size_t k = 0; k < x.count; ++k) {
    if (x.value(k) == 0) continue;
    indices_.push_back(x.index(k));
    values_.push_back(x.value(k));
  }
  starts_.push_back(values_.size());
  norms_.push_back(postil::squared_norm(row(norms_.size())));
}

void KernelRows::erase(std::size_t i) {
  const std::uint64_t first = starts_[i], length = starts_[i + 1] - first;
  const auto cut = [&](auto& list) {
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(first);
    list.erase(at, at + static_cast<std::ptrdiff_t>(length));
  };
  cut(indices_);
  cut(values_);
  starts_.erase(starts_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  for (std::size_t k = i + 1; k < starts_.size(); ++k) starts_[k] -= length;
  norms_.erase(norms_.begin() + static_cast<std::ptrdiff_t>(i));
}

void KernelRows::write(StateWriter& out, const std::string& name) const {
  out.counter(name + ".width", width_);
  out.tensor(name + ".values", values_);
  out.tensor(name + ".indices", std::vector<double>(indices_.begin(), indices_.end()));
  out.tensor(name + ".starts", std::vector<double>(starts_.begin(), starts_.end()));
  out.tensor(name + ".norms", norms_);
}

void KernelRows::read(StateReader& in, const std::string& name) {
  std::vector<double> indices, starts;
  std::uint64_t width = 0;
  in.counter(name + ".width", width);
  in.tensor(name + ".values", values_);
  in.tensor(name + ".indices", indices);
  in.tensor(name + ".starts", starts);
  in.tensor(name + ".norms", norms_);
  width_ = static_cast<std::size_t>(width);
  const auto fits_in = [&](const std::vector<double>& numbers, double most) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [&](double n) { return n >= 0 && n <= most && n == std::floor(n); });
  };
  damaged_ = !fits_in(indices, 4294967294.0) || !fits_in(starts, static_cast<double>(values_.size()));
  if (damaged_) return;
  indices_.assign(indices.begin(), indices.end());
  starts_.assign(starts.begin(), starts.end());
}

bool KernelRows::whole() const {
  if (damaged_) return false;
  if (starts_.empty())
    return indices_.empty() &&
           (norms_.empty() ? values_.empty()
                           : values_.size() / norms_.size() == width_ && values_.size() % norms_.size() == 0);
  if (starts_.size() != norms_.size() + 1 || indices_.size() != values_.size() || starts_.front() != 0 ||
      starts_.back() != values_.size())
    return false;
  for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
    if (starts_[i] > starts_[i + 1]) return false;
    for (std::uint64_t k = starts_[i]; k < starts_[i + 1]; ++k)
      if (indices_[k] >= width_ || (k > starts_[i] && indices_[k] <= indices_[k - 1])) return false;
  }
  return true;
}

// ---- matrices ----

void check_finite(double value) {
  if (!std::isfinite(value))
    throw DataError({.code = Code::overflow,
                     .message = "kernel values are beyond the largest number: the rows, gamma or degree are too large",
                     .remedy = Text(Option{"scale", "", "standard"}, " may help")});
}

Matrix gram(const Kernel& kernel, const KernelRows& rows) {
  constexpr std::size_t kTile = 128;
  const std::size_t m = rows.size(), tiles = (m + kTile - 1) / kTile;
  Matrix out(m, m);
  if (kernel.kind == Kernel::Kind::precomputed) {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t k = 0; k < rows.row(i).count; ++k) out(rows.row(i).index(k), i) = rows.row(i).value(k);
    return out;
  }
  const bool dense = !rows.compressed();
  Matrix x(dense ? rows.width() : 0, dense ? m : 0);
  for (std::size_t i = 0; dense && i < m; ++i)
    std::copy_n(static_cast<const double*>(rows.row(i).values), rows.width(), x.column(i).begin());
  in_parallel(tiles * (tiles + 1) / 2, [&](std::size_t task) {
    std::size_t a = 0;  // tile row, at or below tile column b
    while ((a + 1) * (a + 2) / 2 <= task) ++a;
    const std::size_t b = task - a * (a + 1) / 2;
    const std::size_t i0 = a * kTile, j0 = b * kTile, high = std::min(kTile, m - i0), wide = std::min(kTile, m - j0);
    if (dense) {
      multiply_block(x, i0, high, j0, wide, &out(i0, j0), m);
    } else {
      std::vector<double> spread(rows.width());
      for (std::size_t j = j0; j < j0 + wide; ++j) {
        const Row z = rows.row(j);
        for (std::size_t k = 0; k < z.count; ++k) spread[z.index(k)] = z.value(k);
        for (std::size_t i = i0; i < i0 + high; ++i) out(i, j) = dot(rows.row(i), spread.data());
        for (std::size_t k = 0; k < z.count; ++k) spread[z.index(k)] = 0;
      }
    }
    for (std::size_t j = j0; j < j0 + wide; ++j) {
      const std::size_t from = std::max(i0, j);  // in tiles on the diagonal, what stands above it is mirrored only
      kernel.apply({&out(from, j), i0 + high - from}, rows.squared_norm(j), rows.squared_norms().data() + from);
      for (std::size_t i = from; i < i0 + high; ++i) out(j, i) = out(i, j);
    }
  });
  for (std::size_t i = 0; i < m; ++i) {
    out(i, i) = kernel.of_itself(rows.squared_norm(i));
    check_finite(out(i, i));  // the others are no larger
  }
  return out;
}

double KernelMatrix::diagonal(std::size_t i) const { return kernel_.of_itself(rows_.squared_norm(i)); }

void KernelMatrix::fill(std::size_t i, std::span<const std::uint32_t> columns, double* out) const {
  const Row x = rows_.row(i);
  constexpr std::size_t kChunk = 256;
  double norms[kChunk];
  for (std::size_t from = 0; from < columns.size(); from += kChunk) {
    const std::size_t n = std::min(kChunk, columns.size() - from);
    for (std::size_t k = 0; k < n; ++k) {
      out[from + k] = rows_.inner(columns[from + k], x);
      norms[k] = rows_.squared_norm(columns[from + k]);
    }
    kernel_.apply({out + from, n}, rows_.squared_norm(i), norms);
  }
}

// ---- samples and models ----

Kernel kernel_of(const Params& params) {
  Kernel kernel;
  const std::string& name = params.choice("kernel");
  kernel.kind = name == "linear"       ? Kernel::Kind::linear
                : name == "polynomial" ? Kernel::Kind::polynomial
                : name == "rbf"        ? Kernel::Kind::rbf
                                       : Kernel::Kind::precomputed;
  kernel.gamma = params.is_word("gamma") ? 1 : params.number("gamma");
  kernel.degree = static_cast<int>(params.number("degree"));
  kernel.coef0 = params.number("coef0");
  return kernel;
}

namespace {

// 1/(features x variance of all values), as scikit-learn has it; 1/features if all values are the same.
double scale_gamma(const KernelRows& rows, std::size_t features) {
  const double count = static_cast<double>(rows.size()) * static_cast<double>(features);
  double sum = 0, squares = 0;
  std::size_t stored = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row x = rows.row(i);
    stored += x.count;
    for (std::size_t k = 0; k < x.count; ++k) sum += x.value(k);
  }
  const double mean = count == 0 ? 0 : sum / count;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row x = rows.row(i);
    for (std::size_t k = 0; k < x.count; ++k) squares += (x.value(k) - mean) * (x.value(k) - mean);
  }
  squares += (count - static_cast<double>(stored)) * mean * mean;  // zeros that are not stored
  const double variance = count == 0 ? 0 : squares / count;
  return 1 / (static_cast<double>(std::max<std::size_t>(features, 1)) * (variance > 1e-300 ? variance : 1));
}

}  // namespace

KernelSample kernel_sample(const Params& params, const Sample& sample, std::size_t features) {
  KernelSample out;
  out.kernel = kernel_of(params);
  std::vector<Row> rows;
  std::size_t k = 0;
  for (const Block& block : sample.blocks)
    for (std::size_t i = 0; i < block.rows(); ++i, ++k) {
      const double weight = sample.weights.empty() ? 1 : sample.weights[k];
      if (std::isnan(sample.y[k]) || weight == 0) continue;
      rows.push_back(block.row(i));
      out.y.push_back(sample.y[k]);
      out.weights.push_back(weight);
      out.numbers.push_back(static_cast<std::uint32_t>(k));
    }
  if (out.kernel.kind == Kernel::Kind::precomputed) {
    if (k != features)
      throw DataError(
          {"", 0, 0},
          fmt::format("kernel=precomputed: there are {} rows of {} numbers, expected as many numbers in a row "
                      "as there are rows",
                      k, features));
    // Only the columns of the rows that are learned from.
    std::vector<std::vector<double>> square(rows.size(), std::vector<double>(rows.size()));
    std::vector<std::int64_t> place(features, -1);
    for (std::size_t i = 0; i < rows.size(); ++i) place[out.numbers[i]] = static_cast<std::int64_t>(i);
    double largest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < rows[i].count; ++j)
        if (const std::int64_t at = place[rows[i].index(j)]; at >= 0) {
          square[i][static_cast<std::size_t>(at)] = rows[i].value(j);
          largest = std::max(largest, std::fabs(rows[i].value(j)));
        }
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::fabs(square[i][j] - square[j][i]) > 1e-7 * largest)
          throw DataError(
              {.code = Code::bad_data,
               .subject = {"parameter", "kernel"},
               .message = fmt::format("kernel=precomputed: the kernel of rows {} and {} is {}, but that of rows {} and "
                                      "{} is {}",
                                      out.numbers[i] + 1, out.numbers[j] + 1, square[i][j], out.numbers[j] + 1,
                                      out.numbers[i] + 1, square[j][i]),
               .remedy = Text("scaling columns (", Option{"scale"}, ") destroys a kernel matrix")});
    std::vector<Row> whole;
    whole.reserve(square.size());
    for (const std::vector<double>& row : square)
      whole.push_back({.values = row.data(), .count = static_cast<std::uint32_t>(row.size())});
    out.rows = KernelRows(whole, square.size());
    return out;
  }
  out.rows = KernelRows(rows, features);
  out.kernel.gamma = gamma_of(params, out.rows, features);
  return out;
}

double gamma_of(const Params& params, const KernelRows& rows, std::size_t features) {
  if (!params.is_word("gamma")) return params.number("gamma");
  return params.choice("gamma") == "auto" ? 1 / static_cast<double>(std::max<std::size_t>(features, 1))
                                          : scale_gamma(rows, features);
}

SmoResult solve_dual(const KernelSample& sample, std::span<const double> p, std::span<const double> upper,
                     std::vector<double> start, bool balanced, const SmoOptions& options) {
  const std::size_t m = sample.rows.size();
  const std::uint64_t needed = static_cast<std::uint64_t>(m) * m * sizeof(double);
  const bool whole = needed <= options.cache || sample.kernel.kind == Kernel::Kind::precomputed;
  const Matrix k = whole ? gram(sample.kernel, sample.rows) : Matrix();
  const GramMatrix at_hand(k);
  const KernelMatrix row_by_row(sample.kernel, sample.rows);
  const SymmetricRows& matrix = whole ? static_cast<const SymmetricRows&>(at_hand) : row_by_row;
  for (std::size_t i = 0; i < m; ++i) check_finite(matrix.diagonal(i));
  return solve_smo({matrix, sample.y, p, upper, std::move(start), balanced}, options);
}

KernelModel::KernelModel(const KernelSample& sample, std::span<const double> coefficients, double bias,
                         std::size_t features)
    : kernel_(sample.kernel), bias_(bias) {
  std::vector<std::uint32_t> kept;
  for (std::uint32_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0) kept.push_back(i);
  if (kernel_.keeps_weights()) {
    weights_.resize(features);
    for (const std::uint32_t i : kept) {
      if (kernel_.kind == Kernel::Kind::precomputed)
        weights_[sample.numbers[i]] = coefficients[i];
      else
        axpy(coefficients[i], sample.rows.row(i), weights_.data());
    }
    return;
  }
  rows_ = sample.rows.chosen(kept);
  for (const std::uint32_t i : kept) coefficients_.push_back(coefficients[i]);
}

void KernelModel::grow(std::size_t features) {
  if (kernel_.keeps_weights()) weights_.resize(std::max(weights_.size(), features));
}

void KernelModel::set_linear(LinearModel model) {
  weights_ = std::move(model.weights);
  bias_ = model.bias;
}

namespace {

// x with all its zeros, so that compressed rows find their values at once. Taken back by the destructor.
class Spread {
 public:
  Spread(const Row& x, std::size_t width, bool wanted) : x_(x), on_(wanted && !x.dense() && x.extent() <= width) {
    if (!on_) return;
    if (values_.size() < width) values_.resize(width);
    for (std::size_t k = 0; k < x.count; ++k) values_[x.index(k)] = x.value(k);
    view_ = {.values = values_.data(), .count = static_cast<std::uint32_t>(width)};
  }
  ~Spread() {
    for (std::size_t k = 0; on_ && k < x_.count; ++k) values_[x_.index(k)] = 0;
  }
  Spread(const Spread&) = delete;
  Spread& operator=(const Spread&) = delete;
  [[nodiscard]] const Row& row() const { return on_ ? view_ : x_; }

 private:
  const Row& x_;
  bool on_;
  Row view_;
  static thread_local std::vector<double> values_;  // zeros between uses
};
thread_local std::vector<double> Spread::values_;

}  // namespace

void KernelRows::values(const Kernel& kernel, const Row& x, std::span<double> out) const {
  const Spread spread(x, width_, compressed());
  for (std::size_t i = 0; i < size(); ++i) out[i] = inner(i, spread.row());
  kernel.apply(out.first(size()), postil::squared_norm(x), norms_.data());
}

void KernelModel::values(const Row& x, std::span<double> out) const { rows_.values(kernel_, x, out); }

double KernelModel::score(const Row& x) const {
  if (kernel_.keeps_weights()) return dot(x, weights_.data()) + bias_;
  constexpr std::size_t kChunk = 256;
  double values[kChunk], sum = 0;
  const double xx = squared_norm(x);
  const Spread spread(x, rows_.width(), rows_.compressed());
  for (std::size_t from = 0; from < rows_.size(); from += kChunk) {
    const std::size_t n = std::min(kChunk, rows_.size() - from);
    for (std::size_t k = 0; k < n; ++k) values[k] = rows_.inner(from + k, spread.row());
    kernel_.apply({values, n}, xx, rows_.squared_norms().data() + from);
    sum += dot(std::span<const double>(coefficients_).subspan(from, n), {values, n});
  }
  return sum + bias_;
}

std::optional<LinearModel> KernelModel::linear() const {
  if (!kernel_.keeps_weights()) return std::nullopt;
  return LinearModel{weights_, bias_};
}

std::optional<KernelExpansion> KernelModel::expansion() const {
  if (kernel_.keeps_weights()) return std::nullopt;
  return expansion_of(kernel_, rows_, coefficients_, bias_);
}

KernelExpansion expansion_of(const Kernel& kernel, const KernelRows& rows, std::vector<double> coefficients,
                             double bias) {
  KernelExpansion out{kernel.kind == Kernel::Kind::rbf ? "rbf" : "polynomial",
                      kernel.gamma,
                      kernel.coef0,
                      kernel.degree,
                      {},
                      std::move(coefficients),
                      bias};
  out.rows.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row x = rows.row(i);
    for (std::size_t k = 0; k < x.count; ++k)
      if (x.value(k) != 0) out.rows[i].emplace_back(x.index(k), x.value(k));
  }
  return out;
}

bool KernelModel::fits(std::size_t features) const {
  if (kernel_.keeps_weights()) return weights_.size() == features;
  return rows_.whole() && rows_.size() == coefficients_.size() && rows_.width() == features;
}

}  // namespace postil
