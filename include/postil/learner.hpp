// Learners: the interface every algorithm implements, and the registry that lists them.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/archive.hpp"
#include "postil/params.hpp"
#include "postil/row.hpp"
#include "postil/rules.hpp"

namespace postil {

// What one round of learning did.
struct Step {
  double score = 0;  // w'x + b before the update
  bool updated = false;
};

// How the learners of several classes learn an example together.
enum class Rivalry : std::uint8_t {
  none,     // each class against the rest, as if there were no other question
  softmax,  // their scores are those of one softmax
  top,      // the example's class and the one that scores highest among the others, against each other
  pairs     // one against one: a learner for each pair of classes, of their rows alone; they vote
};

// A linear model: score = weights'x + bias.
struct LinearModel {
  std::vector<double> weights;
  double bias = 0;
  bool whole = true;  // false: rules add to the score besides
};

// One of the learners that a score is mixed from: it says weights'x + bias and, where a rule holds, something from low to high more.
struct MixturePart {
  double share = 0;
  LinearModel linear;
  double low = 0, high = 0;
};

// All examples at once, for learners that want them so. y is +1 or -1, NaN: no label; no weights at all: they are 1.
struct Sample {
  std::span<const Block> blocks;
  std::span<const double> y, weights;  // of all rows of the blocks in turn

  template <class F>
  void for_each(const F& f) const {  // f(row, y, weight) of each labelled row
    std::size_t k = 0;
    for (const Block& block : blocks)
      for (std::size_t i = 0; i < block.rows(); ++i, ++k)
        if (y[k] == y[k]) f(block.row(i), y[k], weights.empty() ? 1.0 : weights[k]);
  }
};

// How the solver of a batch learner ended.
struct FitReport {
  double objective = 0;
  double residual = 0;  // of the conditions for an optimum, relative
  std::uint64_t iterations = 0;
  bool converged = false;
  std::string status;
  std::optional<double> gap = {};  // between primal and dual, where the solver knows it
  // y_i a_i of the rows that count, by their number in the sample, of machines that are solved in their dual.
  std::vector<std::pair<std::uint32_t, double>> multipliers = {};
};

// A learned metric: x'Bx tells how far x lies from what was learned from.
struct LearnedMetric {
  std::vector<double> values;  // B, row by row
  bool constant = false;       // one more feature, always 1, stands last

  [[nodiscard]] std::size_t side() const {  // rows of B
    std::size_t n = 0;
    while (n * n < values.size()) ++n;
    return n;
  }
};

// The axes of B's ellipsoids over the features, from the largest eigenvalue, along which little was seen, to the smallest.
struct MetricAxis {
  double value = 0;
  std::vector<double> direction;  // of length 1
};
std::vector<MetricAxis> principal_axes(const LearnedMetric& metric);
// Where x lies along the axes, in the metric's own measure: sqrt(value) direction'x of each. The Euclidean distance between two
// rows is then their distance by B. Needs: as many numbers in `out` as axes, and no feature in x beyond theirs.
void into_axes(std::span<const MetricAxis> axes, const Row& x, std::span<double> out);

// score = sum_i coefficient_i k(row_i, x) + bias, for other programs.
struct KernelExpansion {
  std::string kernel;
  double gamma = 1, coef0 = 0;
  int degree = 3;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> rows;
  std::vector<double> coefficients;
  double bias = 0;
};

// Of learners that are a mixture of several: their parts, and what these and the mixture have cost so far.
struct AdviceMixture {
  struct Part {
    std::string name;            // what it knows
    std::uint64_t memory = 0;    // it forgets what is further back than about so many rows; 0: nothing
    double start = 0, now = 0;   // its share of the mixture, before the first example and at present
    double loss = 0;             // log loss
    std::uint64_t mistakes = 0;  // labels it would have predicted wrongly
  };
  std::vector<Part> parts;
  double loss = 0;
  std::uint64_t mistakes = 0, mistakes_without_rules = 0, rounds = 0;
};

// What rules have come to in a learner, set by set of the TaskAdvice it was given, in its coordinates; weights and points
// are over TaskAdvice::features.
struct AdviceReport {
  struct Set {
    std::vector<double> multipliers;  // u_i of its own rows; positive: the comparison does some of the work
    std::vector<double> estimate;     // of the hypothesis, r_i
    std::vector<double> ideal;        // s_i, where in its region the hypothesis is worst; empty: the rule costs nothing
    std::vector<double> part;         // of the learner's weights that is due to this set; empty: not known ...
    double part_bias = 0;             // ... and of its bias
  };
  std::vector<Set> sets;

  // Of learners that hedge: the advised half against the one that knows no rules.
  struct Wager {
    double weight = 0;                           // of the advised half in the next prediction
    double plain = 0, advised = 0, blended = 0;  // losses so far, of the halves and of the predictions
    std::uint64_t rounds = 0;
  };
  std::optional<Wager> wager;

