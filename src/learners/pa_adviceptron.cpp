// pa_adviceptron.cpp: the passive-aggressive Adviceptron.
//
// Source   Kunapuli, Bennett, Shabbeer, Maclin and Shavlik, Online Knowledge-Based Support Vector Machines, ECML 2010
//          [kunapuli2010okbsvm]; corrected as in docs/mathematics.md A2 to A4.
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
//               joint  (9) and the exact (13) in turn, both from w_t and u_t, until neither moves: problem (5) itself
//          then each w_j against a direction (more x => class) becomes 0, which is no part of the paper
// Cost     O(nnz(x) + nnz(D) + sum_i k_i^2) a round, whatever the number of features (docs/mathematics.md A3):
//          w = s v + D'c, where s v is scaled lazily and D'c is what advice put in; h = D w is kept by recursion. A set
//          whose rows are about single features costs O(k_i).
// Choices  The w in (13) is the new one (text of Update 2), not the w_t printed.  Test: PaAdviceptron.EqualsThePlainForm.
//          The promised ranges of the features are rows of every set (docs/mathematics.md A4), unless ranges=none.
//          advice_step=paper bias=none ranges=none is Algorithm 1 to the letter.  Test: test_as_printed.py.
//          joint is the minimiser of (5) with bias=none and pinned; with bias=data advice does not move b there either.
//          Test: PaAdviceptron.JointStepSolvesProblem5.
//          b takes no part in nu (docs/mathematics.md A4); bias=pinned makes it a constant feature that advice moves
//          too.
//          mu_decay: mu_t = mu / (1 + mu_decay (t - 1)); the papers have 0.
//          Without rules: PA-II with C = lambda/2, to the last bit.  Test: PaAdviceptron.WithoutRulesIsPaTwo.
//          start=advice: w and b are the hyperplane that the rules alone ask for, u what is best for them.
//          Rules that change later find w as it is; sets that stay keep their u.
//          An example of weight c has lambda c in place of lambda.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/advice_loss.hpp"
#include "advice_rows.hpp"
#include "core/clones.hpp"
#include "core/kernels.hpp"
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
    choice_param("advice_step", "plus", "paper|plus|exact|joint", "how the advice multipliers are updated"),
    number_param("mu_decay", "", 0, Range::non_negative, "how fast mu falls with the examples"),
    number_param("epsilon", "ε", 0, Range::non_negative, "regression only: an error up to this costs nothing"),
    kStartParam,
    advice_bias_param(),
    kRangesParam,
    average_param("none")};

constexpr std::size_t kMostRows = 2000;  // of one set, whose k x k matrix is factored
constexpr int kMostTurns = 10'000;       // of the two steps of advice_step=joint, whose moves shrink geometrically
constexpr double kJointTolerance = 1e-13;

// (9) for c and h, then p and d_k p_k of (13), row by row, where every feature is in one row only.
POSTIL_CLONES void diagonal_step(double keep, const double* __restrict u, const double* __restrict of_r,
                                 const double* __restrict diagonal, const double* __restrict mu_z,
                                 const double* __restrict inverse, const double* __restrict d, double* __restrict c,
                                 double* __restrict h, double* __restrict p, double* __restrict dp, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double q = (1 - keep) * of_r[k] * u[k];
    c[k] = keep * c[k] + q;
    h[k] = keep * h[k] + diagonal[k] * q;
    p[k] = (u[k] - mu_z[k] * h[k]) * inverse[k];
    dp[k] = d[k] * p[k];
  }
}
// u = max(lowest, p - gamma A^-1 d)
POSTIL_CLONES void multiplier_step(const double* __restrict p, const double* __restrict gamma,
                                   const double* __restrict inverse_d, const double* __restrict lowest,
                                   double* __restrict u, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double next = p[k] - gamma[k] * inverse_d[k];
    u[k] = next > lowest[k] ? next : lowest[k];
  }
}

class PaAdviceptron final : public Learner {
 public:
  explicit PaAdviceptron(const Params& params)
      : w_(advice_weights(params)),
        lambda_(params.number("lambda")),
        mu_(params.number("mu")),
        decay_(params.number("mu_decay")),
        pinned_(params.choice("bias") == "pinned"),
        known_ranges_(params.choice("ranges") == "known"),
        passive_weights_(params.choice("passive") != "never"),
        passive_all_(params.choice("passive") == "all"),
        start_at_advice_(starts_at_advice(params)) {
    const std::string& step = params.choice("advice_step");
    step_ = step == "paper"   ? AdviceStep::paper
            : step == "plus"  ? AdviceStep::plus
            : step == "exact" ? AdviceStep::exact
                              : AdviceStep::joint;
  }

