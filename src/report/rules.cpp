// rules.cpp: what rules say, cover and contradict.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

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

Json function_json(const LinearFunction& function, const Schema& schema) {
  Json terms = Json::object();
  for (const auto& [feature, coefficient] : function.terms) terms[schema.feature_name(feature)] = coefficient;
  return {{"terms", terms}, {"constant", function.constant}};
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
  Json out{{"rule", rule.id},
           {"class", schema.label.subject(set.class_number)},
           {"z", set.z},
           {"D", rows},
           {"d", d},
           {"equality", equality},
           {"strict", strict},
           {"trust", rule.trust},
           {"margin", rule.margin}};
  if (rule.claim) out["target"] = function_json(set.target, schema);
  return out;
}

std::string terms_text(const std::vector<std::pair<std::uint32_t, double>>& terms, const Schema& schema) {
  std::string text;
  for (const auto& [feature, coefficient] : terms) {
    const double size = std::fabs(coefficient);
    text += text.empty() ? (coefficient < 0 ? "-" : "") : (coefficient < 0 ? " - " : " + ");
    if (size != 1) text += fmt::format("{:.6g} ", size);
    text += schema.feature_name(feature);
  }
  return text;
}

std::string row_text(const AdviceRow& row, const Schema& schema) {
  return fmt::format("{} {} {:.6g}", terms_text(row.terms, schema),
                     row.equality ? "="
                     : row.strict ? "<"
                                  : "<=",
                     row.bound);
}

std::string function_text(const LinearFunction& function, const Schema& schema) {
  if (function.terms.empty()) return fmt::format("{:.6g}", function.constant);
  if (function.constant == 0) return terms_text(function.terms, schema);
  return fmt::format("{} {} {:.6g}", terms_text(function.terms, schema), function.constant < 0 ? "-" : "+",
                     std::fabs(function.constant));
}

// What a rule says of a label that is a number: null if it says none.
Json claim_json(const CompiledRule& rule, const Schema& schema) {
  if (!rule.claim || rule.direction) return {};
  const auto end = [&](const std::optional<LinearFunction>& of) { return of ? function_json(*of, schema) : Json(); };
  return {{"low", end(rule.claim->low)}, {"high", end(rule.claim->high)}, {"strict", rule.claim->strict}};
}

}  // namespace

