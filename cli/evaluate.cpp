// postil evaluate: predictions compared with the labels of a file.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

struct EvaluateFlags {
  std::string model, data, decide;
  std::vector<std::string> by;
  bool json = false;
  DataFlags reading;
};

struct NumbersFirst {  // by size, then texts
  bool operator()(const std::string& a, const std::string& b) const {
    constexpr double kLast = std::numeric_limits<double>::infinity();
    return std::pair(parse_number(a).value_or(kLast), a) < std::pair(parse_number(b).value_or(kLast), b);
  }
};

// What --by asks for: rows counted apart by the cells of each of these columns.
template <class Count>
class Groups {
 public:
  Groups(const std::vector<std::string>& columns, Count none)
      : columns_(columns), none_(none), counts_(columns.size()) {}

  template <class Add>
  void add(const ScoredRow& row, const Add& count) {
    constexpr std::size_t kMost = 1000;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      count(counts_[k].try_emplace(row.kept[k], none_).first->second);
      if (counts_[k].size() > kMost)
        throw ParamError(fmt::format("--by: column '{}' holds more than {} different values; choose one with few",
                                     columns_[k], kMost));
    }
  }

  // `line`: the cells of a group behind its value.
  template <class Line>
  [[nodiscard]] std::string text(std::vector<std::string> head, const Line& line) const {
    std::string out;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      head.insert(head.begin(), columns_[k]);
      std::vector<std::vector<std::string>> lines{head};
      for (const auto& [value, count] : counts_[k]) {
        lines.push_back(line(count));
        lines.back().insert(lines.back().begin(), value.empty() ? "(empty)" : shown(value));
      }
      out += "\n" + aligned(lines, "<" + std::string(head.size() - 1, '>'));
      head.erase(head.begin());
    }
    return out;
  }
  template <class Entry>
  [[nodiscard]] Json json(const Entry& entry) const {
    Json out = Json::object();
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      Json groups = Json::array();
      for (const auto& [value, count] : counts_[k]) {
        groups.push_back(entry(count));
        groups.back()["value"] = value;
      }
      out[columns_[k]] = std::move(groups);
    }
    return out;
  }

 private:
  const std::vector<std::string>& columns_;
  Count none_;
  std::vector<std::map<std::string, Count, NumbersFirst>> counts_;
};

// What of the data is not as it was in training.
class DriftReport {
 public:
  explicit DriftReport(const Model& model) : model_(model) {}
  void look(const Block& raw, const Table& table) {
    if (!check_) check_.emplace(model_, table);
    check_->add(raw);
  }
  void add(const ScoredRow& row) { check_->add_outcome(row.label, row.predicted); }
  [[nodiscard]] Json json() const {
    Json found = Json::array();
    for (const Drift& drift : check_->findings())
      found.push_back({{"what", word(drift.what)},
                       {"column", drift.column.empty() ? Json() : Json(drift.column)},
                       {"category", drift.category.empty() ? Json() : Json(drift.category)},
                       {"training", drift.before},
                       {"here", drift.here},
                       {"standard_deviations", drift.deviations},
                       {"p", drift.p},
                       {"text", sentence(drift, model_.schema())}});
    return {{"columns", check_->columns()}, {"level", kDriftLevel}, {"found", std::move(found)}};
  }
  [[nodiscard]] std::string text() const {
    constexpr std::size_t kShown = 10;
    const std::vector<Drift> found = check_->findings();
    if (found.empty()) return "";
    std::string out = "\nNot as in training:\n";
    for (std::size_t k = 0; k < std::min(kShown, found.size()); ++k)
      out += fmt::format("  {}\n", sentence(found[k], model_.schema()));
    if (found.size() > kShown) out += fmt::format("  and {} more, with smaller differences\n", found.size() - kShown);
    return out;
  }

 private:
  const Model& model_;
  std::optional<DriftCheck> check_;
};

