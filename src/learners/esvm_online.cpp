// esvm_online.cpp: the linear ellipsoidal machine, one example after the other.
//
// Source   002, Algorithm 1, corrected as in docs/mathematics.md B4   [momma2010esvm]
// Problem  (14)  min f(B, w) = -log|B| + (1/m) sum_i C_i max(0, x_i'B x_i - y_i x_i'w),  tr B <= 1/R,  |w| <= 1,
//                C_i = 1/(nu |x_i|),  R = max |x_i|
// Update   1    B_1 = I/(nR), w_1 = 0
//          (b)  eta_1 = 1/2, eta_t = 1/t                              (printed 1/(2t), which breaks the proof)
//          (c)  sigma = 1 if x'Bx - y x'w >= 0;   B^-1 <- (1 - eta) B^-1 + eta sigma C xx',
//               B <- (1/(1-eta)) [B - eta sigma C/((1-eta) + eta sigma C x'Bx) Bx (Bx)']        (the printed formula is wrong)
//          (d)  if tr B > 1/R:  B <- (B^-1 + theta I)^-1 with tr = 1/R, the exact Burg projection; every clamp(t/100, 1, n) rounds
//          (e)  w += eta sigma C y x (step=harmonic), or nu/sqrt(t) in place of eta (step=sqrt)
//          (f)  w <- w/max(1, |w|)
// Output   the average of w_t; the last B, projected (novelty: B as it stands, at most n rounds after its last projection), or with
//          ellipsoid=average the mean of B_1 ... B_T, which is Theorem 2's.
// Cost     O(n nnz(x)) for Bx, O(n^2) where sigma = 1; B^-1 is kept beside B, O(nnz(x)^2), so that a projection is one or two
//          inversions: Newton on 1/tr in theta, which is all but linear.
// Stop     the paper's rule is a heuristic (docs/mathematics.md B4):
//          (1/T)(n ln(1 + 1/(n^2 nu)) + 1/2 + sum (1/eta)[D_B + D_w]) <= epsilon
//          It omits terms that do not cancel. step=sqrt leaves out D_w too.
// Bounds   sums of f_t(B_t, w_t), of D_B/eta and of the steps of w are kept for src/eval/ellipsoid_bounds.cpp: O(1) a round.
// Choices  R is the largest |x| so far, not that of the whole file; a longer row raises it, and the next projection counts. A bias is a constant feature.
//          OpenBLAS inverts: last bits may differ between types of CPU.   Tests: tests/oracle/esvm_online_test.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/clones.hpp"
#include "core/kernels.hpp"
#include "core/math.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "solvers/dense.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("nu", "ν", 0.1, Range::positive, "how little losses weigh"),
    number_param("epsilon", "ε", 0, Range::non_negative,
                 "stop when the paper's heuristic says so much is left to gain; 0: never"),
    choice_param("step", "sqrt", "sqrt|harmonic", "of w: nu/sqrt(t), or 1/t as in the paper"),
    choice_param("bias", "augmented", "augmented|none", "a constant feature 1, or none"),
    flag_param("average", true, "predict with the average of the weights, not with the last"),
    choice_param(
        "ellipsoid", "last", "last|average",
        "the B of novelty and axes: the last one, or the average over all rounds, which Theorem 2 is about and "
        "which costs as many numbers again")};

constexpr std::size_t kMostFeatures = 5000;
constexpr double kTraceTolerance = 1e-10;  // of tr B R = 1

// The two operations of a round that touch all of B.
POSTIL_CLONES void multiply_dense(const double* b, const double* x, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 0;
  std::size_t j = 0;
  for (; j + 4 <= n; j += 4) {
    const double *c0 = b + j * n, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
    const double x0 = x[j], x1 = x[j + 1], x2 = x[j + 2], x3 = x[j + 3];
    for (std::size_t i = 0; i < n; ++i) out[i] += (c0[i] * x0 + c1[i] * x1) + (c2[i] * x2 + c3[i] * x3);
  }
  for (; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) out[i] += b[j * n + i] * x[j];
}
POSTIL_CLONES void add_rank_one(double* b, double factor, const double* v, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double f = factor * v[j];
    double* column = b + j * n;
    for (std::size_t i = 0; i < n; ++i) column[i] += f * v[i];
  }
}