std::string advice_json(const Advice& advice, const Schema& schema, bool sparse) {
  const Scaling& scaling = schema.scaling;
  Json sets = Json::array();
  for (const AdviceSet& set : advice.sets) sets.push_back(set_json(set.in(scaling), advice, schema, sparse));
  Json directions = Json::array();
  for (const CompiledRule& rule : advice.rules)
    if (rule.direction)
      directions.push_back({{"rule", rule.id},
                            {"class", schema.label.subject(rule.class_number)},
                            {"feature", rule.direction->feature},
                            {"z", rule.direction->z},
                            {"trust", rule.trust}});
  const Box box = advice.box.in(scaling);
  const Json json({{"features", schema.feature_names()},
                   {"classes", schema.label.classes},
                   {"sets", sets},
                   {"directions", directions},
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
    text += rule.claim ? fmt::format("{}: {} {} {}", rule.id, schema.label.name,
                                     set.z > 0 ? ">=" : "<=", function_text(set.target, schema))
                       : fmt::format("{}: {}{} {}", rule.id, schema.label.name, set.z > 0 ? " is" : " is not",
                                     schema.label.subject(set.class_number));
    if (rule.trust != 1) text += fmt::format(", trust {:.6g}", rule.trust);
    text += fmt::format(", wherever\n");
    for (const AdviceRow& row : set.rows) text += fmt::format("    {}\n", row_text(row, schema));
  }
  for (const CompiledRule& rule : advice.rules)
    if (rule.direction)
      text += fmt::format("{}: {}{} {} with {}\n", rule.id, rule.claim ? "" : "the score of ",
                          schema.label.subject(rule.class_number), rule.direction->z > 0 ? "rises" : "falls",
                          schema.feature_name(rule.direction->feature));
  return text;
}

namespace {

constexpr std::size_t kShown = 10;  // pairs, before "and so many more"

Json pairs_json(const std::vector<RulePair>& pairs, const Advice& advice, const Schema& schema) {
  Json list = Json::array();
  for (const RulePair& pair : pairs)
    list.push_back({{"class", schema.label.subject(pair.class_number)},
                    {"a", advice.rules[pair.a].id},
                    {"b", advice.rules[pair.b].id},
                    {"witness", point_json(witness(advice, pair), schema)}});
  return list;
}

std::string_view word(Worth worth) {
  switch (worth) {
    case Worth::helps: return "helps";
    case Worth::harms: return "harms";
    case Worth::nothing: return "says nothing beyond the base rate";
    case Worth::open: break;
  }
  return "cannot tell";
}

double share(std::uint64_t part, std::uint64_t of) { return static_cast<double>(part) / static_cast<double>(of); }
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

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
    if (coverage && coverage->rules[r].covered == 0 && !advice.rules[r].direction)
      out.push_back(fmt::format("rule {}: no row satisfies it", in_quotes(advice.rules[r].id)));
  }
  if (coverage)
    for (const std::string& text : odd_constants(advice, schema)) out.push_back(text);
  for (const RulePair& pair : check.opposed)
    out.push_back(fmt::format("rules {} and {} say opposite things of column {}", in_quotes(advice.rules[pair.a].id),
                              in_quotes(advice.rules[pair.b].id),
                              in_quotes(schema.feature_name(advice.rules[pair.a].direction->feature))));
  for (const RulePair& pair : check.implied)
    out.push_back(fmt::format("rule {} adds nothing: {}{} says the same", in_quotes(advice.rules[pair.a].id),
                              advice.rules[pair.a].direction ? "" : "wherever it holds, ",
                              in_quotes(advice.rules[pair.b].id)));
  return out;
}

Json mean_json(const MeanError& error) {
  return {{"mean", number_or_null(error.mean)}, {"se", number_or_null(error.se)}};
}

