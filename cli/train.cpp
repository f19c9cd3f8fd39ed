// postil train: making a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

struct TrainFlags {
  std::vector<std::string> files;
  std::string data, model, init, order, columns, unlabelled;  // data: of one file
  std::uint64_t passes = 1, seed = 0, shards = 0, rounds = 0;
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
  options.memory = flags.recipe.memory().value_or(options.memory);
  if (!flags.order.empty() && flags.order != "shuffle" && flags.order != "file" && flags.order != "sample")
    throw ParamError(fmt::format("--order is {}, expected shuffle, file or sample", in_quotes(flags.order)));
  if (flags.no_shuffle && !flags.order.empty() && flags.order != "file")
    throw ParamError(fmt::format("--no-shuffle and --order {} contradict each other", flags.order));
  if (flags.no_shuffle || flags.order == "file") options.order = Order::file;
  if (flags.order == "sample") options.order = Order::sample;
  return options;
}

void check_bounds(const TrainFlags& flags, const TrainOptions& options) {
  if (options.recipe.label.regression) throw ParamError("--bounds are about classes");
  check_bounded(options.recipe.info(), options.recipe.params());
  if (options.recipe.info().takes_advice && !options.recipe.rules)
    throw ParamError(fmt::format("--bounds of {} are about rules: --advice", options.recipe.info().name));
  if (!flags.init.empty() || options.order == Order::sample || options.read.weight || options.recipe.label.balanced ||
      !options.recipe.label.weights.empty())
    throw ParamError(
        "--bounds count each row of DATA once a pass, with weight 1: without --init, --order sample and weights");
  const LearnerInfo& learner = options.recipe.info();
  if (learner.promises == Promises::regret && (options.order != Order::file || flags.passes != 1))
    throw ParamError(
        fmt::format("--bounds of {} follow its one pass again, in the order of the file: --no-shuffle", learner.name));
  if (!can_read_again(flags.data)) throw ParamError("--bounds read the data a second time; DATA must be a file");
}

// How the solver of a batch learner ended.
Json fit_json(const Model& model) {
  Json list = Json::array();
  for (const FitReport& fit : model.fit_reports()) {
    Json one{{"objective", fit.objective},
             {"residual", fit.residual},
             {"iterations", fit.iterations},
             {"converged", fit.converged},
             {"status", fit.status}};
    if (fit.gap) one["gap"] = *fit.gap;
    list.push_back(std::move(one));
  }
  return list.empty() ? Json() : list.size() == 1 ? list[0] : list;
}

Json train_json(const Model& model, const std::string& path, const std::vector<Checkpoint>& checkpoints,
                const std::optional<BoundsReport>& bounds, double seconds) {
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
  if (bounds) json["bounds"] = Json::parse(bounds->json);
  if (model.learner().mode == Mode::batch) json["fit"] = fit_json(model);
  if (model.ledger()) add_ledger(json, model);
  return json;
}

