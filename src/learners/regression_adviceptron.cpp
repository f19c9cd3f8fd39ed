// regression_adviceptron.cpp: the passive-aggressive Adviceptron for labels that are numbers.
//
// Source   Kunapuli et al., ECML 2010   [kunapuli2010okbsvm], whose problem (5) meets the advice of Mangasarian, Shavlik and Wild,
//          Knowledge-Based Kernel Approximation, JMLR 2004   [mangasarian2004kbka], one example at a time; 004's conclusion asks
//          for it.
// Problem  min 1/2|w - w_t|^2 + 1/2 sum_i |u_i - u_i,t|^2 + lambda/2 xi^2 + mu/2 sum_i (|eta_i|^2 + zeta_i^2)
//          s.t. |w'x + b - y| <= epsilon + xi,  D_i'u_i + z_i (w - h_i) + eta_i = 0,  zeta_i >= g_i + d_i'u_i - z_i (b - c_i),
//               u_i >= 0
//          where D_i x <= d_i  =>  z_i (w'x + b - h_i'x - c_i) >= g_i: wherever the rule holds, the prediction is at least
//          (z = 1) or at most (z = -1) h_i'x + c_i.
// Updates  mu_i = trust_i mu,  nu = 1/(1 + sum mu_i),  r_i = h_i - z_i D_i'u_i,  r = sum mu_i r_i / sum mu_i
//          (8)  e = y - (nu w + (1-nu) r)'x - b,  l = max(0, |e| - epsilon)
//          (7)  alpha = l / (1/lambda + nu |x|^2 + 1)             the 1 for b, which is moved by the data only
//          (9)  w = nu (w + alpha sign(e) x) + (1-nu) r,  b = b + alpha sign(e)
//          (13) with A = I + mu_i D D', s = g - z (b - c), h = D (w - h_i):
//               p = A^-1 (u - mu_i z h), q = A^-1 d, gamma = mu_i (s + d'p)_+ / (1 + mu_i d'q), u = max(0, p - gamma q)
// Cost     O(nnz(x) + nnz(D) + sum_i k_i^2) a round.
// Choices  As pa_adviceptron.cpp, of whose equations these are: with w - h_i in place of w each of them is the same. The step (13)
//          is its `plus`.  Test: RegressionAdviceptron.EqualsThePlainForm.
//          Everything is of the label's unit: labels and rules times c give predictions times c.
//          start=advice: the hyperplane that the rules alone ask for (advice/advice_hyperplane.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "advice/advice_loss.hpp"
#include "advice_rows.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "solvers/shifted_system.hpp"

namespace postil {
namespace {

class RegressionAdviceptron final : public Learner {
 public:
  explicit RegressionAdviceptron(const Params& params)
      : w_(advice_weights(params)),
        lambda_(params.number("lambda")),
        mu_(params.number("mu")),
        decay_(params.number("mu_decay")),
        epsilon_(params.number("epsilon")),
        passive_weights_(params.choice("passive") != "never"),
        passive_all_(params.choice("passive") == "all"),
        known_ranges_(params.choice("ranges") == "known"),
        start_at_advice_(starts_at_advice(params)) {
    for (const auto& [name, only] : {std::pair{"advice_step", "plus"}, std::pair{"bias", "data|none"}})
      if (std::string_view(only).find(params.choice(name)) == std::string_view::npos)
        throw ParamError({.code = Code::unsupported,
                          .subject = {"parameter", name},
                          .message = fmt::format("pa-adviceptron: {}={} is for classes; regression has {}", name,
                                                 params.choice(name), only),
                          .found = params.choice(name),
                          .expected = only});
  }

  // ---- rules ----

  void take_advice(const TaskAdvice& advice) override {
    const TaskAdvice before = std::move(advice_);
    const AdviceRows rows_before = std::move(rows_);
    const std::vector<double> u_before = std::move(u_);
    const bool start = start_at_advice_;
    restore_advice(advice);
    u_.assign(rows_.rows(), 0);
    if (!advice.features.empty()) w_.grow(advice.features.back().number + 1);
    if (start) begin();
    carry_multipliers(before, rows_before, u_before, advice_, rows_, u_);
    obey();
  }
  void restore_advice(const TaskAdvice& advice) override {
    advice_ = known_ranges_ ? advice : advice.without_ranges();
    rows_ = AdviceRows(advice_, false);
    rows_.grow(features_);
    start_at_advice_ = false;
    factorise();
  }

