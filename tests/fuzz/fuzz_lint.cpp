// Any bytes as rules being typed: an editor is always told something, about words inside the text.
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  if (size > 4000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto column = static_cast<std::uint32_t>(1 + size / 2);
  const RuleLint alone = lint_rules(text, nullptr, Spot{1, column});
  fuzz::require(alone.words.size() <= size);
  static const Schema kSchema =
      schema_of_rules(parse_rules("a >= 1 and b and c in {x, y} => yes\nb => no\n", "seed").file);
  const RuleLint against = lint_rules(text, &kSchema, Spot{2, column});
  fuzz::require(against.words.size() == alone.words.size());
  return 0;
}
