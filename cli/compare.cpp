#include "compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "postil/text.hpp"

namespace postil::cli {
namespace {

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

}  // namespace

void CompareFlags::add_to(CLI::App& verb, bool one_learner) {
  verb.add_option("DATA", data, kDataHelp)->required();
  recipe.add_to(verb, one_learner);
  verb.add_option("--metric", metric,
                  "error, balanced_error, auc, f1 or log_loss; regression: mae, rmse or r2. Default: the first");
  verb.add_option("--decide", decide, kDecideHelp);
  verb.add_option("--seed", seed, "Seed of all random choices")->check(whole_number())->capture_default_str();
  verb.add_option("--jobs", jobs, "Threads for learning. Default: one per core")
      ->check(whole_number())
      ->check(CLI::Range(1, 256));
  verb.add_flag("--json", json, "Print one JSON document");
  reading.add_to(verb, true, true);
}

void CompareFlags::add_passes(CLI::App& verb) {
  verb.add_option("--passes", passes, "Number of passes over the training rows")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}))
      ->capture_default_str();
}

void CompareFlags::add_group(CLI::App& verb) {
  verb.add_option("--group", group,
                  "Rows with the same value in this column, for example a patient's, are never both learned from and "
                  "tested. The column is no feature, unless --kind says what it is or rules name it")
      ->type_name("COLUMN");
}

void CompareFlags::add_time(CLI::App& verb) {
  verb.add_option("--time", time,
                  "Learn from the past and test on the future: rows are taken in the order of this column, of dates or "
                  "numbers. It is no feature, unless --kind says what it is or rules name it")
      ->type_name("COLUMN");
}

ReadOptions CompareFlags::read_options(const Recipe& recipe_used) const {
  ReadOptions read = reading.read_options();
  if (!group.empty() && !time.empty()) throw ParamError("--group and --time cannot be combined; choose one of them");
  for (const std::string& column : {group, time}) {
    if (column.empty()) continue;
    read.keep.push_back(column);
    bool feature = read.wishes.kinds.contains(column) || column == read.weight;
    if (recipe_used.rules)
      for (const Column& named : schema_of_rules(*recipe_used.rules).columns) feature |= named.name == column;
    if (feature || std::find(read.ignore.begin(), read.ignore.end(), column) != read.ignore.end()) continue;
    read.ignore.push_back(column);
    read.wishes.ignored.push_back(column);
  }
  return read;
}

std::string CompareFlags::split_text() const {
  if (!group.empty()) return fmt::format(", rows of the same {} kept together", shown(group));
  return time.empty() ? "" : fmt::format(", each tested after learning from the rows before it by {}", shown(time));
}

DataSet CompareFlags::load(const Recipe& recipe_used, const ReadOptions& read, Meter& meter) const {
  DataSet out(data, recipe_used.reading(read), [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
    meter.update("reading", rows, done, total);
  });
  if (!group.empty()) out.group_by(group);
  if (!time.empty()) out.order_by(time);
  if (const std::size_t none = out.without_group(); none > 0) {
    meter.clear();
    note(fmt::format("{} row{} no value in column {}; together they count as one group", none,
                     none == 1 ? " has" : "s have", in_quotes(group)));
  }
  return out;
}

EvaluateOptions CompareFlags::options(const Recipe& recipe_used, const ReadOptions& read, Meter& meter,
                                      std::string_view stage) const {
  EvaluateOptions out;
  out.metric = metric_of(metric, recipe_used.label.regression);
  if (!decide.empty()) {
    if (recipe_used.label.regression) throw ParamError("--decide is about classes; these labels are numbers");
    out.decision = decision_of(decide);
    if (out.decision->abstain)
      throw ParamError("--decide with abstain= is for predict and evaluate; learners are compared on all rows");
  }
  out.wishes = read.wishes;
  out.passes = passes;
  out.seed = seed;
  out.threads = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  out.progress = [&meter, stage](std::uint64_t done, std::uint64_t total) { meter.update(stage, 0, done, total); };
  return out;
}

std::string metric_text(const EvaluateOptions& options) {
  std::string text(word(options.metric));
  if (options.decision) return text + fmt::format(" (decided by {})", word(*options.decision));
  if (options.metric == Metric::balanced_error)
    text += " (decided by the balanced threshold where the learner gives probabilities itself)";
  return text;
}

Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

std::string plus_minus(const MeanError& e) {
  return std::isnan(e.se) ? fmt::format("{:.4f}", e.mean) : fmt::format("{:.4f} +- {:.4f}", e.mean, e.se);
}

void tell_undefined(const MeanError& e, std::size_t tests, Metric metric, const std::string& data) {
  if (e.left_out == tests)
    throw DataError(
        {data, 0, 0},
        fmt::format("{} is defined on no test: each has rows of one class, or one value, only", word(metric)));
  if (e.left_out > 0)
    note(fmt::format(
        "{} is not defined on {} of the {} tests, which have rows of one class, or one value, only; they are left out",
        word(metric), e.left_out, tests));
}

std::vector<std::uint32_t> all_rows(const DataSet& data) {
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
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

std::optional<Recipe> rules_as_written(const Recipe& recipe) {
  const LearnerInfo& written = default_learner(DefaultFor::comparison);
  if (!recipe.rules || &recipe.info() == &written) return std::nullopt;
  Recipe out = recipe;
  out.learner = written.name;
  out.settings.clear();
  return out;
}

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

Json chosen_json(const Entrant& entrant, const std::vector<std::size_t>& chosen) {
  Json list = Json::array();
  for (const std::size_t place : chosen) list.push_back(params_json(entrant[place].params()));
  return list;
}

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

}  // namespace postil::cli
