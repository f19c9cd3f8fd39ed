// The advised learner against docs/mathematics.md part C written out: dense rows that carry the constant and every
// g_i as features.
#include <cmath>

#include "advice/advice_hyperplane.hpp"
#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

struct NaiveArow {
  Vector w, v;
  double r0, mean = 0;
  int seen = 0;

  void learn(const Vector& x, double y) {
    ++seen;
    mean += (inner(x, x) - mean) / seen;
    const double r = r0 * mean, h = 1 - y * inner(w, x);
    if (h <= 0) return;
    double xvx = 0;
    for (std::size_t j = 0; j < x.size(); ++j) xvx += v[j] * x[j] * x[j];
    for (std::size_t j = 0; j < x.size(); ++j) {
      w[j] += y * h / (xvx + r) * v[j] * x[j];
      v[j] = 1 / (1 / v[j] + x[j] * x[j] / r);
    }
  }
};

TaskAdvice some_rules(Random& random, std::uint32_t features) {
  TaskAdvice advice;
  for (int i = 0; i < 3; ++i) {
    TaskAdvice::Set set;
    set.z = i == 1 ? -1 : 1;
    set.trust = i == 2 ? 0.5 : 1;
    for (int k = 0; k < 2; ++k) {
      AdviceRow row;
      row.terms.emplace_back(static_cast<std::uint32_t>(random.below(features)), random.uniform() < 0.5 ? -1 : 1);
      row.bound = 0.5 * random.normal();
      set.rows.push_back(row);
    }
    advice.sets.push_back(set);
  }
  name_features(advice, 3);
  return advice;
}

TEST(Wager, EqualsTheFormulas) {
  const LearnerInfo& info = find_learner("wager");
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    const auto features = static_cast<std::uint32_t>(3 + seed % 6);
    const TaskAdvice advice = some_rules(random, features);
    const double r0 = 0.2 + 0.1 * static_cast<double>(seed % 3), stiff = 0.3, prior = seed % 2 == 0 ? 0.7 : 0.4;
    auto learner =
        info.make(Params(info.name, info.params, {{"r0", fmt::format("{}", r0)}, {"prior", fmt::format("{}", prior)}}));
    learner->grow(features);
    learner->take_advice(advice);

    // g_0 ... g_m as functions of a row
    std::vector<std::pair<Vector, double>> g;
    const auto add_plane = [&](const TaskAdvice& of) {
      const AdviceHyperplane plane = advice_hyperplane(of);
      Vector w(features);
      for (std::size_t f = 0; f < of.features.size(); ++f) w[of.features[f].number] = plane.weights[f];
      g.emplace_back(w, plane.bias);
    };
    add_plane(advice);
    for (std::size_t i = 0; i < advice.sets.size(); ++i) add_plane(advice.only(i));
    const std::size_t m = advice.sets.size();
    NaiveArow n{Vector(features + 1), Vector(features + 1, 1), r0},
        with{Vector(features + 2 + m), Vector(features + 2 + m, stiff), r0};
    with.v[features] = 3;
    with.v[features + 1] = 1;
    with.w[features + 1] = 1;
    for (std::size_t i = 0; i < m; ++i)
      with.v[features + 2 + i] = advice.sets[i].trust * std::min(1.0, 3.0 / static_cast<double>(m));
    double loss_n = 0, loss_g = 0, delta = std::log(2.0) / 2, blended = 0;

    const Examples stream = random_stream(seed + 50, 300, features);
    for (std::size_t t = 0; t < stream.x.size(); ++t) {
      Vector x = stream.x[t];
      x.push_back(1);
      Vector extended = x;
      for (const auto& [w, b] : g) extended.push_back(inner(w, stream.x[t]) + b);
      const double y = stream.y[t], eta = std::log(2.0) / delta;
      const double pull_n = (1 - prior) * std::exp(-eta * loss_n), pull_g = prior * std::exp(-eta * loss_g);
      const double q = pull_g / (pull_n + pull_g), p = q * 100 / (100 + static_cast<double>(t));
      const double f_n = inner(n.w, x), f_g = inner(with.w, extended);
      const Row row = t % 2 == 0 ? Row{.values = stream.x[t].data(), .count = features} : Row{};
      const SparseRow sparse(stream.x[t]);
      const double score = learner->learn(t % 2 == 0 ? row : sparse.row(), y, 1).score;
      ASSERT_NEAR(score, (1 - p) * f_n + p * f_g, 1e-9 * (1 + std::fabs(score))) << "seed " << seed << " round " << t;
      const double l_n = (1 - y * std::clamp(f_n, -1.0, 1.0)) / 2, l_g = (1 - y * std::clamp(f_g, -1.0, 1.0)) / 2;
      delta += std::max(
          0.0, (1 - q) * l_n + q * l_g + std::log((1 - q) * std::exp(-eta * l_n) + q * std::exp(-eta * l_g)) / eta);
      loss_n += l_n;
      loss_g += l_g;
      blended += (1 - p) * l_n + p * l_g;
      n.learn(x, y);
      with.learn(extended, y);
    }
    const AdviceReport report = *learner->advice_report();
    EXPECT_NEAR(report.wager->plain, loss_n, 1e-9);
    EXPECT_NEAR(report.wager->advised, loss_g, 1e-9);
    EXPECT_NEAR(report.wager->blended, blended, 1e-9);
    // Weights that are exported give the score, and the rules' parts are what the weights owe to them.
    const LinearModel model = *learner->linear();
    for (std::size_t t = 0; t < 5; ++t) {
      const Row row{.values = stream.x[t].data(), .count = features};
      EXPECT_NEAR(learner->score(row), inner(model.weights, stream.x[t]) + model.bias, 1e-9);
    }
  }
}

