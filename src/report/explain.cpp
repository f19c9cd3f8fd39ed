// explain.cpp: looking into a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "certificates.hpp"
#include "postil/json.hpp"
#include "postil/report.hpp"

namespace postil {
namespace {

// One number for a one-task model, a list of them for more.
template <class Get>
Json per_task(const std::vector<LinearExplanation>& tasks, const Get& get) {
  if (tasks.size() == 1) return get(tasks[0]);
  Json list = Json::array();
  for (const LinearExplanation& task : tasks) list.push_back(get(task));
  return list;
}

Json weights_json(const Model& model, const std::vector<LinearExplanation>& tasks) {
  const Schema& schema = model.schema();
  Scaling scaling = schema.scaling;
  if (scaling.identity()) scaling = {std::vector<double>(schema.features, 0), std::vector<double>(schema.features, 1)};
  Json columns = Json::array();
  for (const Column& column : schema.columns) {
    Json entry{{"name", column.name},
               {"kind", word(column.kind())},
               {"missing", word(column.missing)},
               {"seen_missing", column.seen.missing}};
    if (column.categorical()) entry["categories"] = column.categories;
    columns.push_back(std::move(entry));
  }
  return {{"learner", model.learner().name},
          {"params", params_json(model.params())},
          {"classes", schema.label.classes},
          {"label", schema.label.name},
          {"positive", schema.label.classes.size() == 2 ? Json(schema.label.classes[schema.label.positive]) : Json()},
          {"columns", columns},
          {"features", schema.feature_names()},
          {"scaling", {{"shift", scaling.shift}, {"scale", scaling.scale}}},
          {"weights", per_task(tasks, [](const LinearExplanation& t) { return t.weights; })},
          {"bias", per_task(tasks, [](const LinearExplanation& t) { return t.bias; })},
          {"raw_weights", per_task(tasks, [](const LinearExplanation& t) { return t.raw_weights; })},
          {"raw_bias", per_task(tasks, [](const LinearExplanation& t) { return t.raw_bias; })}};
}

std::string weights_table(const Model& model, const LinearExplanation& task, std::string_view title,
                          const Audience& audience) {
  std::vector<std::uint32_t> order(task.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::fabs(task.weights[a]) > std::fabs(task.weights[b]);
  });
  std::string text = fmt::format("{}\n  {:<32} {:>12} {:>14}\n", title, "feature", "weight", "in raw units");
  for (std::size_t k = 0; k < std::min(audience.top, order.size()); ++k)
    text += fmt::format("  {:<32} {:>12.5g} {:>14.5g}\n", model.schema().feature_name(order[k]), task.weights[order[k]],
                        task.raw_weights[order[k]]);
  if (order.size() > audience.top)
    text +=
        Text(fmt::format("  ... and {} more", order.size() - audience.top), Text::hint(" (", Option{"top"}, ")"), "\n")
            .plain(audience.words);
  return text + fmt::format("  {:<32} {:>12.5g} {:>14.5g}\n", "(bias)", task.bias, task.raw_bias);
}

// ---- kernels and ellipsoids ----

std::string kernel_text(const KernelExpansion& of) {
  std::string text = of.kernel == "rbf" ? fmt::format("exp(-{:.6g} |x - z|^2)", of.gamma)
                                        : fmt::format("({:.6g} x'z + {:.6g})^{}", of.gamma, of.coef0, of.degree);
  return fmt::format("  {} support vectors z, kernel {}, bias {:.6g}; it has no weights by feature\n", of.rows.size(),
                     text, of.bias);
}

Json kernel_json(const KernelExpansion& of) {
  return {{"kernel", of.kernel}, {"gamma", of.gamma},         {"coef0", of.coef0},
          {"degree", of.degree}, {"support", of.rows.size()}, {"bias", of.bias}};
}

constexpr std::size_t kAxes = 3, kTermsOfAxis = 5;

// The directions in which the ellipsoid knows least and most, by what features weigh in them.
std::string axes_text(const Model& model, const LearnedMetric& metric) {
  const std::vector<MetricAxis> axes = principal_axes(metric);
  std::string text = "  novelty x'Bx: value of a step of 1 along the axes of B, from little seen to much seen\n";
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (k >= kAxes && k + kAxes < axes.size()) {
      if (k == kAxes) text += fmt::format("    ... {} between\n", axes.size() - 2 * kAxes);
      continue;
    }
    std::vector<std::uint32_t> order(axes[k].direction.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::fabs(axes[k].direction[a]) > std::fabs(axes[k].direction[b]);
    });
    std::string terms;
    for (std::size_t j = 0; j < std::min(kTermsOfAxis, order.size()); ++j) {
      const double share = axes[k].direction[order[j]];
      if (std::fabs(share) < 0.1 && j > 0) break;
      terms += fmt::format(" {}{:.2f} {}",
                           share < 0 ? "- "
                           : j == 0  ? ""
                                     : "+ ",
                           std::fabs(share), model.schema().feature_name(order[j]));
    }
    text += fmt::format("  {:>12.5g} {}\n", axes[k].value, terms);
  }
  return text;
}

