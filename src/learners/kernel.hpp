// Kernels between rows, and the rows that a kernel machine keeps.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "pairs.hpp"
#include "postil/archive.hpp"
#include "postil/learner.hpp"
#include "postil/params.hpp"
#include "postil/row.hpp"
#include "solvers/dense.hpp"
#include "solvers/smo.hpp"

namespace postil {

constexpr std::string_view kKernels = "linear|polynomial|rbf|precomputed";
constexpr ParamSpec feature_kernel_param(std::string_view standard) {
  return choice_param("kernel", standard, "linear|polynomial|rbf",
                      "x'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2)");
}
constexpr ParamSpec kernel_param(std::string_view standard) {
  return choice_param("kernel", standard, kKernels,
                      "x'z; (gamma x'z + coef0)^degree; exp(-gamma |x - z|^2); the rows are kernel values with the "
                      "training rows, in their order");
}
constexpr ParamSpec kGammaParam =
    choice_or_number_param("gamma", "γ", "scale", Range::positive, "scale|auto",
                           "of the kernel; scale: 1/(features x variance of all values), auto: 1/features");
constexpr ParamSpec kDegreeParam = integer_param("degree", "", 3, {1, 20}, "of the polynomial kernel");
constexpr ParamSpec kCoef0Param = number_param("coef0", "", 0, Range::non_negative, "of the polynomial kernel");

struct Kernel {
  enum class Kind : std::uint8_t { linear, polynomial, rbf, precomputed };
  Kind kind = Kind::linear;
  double gamma = 1, coef0 = 0;
  int degree = 3;

  // From inner products to kernel values, in place: values[k] = x'z_k, with |x|^2 and |z_k|^2.
  void apply(std::span<double> values, double xx, const double* zz) const;
  [[nodiscard]] double of_itself(double xx) const;  // k(x, x)
  // Whether a model is weights over the features: precomputed rows are kernel values, so it is.
  [[nodiscard]] bool keeps_weights() const { return kind == Kind::linear || kind == Kind::precomputed; }
};

// Rows kept for a kernel, dense or compressed, whichever is smaller.
class KernelRows {
 public:
  KernelRows() = default;
  KernelRows(std::span<const Row> rows, std::size_t features);

  [[nodiscard]] std::size_t size() const { return norms_.size(); }
  [[nodiscard]] std::size_t width() const { return width_; }
  [[nodiscard]] Row row(std::size_t i) const;
  [[nodiscard]] bool compressed() const { return !starts_.empty(); }
  [[nodiscard]] double squared_norm(std::size_t i) const { return norms_[i]; }
  [[nodiscard]] const std::vector<double>& squared_norms() const { return norms_; }
  [[nodiscard]] double inner(std::size_t i, const Row& x) const;
  [[nodiscard]] KernelRows chosen(std::span<const std::uint32_t> rows) const;
  // k(x_i, x) of all rows. Needs: out has size() numbers.
  void values(const Kernel& kernel, const Row& x, std::span<double> out) const;

  // For learners that collect rows: compressed, none yet.
  static KernelRows none();
  void grow(std::size_t features) { width_ = std::max(width_, features); }
  void append(const Row& x);  // Needs: none() to begin with, and no feature beyond what it was grown to
  void erase(std::size_t i);

  void write(StateWriter& out, const std::string& name = "rows") const;
  void read(StateReader& in, const std::string& name = "rows");
  [[nodiscard]] bool whole() const;  // after reading

 private:
  std::size_t width_ = 0;
  std::vector<double> values_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint64_t> starts_;  // empty: dense
  std::vector<double> norms_;
  bool damaged_ = false;
};

// Inner product of two rows, however they are stored.
double inner(const Row& a, const Row& b);
// What gamma=scale or gamma=auto comes to for these rows.
double gamma_of(const Params& params, const KernelRows& rows, std::size_t features);

void check_finite(double value);  // throws DataError: kernel values beyond the largest double
// k(x_i, x_j) of all rows, in blocks, on all CPUs; precomputed: the rows themselves. Symmetric and finite, or it throws.
Matrix gram(const Kernel& kernel, const KernelRows& rows);

// The same, row by row when wanted.
class KernelMatrix final : public SymmetricRows {
 public:
  KernelMatrix(const Kernel& kernel, const KernelRows& rows) : kernel_(kernel), rows_(rows) {}
  [[nodiscard]] std::size_t size() const override { return rows_.size(); }
  [[nodiscard]] double diagonal(std::size_t i) const override;
  void fill(std::size_t i, std::span<const std::uint32_t> columns, double* out) const override;

