// Any bytes as rules: what logic says of them, and whether a plane obeys them. Solvers run here, so it is slow.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  try {
    const ParsedRules parsed = parse_rules({reinterpret_cast<const char*>(data), size}, "rules");
    const Schema schema = schema_of_rules(parsed.file);
    if (schema.features > 20) return 0;
    const Advice advice = compile_rules(parsed.file, schema);
    if (advice.sets.size() > 8) return 0;
    (void)check_rules(advice);
    std::vector<double> weights(schema.features);
    for (std::size_t j = 0; j < weights.size(); ++j)
      weights[j] = std::ldexp(j % 2 == 0 ? 1 : -1, static_cast<int>(size * (j + 1) % 400) - 200);
    for (const AdviceSet& set : advice.sets) (void)certify(set, advice.box, advice.one_of, weights, 0.5);
  } catch (const Error&) {
  }
  return 0;
}
