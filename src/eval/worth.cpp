// worth.cpp: learning with the rules, without them, and without each of them, on the same rows in the same order.
#include "postil/worth.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "postil/error.hpp"

namespace postil {
namespace {

RuleFile without_rule(const RuleFile& file, std::size_t rule) {
  RuleFile out = file;
  std::size_t seen = 0;
  std::erase_if(out.statements, [&](const Statement& statement) {
    return std::holds_alternative<RuleStatement>(statement.what) && seen++ == rule;
  });
  return without_problems(parse_rules(print_rules(out), file.source));
}

// 0, 5, 10, 20, 50, ... and the last.
std::vector<std::uint64_t> checkpoints_up_to(std::uint64_t last) {
  std::vector<std::uint64_t> out{0};
  for (std::uint64_t decade = 1; decade <= last; decade *= 10)
    for (const std::uint64_t digit : {1, 2, 5})
      if (digit * decade >= 5 && digit * decade < last) out.push_back(digit * decade);
  out.push_back(last);
  return out;
}

// The least number of labels at which a curve, straight between its points, is as low.
std::optional<double> labels_for(double error, const std::vector<std::uint64_t>& labels,
                                 const std::vector<MeanError>& curve) {
  if (curve[0].mean <= error) return 0;
  for (std::size_t k = 1; k < curve.size(); ++k) {
    if (curve[k].mean > error) continue;
    const auto from = static_cast<double>(labels[k - 1]), to = static_cast<double>(labels[k]);
    return from + (to - from) * (curve[k - 1].mean - error) / (curve[k - 1].mean - curve[k].mean);
  }
  return std::nullopt;
}

}  // namespace

RulesWorth rules_worth(const Recipe& recipe, const DataSet& data, const ColumnWishes& wishes,
                       const WorthOptions& options) {
  std::vector<Recipe> recipes{recipe, recipe};
  recipes[1].rules.reset();
  std::size_t rules = 0;
  for (const Statement& statement : recipe.rules->statements)
    rules += std::holds_alternative<RuleStatement>(statement.what) ? 1 : 0;
  for (std::size_t r = 0; r < rules && rules > 1; ++r) {
    recipes.push_back(recipe);
    recipes.back().rules = without_rule(*recipe.rules, r);
  }
  RulesWorth out;
  out.metric = recipe.label.regression ? Metric::mae : Metric::balanced_error;
  out.runs = options.runs;
  const std::uint64_t labels = std::min<std::uint64_t>(options.labels, data.rows() / 2);
  if (labels < 2)
    throw DataError(
        {.code = Code::empty, .place = {data.table().source}, .message = "there are too few labelled rows"});
  out.checkpoints = checkpoints_up_to(labels);
  std::vector<Split> splits;
  Random seeds(options.seed);
  for (std::uint64_t run = 0; run < options.runs; ++run)
    splits.push_back(draw_split(data, labels, false, seeds.bits()));
  out.tested = splits[0].test.size();
  EvaluateOptions evaluate;
  evaluate.metric = out.metric;
  evaluate.wishes = wishes;
  evaluate.seed = options.seed;
  evaluate.threads = options.threads > 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  evaluate.progress = options.progress;
  const auto values = learning_curves(data, splits, recipes, out.checkpoints, evaluate);
  for (std::size_t c = 0; c < out.checkpoints.size(); ++c) {
    out.with.push_back(mean_error(values[0][c]));
    out.without.push_back(mean_error(values[1][c]));
  }
  for (const MeanError& error : out.with) out.labels.push_back(labels_for(error.mean, out.checkpoints, out.without));
  const auto over_checkpoints = [&](std::size_t entrant) {
    std::vector<double> sums(options.runs);
    for (const std::vector<double>& at : values[entrant])
      for (std::size_t run = 0; run < at.size(); ++run)
        sums[run] += at[run] / static_cast<double>(out.checkpoints.size());
    return sums;
  };
  const std::vector<double> all = over_checkpoints(0);
  if (rules == 1) out.rules.push_back(paired_t_test(over_checkpoints(1), all));
  for (std::size_t r = 0; r < rules && rules > 1; ++r) out.rules.push_back(paired_t_test(over_checkpoints(2 + r), all));
  return out;
}

}  // namespace postil
