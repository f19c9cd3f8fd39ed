// The ledger as text and as JSON: what became of each rule; and why one row got its score.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "postil/error.hpp"
#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

using Values = AdviceExplanation::Values;

// The number of a feature as its column writes it: 2024-03-01, 12.5%.
std::string value_text(const Schema& schema, std::uint32_t feature, double value) {
  for (const Column& column : schema.columns)
    if (!column.features.empty() && column.features[0] == feature && column.written() != Kind::number)
      return column.text_of(value);
  return fmt::format("{:.6g}", value);
}

// "bmi >= 30", whichever way the row is kept.
std::string comparison_text(const AdviceRow& row, const Schema& schema) {
  const bool turned = std::all_of(row.terms.begin(), row.terms.end(), [](const auto& term) { return term.second < 0; });
  const double divide = row.terms.size() == 1 ? row.terms[0].second : turned ? -1 : 1;
  const char* sign = row.equality ? "=" : divide < 0 ? (row.strict ? ">" : ">=") : (row.strict ? "<" : "<=");
  if (row.terms.size() > 3)
    return fmt::format("a sum of {} columns, {} to {}, {} {:.6g}", row.terms.size(),
                       schema.feature_name(row.terms[0].first), schema.feature_name(row.terms.back().first), sign,
                       row.bound / divide + 0.0);
  std::string text;
  for (const auto& [feature, coefficient] : row.terms) {
    const double value = coefficient / divide, size = std::fabs(value);
    text += text.empty() ? (value < 0 ? "-" : "") : (value < 0 ? " - " : " + ");
    if (size != 1) text += fmt::format("{:.6g}*", size);
    text += schema.feature_name(feature);
  }
  const double bound = row.bound / divide + 0.0;
  return fmt::format(
      "{} {} {}", text, sign,
      row.terms.size() == 1 ? value_text(schema, row.terms[0].first, bound) : fmt::format("{:.6g}", bound));
}

double norm(const std::map<std::uint32_t, double>& values) {
  double sum = 0;
  for (const auto& [feature, value] : values) sum += value * value;
  return std::sqrt(sum);
}

// A rule's part of the weights: the sum over its sets.
struct Part {
  std::map<std::uint32_t, double> weights;
  double bias = 0;
};
std::map<std::uint32_t, Part> parts_of(const Model& model, const AdviceExplanation& explained) {
  std::map<std::uint32_t, Part> parts;
  for (const AdviceExplanation::Set& set : explained.sets) {
    if (set.part.empty()) continue;  // the learner does not tell
    Part& part = parts[model.advice()->sets[set.set].rule];
    for (const auto& [feature, value] : set.part) part.weights[feature] += value;
    part.bias += set.part_bias;
  }
  return parts;
}

Json dense(const Values& values, std::size_t features, bool null_elsewhere) {
  Json list = Json::array();
  std::size_t next = 0;
  for (std::uint32_t j = 0; j < features; ++j) {
    if (next < values.size() && values[next].first == j)
      list.push_back(values[next++].second);
    else
      list.push_back(null_elsewhere ? Json() : Json(0.0));
  }
  return list;
}

Json set_json(const Model& model, const AdviceExplanation::Set& set) {
  const AdviceSet& from = model.advice()->sets[set.set];
  Json support = Json::array(), comparisons = Json::array();
  for (std::size_t k = 0; k < from.rows.size(); ++k) {
    const std::string text = comparison_text(from.rows[k], model.schema());
    comparisons.push_back(text);
    if (set.u[k] != 0) support.push_back(text);
  }
  const std::size_t features = model.schema().features;
  return {{"u", set.u},
          {"comparisons", comparisons},
          {"support", support},
          {"estimate", dense(set.estimate, features, false)},
          {"ideal", set.ideal ? dense(*set.ideal, features, true) : Json()}};
}

void add_sets(Json& sets, const Model& model, std::size_t number, std::size_t question,
              const AdviceExplanation& explained) {
  for (const AdviceExplanation::Set& set : explained.sets) {
    if (model.advice()->sets[set.set].rule != number) continue;
    sets.push_back(set_json(model, set));
    if (model.one_against_one()) sets.back()["question"] = model.question_text(question);
  }
}

