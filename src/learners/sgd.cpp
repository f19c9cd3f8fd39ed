// sgd.cpp: stochastic gradient descent.
//
// Source   lecture notes on online learning, equation (1)   [lecture_perceptron]
//          truncated gradient: Langford, Li and Zhang, Sparse Online Learning via Truncated Gradient, JMLR 2009
//          [langford2009truncated];  pegasos steps: Shalev-Shwartz, Singer and Srebro, ICML 2007   [shalev2007pegasos]
// Problem  min sum_t L(f(x_t), y_t) + l2/2 |w|^2 + l1 |w|_1,   f(x) = w'x + b
// Updates  (1)  w = (1 - eta l2) w - eta L'(f(x), y) x,   then every |w_j| shrinks by eta l1, to 0 at most
//          eta = eta0 (constant), eta0/sqrt(t) (invsqrt), eta0/t (inverse), 1/(l2 t) (pegasos)
//          L' = dL/df:
//            perceptron     -y if y f <= 0              squared              f - y, of L = 1/2 (f - y)^2
//            hinge          -y if y f < 1               epsilon-insensitive  sign(f - y) if |f - y| > epsilon
//            squared-hinge  -2 y max(0, 1 - y f)        huber                f - y, cut off at +-epsilon
//            logistic       -y / (1 + exp(y f))
//          Several classes, multiclass=joint: L(f, y) = l(f_y - max of the other f) for perceptron, hinge (Crammer and Singer
//          2001) and squared-hinge; logistic: -log of the softmax. Losses for numbers stay one against the rest.
// Cost     O(nnz(x)) a round: w = s v, and what l1 takes is taken from a feature when it is next looked at.
// Choices  The constant feature is a feature like the others, so l2 shrinks the bias too; l1 leaves it alone.
//          With l1 > 0 the last weights predict, whatever `average` says: a mean of sparse weights is not sparse.
//          An example of weight c has c L in place of L.
//          Shards (iterative parameter mixing): t goes on with the mean of theirs, each counting by its examples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/math.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "losses.hpp"
#include "postil/error.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    choice_param("loss", "hinge", "perceptron|hinge|squared-hinge|logistic|squared|epsilon-insensitive|huber",
                 "what a score costs"),
    number_param("eta0", "η", 1, Range::positive, "step size, or its first value"),
    choice_param("schedule", "constant", "constant|invsqrt|inverse|pegasos", "how the step size falls"),
    number_param("l2", "", 0, Range::non_negative, "weight of 1/2 |w|^2"),
    number_param("l1", "", 0, Range::non_negative, "weight of |w|_1: makes weights exactly 0"),
    number_param("epsilon", "ε", 0.1, Range::non_negative, "width of the epsilon-insensitive and Huber losses"),
    kMulticlassParam,
    kStartParam,
    kBiasParam,
    kAverageParam};

class Steps {
 public:
  explicit Steps(const Params& params)
      : loss_(params.choice("loss"), params.number("epsilon")), eta0_(params.number("eta0")), l2_(params.number("l2")) {
    const std::string& schedule = params.choice("schedule");
    schedule_ = schedule == "constant"  ? Schedule::constant
                : schedule == "invsqrt" ? Schedule::invsqrt
                : schedule == "inverse" ? Schedule::inverse
                                        : Schedule::pegasos;
    if (schedule_ == Schedule::pegasos && l2_ == 0)
      throw ParamError({.code = Code::out_of_range,
                        .subject = {"parameter", "l2"},
                        .message = "sgd: schedule=pegasos takes steps of 1/(l2 t) and needs l2 > 0",
                        .found = "0",
                        .expected = "a number above 0"});
  }

  [[nodiscard]] double slope(double f, double y) const { return loss_.slope(f, y); }  // L'
  double next_eta() {
    ++t_;
    const auto t = static_cast<double>(t_);
    switch (schedule_) {
      case Schedule::constant: return eta0_;
      case Schedule::invsqrt: return eta0_ / std::sqrt(t);
      case Schedule::inverse: return eta0_ / t;
      case Schedule::pegasos: return 1 / (l2_ * t);
    }
    return eta0_;
  }
  [[nodiscard]] double l2() const { return l2_; }
  [[nodiscard]] Rivalry rivalry() const {  // in a joint loss
    return for_numbers() ? Rivalry::none : loss_.logistic() ? Rivalry::softmax : Rivalry::top;
  }
  [[nodiscard]] bool for_numbers() const { return loss_.for_numbers(); }
  void write(StateWriter& out) const { out.counter("t", t_); }
  void read(StateReader& in) { in.counter("t", t_); }
  void write_gains(const Steps& start, double rows, StateWriter& out) const {
    out.number("steps", rows * static_cast<double>(t_ - start.t_));
  }
  void take_gains(StateReader& sums, double rows) {
    double steps = 0;
    sums.number("steps", steps);
    if (rows > 0) t_ += count_of(std::floor(steps / rows + 0.5));
  }

