// pa_adviceptron.cpp: the passive-aggressive Adviceptron.
//
// Source   Kunapuli, Bennett, Shabbeer, Maclin and Shavlik, Online Knowledge-Based Support Vector Machines, ECML 2010
//          [kunapuli2010okbsvm]; corrected as in MATH.md A2 to A4.
// Problem  (5)  min 1/2|w - w_t|^2 + 1/2 sum_i |u_i - u_i,t|^2 + lambda/2 xi^2 + mu/2 sum_i (|eta_i|^2 + zeta_i^2)
//               s.t. y (w'x + b) - 1 + xi >= 0,  D_i'u_i + z_i w + eta_i = 0,  zeta_i >= g_i + d_i'u_i - z_i b,  u_i >= 0
// Updates  mu_i = trust_i mu,  nu = 1/(1 + sum mu_i),  r_i = -z_i D_i'u_i,  r = sum mu_i r_i / sum mu_i
//          (8)  l = max(0, 1 - y ((nu w + (1-nu) r)'x + b))
//          (7)  alpha = l / (1/lambda + nu |x|^2 + 1)             the 1 for b, which is moved by the data only
//          (9)  w = nu (w + alpha y x) + (1-nu) r,  b = b + alpha y
//          (13) with A = I + mu_i D D', e = g - z b:
//               paper  (A + mu_i d d') u~ = u - mu_i (z D w + e d)
//               plus   p = A^-1 (u - mu_i z D w), q = A^-1 d, gamma = mu_i (e + d'p)_+ / (1 + mu_i d'q), u~ = p - gamma q
//               then u = max(0, u~);  exact: the same problem with u >= 0 in it
// Cost     O(nnz(x) + nnz(D) + sum_i k_i^2) a round, whatever the number of features: w = s v + p, where s v is scaled
//          lazily and p, what advice put in, lives on the features that rules mention.
// Choices  The w in (13) is the new one (text of Update 2), not the w_t printed.  Test: PaAdviceptron.EqualsThePlainForm.
//          b takes no part in nu (MATH.md A4); bias=pinned makes it a constant feature that advice moves too.
//          mu_decay: mu_t = mu / (1 + mu_decay (t - 1)); the papers have 0.
//          Without rules: PA-II with C = lambda/2, to the last bit.  Test: PaAdviceptron.WithoutRulesIsPaTwo.
//          An example of weight c has lambda c in place of lambda.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice_rows.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "solvers/shifted_system.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("lambda", "λ", 1, Range::positive, "weight of the loss on the current example"),
    number_param("mu", "μ", 1, Range::positive, "weight of the advice loss"),
    choice_param("passive", "never", "never|weights|all",
                 "what rests when an example costs nothing: nothing, the weights, or advice too"),
    choice_param("advice_step", "plus", "paper|plus|exact", "how the advice multipliers are updated"),
    number_param("mu_decay", "", 0, Range::non_negative, "how fast mu falls with the examples"),
    choice_param("bias", "data", "data|pinned|none",
                 "an intercept moved by data only, a constant feature that advice moves too, or none"),
    average_param("none")};

constexpr std::size_t kMostRows = 2000;  // of one set, whose k x k matrix is factored

// The bias parameter as LinearWeights knows it.
Params weights_params(const Params& params) {
  static constexpr ParamSpec kSpecs[] = {kBiasParam, kAverageParam};
  return {"weights",
          kSpecs,
          {{"bias", params.choice("bias") == "none" ? "none" : "1"}, {"average", params.choice("average")}}};
}

class PaAdviceptron final : public Learner {
 public:
  explicit PaAdviceptron(const Params& params)
      : w_(weights_params(params)),
        lambda_(params.number("lambda")),
        mu_(params.number("mu")),
        decay_(params.number("mu_decay")),
        pinned_(params.choice("bias") == "pinned"),
        passive_weights_(params.choice("passive") != "never"),
        passive_all_(params.choice("passive") == "all") {
    const std::string& step = params.choice("advice_step");
    step_ = step == "paper" ? AdviceStep::paper : step == "plus" ? AdviceStep::plus : AdviceStep::exact;
  }

