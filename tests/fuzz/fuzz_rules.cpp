// Any bytes as rules: never a crash; what is understood prints to a text that is understood the same way.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ParsedRules parsed = parse_rules(text, "rules");
  for (const RuleProblem& problem : parsed.problems) (void)describe(problem, parsed.file);
  const std::string printed = print_rules(parsed.file);
  if (!parsed.problems.empty()) return 0;
  const ParsedRules again = parse_rules(printed, "rules");
  fuzz::require(again.problems.empty());
  fuzz::require(again.file.statements == parsed.file.statements);
  fuzz::require(print_rules(again.file) == printed);
  return 0;
}