Json rule_json(const Model& model, const RuleRecord& record, Json sets) {
  const Ledger::Entry& entry = record.entry;
  return {{"id", record.id},
          {"line", record.line},
          {"text", record.text},
          {"class", model.schema().label.subject(record.class_number)},
          {"polarity", record.positive ? 1 : -1},
          {"direction", record.direction ? direction_json(*record.direction, model.schema()) : Json()},
          {"sets", std::move(sets)},
          {"fired", entry.fired},
          {"agreed", entry.agreed},
          {"contradicted", entry.contradicted},
          {"contradicted_by", entry.contradicted_by},
          {"precision", optional_json(entry.precision)},
          {"base_rate", optional_json(entry.base_rate)},
          {"z", optional_json(entry.z)},
          {"verdict", word(entry.verdict)},
          {"closeness", optional_json(entry.closeness)},
          {"influence", optional_json(record.influence)},
          {"trust", record.trust}};
}

Json wager_json(const AdviceReport::Wager& wager) {
  return {{"weight", wager.weight},
          {"loss_saved", wager.plain - wager.blended},
          {"loss", {{"without", wager.plain}, {"advised", wager.advised}, {"blended", wager.blended}}}};
}

Json mixture_json(const AdviceReport::Mixture& mixture) {
  Json parts = Json::array();
  for (const AdviceReport::Mixture::Part& part : mixture.parts)
    parts.push_back({{"part", part.name},
                     {"memory", part.memory == 0 ? Json() : Json(part.memory)},
                     {"share", part.now},
                     {"start", part.start},
                     {"log_loss", part.loss},
                     {"mistakes", part.mistakes}});
  return {{"parts", std::move(parts)},
          {"log_loss", mixture.loss},
          {"mistakes", mixture.mistakes},
          {"mistakes_without_rules", mixture.mistakes_without_rules}};
}

// `one_of_several`: it is about one class, whether a row is of it.
std::string mixture_text(const AdviceReport::Mixture& mixture, bool one_of_several) {
  // The shares of the parts, added up by what a part is called.
  const auto shares = [&](const auto& name_of) {
    std::vector<std::pair<std::string, double>> sums;
    for (const AdviceReport::Mixture::Part& part : mixture.parts) {
      const std::string name = name_of(part);
      auto found = std::find_if(sums.begin(), sums.end(), [&](const auto& sum) { return sum.first == name; });
      if (found == sums.end()) found = sums.emplace(found, name, 0);
      found->second += part.now;
    }
    std::vector<std::string> words;
    for (const auto& [name, share] : sums) words.push_back(fmt::format("{} {:.0f} %", name, 100 * share));
    return fmt::format("{}\n", fmt::join(words, ", "));
  };
  std::string text = "shares in the next prediction: " + shares([](const auto& part) { return part.name; });
  if (mixture.parts.back().memory > 0)
    text += "shares by memory: " + shares([](const auto& part) {
              return part.memory == 0 ? "all examples" : fmt::format("about the last {}", part.memory);
            });
  if (mixture.rounds > 0)
    text += fmt::format(
        "With your rules the model made {} mistake{} {} {} example{}; without them it would have made {}.\n",
        mixture.mistakes, mixture.mistakes == 1 ? "" : "s", one_of_several ? "about this class on" : "on",
        mixture.rounds, mixture.rounds == 1 ? "" : "s", mixture.mistakes_without_rules);
  return text;
}

// What a task's learner has to say of its parts, as JSON; null: nothing.
Json advice_json(const std::optional<AdviceExplanation>& explained) {
  if (explained && explained->mixture) return mixture_json(*explained->mixture);
  if (explained && explained->wager) return wager_json(*explained->wager);
  return {};
}

std::size_t output_of(const Model& model, const CompiledRule& rule) {
  for (std::size_t k = 0; k < model.outputs(); ++k)
    if (model.class_of(k) == rule.class_number) return k;
  return 0;
}

// In whose learners a rule's part is looked for: that of its class; one against one, those of its class and each other.
std::vector<std::size_t> questions_of(const Model& model, const CompiledRule& rule) {
  if (!model.one_against_one()) return {output_of(model, rule)};
  std::vector<std::size_t> out;
  for (std::size_t k = 0; k < model.questions(); ++k)
    if (model.question(k).side_of(rule.class_number) != 0) out.push_back(k);
  return out;
}