// Calls add(row) for each row with a label.
template <class Add>
void for_each_labelled(const Model& model, const EvaluateFlags& flags, DriftReport& drift, const Add& add) {
  std::uint64_t labelled = 0, unlabelled = 0;
  ReadOptions read = flags.reading.read_options();
  read.keep = flags.by;
  for_each_scored(
      model, flags.data, read, true,
      [&](const ScoredRow& row) {
        ++(std::isnan(row.label) ? unlabelled : labelled);
        if (std::isnan(row.label)) return;
        add(row);
        drift.add(row);
      },
      [&](const Block& raw, const Table& table) { drift.look(raw, table); });
  if (unlabelled > 0) note(fmt::format("{} row{} without a label left out", unlabelled, unlabelled == 1 ? "" : "s"));
  if (labelled == 0) throw DataError({flags.data, 0, 0}, "there is no labelled row");
}

// ---- labels that are numbers ----

Json numbers_json(const RegressionEvaluation& evaluation) {
  return {{"examples", evaluation.examples()},
          {"mae", evaluation.mae()},
          {"rmse", evaluation.rmse()},
          {"r2", optional_json(evaluation.r2())}};
}

void evaluate_numbers(const Model& model, const EvaluateFlags& flags) {
  RegressionEvaluation evaluation;
  Groups groups(flags.by, evaluation);
  DriftReport drift(model);
  for_each_labelled(model, flags, drift, [&](const ScoredRow& row) {
    const auto count = [&](RegressionEvaluation& of) { of.add(row.label, row.predicted); };
    count(evaluation);
    groups.add(row, count);
  });
  if (flags.json) {
    Json json = numbers_json(evaluation);
    json["drift"] = drift.json();
    if (!flags.by.empty()) json["by"] = groups.json(numbers_json);
    print_json(json);
    return;
  }
  const std::optional<double> r2 = evaluation.r2();
  print(fmt::format("{} examples\nmean |error| {:.6g}, root mean squared error {:.6g}, R2 {}\n", evaluation.examples(),
                    evaluation.mae(), evaluation.rmse(), r2 ? fmt::format("{:.4f}", *r2) : "none (one value only)") +
        groups.text({"rows", "mean |error|", "root mean squared error"},
                    [](const RegressionEvaluation& of) {
                      return std::vector{fmt::format("{}", of.examples()), fmt::format("{:.6g}", of.mae()),
                                         fmt::format("{:.6g}", of.rmse())};
                    }) +
        drift.text());
}

// ---- classes ----

using Confusion = std::vector<std::vector<std::uint64_t>>;

// A share of rows: 68.2%, 58.9 to 76.3.
std::vector<std::string> share_cells(std::uint64_t part, std::uint64_t of) {
  if (of == 0) return {"-", "-"};
  const auto [low, high] = wilson_interval(part, of);
  return {percent(static_cast<double>(part) / static_cast<double>(of)),
          fmt::format("{} to {}", percent(low), percent(high))};
}
Json share_json(std::uint64_t part, std::uint64_t of) {
  return of == 0 ? Json() : Json(static_cast<double>(part) / static_cast<double>(of));
}
Json interval_json(std::uint64_t part, std::uint64_t of) {
  if (of == 0) return {};
  const auto [low, high] = wilson_interval(part, of);
  return {low, high};
}

Json classes_json(const Confusion& confusion, const Label& label) {
  const std::vector<ClassRecord> records = class_records(confusion);
  Json out = Json::array();
  for (std::size_t c = 0; c < records.size(); ++c) {
    const ClassRecord& of = records[c];
    out.push_back({{"class", label.classes[c]},
                   {"rows", of.rows},
                   {"predicted", of.predicted},
                   {"right", of.right},
                   {"precision", share_json(of.right, of.predicted)},
                   {"precision_interval", interval_json(of.right, of.predicted)},
                   {"recall", share_json(of.right, of.rows)},
                   {"recall_interval", interval_json(of.right, of.rows)}});
  }
  return out;
}

std::string classes_text(const Confusion& confusion, const Label& label) {
  std::vector<std::vector<std::string>> lines{
      {"class", "rows", "precision", "95 % interval", "recall", "95 % interval"}};
  const std::vector<ClassRecord> records = class_records(confusion);
  for (std::size_t c = 0; c < records.size(); ++c) {
    std::vector<std::string>& line = lines.emplace_back();
    line = {label.classes[c], fmt::format("{}", records[c].rows)};
    for (const std::uint64_t of : {records[c].predicted, records[c].rows})
      for (std::string& cell : share_cells(records[c].right, of)) line.push_back(std::move(cell));
  }
  return "\n" + aligned(lines, "<>>>>>");
}

