// postil explain: looking into a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common.hpp"
#include "core/number.hpp"
#include "core/text.hpp"
#include "ledger.hpp"

namespace postil::cli {
namespace {

// One number for a one-task model, a list of them for more.
template <class Get>
Json per_task(const std::vector<LinearExplanation>& tasks, const Get& get) {
  if (tasks.size() == 1) return get(tasks[0]);
  Json list = Json::array();
  for (const LinearExplanation& task : tasks) list.push_back(get(task));
  return list;
}

Json explain_json(const Model& model, const std::vector<LinearExplanation>& tasks) {
  const Schema& schema = model.schema();
  Scaling scaling = schema.scaling;
  if (scaling.identity()) scaling = {std::vector<double>(schema.features, 0), std::vector<double>(schema.features, 1)};
  Json columns = Json::array();
  for (const Column& column : schema.columns) {
    Json entry{{"name", column.name},
               {"kind", word(column.kind)},
               {"missing", word(column.missing)},
               {"seen_missing", column.seen_missing}};
    if (column.kind == Kind::categorical) entry["categories"] = column.categories;
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

std::string explain_table(const Model& model, const LinearExplanation& task, std::string_view title, std::size_t top) {
  std::vector<std::uint32_t> order(task.weights.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::fabs(task.weights[a]) > std::fabs(task.weights[b]);
  });
  std::string text = fmt::format("{}\n  {:<32} {:>12} {:>14}\n", title, "feature", "weight", "in raw units");
  for (std::size_t k = 0; k < std::min(top, order.size()); ++k)
    text += fmt::format("  {:<32} {:>12.5g} {:>14.5g}\n", model.schema().feature_name(order[k]), task.weights[order[k]],
                        task.raw_weights[order[k]]);
  if (order.size() > top) text += fmt::format("  ... and {} more (--top)\n", order.size() - top);
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
  Certificate certificate;
};

// Each conjunction of each rule against the model's weights.
std::vector<RuleVerdict> certify_rules(const Model& model, const Advice& advice) {
  std::vector<LinearExplanation> tasks;
  for (std::size_t k = 0; k < model.outputs(); ++k) tasks.push_back(model.explain(k));
  std::vector<RuleVerdict> out;
  for (const AdviceSet& set : advice.sets) {
    const LinearExplanation& task = tasks[tasks.size() == 1 ? 0 : set.class_number];
    out.push_back({advice.rules[set.rule].id, advice.class_name(set.class_number), set.z,
                   certify(set, advice.box, advice.one_of, task.raw_weights, task.raw_bias)});
  }
  return out;
}

Json certificates_json(const std::vector<RuleVerdict>& verdicts, const Advice& advice) {
  const auto by_name = [&](const std::map<std::uint32_t, double>& values) {
    Json json = Json::object();
    for (const auto& [feature, value] : values) json[advice.schema.feature_name(feature)] = value;
    return json;
  };
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json list = Json::array();
  for (const RuleVerdict& v : verdicts) {
    const Certificate& c = v.certificate;
    Json entry{{"rule", v.rule}, {"class", v.class_name}, {"z", v.z}, {"obeyed", c.obeyed}, {"worst", finite(c.worst)}};
    if (c.obeyed)
      entry["certificate"] = {{"u", c.u},           {"domain_low", by_name(c.low)}, {"domain_high", by_name(c.high)},
                              {"one_of", c.groups}, {"proven", finite(c.proven)},   {"residual", c.residual}};
    else
      entry["counterexample"] = point_json(c.counterexample, advice.schema);
    list.push_back(std::move(entry));
  }
  return list;
}

std::string certificates_text(const std::vector<RuleVerdict>& verdicts, const Advice& advice) {
  std::string text;
  for (const RuleVerdict& v : verdicts) {
    const Certificate& c = v.certificate;
    if (c.obeyed && !std::isfinite(c.proven)) {
      text += fmt::format("{}: its region is empty\n", v.rule);
      continue;
    }
    text += c.obeyed
                ? fmt::format("{}: obeyed everywhere in its region; score {} {:.6g} is proven\n", v.rule,
                              v.z > 0 ? ">=" : "<=", v.z * c.proven + 0.0)
                : fmt::format("{}: not obeyed; {}: score {}\n", v.rule, point_text(c.counterexample, advice.schema),
                              std::isfinite(c.worst) ? fmt::format("{:.6g}", v.z * c.worst) : "without bound");
  }
  return text;
}

// ---- one row ----

// "name=value,..." as a table of one row; columns that are not named are missing. LIBSVM: "index:value ...".
std::string row_as_text(const Model& model, const std::string& row) {
  if (model.schema().anonymous) {
    if (row.find('=') == std::string::npos) return "0 " + row + "\n";
    std::map<double, std::string> values;  // f2=148,f6=33.6
    for (const std::string& pair : split(row, ',')) {
      const std::size_t equals = pair.find('=');
      const std::optional<double> number =
          equals == std::string::npos || pair[0] != 'f' ? std::nullopt : parse_number(pair.substr(1, equals - 1));
      if (!number) throw ParamError(fmt::format("--row: found {}, expected f1=value", in_quotes(pair)));
      values[*number] = pair.substr(equals + 1);
    }
    std::string line = "0";
    for (const auto& [number, value] : values) line += fmt::format(" {}:{}", number, value);
    return line + "\n";
  }
  std::string names, values;
  for (const std::string& pair : split(row, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ParamError(fmt::format("--row: found {}, expected name=value", in_quotes(pair)));
    const std::string name = pair.substr(0, equals);
    std::vector<std::string> known;
    for (const Column& column : model.schema().columns) known.push_back(column.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ParamError(fmt::format("--row: there is no column {}{}", in_quotes(name), suggestion(name, known)));
    names += csv_cell(name) + ",";
    values += csv_cell(pair.substr(equals + 1)) + ",";
  }
  for (const Column& column : model.schema().columns) {
    if (fmt::format(",{}", names).find(fmt::format(",{},", csv_cell(column.name))) != std::string::npos) continue;
    names += csv_cell(column.name) + ",";
    values += ",";
  }
  return names.substr(0, names.size() - 1) + "\n" + values.substr(0, values.size() - 1) + "\n";
}

void explain_row(const Model& model, const std::string& row, std::uint64_t line, const std::string& path,
                 std::size_t top, bool json) {
  if (model.schema().projection.components > 0 || model.learner_of(0).expansion())
    throw ParamError("--row tells what each feature adds to a score; this model has kernels or principal components");
  Schema unscaled = model.schema();
  unscaled.scaling = {};
  ReadOptions read;
  read.schema = &model.schema();
  read.use_label = false;
  std::uint64_t number = 1;
  if (line > 0 && path.empty()) throw ParamError("--line is a line of a file: --data");
  if (!path.empty() && line == 0) {
    const std::optional<double> wanted = parse_number(row);
    if (!wanted || *wanted < 1 || *wanted != std::floor(*wanted))
      throw ParamError(fmt::format("--row with --data is the number of a row, found {}", in_quotes(row)));
    number = static_cast<std::uint64_t>(*wanted);
  } else if (!path.empty()) {
    number = std::numeric_limits<std::uint64_t>::max();
  } else if (!model.schema().anonymous) {
    read.format = Format::csv;
    read.header = true;
    read.delimiter = ',';
  } else {
    read.format = Format::libsvm;
  }
  const std::string text = path.empty() ? row_as_text(model, row) : "";
  std::optional<Reader> reader;
  if (path.empty())
    reader.emplace(Reader::from_memory(text, read));
  else
    reader.emplace(path, read);
  Encoder encoder(model.schema(), reader->table()), raw_encoder(unscaled, reader->table());
  std::uint64_t seen = 0;
  for (Block block; reader->next(block); block = Block()) {
    for (std::size_t k = 0; line > 0 && k < block.rows(); ++k)
      if (block.line(k) == line) number = seen + k + 1;
    if (seen + block.rows() < number) {
      seen += block.rows();
      continue;
    }
    const std::size_t i = number - seen - 1;
    BlockData data = block.release();
    const Block raw = raw_encoder.encode(Block(BlockData(data)));
    const Block encoded = encoder.encode(Block(std::move(data)));
    if (json)
      print_json(row_story_json(model, encoded.row(i), raw.row(i)));
    else
      print(row_story_text(model, encoded.row(i), raw.row(i), top));
    return;
  }
  throw DataError({path, 0, 0},
                  line > 0 ? fmt::format("no row begins on line {}", line) : fmt::format("it has only {} rows", seen));
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "explain", "What a model has learned: weights by name, what became of its rules, why one row got its score");
  struct Flags {
    std::string model, rules, row, data;
    std::size_t top = 20;
    std::uint64_t line = 0;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("--top", flags->top, "how many features to show")->check(whole_number())->capture_default_str();
  verb->add_option("--certify", flags->rules,
                   "a file of rules: for each a proof that the model obeys it everywhere, or a counterexample");
  verb->add_option("--row", flags->row,
                   "why one row gets its score: name=value,... of it, or with --data its number in the file");
  verb->add_option("--line", flags->line, "the same by its line in the file, as the ledger of train tells them")
      ->check(whole_number());
  verb->add_option("--data", flags->data, "the file that --row or --line means");
  verb->add_flag("--json", flags->json, "one JSON document, with all features");
  verb->footer(
      "Example:  postil explain points.postil\n"
      "          postil explain points.postil --row x1=1.5,x2=-1");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (!flags->row.empty() || !flags->data.empty() || flags->line > 0) {
      explain_row(model, flags->row, flags->line, flags->data, flags->top, flags->json);
      return;
    }
    std::vector<LinearExplanation> tasks;  // kernels have none
    for (std::size_t k = 0; k < model.outputs(); ++k)
      if (!model.learner_of(k).expansion()) tasks.push_back(model.explain(k));
    std::optional<Advice> advice;
    std::vector<RuleVerdict> verdicts;
    if (!flags->rules.empty()) {
      advice = compile_rules(read_rules(flags->rules), model.schema());
      verdicts = certify_rules(model, *advice);
    }
    if (flags->json) {
      Json json = explain_json(model, tasks);
      add_ledger(json, model);
      Json kernels = Json::array(), metrics = Json::array();
      for (std::size_t k = 0; k < model.outputs(); ++k) {
        if (const auto expansion = model.learner_of(k).expansion()) kernels.push_back(kernel_json(*expansion));
        if (const auto metric = model.metric(k)) metrics.push_back(metric_json(*metric));
      }
      if (!kernels.empty()) json["kernel"] = kernels.size() == 1 ? kernels[0] : kernels;
      if (!metrics.empty()) json["metric"] = metrics.size() == 1 ? metrics[0] : metrics;
      if (advice) json["certificates"] = certificates_json(verdicts, *advice);
      print_json(json);
      return;
    }
    const Label& label = model.schema().label;
    std::string text =
        fmt::format("{} on {} examples, {}\n", model.learner().name, model.counters().examples, error_text(model));
    for (std::size_t k = 0; k < model.outputs(); ++k) {
      const std::string title =
          label.real() ? fmt::format("{}:", label.name)
                       : fmt::format("{} = {}:", label.name, label.classes[model.outputs() == 1 ? label.positive : k]);
      if (const auto expansion = model.learner_of(k).expansion())
        text += title + "\n" + kernel_text(*expansion);
      else
        text += explain_table(model, tasks[k], title, flags->top);
      if (const auto metric = model.metric(k)) text += axes_text(model, *metric);
    }
    text += ledger_text(model, true);
    if (advice) text += certificates_text(verdicts, *advice);
    print(text);
  });
}

}  // namespace postil::cli
