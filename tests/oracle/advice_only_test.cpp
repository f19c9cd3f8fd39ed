// What rules alone ask for: no other hyperplane costs less, with the cost computed row by row; and points drawn from the
// regions ask for about the same.
#include "advice/advice_hyperplane.hpp"
#include "loss_by_rows.hpp"

namespace postil {
namespace {

using namespace test;

double cost(const TaskAdvice& advice, const Vector& w, double b, double mu) {
  double sum = inner(w, w) / 2;
  for (const TaskAdvice::Set& set : advice.sets) sum += mu * set.trust / 2 * loss_by_rows(advice, set, w, b, true);
  return sum;
}

TEST(AdviceOnly, NoOtherHyperplaneCostsLess) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const TaskAdvice advice = random_rules(random, seed % 2 == 0);
    const double mu = seed % 3 == 0 ? 100 : 2;
    const AdviceHyperplane found = advice_hyperplane(advice, {.mu = mu});
    ASSERT_TRUE(found.converged) << seed;
    Vector w(4);
    for (std::size_t f = 0; f < advice.features.size(); ++f)
      w[advice.features[f].number] = found.weights[f] * found.scale;
    const double b = found.bias * found.scale, least = cost(advice, w, b, mu);
    for (int trial = 0; trial < 25; ++trial) {
      Vector other = w;
      const double step = std::pow(10, -1 - trial % 4);
      for (double& value : other) value += step * random.normal();
      EXPECT_GE(cost(advice, other, b + step * random.normal(), mu), least * (1 - 1e-7)) << seed;
    }
  }
}

TEST(AdviceOnly, ForcesOfTheSetsMakeTheWeights) {
  Random random(5);
  TaskAdvice advice = random_rules(random, true);
  const AdviceHyperplane found = advice_hyperplane(advice);  // both signs: no set for the mean
  for (std::size_t f = 0; f < advice.features.size(); ++f) {
    double sum = 0;
    for (const AdviceHyperplane::Set& set : found.sets) sum += set.force[f];
    EXPECT_NEAR(sum, found.weights[f], 1e-7);
  }
}

TEST(AdviceOnly, PointsOfTheRegionsAskForAboutTheSame) {
  TaskAdvice advice;
  advice.sets.push_back({0, 1, 1, 1, {{{{0, -1.0}}, -0.5, false, false}, {{{1, -1.0}}, -0.5, false, false}}});
  advice.sets.push_back({1, -1, 1, 1, {{{{0, 1.0}, {1, 1.0}}, -1, false, false}}});
  name_features(advice);
  for (TaskAdvice::Feature& f : advice.features) {
    f.seen_low = -2;
    f.seen_high = 2;
  }
  const AdviceHyperplane exact = advice_hyperplane(advice), drawn = sampled_hyperplane(advice);
  const double cosine = inner(exact.weights, drawn.weights) /
                        std::sqrt(inner(exact.weights, exact.weights) * inner(drawn.weights, drawn.weights));
  EXPECT_GT(cosine, 0.97);
  EXPECT_EQ(sampled_hyperplane(advice).weights, drawn.weights);
}

TEST(AdviceOnly, AWarmStartEndsWhereAColdOneDoes) {
  Random random(9);
  const TaskAdvice advice = random_rules(random, true);
  TaskAdvice fewer = advice;
  fewer.sets.pop_back();
  const AdviceHyperplane before = advice_hyperplane(fewer);
  const AdviceHyperplane cold = advice_hyperplane(advice), warm = advice_hyperplane(advice, {.start = &before});
  for (std::size_t f = 0; f < cold.weights.size(); ++f) EXPECT_NEAR(cold.weights[f], warm.weights[f], 1e-9);
  EXPECT_NEAR(cold.bias, warm.bias, 1e-9);
}

}  // namespace
}  // namespace postil
