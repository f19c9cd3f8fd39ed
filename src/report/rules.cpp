// rules.cpp: what rules say, cover and contradict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json());
  return list;
}

Json set_json(const AdviceSet& set, const Advice& advice, const Schema& schema, bool sparse) {
  Json rows = Json::array(), d = Json::array(), equality = Json::array(), strict = Json::array();
  for (const AdviceRow& row : set.rows) {
    Json entry = Json::array();
    if (sparse) {
      for (const auto& [feature, coefficient] : row.terms) entry.push_back({feature, coefficient});
    } else {
      std::vector<double> dense(schema.features);
      for (const auto& [feature, coefficient] : row.terms) dense[feature] = coefficient;
      entry = dense;
    }
    rows.push_back(std::move(entry));
    d.push_back(row.bound);
    equality.push_back(row.equality);
    strict.push_back(row.strict);
  }
  const CompiledRule& rule = advice.rules[set.rule];
  return {{"rule", rule.id},
          {"class", schema.label.classes[set.class_number]},
          {"z", set.z},
          {"D", rows},
          {"d", d},
          {"equality", equality},
          {"strict", strict},
          {"trust", rule.trust},
          {"margin", rule.margin}};
}

std::string row_text(const AdviceRow& row, const Schema& schema) {
  std::string text;
  for (const auto& [feature, coefficient] : row.terms) {
    const double size = std::fabs(coefficient);
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    if (size != 1) text += fmt::format("{:.6g} ", size);
    text += schema.feature_name(feature);
  }
  return fmt::format("{} {} {:.6g}", text, row.equality ? "=" : row.strict ? "<" : "<=", row.bound);
}

}  // namespace

std::string advice_json(const Advice& advice, const Schema& schema, bool sparse) {
  const Scaling& scaling = schema.scaling;
  Json sets = Json::array();
  for (const AdviceSet& set : advice.sets) sets.push_back(set_json(set.in(scaling), advice, schema, sparse));
  const Box box = advice.box.in(scaling);
  const Json json({{"features", schema.feature_names()},
                   {"classes", schema.label.classes},
                   {"sets", sets},
                   {"domain", {{"lo", numbers(box.low)}, {"hi", numbers(box.high)}}},
                   {"scaling", {{"scale", word(schema.scale)}, {"shift", scaling.shift}, {"divide", scaling.scale}}}});
  return json.dump(2) + "\n";
}

std::string advice_text(const Advice& advice, const Schema& schema) {
  const Scaling& scaling = schema.scaling;
  std::string text;
  for (const AdviceSet& own : advice.sets) {
    const AdviceSet set = own.in(scaling);
    const CompiledRule& rule = advice.rules[set.rule];
    text += fmt::format("{}: {}{} {}", rule.id, schema.label.name, set.z > 0 ? " is" : " is not",
                        schema.label.classes[set.class_number]);
    if (rule.trust != 1) text += fmt::format(", trust {:.6g}", rule.trust);
    text += fmt::format(", wherever\n");
    for (const AdviceRow& row : set.rows) text += fmt::format("    {}\n", row_text(row, schema));
  }
  return text;
}

namespace {

Json pairs_json(const std::vector<RulePair>& pairs, const Advice& advice, const Schema& schema) {
  Json list = Json::array();
  for (const RulePair& pair : pairs)
    list.push_back({{"class", schema.label.classes[pair.class_number]},
                    {"a", advice.rules[pair.a].id},
                    {"b", advice.rules[pair.b].id},
                    {"witness", point_json(pair.witness, schema)}});
  return list;
}

std::vector<std::string> problems_of(const RuleReport& report) {
  const Advice& advice = report.advice;
  const Schema& schema = report.schema;
  const RuleCheck& check = report.check;
  const std::optional<Coverage>& coverage = report.coverage;
  std::vector<std::string> out = broken_promises(advice, schema);
  for (std::string& text : unseen_categories(advice, schema)) out.push_back(std::move(text));
  for (std::size_t r = 0; r < advice.rules.size(); ++r) {
    if (check.empty[r] > 0)
      out.push_back(fmt::format("rule {}: {} of its {} branches are empty", in_quotes(advice.rules[r].id),
                                check.empty[r], advice.rules[r].sets));
    if (coverage && coverage->rules[r].covered == 0)
      out.push_back(fmt::format("rule {}: no row satisfies it", in_quotes(advice.rules[r].id)));
  }
  if (coverage)
    for (const std::string& text : odd_constants(advice, schema)) out.push_back(text);
  for (const RulePair& pair : check.implied)
    out.push_back(fmt::format("rule {} adds nothing: wherever it holds, {} says the same",
                              in_quotes(advice.rules[pair.a].id), in_quotes(advice.rules[pair.b].id)));
  return out;
}

}  // namespace

