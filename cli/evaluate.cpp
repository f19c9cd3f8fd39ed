// postil evaluate: predictions compared with the labels of a file.
#include <fmt/format.h>

#include <cmath>

#include "common.hpp"

namespace postil::cli {
namespace {

// Calls add(row) for each row with a label.
template <class Add>
void for_each_labelled(const Model& model, const std::string& data, const ReadOptions& read, const Add& add) {
  std::uint64_t labelled = 0, unlabelled = 0;
  for_each_scored(model, data, read, true, [&](const ScoredRow& row) {
    ++(std::isnan(row.label) ? unlabelled : labelled);
    if (!std::isnan(row.label)) add(row);
  });
  if (unlabelled > 0) note(fmt::format("{} row{} without a label left out", unlabelled, unlabelled == 1 ? "" : "s"));
  if (labelled == 0) throw DataError({data, 0, 0}, "there is no labelled row");
}

void evaluate_numbers(const Model& model, const std::string& data, const ReadOptions& read, bool json) {
  RegressionEvaluation evaluation;
  for_each_labelled(model, data, read, [&](const ScoredRow& row) { evaluation.add(row.label, row.predicted); });
  const std::optional<double> r2 = evaluation.r2();
  if (json)
    print_json({{"examples", evaluation.examples()},
                {"mae", evaluation.mae()},
                {"rmse", evaluation.rmse()},
                {"r2", optional_json(r2)}});
  else
    print(fmt::format("{} examples\nmean |error| {:.6g}, root mean squared error {:.6g}, R2 {}\n",
                      evaluation.examples(), evaluation.mae(), evaluation.rmse(),
                      r2 ? fmt::format("{:.4f}", *r2) : "none (one value only)"));
}

void evaluate_classes(const Model& model, const std::string& data, const ReadOptions& read, bool json,
                      const std::string& decide) {
  const Label& label = model.schema().label;
  Evaluation evaluation(label.classes.size(), label.positive), balanced = evaluation;
  const Decision asked = decision_of(decide),
                 even = decide.empty() ? decision_for(Metric::balanced_error, model.learner()) : asked;
  const Probabilities probability(model);
  std::vector<double> probabilities(label.classes.size());
  for_each_labelled(model, data, read, [&](const ScoredRow& row) {
    probability.of(row.scores, probabilities);
    const auto truth = static_cast<std::uint32_t>(row.label);
    const auto by_score = static_cast<std::uint32_t>(row.predicted);
    const std::uint32_t predicted = decide.empty() ? by_score : probability.decide(probabilities, asked);
    evaluation.add(truth, predicted, row.scores, probabilities);
    if (even.kind != asked.kind)
      balanced.add(truth, probability.decide(probabilities, even), row.scores, probabilities);
  });
  const bool apart = even.kind != asked.kind;
  const double balanced_error = (apart ? balanced : evaluation).balanced_error();
  const std::optional<double> auc = evaluation.auc();
  if (json) {
    Json reliability = Json::array();
    for (const Evaluation::Reliability& tenth : evaluation.reliability())
      reliability.push_back({{"rows", tenth.rows}, {"said", tenth.said}, {"right", tenth.right}});
    print_json({{"examples", evaluation.examples()},
                {"accuracy", evaluation.accuracy()},
                {"error", 1 - evaluation.accuracy()},
                {"balanced_error", balanced_error},
                {"decide", {{"label", word(asked)}, {"balanced_error", word(even)}}},
                {"f1", evaluation.f1()},
                {"auc", optional_json(auc)},
                {"log_loss", evaluation.log_loss()},
                {"brier_score", evaluation.brier_score()},
                {"calibration_error", evaluation.calibration_error()},
                {"reliability", std::move(reliability)},
                {"confusion", {{"classes", label.classes}, {"counts", evaluation.confusion()}}}});
    return;
  }
  std::string text = fmt::format(
      "Accuracy = {:.4g}% ({}/{})\nbalanced error {:.4f}{}, F1 {:.4f}, AUC {}\n"
      "log loss {:.4f}, Brier score {:.4f}, calibration error {:.4f}\n",
      100 * evaluation.accuracy(), evaluation.correct(), evaluation.examples(), balanced_error,
      apart ? " (decided by the balanced threshold)" : "", evaluation.f1(),
      auc ? fmt::format("{:.4f}", *auc) : "none (one class only)", evaluation.log_loss(), evaluation.brier_score(),
      evaluation.calibration_error());
  text += "truth \\ predicted\n";
  std::size_t wide = 10;
  for (const std::string& name : label.classes) wide = std::max(wide, name.size() + 1);
  text += fmt::format("  {:<{}}", "", wide);
  for (const std::string& name : label.classes) text += fmt::format("{:>{}}", name, wide);
  for (std::size_t c = 0; c < label.classes.size(); ++c) {
    text += fmt::format("\n  {:<{}}", label.classes[c], wide);
    for (const std::uint64_t count : evaluation.confusion()[c]) text += fmt::format("{:>{}}", count, wide);
  }
  print(text + "\n");
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("evaluate", "Compare a model's predictions with the labels in a file");
  struct Flags {
    std::string model, data, decide;
    bool json = false;
    DataFlags reading;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("DATA", flags->data, "labelled examples; - for standard input")->required();
  verb->add_flag("--json", flags->json, "one JSON document");
  verb->add_option("--decide", flags->decide, kDecideHelp);
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil evaluate points.postil points.csv");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (model.schema().label.real() && !flags->decide.empty())
      throw ParamError("--decide is about classes; this model predicts numbers");
    if (model.schema().label.real())
      evaluate_numbers(model, flags->data, flags->reading.read_options(), flags->json);
    else
      evaluate_classes(model, flags->data, flags->reading.read_options(), flags->json, flags->decide);
  });
}

}  // namespace postil::cli