  // ---- rules ----

  void take_advice(const TaskAdvice& advice) override {
    const AdviceRows before = std::move(rows_);
    const TaskAdvice advice_before = std::move(advice_);
    const std::vector<double> u_before = std::move(u_);
    absorb(before);
    const bool start = start_at_advice_;
    restore_advice(advice);
    for (std::vector<double>* of_rows : {&u_, &c_, &c_sum_, &h_}) of_rows->assign(rows_.rows(), 0);
    factorise();
    if (!advice.features.empty()) w_.grow(advice.features.back().number + 1);
    if (start) {
      begin_at_advice(w_, advice_);
      if (rows_.rows() > 0) best_multipliers(advice_);
    }
    carry_multipliers(advice_before, before, u_before, advice, rows_, u_);
    local_weights(w_local_);
    rows_.times(w_local_, h_);
    obey();
  }

  void restore_advice(const TaskAdvice& advice) override {
    advice_ = known_ranges_ ? advice : advice.without_ranges();
    rows_ = AdviceRows(advice_, pinned_);
    rows_.grow(features_);
    w_local_.assign(rows_.features(), 0);
    factored_ = start_at_advice_ = false;
  }

  // ---- learning ----

  void grow(std::size_t features) override {
    w_.grow(features);
    rows_.grow(features);
    named_.grow(features);
    features_ = std::max(features_, features);
  }
  [[nodiscard]] double score(const Row& x) const override {
    const double own = w_.predicted(x);
    if (rows_.rows() == 0) return own;
    const bool mean = w_.averaging() && w_.rounds() > 0;
    const std::vector<double>& c = mean ? c_sum_ : c_;
    double sum = 0;
    rows_.for_each_hit(rows_.local(), x, [&](std::uint32_t row, double value) { sum += c[row] * value; });
    return own + (mean ? sum / static_cast<double>(w_.rounds()) : sum);
  }

  Step learn(const Row& x, double y, double weight) override {
    ++t_;
    if (rows_.rows() == 0) return plain_round(x, y, weight);
    if (!factored_) factorise();
    LinearWeights::Scores before = w_.settle_and_score(x, named_);
    const Advised advised = advised_scores(x);
    before.now += advised.cx;
    if (w_.averaging() && w_.rounds() > 0)
      before.predicted += advised.c_sum_x / static_cast<double>(w_.rounds());
    else
      before.predicted = before.now;
    const bool updated = weight > 0 && update(x, y, weight, before, advised.rx);
    if (updated) obey();
    w_.end_round();
    for (std::size_t k = 0; w_.averaging() && k < c_.size(); ++k) c_sum_[k] += c_[k];
    return {.score = before.predicted, .updated = updated};
  }

  void write(StateWriter& out) const override {
    w_.write(out);
    out.counter("t", t_);
    write_sparse(out, "multipliers", u_);
    write_sparse(out, "c", c_);
    write_sparse(out, "c_sum", c_sum_);
    write_sparse(out, "h", h_);
  }
  void read(StateReader& in) override {
    w_.read(in);
    in.counter("t", t_);
    read_sparse(in, "multipliers", rows_.rows(), u_);
    read_sparse(in, "c", rows_.rows(), c_);
    read_sparse(in, "c_sum", rows_.rows(), c_sum_);
    read_sparse(in, "h", rows_.rows(), h_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    for (const std::vector<double>* of_rows : {&u_, &c_, &c_sum_, &h_})
      if (of_rows->size() != rows_.rows()) return false;
    return w_.fits(features);
  }

  // ---- what it has come to ----

  [[nodiscard]] std::optional<LinearModel> linear() const override {
    LinearModel out = w_.predicting();
    std::vector<double> part(rows_.features());
    for (const AdviceRows::Set& set : rows_.sets()) rows_.add_transposed(1, set, predicting_c(), part);
    const std::span<const std::uint32_t> numbers = rows_.local().numbers();
    for (std::size_t f = 0; f < numbers.size(); ++f) out.weights[numbers[f]] += part[f] / divisor();
    if (pinned_ && !part.empty()) out.bias += part.back() / divisor();
    return out;
  }
  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    if (rows_.rows() == 0) return std::nullopt;
    AdviceReport out;
    std::vector<double> w(rows_.features());
    local_weights(w);
    for (std::vector<double> part(rows_.features()); const AdviceRows::Set& set : rows_.sets()) {
      AdviceReport::Set to;
      to.multipliers.assign(u_.begin() + static_cast<std::ptrdiff_t>(set.begin),
                            u_.begin() + static_cast<std::ptrdiff_t>(set.own));
      to.estimate.resize(rows_.features());
      rows_.add_transposed(-set.z, set, u_, to.estimate);
      double zeta = set.margin - set.z * (pinned_ ? 0 : w_.bias());
      for (std::size_t k = set.begin; k < set.end; ++k) zeta += rows_.d(k) * u_[k];
      if (zeta > 0)
        for (std::size_t f = 0; f < rows_.local().size(); ++f)
          to.ideal.push_back(set.z * (to.estimate[f] - w[f]) / zeta);
      to.part.resize(rows_.features());
      rows_.add_transposed(1 / divisor(), set, predicting_c(), to.part);
      if (pinned_) {
        to.part_bias = to.part.back();
        to.part.pop_back();
        to.estimate.pop_back();
      }
      out.sets.push_back(std::move(to));
    }
    return out;
  }

