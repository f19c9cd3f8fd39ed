// Which rows to label next, as text and as JSON.
#include <fmt/format.h>

#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {

std::string ask_json(const Model& model, const Asked& asked) {
  Json rows = Json::array();
  for (const AskedRow& row : asked.rows)
    rows.push_back({{"row", row.row},
                    {"line", row.line == 0 ? Json() : Json(row.line)},
                    {"value", row.value},
                    {"random", row.reason == AskReason::random},
                    {"reason", word(row.reason)},
                    {"why", row.why},
                    {"label", row.label ? label_json(model, *row.label) : Json()},
                    {"probability", row.probability ? Json(*row.probability) : Json()}});
  return Json{{"rows", rows}, {"seen", asked.seen}, {"had_label", asked.had_label}}.dump(2) + "\n";
}

std::string ask_notes(const Asked& asked, std::size_t wanted) {
  if (asked.rows.size() >= wanted) return "";
  const std::uint64_t without = asked.seen - asked.had_label;
  return fmt::format("{} of {} rows chosen: {} of the {} rows {}", asked.rows.size(), wanted, without, asked.seen,
                     asked.had_label > 0 ? "have no label yet, and equal rows are asked about once"
                                         : "were looked at, and equal rows are asked about once");
}

}  // namespace postil
