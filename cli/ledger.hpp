// What became of each rule, as text and as JSON.
#pragma once

#include "common.hpp"

namespace postil::cli {

void add_ledger(Json& json, const Model& model);  // rules[], advice{} or per_class[] of explain
// A table; empty without rules. Details: which comparisons do the work.
std::string ledger_text(const Model& model, bool details = false);

// Why a row, encoded and raw, got its score: by feature and by rule.
Json row_story_json(const Model& model, const Row& x, const Row& raw);
std::string row_story_text(const Model& model, const Row& x, const Row& raw, std::size_t top);

}  // namespace postil::cli
