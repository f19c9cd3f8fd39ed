// postil evaluate: predictions compared with the labels of a file.
#include <fmt/format.h>

#include <cmath>

#include "common.hpp"

namespace postil::cli {
namespace {

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

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

void evaluate_classes(const Model& model, const std::string& data, const ReadOptions& read, bool json) {
  const Label& label = model.schema().label;
  Evaluation evaluation(label.classes.size(), label.positive);
  for_each_labelled(model, data, read, [&](const ScoredRow& row) {
    evaluation.add(static_cast<std::uint32_t>(row.label), static_cast<std::uint32_t>(row.predicted), row.scores);
  });
  const std::optional<double> auc = evaluation.auc();
  if (json) {
    print_json({{"examples", evaluation.examples()},
                {"accuracy", evaluation.accuracy()},
                {"error", 1 - evaluation.accuracy()},
                {"balanced_error", evaluation.balanced_error()},
                {"f1", evaluation.f1()},
                {"auc", optional_json(auc)},
                {"log_loss", evaluation.log_loss()},
                {"confusion", {{"classes", label.classes}, {"counts", evaluation.confusion()}}}});
    return;
  }
  std::string text =
      fmt::format("Accuracy = {:.4g}% ({}/{})\nbalanced error {:.4f}, F1 {:.4f}, AUC {}, log loss {:.4f}\n",
                  100 * evaluation.accuracy(), evaluation.correct(), evaluation.examples(), evaluation.balanced_error(),
                  evaluation.f1(), auc ? fmt::format("{:.4f}", *auc) : "none (one class only)", evaluation.log_loss());
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
    std::string model, data;
    bool json = false;
    DataFlags reading;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("DATA", flags->data, "labelled examples; - for standard input")->required();
  verb->add_flag("--json", flags->json, "one JSON document");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil evaluate points.postil points.csv");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    (model.schema().label.real() ? evaluate_numbers : evaluate_classes)(model, flags->data,
                                                                        flags->reading.read_options(), flags->json);
  });
}

}  // namespace postil::cli
