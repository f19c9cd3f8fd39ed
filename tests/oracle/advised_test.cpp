// The advised learner against docs/mathematics.md part D written out: dense rows that carry every column as a number, covariances
// as whole matrices, the one-dimensional equation of a step solved by bisection.
#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "advice/advice_hyperplane.hpp"
#include "learners/belief.hpp"
#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

double logistic(double v) { return 1 / (1 + std::exp(-v)); }

struct Plain {
  Vector w;
  std::vector<Vector> v;
  bool diagonal = false;
  std::uint64_t memory = 0, age = 0;
  Vector w0, v0;

  Plain(Vector start, const Vector& variance, bool only_diagonal, std::uint64_t rows = 0)
      : w(std::move(start)), diagonal(only_diagonal), memory(rows), w0(w), v0(variance) {
    for (std::size_t i = 0; i < w.size(); ++i) {
      v.emplace_back(w.size());
      v[i][i] = variance[i];
    }
  }
  void learn(const Vector& phi, double y, double offset, double weight) {
    Vector u(phi.size());
    for (std::size_t i = 0; i < phi.size(); ++i) u[i] = diagonal ? v[i][i] * phi[i] : inner(v[i], phi);
    const double s = inner(phi, u), margin = y * (inner(w, phi) + offset);
    double low = 0, high = weight;
    for (int k = 0; k < 200; ++k) {
      const double a = (low + high) / 2;
      (a < weight * logistic(-(margin + a * s)) ? low : high) = a;
    }
    const double a = (low + high) / 2, p = logistic(-(margin + a * s)), c = weight * p * (1 - p);
    add(w, y * a, u);
    for (std::size_t i = 0; i < phi.size(); ++i) {
      if (diagonal)
        v[i][i] = v[i][i] == 0 ? 0 : 1 / (1 / v[i][i] + c * phi[i] * phi[i]);
      else
        for (std::size_t j = 0; j < phi.size(); ++j) v[i][j] -= c / (1 + c * s) * u[i] * u[j];
    }
    if (memory > 0 && ++age % (memory / 10) == 0) step_back();
  }
  // V^-1 = .9 V^-1 + .1 V_0^-1, and V^-1 w likewise, over the columns that may move.
  void step_back() {
    std::vector<std::size_t> moving;
    for (std::size_t i = 0; i < w.size(); ++i)
      if (v0[i] > 0) moving.push_back(i);
    const auto n = static_cast<Eigen::Index>(moving.size());
    Eigen::MatrixXd all(n, n), start = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd mean(n), first(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) all(i, j) = v[moving[i]][moving[j]];
      start(i, i) = 1 / v0[moving[i]];
      mean[i] = w[moving[i]];
      first[i] = w0[moving[i]];
    }
    const Eigen::MatrixXd precision = all.inverse(), after = 0.9 * precision + 0.1 * start, spread = after.inverse();
    const Eigen::VectorXd moved = spread * (0.9 * precision * mean + 0.1 * start * first);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) v[moving[i]][moving[j]] = spread(i, j);
      w[moving[i]] = moved[i];
    }
  }
};

TEST(Belief, StepSolvesItsProblem) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const double margin = 20 * random.normal(), s = std::exp(3 * random.normal()), weight = std::exp(random.normal());
    const LogisticStep step = logistic_step(margin, s, weight);
    EXPECT_NEAR(step.a, weight * logistic(-(margin + step.a * s)), 1e-10 * weight);
    // a'u is the minimiser along u of weight log(1 + e^-m) + (m - margin)^2 / (2 s), m = margin + a s: nothing near is better.
    const auto cost = [&](double a) { return weight * std::log1p(std::exp(-(margin + a * s))) + a * a * s / 2; };
    for (const double other : {step.a * (1 + 1e-3), step.a * (1 - 1e-3)}) EXPECT_LE(cost(step.a), cost(other) + 1e-12);
  }
}

