// postil tune: parameters chosen by cross-validation.
#include <fmt/format.h>

#include "compare.hpp"

namespace postil::cli {
namespace {

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
  ReadOptions read = flags.read_options(base);
  const std::vector<Text> remarks = look_first(flags.data, read, base);
  const EvaluateOptions options = flags.options(base, read, meter, "tuning");
  const DataSet data = flags.load(base, read, meter);
  for (const Text& remark : remarks) note(remark);
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
    training.read = read;
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
                {"decide", options.decision ? Json(word(*options.decision)) : Json()},
                {"folds", flags.folds},
                {"best", params_json(recipes[best].params())},
                {"error_mean", number_json(errors[best].mean)},
                {"error_se", number_json(errors[best].se)},
                {"holdout_error", held_out ? number_json(*held_out) : Json()},
                {"model", flags.model.empty() ? Json() : Json(flags.model)},
                {"tried", tried}});
    return;
  }
  std::string text = fmt::format("{} by {}-fold cross-validation of {} rows{}\n", metric_text(options), flags.folds,
                                 parts.train.size(), flags.split_text());
  for (std::size_t r = 0; r < recipes.size(); ++r)
    text += fmt::format("{} {}  {}\n", r == best ? '*' : ' ', plus_minus(errors[r]), grid_text(recipes[r], base));
  if (held_out) text += fmt::format("* on the {} rows held out: {:.4f}\n", parts.test.size(), *held_out);
  if (!flags.model.empty()) text += fmt::format("model of all rows with these settings saved to {}\n", flags.model);
  print(text);
}

}  // namespace

void add_tune(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("tune", "Choose parameters by cross-validation");
  auto flags = std::make_shared<TuneFlags>();
  flags->add_to(*verb, true);
  flags->add_passes(*verb);
  verb->add_option("--grid", flags->grid,
                   "KEY=A,B,...: values of a parameter to try, or KEY alone for a usual range. May be repeated")
      ->allow_extra_args(false);
  verb->add_option("--folds", flags->folds, "of the cross-validation")
      ->check(whole_number())
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  verb->add_option("--holdout", flags->holdout, "share of rows kept from the choice, to tell how good it really is")
      ->capture_default_str();
  flags->add_group(*verb);
  flags->add_time(*verb);
  verb->add_option("--model", flags->model, "train on all rows with the best parameters and save the model here");
  verb->footer("Example:  postil tune points.csv --learner pa --grid C=0.01,0.1,1 --grid variant --holdout 0.25");
  verb->callback([=] { run_tune(*flags); });
}

}  // namespace postil::cli
