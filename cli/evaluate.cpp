// postil cv, postil curve, postil tune: comparing learners and settings.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "common.hpp"
#include "core/number.hpp"
#include "core/text.hpp"

namespace postil::cli {
namespace {

// What the three verbs share.
struct CompareFlags {
  std::string data, metric;
  std::uint64_t seed = 0, passes = 1;
  unsigned jobs = 0;
  bool json = false;
  RecipeFlags recipe;
  DataFlags reading;

  void add_to(CLI::App& verb, bool one_learner) {
    verb.add_option("DATA", data, "CSV or LIBSVM text, also .gz or .zst; - for standard input")->required();
    recipe.add_to(verb, one_learner);
    verb.add_option("--metric", metric,
                    "error, balanced_error, auc, f1 or log_loss; regression: mae, rmse or r2; not given: the first");
    verb.add_option("--seed", seed, "of all that is random")->check(whole_number())->capture_default_str();
    verb.add_option("--jobs", jobs, "threads that learn; not given: one per core")
        ->check(whole_number())
        ->check(CLI::Range(1, 256));
    verb.add_flag("--json", json, "one JSON document");
    reading.add_to(verb, true, true);
  }
  void add_passes(CLI::App& verb) {
    verb.add_option("--passes", passes, "how often to go over the training rows")
        ->check(whole_number())
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
        ->capture_default_str();
  }

  [[nodiscard]] DataSet load(const Recipe& recipe_used, Meter& meter) const {
    ReadOptions read = reading.read_options();
    read.real_labels = recipe_used.label.regression;
    return {data, read, [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
              meter.update("reading", rows, done, total);
            }};
  }
  [[nodiscard]] EvaluateOptions options(const Recipe& recipe_used, Meter& meter, std::string_view stage) const {
    EvaluateOptions out;
    out.metric = metric_of(metric, recipe_used.label.regression);
    out.wishes = reading.read_options().wishes;
    out.passes = passes;
    out.seed = seed;
    out.threads = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
    out.progress = [&meter, stage](std::uint64_t done, std::uint64_t total) { meter.update(stage, 0, done, total); };
    return out;
  }
};

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

std::string plus_minus(const MeanError& e) {
  return std::isnan(e.se) ? fmt::format("{:.4f}", e.mean) : fmt::format("{:.4f} +- {:.4f}", e.mean, e.se);
}

// A metric that some tests do not define: the area under a curve of one class.
void tell_undefined(const MeanError& e, std::size_t tests, Metric metric, const std::string& data) {
  if (e.left_out == tests)
    throw DataError(
        {data, 0, 0},
        fmt::format("{} is defined on no test: each has rows of one class, or one value, only", word(metric)));
  if (e.left_out > 0)
    note(fmt::format(
        "{} is not defined on {} of the {} tests, which have rows of one class, or one value, only; they are "
        "left out",
        word(metric), e.left_out, tests));
}

std::vector<std::uint32_t> all_rows(const DataSet& data) {
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

constexpr std::uint64_t kAtTheEnd[] = {~std::uint64_t{0}};

// ---- values to choose from ----

// A parameter's own grid, for --grid NAME without values: all words, or powers of ten about the default.
std::vector<std::string> own_grid(const ParamSpec& spec) {
  if (spec.kind == ParamKind::flag) return {"true", "false"};
  if (spec.kind == ParamKind::choice) return split(spec.choices, '|');
  std::vector<std::string> values;
  const double base = spec.number == 0 ? 1e-3 : spec.number;
  if (spec.range.contains(spec.number) && spec.number == 0) values.emplace_back("0");
  for (const double factor : {0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0})
    if (spec.range.contains(base * factor)) values.push_back(fmt::format("{:.6g}", base * factor));
  return values;
}

std::vector<std::map<std::string, std::string>> parse_grid(const std::vector<std::string>& words,
                                                           const LearnerInfo& info) {
  std::map<std::string, std::vector<std::string>> values;
  for (const std::string& text : words) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (equals != std::string::npos) {
      for (std::string& value : split(text.substr(equals + 1), ',')) values[name].push_back(std::move(value));
      continue;
    }
    const auto spec =
        std::find_if(info.params.begin(), info.params.end(), [&](const ParamSpec& s) { return s.name == name; });
    if (spec == info.params.end()) {
      std::vector<std::string> known;
      for (const ParamSpec& s : info.params) known.emplace_back(s.name);
      throw ParamError(fmt::format("{} has no parameter {}{}", info.name, in_quotes(name), suggestion(name, known)));
    }
    values[name] = own_grid(*spec);
  }
  std::vector<std::map<std::string, std::string>> grid = grid_of(values);
  if (grid.size() > 10'000) throw ParamError(fmt::format("--grid: {} combinations, at most 10000", grid.size()));
  return grid;
}

// A recipe for each point of the grid.
Entrant entrant_of(const Recipe& base, const std::vector<std::map<std::string, std::string>>& grid) {
  Entrant recipes;
  for (const std::map<std::string, std::string>& point : grid) {
    recipes.push_back(base);
    for (const auto& [name, value] : point) {
      if (base.settings.contains(name))
        throw ParamError(fmt::format("{} is given by --set and by --grid", in_quotes(name)));
      recipes.back().settings[name] = value;
    }
    recipes.back().check();
  }
  return recipes;
}

std::string grid_text(const Recipe& recipe, const Recipe& base) {
  std::vector<std::string> shown;
  for (const auto& [name, value] : recipe.settings)
    if (!base.settings.contains(name)) shown.push_back(fmt::format("{}={}", name, value));
  return joined(shown);
}

// What each of the splits chose.
Json chosen_json(const Entrant& entrant, const std::vector<std::size_t>& chosen) {
  Json list = Json::array();
  for (const std::size_t place : chosen) list.push_back(params_json(entrant[place].params()));
  return list;
}

// "C=0.1 (7 times), C=1 (3 times)"
std::string chosen_text(const Entrant& entrant, const Recipe& base, const std::vector<std::size_t>& chosen) {
  std::vector<std::pair<std::size_t, std::size_t>> counts;  // times, place
  for (std::size_t place = 0; place < entrant.size(); ++place)
    if (const auto times = static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), place)); times > 0)
      counts.emplace_back(times, place);
  std::stable_sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [times, place] : counts)
    text += fmt::format("{}{} ({} times)", text.empty() ? "" : "; ", grid_text(entrant[place], base), times);
  return text;
}