std::string rules_json(const RuleReport& report) {
  const Advice& advice = report.advice;
  const Schema& schema = report.schema;
  const RuleCheck& check = report.check;
  const std::optional<Coverage>& coverage = report.coverage;
  Json rules = Json::array(), satisfiable = Json::array(), implied = Json::array();
  for (std::size_t r = 0; r < advice.rules.size(); ++r) {
    const CompiledRule& rule = advice.rules[r];
    Json entry{{"id", rule.id},
               {"line", rule.spot.line},
               {"text", rule.text},
               {"class", schema.label.classes[rule.class_number]},
               {"polarity", rule.positive ? 1 : -1},
               {"sets", rule.sets},
               {"empty", check.empty[r]}};
    if (coverage) {
      const RuleCoverage& c = coverage->rules[r];
      const auto [low, high] = wilson_interval(c.agreed, c.labelled);
      entry["covered"] = c.covered;
      entry["agreed"] = c.agreed;
      entry["precision"] = c.labelled > 0 ? Json(c.precision()) : Json();
      entry["interval"] = c.labelled > 0 ? Json{low, high} : Json();
      entry["coverage"] = static_cast<double>(c.covered) / static_cast<double>(coverage->rows);
      entry["overlaps"] = c.overlaps;
      entry["conflicts"] = c.conflicts;
    }
    rules.push_back(std::move(entry));
  }
  for (const Satisfiable& s : check.satisfiable) {
    Json core = Json::array();
    for (const std::uint32_t rule : s.core) core.push_back(advice.rules[rule].id);
    satisfiable.push_back(
        {{"class", schema.label.classes[s.class_number]}, {"yes", s.known ? Json(s.yes) : Json()}, {"core", core}});
  }
  for (const RulePair& pair : check.implied)
    implied.push_back({{"rule", advice.rules[pair.a].id}, {"by", advice.rules[pair.b].id}});
  const Json json{{"rows", coverage ? Json(coverage->rows) : Json()},
                  {"rules", rules},
                  {"conflicts", pairs_json(check.conflicts, advice, schema)},
                  {"overlaps", pairs_json(check.overlaps, advice, schema)},
                  {"implied", implied},
                  {"satisfiable", satisfiable},
                  {"problems", problems_of(report)}};
  return json.dump(2) + "\n";
}

std::string rules_text(const RuleReport& report) {
  const Advice& advice = report.advice;
  const Schema& schema = report.schema;
  const RuleCheck& check = report.check;
  const std::optional<Coverage>& coverage = report.coverage;
  std::string text;
  std::size_t wide = 4, wide_class = 5;
  for (const CompiledRule& rule : advice.rules) {
    wide = std::max(wide, rule.id.size());
    wide_class = std::max(wide_class, schema.label.classes[rule.class_number].size() + (rule.positive ? 0 : 4));
  }
  text += fmt::format("{:<{}}  {:<{}} {:>5}", "rule", wide, "class", wide_class, "sets");
  if (coverage)
    text += fmt::format(" {:>9} {:>9} {:>9} {:>9} {:>9}  {}", "covered", "overlaps", "conflicts", "agreed", "accuracy",
                        "95 % interval");
  text += '\n';
  for (std::size_t r = 0; r < advice.rules.size(); ++r) {
    const CompiledRule& rule = advice.rules[r];
    text += fmt::format("{:<{}}  {:<{}} {:>5}", rule.id, wide,
                        (rule.positive ? "" : "not ") + schema.label.classes[rule.class_number], wide_class, rule.sets);
    if (coverage) {
      const RuleCoverage& c = coverage->rules[r];
      const auto [low, high] = wilson_interval(c.agreed, c.labelled);
      text += fmt::format(" {:>8.2f}% {:>9} {:>9} {:>9} {:>9}  {}",
                          100 * static_cast<double>(c.covered) / static_cast<double>(coverage->rows), c.overlaps,
                          c.conflicts, c.agreed, c.labelled > 0 ? fmt::format("{:.4f}", c.precision()) : "-",
                          c.labelled > 0 ? fmt::format("{:.4f} - {:.4f}", low, high) : "");
    }
    text += '\n';
  }
  const auto add_pairs = [&](const std::vector<RulePair>& pairs, std::string_view title) {
    if (!pairs.empty()) text += fmt::format("{}\n", title);
    for (const RulePair& pair : pairs)
      text += fmt::format("  {} and {} meet at {}\n", advice.rules[pair.a].id, advice.rules[pair.b].id,
                          point_text(pair.witness, schema));
  };
  add_pairs(check.conflicts, "rules that contradict each other:");
  add_pairs(check.overlaps, "rules for different classes that meet:");
  for (const Satisfiable& s : check.satisfiable) {
    std::vector<std::string> core;
    for (const std::uint32_t rule : s.core) core.push_back(advice.rules[rule].id);
    text += fmt::format("{}: {}\n", schema.label.classes[s.class_number],
                        !s.known ? "too many rules to ask whether one hyperplane can obey them all"
                        : s.yes  ? "one hyperplane can obey all its rules"
                                 : "no hyperplane can obey all its rules; these already not: " + joined(core));
  }
  for (const std::string& problem : problems_of(report)) text += problem + "\n";
  return text;
}

}  // namespace postil
