// How good predictions, learners and rules are, and what theory promises.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "postil/data.hpp"
#include "postil/model.hpp"
#include "postil/probabilities.hpp"
#include "postil/random.hpp"
#include "postil/rules.hpp"
#include "postil/train.hpp"

namespace postil {

// ---- How good predictions are ----

// The area under the ROC curve: the chance that a random positive scores above a random negative, ties counting half.
// None without both.
std::optional<double> area_under_curve(std::span<const double> scores, const std::vector<bool>& positive);

// Of one class: rows of it, rows predicted to be of it, and rows that are both. Precision is right of predicted, recall right of
// rows.
struct ClassRecord {
  std::uint64_t rows = 0, predicted = 0, right = 0;
};
std::vector<ClassRecord> class_records(const std::vector<std::vector<std::uint64_t>>& confusion);  // [truth][predicted]

// Counts predictions against the truth; keeps scores for the area under the curve: all of them, or of a random sample of the rows
// where there would be more than kMostScores numbers.
class Evaluation {
 public:
  static constexpr std::size_t kMostScores = 16'000'000;
  // `positive`: of two classes, the one that F1 and the scores are about. More classes: averages over the classes.
  Evaluation(std::size_t classes, std::uint32_t positive);

  // One score, or one per class; and the probability of each class.
  void add(std::uint32_t truth, std::uint32_t predicted, std::span<const double> scores,
           std::span<const double> probabilities);

  [[nodiscard]] std::uint64_t examples() const;
  [[nodiscard]] std::uint64_t correct() const;
  [[nodiscard]] double accuracy() const;
  [[nodiscard]] double balanced_error() const;  // mean over the classes that occur of their share of errors
  [[nodiscard]] double f1()
      const;  // of the positive class; more classes: the mean over those that occur or are predicted
  [[nodiscard]] std::optional<double> auc()
      const;  // more classes: the mean of one against the rest, over those that occur
  // Of the probabilities: their logarithm, their squares (summed over the classes; of two classes, of the positive one), and how
  // far the share of right answers is from what they say, in ten equal parts of the probability of what is likeliest.
  [[nodiscard]] double log_loss() const;
  [[nodiscard]] double brier_score() const;
  [[nodiscard]] double calibration_error() const;
  struct Reliability {
    std::uint64_t rows = 0;
    double said = 0, right = 0;  // mean probability of what is likeliest, and share of rows on which it is so
  };
  [[nodiscard]] std::vector<Reliability> reliability() const;  // by tenths
  [[nodiscard]] const std::vector<std::vector<std::uint64_t>>& confusion() const {
    return confusion_;
  }  // [truth][predicted]
  // Of the rows whose scores are kept: their classes, and the scores of each output.
  [[nodiscard]] const std::vector<std::uint32_t>& kept_truth() const { return truth_; }
  [[nodiscard]] const std::vector<std::vector<double>>& kept_scores() const { return scores_; }

 private:
  std::uint32_t positive_;
  std::vector<std::vector<std::uint64_t>> confusion_;
  std::uint64_t examples_ = 0;
  std::vector<std::uint32_t> truth_;
  std::vector<std::vector<double>> scores_;                         // per output
  Random chance_{0};                                                // which rows are kept
  double log_loss_ = 0, brier_ = 0;                                 // sums
  std::vector<Reliability> tenths_ = std::vector<Reliability>(10);  // sums
};

// How errors become fewer as the least sure rows are left without an answer.
class RiskCoverage {
 public:
  void add(double confidence, bool wrong) { rows_.emplace_back(confidence, wrong); }
  struct Point {
    double at_least = 0;  // confidence of the rows answered
    std::uint64_t answered = 0, wrong = 0;
  };
  // The surest rows, at least these shares of all; rows equally sure are answered together.
  [[nodiscard]] std::vector<Point> points(std::span<const double> shares) const;

 private:
  std::vector<std::pair<double, bool>> rows_;
};

// How far predicted numbers are from the true ones.
class RegressionEvaluation {
 public:
  void add(double truth, double predicted);
  [[nodiscard]] std::uint64_t examples() const { return count_; }
  [[nodiscard]] double mae() const;
  [[nodiscard]] double rmse() const;
  [[nodiscard]] std::optional<double> r2() const;  // none if all labels are the same

