// kbsvm.cpp: the knowledge-based support vector machine, in one go over all examples.
//
// Source   Fung, Mangasarian and Shavlik, Knowledge-Based Support Vector Machine Classifiers, NIPS 2002   [fung2002kbsvm];
//          000, problem (4), and its slides, corrected as in docs/mathematics.md A5.
// Problem  l2     min 1/2|w|^2 + lambda/2 sum (1 - y f)_+^2 + mu/2 sum_i (|D_i'u_i + z_i w|^2 + (g_i + d_i'u_i - z_i b)_+^2),
//                 u >= 0
//          l1     min |w|_1 + lambda sum xi + mu sum_i (|D_i'u_i + z_i w|_1 + zeta_i)         a linear program
//          mixed  min 1/2|w|^2 + the same losses as l1                                        a quadratic program
//          hard   in each: D_i'u_i + z_i w = 0 and zeta_i = 0 for all i
//          Regression, after Mangasarian, Shavlik and Wild, JMLR 2004   [mangasarian2004kbka]: (|y - f| - epsilon)_+ in place of
//          (1 - y f)_+, and in a set that says z_i (f(x) - h_i'x - c_i) >= g_i, w - h_i and b - c_i in place of w and b.
//          A direction (more x => class) adds mu/2 (-z s_j w_j)_+^2, in l1 and mixed mu (-z s_j w_j)_+, s_j being the standard
//          deviation of feature j; hard: z w_j >= 0.
// Method   l2: the multipliers u are done away with, the loss of a set being a projection (advice/advice_loss.hpp); what is
//          left is smooth in (w, b): Newton's method with conjugate gradients. Hard: the method of multipliers around it.
//          l1, mixed: kbsvm_linear.cpp.
// Cost     l2: a look at every example a conjugate gradient step, as LIBLINEAR's -s 2.
// Choices  Trust weighs mu; hard advice has no trust. The promised ranges of the features are rows of every set.
//          multiclass=ovo: in the machine for a pair of classes, a rule for (or against) one of the two speaks for (or against)
//          it, and a rule about any other class says nothing.
//          Shards: kbsvm_rounds.hpp.
//          b costs nothing. An example of weight c has lambda c in place of lambda.
#include "kbsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/advice_loss.hpp"
#include "advice/one_hyperplane.hpp"
#include "core/kernels.hpp"
#include "kbsvm_rounds.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "pairs.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"
#include "solvers/newton.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    choice_param("form", "l2", "l2|l1|mixed",
                 "squares throughout; absolute values throughout; |w|^2 with absolute losses"),
    choice_param("advice", "soft", "soft|hard", "rules may be broken at a price, or never"),
    number_param("lambda", "λ", 1, Range::positive, "weight of the loss on the examples"),
    number_param("mu", "μ", 1, Range::positive, "weight of the advice loss"),
    number_param("tolerance", "", 1e-6, Range::positive, "l2: how far the gradient must fall, as a share of its start"),
    number_param("epsilon", "ε", 0, Range::non_negative, "regression only: an error up to this costs nothing"),
    choice_param("bias", "1", "1|none", "an intercept, or none"),
    kPairsParam};

constexpr double kBiasRidge = 1e-10;  // b of rows of one class may be any of many
constexpr int kMostRounds = 100;      // of the method of multipliers
constexpr int kMostIterations = 500;  // over shards
constexpr double kObeyed = 1e-7;      // what hard advice may be short of
constexpr double kHardTolerance = 1e-11, kHeaviest = 1e9;

// What the examples at hand cost.
class Examples final : public ExampleLoss {
 public:
  explicit Examples(const KbsvmProblem& problem) : problem_(problem), pull_(problem.examples.size()) {}

