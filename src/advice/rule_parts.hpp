// What can be changed in rules, and where it stands in what was compiled of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

// From a rule's condition to a part of it: the places of parts; where a definition is named, kMeaning for what it stands for.
using ConditionPath = std::vector<std::uint32_t>;
inline constexpr std::uint32_t kMeaning = UINT32_MAX;

// A number that a rule compares something with, and what becomes of it: the comparison is value >= number, or <=, > or <, where
// value = sign (row.terms'x - offset).
struct ComparedNumber {
  std::uint32_t rule = 0;  // place in Advice::rules
  ConditionPath path;      // to the condition that it stands in
  std::uint32_t operand = 0;
  double number = 0;
  Kind written = Kind::number;
  std::string text;        // of the comparison
  std::uint32_t node = 0;  // in Advice::conditions: a row
  double sign = 1, offset = 0;
  bool strict = false;

  [[nodiscard]] bool above() const { return sign < 0; }  // it holds for large values
  // Values that are at the number: do they count as below it?
  [[nodiscard]] bool at_is_below() const { return above() == strict; }
};

// One of the conditions that a rule joins by `and`.
struct JoinedCondition {
  std::uint32_t rule = 0;
  std::uint32_t part = 0;  // of the rule's condition
  std::string text;
  std::uint32_t node = 0;
};

// Comparisons for equality, those divided by a column and those without a number of their own have nothing to move.
struct RuleParts {
  std::vector<ComparedNumber> numbers;
  std::vector<JoinedCondition> joined;
};
// Needs: the advice was compiled from the file for the schema.
RuleParts parts_of_rules(const RuleFile& file, const Schema& schema, const Advice& advice);

// The statements that are rules, by their place in Advice::rules.
std::vector<const RuleStatement*> rule_statements(const RuleFile& file);

}  // namespace postil