Json worth_json(const RulesWorth& worth, const Advice& advice) {
  Json checkpoints = Json::array(), rules = Json::array();
  for (std::size_t c = 0; c < worth.checkpoints.size(); ++c)
    checkpoints.push_back({{"labels", worth.checkpoints[c]},
                           {"with", mean_json(worth.with[c])},
                           {"without", mean_json(worth.without[c])},
                           {"labels_without", worth.labels[c] ? Json(*worth.labels[c]) : Json()}});
  for (std::size_t r = 0; r < worth.rules.size(); ++r)
    rules.push_back({{"id", advice.rules[r].id},
                     {"saves", number_or_null(worth.rules[r].mean)},
                     {"se", number_or_null(worth.rules[r].se)},
                     {"p", number_or_null(worth.rules[r].p)}});
  return {{"metric", word(worth.metric)}, {"runs", worth.runs}, {"checkpoints", checkpoints}, {"rules", rules}};
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
               {"class", schema.label.subject(rule.class_number)},
               {"polarity", rule.positive ? 1 : -1},
               {"sets", rule.sets},
               {"empty", check.empty[r]}};
    if (rule.cut) entry["cut"] = true;
    if (rule.claim) entry["claim"] = claim_json(rule, schema);
    if (rule.direction) entry["direction"] = direction_json(*rule.direction, schema);
    if (coverage) {
      const RuleCoverage& c = coverage->rules[r];
      const auto [low, high] = wilson_interval(c.agreed, c.labelled);
      const double base = coverage->base_rate(advice, r);
      entry["covered"] = c.covered;
      entry["labelled"] = c.labelled;
      entry["agreed"] = c.agreed;
      entry["precision"] = number_or_null(c.precision());
      entry["interval"] = c.labelled > 0 ? Json{low, high} : Json();
      entry["base_rate"] = number_or_null(base);
      entry["lift"] = number_or_null(c.precision() / base);
      entry["verdict"] = word(coverage->worth(advice, r));
      if (rule.direction) {
        entry["correlation"] = c.direction.closeness ? Json(*c.direction.closeness) : Json();
        entry["z"] = c.direction.z ? Json(*c.direction.z) : Json();
      }
      entry["coverage"] = share(c.covered, coverage->rows);
      entry["overlaps"] = c.overlaps;
      entry["conflicts"] = c.conflicts;
    }
    rules.push_back(std::move(entry));
  }
  for (const Satisfiable& s : check.satisfiable) {
    Json core = Json::array();
    for (const std::uint32_t rule : s.core) core.push_back(advice.rules[rule].id);
    satisfiable.push_back(
        {{"class", schema.label.subject(s.class_number)}, {"yes", s.known ? Json(s.yes) : Json()}, {"core", core}});
  }
  for (const RulePair& pair : check.implied)
    implied.push_back({{"rule", advice.rules[pair.a].id}, {"by", advice.rules[pair.b].id}});
  Json together, disagreements;
  if (coverage) {
    const Coverage::Together& t = coverage->together;
    if (!schema.label.real())
      together = {{"decided", t.decided},
                  {"labelled", t.labelled},
                  {"right", t.right},
                  {"otherwise", schema.label.classes[t.otherwise]},
                  {"error", number_or_null(t.error)},
                  {"balanced_error", number_or_null(t.balanced_error)}};
    disagreements = Json::array();
    for (const Coverage::Disagreement& d : coverage->disagreements)
      disagreements.push_back({{"a", advice.rules[d.a].id},
                               {"b", advice.rules[d.b].id},
                               {"rows", d.rows},
                               {"a_right", d.a_right},
                               {"b_right", d.b_right}});
  }
  Json json{{"rows", coverage ? Json(coverage->rows) : Json()},
            {"rules", rules},
            {"together", together},
            {"disagreements", disagreements},
            {"conflicts", pairs_json(check.conflicts, advice, schema)},
            {"overlaps", pairs_json(check.overlaps, advice, schema)},
            {"implied", implied},
            {"satisfiable", satisfiable},
            {"problems", problems_of(report)}};
  if (report.worth) json["worth"] = worth_json(*report.worth, advice);
  return json.dump(2) + "\n";
}

