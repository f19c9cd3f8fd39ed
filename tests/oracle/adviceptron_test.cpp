// The perceptron Adviceptron against docs/mathematics.md A6 written out with dense vectors, and its mistake bound.
#include <cmath>

#include "advice/advice_hyperplane.hpp"
#include "loss_by_rows.hpp"

namespace postil {
namespace {

using namespace test;

TaskAdvice some_rules(Random& random, std::uint32_t features) {
  TaskAdvice advice;
  for (int i = 0; i < 3; ++i) {
    TaskAdvice::Set set;
    set.z = i == 0 ? -1 : 1;
    set.trust = 0.5 + random.uniform();
    AdviceRow row;
    row.terms = {{static_cast<std::uint32_t>(random.below(features)), random.normal() < 0 ? -1.0 : 1.0}};
    row.bound = -0.3 * random.uniform();
    set.rows.push_back(row);
    advice.sets.push_back(set);
  }
  name_features(advice, 3);
  return advice;
}

TEST(Adviceptron, EqualsTheFormulas) {
  const LearnerInfo& info = find_learner("adviceptron");
  std::uint64_t seed = 0;
  for (const char* bias : {"data", "pinned", "none"})
    for (const char* average : {"none", "uniform"})
      for (const double mu : {0.001, 0.05, 1.0}) {
        Random random(++seed);
        const auto features = static_cast<std::uint32_t>(3 + seed % 4);
        TaskAdvice advice = some_rules(random, features);
        if (seed % 2 == 0) advice.directions = {{{advice.features[0].number, seed % 4 == 0 ? 1.0 : -1.0}, 3}};
        const auto obey = [&](Vector& weights) {
          for (const TaskAdvice::Sign& sign : advice.directions)
            if (sign.z * weights[sign.feature] < 0) weights[sign.feature] = 0;
        };
        const bool none = std::string(bias) == "none", pinned = std::string(bias) == "pinned";
        const double lambda = 0.7;
        auto learner = info.make(Params(info.name, info.params,
                                        {{"bias", bias},
                                         {"average", average},
                                         {"mu", fmt::format("{}", mu)},
                                         {"lambda", "0.7"},
                                         {"start", seed % 3 == 0 ? "zero" : "rules"}}));
        learner->grow(features);
        learner->take_advice(advice);

        const AdviceHyperplane plane = advice_hyperplane(advice, {.bias = !none});
        Vector w(features), r(features), sum(features);
        double trust = 0, b = seed % 3 == 0 ? 0 : plane.bias, b_sum = 0;
        for (std::size_t i = 0; i < advice.sets.size(); ++i) trust += advice.sets[i].trust;
        for (std::size_t f = 0; f < advice.features.size(); ++f) {
          const std::uint32_t j = advice.features[f].number;
          w[j] = seed % 3 == 0 ? 0 : plane.weights[f];
          for (std::size_t i = 0; i < advice.sets.size(); ++i)
            r[j] += advice.sets[i].trust * plane.sets[i].estimate[f] / plane.scale / trust;
        }
        obey(w);
        const double nu = 1 / (1 + mu * trust);
        Examples stream = random_stream(seed, 300, features);
        for (Vector& x : stream.x)  // no zeros, so that a weight of 0 +- 1e-17 decides nothing
          for (double& value : x) value += advice.directions.empty() ? 0 : 0.01;
        for (std::size_t t = 0; t < stream.x.size(); ++t) {
          const Vector& x = stream.x[t];
          const double y = stream.y[t];
          const double blend =
              nu * inner(w, x) + (1 - nu) * inner(r, x) + (pinned ? nu * b + (1 - nu) * plane.bias : b);
          const bool sigma = y * (inner(w, x) + b) <= 0, fires = y * blend <= 0;
          if (sigma) {
            add(w, lambda * y, x);
            if (!none) b += lambda * y;
          }
          if (fires) {
            for (std::uint32_t j = 0; j < features; ++j) w[j] = nu * w[j] + (1 - nu) * r[j];
            if (pinned) b = nu * b + (1 - nu) * plane.bias;
          }
          obey(w);
          add(sum, 1, w);
          b_sum += b;
          if (t % 2 == 0)
            learner->learn({.values = x.data(), .count = features}, y, 1);
          else
            learner->learn(SparseRow(x).row(), y, 1);
        }
        const LinearModel model = *learner->linear();
        const bool averaged = std::string(average) == "uniform";
        const double divide = averaged ? 300 : 1;
        for (std::uint32_t j = 0; j < features; ++j)
          ASSERT_NEAR(model.weights[j], (averaged ? sum[j] : w[j]) / divide, 1e-9)
              << seed << ' ' << bias << ' ' << average;
        ASSERT_NEAR(model.bias, none ? 0 : (averaged ? b_sum : b) / divide, 1e-9) << seed << ' ' << bias;
      }
}

// Problem (4) to the letter, with rules that all say +1: nothing speaks against w = 0, b = 1. Without a bias it has a solution that
// no other is better than.
TEST(Adviceptron, OneSidedRulesAsPrintedAreLostInTheBias) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    TaskAdvice advice = some_rules(random, 4);
    for (TaskAdvice::Set& set : advice.sets) set.z = 1;
    const AdviceHyperplane lost = advice_hyperplane(advice, {.mean_opposes = false});
    for (const double weight : lost.weights) EXPECT_NEAR(weight * lost.scale, 0, 1e-6);
    const AdviceHyperplane kept = advice_hyperplane(advice, {.mu = 10, .bias = false, .mean_opposes = false});
    Vector w(4);
    for (std::size_t f = 0; f < advice.features.size(); ++f)
      w[advice.features[f].number] = kept.weights[f] * kept.scale;
    const auto cost = [&](const Vector& at) {
      double sum = inner(at, at) / 2;
      for (const TaskAdvice::Set& set : advice.sets) sum += 5 * set.trust * loss_by_rows(advice, set, at, 0, true);
      return sum;
    };
    const double least = cost(w);
    for (int trial = 0; trial < 20; ++trial) {
      Vector other = w;
      for (double& value : other) value += std::pow(10, -1 - trial % 4) * random.normal();
      EXPECT_GE(cost(other), least * (1 - 1e-7)) << seed;
    }
    const LearnerInfo& info = find_learner("adviceptron");
    const auto weights = [&](const char* one_sided) {
      auto learner =
          info.make(Params(info.name, info.params, {{"bias", "none"}, {"one_sided", one_sided}, {"mu_start", "10"}}));
      learner->grow(4);
      learner->take_advice(advice);
      return learner->linear()->weights;
    };
    for (std::size_t f = 0; f < advice.features.size(); ++f)
      EXPECT_NEAR(weights("as_printed")[advice.features[f].number], kept.weights[f], 1e-9);
  }
}

}  // namespace
}  // namespace postil
