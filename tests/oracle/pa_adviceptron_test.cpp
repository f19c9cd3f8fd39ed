// The passive-aggressive Adviceptron against its plain dense form, written from docs/mathematics.md A2 to A4 with
// nothing lazy.
#include <Eigen/Dense>

#include "naive.hpp"
#include "solvers/quadratic_program.hpp"

namespace postil {
namespace {

using namespace test;
using Settings = std::map<std::string, std::string>;

struct PlainSet {
  Eigen::MatrixXd D;  // over all features, and the constant last if the bias is pinned
  Eigen::VectorXd d;
  std::vector<bool> free;
  double z, trust, margin;
};

// min 1/2 x'Hx - b'x, x_k >= 0 unless free: every active set, the best that satisfies the conditions. For few rows.
Eigen::VectorXd by_trying(const Eigen::MatrixXd& H, const Eigen::VectorXd& b, const std::vector<bool>& free) {
  const auto n = static_cast<int>(b.size());
  Eigen::VectorXd best = Eigen::VectorXd::Zero(n);
  double least = std::numeric_limits<double>::infinity();
  for (int mask = 0; mask < (1 << n); ++mask) {  // bit set: may differ from 0
    std::vector<int> on;
    bool allowed = true;
    for (int k = 0; k < n; ++k) {
      if ((mask >> k) & 1) on.push_back(k);
      allowed &= ((mask >> k) & 1) != 0 || !free[k];
    }
    if (!allowed) continue;
    const auto m = static_cast<int>(on.size());
    Eigen::MatrixXd Hs(m, m);
    Eigen::VectorXd bs(m);
    for (int i = 0; i < m; ++i) {
      bs[i] = b[on[i]];
      for (int j = 0; j < m; ++j) Hs(i, j) = H(on[i], on[j]);
    }
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    const Eigen::VectorXd xs = m > 0 ? Eigen::VectorXd(Hs.ldlt().solve(bs)) : Eigen::VectorXd();
    for (int i = 0; i < m; ++i) {
      x[on[i]] = xs[i];
      allowed &= xs[i] >= 0 || free[on[i]];
    }
    const double value = 0.5 * x.dot(H * x) - b.dot(x);
    if (!allowed || value >= least) continue;
    least = value;
    best = x;
  }
  return best;
}

struct Plain {
  std::vector<PlainSet> sets;
  std::vector<TaskAdvice::Sign> directions;
  double lambda, mu, decay;
  std::string passive, step, bias;
  Eigen::VectorXd w;  // with the constant last if pinned
  double b = 0;
  std::vector<Eigen::VectorXd> u;
  int t = 0;

