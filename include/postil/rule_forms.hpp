// Rules in other forms: from JSON, tables and lists that other programs print; to JSON, SQL and English. docs/rules.md tells what
// each looks like.
#pragma once

#include <string>
#include <string_view>

#include "postil/rules.hpp"

namespace postil {

enum class RuleForm : std::uint8_t { rules, json, table, list, sql, english };

// The words for them in options; the second form throws ParamError with the known words.
std::string_view word(RuleForm form);
RuleForm rule_form_of(std::string_view word);
// What a text most likely is: rules, json, table or list.
RuleForm guessed_form(std::string_view text);

// Throws ParseError; ParamError for a form that can only be written. `unordered`: each rule of a list as if it stood alone.
// Otherwise it holds only where none before it does, which is what a list means.
RuleFile rules_from(RuleForm form, const std::string& text, const std::string& source, bool unordered = false);

struct WrittenRules {
  std::string text;
  std::vector<std::string> notes;  // what the form could not say, and was left out
};
// Throws ParamError for a form that can only be read; ParseError where SQL would be too long.
WrittenRules rules_to(RuleForm form, const RuleFile& file);

}  // namespace postil