// ---- cv ----

struct CvFlags : CompareFlags {
  std::size_t folds = 10, inner = 5;
  std::vector<std::string> grid;
};

void run_cv(const CvFlags& flags) {
  const Recipe recipe = flags.recipe.recipe();
  const Entrant entrant = entrant_of(recipe, parse_grid(flags.grid, recipe.info()));
  Meter meter;
  EvaluateOptions options = flags.options(recipe, meter, "cross-validating");
  options.folds = flags.inner;
  const DataSet data = flags.load(recipe, meter);
  const std::vector<Split> splits = make_folds(data, all_rows(data), flags.folds, flags.seed);
  const Contest contest = compare(data, splits, std::span(&entrant, 1), kAtTheEnd, options);
  const std::vector<double>& per_fold = contest.values[0][0];
  meter.clear();
  const MeanError error = mean_error(per_fold);
  tell_undefined(error, per_fold.size(), options.metric, flags.data);
  if (flags.json) {
    Json out{{"folds", flags.folds},
             {"learner", recipe.info().name},
             {"params", params_json(recipe.params())},
             {"metric", word(options.metric)},
             {"error_mean", number_json(error.mean)},
             {"error_se", number_json(error.se)},
             {"per_fold", numbers_json(per_fold)}};
    if (entrant.size() > 1) out["chosen"] = chosen_json(entrant, contest.chosen[0]);
    print_json(out);
    return;
  }
  print(fmt::format("{}: {} {} over {} folds of {} rows\n", recipe.info().name, word(options.metric), plus_minus(error),
                    flags.folds, data.rows()));
  if (entrant.size() > 1)
    print(fmt::format("chosen by {}-fold cross-validation of each fold's training rows: {}\n", flags.inner,
                      chosen_text(entrant, recipe, contest.chosen[0])));
}

// ---- curve ----

struct CurveFlags : CompareFlags {
  std::vector<std::string> learners;
  std::string train, draw = "random", checkpoints;
  std::uint64_t runs = 20;
};

