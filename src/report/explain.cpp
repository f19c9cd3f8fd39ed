// explain.cpp: looking into a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

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

std::string weights_table(const Model& model, const LinearExplanation& task, std::string_view title, std::size_t top,
                          const Words& words) {
  std::vector<std::uint32_t> order(task.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::fabs(task.weights[a]) > std::fabs(task.weights[b]);
  });
  std::string text = fmt::format("{}\n  {:<32} {:>12} {:>14}\n", title, "feature", "weight", "in raw units");
  for (std::size_t k = 0; k < std::min(top, order.size()); ++k)
    text += fmt::format("  {:<32} {:>12.5g} {:>14.5g}\n", model.schema().feature_name(order[k]), task.weights[order[k]],
                        task.raw_weights[order[k]]);
  if (order.size() > top)
    text += Text(fmt::format("  ... and {} more", order.size() - top), Text::hint(" (", Option{"top"}, ")"), "\n")
                .plain(words);
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

// ---- certificates ----

struct RuleVerdict {
  std::string rule, class_name;
  double z = 1;
  std::string column;  // of a direction: its worst is z * weight
  Certificate certificate;
  double at_point = 0;  // not obeyed: z * score at the counterexample, the worst there is where it was looked for
  bool beyond = false;  // ... which is only outside what the rows have shown
};

// The promised ranges, and where nothing is promised what the rows have shown.
Box promised_or_seen(const Box& promised, const Schema& schema) {
  Box out = promised;
  std::vector<std::uint32_t> open;
  for (std::uint32_t f = 0; f < out.low.size(); ++f)
    if (std::isinf(out.low[f]) || std::isinf(out.high[f])) open.push_back(f);
  const std::vector<Moments> seen = schema.moments(open);
  for (std::size_t k = 0; k < open.size(); ++k) {
    if (seen[k].count == 0) continue;
    if (std::isinf(out.low[open[k]])) out.low[open[k]] = std::min(seen[k].low, out.high[open[k]]);
    if (std::isinf(out.high[open[k]])) out.high[open[k]] = std::max(seen[k].high, out.low[open[k]]);
  }
  return out;
}

constexpr double kRounding = 1e-12;  // of a weight that is as good as 0
double largest(const std::vector<double>& weights) {
  double out = 0;
  for (const double w : weights) out = std::max(out, std::fabs(w));
  return out;
}

// Each conjunction of each rule against the model's weights. Where one is not obeyed the point that shows it lies among the
// rows, if there is one.
std::vector<RuleVerdict> certify_rules(const Model& model, const Advice& advice) {
  std::vector<LinearExplanation> tasks;
  for (std::size_t k = 0; k < model.outputs(); ++k) tasks.push_back(model.explain(k));
  const Box near = promised_or_seen(advice.box, model.schema());
  std::vector<RuleVerdict> out;
  for (const AdviceSet& set : advice.sets) {
    const LinearExplanation& task = tasks[tasks.size() == 1 ? 0 : set.class_number];
    const auto against = [&](const Box& box) {
      return certify(set, box, advice.one_of, task.raw_weights, task.raw_bias);
    };
    RuleVerdict verdict{advice.rules[set.rule].id, model.label_text(set.class_number), set.z, "", against(advice.box)};
    verdict.at_point = verdict.certificate.worst;
    if (verdict.certificate.known && !verdict.certificate.obeyed && near != advice.box) {
      Certificate among = against(near);
      verdict.beyond = !among.known || among.obeyed;
      if (!verdict.beyond) {
        verdict.certificate.counterexample = std::move(among.counterexample);
        verdict.at_point = among.worst;
      }
    }
    out.push_back(std::move(verdict));
  }
  for (const CompiledRule& rule : advice.rules) {  // the proof of a direction is the weight itself
    if (!rule.direction) continue;
    const auto [feature, z] = *rule.direction;
    const std::vector<double>& weights = tasks[tasks.size() == 1 ? 0 : rule.class_number].raw_weights;
    RuleVerdict& verdict = out.emplace_back(
        RuleVerdict{rule.id, model.label_text(rule.class_number), z, model.schema().feature_name(feature), {}});
    verdict.certificate.worst = verdict.at_point = verdict.certificate.proven = z * weights[feature];
    verdict.certificate.obeyed = z * weights[feature] >= -kRounding * largest(weights);
  }
  return out;
}

