// Reports: what there is to tell of models and rules, as text for people and as JSON for programs (names:
// docs/command.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "postil/data.hpp"
#include "postil/evaluate.hpp"
#include "postil/model.hpp"
#include "postil/rules.hpp"

namespace postil {

std::string learners_json(const std::string& name = {});  // the registry, or one of its learners

// What a model has learned. `certify`: rules compiled for its schema, for each of which there is then a proof that the
// model obeys it, or a counterexample.
std::string explain_json(const Model& model, const Advice* certify = nullptr);
std::string explain_text(const Model& model, std::size_t top, const Advice* certify = nullptr,
                         const Words& words = neutral_words);
std::string error_text(const Model& model);  // what progressive validation came to

// What became of each rule; empty without rules. Details: which comparisons do the work.
std::string ledger_text(const Model& model, bool details = false);

// Why row `i` of a raw block gets its score: by feature and by rule. Throws ParamError if the model has no weights by
// feature.
std::string row_json(const Model& model, const Table& table, const Block& raw, std::size_t i);
std::string row_text(const Model& model, const Table& table, const Block& raw, std::size_t i, std::size_t top,
                     const Words& words = neutral_words);

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
};
std::string rules_json(const RuleReport& report);
std::string rules_text(const RuleReport& report);

}  // namespace postil