 private:
  std::uint64_t count_ = 0;
  double absolute_ = 0, squared_ = 0;
  double mean_ = 0, spread_ = 0;  // of the labels: Welford's mean and sum of squares about it
};

// ---- Comparing learners honestly: the same splits for all, and nothing of a test row, not even its scale, is known before it is predicted ----

enum class Metric : std::uint8_t { error, balanced_error, auc, f1, log_loss, mae, rmse, r2 };

std::string_view word(Metric metric);
Metric metric_of(std::string_view word, bool regression);  // "": error or mae; throws ParamError
bool larger_is_better(Metric metric);
// How a metric wants predictions decided, unless told otherwise: the balanced error by the balanced threshold, where scores are
// log-odds; all else by what is likelier, which is the sign of the score.
Decision decision_for(Metric metric, const LearnerInfo& learner);

// The labelled rows of a source, raw and in memory.
class DataSet {
 public:
  using Progress = std::function<void(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)>;
  explicit DataSet(Source& source, const Progress& progress = {});  // throws DataError; lent rows must outlive it
  DataSet(const std::string& path, const ReadOptions& read, const Progress& progress = {});  // throws DataError

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] std::size_t rows() const { return places_.size(); }
  [[nodiscard]] double label(std::size_t row) const;                      // as the table numbers it
  [[nodiscard]] std::uint64_t line(std::size_t row) const;                // of the file; 0: not known
  [[nodiscard]] Block select(std::span<const std::uint32_t> rows) const;  // copies, in the order given

  // What splits of these rows must respect, by a column of ReadOptions::keep: rows with the same cell stay together, or rows are
  // tested after those they are learned from. Empty cells are one group, and no time: order_by throws DataError.
  void group_by(const std::string& column);
  void order_by(const std::string& column);                                           // of dates or numbers
  [[nodiscard]] const std::vector<std::uint32_t>& groups() const { return groups_; }  // of each row; empty: none
  [[nodiscard]] const std::vector<double>& times() const { return times_; }           // of each row; empty: none
  [[nodiscard]] std::size_t without_group() const { return without_group_; }          // rows with an empty cell

 private:
  struct Place {
    std::uint32_t block, row;
  };
  struct Kept {  // a column of ReadOptions::keep: the text of each row, by its place among those that are different
    std::string column;
    std::vector<std::string> texts;
    std::vector<std::uint32_t> codes;
  };
  void take(Source& source, const Progress& progress);
  [[nodiscard]] const Kept& kept(const std::string& column) const;

  Table table_;
  std::vector<Block> blocks_;
  std::vector<Place> places_;
  std::vector<Kept> kept_;
  std::vector<std::uint32_t> groups_;
  std::vector<double> times_;
  std::size_t without_group_ = 0;
};

// Row numbers of a data set: to learn from, in this order, and to be tested on.
struct Split {
  std::vector<std::uint32_t> train, test;
};

// Cross-validation: each row is tested once; every class is spread evenly over the folds. Data with groups: no group is on both
// sides, and classes are spread as evenly as that allows. Data with times: the rows in order are cut into one more part than there
// are folds, at places where the time changes; each part but the first is tested after learning from all before it, in order.
// Throws DataError if there are too few rows, groups or times.
std::vector<Split> make_folds(const DataSet& data, std::span<const std::uint32_t> rows, std::size_t folds,
                              std::uint64_t seed);
std::size_t most_folds(const DataSet& data, std::span<const std::uint32_t> rows);
// `train` random rows to learn from and the others to test; balanced: as many of each class. Data with groups: the others are the
// rows of the groups of which none was drawn. Data with times: the first rows to learn from, in order, up to where the time
// changes. Throws DataError.
Split draw_split(const DataSet& data, std::size_t train, bool balanced, std::uint64_t seed);

struct EvaluateOptions {
  Metric metric = Metric::error;
  std::optional<Decision> decision = {};  // not given: decision_for(metric, learner)
  ColumnWishes wishes;                    // those the data were read with
  std::uint64_t passes = 1;
  std::size_t folds = 5;  // of the cross-validation by which an entrant chooses
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // never called twice at once
};