// "NAME" or "NAME:key=value,key=value"; "key=a|b|c": each run chooses.
Entrant learner_spec(const CurveFlags& flags, const std::string& text) {
  const std::size_t colon = text.find(':');
  std::map<std::string, std::string> settings;
  if (colon != std::string::npos) settings = parse_settings(split(text.substr(colon + 1), ','));
  std::map<std::string, std::vector<std::string>> choices;
  for (const auto& [name, value] : settings)
    if (value.find('|') != std::string::npos) choices[name] = split(value, '|');
  for (const auto& [name, values] : choices) settings.erase(name);
  return entrant_of(flags.recipe.recipe_of(text.substr(0, colon), std::move(settings), flags.learners.size() > 1),
                    grid_of(choices));
}

std::size_t train_rows(const CurveFlags& flags, std::size_t rows) {
  if (flags.train.empty()) return rows * 2 / 3;
  const std::optional<double> number = parse_number(flags.train);
  if (!number || !(*number > 0) || (*number > 1 && *number != std::floor(*number)))
    throw ParamError(fmt::format("--train is '{}', expected a number of rows or a share between 0 and 1", flags.train));
  if (*number < 1 || flags.train.find('.') != std::string::npos)
    return static_cast<std::size_t>(*number * static_cast<double>(rows));
  return *number < 1e18 ? static_cast<std::size_t>(*number) : rows;
}

// 0, 1, 2, 5, 10, 20, 50, ... and the last.
std::vector<std::uint64_t> usual_checkpoints(std::uint64_t last) {
  std::vector<std::uint64_t> out{0};
  for (std::uint64_t decade = 1; decade <= last; decade *= 10)
    for (const std::uint64_t digit : {1, 2, 5})
      if (digit * decade < last) out.push_back(digit * decade);
  if (last > 0) out.push_back(last);
  return out;
}

std::vector<std::uint64_t> given_checkpoints(const std::string& text, std::uint64_t last) {
  std::vector<std::uint64_t> out;
  for (const std::string& part : split(text, ',')) {
    const double number = parse_number(part).value_or(-1);
    const bool rising = out.empty() || number > static_cast<double>(out.back());
    if (number < 0 || number != std::floor(number) || number > static_cast<double>(last) || !rising)
      throw ParamError(fmt::format("--checkpoints '{}': expected rising numbers of examples from 0 to {}", text, last));
    out.push_back(static_cast<std::uint64_t>(number));
  }
  return out;
}

