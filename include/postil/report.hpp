// Reports: what there is to tell of models and rules, as text for people and as JSON for programs (names:
// docs/command.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "postil/ask.hpp"
#include "postil/data.hpp"
#include "postil/evaluate.hpp"
#include "postil/inspect.hpp"
#include "postil/model.hpp"
#include "postil/repair.hpp"
#include "postil/rules.hpp"
#include "postil/suggest.hpp"
#include "postil/worth.hpp"

namespace postil {

std::string learners_json(const std::string& name = {});  // the registry, or one of its learners

// What a file holds: columns, classes, remarks.
std::string inspection_text(const Inspection& inspection, const Words& words = neutral_words);
std::string inspection_json(const Inspection& inspection, const Words& words = neutral_words);

// Who is told, and in whose words.
struct Audience {
  Words words = neutral_words;
  std::size_t top = 20;         // features shown
  bool rows_from_zero = false;  // rows of an array, not lines of a file
};

// What a model has learned. `certify`: rules compiled for its schema, for each of which there is then a proof that the
// model obeys it, or a counterexample.
std::string explain_json(const Model& model, const Advice* certify = nullptr);
std::string explain_text(const Model& model, const Audience& audience = {}, const Advice* certify = nullptr);
std::string explain_title(const Model& model);               // its first line
std::vector<std::string> explain_notes(const Model& model);  // kernels and ellipsoids, of each question
std::string error_text(const Model& model);                  // what progressive validation came to

// What became of each rule; empty without rules. Details: which comparisons do the work.
std::string ledger_text(const Model& model, bool details = false, const Audience& audience = {});
// What it says below the table: a text for each output, and where classes are set one against one, one more.
std::vector<std::string> ledger_notes(const Model& model, bool details = false);

// The same, rule by rule.
struct RuleRecord {
  std::string id, text;
  std::uint32_t line = 0;
  std::uint32_t class_number = 0;
  bool positive = true;
  double trust = 1;
  std::optional<Direction> direction;
  Ledger::Entry entry;
  std::optional<double>
      influence;  // length of its part of the weights; in log-odds, what it adds to what it says, where it holds
};
std::vector<RuleRecord> rule_records(const Model& model);  // none without rules
std::string_view word(Ledger::Verdict verdict);
std::string in_words(Ledger::Verdict verdict);  // for people: helps, contradicted, too early to tell

// Why row `i` of a raw block gets its score: by feature and by rule. Throws ParamError if the model has no weights by feature.
struct RowStory {
  double label = 0;  // predicted
  struct Voice {
    std::string rule;
    double score = 0;
    bool holds = false;
    bool direction = false;  // and so holds on no row
  };
  struct Task {
    std::string class_name;  // empty in regression
    double score = 0, bias = 0;
    std::vector<double> by_feature;  // w_j x_j
    std::vector<Voice> by_rule;
    double by_data = 0;  // what is not due to a rule
    // Of learners whose scores are log-odds: what is due to all rules together, to no rule holding, and to nothing in particular.
    std::optional<LogOdds> log_odds = {};
  };
  std::vector<Task> tasks;
  std::vector<double> values;           // of the features, raw
  std::vector<std::string> categories;  // of the columns: what a categorical one holds, in words
  [[nodiscard]] std::vector<std::uint32_t> shown(
      std::size_t task) const;  // features with a value or a part in the score
};
RowStory explain_row(const Model& model, const Table& table, const Block& raw, std::size_t i);
std::string row_json(const Model& model, const RowStory& story);
std::string row_text(const Model& model, const RowStory& story, const Audience& audience = {});

// The sum that a score is, largest columns first, where the features of one column are one part; and the same sum by rule, where a learner can tell.
struct RowSum {
  struct Part {
    double score = 0;
    std::string text;
    bool feature = false;  // a column, or a feature of data without columns
    bool reason = false;   // a feature, or a rule that holds: not what is usual, or a remainder
  };
  std::string title;  // whose score it is, and how large
  std::vector<Part> parts, by_rule;
};
RowSum row_sum(const Model& model, const RowStory& story, std::size_t task);
// What speaks most for the predicted class, at most so many; of numbers, what moves the prediction most.
std::vector<RowSum::Part> reasons(const Model& model, const RowStory& story, std::size_t most);

// What a learner sees of rules, in the coordinates of the schema; sparse: rows of D as [feature, value] pairs.
std::string advice_json(const Advice& advice, const Schema& schema, bool sparse);
std::string advice_text(const Advice& advice, const Schema& schema);

// What theory promises beside what happened (bounds.hpp). Needs: a model just trained on these rows, in their order, so
// many passes; the source's columns are those of its schema. Throws ParamError if there is no bound for its learner.
struct BoundsReport {
  std::string json;  // of the one task, or {per_class[]}
  std::string text;
};
BoundsReport report_bounds(const Model& model, Source& rows, std::uint64_t passes);

// Rules examined, as compiled for this schema. `coverage`: on data.
struct RuleReport {
  const Advice& advice;
  const Schema& schema;
  RuleCheck check = {};
  std::optional<Coverage> coverage = {};
  std::optional<RulesWorth> worth = {};  // of the same rules
  bool all = false;                      // text: also what would fill pages
  std::string hint = {};                 // how to get that, in the words of the front end
};
std::string lint_json(const RuleLint& lint);
std::string lint_text(const RuleLint& lint, const std::string& source);  // problems only, as compilers print them
std::string rules_json(const RuleReport& report);
std::string rules_text(const RuleReport& report);
std::string rules_notes(const RuleReport& report);  // what it says below the table

// What rows say rules should have been. `accept`: how to take proposals, in the words of the front end.
std::string repair_json(const RepairReport& report, const Advice& advice, const Audience& audience = {});
std::string repair_text(const RepairReport& report, const Advice& advice, const std::string& accept = {},
                        const Audience& audience = {});

// Rules that rows support. The text is a file of rules, with what was found of each as a comment.
std::string suggestions_json(const Suggestions& found, const Schema& schema);
std::string suggestions_text(const Suggestions& found);

// Which rows to label next; what is to be said of them besides, or nothing.
std::string ask_json(const Model& model, const Asked& asked);
std::string ask_notes(const Asked& asked, std::size_t wanted);

// ---- A report for those who have to approve a model: one HTML page without scripts, which asks for nothing from elsewhere ----

struct PageOptions {
  // Columns by whose cells rows are also counted apart: the cells come with the rows (BlockData::kept), as many a row.
  std::vector<std::string> by = {};
  std::string title = {}, purpose = {}, trained = {};  // as their author states them; empty: not stated
  std::string model = {}, data = {};                   // what the model and the rows are called
  std::size_t examples = 3;                            // rows shown of each sort; 0: none
  // How to make the page again: what it is, and the words. For example a command, checksums.
  std::vector<std::pair<std::string, std::string>> origin = {};
  bool rows_from_zero = false;  // rows of an array, not lines of a file
};

// Counts rows, labelled or not, in memory that does not grow with their number, then writes the page.
class ModelPage {
 public:
  // Needs: both outlive it. Throws ParamError if there is nothing to report on yet: one class.
  ModelPage(const Model& model, const Table& table, PageOptions options);
  ~ModelPage();
  ModelPage(ModelPage&&) noexcept;
  ModelPage& operator=(ModelPage&&) = delete;

  void add(Block raw);  // rows of the table, raw. Throws DataError; ParamError if a column of `by` has very many values
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] std::uint64_t labelled() const;
  [[nodiscard]] const Surprises& surprises() const;
  [[nodiscard]] std::string html() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace postil