 private:
  struct Advised {
    double cx = 0, c_sum_x = 0, rx = 0;  // of c'Dx, of its sum over the rounds, of r'x
  };
  // Keeps D x in hits_.
  Advised advised_scores(const Row& x) {
    double cx = 0, rx = 0, c_sum_x = 0;
    AdviceRows::Hit* next = hits_.data();
    rows_.for_each_hit(named_, x, [&](std::uint32_t row, double value) {
      *next++ = {row, value};
      cx += c_[row] * value;
      rx += of_r_[row] * u_[row] * value;
    });
    hit_ = static_cast<std::size_t>(next - hits_.data());
    for (std::size_t k = 0; w_.averaging() && k < hit_; ++k) c_sum_x += c_sum_[hits_[k].row] * hits_[k].value;
    return {cx, c_sum_x, rx};
  }

  // PA-II with C = lambda/2.
  Step plain_round(const Row& x, double y, double weight) {
    const LinearWeights::Scores before = w_.scores(x, true);
    const double loss = 1 - y * before.now;
    const bool updated = weight > 0 && loss > 0 && before.xx > 0;
    if (updated) {
      w_.add(loss / (before.xx + 1 / (lambda_ * weight)) * y, x);
      obey();
    }
    w_.end_round();
    return {.score = before.predicted, .updated = updated};
  }

  bool update(const Row& x, double y, double weight, const LinearWeights::Scores& before, double rx) {
    const double mu = mu_ / (1 + decay_ * static_cast<double>(t_ - 1));
    const double nu = 1 / (1 + mu * trust_);
    prepare(mu);
    DataStep step = data_step(y, weight, before, rx, nu);
    if (step_ == AdviceStep::joint) step = joint_multipliers(y, weight, before, step, mu, nu);
    if (step.loss == 0 && passive_all_) {
      if (step_ == AdviceStep::joint) u_ = u_start_;
      return false;
    }
    const bool moves = step.loss > 0 || !passive_weights_;
    if (moves) {  // (9); c and h below
      if (step.alpha > 0) {
        w_.add_settled(step.alpha * y, x);
        for (std::size_t k = 0; k < hit_; ++k) h_[hits_[k].row] += step.alpha * y * hits_[k].value;
      }
      if (pinned_)
        w_.scale(nu);
      else
        w_.scale_features(nu);
    }
    const double keep = moves ? nu : 1;
    if (!diagonal_.empty()) {
      diagonal_update(keep);
      return true;
    }
    gram_times_q();
    for (std::size_t k = 0; k < c_.size(); ++k) {
      c_[k] = keep * c_[k] + (1 - keep) * of_r_[k] * u_[k];
      h_[k] = keep * h_[k] + (1 - keep) * gram_q_[k];
    }
    if (step_ == AdviceStep::joint) return true;
    const double b = pinned_ ? 0 : w_.bias();
    for (std::size_t i = 0; i < systems_.size(); ++i) general_update(i, mu, b, u_, h_);
    return true;
  }