Json certificates_json(const std::vector<RuleVerdict>& verdicts, const Schema& schema) {
  const auto by_name = [&](const std::map<std::uint32_t, double>& values) {
    Json json = Json::object();
    for (const auto& [feature, value] : values) json[schema.feature_name(feature)] = value;
    return json;
  };
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json list = Json::array();
  for (const RuleVerdict& v : verdicts) {
    const Certificate& c = v.certificate;
    Json entry{{"rule", v.rule},
               {"class", v.class_name},
               {"z", v.z},
               {"obeyed", c.known ? Json(c.obeyed) : Json()},
               {"worst", finite(c.worst)}};
    if (!v.column.empty())
      entry["direction"] = v.column;
    else if (c.obeyed)
      entry["certificate"] = {{"u", c.u},           {"domain_low", by_name(c.low)}, {"domain_high", by_name(c.high)},
                              {"one_of", c.groups}, {"proven", finite(c.proven)},   {"residual", c.residual}};
    else if (c.known) {
      entry["counterexample"] = point_json(c.counterexample, schema);
      entry["beyond_the_rows"] = v.beyond;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

std::string certificates_text(std::vector<RuleVerdict> verdicts, const Schema& schema) {
  std::string text;
  std::stable_partition(verdicts.begin(), verdicts.end(),  // what is wrong comes first
                        [](const RuleVerdict& v) { return v.certificate.known && !v.certificate.obeyed; });
  for (const RuleVerdict& v : verdicts) {
    const Certificate& c = v.certificate;
    if (!c.known) {
      text += fmt::format("{}: could not be decided: the numbers involved differ too much in size\n", v.rule);
      continue;
    }
    if (!v.column.empty()) {
      text += fmt::format("{}: {}; the score {} with {}: weight {:.6g} in raw units\n", v.rule,
                          c.obeyed ? "obeyed" : "not obeyed",
                          c.worst == 0        ? "does not change"
                          : v.z * c.worst > 0 ? "rises"
                                              : "falls",
                          v.column, v.z * c.worst + 0.0);
      continue;
    }
    if (c.obeyed && !std::isfinite(c.proven)) {
      text += fmt::format("{}: its region is empty\n", v.rule);
      continue;
    }
    text += c.obeyed
                ? fmt::format("{}: obeyed everywhere in its region; score {} {:.6g} is proven\n", v.rule,
                              v.z > 0 ? ">=" : "<=", v.z * c.proven + 0.0)
                : fmt::format("{}: not obeyed{}; {}: score {}\n", v.rule,
                              v.beyond ? ", but obeyed within the ranges seen in the data" : "",
                              point_text(c.counterexample, schema),
                              std::isfinite(v.at_point) ? fmt::format("{:.6g}", v.z * v.at_point) : "without bound");
  }
  return text;
}

// Of the tasks that have weights by feature.
std::vector<LinearExplanation> linear_tasks(const Model& model) {
  std::vector<LinearExplanation> tasks;
  for (std::size_t k = 0; k < model.outputs(); ++k)
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
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    if (const auto expansion = model.learner_of(k).expansion()) kernels.push_back(kernel_json(*expansion));
    if (const auto metric = model.metric(k)) metrics.push_back(metric_json(*metric));
  }
  if (!kernels.empty()) json["kernel"] = kernels.size() == 1 ? kernels[0] : kernels;
  if (!metrics.empty()) json["metric"] = metrics.size() == 1 ? metrics[0] : metrics;
  if (certify != nullptr) json["certificates"] = certificates_json(certify_rules(model, *certify), model.schema());
  return json.dump(2) + "\n";
}

std::string explain_text(const Model& model, std::size_t top, const Advice* certify, const Words& words) {
  const std::vector<LinearExplanation> tasks = linear_tasks(model);
  const Label& label = model.schema().label;
  std::string text =
      fmt::format("{} on {} examples, {}\n", model.learner().name, model.counters().examples, error_text(model));
  for (std::size_t k = 0; k < model.outputs(); ++k) {
    const std::string title =
        label.real() ? fmt::format("{}:", label.name)
                     : fmt::format("{} = {}:", label.name, label.classes[model.outputs() == 1 ? label.positive : k]);
    if (const auto expansion = model.learner_of(k).expansion())
      text += title + "\n" + kernel_text(*expansion);
    else if (k < tasks.size())  // else rules and nothing else: the ledger tells of them
      text += weights_table(model, tasks[k], title, top, words);
    if (const auto metric = model.metric(k)) text += axes_text(model, *metric);
  }
  text += ledger_text(model, true);
  if (certify != nullptr) text += certificates_text(certify_rules(model, *certify), model.schema());
  return text;
}

std::string error_text(const Model& model) {
  if (model.learner().mode == Mode::batch) return fmt::format("{} on the wrong side", model.counters().mistakes);
  const double error = model.counters().progressive_error();
  return model.schema().label.real() ? fmt::format("progressive mean |error| {:.6g}", error)
                                     : fmt::format("progressive error {:.2f} %", 100 * error);
}

}  // namespace postil