// The metric on the test rows, for each recipe after each of the numbers of examples in `checkpoints` (rising; those
// beyond the rows at hand count as all of them). With passes > 1 only the last pass has checkpoints.
std::vector<std::vector<double>> learning_curve(const DataSet& data, const Split& split,
                                                std::span<const Recipe> recipes,
                                                std::span<const std::uint64_t> checkpoints,
                                                const EvaluateOptions& options);

// Many splits on many threads: [recipe][checkpoint][split].
std::vector<std::vector<std::vector<double>>> learning_curves(const DataSet& data, std::span<const Split> splits,
                                                              std::span<const Recipe> recipes,
                                                              std::span<const std::uint64_t> checkpoints,
                                                              const EvaluateOptions& options);

// One that competes: a recipe, or several of which each split chooses one, by cross-validation among its own training
// rows.
using Entrant = std::vector<Recipe>;

struct Contest {
  std::vector<std::vector<std::vector<double>>> values;  // [entrant][checkpoint][split]
  std::vector<std::vector<std::size_t>> chosen;          // [entrant][split]: place among its recipes
};
Contest compare(const DataSet& data, std::span<const Split> splits, std::span<const Entrant> entrants,
                std::span<const std::uint64_t> checkpoints, const EvaluateOptions& options);

// The best of these means, by place; the first of equals, and one that is NaN only if all are.
std::size_t best_of(std::span<const double> means, Metric metric);

// Each combination of the values listed per parameter.
std::vector<std::map<std::string, std::string>> grid_of(const std::map<std::string, std::vector<std::string>>& values);

struct MeanError {
  double mean = 0;
  double se = 0;             // standard error of the mean; NaN for one number
  std::size_t left_out = 0;  // NaN: not defined there
};
MeanError mean_error(std::span<const double> values);  // those that are not NaN

struct PairedTest {
  double mean = 0;  // of the differences a - b
  double se = 0;
  double p = 1;  // two-sided, Student's t; NaN for fewer than two differences
};
PairedTest paired_t_test(std::span<const double> a, std::span<const double> b);
double student_t_p(double t, double degrees);  // two-sided: the chance of at least |t|

// ---- What theory promises, measured beside what happened ----

// The perceptron's mistake bounds against a reference separator u, rows carrying the constant feature of the bias:
//   Theorem 3.1  y u'x >= gamma > 0 for all rows:  k <= (R / gamma)^2 |u|^2
//   Theorem 3.2  any rows, |u| = 1, gamma > 0:     k <= ((R + D) / gamma)^2,  D^2 = sum max(0, gamma - y u'x)^2
struct MistakeBounds {
  std::uint64_t mistakes = 0;       // k: rounds with y w'x <= 0 of the perceptron's own weights, all passes
  double radius = 0;                // R: length of the longest row
  double norm = 0;                  // |u|
  double margin = 0;                // gamma of Theorem 3.1: the smallest y u'x
  std::optional<double> separable;  // Theorem 3.1; none if that margin is not positive
  double soft_margin = 0;           // gamma of Theorem 3.2, chosen to make its bound smallest
  double deviation = 0;             // D
  double general = 0;               // Theorem 3.2
};

// The bounds for one separator, given the margins y u'x of the rows, each row seen `passes` times.
MistakeBounds mistake_bounds(std::vector<double> margins, double radius, double norm, std::uint64_t passes);

// For each task of a perceptron model, after it has learned the encoded blocks given, every row `passes` times and
// weighing 1. The separator is the best of a few that other learners find. Throws ParamError for other learners.
std::vector<MistakeBounds> mistake_bounds(const Model& model, std::span<const Block> blocks, std::uint64_t passes);

