// postil train, postil explain: making a model and looking into it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common.hpp"
#include "core/text.hpp"

namespace postil::cli {
namespace {

struct TrainFlags {
  std::string data, model, init, memory = "1GB", order;
  std::uint64_t passes = 1, seed = 0;
  bool no_shuffle = false, json = false, quiet = false, bounds = false;
  RecipeFlags recipe;
  DataFlags reading;
};

TrainOptions train_options(const TrainFlags& flags) {
  TrainOptions options;
  options.read = flags.reading.read_options();
  options.recipe = flags.recipe.recipe();
  options.passes = flags.passes;
  options.seed = flags.seed;
  options.memory = parse_size(flags.memory);
  if (!flags.order.empty() && flags.order != "shuffle" && flags.order != "file" && flags.order != "sample")
    throw ParamError(fmt::format("--order is {}, expected shuffle, file or sample", in_quotes(flags.order)));
  if (flags.no_shuffle && !flags.order.empty() && flags.order != "file")
    throw ParamError(fmt::format("--no-shuffle and --order {} contradict each other", flags.order));
  if (flags.no_shuffle || flags.order == "file") options.order = Order::file;
  if (flags.order == "sample") options.order = Order::sample;
  return options;
}

// Reads the data once more, for what theory says about them.
std::vector<MistakeBounds> measure_bounds(const Model& model, const TrainFlags& flags, ReadOptions read) {
  read.schema = &model.schema();
  Reader reader(flags.data, read);
  Encoder encoder(model.schema(), reader.table());
  std::vector<Block> blocks;
  for (Block block; reader.next(block); block = Block()) blocks.push_back(encoder.encode(std::move(block)));
  return mistake_bounds(model, blocks, flags.passes);
}

void check_bounds(const TrainFlags& flags, const TrainOptions& options) {
  if (options.recipe.info().name != "perceptron" || options.recipe.label.regression)
    throw ParamError("--bounds are about the perceptron: --learner perceptron");
  if (!flags.init.empty() || options.order == Order::sample || options.read.weight || options.recipe.label.balanced ||
      !options.recipe.label.weights.empty())
    throw ParamError(
        "--bounds count each row of DATA once a pass, with weight 1: without --init, --order sample and weights");
  if (!can_read_again(flags.data)) throw ParamError("--bounds read the data a second time; DATA must be a file");
}

Json bounds_json(const Model& model, const std::vector<MistakeBounds>& bounds) {
  Json list = Json::array();
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const MistakeBounds& b = bounds[k];
    list.push_back({{"class", model.label_text(model.class_of(k))},
                    {"mistakes", b.mistakes},
                    {"R", b.radius},
                    {"u_norm", b.norm},
                    {"theorem_3_1", {{"gamma", b.margin}, {"bound", b.separable ? Json(*b.separable) : Json()}}},
                    {"theorem_3_2", {{"gamma", b.soft_margin}, {"D", b.deviation}, {"bound", b.general}}}});
  }
  return list.size() == 1 ? list[0] : Json{{"per_class", list}};
}

std::string bounds_text(const Model& model, const std::vector<MistakeBounds>& bounds) {
  std::string text;
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const MistakeBounds& b = bounds[k];
    text += fmt::format("{} = {}: {} mistakes of the perceptron's own weights; R = {:.4g}\n", model.schema().label.name,
                        model.label_text(model.class_of(k)), b.mistakes, b.radius);
    text += b.separable ? fmt::format("  theorem 3.1: at most {:.6g} (margin {:.4g}, |u| {:.4g})\n", *b.separable,
                                      b.margin, b.norm)
                        : "  theorem 3.1: no separator was found\n";
    text += fmt::format("  theorem 3.2: at most {:.6g} (margin {:.4g}, D = {:.4g})\n", b.general, b.soft_margin,
                        b.deviation);
  }
  return text;
}

