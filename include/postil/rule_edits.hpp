// Rules with one thing changed: another number in a comparison, a condition left out, one more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

// A change of one rule.
struct RuleEdit {
  enum class Kind : std::uint8_t { move, drop, add };
  Kind kind = Kind::move;
  std::uint32_t rule = 0;                   // its place among the rules of the file
  std::vector<std::uint32_t> path = {};     // move: from the rule's condition to the comparison, by places of parts
  std::uint32_t operand = 0;                // which operand of it ...
  double number = 0;                        // ... becomes this number
  std::uint32_t part = 0;                   // drop: of the conditions that the rule joins by `and`
  std::optional<Condition> condition = {};  // add: one more
};
std::string_view word(RuleEdit::Kind kind);

// The rules with all these changes. What a definition says is written out in rules that change it, so that no other rule changes.
// Throws ParamError if nothing would be left of a rule.
RuleFile with_edits(const RuleFile& file, std::span<const RuleEdit> edits);

}  // namespace postil