TEST(Wager, WithoutRulesIsArow) {
  const LearnerInfo &advised = find_learner("wager"), &arow = find_learner("arow");
  auto first = advised.make(Params(advised.name, advised.params, {}));
  auto second = arow.make(Params(arow.name, arow.params, {}));
  first->grow(6);
  second->grow(6);
  const Examples stream = random_stream(4, 400, 6);
  for (std::size_t t = 0; t < stream.x.size(); ++t) {
    const Row row{.values = stream.x[t].data(), .count = 6};
    const double weight = t % 7 == 0 ? 0.5 : 1;
    EXPECT_NEAR(first->learn(row, stream.y[t], weight).score, second->learn(row, stream.y[t], weight).score, 1e-10);
  }
}

// AdaHedge's promise, on streams where the rules are right, wrong or beside the point.
TEST(Wager, LossStaysWithinItsBound) {
  const LearnerInfo& info = find_learner("wager");
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    constexpr std::uint32_t kFeatures = 5;
    TaskAdvice advice = some_rules(random, kFeatures);
    const double prior = 0.1 + 0.2 * static_cast<double>(seed % 5);
    auto learner = info.make(Params(info.name, info.params, {{"prior", fmt::format("{}", prior)}}));
    learner->grow(kFeatures);
    learner->take_advice(advice);
    const std::size_t rows = 20 + 100 * (seed % 7);
    const Examples stream = random_stream(seed, rows, kFeatures);
    for (std::size_t t = 0; t < rows; ++t)
      learner->learn({.values = stream.x[t].data(), .count = kFeatures}, seed % 3 == 0 ? -stream.y[t] : stream.y[t], 1);
    const AdviceReport::Wager wager = *learner->advice_report()->wager;
    const double bound =
        (1 + std::log2(1 / (1 - prior))) * (0.5 * std::sqrt(static_cast<double>(rows) * std::log(2.0)) + 1.82);
    EXPECT_LE(wager.blended, wager.plain + bound) << seed;
  }
}

// Rules that come, go and come back: the weights on features stay, unchanged sets keep their coefficients.
TEST(Wager, RulesMayChangeWhileLearning) {
  const LearnerInfo& info = find_learner("wager");
  Random random(3);
  constexpr std::uint32_t kFeatures = 5;
  const TaskAdvice advice = some_rules(random, kFeatures);
  TaskAdvice fewer = advice;
  fewer.sets.erase(fewer.sets.begin());
  auto learner = info.make(Params(info.name, info.params, {}));
  learner->grow(kFeatures);
  learner->take_advice(advice);
  const Examples stream = random_stream(1, 300, kFeatures);
  const auto learn = [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
      learner->learn({.values = stream.x[t].data(), .count = kFeatures}, stream.y[t], 1);
  };
  learn(0, 100);
  const Row probe{.values = stream.x[7].data(), .count = kFeatures};
  const double before = learner->score(probe);
  learner->take_advice(advice);  // the same again changes nothing
  EXPECT_NEAR(learner->score(probe), before, 1e-9);
  learner->take_advice(fewer);
  EXPECT_EQ(learner->advice_report()->sets.size(), 2U);
  EXPECT_EQ(learner->advice_report()->wager->rounds, 100U);
  learn(100, 200);
  learner->take_advice({});
  EXPECT_FALSE(learner->advice_report().has_value());
  learn(200, 300);
  learner->take_advice(advice);
  EXPECT_TRUE(std::isfinite(learner->score(probe)));
}

}  // namespace
}  // namespace postil