std::vector<std::optional<AdviceExplanation>> explain_all(const Model& model) {
  std::vector<std::optional<AdviceExplanation>> out;
  for (std::size_t k = 0; k < model.questions(); ++k) out.push_back(model.explain_advice(k));
  return out;
}

std::vector<RuleRecord> records_of(const Model& model, const std::vector<std::optional<AdviceExplanation>>& explained) {
  std::vector<RuleRecord> out;
  std::vector<std::map<std::uint32_t, Part>> parts;
  for (const std::optional<AdviceExplanation>& task : explained)
    parts.push_back(task ? parts_of(model, *task) : std::map<std::uint32_t, Part>());
  for (std::uint32_t r = 0; r < model.advice()->rules.size(); ++r) {
    const CompiledRule& rule = model.advice()->rules[r];
    RuleRecord& record = out.emplace_back(RuleRecord{.id = rule.id,
                                                     .text = rule.text,
                                                     .line = rule.spot.line,
                                                     .class_number = rule.class_number,
                                                     .positive = rule.positive,
                                                     .trust = rule.trust,
                                                     .direction = rule.direction,
                                                     .entry = model.ledger()->entry(r),
                                                     .influence = std::nullopt});
    for (const std::size_t k : questions_of(model, rule)) {
      if (const auto part = parts[k].find(r); part != parts[k].end())
        record.influence =
            std::sqrt(std::pow(record.influence.value_or(0), 2) + std::pow(norm(part->second.weights), 2));
      if (explained[k])
        for (const auto& [number, weight] : explained[k]->rules)
          if (number == r) record.influence = weight;
    }
  }
  return out;
}

// Which comparisons of each rule do the work and which are slack.
std::string work_text(const Model& model, const AdviceExplanation& explained) {
  struct Work {
    std::vector<std::string> busy, slack;
  };
  std::map<std::uint32_t, Work> rules;
  for (const AdviceExplanation::Set& set : explained.sets) {
    const AdviceSet& from = model.advice()->sets[set.set];
    for (std::size_t i = 0; i < from.rows.size(); ++i)
      (set.u[i] != 0 ? rules[from.rule].busy : rules[from.rule].slack)
          .push_back(comparison_text(from.rows[i], model.schema()));
  }
  std::string text;
  const auto listed = [](const std::vector<std::string>& names) {
    return names.size() <= 6 ? joined(names) : fmt::format("{} conditions", names.size());
  };
  for (const auto& [rule, work] : rules) {
    if (work.busy.size() + work.slack.size() < 2) continue;
    text += fmt::format("{}: ", model.advice()->rules[rule].id);
    if (work.busy.empty()) {
      text += "no condition does any work\n";
      continue;
    }
    text += fmt::format("{} {} the work", listed(work.busy), work.busy.size() == 1 ? "does" : "do");
    if (!work.slack.empty())
      text += fmt::format("; {} {} slack", listed(work.slack), work.slack.size() == 1 ? "is" : "are");
    text += '\n';
  }
  return text;
}

// Below the table: which conditions do the work, what parts there are, what rules cost or saved.
std::string learner_text(const Model& model, const std::optional<AdviceExplanation>& of, bool details) {
  if (!of) return "";
  const AdviceExplanation& explained = *of;
  std::string text;
  if (details) text += work_text(model, explained);
  if (!explained.converged)
    text += "the solver for the rules did not converge: what they ask for is known only approximately\n";
  if (explained.mixture) text += mixture_text(*explained.mixture, model.outputs() > 1);
  if (const auto& wager = explained.wager; wager && wager->rounds > 0) {
    const double saved = wager->plain - wager->blended;
    text += fmt::format(
        "share of the rules in the next prediction: {:.0f} %. They have {} {:.2f} of a total loss of {:.2f} "
        "without them.\n",
        100 * wager->weight, saved >= 0 ? "saved" : "cost", std::fabs(saved), wager->plain);
  }
  return text;
}

// The same where classes are set one against one: of each pair.
std::string questions_text(const Model& model, const std::vector<std::optional<AdviceExplanation>>& explained,
                           bool details) {
  std::string text;
  for (std::size_t k = 0; k < model.questions(); ++k)
    if (const std::string told = learner_text(model, explained[k], details); !told.empty())
      text += model.question_text(k) + "\n" + told;
  return text;
}