// Columns that a row does not have are brought up to date when they are next looked at.
TEST(Belief, ForgetsWhatItDoesNotSee) {
  Random random(5);
  constexpr std::uint32_t kFeatures = 120;
  Belief belief({{0.5, 1}, {1, 0}}, {{0, 0.3}}, kFeatures, 2, 100);
  Vector start(3 + kFeatures), variance(3 + kFeatures, 2);
  start[0] = 0.5;
  start[1] = 1;
  variance[0] = 1;
  variance[1] = 0;
  variance[2] = 0.3;
  Plain plain(start, variance, true, 100);
  for (int row = 0; row < 1500; ++row) {
    Vector phi(3 + kFeatures);
    const Vector few{phi[0] = 1, phi[1] = random.normal()};
    std::vector<Phi::Held> rules;
    if (random.uniform() < 0.3) rules.push_back({0, phi[2] = -1});
    std::vector<std::uint32_t> indices;
    Vector values;
    for (std::uint32_t j = 0; j < kFeatures; ++j)
      if (random.uniform() < (j < 10 ? 0.3 : 0.005)) {
        indices.push_back(j);
        values.push_back(phi[3 + j] = random.normal());
      }
    const Row x{.indices = indices.data(), .values = values.data(), .count = static_cast<std::uint32_t>(values.size())};
    const Phi columns{few, rules, x, {}};
    const double expected = inner(plain.w, phi), y = random.uniform() < 0.5 ? 1 : -1;
    EXPECT_NEAR(belief.score(columns), expected, 1e-9 * (1 + std::fabs(expected))) << row;
    belief.learn(columns, belief.look(columns), y, 0.2, 1);
    plain.learn(phi, y, 0.2, 1);
    const auto j = static_cast<std::uint32_t>(random.below(kFeatures));
    EXPECT_NEAR(belief.x_mean(j), plain.w[3 + j], 1e-9);
  }
}

// Rules about the first features, and which hold on a row.
struct Task {
  TaskAdvice advice;
  std::vector<std::pair<std::uint32_t, double>> rules;  // feature, threshold

  Task(Random& random, std::uint32_t features, int count, bool one_sided) {
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i) {
      const auto feature = static_cast<std::uint32_t>(random.below(std::min(features, 6U)));
      const double threshold = 0.3 * random.normal(), z = one_sided || random.uniform() < 0.5 ? 1 : -1;
      rules.emplace_back(feature, threshold);
      advice.sets.push_back({i, z, 1, 1, {{{{feature, -1.0}}, -threshold, false, false}}});
      advice.rules.push_back({i, z, true, {}, fmt::format("rule {}", i), i == 1 ? 0.5 : 1});
      if (i == 2) advice.rules.back().sure = Sure{0.8, 20};
    }
    name_features(advice, 3);
  }
  [[nodiscard]] std::vector<std::uint32_t> holds(const Vector& x) const {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < rules.size(); ++i)
      if (x[rules[i].first] >= rules[i].second) out.push_back(i);
    return out;
  }
};

