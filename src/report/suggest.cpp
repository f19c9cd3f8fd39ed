// Rules that rows support, as a file of rules and as JSON.
#include <fmt/format.h>

#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

Json record_json(const SuggestedRule::Record& record) {
  return {{"covered", record.rows}, {"right", record.right}, {"expected", record.expected}};
}

}  // namespace

std::string suggestions_json(const Suggestions& found, const Schema& schema) {
  Json rules = Json::array();
  for (const SuggestedRule& rule : found.rules)
    rules.push_back({{"rule", rule.text},
                     {"class", schema.label.classes[rule.class_number]},
                     {"searched", record_json(rule.searched)},
                     {"checked", record_json(rule.checked)},
                     {"precision", rule.precision()},
                     {"interval", {rule.low, rule.high}},
                     {"base_rate", found.base_rates[rule.class_number]},
                     {"chance", rule.chance},
                     {"saves", rule.saves}});
  return Json{{"searched", found.searched}, {"checked", found.checked}, {"rules", rules}}.dump(2) + "\n";
}

std::string suggestions_text(const Suggestions& found) {
  if (found.rules.empty())
    return fmt::format("# no rule: of those found in {} labelled rows, none is confirmed by the other {}\n",
                       found.searched, found.checked);
  std::string text =
      fmt::format("# found in {} labelled rows, checked on {} others; what adds most to the model comes first\n",
                  found.searched, found.checked);
  for (const SuggestedRule& rule : found.rules) {
    const auto& c = rule.checked;
    const auto share = [&](double of) { return percent(of / static_cast<double>(c.rows)); };
    text += fmt::format(
        "\n# right on {} of {} rows; expect {} ({} to {}), without the rule {}; base rate {}; covers {}\n{}\n", c.right,
        c.rows, percent(rule.precision()), percent(rule.low), percent(rule.high), share(c.expected),
        percent(found.base_rates[rule.class_number]),
        percent(static_cast<double>(c.rows) / static_cast<double>(found.checked)), rule.text);
  }
  return text;
}

}  // namespace postil
