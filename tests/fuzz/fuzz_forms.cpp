// Any bytes as rules in another form: refused, or rules that stay the same by way of text and, if they are UTF-8, of JSON.
#include <nlohmann/json.hpp>

#include "fuzz.hpp"
#include "postil/rule_forms.hpp"

namespace {

bool is_utf8(const std::string& text) {
  try {
    (void)nlohmann::json(text).dump();
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  if (size == 0 || size > 4000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto check = [](const RuleFile& file) {
    const ParsedRules again = parse_rules(print_rules(file), "printed");
    fuzz::require(again.problems.empty() && again.file.statements == file.statements);
    const std::string json = rules_to(RuleForm::json, file).text;
    fuzz::require(!is_utf8(print_rules(file)) ||
                  rules_from(RuleForm::json, json, "json").statements == file.statements);
    (void)rules_to(RuleForm::english, file);
    try {
      (void)rules_to(RuleForm::sql, file);
    } catch (const ParseError&) {  // too long, or nothing that it could say
    }
  };
  for (const bool unordered : {false, true}) try {
      check(rules_from(guessed_form(text), text, "input", unordered));
    } catch (const ParseError&) {
    }
  return 0;
}
