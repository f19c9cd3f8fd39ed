// arow.cpp: adaptive regularisation of weights.
//
// Source   Crammer, Kulesza and Dredze, Adaptive Regularization of Weight Vectors, NIPS 2009   [crammer2009arow]
//          regression: Vaits and Crammer, Re-Adapting the Regularization of Weights for Non-Stationary Regression, ALT 2011,
//          section 2 [vaits2011readapting]
// Problem  min KL(N(w, V) | N(w_t, V_t)) + 1/(2r) max(0, 1 - y w'x)^2 + 1/(2r) x'V x
//          regression: (y - w'x)^2 in place of max(0, 1 - y w'x)^2
// Updates  h = 1 - y w'x;  if h > 0:   w += y h / (x'V x + r) V x    and
//          full       V -= V x x'V / (x'V x + r)
//          diagonal   1/V_jj += x_j^2 / r,   the diagonal of the same update of V^-1
//          regression: y - w'x in place of y h, every round. With the full V and one r this is ridge regression on all rows so far.
// Cost     diagonal O(nnz(x)), full O(n^2) a round.
// Choices  `relative`: r times the mean |x|^2 of the rows so far, this one included, so that r does not depend on their
//          scale.  The constant feature has its own entry of V.  An example of weight c has r / c in place of r.
//          Its weights settle by themselves, so that averaging only delays them: off by default (docs/defaults.md).
//          `drift`: V = (1 - drift) V + drift I after each update, as if the weights moved a little by themselves: old rows count
//          less and less, and V keeps its size. Full V only: of the diagonal this would cost O(n).
//          Shards: V^-1 and V^-1 w gain what each shard has added to them. Regression with the full V, no drift and one r is then ridge
//          regression on all rows, however they are divided. drift=0 only: what is forgotten cannot be added up.
//          Regression: V is full by default, and the diagonal of what it was from kWidestByDefault features on.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/math.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "solvers/sweep.hpp"

namespace postil {
namespace {

constexpr Range kShare{0, 1, false, true};
constexpr ParamSpec kParams[] = {
    number_param("r", "r", 0.3, Range::positive, "how little an example counts: large r, small steps"),
    flag_param("relative", true, "r is in units of the mean |x|^2 so far"),
    flag_param("full", false, "a full matrix V instead of its diagonal: n^2 numbers"),
    number_param("drift", "", 0, kShare,
                 "how fast old rows count less: this share of the first V comes back with each row; full V only"),
    kStartParam,
    kBiasParam,
    average_param("none")};

constexpr std::size_t kWidestFull = 5000;      // 200 MB of V
constexpr std::size_t kWidestByDefault = 200;  // of regression, where nobody need have asked for the full V

class Arow final : public LinearLearner {
 public:
  Arow(const Params& params, bool numbers)
      : LinearLearner(params, params.flag("relative")),
        r_(params.number("r")),
        relative_(params.flag("relative")),
        drift_(params.number("drift")),
        numbers_(numbers),
        full_(params.flag("full")) {
    if (!full_) return;
    v_ = {1};
    vx_ = {0};
  }