// The table that users of Vowpal Wabbit know.
std::string progress_table(const Model& model, const std::vector<Checkpoint>& checkpoints) {
  if (checkpoints.empty()) return "";
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

std::string counts_text(const Model& model) {
  if (model.learner().mode == Mode::batch) {
    const std::size_t times = model.outputs() - (model.one_against_one() ? 1 : 0);
    std::string text;
    if (!model.schema().label.real())
      text = fmt::format("{} of {} training rows are on the wrong side{}\n", model.counters().mistakes,
                         model.counters().examples * times,
                         times == 1                ? ""
                         : model.one_against_one() ? " (each counted for each pair of classes it is in)"
                                                   : " (each counted for each class)");
    for (std::size_t k = 0; k < model.fit_reports().size(); ++k) {
      const FitReport& fit = model.fit_reports()[k];
      text += fmt::format("{}{}{}: objective {:.8g}, {} iterations, {} {:.2g}", k > 0 ? "\n" : "",
                          model.questions() > 1 ? model.question_text(k) + ": " : "", fit.status, fit.objective,
                          fit.iterations, fit.gap ? "duality gap" : "residual", fit.gap.value_or(fit.residual));
    }
    return text;
  }
  const Counters& counters = model.counters();
  // A score of exactly 0, as before the first update, predicts the positive class and counts as a mistake all the same.
  const bool zeros =
      counters.passes == 1 && model.outputs() == 1 && static_cast<double>(counters.mistakes) > counters.first_loss;
  const std::string mistakes =
      model.schema().label.real()
          ? ""
          : fmt::format(", mistakes {}{}", counters.mistakes, zeros ? " (a score of exactly 0 counts as one)" : "");
  return fmt::format("updates {}{}, {}", counters.updates, mistakes, error_text(model));
}

std::string summary(const Model& model, const std::string& path, double seconds) {
  const Counters& counters = model.counters();
  return fmt::format(
      "{}: {} examples, {} features, {} pass{}, {:.3g} s\n"
      "{}\n{}",
      model.learner().name, counters.examples, model.schema().width(), counters.passes,
      counters.passes == 1 ? "" : "es", seconds, counts_text(model),
      path.empty() ? "" : fmt::format("model saved to {}\n", path));
}

// The model first: a report that cannot be written must not cost it.
void save_and_report(const std::string& bytes, const std::string& path, const std::string& report) {
  if (!path.empty()) {
    OutputFile file(path);
    file.write(bytes);
    file.commit();
  }
  if (!is_standard_output(path)) print(report);
}

// No data at all: what the rules say, over columns that are to come.
void train_from_rules(const TrainFlags& flags, TrainOptions& options) {
  if (!options.recipe.rules || !flags.init.empty())
    throw ParamError("DATA is required; only rules (--advice) make a model without it");
  std::vector<std::string> columns = flags.columns.empty() ? std::vector<std::string>() : split(flags.columns, ',');
  std::vector<std::string> sorted = columns;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw ParamError(fmt::format("--columns names {} twice", in_quotes(*twice)));
  const ColumnWishes& wishes = options.read.wishes;
  const Table table = columns_to_come(options.recipe, wishes, columns, flags.reading.label());
  std::optional<Session> session;  // of a learner that can go on with rows
  std::optional<Model> batch;
  if (options.recipe.info().mode == Mode::batch) {
    batch.emplace(options.recipe.begin(options.recipe.survey(table, wishes), table));
    batch->fit({});
  } else {
    session.emplace(options.recipe, wishes, table);
  }
  const Model& model = batch ? *batch : *session->model();
  bool nothing = true;
  for (std::size_t k = 0; k < model.questions(); ++k) {
    const std::optional<LinearModel> linear = model.learner_of(k).linear();
    nothing &= linear && linear->whole &&
               std::all_of(linear->weights.begin(), linear->weights.end(), [](double w) { return w == 0; });
  }
  if (nothing)
    throw ParamError(fmt::format(
        "{} says nothing of these rules before it has seen examples; --learner {} does, and so does start=advice",
        model.learner().name, default_learner(DefaultFor::examples).name));
  if (!flags.quiet)
    note(fmt::format("no data: {} says what the rules say of {}", model.learner().name,
                     joined(model.schema().feature_names())));
  save_and_report(
      batch ? batch->to_bytes() : session->to_bytes(), flags.model,
      flags.json ? train_json(model, flags.model, {}, {}, 0).dump(2) + "\n" : summary(model, flags.model, 0));
}

// Each file in so many shards, as a cluster would learn from them.
void train_from_shards(const TrainFlags& flags) {
  ShardPlan plan{flags.recipe.recipe(), flags.reading.read_options(), flags.rounds};
  if (flags.files.empty()) throw ParamError("--shards divides DATA, which is missing");
  if (!flags.init.empty() || !flags.columns.empty() || !flags.unlabelled.empty() || flags.bounds || flags.passes != 1 ||
      flags.no_shuffle || !flags.order.empty())
    throw ParamError(
        "--shards goes without --init, --columns, --unlabelled, --bounds, --passes, --order and --no-shuffle; --rounds "
        "says how often it learns from all rows");
  std::optional<FileLock> lock;
  if (!flags.model.empty()) lock.emplace(flags.model);
  for (const Text& remark : look_first(flags.files[0], plan.read, plan.recipe))
    if (!flags.quiet) note(remark);
  Meter meter;
  const std::uint64_t count = flags.shards * flags.files.size();
  const Stopwatch watch;
  const Model model = train_in_shards(
      plan, count, flags.seed, plan.read.threads,
      [&](std::uint64_t shard, ReadOptions read) {
        read.part = {shard % flags.shards, flags.shards};
        read.threads = 1;
        return std::make_unique<Reader>(flags.files[shard / flags.shards], read);
      },
      [&](const std::string& stage, std::uint64_t done) { meter.update(stage + ", shards", 0, done, count); },
      [&](const Text& text) {
        meter.clear();
        if (!flags.quiet) note(text);
      });
  meter.clear();
  const double seconds = watch.seconds();
  save_and_report(model.to_bytes(), flags.model,
                  flags.json ? train_json(model, flags.model, {}, {}, seconds).dump(2) + "\n"
                             : summary(model, flags.model, seconds) + ledger_text(model));
  if (flags.model.empty() && !flags.quiet) note("nothing was saved; --model FILE keeps the model");
}

void run_train(TrainFlags& flags) {
  if (flags.shards > 0) {
    train_from_shards(flags);
    return;
  }
  if (flags.files.size() > 1)
    throw ParamError("several files are learned from as shards: --shards 1, one for each file");
  if (flags.rounds > 0) throw ParamError("--rounds is about --shards; --passes says how often DATA is learned from");
  if (!flags.files.empty()) flags.data = flags.files[0];
  TrainOptions options = train_options(flags);
  std::optional<FileLock> lock;  // from the start: a model that took hours must find its file free
  if (!flags.model.empty()) lock.emplace(flags.model);
  std::optional<Model> start;
  if (!flags.init.empty()) {
    if (flags.recipe.given() || flags.reading.shape_schema())
      throw ParamError(
          "--init goes on with the model's own learner, parameters, columns, scaling and classes; they cannot be given "
          "again");
    start.emplace(Model::load(flags.init));
    if (const std::optional<RuleFile> rules = flags.recipe.rules()) start->advise(*rules);  // other rules from here on
    options.init = &*start;
  }
  if (!flags.columns.empty() && !flags.data.empty())
    throw ParamError("--columns names the columns of data that are to come; DATA has its own");
  std::string data = flags.data;
  options.unlabelled = flags.unlabelled;
  if (data.empty() && !flags.unlabelled.empty()) {
    if (!options.recipe.rules) throw ParamError("--unlabelled rows alone teach nothing without rules (--advice)");
    if (!flags.reading.label().empty()) throw ParamError("--unlabelled rows alone have no --label");
    data = std::exchange(options.unlabelled, "");
    options.read.unlabelled = true;
  }
  if (data.empty()) {
    train_from_rules(flags, options);
    return;
  }
  std::vector<Text> remarks;
  if (flags.init.empty()) remarks = look_first(data, options.read, options.recipe);
  if (flags.bounds) check_bounds(flags, options);
  Meter meter;
  const auto say_remarks = [&] {  // only where training goes well: else there is one message, of what is wrong
    meter.clear();
    for (const Text& remark : std::exchange(remarks, {}))
      if (!flags.quiet) note(remark);
  };
  if (!flags.quiet)
    options.note = [&](const Text& text) {
      say_remarks();
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
  Model model = train(data, options);
  const double seconds = watch.seconds();
  say_remarks();
  std::optional<BoundsReport> bounds;
  if (flags.bounds) {
    ReadOptions again = options.read;
    again.schema = &model.schema();
    Reader rows(flags.data, again);
    bounds = report_bounds(model, rows, flags.passes);
  }
  save_and_report(model.to_bytes(), flags.model,
                  flags.json
                      ? train_json(model, flags.model, checkpoints, bounds, seconds).dump(2) + "\n"
                      : (flags.quiet ? "" : progress_table(model, checkpoints)) + summary(model, flags.model, seconds) +
                            ledger_text(model) + (bounds ? bounds->text : ""));
  if (flags.model.empty() && !flags.quiet) note("nothing was saved; --model FILE keeps the model");
}

}  // namespace

void add_train(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("train", "Learn a model from a file of examples");
  auto flags = std::make_shared<TrainFlags>();
  verb->add_option("DATA", flags->files, std::string(kDataHelp) + "; with --advice it may be missing")
      ->allow_extra_args(false)
      ->expected(-1);
  verb->add_option("--columns", flags->columns, "Without DATA: the names of the columns, separated by commas");
  verb->add_option("--model", flags->model, "File to save the model to")->check(not_empty());
  verb->add_option("--passes", flags->passes, "Number of passes over the data")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  verb->add_option("--seed", flags->seed, "Seed of the shuffling")->check(whole_number())->capture_default_str();
  verb->add_flag("--no-shuffle", flags->no_shuffle,
                 "Keep the order of the file; needs little memory whatever its size");
  verb->add_option(
          "--shards", flags->shards,
          "Divide each DATA file into this many shards and learn from them as a cluster would, on all CPUs; the "
          "model depends on the shards, never on how many learn")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  verb->add_option("--rounds", flags->rounds, "With --shards: how often to learn from all rows. Default: the learner's")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  verb->add_option("--order", flags->order, "shuffle, file or sample (with replacement)");
  flags->recipe.add_to(*verb);
  verb->add_option("--init", flags->init, "Continue training from this model");
  verb->add_flag("--bounds", flags->bounds,
                 "Show the bounds that theory gives beside what was measured: perceptron, advised, wager; adviceptron "
                 "with bias none or pinned; pa-adviceptron with bias none, --no-shuffle; esvm-online with step sqrt");
  verb->add_flag("--quiet", flags->quiet, "No remarks on standard error");
  verb->add_flag("--json", flags->json, "Print one JSON document");
  flags->reading.add_to(*verb, true, true);
  verb->add_option("--unlabelled", flags->unlabelled,
                   "A file of rows with the same columns and no labels; the learner looks at them before it learns. "
                   "Without DATA, the model is made from rules alone and these rows set the scaling")
      ->group("Data");
  verb->footer(
      "Example:  postil make synthetic --rows 500 -o points.csv\n"
      "          postil train points.csv --learner perceptron --passes 5 --model points.postil");
  verb->callback([=] { run_train(*flags); });
}

}  // namespace postil::cli