  struct DataStep {
    double loss, alpha;  // l of (8), alpha of (7)
  };
  // Given r'x.
  [[nodiscard]] DataStep data_step(double y, double weight, const LinearWeights::Scores& before, double rx,
                                   double nu) const {
    const double b = pinned_ ? 0 : w_.bias();
    const double loss = std::max(0.0, 1 - y * (nu * (before.now - b) + (1 - nu) * rx + b));  // (8)
    // |x|^2 of w's own features; the bias of bias=data costs 1 whatever nu is.
    const double constant = w_.constant() * w_.constant();
    const double xx = pinned_ ? nu * before.xx : nu * (before.xx - constant) + constant;
    return {loss, before.xx == 0 ? 0 : loss / (xx + 1 / (lambda_ * weight))};  // (7)
  }

  // Leaves the multipliers that solve (5) in u_, and gives (7) for them.
  DataStep joint_multipliers(double y, double weight, const LinearWeights::Scores& before, DataStep step, double mu,
                             double nu) {
    u_start_ = u_;
    for (int turn = 0; turn < kMostTurns; ++turn) {
      gram_times_q();
      for (std::size_t k = 0; k < h_.size(); ++k) h_joint_[k] = nu * h_[k] + (1 - nu) * gram_q_[k];  // D w of (9)
      for (std::size_t k = 0; k < hit_; ++k) h_joint_[hits_[k].row] += nu * step.alpha * y * hits_[k].value;
      u_last_ = u_;
      const double b = pinned_ ? 0 : w_.bias() + step.alpha * y * w_.constant() * w_.constant();
      for (std::size_t i = 0; i < systems_.size(); ++i) general_update(i, mu, b, u_start_, h_joint_);
      double moved = 0, size = 1, rx = 0;
      for (std::size_t k = 0; k < u_.size(); ++k) {
        moved = std::max(moved, std::fabs(u_[k] - u_last_[k]));
        size = std::max(size, std::fabs(u_[k]));
      }
      for (std::size_t k = 0; k < hit_; ++k) rx += of_r_[hits_[k].row] * u_[hits_[k].row] * hits_[k].value;
      step = data_step(y, weight, before, rx, nu);
      if (moved <= kJointTolerance * size) break;
    }
    return step;
  }

  // (9) for c and h, and (13), if D D' is diagonal.
  void diagonal_update(double keep) {
    const std::size_t n = u_.size();
    diagonal_step(keep, u_.data(), of_r_.data(), diagonal_.data(), mu_z_.data(), inverse_.data(), d_.data(), c_.data(),
                  h_.data(), p_.data(), dp_.data(), n);
    const double b = pinned_ ? 0 : w_.bias();
    for (std::size_t i = 0; i < systems_.size(); ++i) {
      const AdviceRows::Set& set = rows_.sets()[i];
      double dp = 0;
      for (std::size_t k = set.begin; k < set.end; ++k) dp += dp_[k];
      const double gamma = factor_[i] * std::max(0.0, set.margin - set.z * b + dp);
      for (std::size_t k = set.begin; k < set.end; ++k) gamma_[k] = gamma;
    }
    multiplier_step(p_.data(), gamma_.data(), inverse_d_.data(), lowest_.data(), u_.data(), n);
  }

  // (13) from the multipliers `from`, given b and h = D w.
  void general_update(std::size_t i, double mu, double b, const std::vector<double>& from,
                      const std::vector<double>& h) {
    const AdviceRows::Set& set = rows_.sets()[i];
    const double mu_i = mu * set.trust, e = set.margin - set.z * b;
    const std::size_t k = set.end - set.begin;
    const std::span<double> right(part_a_.data(), k), next(part_b_.data(), k), d(d_.data() + set.begin, k),
        work(work_.data(), k);
    for (std::size_t j = 0; j < k; ++j) {
      right[j] = from[set.begin + j] - mu_i * set.z * h[set.begin + j];
      if (step_ == AdviceStep::paper) right[j] -= mu_i * e * d[j];
    }
    switch (step_) {
      case AdviceStep::paper: systems_[i].system.solve(mu_i, right, next, work); break;
      case AdviceStep::plus: plus(i, mu_i, e, right, d, next, work); break;
      case AdviceStep::exact:
      case AdviceStep::joint: exact(i, mu_i, e, right, d, next); break;
    }
    for (std::size_t j = 0; j < k; ++j) u_[set.begin + j] = std::max(lowest_[set.begin + j], next[j]);
  }

