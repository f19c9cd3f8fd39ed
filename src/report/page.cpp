// page.cpp: a report on a model for those who have to approve it, as one HTML page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page_parts.hpp"
#include "postil/text.hpp"

namespace postil {

using namespace html;  // NOLINT(google-build-using-namespace)

namespace {

Html facts_list(const std::vector<std::pair<std::string, Html>>& facts) {
  Html out;
  for (const auto& [name, content] : facts) out += tag("dt", name) + tag("dd", content);
  return tag("dl", out);
}

// The first paragraph of a learner's page, without its marks.
std::string about(const LearnerInfo& learner) {
  std::string_view page = learner.page;
  while (page.starts_with('\n')) page.remove_prefix(1);
  std::string out;
  for (const char c : page.substr(0, page.find("\n\n")))
    if (c != '`' && c != '$' && c != '*' && c != '\\') out += c == '\n' ? ' ' : c;
  for (std::size_t open = out.find("]("); open != std::string::npos; open = out.find("](")) {  // [text](page)
    const std::size_t close = out.find(')', open), begin = out.rfind('[', open);
    if (close == std::string::npos || begin == std::string::npos) break;
    out = out.substr(0, begin) + out.substr(begin + 1, open - begin - 1) + out.substr(close + 1);
  }
  return out;
}

std::string names_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 30;
  std::vector<std::string> shown;
  for (std::size_t k = 0; k < std::min(kMost, names.size()); ++k) shown.push_back(shortened(names[k]));
  return joined(shown) + (names.size() > kMost ? fmt::format(" and {} more", names.size() - kMost) : "");
}

std::string stated(const std::string& text) { return text.empty() ? "Not stated by the author of this page." : text; }

std::string title_of(const PageFacts& facts) {
  return facts.options.title.empty() ? "Report on a model that predicts " +
                                           shortened(facts.label().name.empty() ? "a label" : facts.label().name)
                                     : facts.options.title;
}

Html model_section(const PageFacts& facts) {
  const Model& model = facts.model;
  const Schema& schema = model.schema();
  const Counters& counters = model.counters();
  std::vector<std::pair<std::string, Html>> list;
  const std::string label = facts.label().name.empty() ? "the label" : shortened(facts.label().name);
  if (facts.numbers())
    list.emplace_back("Predicts", label + ", a number");
  else
    list.emplace_back("Predicts", fmt::format("{}, one of {} classes: {}", label, facts.label().classes.size(),
                                              names_of(facts.label().classes)));
  if (facts.two())
    list.emplace_back("Positive class", shortened(facts.positive()) + ". Scores and probabilities are about it.");
  std::vector<std::string> columns;
  for (const Column& column : schema.columns) columns.push_back(column.name);
  list.emplace_back("From", schema.sparse() ? fmt::format("{} numbered features", grouped(schema.features))
                                            : fmt::format("{} column{}: {}", columns.size(),
                                                          columns.size() == 1 ? "" : "s", names_of(columns)));
  list.emplace_back("Intended use", stated(facts.options.purpose));
  list.emplace_back("Learner",
                    fmt::format("{} ({}). {}", model.learner().title, model.learner().name, about(model.learner())));
  list.emplace_back(
      "Examples learned",
      counters.examples == 0
          ? Html("None: the model comes from rules alone.")
          : count("examples-learned", counters.examples) +
                (counters.passes > 1 ? fmt::format(", counting each of {} passes over the data", counters.passes)
                                     : ""));
  list.emplace_back("Rules", model.ledger() ? count("rules-known", model.advice()->rules.size()) : Html("none"));
  list.emplace_back("Trained", facts.options.trained.empty()
                                   ? "The model file does not say when; the author of this page has not stated it."
                                   : facts.options.trained);
  if (!facts.options.model.empty()) list.emplace_back("Model", facts.options.model);
  return section("model", "The model", facts_list(list));
}

// ---- summary ----

Html share_in_bold(std::uint64_t hits, std::uint64_t count, std::string_view what) {
  return strong(share_value("", hits, count)) + fmt::format(" ({} of {} {}; 95 % interval {})", grouped(hits),
                                                            grouped(count), what, share_interval(hits, count));
}

Html summary_of_classes(const PageFacts& facts) {
  const Evaluation& evaluation = *facts.counts.evaluation;
  const std::vector<ClassRecord> records = class_records(evaluation.confusion());
  std::size_t usual = 0;
  for (std::size_t c = 0; c < records.size(); ++c)
    if (records[c].rows > records[usual].rows) usual = c;
  Html out = "The model predicted " + share_in_bold(evaluation.correct(), evaluation.examples(), "labelled rows") +
             fmt::format(" rightly; always answering {}, the most frequent class here, would be right on {}. ",
                         shortened(facts.label().classes[usual]),
                         percent(share_of(records[usual].rows, evaluation.examples())));
  if (!facts.two()) {
    std::optional<std::size_t> worst;
    for (std::size_t c = 0; c < records.size(); ++c)
      if (records[c].rows > 0 && (!worst || share_of(records[c].right, records[c].rows) <
                                                share_of(records[*worst].right, records[*worst].rows)))
        worst = c;
    return out + fmt::format("Of all classes, {} is found least often: ", shortened(facts.label().classes[*worst])) +
           share_told("", records[*worst].right, records[*worst].rows) + ". ";
  }
  const ClassRecord& positive = records[facts.label().positive];
  const std::string name = shortened(facts.positive());
  out += fmt::format("Of the rows that are {}, it found ", name) +
         share_in_bold(positive.right, positive.rows, "rows") + fmt::format("; of the rows it called {}, ", name) +
         share_told("", positive.right, positive.predicted) + " are";
  if (const std::optional<double> auc = evaluation.auc()) {
    const auto [low, high] = area_interval(*auc, positive.rows, evaluation.examples() - positive.rows);
    out += fmt::format("; the area under the ROC curve is {:.3f} (95 % interval {:.3f} to {:.3f})", *auc, low, high);
  }
  return out + ". ";
}

Html summary_of_numbers(const PageFacts& facts) {
  const NumberErrors& errors = facts.counts.errors;
  const auto told = [](std::pair<double, double> interval) {
    return std::isfinite(interval.second)
               ? fmt::format(" (95 % interval {} to {})", sized(std::max(0.0, interval.first)), sized(interval.second))
               : "";
  };
  Html out = Html("On ") + grouped(errors.evaluation.examples()) + " labelled rows, predictions were off by " +
             strong(sized(errors.evaluation.mae())) + " on average" + told(mean_interval(errors.absolute)) + ". ";
  out +=
      fmt::format("The root mean squared error is {}{}", sized(errors.evaluation.rmse()), told(rmse_interval(errors)));
  if (const std::optional<double> r2 = errors.evaluation.r2())
    out += fmt::format("; {:.0f} % of the variance of the labels is explained", 100 * std::max(0.0, *r2));
  return out + ". ";
}

std::size_t rules_with(const PageFacts& facts, Ledger::Verdict verdict) {
  std::size_t sum = 0;
  for (std::size_t r = 0; facts.model.ledger() && r < facts.model.advice()->rules.size(); ++r)
    sum += facts.model.ledger()->entry(r).verdict == verdict ? 1 : 0;
  return sum;
}

Html outside_told(const PageFacts& facts) {
  const PageCounts& counts = facts.counts;
  if (counts.columns.empty() || training_rows(facts.model) == 0) return {};
  Html out = counts.rows_outside == 0 ? Html("No row has a number outside the range that training saw")
                                      : share_value("", counts.rows_outside, counts.rows) +
                                            " of the rows have a number outside the range that training saw";
  if (counts.rows_unseen > 0)
    out +=
        Html(", ") + share_value("", counts.rows_unseen, counts.rows) + " have a category that training did not have";
  if (counts.rows_missing > 0)
    out += Html(", ") + share_value("", counts.rows_missing, counts.rows) + " have a missing value";
  return out;
}

Html summary_section(const PageFacts& facts) {
  Html out;
  if (facts.counts.labelled == 0)
    out = Html("The ") + grouped(facts.counts.rows) +
          " rows have no labels, so this page cannot say how often the model is right on them. ";
  else
    out = facts.numbers() ? summary_of_numbers(facts) : summary_of_classes(facts);
  Html last = outside_told(facts);
  if (facts.model.ledger()) {
    const std::size_t rules = facts.model.advice()->rules.size();
    last += (last.empty() ? "" : "; ") + fmt::format("of {} rule{}, the training examples support {} and contradict {}",
                                                     rules, rules == 1 ? "" : "s",
                                                     rules_with(facts, Ledger::Verdict::supported),
                                                     rules_with(facts, Ledger::Verdict::contradicted));
  }
  if (!last.empty()) out += last + ".";
  Html body = tag("p", {{"class", "lead"}}, out);
  if (facts.counts.labelled > 0)
    body += looks_like_training(facts)
                ? note("Caution",
                       "These rows have exactly as many values, with the same ranges and means, as the rows from which "
                       "the model was made. They are very likely the training rows, and then all numbers on this page "
                       "are too good. Use rows that the model has never seen.")
                : note("Caution",
                       "If these are the rows the model was trained on, the numbers are too good. Whether they are "
                       "cannot be known for sure from the model file.");
  return section("summary", "Summary", body);
}

// ---- while it learned ----

Html learning_section(const PageFacts& facts) {
  const Counters& counters = facts.model.counters();
  const std::string title = "What was recorded while the model learned";
  if (counters.examples == 0) return section("learning", title, paragraph("The model has learned no examples."));
  Html out;
  if (facts.model.learner().mode == Mode::batch) {
    out += paragraph(
        facts.numbers()
            ? "The model was fitted to all examples at once, so there is no error of predictions made before learning."
            : fmt::format("The model was fitted to all {} examples at once; {} of them are on the wrong side. That is "
                          "an error on training rows, and so too small.",
                          grouped(counters.examples), grouped(counters.mistakes)));
  } else if (counters.first_seen > 0 && facts.numbers()) {
    out +=
        paragraph(fmt::format("In its first pass the model predicted each of {} examples before it learned it; the "
                              "mean absolute error was ",
                              grouped(counters.first_seen)) +
                  value("progressive_error", counters.progressive_error(), sized(counters.progressive_error())) + ".");
  } else if (counters.first_seen > 0) {
    const auto wrong = static_cast<std::uint64_t>(std::llround(counters.first_loss));
    out += paragraph("In its first pass the model predicted each example before it learned it, and was wrong on " +
                     share_told("progressive_error", wrong, counters.first_seen, "examples") +
                     ". This is an honest estimate of the error while learning; it includes the first examples, when "
                     "little was known.");
  }
  out += paragraph(
      "The model file holds these totals, not the learning curve. The command postil curve draws one from the training "
      "data.");
  std::vector<std::pair<std::string, Html>> list{{"Rounds of learning", grouped(counters.examples)},
                                                 {"Passes", grouped(counters.passes)},
                                                 {"Rounds that changed the model", grouped(counters.updates)}};
  if (counters.unlabelled > 0) list.emplace_back("Rows without a label", grouped(counters.unlabelled));
  return section("learning", title, out + facts_list(list));
}

// ---- limits ----

std::vector<std::string> classes_with_few(const PageFacts& facts) {
  std::vector<std::string> out;
  const std::vector<ClassRecord> records = class_records(facts.counts.evaluation->confusion());
  for (std::size_t c = 0; c < records.size(); ++c) {
    const double trained = c < facts.model.class_weights_seen().size() ? facts.model.class_weights_seen()[c] : 0;
    if (trained < static_cast<double>(kFewRows) || (facts.counts.labelled > 0 && records[c].rows < kFewRows))
      out.push_back(facts.label().classes[c]);
  }
  return out;
}

std::vector<std::string> groups_with_few(const PageFacts& facts) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < facts.options.by.size(); ++k)
    for (const auto& [text, of] : facts.counts.groups[k])
      if (of.rows < kFewRows) out.push_back(facts.options.by[k] + " = " + (text.empty() ? "(empty)" : text));
  return out;
}

