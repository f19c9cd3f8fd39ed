// The Adviceptron for labels that are numbers against its plain dense form; and, with rules that say nothing of the row, against
// what it must be.
#include <Eigen/Dense>

#include "naive.hpp"

namespace postil {
namespace {

using namespace test;
using Settings = std::map<std::string, std::string>;

struct PlainSet {
  Eigen::MatrixXd D;
  Eigen::VectorXd d, h;
  std::vector<bool> free;
  double z, trust, margin, c;
};

// Every step from the problem, with matrices inverted as they stand.
struct Plain {
  std::vector<PlainSet> sets;
  double lambda, mu, decay, epsilon;
  bool bias;
  Eigen::VectorXd w;
  double b = 0;
  std::vector<Eigen::VectorXd> u = {};
  int t = 0;

  void learn(const Eigen::VectorXd& x, double y, double weight) {
    const double now = mu / (1 + decay * t++);
    double total = 0;
    for (const PlainSet& s : sets) total += s.trust * now;
    const double nu = 1 / (1 + total);
    Eigen::VectorXd r = Eigen::VectorXd::Zero(w.size());
    for (std::size_t i = 0; i < sets.size(); ++i)
      r += sets[i].trust * now / total * (sets[i].h - sets[i].z * sets[i].D.transpose() * u[i]);
    const Eigen::VectorXd middle = nu * w + (1 - nu) * r;
    const double error = y - middle.dot(x) - b, loss = std::max(0.0, std::fabs(error) - epsilon);
    const double alpha = loss / (1 / (lambda * weight) + nu * x.squaredNorm() + (bias ? 1 : 0)) * (error > 0 ? 1 : -1);
    w = middle + nu * alpha * x;
    if (bias) b += alpha;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const PlainSet& s = sets[i];
      const double m = now * s.trust;
      const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(s.d.size(), s.d.size()) + m * s.D * s.D.transpose();
      const Eigen::VectorXd p = A.ldlt().solve(u[i] - m * s.z * s.D * (w - s.h)), q = A.ldlt().solve(s.d);
      const double gamma = m * std::max(0.0, s.margin - s.z * (b - s.c) + s.d.dot(p)) / (1 + m * s.d.dot(q));
      u[i] = p - gamma * q;
      for (Eigen::Index k = 0; k < u[i].size(); ++k)
        if (!s.free[k]) u[i][k] = std::max(0.0, u[i][k]);
    }
  }
};

TaskAdvice random_claims(Random& random, std::uint32_t features) {
  TaskAdvice advice;
  advice.of_numbers = true;
  for (int i = 0; i < 3; ++i) {
    TaskAdvice::Set set;
    set.z = random.uniform() < 0.5 ? 1 : -1;
    set.trust = i == 1 ? 0.5 : 1;
    set.margin = i == 2 ? 0.3 : 0;
    for (int k = 0; k < 2; ++k) {
      AdviceRow row{{}, random.normal(), false, i == 1 && k == 0};
      for (std::uint32_t j = 0; j < features; ++j)
        if (random.uniform() < 0.5 || j == static_cast<std::uint32_t>(k)) row.terms.emplace_back(j, random.normal());
      set.rows.push_back(row);
    }
    set.target.constant = 3 * random.normal();
    if (i != 1) set.target.terms = {{0, random.normal()}, {features - 1, random.normal()}};
    advice.sets.push_back(set);
  }
  for (std::uint32_t j = 0; j < features; ++j) {
    const double wide = j == 0 ? 2 : std::numeric_limits<double>::infinity();
    advice.features.push_back({.number = j, .low = -wide, .high = wide});
  }
  return advice;
}

struct Pair {
  std::unique_ptr<Learner> learner;
  Plain plain;
};

Pair pair_of(const TaskAdvice& advice, std::uint32_t features, const Settings& settings) {
  const LearnerInfo& info = find_learner("pa-adviceptron");
  const Params params(info.name, info.params, settings);
  Pair out{info.make_regressor(params),
           {{},
            params.number("lambda"),
            params.number("mu"),
            params.number("mu_decay"),
            params.number("epsilon"),
            params.choice("bias") == "data",
            Eigen::VectorXd::Zero(features)}};
  out.learner->grow(features);
  out.learner->take_advice(advice);
  for (const TaskAdvice::Set& set : advice.sets) {
    std::vector<AdviceRow> rows = set.rows;
    for (const TaskAdvice::Feature& f : advice.features)
      if (std::isfinite(f.high)) {
        rows.push_back({{{f.number, 1.0}}, f.high, false, false});
        rows.push_back({{{f.number, -1.0}}, -f.low, false, false});
      }
    const auto k = static_cast<Eigen::Index>(rows.size());
    PlainSet to{Eigen::MatrixXd::Zero(k, features),
                Eigen::VectorXd(k),
                Eigen::VectorXd::Zero(features),
                {},
                set.z,
                set.trust,
                set.margin,
                set.target.constant};
    for (Eigen::Index i = 0; i < k; ++i) {
      for (const auto& [feature, coefficient] : rows[i].terms) to.D(i, feature) = coefficient;
      to.d[i] = rows[i].bound;
      to.free.push_back(rows[i].equality);
    }
    for (const auto& [feature, coefficient] : set.target.terms) to.h[feature] = coefficient;
    out.plain.u.push_back(Eigen::VectorXd::Zero(k));
    out.plain.sets.push_back(std::move(to));
  }
  return out;
}

void expect_equal(const Pair& pair, std::uint64_t seed) {
  const LinearModel found = *pair.learner->linear();
  const double size = 1 + pair.plain.w.norm() + std::fabs(pair.plain.b);
  for (Eigen::Index j = 0; j < pair.plain.w.size(); ++j)
    EXPECT_NEAR(found.weights[j], pair.plain.w[j], 1e-9 * size) << "seed " << seed;
  EXPECT_NEAR(found.bias, pair.plain.b, 1e-9 * size) << "seed " << seed;
}

TEST(RegressionAdviceptron, EqualsThePlainForm) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Random random(seed);
    constexpr std::uint32_t kFeatures = 5;
    const TaskAdvice advice = random_claims(random, kFeatures);
    Pair pair = pair_of(advice, kFeatures,
                        {{"lambda", seed % 2 == 0 ? "0.5" : "3"},
                         {"mu", seed % 3 == 0 ? "0.05" : "1"},
                         {"mu_decay", seed % 4 == 0 ? "0.1" : "0"},
                         {"epsilon", seed % 5 == 0 ? "0.4" : "0"},
                         {"bias", seed % 7 == 0 ? "none" : "data"}});
    for (int t = 0; t < 200; ++t) {
      Vector x(kFeatures);
      for (double& value : x) value = random.uniform() < 0.3 ? 0 : random.normal();
      const double y = 2 * x[0] - x[3] + 5 + random.normal(), weight = t % 5 == 0 ? 2 : 1;
      pair.plain.learn(Eigen::Map<const Eigen::VectorXd>(x.data(), kFeatures), y, weight);
      pair.learner->learn(SparseRow(x).row(), y, weight);
    }
    expect_equal(pair, seed);
  }
}