  using Mixture = AdviceMixture;
  std::optional<Mixture> mixture;
  std::vector<std::pair<std::uint32_t, double>>
      rules;              // what each adds, where it holds, to the log-odds of what it says; number in Advice::rules
  bool converged = true;  // what was solved for the rules
};

// What the score of a row is made of, in learners whose scores are log-odds: the sum of all this.
struct LogOdds {
  double base = 0;                                         // the base rate, and what is constant
  std::vector<std::pair<std::uint32_t, double>> features;  // what their values add
  std::vector<std::pair<std::uint32_t, double>> rules;     // that hold; number in Advice::rules
  double silence = 0;                                      // that none holds
  double plane = 0;                                        // what all rules ask of a hyperplane
  double remainder = 0;                                    // the log-odds of a mixture are not quite a sum
};

// A score in which rules have a part, as a formula for other programs. The vote V is the sum of the voices of the rules that hold,
// cut at -limit and limit; where none holds it is `silent`. The claim C is -base where rules hold and V base < 0, else 0. A part says
//   linear(x) + vote V + claim C + rules[i], summed over the rules that hold,
// and the score is what the one part says, or the log-odds of the parts' probabilities, mixed by their shares.
struct ScoreFormula {
  std::vector<std::uint32_t> rules = {};  // numbers in Advice::rules
  std::vector<double> voices = {};        // of each
  double limit = 1, silent = 0, base = 0;
  bool silent_if_cancelled = false;  // V is `silent` where the voices come to 0, too
  struct Part {
    double share = 1;
    LinearModel linear = {};
    double vote = 0, claim = 0;
    std::vector<double> rules = {};  // empty: none adds anything
  };
  std::vector<Part> parts = {};
};

// What the rules that hold on a row say, in learners where they vote: their sum is the score, unless it is 0.
struct Votes {
  std::vector<std::pair<std::uint32_t, double>> rules;  // number in Advice::rules, and its vote
  double otherwise = 0;                                 // the score where they come to nothing

  [[nodiscard]] double sum() const {
    double out = 0;
    for (const auto& [rule, vote] : rules) out += vote;
    return out;
  }
};

// What a learner believes of the score of a row: with probability `share` that it comes from this normal distribution.
struct ScoreBelief {
  double share = 1, mean = 0, variance = 0;
};

// An algorithm with its state. Rows given to score and learn must not reach beyond the size last given to grow.
class Learner {
 public:
  virtual ~Learner() = default;

  // Before the first example, and again when the rules have changed: what was learned from data stays. For those that take
  // advice.
  virtual void take_advice(const TaskAdvice& /*advice*/) {}
  // Before read(), in place of take_advice: the rules that the state was written with. What was solved for them is in the state.
  virtual void restore_advice(const TaskAdvice& /*advice*/) {}
  // Becomes what it would be if every label, and every rule, had said the opposite. False: it cannot, and is as it was.
  virtual bool turn_round() { return false; }

  // Before the first example: rows of the kind that will come, with or without labels, which it does not look at.
  virtual void study(std::span<const Row> /*rows*/) {}