// The learner of part D, all columns spelled out.
class PlainAdvised {
 public:
  PlainAdvised(const Task& task, std::size_t features, const std::vector<Vector>& studied,
               const std::vector<std::uint64_t>& memories)
      : task_(task), n_(features) {
    const double rows = static_cast<double>(studied.size());
    const TaskAdvice& advice = task.advice;
    mean_.assign(n_ <= 1000 ? n_ : 0, 0);
    for (const Vector& x : studied)
      if (!mean_.empty()) add(mean_, 1 / (rows + 5), x);
    double size = static_cast<double>(n_);
    if (!studied.empty()) {
      size = 0;
      for (const Vector& x : studied) size += inner(centred(x), centred(x)) / rows;
    }
    for (std::size_t i = 0; i < advice.rules.size(); ++i) {
      const TaskAdvice::Rule& rule = advice.rules[i];
      voices_.push_back(rule.z * (rule.sure ? std::log(rule.sure->rate / (1 - rule.sure->rate)) / 2 : rule.trust));
    }
    const double yes = static_cast<double>(std::count_if(advice.rules.begin(), advice.rules.end(),
                                                         [](const auto&rule) { return rule.z > 0; })),
                 no = static_cast<double>(advice.rules.size()) - yes;
    silent_ = std::max(yes, no) < 0.75 * (yes + no) ? 0 : yes >= no ? -1 : 1;
    bool ever = studied.empty();
    for (const Vector& x : studied) ever |= !task.holds(x).empty();
    if (!ever) silent_ = 0;

    // the plane
    const AdviceHyperplane g0 = advice_hyperplane(advice);
    Vector of_rules(n_), h(n_);
    for (std::size_t f = 0; f < advice.features.size(); ++f) of_rules[advice.features[f].number] = g0.weights[f];
    double rms = 1, kappa = 0, h_bias = 0;
    if (!studied.empty()) {
      double sum = 5;
      for (const Vector& x : studied) sum += std::pow(inner(of_rules, x) + g0.bias, 2);
      rms = std::sqrt(sum / (rows + 5));
      std::vector<std::pair<Vector, double>> taught;
      double plus = 0, minus = 0;
      for (const Vector& x : studied)
        if (const double v = vote(x); v != 0 && (v > 0 ? plus : minus) < 700) {
          taught.emplace_back(x, v > 0 ? 1 : -1);
          (v > 0 ? plus : minus) += 1;
        }
      if (const double fewer = std::min(plus, minus); fewer > 10) {
        Random random(0);
        random.shuffle(std::span(taught));
        Vector variance(n_ + 1, 16 / size);
        variance[n_] = 1;
        Plain pupil(Vector(n_ + 1), variance, n_ + 1 > 80);
        for (const auto& [x, y] : taught) {
          Vector phi = centred(x);
          phi.push_back(1);
          pupil.learn(phi, y, 0, 10 / (y > 0 ? plus : minus));
        }
        h.assign(pupil.w.begin(), pupil.w.end() - 1);
        h_bias = pupil.w[n_] - (mean_.empty() ? 0 : inner(h, mean_));
        double squares = 0;
        for (const Vector& x : studied) squares += std::pow(inner(h, x) + h_bias, 2) / rows;
        for (double& value : h) value /= std::sqrt(squares);
        h_bias /= std::sqrt(squares);
        kappa = 1 - 10 / fewer;
      }
    }
    plane_.assign(n_, 0);
    add(plane_, (1 - kappa) / rms, of_rules);
    add(plane_, kappa, h);
    plane_bias_ = (1 - kappa) / rms * g0.bias + kappa * h_bias;

    // how far it agrees with the votes
    double agreed = 1;
    double counts[2] = {}, right[2] = {};
    for (const Vector& x : studied)
      if (const double v = vote(x); v != 0) {
        const int side = v > 0 ? 1 : 0;
        counts[side] += 1;
        right[side] += (inner(plane_, x) + plane_bias_) * v > 0 ? 1 : 0;
      }
    if (counts[0] >= 3 && counts[1] >= 3)
      agreed = std::max(0.0, std::min(1.0, ((right[0] / counts[0] + right[1] / counts[1]) / 2 - 0.5) / 0.4));
    kappa *= agreed;

    // N, R, G over (1, plane, vote, claim, rules, x)
    const std::size_t m = voices_.size(), d = 4 + m + n_;
    const double q = 0.3 * std::min(1.0, 3 / std::max(1.0, static_cast<double>(m)));
    const auto part = [&](const Vector& start, const Vector& variance, double rules, double x, std::uint64_t memory) {
      Vector w(d), v(d);
      for (std::size_t i = 0; i < 4; ++i) {
        w[i] = start[i];
        v[i] = variance[i];
      }
      for (std::size_t i = 0; i < m; ++i) {
        const TaskAdvice::Rule& rule = advice.rules[i];
        v[4 + i] = rules * (rule.sure ? 10 / (10 + *rule.sure->rows) : rule.trust);
      }
      for (std::size_t j = 0; j < n_; ++j) v[4 + m + j] = x / size;
      const std::size_t sees = (rules > 0 ? 4 + m : 1) + (x > 0 ? n_ : 0);
      parts_.emplace_back(w, v, sees > 80, memory);
    };
    for (const std::uint64_t memory : memories) {
      part({0, 0, 0, 0}, {1, 0, 0, 0}, 0, 64, memory);
      part({0, 2 * kappa, 2 - kappa, 1}, {0.5, kappa, 1, 0.25}, q, 0, memory);
      part({0, 1.5 * agreed + kappa / 2, 2 - agreed / 2 - kappa / 2, 1}, {0.3, 1, 1, 0.25}, q, 3, memory);
      for (const double odds : {0.1, 0.3, 0.6}) odds_.push_back(odds / static_cast<double>(memories.size()));
    }
    start_ = odds_;
    labels_ = plus_ = minus_ = Vector(parts_.size());
  }