  // ---- learning ----

  void grow(std::size_t features) override {
    w_.grow(features);
    rows_.grow(features);
    features_ = std::max(features_, features);
  }
  [[nodiscard]] double score(const Row& x) const override { return w_.predicted(x); }

  Step learn(const Row& x, double y, double weight) override {
    ++t_;
    const LinearWeights::Scores before = w_.scores(x, true);
    const bool updated = weight > 0 && update(x, y, weight, before);
    if (updated) obey();
    w_.end_round();
    return {.score = before.predicted, .updated = updated};
  }

  void write(StateWriter& out) const override {
    w_.write(out);
    out.counter("t", t_);
    write_sparse(out, "multipliers", u_);
  }
  void read(StateReader& in) override {
    w_.read(in);
    in.counter("t", t_);
    read_sparse(in, "multipliers", rows_.rows(), u_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    return u_.size() == rows_.rows() && w_.fits(features);
  }

  // ---- what it has come to ----

  [[nodiscard]] std::optional<LinearModel> linear() const override { return w_.predicting(); }
  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    if (rows_.rows() == 0) return std::nullopt;
    AdviceReport out;
    for (std::size_t i = 0; i < rows_.sets().size(); ++i) {
      const AdviceRows::Set& set = rows_.sets()[i];
      AdviceReport::Set to;
      to.multipliers.assign(u_.begin() + static_cast<std::ptrdiff_t>(set.begin),
                            u_.begin() + static_cast<std::ptrdiff_t>(set.own));
      to.estimate.resize(rows_.features());
      for (const auto& [feature, coefficient] : advice_.sets[i].target.terms)
        to.estimate[rows_.local().place(feature)] = coefficient;
      rows_.add_transposed(-set.z, set, u_, to.estimate);
      double zeta = set.margin - set.z * (w_.bias() - advice_.sets[i].target.constant);
      for (std::size_t k = set.begin; k < set.end; ++k) zeta += rows_.d(k) * u_[k];
      if (zeta > 0)
        for (std::size_t f = 0; f < rows_.local().size(); ++f)
          to.ideal.push_back(set.z * (to.estimate[f] - w_.at(rows_.local().numbers()[f])) / zeta);
      out.sets.push_back(std::move(to));
    }
    return out;
  }

 private:
  bool update(const Row& x, double y, double weight, const LinearWeights::Scores& before) {
    const double mu = mu_ / (1 + decay_ * static_cast<double>(t_ - 1)), nu = 1 / (1 + mu * trust_), b = w_.bias();
    estimate();                                                                                       // r
    const double f = nu * (before.now - b) + (1 - nu) * rows_.local().dot(x, r_) + b, error = y - f;  // (8)
    const double loss = std::max(0.0, std::fabs(error) - epsilon_);
    const double constant = w_.constant() * w_.constant();
    const double xx = nu * (before.xx - constant) + constant;
    const double alpha = before.xx == 0 ? 0 : loss / (xx + 1 / (lambda_ * weight));  // (7)
    if (rows_.rows() == 0 || (loss == 0 && passive_all_)) {
      if (alpha > 0) w_.add(std::copysign(alpha, error), x);
      return alpha > 0;
    }
    if (loss > 0 || !passive_weights_) {  // (9)
      if (alpha > 0) w_.add(std::copysign(alpha, error), x);
      w_.scale_features(nu);
      for (double& value : r_) value *= 1 - nu;
      w_.absorb(rows_.local().numbers(), r_, {}, 0, 0);
    }
    for (std::size_t j = 0; j < w_local_.size(); ++j) w_local_[j] = w_.at(rows_.local().numbers()[j]);
    rows_.times(w_local_, h_);
    for (std::size_t i = 0; i < systems_.size(); ++i) update_multipliers(i, mu);  // (13)
    return true;
  }

  // r = sum_i mu_i r_i / sum_i mu_i
  void estimate() {
    std::copy(mean_target_.begin(), mean_target_.end(), r_.begin());
    for (const AdviceRows::Set& set : rows_.sets()) rows_.add_transposed(-set.z * set.trust / trust_, set, u_, r_);
  }