  double value(std::span<const double> x) override {
    double losses = 0;
    for (std::size_t i = 0; i < pull_.size(); ++i) {
      const KbsvmProblem::Example& e = problem_.examples[i];
      pull_[i] = kbsvm_pull(e.y, dot(e.x, x.data()) + x.back(), problem_.epsilon);
      losses += e.weight * pull_[i] * pull_[i];
    }
    return losses / 2;
  }
  void add_gradient(double factor, std::span<double> out) override {
    for (std::size_t i = 0; i < pull_.size(); ++i) {
      if (pull_[i] == 0) continue;
      const KbsvmProblem::Example& e = problem_.examples[i];
      const double step = -factor * e.weight * pull_[i];
      axpy(step, e.x, out.data());
      out.back() += step;
    }
  }
  void add_hessian_times(double factor, std::span<const double> v, std::span<double> out) override {
    for (std::size_t i = 0; i < pull_.size(); ++i) {
      if (pull_[i] == 0) continue;
      const KbsvmProblem::Example& e = problem_.examples[i];
      const double step = factor * e.weight * (dot(e.x, v.data()) + v.back());
      axpy(step, e.x, out.data());
      out.back() += step;
    }
  }
  void add_hessian_diagonal(double factor, std::span<double> out) override {
    for (std::size_t i = 0; i < pull_.size(); ++i) {
      if (pull_[i] == 0) continue;
      const KbsvmProblem::Example& e = problem_.examples[i];
      const double weight = factor * e.weight;
      for (std::size_t k = 0; k < e.x.count; ++k) out[e.x.index(k)] += weight * e.x.value(k) * e.x.value(k);
      out.back() += weight;
    }
  }

 private:
  const KbsvmProblem& problem_;
  std::vector<double> pull_;
};

// x = (w, b)
class L2Problem final : public SmoothFunction {
 public:
  L2Problem(const KbsvmProblem& problem, ExampleLoss& examples, AdviceLoss& loss, double mu)
      : problem_(problem),
        examples_(examples),
        loss_(loss),
        mu_(mu),
        outside_(1 + mu * loss.trust()),
        named_(problem.features) {
    for (const TaskAdvice::Feature& f : problem.advice.features) named_[f.number] = true;
    local_.resize(problem.advice.features.size());
    out_.resize(local_.size());
  }

  // Each value is a function of x alone, whatever was valued before.
  void forget_before_each() { forget_ = true; }
  void set_mu(double mu) {
    mu_ = mu;
    outside_ = 1 + mu * loss_.trust();
  }

  double value(std::span<const double> x) override {
    x_.assign(x.begin(), x.end());
    const double b = x.back();
    double sum = kBiasRidge * b * b;
    for (std::size_t j = 0; j + 1 < x.size(); ++j) sum += ridge(j) * x[j] * x[j];
    sum /= 2;
    if (forget_) loss_.forget();
    gather(x);
    return sum + problem_.lambda * examples_.value(x) + mu_ * loss_.value(local_, b);
  }
  void gradient(std::span<double> out) override {
    for (std::size_t j = 0; j + 1 < out.size(); ++j) out[j] = ridge(j) * x_[j];
    out.back() = kBiasRidge * x_.back();
    examples_.add_gradient(problem_.lambda, out);
    std::fill(out_.begin(), out_.end(), 0);
    loss_.add_gradient(mu_, out_, out.back());
    scatter(out);
    freeze(out, {});
    if (!problem_.bias) out.back() = 0;
  }
  void hessian_times(std::span<const double> v, std::span<double> out) override {
    direction_.assign(v.begin(), v.end());
    if (!problem_.bias) direction_.back() = 0;
    for (std::size_t j = 0; j + 1 < out.size(); ++j) out[j] = ridge(j) * v[j];
    out.back() = kBiasRidge * v.back();
    examples_.add_hessian_times(problem_.lambda, direction_, out);
    gather(v);
    std::fill(out_.begin(), out_.end(), 0);
    loss_.add_hessian_times(mu_, local_, direction_.back(), out_, out.back());
    scatter(out);
    freeze(out, v);
    if (!problem_.bias) out.back() = 0;
  }
  void hessian_diagonal(std::span<double> out) override {
    for (std::size_t j = 0; j + 1 < out.size(); ++j) out[j] = ridge(j);
    out.back() = kBiasRidge;
    examples_.add_hessian_diagonal(problem_.lambda, out);
    std::fill(out_.begin(), out_.end(), 0);
    loss_.add_hessian_diagonal(mu_, out_, out.back());
    scatter(out);
    if (!problem_.bias) out.back() = 1;
  }

 private:
  // A feature that no rule names has no row in any set: its weight is all there is of eta_i. Where rules are hard, it is 0.
  [[nodiscard]] double ridge(std::size_t j) const { return named_[j] ? 1 : outside_; }
  void freeze(std::span<double> out, std::span<const double> v) const {
    for (std::size_t j = 0; problem_.hard && loss_.sets() > 0 && j < named_.size(); ++j)
      if (!named_[j]) out[j] = v.empty() ? 0 : v[j];
  }
  void gather(std::span<const double> x) {
    for (std::size_t f = 0; f < local_.size(); ++f) local_[f] = x[problem_.advice.features[f].number];
  }
  void scatter(std::span<double> out) const {
    for (std::size_t f = 0; f < out_.size(); ++f) out[problem_.advice.features[f].number] += out_[f];
  }