  [[nodiscard]] double score(const Vector& x) const {
    const Vector phi = columns(x);
    double p = 0;
    for (std::size_t k = 0; k < parts_.size(); ++k) p += odds_[k] * logistic(inner(parts_[k].w, phi) + offset(k));
    return std::log(p / (1 - p));
  }
  void learn(const Vector& x, double y, double weight, bool again) {
    const Vector phi = columns(x);
    if (!again) {
      double sum = 0;
      for (std::size_t k = 0; k < parts_.size(); ++k)
        sum += odds_[k] *= std::pow(logistic(y * (inner(parts_[k].w, phi) + offset(k))), weight);
      const double share = 1 / (100 + t_++);
      for (std::size_t k = 0; k < parts_.size(); ++k) odds_[k] = (1 - share) * odds_[k] / sum + share * start_[k];
    }
    for (std::size_t k = 0; k < parts_.size(); ++k) parts_[k].learn(phi, y, offset(k), weight);
    for (std::size_t k = 0; k < parts_.size() && !again; ++k) {
      const double kept = parts_[k].memory == 0 ? 1 : 1 - 1 / static_cast<double>(parts_[k].memory);
      for (Vector* count : {&labels_, &plus_, &minus_}) (*count)[k] *= kept;
      labels_[k] += 1;
      (y > 0 ? plus_ : minus_)[k] += weight;
    }
  }

 private:
  [[nodiscard]] Vector centred(Vector x) const {
    if (!mean_.empty()) add(x, -1, mean_);
    return x;
  }
  [[nodiscard]] double offset(std::size_t k) const {  // as far back as part k remembers
    return labels_[k] / (labels_[k] + 5) * std::log((plus_[k] + 1) / (minus_[k] + 1));
  }
  [[nodiscard]] double vote(const Vector& x) const {
    const std::vector<std::uint32_t> holds = task_.holds(x);
    if (holds.empty()) return silent_;
    double sum = 0, strongest = 1;
    for (const std::uint32_t i : holds) {
      sum += voices_[i];
      strongest = std::max(strongest, std::fabs(voices_[i]));
    }
    return std::max(-strongest, std::min(strongest, sum));
  }
  [[nodiscard]] Vector columns(const Vector& x) const {
    Vector phi{1, inner(plane_, x) + plane_bias_, vote(x), 0};
    if (!task_.holds(x).empty() && phi[2] * offset(0) < 0) phi[3] = -offset(0);
    phi.resize(4 + voices_.size());
    for (const std::uint32_t i : task_.holds(x)) phi[4 + i] = task_.advice.rules[i].z;
    const Vector rest = centred(x);
    phi.insert(phi.end(), rest.begin(), rest.end());
    return phi;
  }

  const Task& task_;
  std::size_t n_;
  Vector mean_, voices_, plane_, odds_, start_, labels_, plus_, minus_;
  double silent_ = 0, plane_bias_ = 0, t_ = 0;
  std::vector<Plain> parts_;
};

struct Judged {
  Vector x;
  std::vector<std::uint32_t> holds;
  [[nodiscard]] Row row() const {
    return {.values = x.data(), .count = static_cast<std::uint32_t>(x.size()), .judged = true, .holds = holds};
  }
};