  void learn(Eigen::VectorXd x, double y) {
    const bool pinned = bias == "pinned", data = bias == "data";
    if (pinned) {
      x.conservativeResize(x.size() + 1);
      x[x.size() - 1] = 1;
    }
    const double now = mu / (1 + decay * t++);
    double total = 0;
    Eigen::VectorXd r = Eigen::VectorXd::Zero(w.size());
    for (std::size_t i = 0; i < sets.size(); ++i) {
      total += now * sets[i].trust;
      r -= now * sets[i].trust * sets[i].z * sets[i].D.transpose() * u[i];
    }
    if (total > 0) r /= total;
    const double nu = 1 / (1 + total);
    const Eigen::VectorXd hat = nu * w + (1 - nu) * r;
    const double loss = std::max(0.0, 1 - y * (hat.dot(x) + b));
    if (loss == 0 && passive == "all") return;
    const double alpha =
        x.squaredNorm() + (data ? 1 : 0) == 0 ? 0 : loss / (1 / lambda + nu * x.squaredNorm() + (data ? 1 : 0));
    if (loss > 0 || passive == "never") {
      w = hat + nu * alpha * y * x;
      if (data) b += alpha * y;
    }
    learn_multipliers(now);
    for (const TaskAdvice::Sign& sign : directions)
      if (sign.z * w[sign.feature] < 0) w[sign.feature] = 0;
  }
  // Problem (5) to its end, as one program over w, u_i and the slacks.
  void solve_problem_5(Eigen::VectorXd x, double y) {
    if (bias == "pinned") {
      x.conservativeResize(x.size() + 1);
      x[x.size() - 1] = 1;
    }
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    using Terms = std::vector<std::pair<std::uint32_t, double>>;
    QuadraticProgram program;
    std::vector<std::uint32_t> of_w;
    for (Eigen::Index j = 0; j < w.size(); ++j) of_w.push_back(program.add_column(-w[j], 1, -kInfinite));
    Terms margin{{program.add_column(0, lambda, 0), 1.0}};  // y w'x + xi >= 1
    for (Eigen::Index j = 0; j < w.size(); ++j) margin.emplace_back(of_w[j], y * x[j]);
    program.add_row(margin, 1, kInfinite);
    std::vector<std::vector<std::uint32_t>> of_u;
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const PlainSet& s = sets[i];
      auto& columns = of_u.emplace_back();
      for (Eigen::Index k = 0; k < s.d.size(); ++k)
        columns.push_back(program.add_column(-u[i][k], 1, s.free[k] ? -kInfinite : 0));
      for (Eigen::Index j = 0; j < w.size(); ++j) {  // D'u + z w + eta = 0
        Terms row{{program.add_column(0, mu * s.trust, -kInfinite), 1.0}, {of_w[j], s.z}};
        for (Eigen::Index k = 0; k < s.d.size(); ++k)
          if (s.D(k, j) != 0) row.emplace_back(columns[k], s.D(k, j));
        program.add_row(row, 0, 0);
      }
      Terms row{{program.add_column(0, mu * s.trust, 0), 1.0}};  // zeta >= g + d'u
      for (Eigen::Index k = 0; k < s.d.size(); ++k) row.emplace_back(columns[k], -s.d[k]);
      program.add_row(row, s.margin, kInfinite);
    }
    const QuadraticProgram::Solution solution = program.solve();
    ASSERT_TRUE(solution.converged);
    for (Eigen::Index j = 0; j < w.size(); ++j) w[j] = solution.x[of_w[j]];
    for (std::size_t i = 0; i < sets.size(); ++i)
      for (Eigen::Index k = 0; k < u[i].size(); ++k) u[i][k] = solution.x[of_u[i][k]];
    for (const TaskAdvice::Sign& sign : directions)
      if (sign.z * w[sign.feature] < 0) w[sign.feature] = 0;
  }
  void learn_multipliers(double now) {
    for (std::size_t i = 0; i < sets.size(); ++i) {
      const PlainSet& s = sets[i];
      const double m = now * s.trust, e = s.margin - s.z * b;
      const auto k = s.d.size();
      const Eigen::MatrixXd A = Eigen::MatrixXd::Identity(k, k) + m * s.D * s.D.transpose();
      const Eigen::VectorXd base = u[i] - m * s.z * s.D * w;
      Eigen::VectorXd next;
      if (step == "paper") {
        next = (A + m * s.d * s.d.transpose()).ldlt().solve(base - m * e * s.d);
      } else if (step == "plus") {
        const Eigen::VectorXd p = A.ldlt().solve(base), q = A.ldlt().solve(s.d);
        next = p - m * std::max(0.0, e + s.d.dot(p)) / (1 + m * s.d.dot(q)) * q;
      } else {
        next = by_trying(A + m * s.d * s.d.transpose(), base - m * e * s.d, s.free);
        if (e + s.d.dot(next) < 0) next = by_trying(A, base, s.free);
      }
      for (Eigen::Index j = 0; j < k; ++j) u[i][j] = s.free[j] ? next[j] : std::max(0.0, next[j]);
    }
  }
};

TaskAdvice random_advice(Random& random, std::uint32_t features, bool options) {
  TaskAdvice advice;
  for (int i = 0; i < 3; ++i) {
    TaskAdvice::Set set;
    set.z = random.uniform() < 0.5 ? 1 : -1;
    if (options) {
      set.trust = 0.2 + random.uniform();
      set.margin = 2 * random.uniform();
    }
    const std::uint64_t rows = 1 + random.below(3);
    for (std::uint64_t k = 0; k < rows; ++k) {
      AdviceRow row;
      std::map<std::uint32_t, double> terms;
      for (std::uint64_t e = 0; e < 1 + random.below(3); ++e)
        terms[static_cast<std::uint32_t>(random.below(features))] = random.normal();
      row.terms.assign(terms.begin(), terms.end());
      row.bound = random.normal();
      row.equality = random.uniform() < 0.2;
      set.rows.push_back(row);
    }
    advice.sets.push_back(set);
  }
  name_features(advice);
  if (options)
    for (TaskAdvice::Feature& f : advice.features)
      if (random.uniform() < 0.3) {
        f.low = -1 - random.uniform();
        f.high = 1 + random.uniform();
      }
  return advice;
}

// The learner and its plain form, with the same random rules.
struct PlainAndLearner {
  const LearnerInfo& info = find_learner("pa-adviceptron");
  Params params;
  std::uint32_t features;
  Plain plain{};
  std::unique_ptr<Learner> learner;