Html missing_told(const PageFacts& facts) {
  std::vector<std::string> fresh, refused;
  for (std::size_t j = 0; j < facts.counts.columns.size(); ++j) {
    const Column& column = facts.model.schema().columns[j];
    if (facts.counts.columns[j].missing > 0 && column.seen.missing == 0 && column.seen.rows() > 0)
      fresh.push_back(column.name);
    if (column.missing == Missing::refuse) refused.push_back(column.name);
  }
  Html out = strong("Missing values. ") +
             (facts.counts.rows_missing == 0
                  ? Html("None of these rows has a missing value, so how the model does with them was not tested.")
                  : share_value("", facts.counts.rows_missing, facts.counts.rows) +
                        " of these rows have a missing value. The model puts the training mean in its place unless it "
                        "was told otherwise; a missing category counts as none of the known.");
  if (!fresh.empty()) out += " Missing here, but never in training: " + names_of(fresh) + ".";
  if (!refused.empty()) out += " Columns that must not be missing: " + names_of(refused) + ".";
  return out;
}

Html drift_told(const PageFacts& facts) {
  std::vector<std::string> settings;
  for (const ParamSpec& spec : facts.model.learner().params)
    if (const std::string name(spec.name);
        name.find("drift") != std::string::npos || name.find("forget") != std::string::npos)
      settings.push_back(fmt::format("{} = {}: {}", name, facts.model.params().texts().at(name), spec.help));
  Html out = strong("Change over time. ") +
             "Predicting does not change the model; it changes only if it is given more labelled examples. ";
  out += settings.empty()
             ? "The learner has no setting for a world that changes: old examples count as much as new ones."
             : "Settings for a world that changes: " + joined(settings, "; ") + ".";
  return out +
         " The section on data shows how far these rows differ from the training rows; repeat this page on new rows "
         "from time to time.";
}

