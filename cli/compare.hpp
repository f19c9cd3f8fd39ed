// What the verbs that compare learners and settings share: cv, curve, tune.
#pragma once

#include "common.hpp"

namespace postil::cli {

struct CompareFlags {
  std::string data, metric, decide, group, time;
  std::uint64_t seed = 0, passes = 1;
  unsigned jobs = 0;
  bool json = false;
  RecipeFlags recipe;
  DataFlags reading;

  void add_to(CLI::App& verb, bool one_learner);
  void add_passes(CLI::App& verb);
  void add_group(CLI::App& verb);
  void add_time(CLI::App& verb);
  [[nodiscard]] ReadOptions read_options(const Recipe& recipe_used) const;
  [[nodiscard]] std::string split_text() const;  // ", patient never on both sides"; empty: by chance
  [[nodiscard]] DataSet load(const Recipe& recipe_used, const ReadOptions& read, Meter& meter) const;
  [[nodiscard]] EvaluateOptions options(const Recipe& recipe_used, const ReadOptions& read, Meter& meter,
                                        std::string_view stage) const;
};

// The metric, and how labels were decided for it where that is not the sign of the score.
std::string metric_text(const EvaluateOptions& options);

inline constexpr std::uint64_t kAtTheEnd[] = {~std::uint64_t{0}};

Json number_json(double value);  // null if it is not finite
Json numbers_json(const std::vector<double>& values);
std::string plus_minus(const MeanError& e);
// A metric that some tests do not define: the area under a curve of one class.
void tell_undefined(const MeanError& e, std::size_t tests, Metric metric, const std::string& data);
std::vector<std::uint32_t> all_rows(const DataSet& data);

// Values to choose from: "KEY=A,B,..." or "KEY".
std::vector<std::map<std::string, std::string>> parse_grid(const std::vector<std::string>& words,
                                                           const LearnerInfo& info);
// The rules of a recipe as written, beside which its learner is put; none: it has none, or is that itself.
std::optional<Recipe> rules_as_written(const Recipe& recipe);
// A recipe for each point of the grid.
Entrant entrant_of(const Recipe& base, const std::vector<std::map<std::string, std::string>>& grid);
std::string grid_text(const Recipe& recipe, const Recipe& base);
// What each of the splits chose.
Json chosen_json(const Entrant& entrant, const std::vector<std::size_t>& chosen);
// "C=0.1 (7 times), C=1 (3 times)"
std::string chosen_text(const Entrant& entrant, const Recipe& base, const std::vector<std::size_t>& chosen);

}  // namespace postil::cli