namespace {

std::string says(const CompiledRule& rule, const Schema& schema) {
  if (rule.claim && rule.direction) return rule.direction->z > 0 ? "rises" : "falls";
  if (rule.claim && !rule.direction) {
    const std::optional<LinearFunction>&low = rule.claim->low, &high = rule.claim->high;
    if (low && high && *low == *high) return "= " + function_text(*low, schema);
    if (low && high) return fmt::format("{} to {}", function_text(*low, schema), function_text(*high, schema));
    const std::string_view open = rule.claim->strict ? "" : "=";
    return low ? fmt::format(">{} {}", open, function_text(*low, schema))
               : fmt::format("<{} {}", open, function_text(*high, schema));
  }
  return schema.label.said(rule.class_number, rule.positive);
}

// Each rule: what it covers and how often it is right there, beside how often that is so anyway.
std::string table_text(const RuleReport& report) {
  std::vector<std::vector<std::string>> lines{{"rule", "says", "sets"}};
  if (report.coverage)
    lines[0] = {"rule", "says", "covers", "right", "", "95 % interval", "base rate", "lift", "verdict"};
  for (std::size_t r = 0; r < report.advice.rules.size(); ++r) {
    const CompiledRule& rule = report.advice.rules[r];
    std::vector<std::string>& line = lines.emplace_back(std::vector<std::string>{rule.id, says(rule, report.schema)});
    if (!report.coverage) {
      line.push_back(rule.direction ? "direction" : fmt::format("{}{}", rule.sets, rule.cut ? "+" : ""));
      continue;
    }
    const RuleCoverage& c = report.coverage->rules[r];
    if (rule.direction) {
      line.insert(line.end(),
                  {"-", c.direction.closeness ? fmt::format("correlation {:.2f}", *c.direction.closeness) : "-", "-",
                   "-", "-", "-", std::string(word(report.coverage->worth(report.advice, r)))});
      continue;
    }
    const auto [low, high] = wilson_interval(c.agreed, c.labelled);
    const double base = report.coverage->base_rate(report.advice, r), lift = c.precision() / base;
    line.push_back(percent(share(c.covered, report.coverage->rows)));
    line.push_back(c.labelled > 0 ? fmt::format("{} of {}", c.agreed, c.labelled) : "-");
    line.push_back(percent(c.precision()));
    line.push_back(c.labelled > 0 ? fmt::format("{} to {}", percent(low), percent(high)) : "-");
    line.push_back(percent(base));
    line.push_back(std::isfinite(lift) ? fmt::format("{:.2f}", lift) : "-");
    line.emplace_back(word(report.coverage->worth(report.advice, r)));
  }
  return aligned(lines, report.coverage ? "<<>>>>>><" : "<<<");
}

std::string together_text(const RuleReport& report) {
  if (report.schema.label.real()) return "";
  const Coverage::Together& t = report.coverage->together;
  std::string text =
      fmt::format("together: they cover {} of the rows", percent(share(t.decided, report.coverage->rows)));
  if (t.labelled > 0) text += fmt::format(" and are right on {} of these", percent(share(t.right, t.labelled)));
  if (std::isfinite(t.error))
    text += fmt::format("; with all other rows taken for {}: error {:.3f}, balanced error {:.3f}",
                        report.schema.label.classes[t.otherwise], t.error, t.balanced_error);
  return text + "\n";
}

// Contradictions: by the rows that show them, then what logic finds beyond.
std::string contradictions_text(const RuleReport& report) {
  const Advice& advice = report.advice;
  const std::size_t most = report.all ? SIZE_MAX : kShown;
  const std::string more = report.hint.empty() ? "" : fmt::format(" ({})", report.hint);
  std::string text;
  std::set<std::pair<std::uint32_t, std::uint32_t>> told;
  if (report.coverage) {
    const std::vector<Coverage::Disagreement>& found = report.coverage->disagreements;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Coverage::Disagreement& d = found[k];
      told.emplace(d.a, d.b);
      if (k == 0) text += "rules that contradict each other, by the rows on which both hold:\n";
      if (k < most)
        text += fmt::format(
            "  {} and {} on {} row{}{}\n", advice.rules[d.a].id, advice.rules[d.b].id, d.rows, d.rows == 1 ? "" : "s",
            d.a_right + d.b_right > 0 ? fmt::format(": {} is right on {}, {} on {}", advice.rules[d.a].id, d.a_right,
                                                    advice.rules[d.b].id, d.b_right)
                                      : "");
    }
    if (found.size() > most) text += fmt::format("  and {} more pairs{}\n", found.size() - most, more);
    if (!report.coverage->all_counted) text += "  not every pair was counted: there are too many\n";
  }
  std::vector<const RulePair*> possible;
  for (const std::vector<RulePair>* pairs : {&report.check.conflicts, &report.check.overlaps})
    for (const RulePair& pair : *pairs)
      if (told.emplace(pair.a, pair.b).second) possible.push_back(&pair);
  if (possible.empty()) return text;
  const std::size_t shown = report.coverage && !report.all ? 0 : std::min(most, possible.size());
  if (report.coverage)
    text += fmt::format("{} pair{} of rules could contradict each other, but {} in these rows{}\n", possible.size(),
                        possible.size() == 1 ? "" : "s", possible.size() == 1 ? "does not" : "do not",
                        report.all ? ":" : more);
  else
    text += "rules that contradict each other:\n";
  for (std::size_t k = 0; k < shown; ++k)
    text += fmt::format("  {} and {} meet at {}\n", advice.rules[possible[k]->a].id, advice.rules[possible[k]->b].id,
                        point_text(witness(advice, *possible[k]), report.schema));
  if (!report.coverage && possible.size() > shown)
    text += fmt::format("  and {} more pairs{}\n", possible.size() - shown, more);
  return text;
}