 private:
  enum class Schedule { constant, invsqrt, inverse, pegasos };

  Loss loss_;
  Schedule schedule_;
  double eta0_, l2_;
  std::uint64_t t_ = 0;
};

// Without l1.
class Sgd final : public LinearLearner {
 public:
  explicit Sgd(const Params& params) : LinearLearner(params), steps_(params) {
    if (learns_jointly(params)) set_rivalry(steps_.rivalry());
  }

  void write(StateWriter& out) const override {
    LinearLearner::write(out);
    steps_.write(out);
  }
  void read(StateReader& in) override {
    LinearLearner::read(in);
    steps_.read(in);
  }
  void write_gains(const Learner& start, double rows, StateWriter& out) const override {
    LinearLearner::write_gains(start, rows, out);
    steps_.write_gains(static_cast<const Sgd&>(start).steps_, rows, out);
  }
  bool take_gains(StateReader& sums) override {
    steps_.take_gains(sums, w_.take_gains(sums));
    return false;
  }

 protected:
  bool update(const Row& x, double y, double weight, double f, double /*xx*/) override {
    const double eta = steps_.next_eta();
    const double slope = weight * steps_.slope(f, y);
    if (steps_.l2() > 0) {
      const double kept = 1 - eta * steps_.l2();
      if (kept > 0)
        w_.scale(kept);
      else
        w_.clear();
    }
    if (slope != 0) w_.add(-eta * slope, x);  // (1)
    return slope != 0 || steps_.l2() > 0;
  }

 private:
  Steps steps_;
};

// With l1. w_j = s sign(v_j) max(0, |v_j| - (taken - taken_j)): what l1 took since feature j was last looked at is
// still to be taken.
class TruncatedSgd final : public Learner {
 public:
  explicit TruncatedSgd(const Params& params)
      : steps_(params),
        l1_(params.number("l1")),
        constant_(params.is_word("bias") ? 0 : params.number("bias")),
        rivalry_(learns_jointly(params) ? steps_.rivalry() : Rivalry::none) {}

  void grow(std::size_t features) override {
    if (features <= v_.size()) return;
    v_.resize(features);
    taken_from_.resize(features, taken_);
  }

  [[nodiscard]] double score(const Row& x) const override {
    double sum = bias_ * constant_;
    for (std::size_t k = 0; k < x.count; ++k) sum += x.value(k) * truncated(x.index(k));
    return s_ * sum;
  }

  Step learn(const Row& x, double y, double weight) override {
    const double f = look(x).score;
    return {.score = f, .updated = learn_looked(x, y, weight, 0)};
  }
  [[nodiscard]] Rivalry rivalry() const override { return rivalry_; }
  Looked look(const Row& x) override {
    for (std::size_t k = 0; k < x.count; ++k) {
      const std::uint32_t j = x.index(k);
      v_[j] = truncated(j);
      taken_from_[j] = taken_;
    }
    f_ = s_ * (dot(x, v_.data()) + bias_ * constant_);
    return {f_, f_};
  }
  bool learn_looked(const Row& x, double y, double weight, double others) override {
    const double eta = steps_.next_eta();
    const double slope = weight * steps_.slope(f_ + others, y);
    shrink(1 - eta * steps_.l2());
    axpy(-eta * slope / s_, x, v_.data());  // (1)
    bias_ += -eta * slope / s_ * constant_;
    taken_ += eta * l1_ / s_;
    return true;
  }

  bool turn_round() override {
    for (double& value : v_) value = -value;
    bias_ = -bias_;
    return true;
  }