  // `right` is u - mu z D w; `next` is p = A^-1 of it and becomes u~.
  void plus(std::size_t i, double mu, double e, std::span<const double> right, std::span<const double> d,
            std::span<double> next, std::span<double> work) {
    systems_[i].system.solve(mu, right, next, work);
    double dp = 0;
    for (std::size_t j = 0; j < d.size(); ++j) dp += d[j] * next[j];
    const double gamma = factor_[i] * std::max(0.0, e + dp);
    const double* q = inverse_d_.data() + rows_.sets()[i].begin;
    for (std::size_t j = 0; j < d.size(); ++j) next[j] -= gamma * q[j];
  }

  // The non-negative problem with the margin's cost; if the margin then costs nothing, the one without it.
  void exact(std::size_t i, double mu, double e, std::span<double> right, std::span<const double> d,
             std::span<double> next) {
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

  // ---- what is constant while the rules and mu are ----

  void factorise() {
    factored_ = true;
    const std::size_t rows = rows_.rows();
    diagonal_ = rows_.diagonal_gram();
    gram_.clear();
    if (diagonal_.empty() && rows > 0 && rows * rows <= 2 * rows_.entries())
      gram_ = rows_.gram({0, 0, rows, 1, 1, 1}, false);
    systems_.clear();
    factor_.assign(rows_.sets().size(), 0);
    prepared_mu_ = 0;
    trust_ = 0;
    std::size_t longest = 0;
    for (const AdviceRows::Set& set : rows_.sets()) {
      const std::size_t k = set.end - set.begin;
      AdviceRows::Singles singles = rows_.singles(set);
      System& system = systems_.emplace_back();
      if (step_ == AdviceStep::plus && !singles.groups.empty()) {
        std::vector<std::uint32_t> groups = singles.groups;
        std::sort(groups.begin(), groups.end());
        system.diagonal = std::adjacent_find(groups.begin(), groups.end()) == groups.end();
        if (system.diagonal)
          for (const double c : singles.coefficients) system.gram.push_back(c * c);
        system.system = ShiftedSystem(std::move(singles.coefficients), singles.groups);
      } else {
        if (k > kMostRows)
          throw ParamError({.code = Code::too_many,
                            .message = fmt::format("pa-adviceptron: a rule of {} comparisons, at most {} unless "
                                                   "advice_step=plus and each is about one column",
                                                   k, kMostRows),
                            .found = fmt::format("{} comparisons", k),
                            .expected = fmt::format("at most {}", kMostRows)});
        system.system = ShiftedSystem(rows_.gram(set, step_ == AdviceStep::paper), k);
        if (solves_exactly()) system.gram = rows_.gram(set, false);
      }
      trust_ += set.trust;
      longest = std::max(longest, k);
    }
    if (!std::all_of(systems_.begin(), systems_.end(), [](const System& s) { return s.diagonal; })) diagonal_.clear();
    for (std::vector<double>* of_rows :
         {&of_r_, &d_, &lowest_, &p_, &dp_, &gamma_, &mu_z_, &inverse_, &inverse_d_, &gram_q_})
      of_rows->assign(rows, 0);
    for (const AdviceRows::Set& set : rows_.sets())
      for (std::size_t k = set.begin; k < set.end; ++k) {
        of_r_[k] = -set.z * set.trust / trust_;  // r = sum of that times u_k D_k
        d_[k] = rows_.d(k);
        lowest_[k] = rows_.free_rows()[k] != 0 ? -std::numeric_limits<double>::infinity() : 0;
      }
    r_.assign(rows_.features(), 0);
    for (std::vector<double>* part : {&part_a_, &part_b_, &work_}) part->assign(longest, 0);
    quadratic_.assign(solves_exactly() ? longest * longest : 0, 0);
    for (std::vector<double>* of_rows : {&u_start_, &u_last_, &h_joint_})
      of_rows->assign(step_ == AdviceStep::joint ? rows : 0, 0);
    hits_.resize(rows_.entries());
  }

  // q = A^-1 d, and A^-1 itself of the diagonal sets.
  void prepare(double mu) {
    if (mu == prepared_mu_) return;
    prepared_mu_ = mu;
    for (std::size_t i = 0; i < systems_.size(); ++i) {
      const AdviceRows::Set& set = rows_.sets()[i];
      const double mu_i = mu * set.trust;
      const std::size_t size = set.end - set.begin;
      if (systems_[i].diagonal)
        for (std::size_t k = set.begin; k < set.end; ++k) {
          inverse_[k] = 1 / (1 + mu_i * systems_[i].gram[k - set.begin]);
          inverse_d_[k] = d_[k] * inverse_[k];
        }
      else
        systems_[i].system.solve(mu_i, std::span(d_).subspan(set.begin, size),
                                 std::span(inverse_d_).subspan(set.begin, size), work_);
      double dq = 0;
      for (std::size_t k = set.begin; k < set.end; ++k) dq += d_[k] * inverse_d_[k];
      factor_[i] = mu_i / (1 + mu_i * dq);
      for (std::size_t k = set.begin; k < set.end; ++k) mu_z_[k] = mu_i * set.z;
    }
  }

  // D D'q: by way of r = D'q, or by the columns of a small D D'.
  void gram_times_q() {
    if (!gram_.empty()) {
      const std::size_t rows = u_.size();
      std::fill(gram_q_.begin(), gram_q_.end(), 0);
      for (std::size_t k = 0; k < rows; ++k)
        if (u_[k] != 0)
          axpy(of_r_[k] * u_[k], {.values = gram_.data() + k * rows, .count = static_cast<std::uint32_t>(rows)},
               gram_q_.data());
      return;
    }
    std::fill(r_.begin(), r_.end(), 0);
    for (const AdviceRows::Set& set : rows_.sets()) rows_.add_transposed(of_r_[set.begin], set, u_, r_);
    rows_.times(r_, gram_q_);
  }

  // ---- w and the rules' part of it ----

  void local_weights(std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0);
    for (const AdviceRows::Set& set : rows_.sets()) rows_.add_transposed(1, set, c_, out);
    const std::span<const std::uint32_t> numbers = rows_.local().numbers();
    for (std::size_t f = 0; f < numbers.size(); ++f) out[f] += w_.at(numbers[f]);
    if (pinned_ && !out.empty()) out.back() += w_.bias();
  }
  // The signs that directions prescribe, for w = s v + D'c and h = D w.
  void obey() {
    const auto weight = [&](std::uint32_t feature) {
      double w = w_.at(feature);
      rows_.for_each_entry(feature, [&](std::uint32_t row, double value) { w += value * c_[row]; });
      return w;
    };
    obey_directions(advice_, weight, [&](std::uint32_t feature, double step) {
      w_.add_to(feature, step);
      rows_.for_each_entry(feature, [&](std::uint32_t row, double value) { h_[row] += value * step; });
    });
  }
  // What other rules have put into w stays there.
  void absorb(const AdviceRows& before) {
    if (before.rows() == 0) return;
    std::vector<double> now(before.features()), sum(before.features());
    for (const AdviceRows::Set& set : before.sets()) {
      before.add_transposed(1, set, c_, now);
      before.add_transposed(1, set, c_sum_, sum);
    }
    w_.absorb(before.local().numbers(), now, sum, pinned_ ? now.back() : 0, pinned_ ? sum.back() : 0);
  }
  // The multipliers that are best for the w and b there are.
  void best_multipliers(const TaskAdvice& advice) {
    AdviceLoss loss(advice, Ranges::promised);
    local_weights(w_local_);
    loss.value(std::span(w_local_).first(rows_.local().size()), w_.bias());
    for (std::size_t i = 0; i < rows_.sets().size(); ++i) {
      const AdviceRows::Set& set = rows_.sets()[i];
      const std::vector<double> u = loss.multipliers(i, advice);
      std::copy(u.begin(), u.end(), u_.begin() + static_cast<std::ptrdiff_t>(set.begin));
      if (pinned_) u_[set.end - 1] = -set.z * w_.bias();
    }
  }
  [[nodiscard]] const std::vector<double>& predicting_c() const {
    return w_.averaging() && w_.rounds() > 0 ? c_sum_ : c_;
  }
  [[nodiscard]] double divisor() const {
    return w_.averaging() && w_.rounds() > 0 ? static_cast<double>(w_.rounds()) : 1;
  }