 private:
  const Kernel& kernel_;
  const KernelRows& rows_;
};

class GramMatrix final : public SymmetricRows {
 public:
  explicit GramMatrix(const Matrix& k) : k_(k) {}
  [[nodiscard]] std::size_t size() const override { return k_.rows(); }
  [[nodiscard]] double diagonal(std::size_t i) const override { return k_(i, i); }
  void fill(std::size_t i, std::span<const std::uint32_t> columns, double* out) const override {
    for (std::size_t k = 0; k < columns.size(); ++k) out[k] = k_(columns[k], i);
  }
  [[nodiscard]] const double* whole(std::size_t i) const override { return k_.column(i).data(); }

 private:
  const Matrix& k_;
};

// The examples of a batch learner, ready for a kernel.
struct KernelSample {
  Kernel kernel;
  KernelRows rows;
  std::vector<double> y, weights;
  // precomputed: which of the training file's rows these are, and so which columns belong to them.
  std::vector<std::uint32_t> numbers;
};
// Reads the parameters kernel, gamma, degree, coef0. Rows of weight 0 are left out. Throws DataError if the kernel is
// precomputed and the rows are not a symmetric matrix.
KernelSample kernel_sample(const Params& params, const Sample& sample, std::size_t features);

// The dual of a machine over these rows (smo.hpp); the kernel matrix stands in memory if it fits into the cache.
SmoResult solve_dual(const KernelSample& sample, std::span<const double> p, std::span<const double> upper,
                     std::vector<double> start, bool balanced, const SmoOptions& options);

// score = sum_i coefficient_i k(x_i, x) + bias. Linear (and precomputed) kernels are kept as weights.
class KernelModel {
 public:
  KernelModel() = default;
  explicit KernelModel(const Kernel& kernel) : kernel_(kernel) {}
  KernelModel(const KernelSample& sample, std::span<const double> coefficients, double bias, std::size_t features);

  void grow(std::size_t features);
  [[nodiscard]] double score(const Row& x) const;
  // k(x_i, x) of the rows kept. Needs: out has support() numbers.
  void values(const Row& x, std::span<double> out) const;
  [[nodiscard]] std::optional<LinearModel> linear() const;
  [[nodiscard]] std::optional<KernelExpansion> expansion() const;  // none: linear
  [[nodiscard]] std::size_t support() const { return coefficients_.size(); }
  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  void set_linear(LinearModel model);

  void write(StateWriter& out) const { state(*this, out); }
  void read(StateReader& in) { state(*this, in); }
  [[nodiscard]] bool fits(std::size_t features) const;

 private:
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.number("b", self.bias_);
    if (self.kernel_.keeps_weights()) {
      archive.tensor("w", self.weights_);
      return;
    }
    archive.number("gamma", self.kernel_.gamma);
    archive.tensor("coefficients", self.coefficients_);
    transfer(archive, self.rows_);
  }

  Kernel kernel_;
  KernelRows rows_;
  std::vector<double> coefficients_;
  std::vector<double> weights_;
  double bias_ = 0;
};

// For other programs. Needs: no linear kernel.
KernelExpansion expansion_of(const Kernel& kernel, const KernelRows& rows, std::vector<double> coefficients,
                             double bias);

Kernel kernel_of(const Params& params);  // gamma: as given, 1 if it is a word

// What the kernel machines have in common: all but how they are fitted.
class KernelLearner : public Learner {
 public:
  explicit KernelLearner(const Params& params) : params_(params), model_(kernel_of(params)) {}
  [[nodiscard]] Rivalry rivalry() const override { return pairs_or_none(params_); }

  void grow(std::size_t features) override {
    features_ = std::max(features_, features);
    model_.grow(features);
  }
  [[nodiscard]] double score(const Row& x) const override { return model_.score(x); }
  Step learn(const Row& x, double /*y*/, double /*weight*/) override { return {.score = score(x), .updated = false}; }
  void write(StateWriter& out) const override { model_.write(out); }
  void read(StateReader& in) override { model_.read(in); }
  [[nodiscard]] bool fits(std::size_t features) const override { return model_.fits(features); }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return model_.linear(); }
  [[nodiscard]] std::optional<KernelExpansion> expansion() const override { return model_.expansion(); }

 protected:
  Params params_;
  KernelModel model_;
  std::size_t features_ = 0;
};

}  // namespace postil