  void grow(std::size_t features) override {
    if (full_ && numbers_ && features > kWidestByDefault) become_diagonal();
    if (full_ && features > kWidestFull)
      throw ParamError({.code = Code::too_many,
                        .subject = {"parameter", "full"},
                        .message = fmt::format("arow: full=true keeps {} x {} numbers; at most {} features", features,
                                               features, kWidestFull),
                        .found = fmt::format("{} features", features),
                        .expected = fmt::format("at most {}", kWidestFull)});
    LinearLearner::grow(features);
    if (!full_) {
      if (features > v_.size()) v_.resize(features, 1);
      return;
    }
    if (features <= n_) return;
    // The constant feature stays first; new features start uncorrelated, with variance 1.
    std::vector<double> wider((features + 1) * (features + 1));
    for (std::size_t i = 0; i <= features; ++i) wider[i * (features + 1) + i] = 1;
    for (std::size_t i = 0; i <= n_; ++i)
      std::copy_n(v_.begin() + static_cast<std::ptrdiff_t>(i * (n_ + 1)), n_ + 1,
                  wider.begin() + static_cast<std::ptrdiff_t>(i * (features + 1)));
    v_ = std::move(wider);
    n_ = features;
    vx_.resize(n_ + 1);
  }
  void write(StateWriter& out) const override {
    LinearLearner::write(out);
    out.number("mean_squared_norm", mean_);
    out.counter("seen", seen_);
    out.tensor("variance", v_);
    if (usual_rows_ > 0) {
      out.number("usual_variance", usual_);
      out.counter("usual_rows", usual_rows_);
    }
    if (!full_) out.number("variance_bias", v_bias_);
  }
  void read(StateReader& in) override {
    LinearLearner::read(in);
    in.number("mean_squared_norm", mean_);
    in.counter("seen", seen_);
    in.tensor("variance", v_);
    usual_ = 0;
    usual_rows_ = 0;
    if (in.has("usual_rows")) {
      in.number("usual_variance", usual_);
      in.counter("usual_rows", usual_rows_);
    }
    if (full_ && numbers_ && in.has("variance_bias")) full_ = false;  // it had become so wide
    if (!full_) {
      in.number("variance_bias", v_bias_);
      return;
    }
    n_ = 0;
    while ((n_ + 1) * (n_ + 1) < v_.size()) ++n_;
    vx_.resize(n_ + 1);
  }
  void write_gains(const Learner& start, double /*rows*/, StateWriter& out) const override {
    const auto& before = static_cast<const Arow&>(start);
    Natural mine = natural();
    const Natural theirs = before.natural();
    for (std::size_t k = 0; k < mine.precision.size(); ++k) mine.precision[k] -= theirs.precision[k];
    for (std::size_t k = 0; k < mine.pull.size(); ++k) mine.pull[k] -= theirs.pull[k];
    out.tensor("precision", mine.precision);
    out.tensor("pull", mine.pull);
    const auto seen = static_cast<double>(seen_), seen_before = static_cast<double>(before.seen_);
    out.number("seen", seen - seen_before);
    out.number("squared_norms", seen * mean_ - seen_before * before.mean_);
    w_.write_gained_sums(before.w_, out);
  }
  bool take_gains(StateReader& sums) override {
    Natural all = natural();
    std::vector<double> precision, pull;
    double seen = 0, squared_norms = 0;
    sums.tensor("precision", precision);
    sums.tensor("pull", pull);
    sums.number("seen", seen);
    sums.number("squared_norms", squared_norms);
    for (std::size_t k = 0; k < all.precision.size(); ++k) all.precision[k] += precision.at(k);
    for (std::size_t k = 0; k < all.pull.size(); ++k) all.pull[k] += pull.at(k);
    squared_norms += static_cast<double>(seen_) * mean_;
    seen_ += count_of(seen);
    mean_ = seen_ > 0 ? squared_norms / static_cast<double>(seen_) : 0;
    std::vector<double> w = std::move(all.pull);  // the constant feature's last
    if (full_) {
      v_ = std::move(all.precision);
      invert_by_sweeps(v_, n_ + 1);
      const std::vector<double> pulls = std::move(w);  // ... but of a full V first
      w.assign(n_ + 1, 0);
      for (std::size_t i = 0; i <= n_; ++i)
        for (std::size_t k = 0; k <= n_; ++k) w[(i + n_) % (n_ + 1)] += v_[i * (n_ + 1) + k] * pulls[k];
    } else {
      for (std::size_t j = 0; j < v_.size(); ++j) {
        w[j] /= all.precision[j];
        v_[j] = 1 / all.precision[j];
      }
      w.back() /= all.precision.back();
      v_bias_ = 1 / all.precision.back();
    }
    w_.take_gained_sums(sums, w);
    return false;
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    if (!LinearLearner::fits(features)) return false;
    if (!(usual_ >= 0 && std::isfinite(usual_))) return false;
    if (full_) return v_.size() == (features + 1) * (features + 1);
    return v_.size() == features && v_bias_ > 0 && std::all_of(v_.begin(), v_.end(), [](double v) { return v > 0; });
  }

  void believe(const Row& x, std::vector<ScoreBelief>& out) const override {
    out.push_back({1, score(x), variance(x)});
  }
  void covary(const Row& x, std::span<const Row> others, std::vector<std::vector<double>>& out) const override {
    const std::vector<double> u = times(x);  // the constant feature's first
    out.emplace_back();
    for (const Row& other : others) {
      double sum = u[0] * w_.constant();
      for (std::size_t k = 0; k < other.count; ++k) sum += u[other.index(k) + 1] * other.value(k);
      out[0].push_back(sum);
    }
  }
  [[nodiscard]] std::optional<double> novelty(const Row& x) const override {
    return usual_ > 0 ? std::optional(variance(x) / usual_) : std::nullopt;
  }