  void write(StateWriter& out) const override {
    std::vector<double> v(v_.size());
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = truncated(j);
    out.tensor("v", v);
    out.number("v_bias", bias_);
    out.number("s", s_);
    out.number("taken", taken_);
    steps_.write(out);
  }
  void read(StateReader& in) override {
    in.tensor("v", v_);
    in.number("v_bias", bias_);
    in.number("s", s_);
    in.number("taken", taken_);
    taken_from_.assign(v_.size(), taken_);
    steps_.read(in);
  }
  void write_gains(const Learner& start, double rows, StateWriter& out) const override {
    std::vector<double> w;
    for (std::size_t j = 0; j < v_.size(); ++j) w.push_back(rows * s_ * truncated(j));
    out.tensor("weights", w);
    out.number("bias", rows * s_ * bias_);
    out.number("examples", rows);
    steps_.write_gains(static_cast<const TruncatedSgd&>(start).steps_, rows, out);
  }
  bool take_gains(StateReader& sums) override {
    double examples = 0, bias = 0;
    std::vector<double> w;
    sums.number("examples", examples);
    sums.number("bias", bias);
    sums.tensor("weights", w);
    steps_.take_gains(sums, examples);
    if (!(examples > 0)) return false;
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = w.at(j) / examples;
    bias_ = bias / examples;
    s_ = 1;
    taken_ = 0;
    taken_from_.assign(v_.size(), 0);
    return false;
  }

  [[nodiscard]] bool fits(std::size_t features) const override { return v_.size() == features && s_ > 0; }

  [[nodiscard]] std::optional<LinearModel> linear() const override {
    LinearModel out;
    for (std::size_t j = 0; j < v_.size(); ++j) out.weights.push_back(s_ * truncated(j));
    out.bias = s_ * bias_ * constant_;
    return out;
  }

 private:
  [[nodiscard]] double truncated(std::size_t j) const {
    const double left = std::fabs(v_[j]) - (taken_ - taken_from_[j]);
    return left > 0 ? std::copysign(left, v_[j]) : 0;
  }
  void settle() {
    for (std::size_t j = 0; j < v_.size(); ++j) {
      v_[j] = truncated(j);
      taken_from_[j] = taken_;
    }
  }
  void shrink(double kept) {
    s_ *= std::max(0.0, kept);
    if (s_ > 1e-100) return;
    settle();
    for (double& v : v_) v *= s_;
    bias_ *= s_;
    s_ = 1;
    taken_ = 0;
    taken_from_.assign(v_.size(), 0);
  }

  Steps steps_;
  double l1_, constant_;
  std::vector<double> v_, taken_from_;
  double bias_ = 0;  // of the constant feature, in units of v
  double s_ = 1, taken_ = 0;
  Rivalry rivalry_;
  double f_ = 0;  // of the row looked at
};

std::unique_ptr<Learner> make_sgd(const Params& params) {
  if (params.number("l1") > 0) return std::make_unique<TruncatedSgd>(params);
  return std::make_unique<Sgd>(params);
}

constexpr std::string_view kPage = R"(
The plain framework that the others are special cases or cousins of: one step against the gradient of the loss for each example.

**Problem.** Minimise $\sum_t L(f(x_t), y_t) + \frac{l_2}{2}|w|^2 + l_1|w|_1$ with $f(x) = w'x + b$.

**Update.** $w \leftarrow (1 - \eta l_2) w - \eta L'(f(x), y)\, x$; with $l_1 > 0$ every weight then moves by $\eta l_1$ towards 0 and stops there. $\eta$ is `eta0`, `eta0`$/\sqrt t$, `eta0`$/t$ or $1/(l_2 t)$. Several classes with `multiclass=joint`: the loss of $f_y - \max_{c \ne y} f_c$ (hinge: Crammer and Singer, 2001); `logistic`: minus the logarithm of the softmax.

**Regression** (`--task regression`). The losses `squared`, `epsilon-insensitive` and `huber`; unless set, `loss=squared eta0=0.01 average=none`: a mean of weights that began at 0 is slow where labels are far from 0.

**Choices.** $l_1$ leaves the bias alone, and with it the last weights predict, not their average, so that they are sparse.

**When not to use it.** The step size must fit the scale of the data; `pa` and `arow` find theirs by themselves.
)";

}  // namespace

extern const LearnerInfo sgd_info{
    .name = "sgd",
    .title = "Stochastic gradient descent",
    .reference = "lecture_perceptron",
    .mode = Mode::online,
    .takes_advice = false,
    .kernels = false,
    .python_name = "GradientDescentClassifier",
    .params = kParams,
    .make = make_sgd,
    .page = kPage,
    .make_regressor =
        [](const Params& params) {
          if (!Steps(params).for_numbers())
            throw ParamError({.code = Code::unsupported,
                              .subject = {"parameter", "loss"},
                              .message = fmt::format(
                                  "sgd: loss={} is for classes; for regression: squared, epsilon-insensitive or huber",
                                  params.choice("loss")),
                              .found = params.choice("loss"),
                              .expected = "squared, epsilon-insensitive or huber"});
          return make_sgd(params);
        },
    .regression_settings = "loss=squared eta0=0.01 average=none",
    .shards = kMixing,
    .shard_rounds = 3};

}  // namespace postil
