// A model: schema, learners, rules and counters; all that is needed to predict or to go on learning, in one file.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/archive.hpp"
#include "postil/learner.hpp"
#include "postil/row.hpp"
#include "postil/rules.hpp"
#include "postil/schema.hpp"

namespace postil {

// ---- The ledger: what the examples have said about each rule ----

class Ledger {
 public:
  Ledger(const Advice& advice, const Scaling& scaling);  // of the rows that will be added
  void inherit(const Ledger& earlier);                   // what was written about rules that are still there
  void take_over(const Ledger& earlier) { records_ = earlier.records_; }  // of the same rules in the same order

  // An example, with the truth of the rules beside it; `line` is what to call it later. Does not allocate.
  void add(const Row& x, double label, std::uint64_t line);

  enum class Verdict : std::uint8_t { open, supported, contradicted };
  struct Entry {
    std::uint64_t fired = 0, agreed = 0, contradicted = 0;  // labelled examples on which it held
    std::vector<std::uint64_t> contradicted_by;             // lines of the last few
    std::optional<double> precision;                        // agreed / fired
    std::optional<double> base_rate;                        // of what it says, over all examples since it is there
    std::optional<double>
        z;  // how many standard deviations its hits lie above those of chance, two more rows at the base rate granted
    Verdict verdict = Verdict::open;
    // Correlation of minus the distance to its region with being what it says. Of a direction, which has no hits: of its column,
    // turned so that above 0 is as the rule says; z tells how far from 0.
    std::optional<double> closeness;
  };
  [[nodiscard]] Entry entry(std::size_t rule) const;

  void write(StateWriter& out) const;
  void read(StateReader& in);
  [[nodiscard]] bool fits() const;
  void forget() { records_.assign(records_.size(), {}); }
  // As written: of the same rules, those over some rows and those over rows that come after these.
  static void merge_records(std::vector<double>& into, const std::vector<double>& later);

 private:
  static constexpr std::size_t kLines = 5, kNumbers = 9 + kLines;
  struct Rule {
    std::uint32_t condition;  // place in conditions_
    std::uint32_t class_number;
    bool positive;
    std::optional<Direction> direction;
    std::optional<Claim> claim;  // in the learner's coordinates
    std::vector<std::vector<AdviceRow>>
        regions;  // its sets, over places in the learner's coordinates, rows of length 1
  };
  struct Record {
    double fired = 0, agreed = 0;
    double says = 0;  // examples, wherever, that are what the rule says
    double count = 0, mean_d = 0, mean_y = 0, dd = 0, dy = 0,
           yy = 0;                       // minus distance and label, as Welford keeps them
    std::array<double, kLines> lines{};  // the last first; 0: none
  };
  static std::vector<double> numbers_of(const std::vector<Record>& records);
  static std::vector<Record> records_of(const std::vector<double>& numbers);
  void locate(const Row& x);
  [[nodiscard]] bool agrees(const Rule& rule, const Row& x, double label) const;
  [[nodiscard]] double distance(const Rule& rule) const;
  [[nodiscard]] double towards(const Direction& direction, bool positive) const;

  Conditions conditions_;
  std::vector<std::uint32_t> features_;  // that rules mention, by number
  std::vector<Rule> rules_;
  std::vector<Record> records_;
  std::vector<double> x_;  // their values in the row at hand
  bool whole_ = true;
};

// ---- A model: schema, learners, counters; all that is needed to predict or to go on learning, in one file ----

struct TensorFile;
class RuleTruth;

// One yes/no question: is the row of this class? Of two classes, if `against` is given: of which? Or the one question of regression.
struct Task : Question {
  std::unique_ptr<Learner> learner;
  std::uint64_t updates = 0;  // rounds that changed it

  [[nodiscard]] double sign_of(double label) const {  // +1, -1, or NaN: it has no part in the question
    if (label == class_number) return 1;
    return label != label || (against && label != *against) ? std::numeric_limits<double>::quiet_NaN() : -1;
  }
};

struct Counters {
  std::uint64_t rows = 0;      // a stream has read, whatever became of them
  std::uint64_t examples = 0;  // rounds of learning, all passes
  std::uint64_t passes = 0;
  std::uint64_t updates = 0;     // rounds, of all tasks, that changed the learner
  std::uint64_t mistakes = 0;    // rounds, of any task, with y * score <= 0 before learning; none in regression
  std::uint64_t unlabelled = 0;  // rows of the first pass that there was nothing to learn from
  std::uint64_t first_seen = 0;  // examples of the first pass, with ...
  double first_loss = 0;         // ... so many labels predicted wrongly before learning (regression: sum of |error|)