// A rule's line: what it says, how often it was right beside how often that is so anyway, and what follows; `details`: also the
// evidence where it does not hold, and what it does to predictions.
std::vector<std::string> ledger_line(const Model& model, const CompiledRule& rule, const RuleRecord& record,
                                     bool details) {
  const Ledger::Entry& entry = record.entry;
  const auto number = [](const std::optional<double>& value, int digits) {
    return value ? fmt::format("{:.{}f}", *value, digits) : "-";
  };
  std::vector<std::string> line{rule.id, model.schema().label.said(rule.class_number, rule.positive)};
  if (rule.claim) line.pop_back();
  if (rule.direction)  // it has no rows of its own
    line.insert(line.end(), {"-", "-", "-"});
  else
    line.insert(line.end(), {fmt::format("{} of {}", entry.agreed, entry.fired), percent(entry.precision.value_or(NAN)),
                             percent(entry.base_rate.value_or(NAN))});
  line.push_back(in_words(entry.verdict));
  if (details)
    line.insert(line.end(), {number(entry.z, 1), number(entry.closeness, 3),
                             record.influence ? fmt::format("{:.3g}", *record.influence) : "-"});
  return line;
}

std::string contradicted_text(const Model& model, const RuleRecord& record, const Audience& audience) {
  std::vector<std::string> lines;
  for (const std::uint64_t line : record.entry.contradicted_by)
    lines.push_back(fmt::format("{}", line - (audience.rows_from_zero ? 1 : 0)));
  if (lines.empty()) return "";
  return fmt::format("  {}: last contradicted {} {}\n", record.id,
                     audience.rows_from_zero || model.counters().rows > 0 ? "in row" : "on line", joined(lines));
}

}  // namespace

Json direction_json(const Direction& direction, const Schema& schema) {
  return {{"column", schema.feature_name(direction.feature)}, {"sign", direction.z}};
}

std::string_view word(Ledger::Verdict verdict) {
  return verdict == Ledger::Verdict::supported      ? "supported"
         : verdict == Ledger::Verdict::contradicted ? "contradicted"
                                                    : "open";
}

std::string in_words(Ledger::Verdict verdict) {
  return verdict == Ledger::Verdict::supported      ? "helps"
         : verdict == Ledger::Verdict::contradicted ? "contradicted"
                                                    : "too early to tell";
}

std::vector<RuleRecord> rule_records(const Model& model) {
  return model.ledger() ? records_of(model, explain_all(model)) : std::vector<RuleRecord>();
}

void add_ledger(Json& json, const Model& model) {
  json["rules"] = Json::array();
  if (!model.ledger()) return;
  const auto explained = explain_all(model);
  const std::vector<RuleRecord> records = records_of(model, explained);
  for (std::size_t r = 0; r < records.size(); ++r) {
    Json sets = Json::array();
    for (const std::size_t k : questions_of(model, model.advice()->rules[r]))
      if (explained[k]) add_sets(sets, model, r, k, *explained[k]);
    json["rules"].push_back(rule_json(model, records[r], std::move(sets)));
  }
  if (model.outputs() == 1) {
    if (Json advice = advice_json(explained[0]); !advice.is_null()) json["advice"] = std::move(advice);
    if (explained[0] && !explained[0]->converged) json["advice"]["converged"] = false;
    return;
  }
  Json classes = Json::array();
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    Json entry{{"class", model.label_text(model.class_of(k))}, {"rules", Json::array()}};
    for (const Json& rule : json["rules"])
      if (rule["class"] == entry["class"]) entry["rules"].push_back(rule);
    if (Json advice = model.one_against_one() ? Json() : advice_json(explained[k]); !advice.is_null())
      entry["advice"] = std::move(advice);
    classes.push_back(std::move(entry));
  }
  json["per_class"] = std::move(classes);
}

