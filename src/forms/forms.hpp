// The forms that rules can have, one file each.
#pragma once

#include <string>
#include <string_view>

#include "postil/rule_forms.hpp"

namespace postil {

RuleFile rules_from_json(const std::string& text, const std::string& source);
std::string rules_to_json(const RuleFile& file);
RuleFile rules_from_table(const std::string& text, const std::string& source);
RuleFile rules_from_list(const std::string& text, const std::string& source, bool unordered);
bool looks_like_list(std::string_view text);
bool looks_like_table(std::string_view text);
WrittenRules rules_to_sql(const RuleFile& file);
std::string rules_to_english(const RuleFile& file);

// A mistake in a file of another form. line 0: not known.
[[noreturn]] void fail_in_form(const std::string& source, std::uint64_t line, const std::string& message);
// A class behind =>: bare, unless that would be read as something else (-1: the negative of two classes).
std::string class_text(std::string_view name);
// The text that a reader has put together, as rules; if it is none, a mistake of `source`.
RuleFile rules_of(const std::string& text, const std::string& source);

}  // namespace postil
