// gradient_adviceptron.cpp: rules and any convex loss, one example at a time, by projected gradient steps.
//
// Source   Zinkevich, Online Convex Programming and Generalized Infinitesimal Gradient Ascent, ICML 2003   [zinkevich2003ocp], which
//          section 6 of Kunapuli et al., ECML 2010 [kunapuli2010okbsvm] names as the way to other losses.
// Problem  One function of (w, b) a round,  F_t = L(y_t, w'x_t + b) + mu/2 sum_i trust_i l_i(w, b).
//          l_i(w, b) = min over u >= 0 of |D_i'u + z_i (w - h_i)|^2 + (g_i + d_i'u - z_i (b - c_i))_+^2 is what rule i costs, its
//          multipliers done away with: a squared distance to a cone, whose gradient is a projection (advice/advice_loss.hpp).
// Updates  (1)  w = w - eta_t (L'(y, f) x + mu/2 sum_i trust_i grad l_i(w, b)),  eta_t = eta0/sqrt(t);  b likewise
// Theorem  (Zinkevich's 1)  sum_t F_t(w_t) - F_t(w*) <= D^2 sqrt(T)/(2 eta0) + eta0 G^2 (sqrt(T) - 1/2) for every w*, D being the
//          largest distance of the w_t from it and G the longest gradient.  Test: GradientAdviceptron.RegretStaysBelowTheBound.
// Cost     O(nnz(x) + a projection onto each rule's cone): O(k) where its comparisons are about single features.
// Choices  A feature that no rule names costs mu sum trust_i/2 w_j^2, as in problem (5) of the paper.
//          eta_t mu sum trust_i is at most 0.9: longer steps overshoot the rules, the gradient of whose cost has that slope.
//          An example of weight c has c L in place of L.
//          start=advice: the hyperplane that the rules alone ask for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/advice_loss.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "losses.hpp"
#include "postil/error.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    choice_param("loss", "logistic", "logistic|hinge|squared-hinge|squared|epsilon-insensitive|huber",
                 "what an example costs; regression: one of the last three"),
    number_param("eta0", "η", 0.5, Range::positive, "length of the steps: eta0/sqrt(t)"),
    number_param("mu", "μ", 0.01, Range::positive, "weight of the rules"),
    number_param("epsilon", "ε", 0.1, Range::non_negative,
                 "epsilon-insensitive: an error up to this costs nothing; huber: beyond this, errors count linearly"),
    kStartParam,
    choice_param("bias", "1", "1|none", "an intercept, or none"),
    average_param("none")};

class GradientAdviceptron final : public Learner {
 public:
  GradientAdviceptron(const Params& params, bool numbers)
      : loss_(params.choice("loss"), params.number("epsilon")),
        w_(advice_weights(params)),
        eta0_(params.number("eta0")),
        mu_(params.number("mu")),
        start_at_advice_(starts_at_advice(params)) {
    if (numbers && !loss_.for_numbers())
      throw ParamError({.code = Code::unsupported,
                        .subject = {"parameter", "loss"},
                        .message = fmt::format("gradient-adviceptron: loss={} is for classes; for regression: squared, "
                                               "epsilon-insensitive or huber",
                                               params.choice("loss")),
                        .found = params.choice("loss"),
                        .expected = "squared, epsilon-insensitive or huber"});
  }

  void take_advice(const TaskAdvice& advice) override {
    const bool start = start_at_advice_;
    restore_advice(advice);
    if (!advice.features.empty()) w_.grow(advice.features.back().number + 1);
    if (start) begin_at_advice(w_, advice);
  }
  void restore_advice(const TaskAdvice& advice) override {
    advice_ = advice;
    rules_.emplace(advice, Ranges::promised);
    numbers_ = advice.numbers();
    local_.assign(numbers_.size(), 0);
    gradient_.assign(numbers_.size(), 0);
    slope_ = rules_->trust();
    for (const TaskAdvice::Sign& sign : advice.directions)
      slope_ += sign.trust * std::pow(advice.features[advice.place(sign.feature)].spread(), 2);
    start_at_advice_ = false;
  }

  void grow(std::size_t features) override { w_.grow(features); }
  [[nodiscard]] double score(const Row& x) const override { return w_.predicted(x); }

