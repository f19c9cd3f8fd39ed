// The knowledge-based machine: no other hyperplane costs less, with the cost of rules computed row by row. Against general
// solvers: tests/python/test_kbsvm.py.
#include "loss_by_rows.hpp"

namespace postil {
namespace {

using namespace test;

TEST(Kbsvm, NoOtherHyperplaneCostsLess) {
  const LearnerInfo& info = find_learner("kbsvm");
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    constexpr std::uint32_t kFeatures = 6;  // two of them no rule names
    TaskAdvice advice = random_rules(random, seed % 2 == 0);
    if (seed >= 4) add_directions(random, advice);
    const Examples sample = random_stream(seed, 40, kFeatures);
    BlockData data;
    data.width = kFeatures;
    for (const Vector& x : sample.x) data.values.insert(data.values.end(), x.begin(), x.end());
    const Block block(std::move(data));
    auto learner =
        info.make(Params(info.name, info.params, {{"lambda", "0.7"}, {"mu", "1.3"}, {"tolerance", "1e-10"}}));
    learner->grow(kFeatures);
    learner->take_advice(advice);
    const FitReport report = learner->fit({std::span(&block, 1), sample.y, {}});
    EXPECT_TRUE(report.converged);
    const auto cost = [&](const Vector& w, double b) {
      double sum = inner(w, w) / 2;
      for (std::size_t i = 0; i < sample.x.size(); ++i)
        sum += 0.7 / 2 * std::pow(std::max(0.0, 1 - sample.y[i] * (inner(w, sample.x[i]) + b)), 2);
      for (const TaskAdvice::Set& set : advice.sets)
        sum += 1.3 * set.trust / 2 * loss_by_rows(advice, set, w, b, false);
      for (const TaskAdvice::Sign& sign : advice.directions)  // variances are 4
        sum += 1.3 * sign.trust / 2 * std::pow(std::max(0.0, -sign.z * 2 * w[sign.feature]), 2);
      return sum;
    };
    const LinearModel found = *learner->linear();
    const double least = cost(found.weights, found.bias);
    EXPECT_NEAR(least, report.objective, 1e-6 * least);
    for (int trial = 0; trial < 20; ++trial) {
      Vector other = found.weights;
      const double step = std::pow(10, -1 - trial % 4);
      for (double& value : other) value += step * random.normal();
      EXPECT_GE(cost(other, found.bias + step * random.normal()), least * (1 - 1e-8)) << seed;
    }
  }
}

TEST(Kbsvm, WeightsOfExamplesCountThem) {
  const LearnerInfo& info = find_learner("kbsvm");
  for (const char* form : {"l2", "l1", "mixed"}) {
    const Examples sample = random_stream(3, 20, 3);
    const auto fit = [&](int copies, double weight) {
      BlockData data;
      data.width = 3;
      std::vector<double> y, weights;
      for (int copy = 0; copy < copies; ++copy)
        for (std::size_t i = 0; i < sample.x.size(); ++i) {
          data.values.insert(data.values.end(), sample.x[i].begin(), sample.x[i].end());
          y.push_back(sample.y[i]);
          weights.push_back(weight);
        }
      const Block block(std::move(data));
      auto learner = info.make(Params(info.name, info.params, {{"form", form}, {"tolerance", "1e-10"}}));
      learner->grow(3);
      return learner->fit({std::span(&block, 1), y, weights}).objective;
    };
    EXPECT_NEAR(fit(3, 1), fit(1, 3), 1e-6) << form;
  }
}

}  // namespace
}  // namespace postil
