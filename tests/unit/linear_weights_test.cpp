// Lazy weights against plain ones, through hundreds of scalings, clearings and saves.
#include "learners/linear_weights.hpp"

#include <cmath>
#include <map>

#include "support.hpp"

namespace postil {
namespace {

constexpr ParamSpec kSpecs[] = {kBiasParam, kAverageParam};

class LazyWeights : public testing::TestWithParam<const char*> {};

TEST_P(LazyWeights, EqualPlainOnes) {
  constexpr std::size_t kFeatures = 10;
  const Params params("x", kSpecs, {{"average", GetParam()}, {"bias", "0.5"}});
  Random random(5);
  LinearWeights lazy(params), saved(params);
  lazy.grow(kFeatures);
  saved.grow(kFeatures);
  std::vector<double> w(kFeatures + 1), sum(kFeatures + 1);
  for (int round = 1; round <= 6000; ++round) {
    const auto index = static_cast<std::uint32_t>(random.below(kFeatures - 1));  // the last feature is never touched
    const double value = random.normal(), step = random.normal();
    const Row row{.indices = &index, .values = &value, .count = 1};
    const double factor = 0.3 + random.uniform();  // 1e-100 comes every few hundred rounds
    const bool clear = random.uniform() < 0.001;
    for (LinearWeights* weights : {&lazy, &saved}) {
      if (clear)
        weights->clear();
      else
        weights->scale(factor);
      weights->add(step, row);
      weights->end_round();
    }
    for (double& v : w) v *= clear ? 0 : factor;
    w[index] += step * value;
    w[kFeatures] += step * 0.5;
    for (std::size_t j = 0; j <= kFeatures; ++j) sum[j] += w[j];
    if (round % 700 == 0) {  // saved, loaded, continued
      const test::Snapshot copy(saved);
      LinearWeights again(params);
      test::Restore restore(copy);
      again.read(restore);
      saved = again;
    }
    if (round % 97 != 0) continue;
    const LinearModel model = lazy.predicting(), other = saved.predicting();
    EXPECT_EQ(model.weights, other.weights);
    EXPECT_EQ(model.bias, other.bias);
    const bool mean = std::string(GetParam()) == "uniform";
    for (std::size_t j = 0; j <= kFeatures; ++j) {
      const double expected = mean ? sum[j] / round : w[j];
      const double found = j < kFeatures ? model.weights[j] : model.bias / 0.5;
      ASSERT_NEAR(found, expected, 1e-9 * (1 + std::fabs(expected))) << round << ' ' << j;
    }
    const LinearWeights::Scores scores = lazy.scores(row, false);
    EXPECT_NEAR(scores.now, w[index] * value + w[kFeatures] * 0.5, 1e-9 * (1 + std::fabs(scores.now)));
    EXPECT_NEAR(scores.predicted, model.weights[index] * value + model.bias, 1e-9 * (1 + std::fabs(scores.predicted)));
  }
}
// What comes from elsewhere, with its past, is as if it had been there.
TEST_P(LazyWeights, TakeInWeightsWithTheirPast) {
  const Params params("x", kSpecs, {{"average", GetParam()}, {"bias", "0.5"}});
  LinearWeights weights(params);
  weights.grow(3);
  const std::uint32_t index = 1;
  const double value = 2;
  std::vector<double> w(4), sum(4);
  for (int round = 1; round <= 1500; ++round) {
    weights.add(0.1, {.indices = &index, .values = &value, .count = 1});
    w[1] += 0.2;
    w[3] += 0.1 * 0.5 * 0.5;
    weights.scale(0.7);
    for (double& v : w) v *= 0.7;
    if (round % 400 == 0) {
      const std::vector<std::uint32_t> features{0, 1};
      const std::vector<double> now{1.5, -0.5}, past{10, 20};
      weights.absorb(features, now, past, 0.25, 3);
      for (std::size_t k = 0; k < 2; ++k) {
        w[k] += now[k];
        sum[k] += past[k];
      }
      w[3] += 0.25;
      sum[3] += 3;
    }
    weights.end_round();
    for (std::size_t j = 0; j < 4; ++j) sum[j] += w[j];
    const LinearModel model = weights.predicting();
    const bool mean = std::string(GetParam()) == "uniform";
    for (std::size_t j = 0; j < 4; ++j)
      ASSERT_NEAR(j < 3 ? model.weights[j] : model.bias, mean ? sum[j] / round : w[j], 1e-9) << round << ' ' << j;
  }
}
INSTANTIATE_TEST_SUITE_P(Averages, LazyWeights, testing::Values("none", "uniform"));

}  // namespace
}  // namespace postil