Block block_of(const std::vector<Vector>& rows, const Task& task) {
  BlockData data;
  data.rules.starts.push_back(0);
  for (const Vector& x : rows) {
    data.width = static_cast<std::uint32_t>(x.size());
    data.values.insert(data.values.end(), x.begin(), x.end());
    data.labels.push_back(std::nan(""));
    for (const std::uint32_t i : task.holds(x)) data.rules.rules.push_back(i);
    data.rules.starts.push_back(data.rules.rules.size());
  }
  return Block(std::move(data));
}

class AdvisedForms : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Advised, AdvisedForms, testing::Values("none", "auto"),
                         [](const auto& drift) { return std::string(drift.param); });

TEST_P(AdvisedForms, EqualTheFormulas) {
  const LearnerInfo& info = find_learner("advised");
  const bool forgets = std::string(GetParam()) == "auto";
  const std::size_t count = forgets ? 330 : 120;
  for (std::uint64_t seed = 0; seed < (forgets ? 9U : 12U); ++seed) {
    Random random(seed);
    const auto features = static_cast<std::uint32_t>(seed % 3 == 2 ? 90 : 3 + seed);
    const Task task(random, features, 1 + static_cast<int>(seed % 5), seed % 4 == 0);
    const Examples stream = random_stream(seed, count, features);
    std::vector<Vector> studied;
    if (seed % 4 != 3) studied.assign(stream.x.begin(), stream.x.begin() + (seed % 2 == 0 ? 100 : 12));
    auto learner = info.make(Params(info.name, info.params, {{"drift", GetParam()}}));
    learner->grow(features);
    learner->take_advice(task.advice);
    if (!studied.empty()) {
      const Block block = block_of(studied, task);
      std::vector<Row> rows;
      for (std::size_t i = 0; i < block.rows(); ++i) rows.push_back(block.row(i));
      learner->study(rows);
    }
    PlainAdvised plain(task, features, studied,
                       forgets ? std::vector<std::uint64_t>{0, 1000, 100} : std::vector<std::uint64_t>{0});
    for (std::size_t i = 0; i < stream.x.size(); ++i) {
      const Judged row{stream.x[i], task.holds(stream.x[i])};
      const double expected = plain.score(row.x), weight = seed % 5 == 1 ? 0.5 + random.uniform() : 1;
      const bool again = i >= count - 20;
      EXPECT_NEAR(learner->score(row.row()), expected, 1e-7 * (1 + std::fabs(expected)))
          << "seed " << seed << " row " << i;
      const std::optional<LogOdds> parts = learner->contributions(row.row());
      double sum = parts->base + parts->silence + parts->plane + parts->remainder;
      for (const auto& [number, value] : parts->features) sum += value;
      for (const auto& [number, value] : parts->rules) sum += value;
      EXPECT_NEAR(sum, expected, 1e-7 * (1 + std::fabs(expected)));
      learner->rows_again(again);
      learner->learn(row.row(), stream.y[i], weight);
      plain.learn(row.x, stream.y[i], weight, again);
    }
  }
}

// Whatever the labels, even if each is the opposite of what was predicted.
TEST(Advised, IsNeverMuchWorseThanAnyOfItsParts) {
  const LearnerInfo& info = find_learner("advised");
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const auto features = static_cast<std::uint32_t>(2 + random.below(8));
    const Task task(random, features, 1 + static_cast<int>(seed % 4), seed % 2 == 0);
    const Examples stream = random_stream(seed, 400, features);
    auto learner = info.make(Params(info.name, info.params, {{"drift", seed % 5 == 4 ? "auto" : "none"}}));
    learner->grow(features);
    learner->take_advice(task.advice);
    double loss = 0;
    for (std::size_t i = 0; i < stream.x.size(); ++i) {
      const Judged row{stream.x[i], task.holds(stream.x[i])};
      const double score = learner->score(row.row());
      const double y = seed % 3 == 0   ? (score >= 0 ? -1 : 1)  // an adversary
                       : seed % 3 == 1 ? stream.y[i]
                                       : (random.uniform() < 0.02 ? 1 : -1);
      loss += std::log1p(std::exp(-y * score));
      learner->learn(row.row(), y, 1);
    }
    const AdviceReport::Mixture mixture = *learner->advice_report()->mixture;
    EXPECT_NEAR(mixture.loss, loss, 1e-6 * (1 + loss));
    EXPECT_EQ(mixture.rounds, stream.x.size());
    for (const AdviceReport::Mixture::Part& part : mixture.parts)
      EXPECT_LE(loss, part.loss + std::log(1 / part.start) + std::log(1 + 400.0 / 99) + 1e-6)
          << part.name << " seed " << seed;
  }
}

