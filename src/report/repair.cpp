// What labelled rows say rules should have been, as text and as JSON.
#include <fmt/format.h>

#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

Json number_json(const std::optional<double>& value, Kind written) {
  if (!value) return {};
  return written == Kind::date ? Json(text_of(*value, written)) : Json(*value);
}

Json record_json(const RuleRepair::Record& record, std::uint64_t labelled) {
  return {{"covered", record.rows},
          {"right", record.right},
          {"precision", record.rows > 0 ? Json(record.precision()) : Json()},
          {"coverage", static_cast<double>(record.rows) / static_cast<double>(labelled)}};
}

std::string interval_text(const std::optional<double>& low, const std::optional<double>& high, Kind written) {
  if (low && high && *low == *high) return text_of(*low, written);
  if (low && high) return fmt::format("{} to {}", text_of(*low, written), text_of(*high, written));
  if (low) return fmt::format("{} or more", text_of(*low, written));
  return high ? fmt::format("{} or less", text_of(*high, written)) : "any";
}

std::string record_text(const RuleRepair::Record& record) {
  return record.rows == 0 ? "no row" : fmt::format("{} of {} rows", percent(record.precision()), record.rows);
}

std::string chance_text(double chance) {
  return chance < 0.001 ? "less than 0.1%" : chance < 0.01 ? fmt::format("{:.1f}%", 100 * chance) : percent(chance);
}

std::string title_of(const RuleRepair& repair, const std::string& id, Kind written) {
  switch (repair.edit.kind) {
    case RuleEdit::Kind::move:
      return fmt::format("rule {}: {} -> {} ({}, 95 %)", id, repair.before, repair.after,
                         interval_text(repair.low, repair.high, written));
    case RuleEdit::Kind::drop: return fmt::format("rule {}: without {}", id, repair.before);
    case RuleEdit::Kind::add: break;
  }
  return fmt::format("rule {}: and also {}", id, repair.after);
}

// Lines of a file; or rows of an array, which are counted from 0.
std::vector<std::uint64_t> places(const RuleRepair& repair, const Audience& audience) {
  std::vector<std::uint64_t> out = repair.lines;
  for (std::uint64_t& line : out) line -= audience.rows_from_zero ? 1 : 0;
  return out;
}

std::string repair_paragraph(const RuleRepair& repair, const RepairReport& report, std::size_t number,
                             const std::string& id, const Audience& audience) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> lines;
  const std::vector<std::uint64_t> all = places(repair, audience);
  for (std::size_t k = 0; k < all.size() && k < kShown; ++k) lines.push_back(std::to_string(all[k]));
  if (repair.changed > lines.size()) lines.emplace_back("...");
  const auto covers = [&](const RuleRepair::Record& record) {
    return percent(static_cast<double>(record.rows) / static_cast<double>(report.labelled));
  };
  return fmt::format(
      "{}  {}\n"
      "   right on {} -> {}, covers {} -> {}; by chance: {}\n"
      "   {} label{} change{} sides: {}{} {}\n"
      "   {}\n",
      number, title_of(repair, id, repair.written), record_text(repair.was), record_text(repair.would),
      covers(repair.was), covers(repair.would), chance_text(repair.chance), repair.changed,
      repair.changed == 1 ? "" : "s", repair.changed == 1 ? "s" : "", audience.rows_from_zero ? "row" : "line",
      repair.changed == 1 ? "" : "s", joined(lines), repair.rule);
}

}  // namespace

std::string repair_json(const RepairReport& report, const Advice& advice, const Audience& audience) {
  Json numbers = Json::array(), repairs = Json::array();
  for (const NumberEvidence& n : report.numbers) {
    Json curve = Json::array();
    for (const NumberEvidence::Point& point : n.curve)
      curve.push_back({{"number", number_json(point.number, n.written)},
                       {"covered", point.record.rows},
                       {"right", point.record.right}});
    numbers.push_back({{"rule", advice.rules[n.rule].id},
                       {"line", advice.rules[n.rule].spot.line},
                       {"comparison", n.text},
                       {"number", number_json(n.number, n.written)},
                       {"rows", n.rows},
                       {"best", number_json(n.best, n.written)},
                       {"low", number_json(n.low, n.written)},
                       {"high", number_json(n.high, n.written)},
                       {"chance", n.chance},
                       {"curve", curve}});
  }
  for (std::size_t k = 0; k < report.repairs.size(); ++k) {
    const RuleRepair& r = report.repairs[k];
    const bool moves = r.edit.kind == RuleEdit::Kind::move;
    repairs.push_back({{"number", k + 1},
                       {"kind", word(r.edit.kind)},
                       {"rule", advice.rules[r.edit.rule].id},
                       {"line", advice.rules[r.edit.rule].spot.line},
                       {"before", r.before.empty() ? Json() : Json(r.before)},
                       {"after", moves             ? number_json(r.edit.number, r.written)
                                 : r.after.empty() ? Json()
                                                   : Json(r.after)},
                       {"low", number_json(r.low, r.written)},
                       {"high", number_json(r.high, r.written)},
                       {"chance", r.chance},
                       {"was", record_json(r.was, report.labelled)},
                       {"would", record_json(r.would, report.labelled)},
                       {"changed", r.changed},
                       {audience.rows_from_zero ? "rows" : "lines", places(r, audience)},
                       {"text", r.rule}});
  }
  return Json{{"labelled", report.labelled}, {"numbers", numbers}, {"repairs", repairs}}.dump(2) + "\n";
}

std::string repair_text(const RepairReport& report, const Advice& advice, const std::string& accept,
                        const Audience& audience) {
  std::string text;
  std::vector<std::vector<std::string>> lines{{"rule", "comparison", "rows", "fits best", "95 % interval"}};
  for (const NumberEvidence& n : report.numbers)
    lines.push_back({advice.rules[n.rule].id, n.text, std::to_string(n.rows),
                     n.best ? text_of(*n.best, n.written) : "-",
                     n.best ? interval_text(n.low, n.high, n.written) : "-"});
  if (lines.size() > 1) text += aligned(lines, "<<>>>") + "\n";
  for (std::size_t k = 0; k < report.repairs.size(); ++k)
    text += repair_paragraph(report.repairs[k], report, k + 1, advice.rules[report.repairs[k].edit.rule].id, audience);
  if (report.repairs.empty())
    return text + fmt::format(
                      "nothing to repair: {} labelled rows show nothing about these rules that chance does not "
                      "explain\n",
                      report.labelled);
  return accept.empty() ? text : text + accept + "\n";
}

}  // namespace postil