  [[nodiscard]] double progressive_error() const {
    return first_seen == 0 ? 0 : first_loss / static_cast<double>(first_seen);
  }
};

// Weights of one task in the learner's coordinates and in the data's units: score = weights'x + bias = raw_weights'raw
// + raw_bias.
struct LinearExplanation {
  std::vector<double> weights, raw_weights;
  double bias = 0, raw_bias = 0;
  bool whole = true;  // false: rules add to the score besides
};

// What became of the rules in one task's learner, by feature number and in the data's units.
struct AdviceExplanation {
  using Values = std::vector<std::pair<std::uint32_t, double>>;
  struct Set {
    std::uint32_t set = 0;        // place in Advice::sets
    std::vector<double> u;        // multipliers of its rows
    Values estimate;              // of the hypothesis: weights in raw units
    std::optional<Values> ideal;  // where in its region the hypothesis is worst
    Values part;                  // of the learner's weights, in its own coordinates ...
    double part_bias = 0;         // ... and of its bias
  };
  std::vector<Set> sets;
  std::optional<AdviceReport::Wager> wager;
  std::optional<AdviceReport::Mixture> mixture;
  std::vector<std::pair<std::uint32_t, double>> rules;  // as in AdviceReport
  bool converged = true;                                // what was solved for the rules
};

// What a model may take while it learns.
inline constexpr std::uint64_t kModelMemory = 2'000'000'000, kNoLimit = ~std::uint64_t{0};
// Throws DataError if the weights of so many features and questions take more than that.
void check_room(std::uint64_t features, std::uint64_t tasks, std::uint64_t memory);

// Scores of the last rows, before each was learned: what probabilities are made of where scores are no log-odds.
struct ProgressiveScores {
  static constexpr std::size_t kMost = 512;
  std::vector<double> scores;  // outputs() a row
  std::vector<double> labels;  // numbers of classes
  std::uint64_t next = 0;      // to be written over, once there are kMost

  void add(std::span<const double> row, double label);
  // Those of two streams of rows, each with its share of the places by how many rows it has seen: the last of each.
  static ProgressiveScores merged(const ProgressiveScores& a, double rows_a, const ProgressiveScores& b, double rows_b);
  [[nodiscard]] ProgressiveScores last(std::size_t count) const;
};

class Model {
 public:
  // Two classes make one task, the positive class's; more make one each; none make one regression; one class, all that
  // a stream has seen so far, leaves nothing to ask.
  Model(Schema schema, const LearnerInfo& learner, Params params, std::uint64_t memory = kNoLimit);

  // Gives the learners the rules, before they learn or again when the rules have changed; categories that they name are added
  // to the schema. Throws ParamError if the learner takes no advice, ParseError if the rules do not fit the schema; then nothing
  // has changed. `more_to_come`: the rows seen so far refute no rule.
  void advise(const RuleFile& rules, bool more_to_come = false);
  void advise(Advice compiled, std::string text);  // rules compiled for this schema
  [[nodiscard]] const std::optional<Advice>& advice() const { return advice_; }
  [[nodiscard]] const std::string& rules() const { return rules_; }              // as typed
  [[nodiscard]] const std::optional<Ledger>& ledger() const { return ledger_; }  // there are rules
  [[nodiscard]] std::optional<AdviceExplanation> explain_advice(std::size_t task) const;

  [[nodiscard]] const Schema& schema() const { return schema_; }
  [[nodiscard]] const LearnerInfo& learner() const { return *info_; }
  [[nodiscard]] const Params& params() const { return params_; }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  // Scores of a row: one, or one for each class. Of which class the score is.
  [[nodiscard]] std::size_t outputs() const { return one_against_one() ? schema_.label.classes.size() : tasks_.size(); }
  [[nodiscard]] std::uint32_t class_of(std::size_t output) const {
    return one_against_one() ? static_cast<std::uint32_t>(output) : tasks_[output].class_number;
  }
  // The questions behind the scores, each with a learner: as many, unless classes are set one against one.
  [[nodiscard]] bool one_against_one() const { return rivalry_ == Rivalry::pairs && tasks_.size() > 1; }
  [[nodiscard]] std::size_t questions() const { return tasks_.size(); }
  [[nodiscard]] const Question& question(std::size_t task) const { return tasks_[task]; }
  [[nodiscard]] std::string question_text(std::size_t task) const;  // the class; or "a against b"
  [[nodiscard]] std::uint64_t updates(std::size_t task) const { return tasks_[task].updates; }
  [[nodiscard]] Learner& learner_of(std::size_t task) const { return *tasks_[task].learner; }

  [[nodiscard]] std::span<const double> class_weights_seen() const { return seen_; }  // of the examples, by class
  [[nodiscard]] const ProgressiveScores& progressive_scores() const { return progressive_; }