// esvm-online with step=sqrt: Theorems 1 and 2 and Corollary 3 of 002 as corrected in docs/mathematics.md B4, for
//   f_t(B, w) = -log|B| + C_t max(0, x_t'B x_t - y_t w'x_t):
//   Theorem 1    sum_t f_t(B_t, w_t) <= sum_t f_t(B, w) + ellipsoid + weights   for every B, w with tr B <= 1/R, |w| <= 1
//   Theorem 2    rows drawn at random: the expected f of the averages is at most excess above the least f
struct EllipsoidBound {
  std::uint64_t rounds = 0, features = 0;  // T; n, with the constant feature of the bias
  double radius = 0;                       // R
  double loss = 0;                         // what the run lost
  double least = 0;      // what the best fixed B and w that were found would have lost, over the same rounds
  double ellipsoid = 0;  // D(B, B_1) + sum_t D(B_t, B_{t+1/2})/eta_t
  double weights = 0;    // (2 sqrt(T) - 3/2)/nu + sum_t s_t |g_t|^2/2: steps s_t = nu/sqrt(t)
  double excess = 0;     // (ellipsoid + weights + 1/nu)/T
  // Corollary 3, the same in terms that are known beforehand: the rounds after which excess is at most 0.1.
  double rounds_for_a_tenth = 0;
  [[nodiscard]] double bound() const { return least + ellipsoid + weights; }
};
// For each task of an esvm-online model that has learned the encoded blocks given, every row `passes` times and weighing 1.
std::vector<EllipsoidBound> ellipsoid_bounds(const Model& model, std::span<const Block> blocks, std::uint64_t passes);
// Corollary 3: the least T after which T rounds with n features leave at most epsilon, if R is known from the beginning.
double rounds_for(double epsilon, double features, double nu);

// ---- learners with rules; one bound for each task ----

// advised, docs/mathematics.md part D: the log loss of the predictions is at most that of each part plus what is told here,
//   ln 1/(its share at the beginning) + ln(1 + T/99)
// for examples of weight 1 or less.
struct MixtureBound {
  std::uint64_t rounds = 0;
  double loss = 0;
  struct Part {
    std::string name;
    double loss = 0, regret = 0;
  };
  std::vector<Part> parts;
};
std::vector<MixtureBound> mixture_bounds(const Model& model);

// wager, docs/mathematics.md part C: the loss of the predictions is at most that of the half without advice plus a
// term of order sqrt(T).
struct WagerBound {
  std::uint64_t rounds = 0;
  double loss = 0, without = 0;  // of the blended predictions and of the half without advice, clipped
  double regret = 0;             // (1 + log2(1/(1 - prior))) (sqrt(T ln 2)/2 + 1.82)
};
std::vector<WagerBound> wager_bounds(const Model& model);

// adviceptron, docs/mathematics.md A6: with a separator u of margin gamma, lambda < 2 gamma / X^2,
//   M <= (|w_1 - u|^2 + (1 - nu) |u - r|^2 M_a) / (2 lambda gamma - lambda^2 X^2)
// The separator is the best found, at its best length.
struct AdviceMistakeBound {
  std::uint64_t mistakes = 0, advice_updates = 0;  // M, M_a
  double radius = 0;                               // X
  double margin = 0;                               // gamma of the separator used; 0: none was found
  std::optional<double> bound;
};
std::vector<AdviceMistakeBound> advice_mistake_bounds(const Model& model, std::span<const Block> blocks);

// pa-adviceptron, Theorem 1 of 000 as corrected in docs/mathematics.md A2: what the run lost, weighed by its
// coefficients, against what the best of a few (w*, u*) would have. Needs the rows in the order in which they were
// learned, once.
struct RegretBound {
  std::uint64_t rounds = 0;
  double radius = 0, delta_d = 0, delta = 0;         // X, Delta, delta
  double eta_coefficient = 0, zeta_coefficient = 0;  // 1 - 2 mu Delta^2, 1 - 2 mu delta^2; the smallest over the sets
  double loss = 0, bound = 0;
  [[nodiscard]] bool empty() const { return !(eta_coefficient > 0 && zeta_coefficient > 0); }  // then it says little
};
std::vector<RegretBound> regret_bounds(const Model& model, std::span<const Block> blocks);

// Throws ParamError with what a learner's bound needs that the parameters do not give.
void check_bounded(const LearnerInfo& learner, const Params& params);

// ---- Rules against data: where they apply and how often they are right ----