class EsvmOnline final : public Learner {
 public:
  explicit EsvmOnline(const Params& params)
      : nu_(params.number("nu")),
        epsilon_(params.number("epsilon")),
        harmonic_(params.choice("step") == "harmonic"),
        constant_(params.choice("bias") == "augmented"),
        average_(params.flag("average")),
        mean_b_(params.choice("ellipsoid") == "average") {}

  void grow(std::size_t features) override {
    const std::size_t n = features + (constant_ ? 1 : 0);
    if (n <= n_) return;
    if (features > kMostFeatures)
      throw DataError(
          {.code = Code::too_many,
           .subject = {"learner", "esvm-online"},
           .message = fmt::format("esvm-online: {} features; the ellipsoid has as many numbers squared, for "
                                  "at most {} of them",
                                  features, kMostFeatures),
           .found = fmt::format("{} features", features),
           .expected = fmt::format("at most {}", kMostFeatures),
           .remedy = Text(Option{"pca"}, " makes fewer")});
    // The constant comes first, so that nothing moves. What was seen of the other features stays.
    const std::size_t old = n_;
    for (Matrix* matrix : {&b_, &p_, &b_sum_}) {
      if (matrix == &b_sum_ && !mean_b_) continue;
      Matrix larger(n, n);
      for (std::size_t j = 0; j < old; ++j) std::copy_n(matrix->column(j).begin(), old, larger.column(j).begin());
      *matrix = std::move(larger);
    }
    work_ = Matrix(n, n);
    n_ = n;
    for (std::vector<double>* vector : {&w_, &sum_}) vector->resize(n);
    x_.assign(n, 0);
    bx_.assign(n, 0);
    if (r_ > 0) begin(old);
  }

  [[nodiscard]] double score(const Row& x) const override {
    if (n_ == 0) return 0;
    const std::vector<double>& w = predicting();
    return scale() * (dot(x, w.data() + offset()) + (constant_ ? w[0] : 0));
  }

  Step learn(const Row& x, double y, double weight) override {
    Step step{.score = score(x), .updated = false};
    const double norm = std::sqrt(squared_norm(x) + (constant_ ? 1 : 0));
    if (!(norm > 0) || !std::isfinite(norm * norm) || weight == 0 || done()) return step;
    if (norm > r_) {  // the first row, or a longer one than all before: the next projection sees to it
      const bool first = r_ == 0;
      r_ = norm;
      if (first) {
        first_ = norm;
        begin(0);
      }
    }
    const double t = static_cast<double>(++rounds_), n = static_cast<double>(n_);
    const double eta = rounds_ == 1 ? 0.5 : 1 / t, c = weight / (nu_ * norm);
    times_b(x);
    const double xbx = b_scale_ * (dot(x, bx_.data() + offset()) + (constant_ ? bx_[0] : 0));
    const double now = dot(x, w_.data() + offset()) + (constant_ ? w_[0] : 0);
    const bool active = xbx - y * now >= 0;  // sigma
    const double gain = active ? eta * c : 0;
    loss_ += c * std::max(0.0, xbx - y * now) - log_det_;  // f_t
    if (mean_b_) axpy(b_scale_, b_.values(), b_sum_.values());
    if (active) {  // (c)
      // b_scale_ B^ - [gain/((1-eta) + gain x'Bx)] b_scale_^2 B^x (B^x)'
      const double factor = -gain * b_scale_ / ((1 - eta) + gain * xbx);
      add_rank_one(b_.data(), factor, bx_.data(), n_);
      trace_ += factor * dot(std::span<const double>(bx_), std::span<const double>(bx_));
      add_outer_row(gain / (p_scale_ * (1 - eta)), x);
      const double s = harmonic_ ? gain * y : nu_ / std::sqrt(t) * c * y;  // (e)
      pushes_ += std::fabs(s) * c * norm * norm / 2;
      axpy(s, x, w_.data() + offset());
      if (constant_) w_[0] += s;
      const double length = std::sqrt(dot(std::span<const double>(w_), std::span<const double>(w_)));
      if (length > 1)
        for (double& value : w_) value /= length;  // (f)
      step.updated = true;
    }
    b_scale_ /= 1 - eta;
    p_scale_ *= 1 - eta;
    const double z = gain * xbx;
    const double wider = -n * portable_log1p(-eta) - portable_log1p(z / (1 - eta));  // log|B_half| - log|B|
    log_det_ += wider;
    divergences_ += (z - n * eta + wider) / eta;
    if (active && harmonic_) divergences_ += gain * gain * norm * norm / 2 / eta;
    ++since_;
    if (static_cast<double>(since_) >= std::clamp(t / 100, 1.0, n)) project();
    axpy(1, w_, sum_);
    return step;
  }