std::string confusion_text(const Confusion& confusion, const Label& label) {
  std::vector<std::vector<std::string>> lines{{"truth \\ predicted"}};
  for (const std::string& name : label.classes) lines[0].push_back(name);
  for (std::size_t c = 0; c < label.classes.size(); ++c) {
    lines.push_back({label.classes[c]});
    for (const std::uint64_t count : confusion[c]) lines.back().push_back(fmt::format("{}", count));
  }
  return "\n" + aligned(lines, "<" + std::string(label.classes.size(), '>'));
}

struct Counts {
  std::uint64_t rows = 0, right = 0;
};
Counts counts_of(const Confusion& confusion) {
  Counts out;
  for (const ClassRecord& of : class_records(confusion)) {
    out.rows += of.rows;
    out.right += of.right;
  }
  return out;
}

Json group_json(const Confusion& confusion, const Label& label) {
  const auto [rows, right] = counts_of(confusion);
  return {{"rows", rows},
          {"accuracy", share_json(right, rows)},
          {"accuracy_interval", interval_json(right, rows)},
          {"classes", classes_json(confusion, label)}};
}

std::vector<std::string> group_head(const Label& label) {
  std::vector<std::string> head{"rows", "right", "95 % interval"};
  if (label.classes.size() == 2) {
    const std::string& name = label.classes[label.positive];
    head.insert(head.end(), {"are " + name, "predicted", "precision", "recall"});
  }
  return head;
}
std::vector<std::string> group_line(const Confusion& confusion, const Label& label) {
  const auto [rows, right] = counts_of(confusion);
  std::vector<std::string> line{fmt::format("{}", rows)};
  for (std::string& cell : share_cells(right, rows)) line.push_back(std::move(cell));
  if (label.classes.size() != 2) return line;
  const ClassRecord of = class_records(confusion)[label.positive];
  for (const auto& [part, total] : {std::pair(of.rows, rows), std::pair(of.predicted, rows),
                                    std::pair(of.right, of.predicted), std::pair(of.right, of.rows)})
    line.push_back(share_cells(part, total)[0]);
  return line;
}

// What mistakes cost, over all rows; none: they have no costs.
std::optional<double> mean_cost(const Confusion& confusion, const Label& label, const Decision& decision) {
  if (decision.kind != Decision::Kind::cost) return std::nullopt;
  const std::uint32_t positive = label.positive, negative = 1 - positive;
  const double cost = decision.false_positive * static_cast<double>(confusion[negative][positive]) +
                      decision.false_negative * static_cast<double>(confusion[positive][negative]);
  return cost / static_cast<double>(counts_of(confusion).rows);
}

// ---- rows without an answer ----

// What --decide with abstain= asks for.
class Abstention {
 public:
  Abstention(const Decision& decision, const Label& label)
      : decision_(decision), label_(label), classes_(label.classes.size()) {}

  void add(std::uint32_t truth, std::uint32_t predicted, double confidence, bool abstains) {
    const bool wrong = predicted != truth;
    curve_.add(confidence, wrong);
    for (Answered* of : {&all_, &classes_[truth]}) {
      ++of->rows;
      of->answered += abstains ? 0 : 1;
      of->wrong += !abstains && wrong ? 1 : 0;
    }
    const bool positive = predicted == label_.positive;
    cost_ += abstains ? *decision_.abstain
             : wrong  ? (positive ? decision_.false_positive : decision_.false_negative)
                      : 0;
  }

