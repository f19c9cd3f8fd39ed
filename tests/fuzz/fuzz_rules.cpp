// Any bytes as rules: never a crash; what is understood prints to a text that is understood the same way; and compiles, or
// is answered.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ParsedRules parsed = parse_rules(text, "rules");
  for (const RuleProblem& problem : parsed.problems) (void)describe(problem, parsed.file);
  const std::string printed = print_rules(parsed.file);
  const ParsedRules again = parse_rules(printed, "rules");
  if (parsed.problems.empty()) {
    fuzz::require(again.problems.empty());
    fuzz::require(again.file.statements == parsed.file.statements);
    fuzz::require(print_rules(again.file) == printed);
  }
  try {
    const Schema schema = schema_of_rules(parsed.file);
    if (schema.features > 2000) return 0;
    const Advice advice = compile_rules(parsed.file, schema);
    if (advice.sets.size() <= 8) (void)check_rules(advice);
  } catch (const Error&) {
  }
  return 0;
}