  [[nodiscard]] bool done() const override { return epsilon_ > 0 && rounds_ > n_ && heuristic() <= epsilon_; }

  bool turn_round() override {
    for (std::vector<double>* weights : {&w_, &sum_})
      for (double& value : *weights) value = -value;
    return true;
  }

  template <class Self, class Archive>
  static void numbers(Self& self, Archive& archive) {
    archive.tensor("B", self.b_.values());
    archive.tensor("P", self.p_.values());
    archive.tensor("w", self.w_);
    archive.tensor("sum", self.sum_);
    archive.number("B.scale", self.b_scale_);
    archive.number("P.scale", self.p_scale_);
    archive.number("trace", self.trace_);
    archive.number("R", self.r_);
    archive.number("divergences", self.divergences_);
    archive.counter("rounds", self.rounds_);
    archive.counter("since", self.since_);
    if (self.mean_b_) archive.tensor("B.sum", self.b_sum_.values());
  }
  void write(StateWriter& out) const override {
    out.counter("n", n_);
    numbers(*this, out);
    out.number("R.first", first_);
    out.number("log_det", log_det_);
    out.number("loss", loss_);
    out.number("pushes", pushes_);
  }
  void read(StateReader& in) override {
    std::uint64_t n = 0;
    in.counter("n", n);
    numbers(*this, in);
    if (in.has("R.first")) {  // files of older releases have no sums for bounds
      in.number("R.first", first_);
      in.number("log_det", log_det_);
      in.number("loss", loss_);
      in.number("pushes", pushes_);
    }
    whole_ = n <= kMostFeatures + 1 && b_.values().size() == n * n && p_.values().size() == n * n && w_.size() == n &&
             sum_.size() == n && b_sum_.values().size() == (mean_b_ ? n * n : 0) && b_scale_ > 0 && p_scale_ > 0;
    if (!whole_ || n == n_) return;
    n_ = static_cast<std::size_t>(n);
    for (Matrix* matrix : {&b_, &p_, &b_sum_}) {
      if (matrix == &b_sum_ && !mean_b_) continue;
      Matrix shaped(n_, n_);
      shaped.values() = std::move(matrix->values());
      *matrix = std::move(shaped);
    }
    work_ = Matrix(n_, n_);
    x_.assign(n_, 0);
    bx_.assign(n_, 0);
  }
  [[nodiscard]] bool fits(std::size_t features) const override { return whole_ && n_ == features + offset(); }