  // Rows must be encoded by this model's schema. `scores` holds outputs() numbers.
  void score(const Row& x, std::span<double> scores) const;
  [[nodiscard]] std::span<const double> last_scores() const { return scores_; }  // before the last round of learn(row)
  // How unlike the row is to those learned, of each task (Learner::novelty); `out` holds outputs() numbers. False: no learner knows.
  bool novelty(const Row& x, std::span<double> out) const;
  // What the learner of a task believes of its score; empty: it does not know how unsure it is.
  void believe(const Row& x, std::size_t task, std::vector<ScoreBelief>& out) const {
    out.clear();
    tasks_[task].learner->believe(x, out);
  }
  // Needs: believe() of this task is not empty.
  void covary(const Row& x, std::span<const Row> others, std::size_t task,
              std::vector<std::vector<double>>& out) const {
    out.clear();
    tasks_[task].learner->covary(x, others, out);
  }
  // The label predicted: a class's number, or the score itself in regression. A score of 0 says yes.
  // In learners where nothing but rules has a voice: none of them speaks for what was predicted. Others always have an answer.
  [[nodiscard]] bool silent_on(const Row& x, double predicted) const;
  [[nodiscard]] bool may_be_silent() const;
  [[nodiscard]] double decide(std::span<const double> scores) const;
  // Before the first example: rows of the kind that will come, encoded; their labels do not matter. Of more than kStudied as many
  // are looked at, evenly spaced; of `more`, which others have chosen, all.
  static constexpr std::size_t kStudied = 4096;
  void study(std::span<const Block> rows, std::span<const Block> more = {});
  // Predicts the label, then learns it; gives the prediction, which counts in the first pass. NaN: no label, only
  // predicts. The first pass is what the ledger hears of; `line` is what it calls the row.
  double learn(const Row& x, double label, double weight, bool first_pass, std::uint64_t line = 0);
  // The rows of an encoded block in turn, exactly as one by one, but faster. In the first pass `told`
  // hears of each labelled row: its number in the block and the label predicted for it, when the counters have just taken
  // it in.
  void learn(const Block& block, bool first_pass,
             const std::function<void(std::size_t row, double predicted)>& told = {});
  // For batch learners: all examples at once. Needs: blocks encoded by this model's schema.
  void fit(std::span<const Block> blocks);
  [[nodiscard]] const std::vector<FitReport>& fit_reports() const { return fit_reports_; }  // by task; of this run
  [[nodiscard]] bool done() const;  // every learner wants no more examples
  void pass_done() {
    ++counters_.passes;
    pass_ = {};
  }
  // What this pass has cost so far: mistakes before learning, of all tasks (regression: |error|), and of how many; each
  // row by its weight. Not saved.
  struct PassLoss {
    double loss = 0, weight = 0;
    [[nodiscard]] double mean() const { return weight > 0 ? loss / weight : 0; }
  };
  [[nodiscard]] const PassLoss& pass_loss() const { return pass_; }
  // Bookkeeping of what was predicted and read by others than learn.
  void count_rows(std::uint64_t rows) { counters_.rows += rows; }
  void count_unlabelled() { ++counters_.unlabelled; }
  void count_prediction(double loss) {
    ++counters_.first_seen;
    counters_.first_loss = std::min(counters_.first_loss + loss, std::numeric_limits<double>::max());
  }
  [[nodiscard]] double loss(double predicted, double label) const;  // as counted
  [[nodiscard]] std::string label_text(double label) const;         // a class's name, or the number
  [[nodiscard]] bool finite() const;                                // no learner's state has overflowed

  // ---- rows in several places (shards.hpp): a copy of this model learns from some of them, and says what it has learned ----
  void begin_share();
  // Numbers that add up with those of other copies (sum.*), and what is merged in its own way.
  void write_share(const Model& start, TensorFile& out) const;
  // Takes what all copies have learned; its rounds are then so many. Whether a learner wants another round.
  bool take_shares(const TensorFile& shares, const std::string& name);

  // Training only: a schema that names the same features, with what was seen since.
  void replace_schema(Schema schema);
  // What rows bring that was not there before; each stands behind what there is.
  void grow(std::uint32_t features);  // more features of sparse columns
  void add_column(Column column, double scale);
  void add_category(std::size_t column, const std::string& category);
  // A new class becomes a new task, and a second class the first one. Two classes becoming three: the one question becomes three,
  // and the old one turned round is the start of the second. False: its learner cannot be turned round, and starts afresh.
  bool add_class(const std::string& name);
  // Whether there can be more columns and categories: principal components know theirs.
  [[nodiscard]] bool can_grow() const { return schema_.projection.components == 0; }
  // Takes the place of an earlier model of the same stream: goes on with its counts of rows and predictions.
  void succeed(const Counters& earlier);