  const KbsvmProblem& problem_;
  ExampleLoss& examples_;
  AdviceLoss& loss_;
  double mu_, outside_;
  bool forget_ = false;
  std::vector<bool> named_;
  std::vector<double> x_, direction_, local_, out_;
};

LinearModel model_of(std::vector<double> x) {
  LinearModel out;
  out.bias = x.back();
  x.pop_back();
  out.weights = std::move(x);
  return out;
}

// Rules that no hyperplane can obey together are told by name.
void check_feasible(const TaskAdvice& advice) {
  Box box;
  std::vector<std::uint32_t> features, all;
  const std::uint32_t width = advice.features.empty() ? 0 : advice.features.back().number + 1;
  box.low.assign(width, -std::numeric_limits<double>::infinity());
  box.high.assign(width, std::numeric_limits<double>::infinity());
  for (const TaskAdvice::Feature& f : advice.features) {
    features.push_back(f.number);
    box.low[f.number] = f.low;
    box.high[f.number] = f.high;
  }
  const std::size_t sets = advice.sets.size();
  for (std::uint32_t i = 0; i < sets + advice.directions.size(); ++i) all.push_back(i);
  const auto possible = [&](const std::vector<std::uint32_t>& chosen) {
    std::vector<HyperplaneDemand> demands;
    std::vector<Direction> signs;
    for (const std::uint32_t i : chosen)
      if (i < sets)
        demands.push_back({&advice.sets[i].rows, advice.sets[i].z, advice.sets[i].margin, &advice.sets[i].target});
      else
        signs.push_back(advice.directions[i - sets]);
    return one_hyperplane_obeys(demands, features, box, {}, signs);
  };
  if (possible(all)) return;
  std::vector<std::string> names;
  for (const std::uint32_t i : smallest_core(all, possible))
    if (const std::string& name = i < sets ? advice.sets[i].name : advice.directions[i - sets].name;
        std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  throw DataError({.code = Code::impossible,
                   .subject = {"rule", names.empty() ? std::string() : names[0]},
                   .message = Text("advice=hard: no hyperplane obeys these rules at once: ", joined(names)),
                   .remedy = Text(Option{"set", "advice", "soft"}, " weighs them against the data")});
}

}  // namespace

double kbsvm_pull(double y, double f, const std::optional<double>& epsilon) {
  if (!epsilon) return y * std::max(0.0, 1 - y * f);
  return std::copysign(std::max(0.0, std::fabs(y - f) - *epsilon), y - f);
}

std::optional<KbsvmSolution> go_on_kbsvm_l2(const KbsvmProblem& problem, double tolerance, KbsvmRounds& rounds) {
  AdviceLoss loss(problem.advice, Ranges::promised);
  L2Problem function(problem, rounds, loss, problem.mu);
  function.forget_before_each();
  std::vector<double> x = rounds.begin(), g(x.size());
  NewtonResult result;
  try {
    if (rounds.first() == 0) {
      function.value(x);
      function.gradient(g);
      rounds.set_first(std::sqrt(dot(g, g)));
    }
    const auto left = kMostIterations - static_cast<int>(std::min<std::uint64_t>(rounds.iterations(), kMostIterations));
    result = minimise(function, x, {.tolerance = tolerance * rounds.first(), .most = left, .first = rounds.first()});
  } catch (const KbsvmRounds::Asks&) {
    return std::nullopt;
  }
  KbsvmSolution out;
  out.report.objective = result.value;
  out.report.residual = result.gradient / std::max(rounds.first(), 1e-300);
  out.report.iterations = rounds.iterations();
  out.report.converged = loss.converged() && result.converged;
  out.report.status = out.report.converged ? "solved" : "did not converge";
  out.model = model_of(std::move(x));
  return out;
}