  virtual void grow(std::size_t features) = 0;  // room for this many features; called between blocks, never shrinks
  [[nodiscard]] virtual double score(const Row& x) const = 0;
  virtual Step learn(const Row& x, double y,
                     double weight) = 0;  // y is +1 or -1, or the number of a regressor; does not allocate
  // A round in two steps, for learners of several classes that are rivals. look() gives the score, and that of the weights as they
  // are, which differs where a mean predicts. learn_looked() learns the row looked at as if `others` were added to its score, and
  // says whether it moved. softmax: minus the logarithm of what the others' odds come to. top: minus the rival's score; minus
  // infinity if the class has no part in it.
  [[nodiscard]] virtual Rivalry rivalry() const { return Rivalry::none; }
  struct Looked {
    double score = 0, present = 0;
  };
  virtual Looked look(const Row& x) { return {score(x), score(x)}; }
  virtual bool learn_looked(const Row& x, double y, double weight, double /*others*/) {
    return learn(x, y, weight).updated;
  }
  // Whether the rows to come were learned before: what they are evidence for has been counted then. No part of the state.
  virtual void rows_again(bool /*again*/) {}
  // The rows of a block in turn, exactly as one by one. Needs: an entry for each row, but no weights at all if
  // they are 1. y of NaN: no label, the row is passed over and its step left as it is.
  virtual void learn_block(const Block& block, std::span<const double> y, std::span<const double> weights,
                           std::span<Step> steps);
  // Rows in several places (shards.hpp): copies of a learner, each with rows of its own, become one. begin_share comes before these
  // rows. write_gains says what this one
  // has learned of `rows` examples since it was a copy of `start`, as numbers that add up with those of the others; take_gains, at
  // the start, takes the sums of all. It says whether the learner itself wants another round. For learners whose info says
  // `shards`.
  virtual void begin_share() {}
  virtual void write_gains(const Learner& start, double rows, StateWriter& out) const;
  virtual bool take_gains(StateReader& sums);
  // Learns from all examples at once, whatever was learned before; batch learners only.
  virtual FitReport fit(const Sample& sample);
  virtual void write(StateWriter& out) const = 0;  // its whole state
  virtual void read(StateReader& in) = 0;          // takes the place of the state it had
  [[nodiscard]] virtual bool fits(
      std::size_t features) const = 0;  // after reading: the state is whole and of this width
  [[nodiscard]] virtual std::optional<LinearModel> linear() const = 0;  // the weights that score uses, if it has any
  // Where linear() is not the whole score, but there is a formula.
  [[nodiscard]] virtual std::optional<ScoreFormula> formula() const { return std::nullopt; }
  // What the log-odds are mixed from on rows where a rule holds, by its number in Advice::rules; empty: they are no mixture.
  [[nodiscard]] virtual std::vector<MixturePart> parts_where(std::uint32_t /*rule*/) const { return {}; }
  [[nodiscard]] virtual std::optional<KernelExpansion> expansion() const {
    return std::nullopt;
  }  // if it has that form
  // Of learners that know how unsure they are: what they believe of the score. Adds nothing: it does not know.
  virtual void believe(const Row& /*x*/, std::vector<ScoreBelief>& /*out*/) const {}
  // Of each of these distributions: how the score of x varies with those of others, one after the other.
  virtual void covary(const Row& /*x*/, std::span<const Row> /*others*/,
                      std::vector<std::vector<double>>& /*out*/) const {}
  // How unlike a row is to those that were learned. Of learners with an ellipsoid: x'Bx, and B itself where it has a size. Of those
  // that keep variances: the variance of the score, in units of what it was for the rows learned last.
  [[nodiscard]] virtual std::optional<double> novelty(const Row& /*x*/) const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<LearnedMetric> metric() const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<LogOdds> contributions(const Row& /*x*/) const { return std::nullopt; }
  [[nodiscard]] virtual std::optional<Votes> votes(const Row& /*x*/) const { return std::nullopt; }
  [[nodiscard]] virtual bool done() const { return false; }  // an online learner that wants no more examples
  [[nodiscard]] virtual std::optional<AdviceReport> advice_report() const { return std::nullopt; }  // none: no rules
};

enum class Mode { online, batch };
// What a learner is the default for, where nobody has chosen one.
enum class DefaultFor : std::uint8_t {
  nothing,
  examples,  // and rules, or either alone
  regression,
  regression_with_rules,
  comparison  // with learners that have rules: what these are worth as written
};
// What theory promises of it (bounds.hpp).
enum class Promises : std::uint8_t { nothing, mistakes, mistakes_with_advice, regret, wager, mixture, ellipsoid };

// The only declaration of a learner: the command, the documentation, Python and the common tests are read from it.
struct LearnerInfo {
  std::string_view name;  // on the command line
  std::string_view title;
  std::string_view reference;  // key in docs/references.bib
  Mode mode;
  bool takes_advice;
  bool kernels;
  std::string_view python_name;  // class name
  std::span<const ParamSpec> params;
  std::unique_ptr<Learner> (*make)(const Params&);
  std::string_view page;                                                // Markdown: problem, update, when not to use it
  std::unique_ptr<Learner> (*make_regressor)(const Params&) = nullptr;  // for labels that are numbers; null: none
  std::string_view regression_settings = {};  // "key=value key=value": what else holds there unless set
  DefaultFor default_for = DefaultFor::nothing;
  std::string_view default_settings = {};  // the same, for those who have not chosen it
  Promises promises = Promises::nothing;
  std::string_view paper_settings = {};  // what makes it the printed algorithm, with columns that are not scaled
  bool needs_advice = false;             // says nothing without rules
  bool compact = false;                  // its state does not grow with the features
  bool log_odds = false;                 // scores are logarithms of odds; of several classes, those of a softmax
  bool studies = false;                  // it looks at rows before it learns (Learner::study)
  bool ellipsoid = false;                // it learns a metric (Learner::metric), with linear kernels
  std::string_view shards = {};  // how it learns from rows in several places (Learner::write_gains); empty: it does not
  std::uint32_t shard_rounds = 1;        // of learning, unless the user says another number
  std::string_view shard_settings = {};  // "key=value key=value": all that it can have there of these parameters

  [[nodiscard]] std::string_view task() const { return make_regressor == nullptr ? "binary" : "binary, regression"; }
};

std::span<const LearnerInfo* const> learners();          // in the order of registry.cpp
const LearnerInfo& find_learner(std::string_view name);  // throws ParamError with the nearest name
const LearnerInfo& default_learner(DefaultFor purpose);
// Why a learner with these parameters needs rules, as the words that make it so ("with start=advice"; may be empty). None: it
// does not.
std::optional<std::string> why_advice_is_needed(const LearnerInfo& learner, const Params& params);
// Whether rules mean something to the learner: it takes advice, or it begins with it (start=advice).
bool takes_advice(const LearnerInfo& learner, const Params& params);
// Throws ParamError if not.
void check_takes_advice(const LearnerInfo& learner, const Params& params);

}  // namespace postil
