// learning_curve.cpp: what several learners make of the same splits; cross-validation is a curve with one checkpoint.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "advice/rule_truth.hpp"
#include "core/kernels.hpp"
#include "core/parallel.hpp"
#include "model/components.hpp"
#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/random.hpp"

namespace postil {
namespace {

constexpr std::uint64_t kAtTheEnd[] = {~std::uint64_t{0}};

// The scores of many rows by one model: by its weights, where they are all there is. A learner's own way to a score may be longer
// (wager goes through the rules) and differ in the last bit.
class Scorer {
 public:
  explicit Scorer(const Model& model) : model_(model) {
    for (std::size_t k = 0; !model.one_against_one() && k < model.outputs(); ++k) {
      std::optional<LinearModel> linear = model.learner_of(k).linear();
      if (!linear || !linear->whole) break;
      linear_.push_back(std::move(*linear));
    }
  }
  void operator()(const Row& x, std::span<double> scores) const {
    if (linear_.size() < scores.size()) return model_.score(x, scores);
    for (std::size_t k = 0; k < scores.size(); ++k) scores[k] = dot(x, linear_[k].weights.data()) + linear_[k].bias;
  }

 private:
  const Model& model_;
  std::vector<LinearModel> linear_;
};

double measured(const Model& model, const Block& test, const EvaluateOptions& options) {
  const Metric metric = options.metric;
  const Label& label = model.schema().label;
  const Scorer score(model);
  std::vector<double> scores(model.outputs());
  if (label.real()) {
    RegressionEvaluation evaluation;
    for (std::size_t i = 0; i < test.rows(); ++i) {
      score(test.row(i), scores);
      evaluation.add(test.labels()[i], scores[0]);
    }
    if (metric == Metric::mae) return evaluation.mae();
    if (metric == Metric::rmse) return evaluation.rmse();
    return evaluation.r2().value_or(std::numeric_limits<double>::quiet_NaN());
  }
  Evaluation evaluation(label.classes.size(), label.positive);
  const Probabilities probability(model);
  const Decision decision = options.decision.value_or(decision_for(metric, model.learner()));
  const bool by_score = !options.decision && decision.kind == Decision::Kind::likely;
  std::vector<double> probabilities(label.classes.size());
  for (std::size_t i = 0; i < test.rows(); ++i) {
    score(test.row(i), scores);
    probability.of(scores, probabilities);
    const std::uint32_t predicted =
        by_score ? static_cast<std::uint32_t>(model.decide(scores)) : probability.decide(probabilities, decision);
    evaluation.add(static_cast<std::uint32_t>(test.labels()[i]), predicted, scores, probabilities);
  }
  switch (metric) {
    case Metric::balanced_error: return evaluation.balanced_error();
    case Metric::auc: return evaluation.auc().value_or(std::numeric_limits<double>::quiet_NaN());
    case Metric::f1: return evaluation.f1();
    case Metric::log_loss: return evaluation.log_loss();
    default: return 1 - evaluation.accuracy();
  }
}

// The place of the recipe that does best in cross-validation of these rows.
std::size_t choose(const DataSet& data, std::span<const std::uint32_t> rows, const Entrant& entrant,
                   const EvaluateOptions& options) {
  if (entrant.size() == 1) return 0;
  std::vector<std::vector<double>> values(entrant.size());
  const std::size_t least = data.times().empty() ? 2 : 1;
  const std::size_t folds = std::min(options.folds, std::max(least, most_folds(data, rows)));
  for (const Split& fold : make_folds(data, rows, folds, options.seed)) {
    const std::vector<std::vector<double>> curves = learning_curve(data, fold, entrant, kAtTheEnd, options);
    for (std::size_t r = 0; r < entrant.size(); ++r) values[r].push_back(curves[r][0]);
  }
  std::vector<double> means;
  means.reserve(values.size());
  for (const std::vector<double>& of_folds : values) means.push_back(mean_error(of_folds).mean);
  return best_of(means, options.metric);
}

}  // namespace

std::size_t best_of(std::span<const double> means, Metric metric) {
  const double sign = larger_is_better(metric) ? -1 : 1;
  std::size_t best = 0;
  for (std::size_t r = 0; r < means.size(); ++r)
    if (sign * means[r] < sign * means[best] || std::isnan(means[best])) best = r;
  return best;
}

std::vector<std::vector<double>> learning_curve(const DataSet& data, const Split& split,
                                                std::span<const Recipe> recipes,
                                                std::span<const std::uint64_t> checkpoints,
                                                const EvaluateOptions& options) {
  Block train = data.select(split.train);
  const auto with_rules =
      std::find_if(recipes.begin(), recipes.end(), [](const Recipe& recipe) { return recipe.rules.has_value(); });
  Recipe shared = recipes[0];  // of the schema, which holds what any of them needs
  if (with_rules != recipes.end()) shared.rules = with_rules->rules;
  Survey survey = shared.survey(data.table(), options.wishes);
  survey.add(train);  // training rows only
  Schema schema = shared.schema(survey, data.table());
  if (recipes[0].components > 0) {
    Encoder plain(schema, data.table());
    const Block rows = plain.encode(data.select(split.train));
    schema.projection = principal_components(std::span(&rows, 1), schema.features, recipes[0].components);
  }
  Encoder encoder(schema, data.table());
  train = encoder.encode(std::move(train));
  Block test = encoder.encode(data.select(split.test));

  std::vector<std::vector<double>> curves;
  for (const Recipe& recipe : recipes) {
    Model model = recipe.begin(schema);
    RulesThatHold holds;  // on the training rows
    if (model.advice()) {
      RuleTruth truth(*model.advice(), model.schema(), data.table());
      holds = truth.of(data.select(split.train));
      test.set_rules(truth.of(data.select(split.test)));
    }
    train.set_rules(holds);
    model.study(std::span(&train, 1));
    std::vector<double>& curve = curves.emplace_back();
    if (recipe.info().mode == Mode::batch) {  // each checkpoint from the start
      for (const std::uint64_t checkpoint : checkpoints) {
        const std::size_t rows = std::min<std::uint64_t>(checkpoint, split.train.size());
        if (curve.empty() || rows > 0) {
          model = recipe.begin(schema);
          model.study(std::span(&train, 1));
        }
        Block first = encoder.encode(data.select(std::span(split.train).first(rows)));
        first.set_rules(holds.part(0, rows));
        if (rows > 0 || recipe.rules) model.fit(std::span(&first, 1));
        curve.push_back(measured(model, test, options));
      }
      continue;
    }
    std::vector<std::uint32_t> order(train.rows());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    Random random(options.seed);
    for (std::uint64_t pass = 1; pass <= options.passes; ++pass) {
      if (pass > 1) random.shuffle(std::span(order));
      const auto measure_up_to = [&](std::uint64_t learned) {
        while (pass == options.passes && curve.size() < checkpoints.size() && checkpoints[curve.size()] <= learned)
          curve.push_back(measured(model, test, options));
      };
      for (std::size_t k = 0; k < order.size(); ++k) {
        measure_up_to(k);
        model.learn(train.row(order[k]), train.labels()[order[k]], train.weight(order[k]), pass == 1);
      }
      measure_up_to(pass == options.passes ? std::numeric_limits<std::uint64_t>::max() : 0);
    }
  }
  return curves;
}

Contest compare(const DataSet& data, std::span<const Split> splits, std::span<const Entrant> entrants,
                std::span<const std::uint64_t> checkpoints, const EvaluateOptions& options) {
  Contest out;
  out.values.assign(entrants.size(),
                    std::vector<std::vector<double>>(checkpoints.size(), std::vector<double>(splits.size())));
  out.chosen.assign(entrants.size(), std::vector<std::size_t>(splits.size()));
  std::mutex mutex;
  std::size_t done = 0;
  in_parallel(
      splits.size(),
      [&](std::size_t s) {
        std::vector<Recipe> recipes;
        for (std::size_t e = 0; e < entrants.size(); ++e) {
          out.chosen[e][s] = choose(data, splits[s].train, entrants[e], options);
          recipes.push_back(entrants[e][out.chosen[e][s]]);
        }
        const std::vector<std::vector<double>> curves = learning_curve(data, splits[s], recipes, checkpoints, options);
        for (std::size_t e = 0; e < entrants.size(); ++e)
          for (std::size_t c = 0; c < checkpoints.size(); ++c) out.values[e][c][s] = curves[e][c];
        const std::lock_guard lock(mutex);
        if (options.progress) options.progress(++done, splits.size());
      },
      options.threads);
  return out;
}

std::vector<std::vector<std::vector<double>>> learning_curves(const DataSet& data, std::span<const Split> splits,
                                                              std::span<const Recipe> recipes,
                                                              std::span<const std::uint64_t> checkpoints,
                                                              const EvaluateOptions& options) {
  std::vector<Entrant> entrants;
  entrants.reserve(recipes.size());
  for (const Recipe& recipe : recipes) entrants.push_back({recipe});
  return compare(data, splits, entrants, checkpoints, options).values;
}

std::vector<std::map<std::string, std::string>> grid_of(const std::map<std::string, std::vector<std::string>>& values) {
  std::vector<std::map<std::string, std::string>> grid(1);
  for (const auto& [name, list] : values) {
    std::vector<std::map<std::string, std::string>> longer;
    for (const std::map<std::string, std::string>& point : grid)
      for (const std::string& value : list) {
        longer.push_back(point);
        longer.back()[name] = value;
      }
    grid = std::move(longer);
  }
  return grid;
}

}  // namespace postil
