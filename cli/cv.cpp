// postil cv: cross-validation of a learner.
#include <fmt/format.h>

#include "compare.hpp"

namespace postil::cli {
namespace {

struct CvFlags : CompareFlags {
  std::size_t folds = 10, inner = 5;
  std::vector<std::string> grid;
  std::string folds_file;
};

// The fold in which each row is tested, from 1; 0: it is only learned from.
void write_folds(const std::string& path, const DataSet& data, const std::vector<Split>& splits) {
  std::vector<std::size_t> tested(data.rows());
  for (std::size_t f = 0; f < splits.size(); ++f)
    for (const std::uint32_t row : splits[f].test) tested[row] = f + 1;
  OutputFile out(path);
  out.write("line,fold\n");
  for (std::size_t row = 0; row < tested.size(); ++row) out.write(fmt::format("{},{}\n", data.line(row), tested[row]));
  out.commit();
}

void run_cv(const CvFlags& flags) {
  const Recipe recipe = flags.recipe.recipe();
  const Entrant entrant = entrant_of(recipe, parse_grid(flags.grid, recipe.info()));
  Meter meter;
  ReadOptions read = flags.read_options(recipe);
  const std::vector<Text> remarks = look_first(flags.data, read, recipe);
  EvaluateOptions options = flags.options(recipe, read, meter, "cross-validating");
  options.folds = flags.inner;
  const DataSet data = flags.load(recipe, read, meter);
  for (const Text& remark : remarks) note(remark);
  const std::vector<Split> splits = make_folds(data, all_rows(data), flags.folds, flags.seed);
  std::vector<Entrant> entrants{entrant};
  if (std::optional<Recipe> written = rules_as_written(recipe)) entrants.push_back({*std::move(written)});
  if (!flags.folds_file.empty()) write_folds(flags.folds_file, data, splits);
  const Contest contest = compare(data, splits, entrants, kAtTheEnd, options);
  const std::vector<double>& per_fold = contest.values[0][0];
  meter.clear();
  const MeanError error = mean_error(per_fold);
  tell_undefined(error, per_fold.size(), options.metric, flags.data);
  if (flags.json) {
    Json out{{"folds", flags.folds},
             {"learner", recipe.info().name},
             {"params", params_json(recipe.params())},
             {"metric", word(options.metric)},
             {"decide", options.decision ? Json(word(*options.decision)) : Json()},
             {"error_mean", number_json(error.mean)},
             {"error_se", number_json(error.se)},
             {"per_fold", numbers_json(per_fold)}};
    if (!flags.group.empty()) out["group"] = flags.group;
    if (!flags.time.empty()) out["time"] = flags.time;
    if (entrant.size() > 1) out["chosen"] = chosen_json(entrant, contest.chosen[0]);
    if (entrants.size() > 1) {
      const MeanError written = mean_error(contest.values[1][0]);
      out["rules_as_written"] = {{"error_mean", number_json(written.mean)}, {"error_se", number_json(written.se)}};
    }
    print_json(out);
    return;
  }
  print(fmt::format("{}: {} {} over {} folds of {} rows{}\n", recipe.info().name, metric_text(options),
                    plus_minus(error), flags.folds, data.rows(), flags.split_text()));
  if (entrants.size() > 1)
    print(fmt::format("the rules as written: {} {}\n", word(options.metric),
                      plus_minus(mean_error(contest.values[1][0]))));
  if (entrant.size() > 1)
    print(fmt::format("chosen by {}-fold cross-validation of each fold's training rows: {}\n", flags.inner,
                      chosen_text(entrant, recipe, contest.chosen[0])));
}

}  // namespace

void add_cv(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("cv", "Cross-validate a learner");
  auto flags = std::make_shared<CvFlags>();
  flags->add_to(*verb, true);
  flags->add_passes(*verb);
  verb->add_option("--folds", flags->folds,
                   "Number of parts, each tested once; every class is spread evenly over them. With --time, "
                   "each is learned from all rows before it")
      ->check(whole_number())
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  verb->add_option(
          "--grid", flags->grid,
          "KEY=A,B,...: each fold chooses among these values by cross-validation of its training rows. May be repeated")
      ->allow_extra_args(false);
  verb->add_option("--inner-folds", flags->inner, "Folds of that inner cross-validation")
      ->check(whole_number())
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str();
  flags->add_group(*verb);
  flags->add_time(*verb);
  verb->add_option("--save-folds", flags->folds_file,
                   "Write a CSV file with the fold in which each line of DATA is tested; 0: only learned from")
      ->type_name("FILE");
  verb->footer("Example:  postil cv points.csv --learner pa --grid C=0.01,0.1,1 --folds 5");
  verb->callback([=] { run_cv(*flags); });
}

}  // namespace postil::cli
