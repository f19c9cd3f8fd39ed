// page_model.cpp: what the model consists of, rules and weights, and why single rows got their predictions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page_parts.hpp"
#include "postil/text.hpp"

namespace postil {

using namespace html;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kMostRules = 200, kMostOutputs = 12, kTopFeatures = 15, kTopParts = 8;

Html verdict(Ledger::Verdict of) {
  const std::string text = in_words(of);
  if (of == Ledger::Verdict::supported) return tag("span", {{"class", "good"}}, text);
  if (of == Ledger::Verdict::contradicted) return tag("span", {{"class", "bad"}}, text);
  return text;
}

std::string right_of_times(const Ledger::Entry& entry) {
  return fmt::format("{} of {}", grouped(entry.agreed), grouped(entry.fired));
}

Html record_cells_bar(const Ledger::Entry& entry) {
  return entry.precision ? share_bar(*entry.precision, entry.base_rate.value_or(-1)) : Html();
}

std::vector<Html> record_cells(const Ledger::Entry& entry, bool direction) {
  if (direction) return {"-", "-", "", "-", "-", verdict(entry.verdict)};
  return {right_of_times(entry),
          percent(entry.precision.value_or(NAN)),
          record_cells_bar(entry),
          share_interval(entry.agreed, entry.fired),
          percent(entry.base_rate.value_or(NAN)),
          verdict(entry.verdict)};
}

Html learned_record(const PageFacts& facts, const std::vector<RuleRecord>& records) {
  double largest = 0;
  for (const RuleRecord& record : records) largest = std::max(largest, std::fabs(record.influence.value_or(0)));
  Sheet table(
      "Record of each rule while the model learned",
      {"rule", "right", "share", "", "95 % interval", "base rate", "verdict", "weight", "", "last contradicted by"},
      "<>><>><><<");
  for (std::size_t r = 0; r < std::min(records.size(), kMostRules); ++r) {
    const RuleRecord& record = records[r];
    std::vector<Html> cells = record_cells(record.entry, record.direction.has_value());
    cells.insert(cells.begin(), shortened(record.id));
    cells.push_back(record.influence ? value("", *record.influence, fmt::format("{:.3g}", *record.influence))
                                     : Html("-"));
    cells.push_back(record.influence ? signed_bar(*record.influence, largest) : Html());
    std::vector<std::string> lines;
    for (const std::uint64_t line : record.entry.contradicted_by)
      lines.push_back(fmt::format("{}", line - (facts.options.rows_from_zero ? 1 : 0)));
    const bool rows = facts.options.rows_from_zero || facts.model.counters().rows > 0;
    cells.push_back(lines.empty() ? Html("-") : Html((rows ? "rows " : "lines ") + joined(lines)));
    table.add(std::move(cells));
  }
  const bool log_odds = facts.model.learner().log_odds;
  return table.html() +
         tag("p", {{"class", "quiet"}},
             std::string("Right: how often what the rule says was so, among the labelled rows on which it held. Base "
                         "rate: how often that is so on all rows; the mark on the bar. ") +
                 (log_odds ? "Weight: what the rule adds, where it holds, to the log-odds of what it says; it may be "
                             "below 0 where the features already say more."
                           : "Weight: how large the rule's part of the model's weights is; - where the learner cannot "
                             "tell."));
}

Html record_here(const PageFacts& facts, const std::vector<RuleRecord>& records) {
  Sheet table("Each rule on these rows",
              {"rule", "holds on", "of the rows", "right", "share", "", "95 % interval", "base rate", "verdict"},
              "<>>>><>><");
  for (std::size_t r = 0; r < std::min(records.size(), kMostRules); ++r) {
    const bool direction = records[r].direction.has_value();
    std::vector<Html> cells = record_cells(facts.counts.ledger->entry(r), direction);
    const std::uint64_t held = facts.counts.held[r];
    cells.insert(cells.begin(), {shortened(records[r].id), direction ? Html("-") : count("", held),
                                 direction ? Html("-") : share_value("", held, facts.counts.rows)});
    table.add(std::move(cells));
  }
  return table.html() +
         (facts.counts.labelled == 0
              ? paragraph("These rows have no labels, so whether the rules are right on them is not known.")
              : Html());
}

Html shares_of_parts(const PageFacts& facts) {
  Html out;
  for (std::size_t k = 0; k < std::min(facts.model.questions(), kMostOutputs); ++k) {
    const std::optional<AdviceExplanation> of = facts.model.explain_advice(k);
    if (!of || !of->mixture) continue;
    Sheet table("What the model is mixed from" +
                    (facts.model.questions() > 1 ? ", for " + shortened(facts.model.question_text(k)) : ""),
                {"part", "memory", "share at the beginning", "share now", "", "wrong predictions it would have made"},
                "<<>><>");
    for (const AdviceMixture::Part& part : of->mixture->parts)
      table.add({part.name, part.memory == 0 ? "all examples" : fmt::format("about the last {}", part.memory),
                 percent(part.start), percent(part.now), share_bar(part.now), count("", part.mistakes)});
    out += table.html();
    if (of->mixture->rounds > 0)
      out += paragraph(fmt::format(
          "With the rules the model made {} wrong prediction{} on {} examples; without them it would have made {}.",
          grouped(of->mixture->mistakes), of->mixture->mistakes == 1 ? "" : "s", grouped(of->mixture->rounds),
          grouped(of->mixture->mistakes_without_rules)));
  }
  return out;
}

// ---- weights ----

struct Weight {
  std::uint32_t feature = 0;
  double effect = 0;  // of one standard deviation; of the scaled feature where that is not known
  double raw = 0;
};

Html weights_table(const PageFacts& facts, std::size_t question) {
  const Model& model = facts.model;
  const LinearExplanation of = model.explain(question);
  std::vector<std::uint32_t> features(of.raw_weights.size());
  std::iota(features.begin(), features.end(), 0);
  const std::vector<Moments> moments = model.schema().moments(features);
  std::vector<Weight> weights;
  for (const std::uint32_t j : features) {
    const bool known = j < moments.size() && moments[j].count > 0;
    const double effect = known ? of.raw_weights[j] * std::sqrt(moments[j].variance()) : of.weights[j];
    if (effect != 0) weights.push_back({j, effect, of.raw_weights[j]});
  }
  const std::size_t most = model.questions() > 1 ? kTopParts : kTopFeatures;
  const std::size_t shown = std::min(most, weights.size());
  std::partial_sort(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(shown), weights.end(),
                    [](const Weight& a, const Weight& b) {
                      return std::pair(-std::fabs(a.effect), a.feature) < std::pair(-std::fabs(b.effect), b.feature);
                    });
  const std::string about = facts.numbers() ? shortened(facts.label().name) : shortened(model.question_text(question));
  Sheet table("Features that move the prediction most: " + about,
              {"feature", "effect of a typical difference", "", "weight per unit"}, "<><>");
  for (std::size_t k = 0; k < shown; ++k)
    table.add({shortened(model.schema().feature_name(weights[k].feature)),
               value("", weights[k].effect, fmt::format("{:+.4g}", weights[k].effect)),
               signed_bar(weights[k].effect, std::fabs(weights[0].effect)),
               value("", weights[k].raw, fmt::format("{:+.5g}", weights[k].raw))});
  Html out = table.empty() ? paragraph("No feature has a weight: " + about + ".") : table.html();
  if (weights.size() > shown)
    out += paragraph(fmt::format("... and {} more features with a weight.", grouped(weights.size() - shown)));
  out += paragraph(fmt::format("Constant: {}.", sized(of.raw_bias)) +
                   (of.whole ? "" : " What the rules add, where they hold, comes on top."));
  return out;
}

// ---- examples ----

Html sum_table(const std::vector<RowSum::Part>& parts, std::string_view caption) {
  double largest = 0;
  for (const RowSum::Part& part : parts) largest = std::max(largest, std::fabs(part.score));
  Sheet table(std::string(caption), {"because of", "adds", ""}, "<><");
  std::size_t features = 0, hidden = 0;
  double rest = 0;
  for (const RowSum::Part& part : parts) {
    if (part.feature && ++features > kTopParts) {
      rest += part.score;
      ++hidden;
      continue;
    }
    if (!part.feature && hidden > 0) {
      table.add(
          {fmt::format("{} more features", grouped(hidden)), fmt::format("{:+.3f}", rest), signed_bar(rest, largest)});
      hidden = 0;
    }
    table.add({shortened(part.text), fmt::format("{:+.3f}", part.score), signed_bar(part.score, largest)});
  }
  if (hidden > 0)
    table.add(
        {fmt::format("{} more features", grouped(hidden)), fmt::format("{:+.3f}", rest), signed_bar(rest, largest)});
  return table.html();
}

// What stands in the row, where its score is no sum.
Html cells_table(const PageFacts& facts, const ExampleRow& row) {
  const Schema& schema = facts.model.schema();
  const Block raw{BlockData(row.raw)};
  const Row x = raw.row(0);
  Sheet table("Values of the row", {"column", "value"}, "<<");
  constexpr std::size_t kMost = 12;
  std::size_t shown = 0;
  for (std::size_t k = 0; k < x.count && shown < kMost; ++k) {
    const double cell = x.value(k);
    const std::size_t j = x.index(k);
    if (!schema.sparse() && j >= schema.columns.size()) break;
    ++shown;
    if (schema.sparse())
      table.add({fmt::format("f{}", j + 1), sized(cell)});
    else if (std::isnan(cell))
      table.add({shortened(schema.columns[j].name), "missing"});
    else if (schema.columns[j].categorical())
      table.add({shortened(schema.columns[j].name),
                 shortened(facts.counts.table().columns[j].texts[static_cast<std::size_t>(cell)])});
    else
      table.add({shortened(schema.columns[j].name), schema.columns[j].text_of(cell)});
  }
  return table.html() +
         (x.count > shown ? paragraph(fmt::format("... and {} more columns.", x.count - shown)) : Html());
}

Html explanation(const PageFacts& facts, const ExampleRow& row) {
  try {
    const RowStory story = explain_row(facts.model, facts.counts.table(), Block(BlockData(row.raw)), 0);
    std::size_t task = 0;
    for (std::size_t k = 0; k < story.tasks.size(); ++k)
      if (story.tasks.size() > 1 && facts.model.class_of(k) == story.label) task = k;
    const RowSum sum = row_sum(facts.model, story, task);
    Html out = sum_table(sum.parts, sum.title);
    if (!sum.by_rule.empty()) out += sum_table(sum.by_rule, "The same sum by rule");
    return out;
  } catch (const ParamError&) {  // kernels, principal components, votes of pairs of classes
    return paragraph("What each column adds cannot be said for this kind of model.") + cells_table(facts, row);
  }
}

Html example(const PageFacts& facts, const ExampleRow& row) {
  const std::string place = facts.row_name(row.number) +
                            (row.line > 0 && !facts.options.rows_from_zero ? fmt::format(" (line {})", row.line) : "");
  std::string title =
      fmt::format("{}: predicted {}", place,
                  facts.numbers() ? sized(row.predicted) : shortened(facts.model.label_text(row.predicted)));
  if (!facts.numbers()) title += fmt::format(" with probability {}", percent(row.probability));
  if (row.label) {
    // Labels of raw rows are numbered by the table; this one by the model.
    title += fmt::format("; the label is {}",
                         facts.numbers() ? sized(*row.label) : shortened(facts.model.label_text(*row.label)));
  }
  return tag("article", {{"class", "card"}}, tag("h4", title) + explanation(facts, row));
}

Html examples_of(const PageFacts& facts, std::string_view title, const std::vector<ExampleRow>& rows) {
  if (rows.empty()) return {};
  Html out = tag("h3", title);
  Html cards;
  for (const ExampleRow& row : rows) cards += example(facts, row);
  return out + tag("div", {{"class", "cards"}}, cards);
}

}  // namespace

