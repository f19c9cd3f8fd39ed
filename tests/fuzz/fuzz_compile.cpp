// Any bytes as rules, against the columns that they name: they compile, or are answered. What compiled holds or does not on
// every row.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  try {
    const ParsedRules parsed = parse_rules({reinterpret_cast<const char*>(data), size}, "rules");
    const Schema schema = schema_of_rules(parsed.file);
    if (schema.features > 200 || parsed.file.statements.size() > 50) return 0;
    const Advice advice = compile_rules(parsed.file, schema);
    fuzz::require(advice.rules.size() <= parsed.file.statements.size());
    const std::vector<double> zeros(schema.features), ones(schema.features, 1);
    for (const std::vector<double>* x : {&zeros, &ones})
      fuzz::require(advice.conditions.truths(*x).size() == advice.conditions.nodes.size());
  } catch (const Error&) {
  }
  return 0;
}