struct RuleCoverage {
  std::uint64_t covered = 0;     // rows on which the rule holds, as written
  std::uint64_t labelled = 0;    // of those, with a label
  std::uint64_t agreed = 0;      // of those, with the label the rule names (or, for `not`, another)
  std::uint64_t said = 0;        // of all rows with a label that is a number, those with one that the rule admits
  std::uint64_t overlaps = 0;    // of the covered, on which another rule holds too
  std::uint64_t conflicts = 0;   // of the covered, on which a rule with opposite advice for the class holds too
  Ledger::Entry direction = {};  // of a direction, in place of the counts: what the ledger would say

  [[nodiscard]] double precision() const {  // NaN: no labelled row
    return static_cast<double>(agreed) / static_cast<double>(labelled);
  }
};

// What a rule is worth, by Wilson's interval of its precision against the share of what it says among all labelled rows.
enum class Worth : std::uint8_t {
  helps,    // it is right more often
  harms,    // less often
  nothing,  // the interval is narrow and the share lies in it
  open      // cannot tell yet
};

struct Coverage {
  std::uint64_t rows = 0, labelled = 0;
  std::vector<RuleCoverage> rules;
  std::vector<std::uint64_t> classes;  // labelled rows of each

  // Of classes, the rules as one classifier: votes as in learner `rules` before it has counted anything; where no rule holds or they cancel,
  // the most frequent class.
  struct Together {
    std::uint64_t decided = 0;              // rows on which the rules alone say what it is
    std::uint64_t labelled = 0, right = 0;  // of those
    std::uint32_t otherwise = 0;            // the class of the rest
    double error = 0, balanced_error = 0;   // over all labelled rows; NaN: none
  };
  Together together;

  // Two rules that hold on the same rows and say what cannot both be.
  struct Disagreement {
    std::uint32_t a = 0, b = 0;  // places in Advice::rules
    std::uint64_t rows = 0, a_right = 0, b_right = 0;
  };
  std::vector<Disagreement> disagreements;  // the most rows first
  bool all_counted = true;                  // false: there are too many pairs to count them all

  [[nodiscard]] double base_rate(const Advice& advice, std::size_t rule) const;  // of what it says; NaN: no labels
  [[nodiscard]] Worth worth(const Advice& advice, std::size_t rule) const;
};

using RowsProgress = std::function<void(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)>;

// What training on a source would settle; rules name the classes if there is no label in it.
Schema survey_source(Source& source, const ColumnWishes& wishes, const Recipe& recipe, const RuleFile& rules,
                     const RowsProgress& progress = {});
// Needs: the advice was compiled for the schema of the source, and the source is at its first row.
Coverage measure_coverage(const Advice& advice, const Schema& schema, Source& source,
                          const RowsProgress& progress = {});
Coverage measure_coverage(const Advice& advice, const Schema& schema, const std::string& path, ReadOptions read,
                          const RowsProgress& progress = {});
// Which rules hold on each row of the source, under the same conditions.
RulesThatHold rules_that_hold(const Advice& advice, const Schema& schema, Source& source);

// The interval that holds a share with probability 0.95, given `hits` of `count` (Wilson 1927).
std::pair<double, double> wilson_interval(std::uint64_t hits, std::uint64_t count);
// The same of a mean of shares of different rows, as the balanced accuracy is one: MOVER (Zou and Donner 2008) over Wilson's.
struct Share {
  std::uint64_t hits = 0, count = 0;
};
std::pair<double, double> mean_share_interval(std::span<const Share> shares);  // those with a count
// The same of an area under the ROC curve (Newcombe 2006, method 5), which does not collapse at 1.
std::pair<double, double> area_interval(double area, std::uint64_t positives, std::uint64_t negatives);

// Numbers in rules that lie outside what the data show and outside a stated domain, one sentence each: other units?
std::vector<std::string> odd_constants(const Advice& advice, const Schema& schema);
// Categories that rules name and no row has shown, one sentence each with the nearest known one: a mistake in writing?
std::vector<std::string> unseen_categories(const Advice& advice, const Schema& schema);
// Rows that break what the rules promise of their columns, one sentence each.
std::vector<std::string> broken_promises(const Advice& advice, const Schema& schema);

}  // namespace postil