  [[nodiscard]] std::optional<LinearModel> linear() const override {
    LinearModel out;
    if (n_ == 0) return out;
    const std::vector<double>& w = predicting();
    for (std::size_t j = offset(); j < n_; ++j) out.weights.push_back(scale() * w[j]);
    out.bias = constant_ ? scale() * w[0] : 0;
    return out;
  }
  [[nodiscard]] std::optional<double> novelty(const Row& x) const override {
    if (r_ == 0) return std::nullopt;
    const Matrix& b = mean_b_ ? b_sum_ : b_;
    double sum = constant_ ? b(0, 0) : 0;
    for (std::size_t k = 0; k < x.count; ++k) {
      const std::span<const double> column = b.column(x.index(k) + offset());
      sum += x.value(k) * (dot(x, column.data() + offset()) + (constant_ ? 2 * column[0] : 0));
    }
    return sum * (mean_b_ ? 1 / static_cast<double>(rounds_) : b_scale_);
  }
  [[nodiscard]] std::optional<LearnedMetric> metric() const override {
    if (r_ == 0) return std::nullopt;
    EsvmOnline last = *this;
    last.project();
    const Matrix& b = mean_b_ ? b_sum_ : last.b_;
    const double factor = mean_b_ ? 1 / static_cast<double>(rounds_) : last.b_scale_;
    LearnedMetric out{std::vector<double>(n_ * n_), constant_};
    const auto place = [&](std::size_t j) {
      return constant_ ? (j == 0 ? n_ - 1 : j - 1) : j;
    };  // the constant goes last
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t i = 0; i < n_; ++i) out.values[place(i) * n_ + place(j)] = factor * b(i, j);
    return out;
  }

 private:
  // The weights that predict are scale() predicting().
  [[nodiscard]] const std::vector<double>& predicting() const { return average_ ? sum_ : w_; }
  [[nodiscard]] double scale() const { return average_ && rounds_ > 0 ? 1 / static_cast<double>(rounds_) : 1; }
  [[nodiscard]] std::size_t offset() const { return constant_ ? 1 : 0; }

  // Features from `old` on begin as B_1 has them.
  void begin(std::size_t old) {
    const double start = static_cast<double>(n_) * r_;
    for (std::size_t j = old; j < n_; ++j) {
      b_(j, j) = 1 / (start * b_scale_);
      p_(j, j) = start / p_scale_;
      trace_ += b_(j, j);
      log_det_ -= std::log(start);
      if (mean_b_) b_sum_(j, j) = static_cast<double>(rounds_) / start;
    }
    if (old == 0) return;
    first_ = 0;  // more features than at first: the bounds do not speak of that
    project();
  }

  void times_b(const Row& x) {
    if (x.dense() && !x.single) {
      if (constant_) x_[0] = 1;
      std::copy_n(static_cast<const double*>(x.values), x.count, x_.begin() + static_cast<std::ptrdiff_t>(offset()));
      std::fill(x_.begin() + static_cast<std::ptrdiff_t>(offset() + x.count), x_.end(), 0);
      multiply_dense(b_.data(), x_.data(), bx_.data(), n_);
      return;
    }
    if (constant_)
      std::copy_n(b_.data(), n_, bx_.begin());
    else
      std::fill(bx_.begin(), bx_.end(), 0);
    for (std::size_t k = 0; k < x.count; ++k) axpy(x.value(k), b_.column(x.index(k) + offset()), bx_);
  }

  // P^ += factor xx', on and below the diagonal.
  void add_outer_row(double factor, const Row& x) {
    if (constant_) {
      p_(0, 0) += factor;
      for (std::size_t k = 0; k < x.count; ++k) p_(x.index(k) + 1, 0) += factor * x.value(k);
    }
    if (x.dense() && !x.single) {
      const auto* values = static_cast<const double*>(x.values);
      for (std::size_t j = 0; j < x.count; ++j)
        axpy(factor * values[j], {values + j, x.count - j}, p_.column(j + offset()).subspan(j + offset()));
      return;
    }
    for (std::size_t k = 0; k < x.count; ++k) {
      const double f = factor * x.value(k);
      double* column = p_.column(x.index(k) + offset()).data() + offset();
      for (std::size_t l = k; l < x.count; ++l) column[x.index(l)] += f * x.value(l);
    }
  }

  // (d)
  void project() {
    since_ = 0;
    double trace = b_scale_ * trace_;
    if (trace <= (1 + kTraceTolerance) / r_) return;
    double squares =
        b_scale_ * b_scale_ * dot(std::span<const double>(b_.values()), std::span<const double>(b_.values()));
    double theta = 0, log_det = log_det_;
    for (int round = 0; round < 50 && std::fabs(trace * r_ - 1) > kTraceTolerance; ++round) {
      theta = std::max(theta + (r_ - 1 / trace) * trace * trace / squares, 0.0);
      for (std::size_t j = 0; j < n_; ++j) {
        double* to = work_.column(j).data();
        const double* from = p_.column(j).data();
        for (std::size_t i = j; i < n_; ++i) to[i] = p_scale_ * from[i];
        to[j] += theta;
      }
      if (!factorise(work_)) return;  // numbers near the end of what doubles hold; the next projection tries again
      log_det = -log_determinant(work_);
      invert_factorised(work_);
      trace = 0;
      for (std::size_t j = 0; j < n_; ++j) trace += work_(j, j);
      squares = dot(std::span<const double>(work_.values()), std::span<const double>(work_.values()));
    }
    std::swap(b_, work_);
    b_scale_ = 1;
    log_det_ = log_det;
    trace_ = trace;
    for (std::size_t j = 0; j < n_; ++j) p_(j, j) += theta / p_scale_;
  }

  [[nodiscard]] double heuristic() const {
    const auto n = static_cast<double>(n_);
    return (n * portable_log1p(1 / (n * n * nu_)) + 0.5 + divergences_) / static_cast<double>(rounds_);
  }

  double nu_, epsilon_;
  bool harmonic_, constant_, average_, mean_b_;
  std::size_t n_ = 0;
  Matrix b_, p_, work_;  // B = b_scale_ b_;  B^-1 = p_scale_ p_, on and below the diagonal
  std::vector<double> w_, sum_, x_, bx_;
  double b_scale_ = 1, p_scale_ = 1;
  double trace_ = 0;  // of b_
  double r_ = 0, divergences_ = 0;
  Matrix b_sum_;        // of B_t, with ellipsoid=average
  double first_ = 0;    // |x_1|, of which B_1 was made; 0: there are no sums for bounds
  double log_det_ = 0;  // log|B|
  double loss_ = 0, pushes_ = 0;
  std::uint64_t rounds_ = 0, since_ = 0;
  bool whole_ = true;
};