// What the rules save, in labels; and each of them, in error.
std::string worth_text(const RulesWorth& worth, const Advice& advice) {
  const auto plus_minus = [](double mean, double se) { return fmt::format("{:.4f} +- {:.4f}", mean, se); };
  std::vector<std::vector<std::string>> lines{{"labels", "with the rules", "without", "without them as good after"}};
  for (std::size_t c = 0; c < worth.checkpoints.size(); ++c)
    lines.push_back({std::to_string(worth.checkpoints[c]), plus_minus(worth.with[c].mean, worth.with[c].se),
                     plus_minus(worth.without[c].mean, worth.without[c].se),
                     worth.labels[c] ? fmt::format("{:.0f} labels", *worth.labels[c])
                                     : fmt::format("more than {} labels", worth.checkpoints.back())});
  std::string text = fmt::format("\nwhat the rules are worth: {} on {} rows, {} runs\n{}", word(worth.metric),
                                 worth.tested, worth.runs, aligned(lines, ">>>>"));
  if (worth.rules.size() < 2) return text;
  lines = {{"rule", "error without it", "p"}};
  for (std::size_t r = 0; r < worth.rules.size(); ++r)
    lines.push_back({advice.rules[r].id, fmt::format("{:+.4f} +- {:.4f}", worth.rules[r].mean, worth.rules[r].se),
                     worth.rules[r].p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", worth.rules[r].p)});
  return text + "each rule left out, all others kept; on the mean over these numbers of labels\n" +
         aligned(lines, "<>>");
}

}  // namespace

std::string rules_notes(const RuleReport& report) {
  std::string text;
  if (report.coverage) text += together_text(report);
  text += contradictions_text(report);
  for (const Satisfiable& s : report.check.satisfiable) {
    std::vector<std::string> core;
    for (const std::uint32_t rule : s.core) core.push_back(report.advice.rules[rule].id);
    text += fmt::format("{}: {}\n", report.schema.label.subject(s.class_number),
                        !s.known ? "too many rules to tell whether a linear model can follow them all"
                        : s.yes  ? "a linear model can follow all rules at once"
                                 : "no linear model can follow all rules at once, nor these alone: " + joined(core));
  }
  for (const std::string& problem : problems_of(report)) text += problem + "\n";
  return text;
}

std::string rules_text(const RuleReport& report) {
  return table_text(report) + rules_notes(report) + (report.worth ? worth_text(*report.worth, report.advice) : "");
}

// ---- for editors ----

std::string lint_json(const RuleLint& lint) {
  const auto place = [](Spot spot, std::uint32_t length) {
    return Json{{"line", spot.line}, {"column", spot.column}, {"length", length}};
  };
  Json words = Json::array(), problems = Json::array(), completions = Json::array();
  for (const RuleWord& w : lint.words) {
    words.push_back(place(w.spot, w.length));
    words.back()["kind"] = word(w.kind);
  }
  for (const RuleLint::Problem& problem : lint.problems) {
    problems.push_back(place(problem.spot, problem.length));
    problems.back()["message"] = problem.message;
  }
  for (const RuleLint::Completion& c : lint.completions)
    completions.push_back({{"kind", word(c.kind)}, {"text", c.text}});
  return Json{{"words", words}, {"problems", problems}, {"completions", completions}}.dump(2) + "\n";
}

std::string lint_text(const RuleLint& lint, const std::string& source) {
  std::string text;
  for (const RuleLint::Problem& problem : lint.problems)
    text += fmt::format("{}:{}:{}: {}\n", source, problem.spot.line, problem.spot.column, problem.message);
  for (const RuleLint::Completion& c : lint.completions) text += fmt::format("{} ({})\n", c.text, word(c.kind));
  return text;
}

}  // namespace postil