  [[nodiscard]] bool solves_exactly() const { return step_ == AdviceStep::exact || step_ == AdviceStep::joint; }

  enum class AdviceStep { paper, plus, exact, joint } step_;
  LinearWeights w_;  // s v
  double lambda_, mu_, decay_;
  bool pinned_, known_ranges_, passive_weights_, passive_all_, start_at_advice_;
  TaskAdvice advice_;
  AdviceRows rows_;
  NamedValues named_{rows_.local()};  // of the row being learned
  std::size_t features_ = 0;
  struct System {
    bool diagonal = false;
    ShiftedSystem system;
    std::vector<double> gram;  // diagonal: its diagonal; exact: all of it
  };
  bool factored_ = false;          // all that follows is there; it is made when the first example comes
  std::vector<System> systems_;    // per set
  std::vector<double> diagonal_;   // of D D', if all of it is there and all sets are diagonal
  std::vector<double> gram_;       // D D', if it is smaller than two times D
  double trust_ = 0;               // the sum over the sets
  std::vector<double> u_;          // multipliers, per row of D
  std::vector<double> c_, c_sum_;  // w = s v + D'c; its sum over the rounds
  std::vector<double> h_;          // D w
  std::uint64_t t_ = 0;

  std::vector<double> of_r_, d_, lowest_;           // per row, constant
  std::vector<double> mu_z_, inverse_, inverse_d_;  // per row, constant while mu is: mu z; A^-1, if diagonal; A^-1 d
  std::vector<double> factor_;                      // per set: mu / (1 + mu d'A^-1 d)
  double prepared_mu_ = 0;
  std::vector<AdviceRows::Hit> hits_;               // D x, ...
  std::size_t hit_ = 0;                             // ... so many entries of it
  std::vector<double> u_start_, u_last_, h_joint_;  // of a joint step: u_t, the last turn's u, D w
  std::vector<double> p_, dp_, gamma_, gram_q_, r_, w_local_, part_a_, part_b_, work_, quadratic_;  // work space
};