constexpr std::string_view kPage = R"(
The linear ellipsoidal machine for streams and for data that do not fit the batch solvers: every example costs a multiplication with the $n \times n$ matrix $B$ and, if it lies inside the ellipsoid's reach, an update of rank one.

**Problem.** $\min -\log|B| + \frac1m\sum_i C_i\max(0, x_i'Bx_i - y_i x_i'w)$ with $\mathrm{tr}\,B \le 1/R$, $\|w\| \le 1$, $C_i = 1/(\nu\|x_i\|)$, $R = \max\|x_i\|$: the online problem (14) of the paper, without free bias.

**Update.** $\eta_1 = \frac12$, $\eta_t = 1/t$; if $x'Bx \ge y\,x'w$: $B^{-1} \leftarrow (1-\eta)B^{-1} + \eta C xx'$ and $w \leftarrow w + \frac{\nu}{\sqrt t} C y x$ (`step=harmonic`: $\eta$ in place of $\nu/\sqrt t$); else $B^{-1} \leftarrow (1-\eta)B^{-1}$. Then the exact Burg projection onto $\mathrm{tr}\,B \le 1/R$, not in every round, and $w$ back into the unit ball. It predicts with the average of $w$; the novelty is that of the last $B$. `epsilon` stops it by the paper's rule, which is a heuristic and no proof. `train --bounds` shows what is proved (`step=sqrt`): Theorems 1 and 2 and Corollary 3 of the paper, corrected; docs/mathematics.md B4. With `train --order sample --passes N` it draws its examples as the paper does.

**When not to use it.** With more than some thousand features, or where novelty is not wanted: `arow` and `pa` take a time that grows with the values of a row, not with the square of the features.
)";

}  // namespace

extern const LearnerInfo esvm_online_info{.name = "esvm-online",
                                          .title = "Online ellipsoidal support vector machine",
                                          .reference = "momma2010esvm",
                                          .mode = Mode::online,
                                          .takes_advice = false,
                                          .kernels = false,
                                          .python_name = "OnlineEllipsoidalSVC",
                                          .params = kParams,
                                          .make = make_learner<EsvmOnline>,
                                          .page = kPage,
                                          .promises = Promises::ellipsoid,
                                          .ellipsoid = true};

}  // namespace postil