std::string ledger_text(const Model& model, bool details, const Audience& audience) {
  if (!model.ledger()) return "";
  const Advice& advice = *model.advice();
  const auto explained = explain_all(model);
  const std::vector<RuleRecord> records = records_of(model, explained);
  const bool numbers = model.schema().label.real();
  std::vector<std::string> head{"rule", "says", "right", "", "base rate", "verdict"};
  if (numbers) head.erase(head.begin() + 1);
  if (details) head.insert(head.end(), {"z", "closeness", "influence"});
  std::string text;
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    std::vector<std::vector<std::string>> lines{head};
    std::string contradictions;
    for (std::uint32_t r = 0; r < advice.rules.size(); ++r) {
      if (output_of(model, advice.rules[r]) != k) continue;
      lines.push_back(ledger_line(model, advice.rules[r], records[r], details));
      contradictions += contradicted_text(model, records[r], audience);
    }
    if (model.outputs() > 1)
      text += fmt::format("{} = {}\n", model.schema().label.name, model.label_text(model.class_of(k)));
    if (lines.size() > 1) text += aligned(lines, numbers ? "<>>><>>>" : "<<>>><>>>") + contradictions;
    if (!model.one_against_one()) text += learner_text(model, explained[k], details);
  }
  if (model.one_against_one()) text += questions_text(model, explained, details);
  return text;
}

std::vector<std::string> ledger_notes(const Model& model, bool details) {
  std::vector<std::string> out;
  if (!model.ledger()) return out;
  const auto explained = explain_all(model);
  if (model.one_against_one()) {
    out.resize(model.outputs());
    out.push_back(questions_text(model, explained, details));
    return out;
  }
  for (const std::optional<AdviceExplanation>& of : explained) out.push_back(learner_text(model, of, details));
  return out;
}

// ---- one row ----