Json train_json(const Model& model, const std::string& path, const std::vector<Checkpoint>& checkpoints,
                const std::optional<std::vector<MistakeBounds>>& bounds, double seconds) {
  const Label& label = model.schema().label;
  Json progressive = Json::array();
  for (const Checkpoint& c : checkpoints)
    progressive.push_back({{"examples", c.examples},
                           {"error", c.error},
                           {"since_last", c.since_last},
                           {"label", label_json(model, c.truth)},
                           {"predicted", label_json(model, c.predicted)},
                           {"features", c.features}});
  const Counters& counters = model.counters();
  Json json{{"model", path.empty() ? Json() : Json(path)},
            {"learner", model.learner().name},
            {"params", params_json(model.params())},
            {"examples", counters.examples},
            {"passes", counters.passes},
            {"updates", counters.updates},
            {"mistakes", counters.mistakes},
            {"progressive_error", counters.progressive_error()},
            {"seconds", seconds},
            {"classes", label.classes},
            {"class_weights", label.weights.empty() ? Json() : Json(label.weights)},
            {"progressive", progressive}};
  if (bounds) json["bounds"] = bounds_json(model, *bounds);
  return json;
}

// The table that users of Vowpal Wabbit know.
std::string progress_table(const Model& model, const std::vector<Checkpoint>& checkpoints) {
  std::string text = fmt::format("{:>10} {:>10} {:>10}  {:<16} {:<16} {:>8}\n", "error", "since last", "examples",
                                 "label", "predicted", "features");
  const auto shown = [&](double label) {  // a predicted number needs no 17 digits
    return model.schema().label.real() ? fmt::format("{:.6g}", label) : model.label_text(label);
  };
  for (const Checkpoint& c : checkpoints)
    text += fmt::format("{:>10.6f} {:>10.6f} {:>10}  {:<16} {:<16} {:>8}\n", c.error, c.since_last, c.examples,
                        shown(c.truth), shown(c.predicted), c.features);
  return text;
}

// What progressive validation came to.
std::string error_text(const Model& model) {
  const double error = model.counters().progressive_error();
  return model.schema().label.real() ? fmt::format("progressive mean |error| {:.6g}", error)
                                     : fmt::format("progressive error {:.2f} %", 100 * error);
}

std::string counts_text(const Model& model) {
  const std::string mistakes =
      model.schema().label.real() ? "" : fmt::format(", mistakes {}", model.counters().mistakes);
  return fmt::format("updates {}{}, {}", model.counters().updates, mistakes, error_text(model));
}

std::string summary(const Model& model, const std::string& path, double seconds) {
  const Counters& counters = model.counters();
  return fmt::format(
      "{}: {} examples, {} features, {} pass{}, {:.3g} s\n"
      "{}\n{}",
      model.learner().name, counters.examples, model.schema().features, counters.passes,
      counters.passes == 1 ? "" : "es", seconds, counts_text(model),
      path.empty() ? "" : fmt::format("model saved to {}\n", path));
}