  PlainAndLearner(const Settings& settings, std::uint64_t seed)
      : params(info.name, info.params, settings), features(static_cast<std::uint32_t>(4 + seed % 5)) {
    Random random(seed);
    TaskAdvice advice = random_advice(random, features, seed % 2 == 0);
    if (seed % 3 == 1)  // of the first and last feature named
      advice.directions = {{{advice.features[0].number, 1}, 3}, {{advice.features.back().number, -1}, 4}};
    if (seed % 7 == 6) advice.sets.clear();
    const bool pinned = params.choice("bias") == "pinned";
    plain = Plain{.sets = {},
                  .directions = advice.directions,
                  .lambda = params.number("lambda"),
                  .mu = params.number("mu"),
                  .decay = params.number("mu_decay"),
                  .passive = params.choice("passive"),
                  .step = params.choice("advice_step"),
                  .bias = params.choice("bias"),
                  .w = Eigen::VectorXd::Zero(features + (pinned ? 1 : 0)),
                  .b = 0,
                  .u = {},
                  .t = 0};
    for (const TaskAdvice::Set& set : advice.sets) {
      std::vector<AdviceRow> all = set.rows;  // and the known ranges
      for (const TaskAdvice::Feature& f : advice.features)
        if (std::isfinite(f.high)) {
          all.push_back({{{f.number, 1.0}}, f.high, false, false});
          all.push_back({{{f.number, -1.0}}, -f.low, false, false});
        }
      const auto k = static_cast<Eigen::Index>(all.size()) + (pinned ? 1 : 0);
      PlainSet to{Eigen::MatrixXd::Zero(k, plain.w.size()),
                  Eigen::VectorXd::Zero(k),
                  std::vector<bool>(k),
                  set.z,
                  set.trust,
                  set.margin};
      for (std::size_t j = 0; j < all.size(); ++j) {
        for (const auto& [feature, coefficient] : all[j].terms)
          to.D(static_cast<Eigen::Index>(j), feature) = coefficient;
        to.d[static_cast<Eigen::Index>(j)] = all[j].bound;
        to.free[j] = all[j].equality;
      }
      if (pinned) {
        to.D(k - 1, features) = 1;
        to.d[k - 1] = 1;
        to.free[k - 1] = true;
      }
      plain.sets.push_back(to);
      plain.u.push_back(Eigen::VectorXd::Zero(k));
    }
    learner = info.make(params);
    learner->take_advice(advice);
    learner->grow(features);
  }
};

void expect_plain(const Settings& settings, std::uint64_t seed, std::size_t rows, double tolerance) {
  PlainAndLearner both(settings, seed);
  auto& [info, params, features, plain, learner] = both;
  const bool pinned = params.choice("bias") == "pinned";
  const Examples stream = random_stream(seed + 100, rows, features);
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(features);
  for (std::size_t t = 0; t < rows; ++t) {
    const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(stream.x[t].data(), features);
    plain.learn(x, stream.y[t]);
    mean += plain.w.head(features);
    if (t % 2 == 0)
      learner->learn({.values = stream.x[t].data(), .count = features}, stream.y[t], 1);
    else
      learner->learn(SparseRow(stream.x[t]).row(), stream.y[t], 1);
  }
  const LinearModel model = *learner->linear();
  const bool averaged = params.choice("average") == "uniform";
  const double size = plain.w.cwiseAbs().maxCoeff() + 1;
  for (std::uint32_t j = 0; j < features; ++j)
    ASSERT_NEAR(model.weights[j], averaged ? mean[j] / static_cast<double>(rows) : plain.w[j], tolerance * size)
        << "seed " << seed;
  if (!averaged) {
    ASSERT_NEAR(model.bias, pinned ? plain.w[features] : plain.b, tolerance * size);
  }
}

TEST(PaAdviceptron, EqualsThePlainForm) {
  std::uint64_t seed = 0;
  for (const char* passive : {"never", "weights", "all"})
    for (const char* step : {"paper", "plus", "exact"})
      for (const char* bias : {"data", "pinned", "none"})
        for (const char* average : {"none", "uniform"})
          for (const char* mu : {"0.02", "1"}) {
            Settings settings{
                {"passive", passive}, {"advice_step", step}, {"bias", bias}, {"average", average}, {"mu", mu}};
            if (seed % 3 == 0) settings["mu_decay"] = "0.1";
            if (seed % 4 == 0) settings["lambda"] = "10";
            expect_plain(settings, seed++, 150, 1e-10);
          }
}

// Problem (5) as one quadratic program over (w, u, slacks), solved by an interior-point method, round by round.
TEST(PaAdviceptron, JointStepSolvesProblem5) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const char* bias : {"none", "pinned"}) {
      const Settings settings{{"advice_step", "joint"}, {"bias", bias}, {"mu", seed % 2 == 0 ? "0.3" : "2"}};
      PlainAndLearner both(settings, seed);
      const Examples stream = random_stream(seed + 300, 12, both.features);
      for (std::size_t t = 0; t < stream.x.size(); ++t) {
        both.plain.solve_problem_5(Eigen::Map<const Eigen::VectorXd>(stream.x[t].data(), both.features), stream.y[t]);
        both.learner->learn({.values = stream.x[t].data(), .count = both.features}, stream.y[t], 1);
        const LinearModel model = *both.learner->linear();
        for (std::uint32_t j = 0; j < both.features; ++j)
          ASSERT_NEAR(model.weights[j], both.plain.w[j], 2e-6) << "seed " << seed << ", " << bias << ", row " << t;
      }
    }
}