namespace {

std::vector<double> dense_values(const Row& x, std::size_t features) {
  std::vector<double> out(features);
  for (std::size_t k = 0; k < x.count; ++k) out[x.index(k)] = x.value(k);
  return out;
}

// What a row holds in a categorical column, in words.
std::string category_text(const Column& column, const std::vector<double>& values, const Table& table, const Row& raw) {
  for (std::size_t place = 0; place < column.features.size(); ++place)
    if (values[column.features[place]] != 0)
      return place < column.categories.size() ? column.categories[place] : "missing";
  for (std::size_t j = 0; j < table.columns.size() && raw.dense() && j < raw.count; ++j) {
    const TableColumn& from = table.columns[j];
    if (from.name != column.name || std::isnan(raw.value(j))) continue;
    const auto code = static_cast<std::size_t>(raw.value(j));
    const bool text = from.type == TableColumn::Type::text && code < from.texts.size();
    return (text ? in_quotes(from.texts[code]) : fmt::format("{:.6g}", raw.value(j))) +
           ", which the model does not know";
  }
  return "missing";
}

// Where rules vote: each that holds, and what decides where they come to nothing.
RowStory::Task tell_votes(const Model& model, std::size_t task, const Votes& votes) {
  RowStory::Task out;
  out.class_name = model.label_text(model.class_of(task));
  out.by_feature.assign(model.schema().features, 0);
  out.bias = votes.sum() == 0 ? votes.otherwise : 0;
  out.score = votes.sum() + out.bias;
  out.by_data = out.bias;
  for (const auto& [rule, vote] : votes.rules) out.by_rule.push_back({model.advice()->rules[rule].id, vote, true});
  return out;
}

// Where scores are log-odds.
RowStory::Task tell_log_odds(const Model& model, std::size_t task, const Row& x, LogOdds odds) {
  RowStory::Task out;
  out.class_name = model.label_text(model.class_of(task));
  out.bias = odds.base;
  out.by_feature.assign(model.schema().features, 0);
  out.by_data = odds.base + odds.remainder;
  for (const auto& [feature, value] : odds.features) {
    out.by_feature[feature] = value;
    out.by_data += value;
  }
  std::map<std::uint32_t, double> held(odds.rules.begin(), odds.rules.end());
  for (std::uint32_t r = 0; model.advice() && r < model.advice()->rules.size(); ++r) {
    const CompiledRule& rule = model.advice()->rules[r];
    if (output_of(model, rule) == task || held.contains(r))
      out.by_rule.push_back(
          {rule.id, held[r], std::binary_search(x.holds.begin(), x.holds.end(), r), rule.direction.has_value()});
  }
  out.log_odds = std::move(odds);
  return out;
}

RowStory::Task tell(const Model& model, std::size_t task, const Row& x) {
  if (std::optional<LogOdds> odds = model.learner_of(task).contributions(x))
    return tell_log_odds(model, task, x, std::move(*odds));
  if (const std::optional<Votes> votes = model.learner_of(task).votes(x)) return tell_votes(model, task, *votes);
  const LinearExplanation linear = model.explain(task);
  RowStory::Task out;
  out.class_name = model.schema().label.real() ? "" : model.label_text(model.class_of(task));
  out.bias = linear.bias;
  out.by_feature.assign(linear.weights.size(), 0);
  const std::vector<double> values = dense_values(x, linear.weights.size());
  out.score = linear.bias;
  for (std::size_t j = 0; j < values.size(); ++j) {
    out.by_feature[j] = linear.weights[j] * values[j];
    out.score += out.by_feature[j];
  }
  out.by_data = out.score;
  const std::optional<AdviceExplanation> explained = model.explain_advice(task);
  if (!model.ledger()) return out;
  const std::map<std::uint32_t, Part> parts = explained ? parts_of(model, *explained) : std::map<std::uint32_t, Part>();
  if (explained && !explained->sets.empty() && parts.empty()) return out;  // the learner does not tell what is whose
  for (std::uint32_t r = 0; r < model.advice()->rules.size(); ++r) {
    if (output_of(model, model.advice()->rules[r]) != task) continue;
    RowStory::Voice voice{model.advice()->rules[r].id, 0, std::binary_search(x.holds.begin(), x.holds.end(), r),
                          model.advice()->rules[r].direction.has_value()};
    if (const auto part = parts.find(r); part != parts.end()) {
      voice.score = part->second.bias;
      for (const auto& [feature, weight] : part->second.weights) voice.score += weight * values[feature];
    }
    out.by_data -= voice.score;
    out.by_rule.push_back(std::move(voice));
  }
  return out;
}

// Which way round a row's sum is told: of two classes, as what speaks for the one that is predicted.
double side(const Model& model, const RowStory& story) {
  const bool two = model.outputs() == 1 && !model.schema().label.real();
  return two && story.label != model.schema().label.positive ? -1 : 1;
}

std::string sum_title(const Model& model, const RowStory& story, std::size_t k) {
  const RowStory::Task& task = story.tasks[k];
  const double score = side(model, story) * task.score;
  if (model.schema().label.real()) return fmt::format("{:.5g}, the sum of", score);
  const std::string of = model.outputs() == 1 ? model.label_text(story.label) : model.label_text(model.class_of(k));
  if (!task.log_odds) return fmt::format("score for {}: {:.5g}, the sum of", of, score);
  return fmt::format(
      "log-odds of {}: {:.5g}{}, the sum of", of, score,
      model.outputs() > 1 ? "" : fmt::format(" (a probability of {:.1f} %)", 100 / (1 + std::exp(-score))));
}

constexpr double kPrinted = 0.00005;  // what is smaller would print as 0.0000

// What is not due to single features, where scores are log-odds.
void add_log_odds(const Model& model, const RowStory::Task& task, double sign, std::vector<RowSum::Part>& parts) {
  for (const RowStory::Voice& voice : task.by_rule) {
    if (!voice.holds) continue;
    std::string record;
    for (std::size_t r = 0; r < model.advice()->rules.size(); ++r)
      if (model.advice()->rules[r].id == voice.rule)
        if (const Ledger::Entry entry = model.ledger()->entry(r); entry.fired > 0)
          record = fmt::format(", right {} of {} times so far", entry.agreed, entry.fired);
    parts.push_back({sign * voice.score, fmt::format("rule {}, which holds here{}", voice.rule, record), false, true});
  }
  if (model.advice() && task.log_odds->silence != 0)
    parts.push_back({sign * task.log_odds->silence, "no rule holds here"});
  if (task.log_odds->plane != 0)
    parts.push_back({sign * task.log_odds->plane, "all rules together, through the values of their columns"});
  parts.push_back({sign * task.bias, "base rate: how common it is"});
  if (std::fabs(task.log_odds->remainder) >= kPrinted)
    parts.push_back({sign * task.log_odds->remainder, "remainder: the parts of a mixture do not add up exactly"});
}

}  // namespace