  void take_advice(const TaskAdvice& advice) override {
    rows_ = AdviceRows(advice, pinned_);
    systems_.clear();
    trust_ = 0;
    std::size_t longest = 0;
    for (const AdviceRows::Set& set : rows_.sets()) {
      const std::size_t k = set.end - set.begin;
      std::vector<double> diagonal = rows_.diagonal_gram(set);
      if (step_ == AdviceStep::plus && !diagonal.empty()) {
        systems_.push_back({ShiftedSystem(std::move(diagonal)), {}});
      } else {
        if (k > kMostRows)
          throw ParamError(
              fmt::format("pa-adviceptron: a rule of {} comparisons, at most {} unless advice_step=plus and each "
                          "is about a column of its own",
                          k, kMostRows));
        systems_.push_back({ShiftedSystem(rows_.gram(set, step_ == AdviceStep::paper), k),
                            step_ == AdviceStep::exact ? rows_.gram(set, false) : std::vector<double>()});
      }
      trust_ += set.trust;
      longest = std::max(longest, k);
    }
    u_.assign(rows_.rows(), 0);
    h_.assign(rows_.rows(), 0);
    for (std::vector<double>* local : {&p_, &p_sum_, &r_, &w_local_}) local->assign(rows_.features(), 0);
    for (std::vector<double>* part : {&part_a_, &part_b_, &part_c_, &work_}) part->assign(longest, 0);
    quadratic_.assign(step_ == AdviceStep::exact ? longest * longest : 0, 0);
  }

  void grow(std::size_t features) override { w_.grow(features); }
  [[nodiscard]] double score(const Row& x) const override {
    if (rows_.rows() == 0) return w_.predicted(x);
    return with_advice(x, w_.scores(x, false)).predicted;
  }

  Step learn(const Row& x, double y, double weight) override {
    const LinearWeights::Scores before = with_advice(x, w_.scores(x, true));
    ++t_;
    const double mu = mu_ / (1 + decay_ * static_cast<double>(t_ - 1));
    const double nu = rows_.rows() == 0 ? 1 : 1 / (1 + mu * trust_);
    bool updated = false;
    if (weight > 0)
      updated = rows_.rows() == 0 ? plain_update(x, y, weight, before) : update(x, y, weight, before, mu, nu);
    w_.end_round();
    for (std::size_t f = 0; w_.averaging() && f < p_.size(); ++f) p_sum_[f] += p_[f];
    return {.score = before.predicted, .updated = updated};
  }

