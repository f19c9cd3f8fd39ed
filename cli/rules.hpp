// What the verbs of `postil rules` share: rules, and the data that they are about.
#pragma once

#include <string>

#include "common.hpp"

namespace postil::cli {

struct RulesFlags {
  std::string rules, data, cursor, out = "-", from, to = "rules", apply;
  bool json = false, unordered = false, sparse = false, strict = false, all = false, exclusive = false,
       no_labels = false, worth = false;
  std::uint64_t seed = 0, runs = 20, labels = 200;
  RecipeFlags recipe;
  DataFlags reading;
};

// RULES, --data and what says how both are to be understood.
void add_rules_and_data(CLI::App& verb, RulesFlags& flags, bool data_needed = false);

struct LoadedRules {
  RuleFile file;
  Schema schema;  // of the data, or of what the rules name
  Advice advice;
  ReadOptions read;
};
// Rules compiled against the data, or against the columns they name themselves.
LoadedRules load_rules_for(const RulesFlags& flags, Meter& meter);

void add_repair(CLI::App& rules);
void add_suggest(CLI::App& rules);

}  // namespace postil::cli