 protected:
  bool update(const Row& x, double y, double weight, double f, double xx) override {
    if (weight == 0) return false;
    look_at_usual(x);
    const double r = strength(xx) / weight;
    const double h = 1 - y * f;
    if (!numbers_ && !(h > 0)) return false;
    const double error = numbers_ ? y - f : y * h;
    if (full_)
      full_step(x, error, r);
    else
      diagonal_step(x, error, r);
    return true;
  }

 private:
  // r of this example; counts it.
  double strength(double xx) {
    if (!relative_) return r_;
    ++seen_;
    mean_ += (xx - mean_) / static_cast<double>(seen_);
    return mean_ > 0 ? r_ * mean_ : r_;
  }

  // Both move w by error / (x'V x + r) V x, and V.
  void diagonal_step(const Row& x, double error, double r) {
    const double b = w_.constant();
    double xvx = v_bias_ * b * b;
    for (std::size_t k = 0; k < x.count; ++k) xvx += v_[x.index(k)] * x.value(k) * x.value(k);
    w_.add(error / (xvx + r), x, v_.data(), v_bias_);
    for (std::size_t k = 0; k < x.count; ++k) {
      double& v = v_[x.index(k)];
      v = 1 / (1 / v + x.value(k) * x.value(k) / r);
    }
    v_bias_ = 1 / (1 / v_bias_ + b * b / r);
  }
  void full_step(const Row& x, double error, double r) {
    const std::size_t size = n_ + 1;
    const double b = w_.constant();
    for (std::size_t i = 0; i < size; ++i) {  // V x, V being symmetric
      const double* row = v_.data() + i * size;
      double sum = row[0] * b;
      for (std::size_t k = 0; k < x.count; ++k) sum += row[x.index(k) + 1] * x.value(k);
      vx_[i] = sum;
    }
    double xvx = vx_[0] * b;
    for (std::size_t k = 0; k < x.count; ++k) xvx += vx_[x.index(k) + 1] * x.value(k);
    w_.add_dense(error / (xvx + r), vx_);
    for (std::size_t i = 0; i < size; ++i) {
      const double factor = vx_[i] / (xvx + r);
      double* row = v_.data() + i * size;
      for (std::size_t j = 0; factor != 0 && j < size; ++j) row[j] -= factor * vx_[j];
      if (drift_ == 0) continue;
      for (std::size_t j = 0; j < size; ++j) row[j] *= 1 - drift_;
      row[i] += drift_;
    }
  }

  // V x, the constant feature's first.
  [[nodiscard]] std::vector<double> times(const Row& x) const {
    const double b = w_.constant();
    const std::size_t size = full_ ? n_ + 1 : v_.size() + 1;
    std::vector<double> u(size);
    u[0] = full_ ? v_[0] * b : v_bias_ * b;
    for (std::size_t i = 1; full_ && i < size; ++i) u[i] = v_[i * size] * b;
    for (std::size_t k = 0; k < x.count; ++k) {
      const std::size_t j = x.index(k) + 1;
      if (full_)
        for (std::size_t i = 0; i < size; ++i) u[i] += v_[j * size + i] * x.value(k);
      else
        u[j] = v_[j - 1] * x.value(k);
    }
    return u;
  }
  [[nodiscard]] double variance(const Row& x) const {
    const double b = w_.constant();
    double sum = full_ ? v_[0] * b * b : v_bias_ * b * b;
    for (std::size_t k = 0; full_ && k < x.count; ++k) {
      const double* row = v_.data() + (x.index(k) + 1) * (n_ + 1);
      double with = 2 * row[0] * b;
      for (std::size_t j = 0; j < x.count; ++j) with += row[x.index(j) + 1] * x.value(j);
      sum += x.value(k) * with;
    }
    if (full_) return std::max(0.0, sum);
    for (std::size_t k = 0; k < x.count; ++k) sum += v_[x.index(k)] * x.value(k) * x.value(k);
    return sum;
  }
  // Every eighth row: a look costs about as much as a step.
  void look_at_usual(const Row& x) {
    constexpr std::uint64_t kEvery = 8;
    constexpr double kLooksLast = 32;
    if (usual_rows_++ % kEvery != 0) return;
    usual_ += (variance(x) - usual_) / std::min(static_cast<double>(usual_rows_ / kEvery + 1), kLooksLast);
  }