Json metric_json(const LearnedMetric& metric) {
  Json axes = Json::array();
  for (const MetricAxis& axis : principal_axes(metric))
    axes.push_back({{"value", axis.value}, {"direction", axis.direction}});
  const std::size_t side = metric.side();
  Json rows = Json::array();
  for (std::size_t i = 0; i < side; ++i)
    rows.push_back(std::vector<double>(metric.values.begin() + static_cast<std::ptrdiff_t>(i * side),
                                       metric.values.begin() + static_cast<std::ptrdiff_t>((i + 1) * side)));
  return {{"B", std::move(rows)}, {"constant_last", metric.constant}, {"axes", std::move(axes)}};
}

// Of the tasks that have weights by feature.
std::vector<LinearExplanation> linear_tasks(const Model& model) {
  std::vector<LinearExplanation> tasks;
  for (std::size_t k = 0; k < model.questions(); ++k)
    if (const Learner& learner = model.learner_of(k);  // without weights, kernels and rules it throws what to say
        learner.linear() || (!learner.expansion() && !model.ledger()))
      tasks.push_back(model.explain(k));
  return tasks;
}

}  // namespace

std::string explain_json(const Model& model, const Advice* certify) {
  Json json = weights_json(model, linear_tasks(model));
  add_ledger(json, model);
  Json kernels = Json::array(), metrics = Json::array();
  for (std::size_t k = 0; k < model.questions(); ++k) {
    if (const auto expansion = model.learner_of(k).expansion()) kernels.push_back(kernel_json(*expansion));
    if (const auto metric = model.metric(k)) metrics.push_back(metric_json(*metric));
  }
  if (model.one_against_one())
    for (std::size_t k = 0; k < model.questions(); ++k) json["questions"].push_back(model.question_text(k));
  if (!kernels.empty()) json["kernel"] = kernels.size() == 1 ? kernels[0] : kernels;
  if (!metrics.empty()) json["metric"] = metrics.size() == 1 ? metrics[0] : metrics;
  if (certify != nullptr) json["certificates"] = certificates_json(model, *certify);
  return json.dump(2) + "\n";
}

std::string explain_title(const Model& model) {
  const std::uint64_t rounds = model.counters().examples, passes = model.counters().passes;
  const std::string learned_from = passes < 2 ? fmt::format("{} examples", rounds)
                                   : rounds % passes == 0
                                       ? fmt::format("{} examples, {} passes", rounds / passes, passes)
                                       : fmt::format("{} examples in {} passes", rounds, passes);
  return fmt::format("{} on {}, {}", model.learner().name, learned_from, error_text(model));
}

std::vector<std::string> explain_notes(const Model& model) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < model.questions(); ++k) {
    out.emplace_back();
    if (const auto expansion = model.learner_of(k).expansion()) out.back() += kernel_text(*expansion);
    if (const auto metric = model.metric(k)) out.back() += axes_text(model, *metric);
  }
  return out;
}

std::string explain_text(const Model& model, const Audience& audience, const Advice* certify) {
  const std::vector<LinearExplanation> tasks = linear_tasks(model);
  const Label& label = model.schema().label;
  std::string text = explain_title(model) + "\n";
  const std::vector<std::string> notes = explain_notes(model);
  for (std::size_t k = 0; k < model.questions(); ++k) {
    const std::string title = label.real() ? fmt::format("{}:", label.name)
                              : label.classes.size() == 2
                                  ? fmt::format("{} = {} (below 0: {}):", label.name, label.classes[label.positive],
                                                label.classes[1 - label.positive])
                                  : fmt::format("{} = {}:", label.name, model.question_text(k));
    if (model.learner_of(k).expansion())
      text += title + "\n";
    else if (k < tasks.size())  // else rules and nothing else: the ledger tells of them
      text += weights_table(model, tasks[k], title, audience);
    text += notes[k];
  }
  text += ledger_text(model, true, audience);
  if (certify != nullptr) text += certificates_text(model, *certify);
  return text;
}

std::string error_text(const Model& model) {
  if (model.learner().mode == Mode::batch)
    return model.schema().label.real() ? "all at once" : fmt::format("{} on the wrong side", model.counters().mistakes);
  const double error = model.counters().progressive_error();
  return model.schema().label.real() ? fmt::format("progressive mean |error| {:.6g}", error)
                                     : fmt::format("progressive error {:.2f} %", 100 * error);
}

}  // namespace postil
