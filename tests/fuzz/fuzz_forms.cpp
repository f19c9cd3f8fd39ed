// Any bytes as rules in another form: refused, or rules that stay the same by way of text and of JSON.
#include "fuzz.hpp"
#include "postil/rule_forms.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  if (size == 0 || size > 4000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto check = [](const RuleFile& file) {
    const ParsedRules again = parse_rules(print_rules(file), "printed");
    fuzz::require(again.problems.empty() && again.file.statements == file.statements);
    fuzz::require(rules_from(RuleForm::json, rules_to(RuleForm::json, file).text, "json").statements ==
                  file.statements);
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