  // V^-1 and V^-1 w; of a diagonal V its diagonal, the constant feature last.
  struct Natural {
    std::vector<double> precision, pull;
  };
  [[nodiscard]] Natural natural() const {
    Natural out{v_, w_.present()};
    if (!full_) {
      out.precision.push_back(v_bias_);
      for (std::size_t j = 0; j < out.pull.size(); ++j) {
        out.precision[j] = 1 / out.precision[j];
        out.pull[j] *= out.precision[j];
      }
      return out;
    }
    const std::size_t size = n_ + 1;
    invert_by_sweeps(out.precision, size);
    std::vector<double> w = std::move(out.pull);
    std::rotate(w.begin(), w.end() - 1, w.end());  // the constant feature first
    out.pull.assign(size, 0);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < size; ++k) out.pull[i] += out.precision[i * size + k] * w[k];
    return out;
  }

  void become_diagonal() {
    constexpr double kLeast = 1e-300;  // a variance that rounding has made 0 or less
    std::vector<double> diagonal(n_);
    for (std::size_t j = 0; j < n_; ++j) diagonal[j] = std::max(v_[(j + 1) * (n_ + 2)], kLeast);
    v_bias_ = std::max(v_[0], kLeast);
    v_ = std::move(diagonal);
    full_ = false;
  }

  double r_;
  bool relative_;
  double drift_;
  bool numbers_, full_;
  double mean_ = 0;  // of |x|^2
  std::uint64_t seen_ = 0;
  std::size_t n_ = 0;             // features of a full V
  std::vector<double> v_;         // full: (n + 1) x (n + 1), the constant feature first; else one a feature, ...
  double v_bias_ = 1;             // ... and the constant feature's
  double usual_ = 0;              // x'V x, on the mean over rows looked at lately ...
  std::uint64_t usual_rows_ = 0;  // ... of so many
  std::vector<double> vx_;        // work space
};

constexpr std::string_view kPage = R"(
Keeps, beside each weight, how sure it is of it: features seen often move little, rare ones move much.

**Problem.** Stay close to the present Gaussian over weights, $N(w, V)$, pay $\frac{1}{2r}\max(0, 1 - y w'x)^2$ for the loss and $\frac{1}{2r}x'Vx$ for being unsure.

**Update.** With $h = 1 - y w'x > 0$: $w \leftarrow w + \frac{y h}{x'Vx + r} Vx$; then $V \leftarrow V - \frac{Vxx'V}{x'Vx + r}$ (`full`; with `drift` then $V \leftarrow (1 - d) V + d I$, so that old rows count less), or its diagonal, $1/V_{jj} \leftarrow 1/V_{jj} + x_j^2/r$.

**Regression** (`--task regression`; the default learner there). $h = y - w'x$ in place of $y h$ above, and every row is learned: with the full $V$, and `drift=0` this is ridge regression on all rows so far, whatever the unit of the label. Unless set, `full=true r=0.1 drift=0.0003`; with more than 200 features $V$ is its diagonal.

**When not to use it.** In a world that changes, unless with `full` and `drift`: $V$ only shrinks, so the learner becomes slow. `full` is for a few thousand features at most.
)";

}  // namespace

extern const LearnerInfo arow_info{
    .name = "arow",
    .title = "Adaptive regularisation of weights",
    .reference = "crammer2009arow",
    .mode = Mode::online,
    .takes_advice = false,
    .kernels = false,
    .python_name = "AROWClassifier",
    .params = kParams,
    .make = [](const Params& params) -> std::unique_ptr<Learner> { return std::make_unique<Arow>(params, false); },
    .page = kPage,
    .make_regressor = [](const Params& params) -> std::unique_ptr<Learner> {
      return std::make_unique<Arow>(params, true);
    },
    .regression_settings = "full=true r=0.1 drift=0.0003",
    .default_for = DefaultFor::regression,
    .shards = "what each shard adds to V^-1 and V^-1 w is added up",
    .shard_settings = "drift=0"};

}  // namespace postil