std::vector<std::uint32_t> RowStory::shown(std::size_t task) const {
  std::vector<std::uint32_t> out;
  for (std::uint32_t j = 0; j < values.size(); ++j)
    if (tasks[task].by_feature[j] != 0 || values[j] != 0) out.push_back(j);
  return out;
}

RowStory explain_row(const Model& model, const Table& table, const Block& raw, std::size_t i) {
  if (model.outputs() == 0) throw ParamError("there is only one class so far, and so nothing to explain");
  if (model.one_against_one())
    throw ParamError("one row's score is a count of votes here: the classes are set one against one (multiclass=ovo)");
  if (model.schema().projection.components > 0 || model.learner_of(0).expansion())
    throw ParamError(
        "what each feature adds to a score cannot be told: this model has kernels or principal components");
  Schema unscaled = model.schema();
  unscaled.scaling = {};
  const Block encoded = ModelEncoder(model, table).encode(Block(raw.copied(i, 1)));
  RowStory out;
  out.values = dense_values(Encoder(unscaled, table).encode(Block(raw.copied(i, 1))).row(0), model.schema().features);
  for (const Column& column : model.schema().columns)
    out.categories.push_back(column.categorical() ? category_text(column, out.values, table, raw.row(i)) : "");
  std::vector<double> scores(model.outputs());
  model.score(encoded.row(0), scores);
  out.label = model.decide(scores);
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    out.tasks.push_back(tell(model, k, encoded.row(0)));
    out.tasks.back().score = scores[k];
  }
  return out;
}

std::string row_json(const Model& model, const RowStory& story) {
  Json tasks = Json::array();
  for (std::size_t k = 0; k < story.tasks.size(); ++k) {
    const RowStory::Task& task = story.tasks[k];
    Json rules = Json::array(), features = Json::array();
    for (const RowStory::Voice& voice : task.by_rule)
      rules.push_back({{"id", voice.rule}, {"contribution", voice.score}, {"holds", voice.holds}});
    for (const std::uint32_t j : story.shown(k))
      features.push_back({{"feature", model.schema().feature_name(j)},
                          {"value", story.values[j]},
                          {"contribution", task.by_feature[j]}});
    tasks.push_back({{"class", task.class_name},
                     {"score", task.score},
                     {"bias", task.bias},
                     {"features", features},
                     {"rules", rules},
                     {"data", task.by_data}});
    if (task.log_odds)
      tasks.back().update({{"plane", task.log_odds->plane},
                           {"no_rule_holds", task.log_odds->silence},
                           {"remainder", task.log_odds->remainder}});
  }
  Json json{{"label", label_json(model, story.label)}};
  if (tasks.size() == 1)
    json.update(tasks[0]);
  else
    json["per_class"] = tasks;
  return json.dump(2) + "\n";
}

namespace {

// What each column adds to a score, the largest first; a fact that several features tell, such as a category, is told once.
std::vector<std::pair<double, std::string>> by_column(const Schema& schema, const RowStory& story, std::size_t k) {
  const std::vector<double>& adds = story.tasks[k].by_feature;
  std::vector<std::pair<double, std::string>> out;
  const auto plain = [&](std::uint32_t j) {
    return fmt::format("{} = {}", schema.feature_name(j), value_text(schema, j, story.values[j]));
  };
  const std::vector<std::uint32_t> shown = story.shown(k);
  if (schema.sparse()) {
    for (const std::uint32_t j : shown) out.emplace_back(adds[j], plain(j));
  } else {
    const std::vector<Schema::Origin> origins = schema.origins();
    std::set<std::uint32_t> told;
    for (const std::uint32_t j : shown) {
      const std::uint32_t c = origins[j].column;
      if (!told.insert(c).second) continue;
      const Column& column = schema.columns[c];
      double sum = 0;
      for (const std::uint32_t feature : column.features) sum += adds[feature];
      const bool missing = column.features.size() > 1 && story.values[column.features.back()] != 0;
      out.emplace_back(sum, column.categorical() ? fmt::format("{} is {}", column.name, story.categories[c])
                            : missing            ? fmt::format("{} is missing", column.name)
                                                 : plain(column.features[0]));
    }
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return std::fabs(a.first) > std::fabs(b.first); });
  return out;
}

}  // namespace