// Labels and rules in another unit.
TEST(RegressionAdviceptron, FollowsTheUnitOfTheLabel) {
  constexpr std::uint32_t kFeatures = 4;
  constexpr double kUnit = 1000;
  Random random(1);
  TaskAdvice advice = random_claims(random, kFeatures);
  for (const char* start : {"zero", "advice"}) {
    const auto run = [&](double unit) {
      TaskAdvice own = advice;
      for (TaskAdvice::Set& set : own.sets) {
        set.margin *= unit;
        set.target.constant *= unit;
        for (auto& [feature, coefficient] : set.target.terms) coefficient *= unit;
      }
      Pair pair = pair_of(own, kFeatures, {{"mu", "0.1"}, {"start", start}});
      Random stream(2);
      for (int t = 0; t < 50; ++t) {
        Vector x(kFeatures);
        for (double& value : x) value = stream.normal();
        pair.learner->learn(SparseRow(x).row(), unit * (x[0] + 3), 1);
      }
      return *pair.learner->linear();
    };
    const LinearModel one = run(1), many = run(kUnit);
    for (std::size_t j = 0; j < kFeatures; ++j)
      EXPECT_NEAR(many.weights[j] / kUnit, one.weights[j], 1e-6 * (1 + std::fabs(one.weights[j]))) << start;
    EXPECT_NEAR(many.bias / kUnit, one.bias, 1e-6 * (1 + std::fabs(one.bias))) << start;
  }
}

TEST(RegressionAdviceptron, WithoutRulesIsPaTwo) {
  const LearnerInfo &info = find_learner("pa-adviceptron"), &pa = find_learner("pa");
  auto ours = info.make_regressor(Params(info.name, info.params, Settings{{"lambda", "0.6"}, {"epsilon", "0.2"}}));
  auto theirs = pa.make_regressor(
      Params(pa.name, pa.params, Settings{{"variant", "pa2"}, {"C", "0.3"}, {"epsilon", "0.2"}, {"average", "none"}}));
  ours->grow(3);
  theirs->grow(3);
  Random random(4);
  for (int t = 0; t < 100; ++t) {
    const Vector x{random.normal(), random.normal(), random.normal()};
    const double y = x[0] - 2 * x[1] + 1;
    const SparseRow row(x);
    EXPECT_NEAR(ours->learn(row.row(), y, 1).score, theirs->learn(row.row(), y, 1).score, 1e-12);
  }
}

}  // namespace
}  // namespace postil
