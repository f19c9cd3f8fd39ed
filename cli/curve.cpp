// postil curve: learning curves of several learners.
#include <fmt/format.h>

#include <cmath>

#include "compare.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

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
  const Recipe first = entrants[0][0];
  const std::size_t asked = entrants.size();  // and what the rules of one of them are worth, unless that was asked for
  std::optional<Recipe> written;
  for (std::size_t r = 0; r < asked && !written; ++r) written = rules_as_written(entrants[r][0]);
  const LearnerInfo& comparison = default_learner(DefaultFor::comparison);
  if (std::any_of(entrants.begin(), entrants.end(), [&](const Entrant& e) { return &e[0].info() == &comparison; }))
    written.reset();
  if (written) {
    entrants.push_back({*written});
    names.emplace_back("rules as written");
  }
  if (flags.draw != "random" && flags.draw != "balanced")
    throw ParamError(fmt::format("--draw is '{}', expected random or balanced", flags.draw));
  if (flags.draw == "balanced" && !flags.group.empty())
    throw ParamError("--draw balanced cannot be combined with --group");
  if (flags.draw == "balanced" && first.label.regression) throw ParamError("--draw balanced needs classes");
  Meter meter;
  ReadOptions read = flags.read_options(first);
  const std::vector<Text> remarks = look_first(flags.data, read, first);
  const EvaluateOptions options = flags.options(first, read, meter, "learning");
  const DataSet data = flags.load(first, read, meter);
  for (const Text& remark : remarks) note(remark);
  const std::size_t train = train_rows(flags, data.rows());
  const std::vector<std::uint64_t> checkpoints =
      flags.checkpoints.empty() ? usual_checkpoints(train) : given_checkpoints(flags.checkpoints, train);
  std::vector<Split> splits;
  Random seeds(flags.seed);
  for (std::uint64_t run = 0; run < flags.runs; ++run)
    splits.push_back(draw_split(data, train, flags.draw == "balanced", seeds.bits()));
  std::size_t tested = 0;  // in a run; with --group their numbers differ a little
  for (const Split& split : splits) tested += split.test.size();
  tested /= splits.size();
  const Contest contest = compare(data, splits, entrants, checkpoints, options);
  const auto& values = contest.values;
  meter.clear();

  Json learners = Json::array(), paired = Json::array();
  std::string text =
      fmt::format("{} on {}{} rows after learning from some of {}{}, {} runs\n{:>10}", metric_text(options),
                  flags.group.empty() ? "" : "about ", tested, train, flags.split_text(), flags.runs, "examples");
  for (const std::string& name : names) text += fmt::format("  {:>20}", name);
  text += '\n';
  for (std::size_t c = 0; c < checkpoints.size(); ++c) {
    text += fmt::format("{:>10}", checkpoints[c]);
    for (const auto& learner : values) text += fmt::format("  {:>20}", plus_minus(mean_error(learner[c])));
    text += '\n';
  }
  Json beside;
  for (std::size_t r = 0; r < entrants.size(); ++r) {
    Json mean = Json::array(), se = Json::array();
    for (const std::vector<double>& runs : values[r]) {
      const MeanError error = mean_error(runs);
      mean.push_back(number_json(error.mean));
      se.push_back(number_json(error.se));
    }
    if (r == asked) {
      beside = {{"error_mean", mean}, {"error_se", se}};
      break;
    }
    learners.push_back(
        {{"name", names[r]}, {"params", params_json(entrants[r][0].params())}, {"error_mean", mean}, {"error_se", se}});
    if (entrants[r].size() > 1) learners.back()["chosen"] = chosen_json(entrants[r], contest.chosen[r]);
    for (std::size_t other = r + 1; other < asked; ++other)
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
  Json out{{"data", flags.data},
           {"metric", word(options.metric)},
           {"decide", options.decision ? Json(word(*options.decision)) : Json()},
           {"train", train},
           {"test", tested},
           {"draw", flags.draw},
           {"runs", flags.runs},
           {"checkpoints", checkpoints},
           {"learners", learners},
           {"paired", paired}};
  if (written) out["rules_as_written"] = std::move(beside);
  if (flags.json)
    print_json(out);
  else
    print(text);
}

}  // namespace

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
                   "Rows to learn from, as a number or a share; the others are for testing. Default: 2/3");
  verb->add_option("--draw", flags->draw, "random, or balanced: as many training rows of each class")
      ->capture_default_str();
  flags->add_group(*verb);
  verb->add_option("--checkpoints", flags->checkpoints,
                   "A,B,...: numbers of examples after which to test. Default: 0,1,2,5,10,...");
  verb->footer("Example:  postil curve points.csv --learner perceptron --learner pa:C=0.1 --train 200 --runs 20");
  verb->callback([=] { run_curve(*flags); });
}

}  // namespace postil::cli