RowSum row_sum(const Model& model, const RowStory& story, std::size_t k) {
  const RowStory::Task& task = story.tasks[k];
  const double sign = side(model, story);
  RowSum out;
  out.title = sum_title(model, story, k);
  if (model.learner_of(k).votes({})) {
    for (const RowStory::Voice& voice : task.by_rule)
      out.parts.push_back({sign * voice.score, fmt::format("rule {}, which holds here", voice.rule), false, true});
    if (task.bias != 0)
      out.parts.push_back(
          {sign * task.bias, fmt::format("{}: what is usual",
                                         task.by_rule.empty() ? "no rule holds here" : "the rules cancel each other")});
    return out;
  }
  for (const auto& [score, text] : by_column(model.schema(), story, k))
    out.parts.push_back({sign * score, text, true, true});
  if (task.log_odds) {
    add_log_odds(model, task, sign, out.parts);
    return out;
  }
  out.parts.push_back({sign * task.bias, "(bias)"});
  if (task.by_rule.empty()) return out;
  for (const RowStory::Voice& voice : task.by_rule)
    out.by_rule.push_back({sign * voice.score,
                           fmt::format("rule {}{}", voice.rule,
                                       voice.direction ? ", a direction"
                                       : voice.holds   ? ", which holds here"
                                                       : ", which does not hold here"),
                           false, voice.holds});
  out.by_rule.push_back({sign * task.by_data, model.counters().examples > 0
                                                  ? "learned from data, plus the rules' joint effect"
                                                  : "the rules' joint effect"});
  return out;
}

std::vector<RowSum::Part> reasons(const Model& model, const RowStory& story, std::size_t most) {
  std::size_t task = 0;
  while (story.tasks.size() > 1 && model.class_of(task) != story.label) ++task;
  std::vector<RowSum::Part> out;
  const bool number = model.schema().label.real();
  for (RowSum::Part& part : row_sum(model, story, task).parts)
    if (part.reason && (number ? part.score != 0 : part.score > 0)) out.push_back(std::move(part));
  std::stable_sort(out.begin(), out.end(), [](const RowSum::Part& a, const RowSum::Part& b) {
    return std::fabs(a.score) > std::fabs(b.score);
  });
  out.resize(std::min(out.size(), most));
  return out;
}

namespace {

// Lines of a sum. Those that would print as 0.0000 are counted and left out, but for rules that hold, and unless all are.
std::string sum_text(const std::vector<RowSum::Part>& parts, const Audience& audience) {
  const auto idle = [](const RowSum::Part& part) {
    return std::fabs(part.score) < kPrinted && (part.feature || !part.reason);
  };
  const bool all = std::all_of(parts.begin(), parts.end(), idle);
  std::string text;
  std::size_t features = 0, left_out = 0;
  const auto say_how_many_more = [&] {
    if (features > audience.top)
      text += Text(fmt::format("  ... and {} more features", features - audience.top),
                   Text::hint(" (", Option{"top"}, ")"), "\n")
                  .plain(audience.words);
    features = 0;
  };
  for (const RowSum::Part& part : parts) {
    if (idle(part) && !all) {
      ++left_out;
      continue;
    }
    if (!part.feature) say_how_many_more();
    if (part.feature && ++features > audience.top) continue;
    const double score = std::fabs(part.score) < kPrinted ? 0 : part.score;
    text += fmt::format("  {:>10.4f}  {}\n", score, part.text);
  }
  say_how_many_more();
  if (left_out > 0) text += fmt::format("  ... and {} line{} of 0.0000\n", left_out, left_out == 1 ? "" : "s");
  return text;
}

}  // namespace

std::string row_text(const Model& model, const RowStory& story, const Audience& audience) {
  std::string text = fmt::format("predicted {}: {}\n", model.schema().label.name, model.label_text(story.label));
  for (std::size_t k = 0; k < story.tasks.size(); ++k) {
    if (story.tasks.size() > 1 && model.class_of(k) != story.label) continue;
    const RowSum sum = row_sum(model, story, k);
    text += sum.title + "\n";
    text += sum_text(sum.parts, audience);
    if (!sum.by_rule.empty()) text += "contribution by rule:\n" + sum_text(sum.by_rule, audience);
  }
  return text;
}

}  // namespace postil