KbsvmSolution solve_kbsvm_l2(const KbsvmProblem& problem, double tolerance) {
  TaskAdvice advice = problem.advice;
  if (problem.hard) {
    for (TaskAdvice::Set& set : advice.sets) set.trust = 1;
    for (TaskAdvice::Sign& sign : advice.directions) sign.trust = 1;
  }
  AdviceLoss loss(advice, Ranges::promised);
  std::vector<double> x(problem.features + 1), g(x.size());
  // Hard advice, by the method of multipliers: the point of each set is moved by what it was short of so far.
  double mu =
      problem.hard ? std::max(10 * problem.lambda * static_cast<double>(problem.examples.size()), 100.0) : problem.mu;
  const double first_mu = mu;
  Examples examples(problem);
  L2Problem function(problem, examples, loss, mu);
  function.value(x);
  function.gradient(g);
  double size = 0;
  for (const double value : g) size += value * value;
  KbsvmSolution out;
  NewtonResult result;
  double broken = 0, last = std::numeric_limits<double>::infinity();
  for (int round = 0; round < (problem.hard ? kMostRounds : 1); ++round) {
    result = minimise(function, x, {.tolerance = (problem.hard ? kHardTolerance : tolerance) * std::sqrt(size)});
    out.report.iterations += static_cast<std::uint64_t>(result.iterations);
    if (!problem.hard) break;
    std::vector<double> w(advice.features.size());
    for (std::size_t f = 0; f < w.size(); ++f) w[f] = x[advice.features[f].number];
    AdviceLoss::Pulls pulls = loss.pulls();
    loss.clear_pulls();
    loss.value(w, x.back());
    broken = loss.broken();
    const double factor = broken > last / 4 && mu < kHeaviest ? 10 : 1;  // too slow: heavier
    mu *= factor;
    function.set_mu(mu);
    last = broken;
    loss.set_pulls(std::move(pulls), factor);
    if (broken <= kObeyed) break;
  }
  if (problem.hard) {
    loss.clear_pulls();
    KbsvmProblem without = problem;
    without.advice = {};
    AdviceLoss none(without.advice, Ranges::promised);
    result.value = L2Problem(without, examples, none, 0).value(x);
  }
  out.report.objective = result.value;
  out.report.residual = problem.hard ? broken : result.gradient / std::max(std::sqrt(size), 1e-300);
  out.report.converged =
      loss.converged() &&
      (problem.hard ? broken <= kObeyed && result.gradient <= tolerance * std::sqrt(size) * mu / first_mu
                    : result.converged);
  out.report.status = out.report.converged ? "solved"
                      : problem.hard       ? "the rules are not obeyed to 1e-7"
                                           : "did not converge";
  out.model = model_of(std::move(x));
  return out;
}

namespace {

class Kbsvm : public Learner {
 public:
  explicit Kbsvm(const Params& params)
      : form_(params.choice("form")), tolerance_(params.number("tolerance")), rivalry_(pairs_or_none(params)) {
    problem_.lambda = params.number("lambda");
    problem_.mu = params.number("mu");
    problem_.hard = params.choice("advice") == "hard";
    problem_.bias = params.choice("bias") != "none";
  }

  [[nodiscard]] Rivalry rivalry() const override { return rivalry_; }
  void take_advice(const TaskAdvice& advice) override { problem_.advice = advice; }
  void restore_advice(const TaskAdvice& advice) override { problem_.advice = advice; }
  void grow(std::size_t features) override {
    model_.weights.resize(std::max(model_.weights.size(), features));
    rounds_.grow(model_.weights.size());
  }
  [[nodiscard]] double score(const Row& x) const override { return dot(x, model_.weights.data()) + model_.bias; }
  // Of a shard: adds to the answer that the round asks for.
  Step learn(const Row& x, double y, double weight) override {
    if (weight > 0) rounds_.add(x, y, weight, problem_.epsilon);
    return {.score = score(x), .updated = false};
  }

  // ---- rows in several places ----

  void begin_share() override { rounds_.begin_answer(); }
  void write_gains(const Learner& /*start*/, double /*rows*/, StateWriter& out) const override {
    rounds_.write_answer(out);
  }
  bool take_gains(StateReader& sums) override {
    if (rounds_.done()) return false;
    problem_.features = model_.weights.size();
    rounds_.take_answer(sums);
    const std::optional<KbsvmSolution> solved = go_on_kbsvm_l2(problem_, tolerance_, rounds_);
    if (!solved) {
      model_ = model_of(rounds_.begin());
      return true;
    }
    if (!std::isfinite(solved->report.objective))
      throw DataError(
          {.code = Code::overflow, .message = "the numbers of the rules or of the rows are too large to be weighed"});
    model_ = solved->model;
    rounds_.finish();
    return false;
  }

