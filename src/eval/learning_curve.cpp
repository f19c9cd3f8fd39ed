// learning_curve.cpp: what several learners make of the same splits; cross-validation is a curve with one checkpoint.
#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "core/parallel.hpp"
#include "model/components.hpp"
#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/metrics.hpp"
#include "postil/random.hpp"

namespace postil {
namespace {

double measured(const Model& model, const Block& test, Metric metric) {
  const Label& label = model.schema().label;
  std::vector<double> scores(model.outputs());
  if (label.real()) {
    RegressionEvaluation evaluation;
    for (std::size_t i = 0; i < test.rows(); ++i) {
      model.score(test.row(i), scores);
      evaluation.add(test.labels()[i], scores[0]);
    }
    if (metric == Metric::mae) return evaluation.mae();
    if (metric == Metric::rmse) return evaluation.rmse();
    return evaluation.r2().value_or(std::numeric_limits<double>::quiet_NaN());
  }
  Evaluation evaluation(label.classes.size(), label.positive);
  for (std::size_t i = 0; i < test.rows(); ++i) {
    model.score(test.row(i), scores);
    evaluation.add(static_cast<std::uint32_t>(test.labels()[i]), static_cast<std::uint32_t>(model.decide(scores)),
                   scores);
  }
  switch (metric) {
    case Metric::balanced_error: return evaluation.balanced_error();
    case Metric::auc: return evaluation.auc().value_or(std::numeric_limits<double>::quiet_NaN());
    case Metric::f1: return evaluation.f1();
    case Metric::log_loss: return evaluation.log_loss();
    default: return 1 - evaluation.accuracy();
  }
}

}  // namespace

std::vector<std::vector<double>> learning_curve(const DataSet& data, const Split& split,
                                                std::span<const Recipe> recipes,
                                                std::span<const std::uint64_t> checkpoints,
                                                const EvaluateOptions& options) {
  Block train = data.select(split.train);
  Survey survey(data.table(), recipes[0].scale_for(data.format()), options.wishes,
                std::any_of(recipes.begin(), recipes.end(),
                            [](const Recipe& recipe) { return recipe.rules.has_value(); }));  // training rows only
  survey.add(train);
  Schema schema = recipes[0].schema(survey, data.table());
  if (recipes[0].components > 0) {
    Encoder plain(schema, data.table());
    const Block rows = plain.encode(data.select(split.train));
    schema.projection = principal_components(std::span(&rows, 1), schema.features, recipes[0].components);
  }
  Encoder encoder(schema, data.table());
  train = encoder.encode(std::move(train));
  const Block test = encoder.encode(data.select(split.test));

  std::vector<std::vector<double>> curves;
  for (const Recipe& recipe : recipes) {
    Model model = recipe.begin(schema);
    std::vector<double>& curve = curves.emplace_back();
    if (recipe.info().mode == Mode::batch) {  // each checkpoint from the start
      for (const std::uint64_t checkpoint : checkpoints) {
        const std::size_t rows = std::min<std::uint64_t>(checkpoint, split.train.size());
        if (curve.empty() || rows > 0) model = recipe.begin(schema);
        const Block first = encoder.encode(data.select(std::span(split.train).first(rows)));
        if (rows > 0 || recipe.rules) model.fit(std::span(&first, 1));
        curve.push_back(measured(model, test, options.metric));
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
          curve.push_back(measured(model, test, options.metric));
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

std::vector<std::vector<std::vector<double>>> learning_curves(const DataSet& data, std::span<const Split> splits,
                                                              std::span<const Recipe> recipes,
                                                              std::span<const std::uint64_t> checkpoints,
                                                              const EvaluateOptions& options) {
  std::vector<std::vector<std::vector<double>>> out(
      recipes.size(), std::vector<std::vector<double>>(checkpoints.size(), std::vector<double>(splits.size())));
  const auto run_split = [&](std::size_t s) {
    const std::vector<std::vector<double>> curves = learning_curve(data, splits[s], recipes, checkpoints, options);
    for (std::size_t r = 0; r < recipes.size(); ++r)
      for (std::size_t c = 0; c < checkpoints.size(); ++c) out[r][c][s] = curves[r][c];
  };
  std::mutex mutex;
  std::size_t done = 0;
  in_parallel(
      splits.size(),
      [&](std::size_t s) {
        run_split(s);
        const std::lock_guard lock(mutex);
        if (options.progress) options.progress(++done, splits.size());
      },
      options.threads);
  return out;
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
