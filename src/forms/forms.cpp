#include "forms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advice/lexer.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::string_view kForms[] = {"rules", "json", "table", "list", "sql", "english"};

}  // namespace

std::string_view word(RuleForm form) { return kForms[static_cast<std::size_t>(form)]; }

RuleForm rule_form_of(std::string_view word) {
  const auto* found = std::find(std::begin(kForms), std::end(kForms), word);
  if (found != std::end(kForms)) return static_cast<RuleForm>(found - std::begin(kForms));
  const std::vector<std::string> known(std::begin(kForms), std::end(kForms));
  throw ParamError(fmt::format("{} is no form of rules; known: {}", in_quotes(word), joined(known)));
}

RuleForm guessed_form(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return RuleForm::json;
  if (looks_like_list(text)) return RuleForm::list;
  return looks_like_table(text) ? RuleForm::table : RuleForm::rules;
}

RuleFile rules_from(RuleForm form, const std::string& text, const std::string& source, bool unordered) {
  switch (form) {
    case RuleForm::rules: return without_problems(parse_rules(text, source));
    case RuleForm::json: return rules_from_json(text, source);
    case RuleForm::table: return rules_from_table(text, source);
    case RuleForm::list: return rules_from_list(text, source, unordered);
    default: throw ParamError(fmt::format("rules cannot be read from {}", word(form)));
  }
}

WrittenRules rules_to(RuleForm form, const RuleFile& file) {
  switch (form) {
    case RuleForm::rules: return {print_rules(file), {}};
    case RuleForm::json: return {rules_to_json(file), {}};
    case RuleForm::sql: return rules_to_sql(file);
    case RuleForm::english: return {rules_to_english(file), {}};
    default: throw ParamError(fmt::format("rules cannot be written as a {}", word(form)));
  }
}

void fail_in_form(const std::string& source, std::uint64_t line, const std::string& message) {
  throw ParseError({source, line, 0}, message);
}

RuleFile rules_of(const std::string& text, const std::string& source) {
  ParsedRules parsed = parse_rules(text, source);
  if (parsed.problems.empty()) return std::move(parsed.file);
  fail_in_form(source, 0, fmt::format("what it says is no rule: {}", describe(parsed.problems[0], parsed.file)));
}

std::string class_text(std::string_view name) {
  const bool digits = !name.empty() && name.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_plain_name(name) || (digits && parse_number(name)) ? std::string(name) : in_marks(name, '"');
}

}  // namespace postil