  [[nodiscard]] Json json() const {
    Json classes = Json::array(), curve = Json::array();
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      classes.push_back(entry(classes_[c]));
      classes.back()["class"] = label_.classes[c];
    }
    for (const RiskCoverage::Point& point : curve_.points(kShares))
      curve.push_back({{"coverage", share_json(point.answered, all_.rows)},
                       {"answered", point.answered},
                       {costs() ? "cost_at_most" : "probability_at_least", costs() ? -point.at_least : point.at_least},
                       {"error", share_json(point.wrong, point.answered)},
                       {"error_interval", interval_json(point.wrong, point.answered)}});
    Json out = entry(all_);
    out["classes"] = std::move(classes);
    out["risk_coverage"] = std::move(curve);
    if (costs()) out["mean_cost"] = mean_cost();
    return out;
  }

  [[nodiscard]] std::string text() const {
    const std::vector<std::string> coverage = share_cells(all_.answered, all_.rows),
                                   error = share_cells(all_.wrong, all_.answered);
    std::string out =
        fmt::format("\nAnswered = {} ({}/{}), 95 % interval {}\nerror on answered rows {} ({}/{}), 95 % interval {}\n",
                    coverage[0], all_.answered, all_.rows, coverage[1], error[0], all_.wrong, all_.answered, error[1]);
    if (costs()) out += fmt::format("mean cost of a row, answered or not: {:.4g}\n", mean_cost());
    std::vector<std::vector<std::string>> lines{{"class", "rows", "answered", "", "error there"}};
    for (std::size_t c = 0; c < classes_.size(); ++c)
      lines.push_back({label_.classes[c], fmt::format("{}", classes_[c].rows), fmt::format("{}", classes_[c].answered),
                       share_cells(classes_[c].answered, classes_[c].rows)[0],
                       share_cells(classes_[c].wrong, classes_[c].answered)[0]});
    out += "\n" + aligned(lines, "<>>>>");
    lines = {{"surest rows", "answered", "error there", "95 % interval",
              costs() ? "expected cost at most" : "probability at least"}};
    for (const RiskCoverage::Point& point : curve_.points(kShares)) {
      lines.push_back({share_cells(point.answered, all_.rows)[0], fmt::format("{}", point.answered)});
      for (std::string& cell : share_cells(point.wrong, point.answered)) lines.back().push_back(std::move(cell));
      lines.back().push_back(fmt::format("{:.4f}", costs() ? -point.at_least : point.at_least));
    }
    return out + "\n" + aligned(lines, ">>>>>");
  }

 private:
  static constexpr double kShares[] = {0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1};
  struct Answered {
    std::uint64_t rows = 0, answered = 0, wrong = 0;
  };
  static Json entry(const Answered& of) {
    return {{"rows", of.rows},
            {"answered", of.answered},
            {"coverage", share_json(of.answered, of.rows)},
            {"coverage_interval", interval_json(of.answered, of.rows)},
            {"error", share_json(of.wrong, of.answered)},
            {"error_interval", interval_json(of.wrong, of.answered)}};
  }
  [[nodiscard]] bool costs() const { return decision_.kind == Decision::Kind::cost; }
  [[nodiscard]] double mean_cost() const { return cost_ / static_cast<double>(all_.rows); }

  Decision decision_;
  const Label& label_;
  Answered all_;
  std::vector<Answered> classes_;
  RiskCoverage curve_;
  double cost_ = 0;
};