Html limits_section(const PageFacts& facts) {
  std::vector<Html> list;
  list.push_back(strong("Intended use. ") + stated(facts.options.purpose) +
                 " The model should not be used for anything else without a new evaluation.");
  if (const Html told = outside_told(facts); !told.empty())
    list.push_back(strong("Range. ") + told +
                   ". The table of columns has the training ranges. Beyond them the model extrapolates, and these "
                   "results say little.");
  else
    list.push_back(strong("Range. ") +
                   "The model file holds no training ranges, so it cannot be said which rows lie outside them.");
  if (!facts.numbers())
    if (const std::vector<std::string> few = classes_with_few(facts); !few.empty())
      list.push_back(strong("Rare classes. ") + fmt::format("Fewer than {} examples in training or here: ", kFewRows) +
                     names_of(few) + ". What is said of them is uncertain.");
  if (const std::vector<std::string> few = groups_with_few(facts); !few.empty())
    list.push_back(strong("Small groups. ") + fmt::format("Fewer than {} rows: ", kFewRows) + names_of(few) + ".");
  if (!facts.counts.columns.empty()) list.push_back(missing_told(facts));
  if (const Surprises& surprises = facts.counts.surprises(); facts.counts.rows > 0)
    for (const std::string& sentence : describe(surprises, facts.model.schema()))
      list.push_back(strong("Unexpected values. ") + sentence + ".");
  list.push_back(drift_told(facts));
  std::string untested =
      "other places, times, devices or people than those of these rows; whether the labels themselves are right; "
      "whether using the model improves what happens; rows made to mislead it";
  if (facts.options.by.empty()) untested = "groups of rows, such as sexes, ages or sites; " + untested;
  if (facts.counts.labelled == 0) untested = "how often the model is right; " + untested;
  list.push_back(strong("Not tested: ") + untested + ".");
  list.push_back(strong("Not causes. ") + "Weights and explanations say how the model computes, not what causes what.");
  return section("limits", "Limits of use", html::list(list));
}