  [[nodiscard]] LinearExplanation explain(std::size_t task) const;
  [[nodiscard]] LinearExplanation explain(LinearModel linear) const;  // of one of its learners, in raw units
  // B over the scaled features, whatever the learner itself sees of them.
  [[nodiscard]] std::optional<LearnedMetric> metric(std::size_t task) const;

  void save(const std::string& path) const;
  static Model load(const std::string& path);  // throws ModelError
  [[nodiscard]] std::string to_bytes() const;  // what save would write
  static Model from_bytes(std::string_view bytes, const std::string& name);
  [[nodiscard]] TensorFile to_file() const;
  static Model from_file(const TensorFile& file, const std::string& name);  // throws ModelError

 private:
  void forget_counts();
  double count_round(double label, double weight, bool first_pass);  // after scores_ are set
  void cross_validate(std::span<const Block> blocks, std::span<const double> labels, std::span<const double> weights);
  [[nodiscard]] bool rivals() const {
    return (rivalry_ == Rivalry::softmax || rivalry_ == Rivalry::top) && tasks_.size() > 1;
  }
  // The scores of the classes, given the answers to all questions: votes, and where these tie the sum of the answers.
  void combine(std::span<const double> answers, std::span<double> scores) const;
  // What learner `task` is to add to its score in a round of `label`'s, from present_.
  [[nodiscard]] double against(std::size_t task, std::size_t own, std::size_t rival) const;
  void begin_rounds(bool first_pass);               // tells the learners whether rows come again
  void add_pass_loss(std::span<const Step> steps);  // after y_ and weights_ are
  [[nodiscard]] Task fresh_task(std::uint32_t class_number) const;
  [[nodiscard]] std::unique_ptr<Learner> turned_round(const Task& task) const;  // null: it cannot be
  [[nodiscard]] TaskAdvice task_advice(const Task& task) const;
  void grow_learners();
  static Model decode(const TensorFile& file, const std::string& name);

  Schema schema_;
  const LearnerInfo* info_;
  Params params_;
  std::uint64_t memory_;  // that it may take
  std::vector<Task> tasks_;
  Counters counters_;
  PassLoss pass_;
  std::string rules_;  // as typed
  std::optional<Advice> advice_;
  std::optional<Ledger> ledger_;
  Rivalry rivalry_ = Rivalry::none;                     // of its learners
  std::vector<double> scores_, present_, y_, weights_;  // work space of learn
  std::vector<Step> steps_;
  std::vector<FitReport> fit_reports_;
  bool again_ = false;        // what the learners were told last
  std::vector<double> seen_;  // weight of the examples of each class
  ProgressiveScores progressive_;
};

// Raw blocks of one table as a model's learners see them: encoded, with the truth of its rules beside each row.
class ModelEncoder {
 public:
  // Needs: both outlive it, and the model's rules and columns stay as they are; for a new category, admit() is called.
  ModelEncoder(const Model& model, const Table& table);
  ~ModelEncoder();
  ModelEncoder(ModelEncoder&&) noexcept;
  ModelEncoder& operator=(ModelEncoder&&) = delete;

  Block encode(Block raw);  // as Encoder::encode
  void trust() { encoder_.trust(); }
  void admit(std::size_t column, std::size_t code) { encoder_.admit(column, code); }
  [[nodiscard]] const Surprises& surprises() const { return encoder_.surprises(); }

 private:
  Encoder encoder_;
  std::unique_ptr<RuleTruth> truth_;  // null: no rules
};

// The scores of many raw rows of a table, on all CPUs: raw(first, count) gives so many of them. `out` holds outputs() numbers a
// row. Throws DataError.
void score_rows(const Model& model, const Table& table, std::size_t rows,
                const std::function<Block(std::size_t first, std::size_t count)>& raw, double* out);

// Warnings about values that broke the schema's promises, one sentence each.
std::vector<std::string> describe(const Surprises& surprises, const Schema& schema);

// ---- Model files of LIBSVM and LIBLINEAR, in and out ----

// What a file's first bytes say.
enum class ModelFormat : std::uint8_t { none, postil, libsvm, liblinear };
ModelFormat model_format_of(std::string_view head);

// What the classes are called there, in the order of schema.label.classes: such files have whole numbers only, so other names
// become 1, 2, 3 ...
std::vector<std::string> foreign_labels(const Model& model);
// Two classes; weights, or a kernel over features as they are. Throws ModelError if the format cannot say what the model is.
std::string to_libsvm(const Model& model);
// Weights over features as they are, two classes or more.
std::string to_liblinear(const Model& model);
// Throws ModelError, with the line, for what is damaged or of a kind that Postil has not.
Model from_foreign_model(std::string_view text, const std::string& name);

}  // namespace postil