  void visit(Archive& archive) override {
    w_.visit(archive);
    archive.counter("t", t_);
    archive.tensor("multipliers", u_);
    archive.tensor("p", p_);
    archive.tensor("p_sum", p_sum_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    return w_.fits(features) && u_.size() == rows_.rows() && p_.size() == rows_.features() &&
           p_sum_.size() == rows_.features();
  }
  [[nodiscard]] std::optional<LinearModel> linear() const override {
    LinearModel out = w_.predicting();
    const bool mean = w_.averaging() && w_.rounds() > 0;
    const std::vector<double>& extra = mean ? p_sum_ : p_;
    const double divide = mean ? static_cast<double>(w_.rounds()) : 1;
    const std::span<const std::uint32_t> numbers = rows_.feature_numbers();
    for (std::size_t f = 0; f < numbers.size(); ++f) out.weights[numbers[f]] += extra[f] / divide;
    if (pinned_ && !extra.empty()) out.bias += extra.back() / divide;
    return out;
  }

 private:
  [[nodiscard]] LinearWeights::Scores with_advice(const Row& x, LinearWeights::Scores scores) const {
    if (rows_.rows() == 0) return scores;
    scores.now += rows_.dot(x, p_);
    if (w_.averaging() && w_.rounds() > 0)
      scores.predicted += rows_.dot(x, p_sum_) / static_cast<double>(w_.rounds());
    else
      scores.predicted = scores.now;
    return scores;
  }

  // PA-II with C = lambda/2.
  bool plain_update(const Row& x, double y, double weight, const LinearWeights::Scores& before) {
    const double loss = 1 - y * before.now;
    if (!(loss > 0) || before.xx == 0) return false;
    w_.add(loss / (before.xx + 1 / (lambda_ * weight)) * y, x);
    return true;
  }

  bool update(const Row& x, double y, double weight, const LinearWeights::Scores& before, double mu, double nu) {
    advice_estimate();  // r
    const double b = pinned_ ? 0 : w_.bias();
    const double wx = before.now - b;
    const double loss = std::max(0.0, 1 - y * (nu * wx + (1 - nu) * rows_.dot(x, r_) + b));  // (8)
    if (loss == 0 && passive_all_) return false;
    // |x|^2 of w's own features; the bias of bias=data costs 1 whatever nu is.
    const double constant = w_.constant() * w_.constant();
    const double xx = pinned_ ? nu * before.xx : nu * (before.xx - constant) + constant;
    const double alpha = before.xx == 0 ? 0 : loss / (xx + 1 / (lambda_ * weight));  // (7)
    if (loss > 0 || !passive_weights_) {                                             // (9)
      if (pinned_)
        w_.scale(nu);
      else
        w_.scale_features(nu);
      if (alpha > 0) add_example(nu, alpha * y, x);
      for (std::size_t f = 0; f < p_.size(); ++f) p_[f] = nu * p_[f] + (1 - nu) * r_[f];
    }
    advice_update(mu);  // (13)
    return true;
  }

  // w += nu step x; b += step, or nu step if it is a feature like the others.
  void add_example(double nu, double step, const Row& x) {
    w_.add(nu * step, x);
    if (!pinned_ && w_.constant() != 0) w_.add((1 - nu) * step, Row{});  // the rest of b's own step
  }

  // r = sum mu_i r_i / sum mu_i,  r_i = -z_i D_i'u_i
  void advice_estimate() {
    std::fill(r_.begin(), r_.end(), 0);
    for (const AdviceRows::Set& set : rows_.sets()) rows_.add_transposed(-set.z * set.trust / trust_, set, u_, r_);
  }

  void advice_update(double mu) {
    const std::span<const std::uint32_t> numbers = rows_.feature_numbers();
    for (std::size_t f = 0; f < numbers.size(); ++f) w_local_[f] = w_.at(numbers[f]) + p_[f];
    if (pinned_) w_local_.back() = w_.bias() + p_.back();
    rows_.times(w_local_, h_);  // D w
    const double b = pinned_ ? 0 : w_.bias();
    for (std::size_t i = 0; i < rows_.sets().size(); ++i) {
      const AdviceRows::Set& set = rows_.sets()[i];
      const double mu_i = mu * set.trust, e = set.margin - set.z * b;
      const std::size_t k = set.end - set.begin;
      const std::span<double> right(part_a_.data(), k), next(part_b_.data(), k), d(part_c_.data(), k),
          work(work_.data(), k);
      for (std::size_t j = 0; j < k; ++j) {
        right[j] = u_[set.begin + j] - mu_i * set.z * h_[set.begin + j];
        d[j] = rows_.d(set.begin + j);
        if (step_ == AdviceStep::paper) right[j] -= mu_i * e * d[j];
      }
      switch (step_) {
        case AdviceStep::paper: systems_[i].system.solve(mu_i, right, next, work); break;
        case AdviceStep::plus: plus(i, mu_i, e, right, d, next, work); break;
        case AdviceStep::exact: exact(i, mu_i, e, right, d, next); break;
      }
      for (std::size_t j = 0; j < k; ++j)
        u_[set.begin + j] = rows_.free(set.begin + j) ? next[j] : std::max(0.0, next[j]);
    }
  }

  // p and q of (13); `right` comes as u - mu z D w and becomes q, `next` is p and becomes u~.
  void plus(std::size_t i, double mu, double e, std::span<double> right, std::span<const double> d,
            std::span<double> next, std::span<double> work) {
    systems_[i].system.solve(mu, right, next, work);  // p = A^-1 (u - mu z D w)
    const std::span<double> q = right;
    systems_[i].system.solve(mu, d, q, work);  // q = A^-1 d
    double dp = 0, dq = 0;
    for (std::size_t j = 0; j < d.size(); ++j) {
      dp += d[j] * next[j];
      dq += d[j] * q[j];
    }
    const double gamma = mu * std::max(0.0, e + dp) / (1 + mu * dq);
    for (std::size_t j = 0; j < d.size(); ++j) next[j] -= gamma * q[j];
  }

  // The non-negative problem with the margin's cost; if the margin then costs nothing, the one without it.
  void exact(std::size_t i, double mu, double e, std::span<double> right, std::span<double> d, std::span<double> next) {
    const AdviceRows::Set& set = rows_.sets()[i];
    const std::size_t k = next.size();
    const std::span<double> h(quadratic_.data(), k * k);
    const std::span<const unsigned char> free = rows_.free_rows().subspan(set.begin, k);
    for (const bool with_margin : {true, false}) {
      for (std::size_t a = 0; a < k; ++a) {
        for (std::size_t c = 0; c < k; ++c)
          h[a * k + c] = (a == c ? 1 : 0) + mu * (systems_[i].gram[a * k + c] + (with_margin ? d[a] * d[c] : 0));
        next[a] = u_[set.begin + a];
        if (with_margin) right[a] -= mu * e * d[a];
      }
      nonnegative_qp(h, right, free, next);
      double slack = e;
      for (std::size_t a = 0; a < k; ++a) slack += d[a] * next[a];
      if (!with_margin || slack >= 0) return;
      for (std::size_t a = 0; a < k; ++a) right[a] += mu * e * d[a];
    }
  }

  enum class AdviceStep { paper, plus, exact } step_;
  LinearWeights w_;  // s v
  double lambda_, mu_, decay_;
  bool pinned_, passive_weights_, passive_all_;
  AdviceRows rows_;
  struct System {
    ShiftedSystem system;
    std::vector<double> gram;  // exact only
  };
  std::vector<System> systems_;    // per set
  double trust_ = 0;               // their sum
  std::vector<double> u_;          // multipliers, per row of D
  std::vector<double> p_, p_sum_;  // w - s v on the features mentioned, and its sum over the rounds
  std::vector<double> r_, w_local_, h_, part_a_, part_b_, part_c_, work_, quadratic_;  // work space
  std::uint64_t t_ = 0;
};

constexpr std::string_view kPage = R"(
Learns from each example as PA-II does, and in the same step moves towards what the rules say: each rule's estimate of the hypothesis is updated beside the weights.

**Problem.** With advice sets $D_i x \le d_i \Rightarrow z_i f(x) \ge g_i$: $\min \frac12|w - w_t|^2 + \frac12\sum_i|u_i - u_i^t|^2 + \frac\lambda2\xi^2 + \frac\mu2\sum_i(|\eta_i|^2 + \zeta_i^2)$ subject to
$y f(x) \ge 1 - \xi$, $D_i'u_i + z_i w + \eta_i = 0$, $\zeta_i \ge g_i + d_i'u_i - z_i b$, $u_i \ge 0$.

**Update.** $\nu = 1/(1 + \sum\mu_i)$, $r = \sum\mu_i r_i/\sum\mu_i$ with $r_i = -z_i D_i'u_i$; $\ell = \max(0, 1 - y((\nu w + (1-\nu) r)'x + b))$, $\alpha = \ell/(1/\lambda + \nu|x|^2 + 1)$, $w \leftarrow \nu(w + \alpha y x) + (1-\nu) r$,
$b \leftarrow b + \alpha y$; then each $u_i$ by a small linear system. `[trust = t]` makes $\mu_i = t\mu$, `[margin = g]` sets $g_i$ (1 otherwise).

**Choices.** `advice_step=plus` minimises exactly but for $u \ge 0$, which is imposed afterwards; `exact` imposes it inside; `paper` is equation (13) as printed. Without rules it is `pa` with `variant=pa2` and $C = \lambda/2$.

**When not to use it.** With a constant $\mu$ every round pulls the weights towards the rules: memory is about $1 + 1/(m\mu)$ rounds, so advice wins early and can lose late. `mu_decay` or a small `mu` helps.
)";

}  // namespace

extern const LearnerInfo pa_adviceptron_info{.name = "pa-adviceptron",
                                             .title = "Passive-aggressive Adviceptron",
                                             .reference = "kunapuli2010okbsvm",
                                             .mode = Mode::online,
                                             .takes_advice = true,
                                             .kernels = false,
                                             .python_name = "PAAdviceptronClassifier",
                                             .params = kParams,
                                             .make = make_learner<PaAdviceptron>,
                                             .page = kPage};

}  // namespace postil