// ---- how to make it again ----

Html origin_section(const PageFacts& facts) {
  std::vector<std::pair<std::string, Html>> list;
  for (const auto& [name, text] : facts.options.origin) list.emplace_back(name, tag("code", text));
  Sheet table("Settings of the learner", {"setting", "value", "meaning"}, "<<<");
  const std::map<std::string, std::string> texts = facts.model.params().texts();
  for (const ParamSpec& spec : facts.model.learner().params)
    if (const auto found = texts.find(std::string(spec.name)); found != texts.end())
      table.add({std::string(spec.name), tag("code", found->second), std::string(spec.help)});
  list.emplace_back("Scaling of columns", std::string(word(facts.model.schema().scale)));
  if (!facts.label().weights.empty()) {
    std::vector<std::string> weights;
    for (std::size_t c = 0; c < facts.label().weights.size(); ++c)
      weights.push_back(fmt::format("{} = {}", facts.label().classes[c], sized(facts.label().weights[c])));
    list.emplace_back("Class weights", joined(weights));
  }
  return section(
      "origin", "How to make this page again",
      paragraph("The same program, model and rows give the same page, byte for byte. The order in which training read "
                "its rows (its seed) is not part of the model file; keep the command that trained the model.") +
          facts_list(list) + table.html());
}