void run_curve(const CurveFlags& flags) {
  std::vector<std::string> names = flags.learners;
  std::vector<Entrant> entrants;
  entrants.reserve(names.size());
  for (const std::string& name : names) entrants.push_back(learner_spec(flags, name));
  if (names.empty()) {
    entrants.push_back({flags.recipe.recipe_of("", {})});
    names.emplace_back(entrants[0][0].info().name);
  }
  const Recipe& first = entrants[0][0];
  if (flags.draw != "random" && flags.draw != "balanced")
    throw ParamError(fmt::format("--draw is '{}', expected random or balanced", flags.draw));
  if (flags.draw == "balanced" && first.label.regression) throw ParamError("--draw balanced needs classes");
  Meter meter;
  const EvaluateOptions options = flags.options(first, meter, "learning");
  const DataSet data = flags.load(first, meter);
  const std::size_t train = train_rows(flags, data.rows());
  const std::vector<std::uint64_t> checkpoints =
      flags.checkpoints.empty() ? usual_checkpoints(train) : given_checkpoints(flags.checkpoints, train);
  std::vector<Split> splits;
  Random seeds(flags.seed);
  for (std::uint64_t run = 0; run < flags.runs; ++run)
    splits.push_back(draw_split(data, train, flags.draw == "balanced", seeds.bits()));
  const Contest contest = compare(data, splits, entrants, checkpoints, options);
  const auto& values = contest.values;
  meter.clear();

  Json learners = Json::array(), paired = Json::array();
  std::string text = fmt::format("{} on {} rows after learning from some of {}, {} runs\n{:>10}", word(options.metric),
                                 data.rows() - train, train, flags.runs, "examples");
  for (const std::string& name : names) text += fmt::format("  {:>20}", name);
  text += '\n';
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    text += fmt::format("{:>10}", checkpoints[c]);
    for (const auto& learner : values) text += fmt::format("  {:>20}", plus_minus(mean_error(learner[c])));
    text += '\n';
  }
  for (std::size_t r = 0; r < entrants.size(); ++r) {
    Json mean = Json::array(), se = Json::array();
    for (const std::vector<double>& runs : values[r]) {
      const MeanError error = mean_error(runs);
      mean.push_back(number_json(error.mean));
      se.push_back(number_json(error.se));
    }
    learners.push_back(
        {{"name", names[r]}, {"params", params_json(entrants[r][0].params())}, {"error_mean", mean}, {"error_se", se}});
    if (entrants[r].size() > 1) learners.back()["chosen"] = chosen_json(entrants[r], contest.chosen[r]);
    for (std::size_t other = r + 1; other < entrants.size(); ++other)
      for (std::size_t c = 0; c < checkpoints.size(); ++c) {
        const PairedTest test = paired_t_test(values[r][c], values[other][c]);
        paired.push_back({{"a", names[r]},
                          {"b", names[other]},
                          {"at", checkpoints[c]},
                          {"mean", number_json(test.mean)},
                          {"se", number_json(test.se)},
                          {"p", number_json(test.p)}});
        if (c + 1 == checkpoints.size() && !std::isnan(test.p))
          text += fmt::format("{} - {} at the end: {:+.4f} +- {:.4f}, p = {:.3g} (paired t-test)\n", names[r],
                              names[other], test.mean, test.se, test.p);
      }
  }
  if (flags.json)
    print_json({{"data", flags.data},
                {"metric", word(options.metric)},
                {"train", train},
                {"test", data.rows() - train},
                {"draw", flags.draw},
                {"runs", flags.runs},
                {"checkpoints", checkpoints},
                {"learners", learners},
                {"paired", paired}});
  else
    print(text);
}

// ---- tune ----

struct TuneFlags : CompareFlags {
  std::vector<std::string> grid;
  std::string model;
  std::size_t folds = 5;
  double holdout = 0;
};

void run_tune(const TuneFlags& flags) {
  const Recipe base = flags.recipe.recipe();
  if (flags.grid.empty())
    throw ParamError("--grid is missing: --grid C=0.1,1,10 tries three values, --grid C a row of its own choice");
  const Entrant recipes = entrant_of(base, parse_grid(flags.grid, base.info()));
  if (!flags.model.empty() && !can_read_again(flags.data))
    throw ParamError("--model reads the data a second time; DATA must be a file");
  if (!(flags.holdout >= 0 && flags.holdout < 1)) throw ParamError("--holdout is a share from 0 to below 1");
  Meter meter;
  const EvaluateOptions options = flags.options(base, meter, "tuning");
  const DataSet data = flags.load(base, meter);
  Split parts{all_rows(data), {}};
  if (flags.holdout > 0) {
    const auto held = static_cast<std::size_t>(flags.holdout * static_cast<double>(data.rows()));
    parts = draw_split(data, data.rows() - std::max<std::size_t>(held, 1), false, flags.seed);
  }
  const std::vector<Split> splits = make_folds(data, parts.train, flags.folds, flags.seed);
  const auto values = learning_curves(data, splits, recipes, kAtTheEnd, options);
  std::vector<MeanError> errors;
  std::vector<double> means;
  for (std::size_t r = 0; r < recipes.size(); ++r) {
    errors.push_back(mean_error(values[r][0]));
    means.push_back(errors[r].mean);
    if (r == 0) tell_undefined(errors[r], values[r][0].size(), options.metric, flags.data);
  }
  const std::size_t best = best_of(means, options.metric);
  std::optional<double> held_out;
  if (flags.holdout > 0) held_out = learning_curve(data, parts, std::span(&recipes[best], 1), kAtTheEnd, options)[0][0];
  meter.clear();
  if (!flags.model.empty()) {
    TrainOptions training;
    training.recipe = recipes[best];
    training.read = flags.reading.read_options();
    training.passes = flags.passes;
    training.seed = flags.seed;
    train(flags.data, training).save(flags.model);
  }
  if (flags.json) {
    Json tried = Json::array();
    for (std::size_t r = 0; r < recipes.size(); ++r)
      tried.push_back({{"params", params_json(recipes[r].params())},
                       {"error_mean", number_json(errors[r].mean)},
                       {"error_se", number_json(errors[r].se)}});
    print_json({{"learner", base.info().name},
                {"metric", word(options.metric)},
                {"folds", flags.folds},
                {"best", params_json(recipes[best].params())},
                {"error_mean", number_json(errors[best].mean)},
                {"error_se", number_json(errors[best].se)},
                {"holdout_error", held_out ? number_json(*held_out) : Json()},
                {"model", flags.model.empty() ? Json() : Json(flags.model)},
                {"tried", tried}});
    return;
  }
  std::string text =
      fmt::format("{} by {}-fold cross-validation of {} rows\n", word(options.metric), flags.folds, parts.train.size());
  for (std::size_t r = 0; r < recipes.size(); ++r)
    text += fmt::format("{} {}  {}\n", r == best ? '*' : ' ', plus_minus(errors[r]), grid_text(recipes[r], base));
  if (held_out) text += fmt::format("* on the {} rows held out: {:.4f}\n", parts.test.size(), *held_out);
  if (!flags.model.empty()) text += fmt::format("model of all rows with these settings saved to {}\n", flags.model);
  print(text);
}

}  // namespace