void evaluate_classes(const Model& model, const EvaluateFlags& flags) {
  const Label& label = model.schema().label;
  Evaluation evaluation(label.classes.size(), label.positive), balanced = evaluation;
  Groups groups(flags.by, evaluation.confusion());
  const Decision asked = decision_of(flags.decide),
                 even = flags.decide.empty() ? decision_for(Metric::balanced_error, model.learner()) : asked;
  const Probabilities probability(model);
  std::optional<Abstention> abstention;
  if (asked.abstain) abstention.emplace(asked, label);
  std::vector<double> probabilities(label.classes.size());
  DriftReport drift(model);
  for_each_labelled(model, flags, drift, [&](const ScoredRow& row) {
    probability.of(row.scores, probabilities);
    const auto truth = static_cast<std::uint32_t>(row.label);
    const auto by_score = static_cast<std::uint32_t>(row.predicted);
    const std::uint32_t predicted = flags.decide.empty() ? by_score : probability.decide(probabilities, asked);
    evaluation.add(truth, predicted, row.scores, probabilities);
    groups.add(row, [&](Confusion& of) { ++of[truth][predicted]; });
    if (abstention)
      abstention->add(truth, predicted, probability.confidence(probabilities, asked),
                      probability.abstains(probabilities, asked));
    if (even.kind != asked.kind)
      balanced.add(truth, probability.decide(probabilities, even), row.scores, probabilities);
  });
  const bool apart = even.kind != asked.kind;
  const double balanced_error = (apart ? balanced : evaluation).balanced_error();
  const std::optional<double> auc = evaluation.auc(), cost = mean_cost(evaluation.confusion(), label, asked);
  if (flags.json) {
    Json reliability = Json::array();
    for (const Evaluation::Reliability& tenth : evaluation.reliability())
      reliability.push_back({{"rows", tenth.rows}, {"said", tenth.said}, {"right", tenth.right}});
    Json json{{"examples", evaluation.examples()},
              {"accuracy", evaluation.accuracy()},
              {"accuracy_interval", interval_json(evaluation.correct(), evaluation.examples())},
              {"error", 1 - evaluation.accuracy()},
              {"balanced_error", balanced_error},
              {"decide", {{"label", word(asked)}, {"balanced_error", word(even)}}},
              {"f1", evaluation.f1()},
              {"auc", optional_json(auc)},
              {"log_loss", evaluation.log_loss()},
              {"brier_score", evaluation.brier_score()},
              {"calibration_error", evaluation.calibration_error()},
              {"reliability", std::move(reliability)},
              {"classes", classes_json(evaluation.confusion(), label)},
              {"confusion", {{"classes", label.classes}, {"counts", evaluation.confusion()}}}};
    if (cost) json["cost"] = *cost;
    json["drift"] = drift.json();
    if (abstention) json["abstention"] = abstention->json();
    if (!flags.by.empty()) json["by"] = groups.json([&](const Confusion& of) { return group_json(of, label); });
    print_json(json);
    return;
  }
  const std::string of_positive =
      label.classes.size() == 2 ? fmt::format(" of {}", label.classes[label.positive]) : std::string();
  print((abstention ? "With an answer for every row:\n" : "") +
        fmt::format("Accuracy = {:.4g}% ({}/{}), 95 % interval {}\nbalanced error {:.4f}{}, F1{} {:.4f}, AUC {}\n"
                    "log loss {:.4f}, Brier score {:.4f}, calibration error {:.4f}\n",
                    100 * evaluation.accuracy(), evaluation.correct(), evaluation.examples(),
                    share_cells(evaluation.correct(), evaluation.examples())[1], balanced_error,
                    apart ? " (decided by the balanced threshold)" : "", of_positive, evaluation.f1(),
                    auc ? fmt::format("{:.4f}", *auc) : "none (one class only)", evaluation.log_loss(),
                    evaluation.brier_score(), evaluation.calibration_error()) +
        (cost ? fmt::format("mean cost of a row {:.4g}\n", *cost) : "") + classes_text(evaluation.confusion(), label) +
        confusion_text(evaluation.confusion(), label) +
        groups.text(group_head(label), [&](const Confusion& of) { return group_line(of, label); }) +
        (abstention ? abstention->text() : "") + drift.text());
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("evaluate", "Compare a model's predictions with the labels in a file");
  auto flags = std::make_shared<EvaluateFlags>();
  verb->add_option("MODEL", flags->model, "A model file made by train")->required();
  verb->add_option("DATA", flags->data, "Labelled examples; - for standard input")->required();
  verb->add_flag("--json", flags->json, "Print one JSON document");
  verb->add_option("--decide", flags->decide, kDecideHelp + std::string(kAbstainHelp));
  verb->add_option(
          "--by", flags->by,
          "Evaluate also each group of rows with the same value in these columns of DATA, for example sex,site")
      ->delimiter(',')
      ->type_name("COLUMN,...");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil evaluate points.postil points.csv");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (model.schema().label.real() && !flags->decide.empty())
      throw ParamError("--decide is about classes; this model predicts numbers");
    if (model.schema().label.real())
      evaluate_numbers(model, *flags);
    else
      evaluate_classes(model, *flags);
  });
}

}  // namespace postil::cli