  FitReport fit(const Sample& sample) override {
    if (problem_.hard) check_feasible(problem_.advice);
    problem_.features = model_.weights.size();
    problem_.examples.clear();
    sample.for_each([&](const Row& x, double y, double weight) {
      if (weight > 0) problem_.examples.push_back({x, y, weight});
    });
    KbsvmSolution solution =
        form_ == "l2" ? solve_kbsvm_l2(problem_, tolerance_) : solve_kbsvm_linear(problem_, form_ == "mixed");
    problem_.examples.clear();
    if (!std::isfinite(solution.report.objective))
      throw DataError(
          {.code = Code::overflow, .message = "the numbers of the rules or of the rows are too large to be weighed"});
    if (problem_.hard && !problem_.advice.empty() && !solution.report.converged)
      throw DataError(
          {.code = Code::impossible,
           .message = fmt::format("advice=hard: {} after {} iterations (residual {:.2g})", solution.report.status,
                                  solution.report.iterations, solution.report.residual),
           .remedy = Text("another form or ", Option{"set", "advice", "soft"}, " may do")});
    model_ = std::move(solution.model);
    if (problem_.hard)  // to the last bit, where the solvers are content with 1e-7
      obey_directions(
          problem_.advice, [&](std::uint32_t j) { return model_.weights[j]; },
          [&](std::uint32_t j, double /*step*/) { model_.weights[j] = 0; });
    return solution.report;
  }

  void write(StateWriter& out) const override { state(*this, out); }
  void read(StateReader& in) override { state(*this, in); }
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.tensor("w", self.model_.weights);
    archive.number("b", self.model_.bias);
    transfer(archive, self.rounds_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    return model_.weights.size() == features && rounds_.fits(features);
  }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return model_; }

  // What the weights that were found say to the rules. Its part of the weights is z y of each set, as far as w is the sum of
  // these and of what the examples add.
  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    const TaskAdvice& advice = problem_.advice;
    if (advice.sets.empty()) return std::nullopt;
    return report_at(advice, model_, form_ == "l2" && !problem_.hard ? problem_.mu : 0);
  }

 protected:
  KbsvmProblem problem_;

 private:
  std::string form_;
  double tolerance_;
  Rivalry rivalry_;
  LinearModel model_;
  KbsvmRounds rounds_;  // while it learns from shards
};

class KbsvmRegression final : public Kbsvm {
 public:
  explicit KbsvmRegression(const Params& params) : Kbsvm(params) { problem_.epsilon = params.number("epsilon"); }
};

constexpr std::string_view kPage = R"(
The batch counterpart of the Adviceptron: one problem over all examples and all rules, solved to the end.

**Problem.** `form=l2`: $\min \frac12|w|^2 + \frac\lambda2\sum(1 - y f)_+^2 + \frac\mu2\sum_i(|D_i'u_i + z_i w|^2 + (g_i + d_i'u_i - z_i b)_+^2)$, $u \ge 0$. `l1` has absolute values in place of all squares, `mixed` only in the losses. `advice=hard`: the rules hold exactly. A direction (`more x => class`) costs $\frac\mu2(-z s_j w_j)_+^2$, with $s_j$ the standard deviation of the column; hard, it is the sign of the weight.

**Update.** None: it learns from all examples at once (`train`, `cv`, `curve`, `tune`; not `stream`). `l2` by Newton's method with conjugate gradients, `l1` by linear programming, `mixed` by an interior-point method. The objective, residual, iterations and status are reported.

**Regression** (rules such as `age >= 60 and smoker = yes => charges >= 20000`; Mangasarian, Shavlik and Wild). The loss of an example is $(|y - f| - \varepsilon)_+$, squared with `form=l2`; a set that says $f(x) \ge h'x + c$ (or $\le$) has $w - h$ and $b - c$ in place of $w$ and $b$, and margin 0 unless `[margin = g]`, in the label's units.

**When not to use it.** On a stream, or when the rules may be wrong: $\mu$ is fixed, whatever the examples say. `l1` and `mixed` are for thousands of rows, `mixed` for at most 2,000 features.
)";

}  // namespace

extern const LearnerInfo kbsvm_info{
    .name = "kbsvm",
    .title = "Knowledge-based support vector machine",
    .reference = "fung2002kbsvm",
    .mode = Mode::batch,
    .takes_advice = true,
    .kernels = false,
    .python_name = "KnowledgeSVC",
    .params = kParams,
    .make = make_learner<Kbsvm>,
    .page = kPage,
    .make_regressor = make_learner<KbsvmRegression>,
    .shards = "the same problem: shards add up losses, gradients and curvature; the rules' part is solved beside them",
    .shard_settings = "form=l2 advice=soft multiclass=ovr"};

}  // namespace postil