void add_cv(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("cv", "Cross-validate a learner");
  auto flags = std::make_shared<CvFlags>();
  flags->add_to(*verb, true);
  flags->add_passes(*verb);
  verb->add_option("--folds", flags->folds, "parts, each tested once; every class is spread over them")
      ->check(whole_number())
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  verb->add_option(
          "--grid", flags->grid,
          "KEY=A,B,...: each fold chooses among these by cross-validation of its training rows; may be repeated")
      ->allow_extra_args(false);
  verb->add_option("--inner-folds", flags->inner, "of that cross-validation")
      ->check(whole_number())
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  verb->footer("Example:  postil cv points.csv --learner pa --grid C=0.01,0.1,1 --folds 5");
  verb->callback([=] { run_cv(*flags); });
}

void add_curve(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("curve", "Learning curves of several learners over random orders");
  auto flags = std::make_shared<CurveFlags>();
  flags->add_to(*verb, false);
  verb->add_option("--learner", flags->learners,
                   "NAME or NAME:key=value,key=value; key=a|b|c: each run chooses, by cross-validation of its training "
                   "rows; may be repeated")
      ->allow_extra_args(false);
  verb->add_option("--runs", flags->runs, "random splits, the same for all learners")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}))
      ->capture_default_str();
  verb->add_option("--train", flags->train,
                   "rows to learn from, as a number or a share; the others are for the test; not given: 2/3");
  verb->add_option("--draw", flags->draw, "random, or balanced: as many training rows of each class")
      ->capture_default_str();
  verb->add_option("--checkpoints", flags->checkpoints,
                   "A,B,...: numbers of examples to test after; not given: 0,1,2,5,10,...");
  verb->footer("Example:  postil curve points.csv --learner perceptron --learner pa:C=0.1 --train 200 --runs 20");
  verb->callback([=] { run_curve(*flags); });
}

void add_tune(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("tune", "Choose parameters by cross-validation");
  auto flags = std::make_shared<TuneFlags>();
  flags->add_to(*verb, true);
  flags->add_passes(*verb);
  verb->add_option("--grid", flags->grid,
                   "KEY=A,B,...: values of a parameter to try, or KEY alone for a usual range; may be repeated")
      ->allow_extra_args(false);
  verb->add_option("--folds", flags->folds, "of the cross-validation")
      ->check(whole_number())
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  verb->add_option("--holdout", flags->holdout, "share of rows kept from the choice, to tell how good it really is")
      ->capture_default_str();
  verb->add_option("--model", flags->model, "train on all rows with the best parameters and save the model here");
  verb->footer("Example:  postil tune points.csv --learner pa --grid C=0.01,0.1,1 --grid variant --holdout 0.25");
  verb->callback([=] { run_tune(*flags); });
}

}  // namespace postil::cli