  // Given D w in h_.
  void update_multipliers(std::size_t i, double mu) {
    const AdviceRows::Set& set = rows_.sets()[i];
    const std::size_t k = set.end - set.begin;
    const double mu_i = mu * set.trust, s = set.margin - set.z * (w_.bias() - advice_.sets[i].target.constant);
    const std::span<double> right(right_.data(), k), p(p_.data(), k), q(q_.data(), k), work(work_.data(), k),
        d(d_.data() + set.begin, k);
    for (std::size_t j = 0; j < k; ++j)
      right[j] = u_[set.begin + j] - mu_i * set.z * (h_[set.begin + j] - of_target_[set.begin + j]);
    systems_[i].solve(mu_i, right, p, work);
    systems_[i].solve(mu_i, d, q, work);
    double dp = 0, dq = 0;
    for (std::size_t j = 0; j < k; ++j) {
      dp += d[j] * p[j];
      dq += d[j] * q[j];
    }
    const double gamma = mu_i * std::max(0.0, s + dp) / (1 + mu_i * dq);
    for (std::size_t j = 0; j < k; ++j) {
      const double next = p[j] - gamma * q[j];
      u_[set.begin + j] = rows_.free_rows()[set.begin + j] != 0 ? next : std::max(0.0, next);
    }
  }

  // What is constant while the rules are.
  void factorise() {
    const std::size_t rows = rows_.rows();
    std::size_t longest = 0;
    trust_ = 0;
    systems_.clear();
    for (const AdviceRows::Set& set : rows_.sets()) {
      AdviceRows::Singles singles = rows_.singles(set);
      systems_.push_back(singles.groups.empty() ? ShiftedSystem(rows_.gram(set, false), set.end - set.begin)
                                                : ShiftedSystem(std::move(singles.coefficients), singles.groups));
      trust_ += set.trust;
      longest = std::max(longest, set.end - set.begin);
    }
    for (std::vector<double>* of_rows : {&h_, &of_target_, &d_}) of_rows->assign(rows, 0);
    for (std::vector<double>* of_features : {&r_, &mean_target_, &w_local_}) of_features->assign(rows_.features(), 0);
    for (std::vector<double>* of_set : {&right_, &p_, &q_, &work_}) of_set->assign(longest, 0);
    for (std::size_t k = 0; k < rows; ++k) d_[k] = rows_.d(k);
    for (std::size_t i = 0; i < rows_.sets().size(); ++i) {  // D_i h_i, by way of r_
      const AdviceRows::Set& set = rows_.sets()[i];
      std::fill(r_.begin(), r_.end(), 0);
      for (const auto& [feature, coefficient] : advice_.sets[i].target.terms) {
        r_[rows_.local().place(feature)] = coefficient;
        mean_target_[rows_.local().place(feature)] += set.trust / trust_ * coefficient;
      }
      rows_.times(r_, h_);
      std::copy(h_.begin() + static_cast<std::ptrdiff_t>(set.begin), h_.begin() + static_cast<std::ptrdiff_t>(set.end),
                of_target_.begin() + static_cast<std::ptrdiff_t>(set.begin));
    }
  }

  // The hyperplane that the rules alone ask for, and the multipliers that are best for it.
  void begin() {
    const AdviceHyperplane plane = begin_at_advice(w_, advice_);
    AdviceLoss loss(advice_, Ranges::promised);
    loss.value(plane.weights, plane.bias);
    for (std::size_t i = 0; i < rows_.sets().size(); ++i) {
      const std::vector<double> u = loss.multipliers(i, advice_);
      std::copy(u.begin(), u.end(), u_.begin() + static_cast<std::ptrdiff_t>(rows_.sets()[i].begin));
    }
  }
  void obey() {
    obey_directions(
        advice_, [&](std::uint32_t feature) { return w_.at(feature); },
        [&](std::uint32_t feature, double step) { w_.add_to(feature, step); });
  }

  LinearWeights w_;
  double lambda_, mu_, decay_, epsilon_;
  bool passive_weights_, passive_all_, known_ranges_, start_at_advice_;
  TaskAdvice advice_;
  AdviceRows rows_;
  std::size_t features_ = 0;
  std::vector<double> u_;  // multipliers, per row of D
  std::uint64_t t_ = 0;

  std::vector<ShiftedSystem> systems_;  // per set
  double trust_ = 0;                    // the sum over the sets
  std::vector<double> of_target_, d_;   // per row: D_i h_i, d_i
  std::vector<double> mean_target_;     // per local feature: of the h_i, by trust
  std::vector<double> h_, r_, w_local_, right_, p_, q_, work_;
};

}  // namespace

std::unique_ptr<Learner> make_regression_adviceptron(const Params& params) {
  return std::make_unique<RegressionAdviceptron>(params);
}

}  // namespace postil