Html contents() {
  struct Entry {
    std::string_view place, name;
  };
  constexpr Entry kEntries[] = {{"#model", "The model"},
                                {"#summary", "Summary"},
                                {"#data", "Data"},
                                {"#quality", "How good the predictions are"},
                                {"#learning", "While it learned"},
                                {"#groups", "Groups of rows"},
                                {"#rules", "Rules"},
                                {"#weights", "What the prediction depends on"},
                                {"#single-rows", "Examples"},
                                {"#limits", "Limits of use"},
                                {"#origin", "How to make this page again"}};
  Html out;
  for (const Entry& entry : kEntries) out += tag("li", tag("a", {{"href", std::string(entry.place)}}, entry.name));
  return tag("nav", {{"aria-label", "Contents"}}, tag("ul", out));
}

}  // namespace

struct ModelPage::Impl {
  Impl(const Model& of, const Table& table, PageOptions asked)
      : model(of), options(std::move(asked)), counts(model, table, options) {}
  const Model& model;
  PageOptions options;
  PageCounts counts;
};

ModelPage::ModelPage(const Model& model, const Table& table, PageOptions options) {
  if (model.outputs() == 0) throw ParamError("there is only one class so far, and so nothing to report on");
  impl_ = std::make_unique<Impl>(model, table, std::move(options));
}
ModelPage::~ModelPage() = default;
ModelPage::ModelPage(ModelPage&&) noexcept = default;

void ModelPage::add(Block raw) { impl_->counts.add(std::move(raw)); }
std::uint64_t ModelPage::rows() const { return impl_->counts.rows; }
std::uint64_t ModelPage::labelled() const { return impl_->counts.labelled; }
const Surprises& ModelPage::surprises() const { return impl_->counts.surprises(); }

std::string ModelPage::html() const {
  const PageFacts facts{impl_->model, impl_->options, impl_->counts};
  const std::string title = title_of(facts);
  const Html header = tag("header", tag("h1", title) + contents());
  const Html main =
      tag("main", model_section(facts) + summary_section(facts) + data_section(facts) + quality_section(facts) +
                      learning_section(facts) + groups_section(facts) + rules_section(facts) + weights_section(facts) +
                      examples_section(facts) + limits_section(facts) + origin_section(facts));
  const Html footer =
      tag("footer", paragraph("Made by Postil. This page is one file: it loads nothing and runs no program."));
  return html::page(title, header + main + footer);
}

}  // namespace postil