  Step learn(const Row& x, double y, double weight) override {
    const double eta = eta0_ / std::sqrt(static_cast<double>(++t_));
    const LinearWeights::Scores before = w_.scores(x, false);
    follow_rules(eta);  // (1), at the weights of before
    const double step = -eta * weight * loss_.slope(before.now, y);
    if (step != 0) w_.add(step, x);
    const bool moved = step != 0 || (rules_ && !advice_.empty());
    w_.end_round();
    return {.score = before.predicted, .updated = moved};
  }

  void write(StateWriter& out) const override {
    w_.write(out);
    out.counter("t", t_);
  }
  void read(StateReader& in) override {
    w_.read(in);
    in.counter("t", t_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override { return w_.fits(features); }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return w_.predicting(); }

  // What the weights that predict say to the rules.
  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    if (advice_.sets.empty()) return std::nullopt;
    return report_at(advice_, w_.predicting());
  }

 private:
  // (1) without the example.
  void follow_rules(double eta) {
    if (!rules_ || advice_.empty()) return;
    const double mu = std::min(mu_, kLongest / (eta * slope_)), kept = 1 - eta * mu * rules_->trust();
    for (std::size_t f = 0; f < local_.size(); ++f) local_[f] = w_.at(numbers_[f]);
    rules_->forget();  // a round depends on nothing but the state
    rules_->value(local_, w_.bias());
    std::fill(gradient_.begin(), gradient_.end(), 0);
    double bias = 0;
    rules_->add_gradient(eta * mu, gradient_, bias);
    w_.scale_features(
        kept);  // right for features without a rule; the others are put back, and moved by their own gradient
    for (std::size_t f = 0; f < local_.size(); ++f) gradient_[f] = local_[f] * (1 - kept) - gradient_[f];
    w_.absorb(numbers_, gradient_, {}, w_.constant() > 0 ? -bias : 0, 0);
  }

  static constexpr double kLongest = 0.9;

  Loss loss_;
  LinearWeights w_;
  double eta0_, mu_;
  bool start_at_advice_;
  TaskAdvice advice_;
  std::optional<AdviceLoss> rules_;
  std::vector<std::uint32_t> numbers_;    // features that rules name
  std::vector<double> local_, gradient_;  // of these
  double slope_ = 0;                      // how fast the gradient of the rules' cost changes, at most
  std::uint64_t t_ = 0;
};

template <bool kNumbers>
std::unique_ptr<Learner> make(const Params& params) {
  return std::make_unique<GradientAdviceptron>(params, kNumbers);
}

constexpr std::string_view kPage = R"(
The Adviceptron with other losses: each example and all rules are one convex function of the weights, and every round takes one step down its gradient.

**Problem.** $F_t(w, b) = L(y_t, f(x_t)) + \frac\mu2\sum_i \tau_i\ell_i(w, b)$, with the cost of a rule $\ell_i = \min_{u \ge 0} |D_i'u + z_i w|^2 + (g_i + d_i'u - z_i b)_+^2$. `loss` is `logistic`, `hinge` or `squared-hinge`.

**Update.** $(w, b) \leftarrow (w, b) - \eta_t \nabla F_t(w, b)$ with $\eta_t = \eta/\sqrt t$. The gradient of $\frac12\ell_i$ is minus $z_i$ times the projection of $(-z_i w, g_i - z_i b)$ onto the cone over the rule's region, so no multipliers are kept. Zinkevich's theorem: the total cost exceeds that of any fixed $(w^*, b^*)$ by at most
$D^2\sqrt T/(2\eta) + \eta G^2\sqrt T$, with $D$ the largest distance from it and $G$ the longest gradient.

**Regression** (`--task regression`, or rules such as `=> charges >= 20000`). The losses `squared`, `epsilon-insensitive` and `huber`; unless set, `loss=squared eta0=0.1`.

**When not to use it.** Where the closed forms of `pa-adviceptron` serve: their steps need no length. Where labels are numbers of a large size: `epsilon-insensitive` and `huber` move by `eta0` a round, whatever the unit.
)";

}  // namespace

extern const LearnerInfo gradient_adviceptron_info{.name = "gradient-adviceptron",
                                                   .title = "Adviceptron by projected gradients",
                                                   .reference = "zinkevich2003ocp",
                                                   .mode = Mode::online,
                                                   .takes_advice = true,
                                                   .kernels = false,
                                                   .python_name = "GradientAdviceptronClassifier",
                                                   .params = kParams,
                                                   .make = make<false>,
                                                   .page = kPage,
                                                   .make_regressor = make<true>,
                                                   .regression_settings = "loss=squared eta0=0.1"};

}  // namespace postil