std::string PageFacts::row_name(std::uint64_t number) const {
  return fmt::format("Row {}", number - (options.rows_from_zero ? 1 : 0));
}

Html rules_section(const PageFacts& facts) {
  const std::string title = "Rules";
  if (!facts.model.ledger()) return section("rules", title, paragraph("The model was trained without rules."));
  const std::vector<RuleRecord> records = rule_records(facts.model);
  Html out = paragraph(fmt::format("The model knows {} rule{} that people have written.", records.size(),
                                   records.size() == 1 ? "" : "s") +
                       (facts.model.counters().examples == 0
                            ? " It has learned no examples: what it says comes from the rules."
                            : " Rules that the examples contradict lose influence."));
  Sheet texts("The rules as written", {"rule", "text", "says"}, "<<<");
  for (std::size_t r = 0; r < std::min(records.size(), kMostRules); ++r) {
    const CompiledRule& rule = facts.model.advice()->rules[r];
    texts.add(
        {shortened(records[r].id), tag("code", records[r].text),
         rule.claim ? Html("-") : Html(shortened(facts.label().said(records[r].class_number, records[r].positive)))});
  }
  out += texts.html();
  if (records.size() > kMostRules) out += paragraph(fmt::format("... and {} more rules.", records.size() - kMostRules));
  out += learned_record(facts, records) + record_here(facts, records) + shares_of_parts(facts);
  if (!facts.model.rules().empty())
    out += tag("details", tag("summary", "The file of rules, with its comments") + tag("pre", facts.model.rules()));
  return section("rules", title, out);
}