TEST(PaAdviceptron, EqualsThePlainFormOverManyRenormalisations) {
  for (const char* average : {"none", "uniform"})
    for (std::uint64_t seed = 0; seed < 4; ++seed) expect_plain({{"mu", "3"}, {"average", average}}, seed, 4000, 1e-10);
}

// A rule about each of many columns alone costs memory for its rows only, and is the same as its dense form.
TEST(PaAdviceptron, WideRules) {
  const LearnerInfo& info = find_learner("pa-adviceptron");
  constexpr std::uint32_t kWide = 20'000;
  TaskAdvice advice;
  advice.sets.emplace_back();
  for (std::uint32_t j = 0; j < kWide; ++j) advice.sets[0].rows.push_back({{{j, 1.0}}, 0, false, false});
  name_features(advice);
  auto learner = info.make(Params(info.name, info.params, {}));
  learner->take_advice(advice);
  learner->grow(kWide);
  const std::uint32_t index = 7;
  const double value = 1;
  learner->learn({.indices = &index, .values = &value, .count = 1}, 1, 1);
  EXPECT_GT(learner->score({.indices = &index, .values = &value, .count = 1}), 0);
  const auto message = [&](const char* step) {
    auto other = info.make(Params(info.name, info.params, {{"advice_step", step}}));
    return message_of([&] { other->take_advice(advice); });
  };
  EXPECT_NE(message("exact").find("at most 2000"), std::string::npos);
}