TEST(Advised, RulesMayComeAndGoWhileLearning) {
  const LearnerInfo& info = find_learner("advised");
  for (const std::uint32_t features : {5U, 90U}) {
    Random random(features);
    const Task task(random, features, 3, false), other(random, features, 2, false);
    const Examples stream = random_stream(features, 200, features);
    const auto learn = [&](Learner& learner, const Task* rules, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const Judged row{stream.x[i], rules == nullptr ? std::vector<std::uint32_t>() : rules->holds(stream.x[i])};
        learner.learn(row.row(), stream.y[i], 1);
      }
    };
    // Rules that are hardly believed leave the scores as examples have made them.
    auto learner = info.make(Params(info.name, info.params, {{"prior", "1e-9"}}));
    learner->grow(features);
    learn(*learner, nullptr, 0, 60);
    const SparseRow probe(stream.x[70]);
    const double before = learner->score(probe.row());
    learner->take_advice(task.advice);
    EXPECT_NEAR(learner->score(probe.row()), before, 1e-6 * (1 + std::fabs(before)));
    learn(*learner, &task, 60, 120);
    // Without rules again, it is what it would be had there been none.
    learner->take_advice({});
    auto plain = info.make(Params(info.name, info.params, {}));
    plain->grow(features);
    learn(*plain, nullptr, 0, 120);
    EXPECT_NEAR(learner->score(probe.row()), plain->score(probe.row()), 1e-9);
    // A rule that stays keeps what it has learned; others come and go.
    learner->take_advice(task.advice);
    learn(*learner, &task, 120, 160);
    TaskAdvice fewer = task.advice;
    fewer.rules.erase(fewer.rules.begin());
    const auto weight_of = [&](std::uint32_t number) {
      const AdviceReport report = *learner->advice_report();
      for (const auto& [rule, weight] : report.rules)
        if (rule == number) return weight;
      return 0.0;
    };
    const double kept = weight_of(2);
    learner->take_advice(fewer);
    EXPECT_NEAR(weight_of(2), kept, 1e-9);
    learner->take_advice(other.advice);
    learn(*learner, &other, 160, 200);
    EXPECT_TRUE(std::isfinite(learner->score(probe.row())));
    EXPECT_TRUE(learner->fits(features));
  }
}

TEST(Advised, WithoutRulesItIsOneLinearLogisticLearner) {
  const LearnerInfo& info = find_learner("advised");
  for (const std::uint32_t features : {4U, 100U}) {
    const Examples stream = random_stream(features, 200, features);
    auto learner = info.make(Params(info.name, info.params, {}));
    learner->grow(features);
    Vector variance(features + 1, 64.0 / features);
    variance[features] = 1;
    Plain plain(Vector(features + 1), variance, features + 1 > 80);
    double plus = 0, minus = 0;
    for (std::size_t i = 0; i < stream.x.size(); ++i) {
      const auto t = static_cast<double>(i);
      const double o = t / (t + 5) * std::log((plus + 1) / (minus + 1));
      Vector phi = stream.x[i];
      phi.push_back(1);
      const SparseRow row(stream.x[i]);
      const double expected = inner(plain.w, phi) + o;
      EXPECT_NEAR(learner->learn(row.row(), stream.y[i], 1).score, expected, 1e-7 * (1 + std::fabs(expected)));
      plain.learn(phi, stream.y[i], o, 1);
      (stream.y[i] > 0 ? plus : minus) += 1;
      const LinearModel linear = *learner->linear();
      EXPECT_NEAR(inner(linear.weights, stream.x[i]) + linear.bias, learner->score(row.row()), 1e-9);
    }
  }
}

}  // namespace
}  // namespace postil