Html weights_section(const PageFacts& facts) {
  const std::string title = "What the prediction depends on";
  const Model& model = facts.model;
  Html tables;
  std::size_t told = 0;
  for (std::size_t k = 0; k < model.questions() && told < kMostOutputs; ++k) {
    if (!model.learner_of(k).linear()) continue;
    ++told;
    tables += weights_table(facts, k);
  }
  if (told == 0) {
    Html out = paragraph(model.learner_of(0).expansion() || model.learner().kernels
                             ? "The model compares each row with rows that it has kept. It has no weights by feature, "
                               "so that a list of the most important features cannot be given."
                             : "The model has no weights by feature: the rules alone decide.");
    std::string notes;
    for (const std::string& text : explain_notes(model)) notes += text;
    return section("weights", title, out + (notes.empty() ? Html() : tag("pre", shortened(notes))));
  }
  Html out = paragraph(
      facts.numbers() ? "The prediction is a sum of weights times features."
                      : fmt::format("The score is a sum of weights times features. {}",
                                    facts.two() ? "Positive weights speak for " + shortened(facts.positive()) +
                                                      ", negative ones against it."
                                                : "Positive weights speak for the class, negative ones against it."));
  out += paragraph(
      "A typical difference is one standard deviation of the feature in training (where that is not known, one unit of "
      "the scaled feature). “Per unit” is in the unit of the data. A weight tells what the model does, not what causes "
      "what.");
  if (model.schema().projection.components > 0)
    out += paragraph(
        fmt::format("The model sees {} principal components of the features; the weights are translated back.",
                    model.schema().projection.components));
  if (model.questions() > told) tables += paragraph(fmt::format("... and {} more.", model.questions() - told));
  return section("weights", title, out + tables);
}

Html examples_section(const PageFacts& facts) {
  if (facts.options.examples == 0)
    return section("single-rows", "Examples", paragraph("The author of this page chose to show no rows."));
  Html out = paragraph(
      "These rows are picked by the model's own answers, not at random, so they say nothing about how often it is "
      "right. They contain data; take care to whom you give this page.");
  const bool labels = facts.counts.labelled > 0;
  if (facts.numbers()) {
    if (!labels) return section("single-rows", "Examples", paragraph("Without labels no rows are picked."));
    out += examples_of(facts, "The smallest errors", facts.counts.sure.rows()) +
           examples_of(facts, "The largest errors", facts.counts.wrong.rows());
    return section("single-rows", "Examples", out);
  }
  out += examples_of(facts, labels ? "Right, and most sure" : "Most sure", facts.counts.sure.rows());
  out += examples_of(facts, "Wrong, and most sure", facts.counts.wrong.rows());
  out += examples_of(facts, "Least sure", facts.counts.unsure.rows());
  return section("single-rows", "Examples", out);
}

}  // namespace postil