TEST(PaAdviceptron, WithoutRulesIsPaTwo) {
  const LearnerInfo &advised = find_learner("pa-adviceptron"), &pa = find_learner("pa");
  for (const char* average : {"none", "uniform"})
    for (const bool bias : {true, false}) {
      Settings a{{"lambda", "0.7"}, {"average", average}}, b{{"C", "0.35"}, {"variant", "pa2"}, {"average", average}};
      if (!bias) a["bias"] = b["bias"] = "none";
      auto first = advised.make(Params(advised.name, advised.params, a));
      auto second = pa.make(Params(pa.name, pa.params, b));
      const Examples stream = random_stream(4, 400, 6);
      first->grow(6);
      second->grow(6);
      for (std::size_t t = 0; t < stream.x.size(); ++t) {
        const Row row{.values = stream.x[t].data(), .count = 6};
        const double weight = t % 7 == 0 ? 0.5 : 1;
        EXPECT_EQ(first->learn(row, stream.y[t], weight).score, second->learn(row, stream.y[t], weight).score);
      }
      EXPECT_EQ(first->linear()->weights, second->linear()->weights);
      EXPECT_EQ(first->linear()->bias, second->linear()->bias);
    }
}

// Saved, loaded and continued through many renormalisations, on rows whose features come back late: the same bits.
TEST(PaAdviceptron, ContinuesToTheBit) {
  const LearnerInfo& info = find_learner("pa-adviceptron");
  constexpr std::uint32_t kWide = 300;
  Random random(2);
  const TaskAdvice advice = random_advice(random, 6, true);
  for (const char* average : {"none", "uniform"}) {
    const auto make = [&] {
      auto learner = info.make(Params(info.name, info.params, {{"average", average}}));
      learner->grow(kWide);
      learner->take_advice(advice);
      return learner;
    };
    auto whole = make(), parts = make();
    for (int t = 1; t <= 3000; ++t) {
      const std::uint32_t features[] = {static_cast<std::uint32_t>(random.below(10)),
                                        static_cast<std::uint32_t>(10 + random.below(kWide - 10))};
      const double values[] = {random.normal(), random.normal()};
      const Row row{.indices = features, .values = values, .count = 2};
      const double y = random.uniform() < 0.5 ? 1 : -1;
      ASSERT_EQ(whole->learn(row, y, 1).score, parts->learn(row, y, 1).score) << t;
      if (t % 177 != 0) continue;
      const test::Snapshot copy(*parts);
      parts = make();
      test::Restore restore(copy);
      parts->read(restore);
    }
    EXPECT_EQ(whole->linear()->weights, parts->linear()->weights);
  }
}

// Flipping labels and advice flips the weights.
TEST(PaAdviceptron, FlippingLabelsAndRulesFlipsTheModel) {
  const LearnerInfo& info = find_learner("pa-adviceptron");
  Random random(8);
  TaskAdvice advice = random_advice(random, 6, true);
  const Examples stream = random_stream(9, 200, 6);
  const auto run = [&](double sign) {
    auto learner = info.make(Params(info.name, info.params, {}));
    TaskAdvice turned = advice;
    for (TaskAdvice::Set& set : turned.sets) set.z *= sign;
    learner->take_advice(turned);
    learner->grow(6);
    for (std::size_t t = 0; t < stream.x.size(); ++t)
      learner->learn({.values = stream.x[t].data(), .count = 6}, sign * stream.y[t], 1);
    return *learner->linear();
  };
  const LinearModel plus = run(1), minus = run(-1);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_NEAR(plus.weights[j], -minus.weights[j], 1e-12);
  EXPECT_NEAR(plus.bias, -minus.bias, 1e-12);
}

}  // namespace
}  // namespace postil