void run_train(const TrainFlags& flags) {
  TrainOptions options = train_options(flags);
  std::optional<Model> start;
  if (!flags.init.empty()) {
    if (flags.recipe.given() || flags.reading.shape_schema())
      throw ParamError(
          "--init goes on with the model's own learner, parameters, columns, scaling and classes; they cannot be given "
          "again");
    start.emplace(Model::load(flags.init));
    options.init = &*start;
  }
  if (flags.bounds) check_bounds(flags, options);
  Meter meter;
  if (!flags.quiet)
    options.note = [&](const std::string& text) {
      meter.clear();
      note(text);
    };
  options.progress = [&](std::string_view stage, std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
    meter.update(stage, rows, done, total);
  };
  std::vector<Checkpoint> checkpoints;
  options.checkpoint = [&](const Checkpoint& checkpoint) {
    if (!checkpoints.empty() && checkpoint.examples <= checkpoints.back().examples) checkpoints.clear();
    checkpoints.push_back(checkpoint);
  };
  const Stopwatch watch;
  Model model = train(flags.data, options);
  const double seconds = watch.seconds();
  meter.clear();
  std::optional<std::vector<MistakeBounds>> bounds;
  if (flags.bounds) bounds = measure_bounds(model, flags, options.read);
  // The model is written before the report and named after it: if either fails, neither remains.
  std::optional<OutputFile> file;
  if (!flags.model.empty()) {
    file.emplace(flags.model);
    file->write(model.to_bytes());
    file->prepare();
  }
  const std::string report = flags.json ? train_json(model, flags.model, checkpoints, bounds, seconds).dump(2) + "\n"
                                        : (flags.quiet ? "" : progress_table(model, checkpoints)) +
                                              summary(model, flags.model, seconds) +
                                              (bounds ? bounds_text(model, *bounds) : "");
  if (!is_standard_output(flags.model)) print(report);
  if (file) file->commit();
  if (flags.model.empty() && !flags.quiet) note("nothing was saved; --model FILE keeps the model");
}

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
          {"raw_bias", per_task(tasks, [](const LinearExplanation& t) { return t.raw_bias; })},
          {"rules", Json::array()}};
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

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("train", "Learn a model from a file of examples");
  auto flags = std::make_shared<TrainFlags>();
  verb->add_option("DATA", flags->data, "CSV or LIBSVM text, also .gz or .zst; - for standard input")->required();
  verb->add_option("--model", flags->model, "file to save the model to");
  verb->add_option("--passes", flags->passes, "how often to go over the data")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  verb->add_option("--seed", flags->seed, "of the shuffling")->check(whole_number())->capture_default_str();
  verb->add_flag("--no-shuffle", flags->no_shuffle, "keep the order of the file; memory stays bounded");
  verb->add_option("--order", flags->order, "shuffle, file or sample (with replacement)");
  verb->add_option("--memory", flags->memory, "how much the rows may take to be shuffled")->capture_default_str();
  flags->recipe.add_to(*verb);
  verb->add_option("--init", flags->init, "go on from this model");
  verb->add_flag("--bounds", flags->bounds, "perceptron: the mistake bounds of theory beside the mistakes made");
  verb->add_flag("--quiet", flags->quiet, "no remarks on standard error");
  verb->add_flag("--json", flags->json, "one JSON document");
  flags->reading.add_to(*verb, true, true);
  verb->footer(
      "Example:  postil make synthetic --rows 500 -o points.csv\n"
      "          postil train points.csv --learner perceptron --passes 5 --model points.postil");
  verb->callback([=] { run_train(*flags); });
}

void add_explain(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("explain", "What a model has learned: weights by name, in its own and in raw units");
  struct Flags {
    std::string model, rules;
    std::size_t top = 20;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("--top", flags->top, "how many features to show")->check(whole_number())->capture_default_str();
  verb->add_option("--certify", flags->rules,
                   "a file of rules: for each a proof that the model obeys it everywhere, or a counterexample");
  verb->add_flag("--json", flags->json, "one JSON document, with all features");
  verb->footer("Example:  postil explain points.postil");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    std::vector<LinearExplanation> tasks;
    for (std::size_t k = 0; k < model.outputs(); ++k) tasks.push_back(model.explain(k));
    std::optional<Advice> advice;
    std::vector<RuleVerdict> verdicts;
    if (!flags->rules.empty()) {
      advice = compile_rules(read_rules(flags->rules), model.schema());
      verdicts = certify_rules(model, *advice);
    }
    if (flags->json) {
      Json json = explain_json(model, tasks);
      if (advice) json["certificates"] = certificates_json(verdicts, *advice);
      print_json(json);
      return;
    }
    const Label& label = model.schema().label;
    std::string text =
        fmt::format("{} on {} examples, {}\n", model.learner().name, model.counters().examples, error_text(model));
    for (std::size_t k = 0; k < tasks.size(); ++k)
      text += explain_table(
          model, tasks[k],
          label.real() ? fmt::format("{}:", label.name)
                       : fmt::format("{} = {}:", label.name, label.classes[tasks.size() == 1 ? label.positive : k]),
          flags->top);
    if (advice) text += certificates_text(verdicts, *advice);
    print(text);
  });
}

}  // namespace postil::cli