constexpr std::string_view kPage = R"(
Learns from each example as PA-II does, and in the same step moves towards what the rules say: each rule's estimate of the hypothesis is updated beside the weights.

**Problem.** With advice sets $D_i x \le d_i \Rightarrow z_i f(x) \ge g_i$: $\min \frac12|w - w_t|^2 + \frac12\sum_i|u_i - u_i^t|^2 + \frac\lambda2\xi^2 + \frac\mu2\sum_i(|\eta_i|^2 + \zeta_i^2)$ subject to
$y f(x) \ge 1 - \xi$, $D_i'u_i + z_i w + \eta_i = 0$, $\zeta_i \ge g_i + d_i'u_i - z_i b$, $u_i \ge 0$.

**Update.** $\nu = 1/(1 + \sum\mu_i)$, $r = \sum\mu_i r_i/\sum\mu_i$ with $r_i = -z_i D_i'u_i$; $\ell = \max(0, 1 - y((\nu w + (1-\nu) r)'x + b))$, $\alpha = \ell/(1/\lambda + \nu|x|^2 + 1)$, $w \leftarrow \nu(w + \alpha y x) + (1-\nu) r$,
$b \leftarrow b + \alpha y$; then each $u_i$ by a small linear system. `[trust = t]` makes $\mu_i = t\mu$, `[margin = g]` sets $g_i$ (1 otherwise).

The promised ranges of the columns (`domain`, 0/1 columns) are rows of every set, unless `ranges=none`. `start=advice` begins with the hyperplane that the rules alone ask for.

**Choices.** `advice_step=plus` minimises exactly but for $u \ge 0$, which is imposed afterwards; `exact` imposes it inside; `paper` is equation (13) as printed; `joint` solves the whole problem for each example instead of alternating once, as Algorithm 1 does. Without rules it is `pa` with `variant=pa2` and $C = \lambda/2$.

**Regression** (rules such as `age >= 60 and smoker = yes => charges >= 20000`). $|f(x) - y| \le \varepsilon + \xi$ in place of the margin, and in a set that says $f(x) \ge h'x + c$ (or $\le$) $w - h$ and $b - c$ in place of $w$ and $b$; then the same steps. With `advice_step=plus` and `bias` of `data` or `none`.

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
                                             .page = kPage,
                                             .make_regressor = make_regression_adviceptron,
                                             .regression_settings = "mu=0.01 average=uniform",
                                             .default_for = DefaultFor::regression_with_rules,
                                             .default_settings = "start=advice",
                                             .promises = Promises::regret,
                                             .paper_settings = "advice_step=paper bias=none ranges=none"};

}  // namespace postil
