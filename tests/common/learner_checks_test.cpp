// Checks that every registered learner must pass, each a test of its own:
// Registry/LearnerCheck.SparseEqualsDense/perceptron.
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include "support.hpp"

extern std::size_t allocations;  // count_allocations.cpp

namespace postil {
namespace {

constexpr std::size_t kFeatures = 12;

struct Example {
  std::vector<double> dense;
  std::vector<std::uint32_t> index;  // of the values that are not zero
  std::vector<double> value;
  std::vector<std::uint32_t> holds;  // rules
  double y;

  [[nodiscard]] Row dense_row() const {
    return {.values = dense.data(), .count = static_cast<std::uint32_t>(dense.size()), .judged = true, .holds = holds};
  }
  [[nodiscard]] Row sparse_row() const {
    return {.indices = index.data(),
            .values = value.data(),
            .count = static_cast<std::uint32_t>(index.size()),
            .judged = true,
            .holds = holds};
  }
};

Example example(std::vector<double> dense, std::vector<std::uint32_t> holds, double y) {
  Example out{std::move(dense), {}, {}, std::move(holds), y};
  for (std::uint32_t j = 0; j < out.dense.size(); ++j)
    if (out.dense[j] != 0) {
      out.index.push_back(j);
      out.value.push_back(out.dense[j]);
    }
  return out;
}

std::vector<Example> examples(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Example> list;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> x(kFeatures);
    for (double& v : x) v = random.uniform() < 0.5 ? 0 : random.normal();
    const double y = x[0] + x[1] - x[2] + 0.3 * random.normal() >= 0 ? 1 : -1;
    std::vector<std::uint32_t> holds;  // of rules()
    if (x[0] >= 0.5 && x[1] >= 0.2) holds.push_back(0);
    if (x[2] >= 0.5 && x[0] <= 0 && x[1] <= 0) holds.push_back(1);
    list.push_back(example(std::move(x), std::move(holds), y));
  }
  return list;
}

// All state as one map from names to numbers.
using test::Restore;
using test::Snapshot;

// A learner and settings that differ from its defaults.
struct Case {
  const LearnerInfo* info;
  std::map<std::string, std::string> settings;
  bool rules;
  std::string name;
  bool numbers = false;  // the form for labels that are numbers
};

// Two rules that are about right and can be obeyed at once: x0 and x1 large say +1; x2 large and those small, -1. And a direction
// that is right: more x1 says +1.
TaskAdvice rules(bool flipped = false, bool reversed = false) {
  const auto feature = [&](std::uint32_t j) { return reversed ? static_cast<std::uint32_t>(kFeatures) - 1 - j : j; };
  const double sign = flipped ? -1 : 1;
  TaskAdvice advice;
  advice.sets.push_back(
      {0, sign, 1, 1, {{{{feature(0), -1.0}}, -0.5, false, false}, {{{feature(1), -1.0}}, -0.2, false, false}}});
  advice.sets.push_back({1,
                         -sign,
                         0.5,
                         1,
                         {{{{feature(2), -1.0}}, -0.5, false, false},
                          {{{feature(0), 1.0}}, 0, false, false},
                          {{{feature(1), 1.0}}, 0, false, false}}});
  advice.rules = {{0, sign, true, Sure{0.8, 5}, "first"}, {1, -sign, true, {}, "second"}};
  advice.directions = {{{feature(1), sign}, 2, 0.5, "third"}};
  for (const std::uint32_t j : {0U, 1U, 2U}) advice.features.push_back({feature(j), -4, 4, -3, 3, 0, 0.5, j == 2});
  if (reversed) {
    std::reverse(advice.features.begin(), advice.features.end());
    for (TaskAdvice::Set& set : advice.sets)
      for (AdviceRow& row : set.rows) std::sort(row.terms.begin(), row.terms.end());
  }
  return advice;
}

// Checks that do not apply, to which cases, and why. No other place here knows a learner by its name ...
struct Exception {
  std::string_view cases, check, reason;  // cases: a name, with * all that begin so, with two all that have it

  [[nodiscard]] bool covers(std::string_view name) const {
    if (cases.starts_with('*')) return name.find(cases.substr(1, cases.size() - 2)) != std::string_view::npos;
    return cases.ends_with('*') ? name.starts_with(cases.substr(0, cases.size() - 1)) : name == cases;
  }
};
constexpr Exception kExceptions[] = {
    {"voted_perceptron*", "FlippingLabelsFlipsWeights", "a tie votes for +1 whatever the labels"},
    {"voted_perceptron*", "NoAllocationInARound", "keeps the example of every mistake"},
    {"kernel_perceptron*", "NoAllocationInARound", "keeps the example of every mistake"},
    {"kernel_perceptron*", "FeaturesThatComeLateEqualThoseThatWereZero", "before any row, gamma is 1/features"},
    {"kernel_perceptron_prediction_voted", "FlippingLabelsFlipsWeights", "a tie votes for +1 whatever the labels"},
    {"kernel_adviceptron*", "NoAllocationInARound", "keeps rows"},
    {"kernel_adviceptron_rules*", "PermutingFeaturesPermutesWeights",
     "other points are drawn from the regions of its rules"},
    {"kernel_adviceptron*", "FeaturesThatComeLateEqualThoseThatWereZero", "before any row, gamma is 1/features"},
    {"kernel_kbsvm_rules*", "PermutingFeaturesPermutesWeights", "other points are drawn from the regions of its rules"},
    {"adviceptron_rules*", "RepeatedRowsAndOneClassAreLearned", "pulled back by its rules every round"},
    {"pa_adviceptron_rules*", "RepeatedRowsAndOneClassAreLearned", "pulled back by its rules every round"},
    {"*loss_squared*", "ZeroRowsAndExtremeScalesStayFinite", "steps of squared losses overshoot on long rows"},
    {"sgd_loss_squared", "RepeatedRowsAndOneClassAreLearned", "steps of a constant 1 swing about the label"},
    {"sgd_loss_epsilon_insensitive", "RepeatedRowsAndOneClassAreLearned",
     "steps of a constant 1 swing about the label"},
    {"advised*", "FeaturesThatComeLateEqualThoseThatWereZero",
     "before any row, the size of rows is the number of features"},
    {"esvm_online*", "FeaturesThatComeLateEqualThoseThatWereZero", "its first ellipsoid is shared among all features"},
};

// ... but this one: how near its solver comes to the optimum, with which settings, and what it can learn in a moment.
struct Precision {
  double weights = 1e-9, residual = 1e-5;
  std::size_t rows = 2000;
  int wrong_with_rules = 300;  // at most, of 1000
  std::map<std::string, std::string> settings;
};
Precision precision_of(const LearnerInfo& info) {
  if (info.name == "bayes-point")
    return {0.2, 0.1, 150, 300, {{"soft", "3"}, {"tol", "0.1"}}};  // draws; a wide version space
  if (info.kernels && info.mode == Mode::batch)
    return {1e-4, 1e-5, 400, 300, {{"tolerance", info.name == "svm" ? "1e-8" : "1e-7"}}};
  if (info.name == "pa-adviceptron")
    return {.wrong_with_rules = 400, .settings = {}};  // mu = 1, as in the papers: it remembers little but its rules
  return {};
}

class LearnerCheck : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    for (const Exception& exception : kExceptions)
      if (exception.covers(GetParam().name) && test.substr(0, test.find('/')) == exception.check)
        GTEST_SKIP() << exception.reason;
  }
  static const LearnerInfo& info() { return *GetParam().info; }
  static std::unique_ptr<Learner> create(const Params& params) {
    return GetParam().numbers ? info().make_regressor(params) : info().make(params);
  }
  static TaskAdvice advice(bool flipped = false, bool reversed = false) {
    TaskAdvice out = rules(flipped, reversed);
    if (!GetParam().numbers) return out;
    out.of_numbers = true;  // the same as numbers: at least 0.5, at most -0.5
    for (TaskAdvice::Set& set : out.sets) {
      set.margin = 0;
      set.target.constant = 0.5 * set.z;
    }
    for (TaskAdvice::Rule& rule : out.rules) {
      rule.claim.emplace();
      (rule.z > 0 ? rule.claim->low : rule.claim->high) = LinearFunction{{}, 0.5 * rule.z};
    }
    return out;
  }
  static std::unique_ptr<Learner> make(const std::map<std::string, std::string>& given = {}) {
    std::map<std::string, std::string> settings = GetParam().settings;
    for (const auto& [key, value] : given) settings[key] = value;
    auto learner = create(Params(info().name, info().params, settings));
    learner->grow(kFeatures);
    if (GetParam().rules) learner->take_advice(advice());
    return learner;
  }
  static std::unique_ptr<Learner> learned(const std::vector<Example>& list, bool sparse = false) {
    auto learner = make();
    learn(*learner, list, sparse);
    return learner;
  }
  static void learn(Learner& learner, const std::vector<Example>& list, bool sparse = false) {
    if (info().mode == Mode::batch) {
      fit(learner, list, sparse);
      return;
    }
    for (const Example& e : list) learner.learn(sparse ? e.sparse_row() : e.dense_row(), e.y, 1);
  }
  static FitReport fit(Learner& learner, const std::vector<Example>& list, bool sparse = false) {
    BlockData data;
    data.width = kFeatures;
    if (sparse) data.starts.push_back(0);
    std::vector<double> y;
    for (const Example& e : list) {
      const Row row = sparse ? e.sparse_row() : e.dense_row();
      for (std::size_t k = 0; k < row.count; ++k) {
        data.values.push_back(row.value(k));
        if (sparse) data.indices.push_back(row.index(k));
      }
      if (sparse) data.starts.push_back(data.values.size());
      y.push_back(e.y);
      add_rules(e, data);
    }
    const Block block(std::move(data));
    return learner.fit({std::span(&block, 1), y, {}});
  }
  static void add_rules(const Example& e, BlockData& data) {
    if (data.rules.starts.empty()) data.rules.starts.push_back(0);
    data.rules.rules.insert(data.rules.rules.end(), e.holds.begin(), e.holds.end());
    data.rules.starts.push_back(data.rules.rules.size());
  }
  static bool online() { return info().mode == Mode::online; }
  static std::map<std::string, std::vector<double>> state(Learner& learner) {
    Snapshot snapshot;
    learner.write(snapshot);
    return snapshot.state;
  }
  // What tells the predictor apart: its scores of each feature alone, of nothing, and of each rule alone. Linear learners:
  // weights and bias.
  static std::vector<double> fingerprint(const Learner& learner, std::uint32_t features = kFeatures) {
    std::vector<double> scores;
    const double one = 1;
    const double nothing = learner.score({});
    for (std::uint32_t j = 0; j < features; ++j)
      scores.push_back(learner.score({.indices = &j, .values = &one, .count = 1}) - nothing);
    scores.push_back(nothing);
    for (const std::uint32_t rule : {0U, 1U}) scores.push_back(learner.score({.judged = true, .holds = {&rule, 1}}));
    return scores;
  }
  // Solvers that stop at a tolerance (kernel machines) are held to a multiple of it, those that draw to what they promise.
  static void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    const double close = precision_of(info()).weights;
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], close * (1 + std::fabs(b[j])));
  }
};

TEST_P(LearnerCheck, PredictsBeforeLearning) {
  const double score = make()->score(examples(1, 1)[0].dense_row());
  if (GetParam().rules)
    EXPECT_TRUE(std::isfinite(score));
  else
    EXPECT_EQ(score, 0);
}

class BatchCheck : public LearnerCheck {};

TEST_P(BatchCheck, SaysHowItEnded) {
  const FitReport report = fit(*make(), examples(1, 200));
  EXPECT_TRUE(report.converged) << report.status;
  EXPECT_TRUE(std::isfinite(report.objective));
  EXPECT_NE(report.objective, 0);
  EXPECT_LT(report.residual, precision_of(info()).residual);
  EXPECT_GT(report.iterations, 0U);
}

TEST_P(LearnerCheck, PredictionChangesNothing) {
  auto learner = learned(examples(1, 50));
  const auto before = state(*learner);
  for (const Example& e : examples(2, 20)) (void)learner->score(e.dense_row());
  EXPECT_EQ(state(*learner), before);
}

TEST_P(LearnerCheck, LearnsSomething) {
  if (info().needs_advice && !GetParam().rules) GTEST_SKIP() << "learns from rules only";
  if (info().compact) GTEST_SKIP() << "sees which rules hold, and nothing else of a row";
  auto learner = learned(examples(1, precision_of(info()).rows));
  int wrong = 0;
  for (const Example& e : examples(2, 1000)) wrong += e.y * learner->score(e.dense_row()) <= 0 ? 1 : 0;
  EXPECT_LT(wrong, GetParam().rules ? precision_of(info()).wrong_with_rules : 300);
}

TEST_P(LearnerCheck, SaveLoadContinueEqualsNeverStopping) {
  if (!online()) GTEST_SKIP() << "learns in one go";
  const auto list = examples(3, 100);
  auto whole = learned(list);
  auto first = learned({list.begin(), list.begin() + 40});
  Snapshot snapshot;
  first->write(snapshot);
  auto second = make();
  Restore restore(snapshot);
  second->read(restore);
  for (std::size_t i = 40; i < list.size(); ++i) second->learn(list[i].dense_row(), list[i].y, 1);
  EXPECT_EQ(state(*second), state(*whole));
}

// What was solved for rules is part of the state: loading does not solve it again.
TEST_P(LearnerCheck, RestoredWithItsRulesItGoesOnToTheBit) {
  if (!GetParam().rules) GTEST_SKIP() << "no rules";
  const auto list = examples(3, 100);
  const std::vector<Example> first(list.begin(), list.begin() + 40);
  auto whole = learned(first);
  const Snapshot snapshot(*whole);
  auto restored = create(Params(info().name, info().params, GetParam().settings));
  restored->grow(kFeatures);
  restored->restore_advice(advice());
  Restore restore(snapshot);
  restored->read(restore);
  EXPECT_TRUE(restored->fits(kFeatures));
  EXPECT_EQ(fingerprint(*restored), fingerprint(*whole));
  EXPECT_EQ(state(*restored), state(*whole));
  const auto before = whole->advice_report(), after = restored->advice_report();
  ASSERT_EQ(before.has_value(), after.has_value());
  for (std::size_t i = 0; before && i < before->sets.size(); ++i) {
    EXPECT_EQ(before->sets[i].multipliers, after->sets[i].multipliers);
    EXPECT_EQ(before->sets[i].estimate, after->sets[i].estimate);
    EXPECT_EQ(before->sets[i].ideal, after->sets[i].ideal);
    EXPECT_EQ(before->sets[i].part, after->sets[i].part);
  }
  if (!online()) return;
  for (std::size_t i = 40; i < list.size(); ++i)
    for (Learner* learner : {whole.get(), restored.get()}) learner->learn(list[i].dense_row(), list[i].y, 1);
  EXPECT_EQ(state(*restored), state(*whole));
}

// Two classes that become three: the old question, turned round, is what the other class would have learned.
TEST_P(LearnerCheck, TurnedRoundItIsWhatOppositeLabelsTeach) {
  auto list = examples(7, 200);
  auto turned = learned(list);
  const auto before = fingerprint(*turned);
  if (!turned->turn_round()) {
    EXPECT_EQ(fingerprint(*turned), before);
    GTEST_SKIP() << "cannot be turned round";
  }
  for (Example& e : list) e.y = -e.y;
  auto other = create(Params(info().name, info().params, GetParam().settings));
  other->grow(kFeatures);
  if (GetParam().rules) other->take_advice(advice(true));
  learn(*other, list);
  expect_near(fingerprint(*turned), fingerprint(*other));
  for (const Example& e : examples(8, 50))
    for (Learner* learner : {turned.get(), other.get()}) learner->learn(e.dense_row(), e.y, 1);
  expect_near(fingerprint(*turned), fingerprint(*other));
}

TEST_P(LearnerCheck, DamagedStatesDoNotFit) {
  const auto list = examples(3, 30);
  auto learner = learned(list);
  EXPECT_TRUE(learner->fits(kFeatures));
  EXPECT_EQ(learner->fits(kFeatures + 1), info().compact);
  Snapshot snapshot;
  learner->write(snapshot);
  for (const auto& [name, values] : snapshot.state) {
    if (values.size() < 2) continue;
    Snapshot shorter = snapshot;
    shorter.state[name].pop_back();
    auto damaged = make();
    Restore restore(shorter);
    damaged->read(restore);
    EXPECT_FALSE(damaged->fits(kFeatures)) << name;
  }
}

TEST_P(LearnerCheck, SameExamplesSameBits) {
  EXPECT_EQ(state(*learned(examples(4, 200))), state(*learned(examples(4, 200))));
}

TEST_P(LearnerCheck, SparseEqualsDense) {
  expect_near(fingerprint(*learned(examples(5, 300), true)), fingerprint(*learned(examples(5, 300))));
}

TEST_P(LearnerCheck, PermutingFeaturesPermutesWeights) {
  if (GetParam().settings.contains("method")) GTEST_SKIP() << "draws other points";
  auto list = examples(6, 200);
  const auto plain = fingerprint(*learned(list));
  for (Example& e : list) {
    std::vector<double> reversed(e.dense.rbegin(), e.dense.rend());
    e = example(std::move(reversed), e.holds, e.y);
  }
  auto other = create(Params(info().name, info().params, GetParam().settings));
  other->grow(kFeatures);
  if (GetParam().rules) other->take_advice(advice(false, true));
  learn(*other, list);
  auto turned = fingerprint(*other);
  std::reverse(turned.begin(), turned.begin() + kFeatures);
  expect_near(turned, plain);
}

TEST_P(LearnerCheck, FlippingLabelsFlipsWeights) {
  auto list = examples(7, 200);
  const auto plain = fingerprint(*learned(list));
  for (Example& e : list) e.y = -e.y;
  auto other = create(Params(info().name, info().params, GetParam().settings));
  other->grow(kFeatures);
  if (GetParam().rules) other->take_advice(advice(true));
  learn(*other, list);
  auto flipped = fingerprint(*other);
  for (double& w : flipped) w = -w;
  expect_near(flipped, plain);
}

TEST_P(LearnerCheck, ZeroRowsAndExtremeScalesStayFinite) {
  for (const double scale : {0.0, 1e-150, 1e-5, 1e5, 1e100}) {
    auto learner = make();
    if (!online()) GTEST_SKIP() << "solvers have their own ways with such rows";
    for (Example e : examples(8, 100)) {
      for (double& v : e.dense) v *= scale;
      learner->learn(e.dense_row(), e.y, 1);
    }
    for (const double w : fingerprint(*learner)) EXPECT_TRUE(std::isfinite(w)) << scale;
  }
}

TEST_P(LearnerCheck, ABlockEqualsItsRowsInTurn) {
  const auto list = examples(13, 150);
  for (const bool sparse : {false, true}) {
    auto rows = make(), blocks = make();
    BlockData data;
    data.width = kFeatures;
    if (sparse) data.starts.push_back(0);
    std::vector<double> y, weights;
    std::vector<Step> steps(list.size()), expected(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Row row = sparse ? list[i].sparse_row() : list[i].dense_row();
      for (std::size_t k = 0; k < row.count; ++k) {
        data.values.push_back(row.value(k));
        if (sparse) data.indices.push_back(row.index(k));
      }
      if (sparse) data.starts.push_back(data.values.size());
      add_rules(list[i], data);
      y.push_back(i % 11 == 0 ? std::nan("") : list[i].y);
      weights.push_back(i % 5 == 0 ? 2 : 1);
      if (i % 11 != 0) expected[i] = rows->learn(row, y[i], weights[i]);
    }
    data.labels = y;
    blocks->learn_block(Block(std::move(data)), y, weights, steps);
    EXPECT_EQ(state(*blocks), state(*rows));
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(steps[i].score, expected[i].score);
      EXPECT_EQ(steps[i].updated, expected[i].updated);
    }
  }
}

TEST_P(LearnerCheck, RepeatedRowsAndOneClassAreLearned) {
  if (info().needs_advice || !online()) GTEST_SKIP() << "does not learn in turn";
  const auto list = examples(14, 5);
  auto repeated = make(), one_class = make();
  for (int i = 0; i < 500; ++i) repeated->learn(list[0].sparse_row(), list[0].y, 1);
  EXPECT_GT(list[0].y * repeated->score(list[0].sparse_row()), 0);
  for (int i = 0; i < 300; ++i) one_class->learn(list[i % 5].sparse_row(), -1, 1);
  for (const Example& e : list) EXPECT_LT(one_class->score(e.sparse_row()), 0);
}

TEST_P(LearnerCheck, FeaturesThatComeLateEqualThoseThatWereZero) {
  if (!online()) GTEST_SKIP() << "learns in one go";
  auto list = examples(15, 200);
  for (std::size_t i = 0; i < 100; ++i) {  // the last two features appear in the second half
    std::vector<double> x = list[i].dense;
    x[kFeatures - 1] = x[kFeatures - 2] = 0;
    list[i] = example(std::move(x), list[i].holds, list[i].y);
  }
  auto narrow = create(Params(info().name, info().params, GetParam().settings));
  narrow->grow(kFeatures - 2);
  if (GetParam().rules) narrow->take_advice(advice());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == 100) narrow->grow(kFeatures);
    narrow->learn(list[i].sparse_row(), list[i].y, 1);
  }
  expect_near(fingerprint(*narrow), fingerprint(*learned(list, true)));
}

TEST_P(LearnerCheck, EmptyRowsAreLearned) {
  auto learner = make();
  learner->learn({.indices = examples(1, 1)[0].index.data(), .count = 0}, 1, 1);
  EXPECT_TRUE(std::isfinite(learner->score({})));
}

TEST_P(LearnerCheck, EmptyRowsAreLearnedBeforeThereAreFeatures) {
  if (!online()) GTEST_SKIP() << "a batch learner is told all features before it fits";
  const auto learner = create(Params(info().name, info().params, GetParam().settings));
  learner->grow(0);
  for (const double y : {1.0, -1.0}) learner->learn({}, y, 1);
  EXPECT_TRUE(std::isfinite(learner->score({})));
}

TEST_P(LearnerCheck, GrowingKeepsWhatWasLearned) {
  auto learner = learned(examples(9, 100));
  auto before = fingerprint(*learner);
  learner->grow(1000);
  auto after = fingerprint(*learner, 1000);
  EXPECT_EQ(after.size(), 1003U);
  for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_EQ(after[j], before[j]);
  for (std::size_t last = 1; last <= 3; ++last) EXPECT_EQ(after[after.size() - last], before[before.size() - last]);
}

TEST_P(LearnerCheck, NoAllocationInARound) {
  const auto list = examples(10, 100);
  auto learner = learned(list);
  const std::size_t before = allocations;
  for (const Example& e : list) {
    learner->learn(e.dense_row(), -e.y, 1);
    learner->learn(e.sparse_row(), e.y, 1);
    (void)learner->score(e.sparse_row());
  }
  EXPECT_EQ(allocations, before);
}

TEST_P(LearnerCheck, EveryParameterRefusesValuesJustOutsideItsRange) {
  const auto refused = [&](const ParamSpec& spec, const std::string& value) {
    return !test::message_of([&] { make({{std::string(spec.name), value}}); }).empty();
  };
  for (const ParamSpec& spec : info().params) {
    EXPECT_TRUE(refused(spec, "surely-not-this")) << spec.name;
    EXPECT_FALSE(spec.help.empty()) << spec.name;
    if (spec.kind == ParamKind::flag || spec.kind == ParamKind::choice) continue;
    EXPECT_TRUE(refused(spec, "nan")) << spec.name;
    for (const auto& [end, open, outward] : {std::tuple{spec.range.low, spec.range.low_open, -1.0},
                                             std::tuple{spec.range.high, spec.range.high_open, 1.0}}) {
      if (std::isinf(end)) continue;
      const double outside = open ? end : std::nextafter(end, outward * std::numeric_limits<double>::infinity());
      EXPECT_TRUE(refused(spec, fmt::format("{}", outside))) << spec.name << " = " << outside;
    }
  }
}

TEST_P(LearnerCheck, LinearWeightsGiveTheScore) {
  auto learner = learned(examples(11, 100));
  const std::optional<LinearModel> linear = learner->linear();
  if (!linear || !linear->whole) GTEST_SKIP() << "does not predict with one hyperplane alone";
  for (const Example& e : examples(12, 20)) {
    double score = linear->bias;
    for (std::size_t j = 0; j < kFeatures; ++j) score += linear->weights[j] * e.dense[j];
    EXPECT_NEAR(learner->score(e.dense_row()), score, 1e-9 * (1 + std::fabs(score)));
  }
}

TEST_P(LearnerCheck, IsFullyDescribed) {
  EXPECT_FALSE(info().title.empty());
  EXPECT_FALSE(info().reference.empty());
  EXPECT_FALSE(info().python_name.empty());
  for (const char* part : {"**Problem.**", "**Update.**", "**When not to use it.**"})
    EXPECT_NE(info().page.find(part), std::string_view::npos) << part;
}

std::map<std::string, std::string> settings_of(std::string_view text) {  // "key=value key=value"
  std::map<std::string, std::string> out;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) out[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  return out;
}

// Every learner as it is, with each other value of each choice and flag, and with numbers that switch something on.
std::vector<Case> cases() {
  std::vector<Case> list;
  const auto add_one = [&](const LearnerInfo* info, std::map<std::string, std::string> settings, bool with_rules) {
    std::string name(info->name);
    if (with_rules) name += "_rules";
    for (const auto& [key, value] : settings) name += "_" + key + "_" + value;
    for (char& c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    if (settings["schedule"] == "pegasos") settings["l2"] = "0.01";
    if (settings["schedule"] == "inverse") settings["eta0"] = "1";
    settings.merge(precision_of(*info).settings);
    if (settings["solver"] == "newton") settings.merge(std::map<std::string, std::string>{{"one_minus_r", "1e-8"}});
    if (settings["solver"] == "newton") settings["margin"] = "hard";
    if (settings["margin"] == "hard") settings.insert({{"kernel", "rbf"}, {"gamma", "0.1"}});  // separable for sure
    std::erase_if(settings, [](const auto& setting) { return setting.second.empty(); });
    list.push_back({info, std::move(settings), with_rules, std::move(name)});
  };
  const auto add = [&](const LearnerInfo* info, const std::map<std::string, std::string>& settings) {
    const bool hard = settings.contains("advice");
    if (!hard) add_one(info, settings, false);
    const auto start = settings.find("start");
    if (info->takes_advice || (start != settings.end() && start->second == "advice")) add_one(info, settings, true);
  };
  for (const LearnerInfo* info : learners()) {
    add(info, {});
    for (const bool with_rules : {false, true})
      if (info->make_regressor != nullptr && (!with_rules || info->takes_advice)) {
        add_one(info, settings_of(info->regression_settings), with_rules);
        list.back().numbers = true;
        list.back().name += "_numbers";
      }
    for (const ParamSpec& spec : info->params) {
      const std::string key(spec.name);
      if (spec.kind == ParamKind::flag) add(info, {{key, spec.number != 0 ? "false" : "true"}});
      std::string choices(spec.choices);
      for (std::size_t begin = 0; !choices.empty() && begin <= choices.size();) {
        const std::size_t end = std::min(choices.find('|', begin), choices.size());
        if (const std::string word = choices.substr(begin, end - begin);
            word != spec.word && word != "precomputed")  // its rows are another kind of data: tests/oracle/svm_test.cpp
          add(info, {{key, word}});
        begin = end + 1;
      }
      if (key == "l1" || key == "l2") add(info, {{key, "0.001"}});
    }
  }
  return list;
}

std::vector<Case> batch_cases() {
  std::vector<Case> list = cases();
  std::erase_if(list, [](const Case& of) { return of.info->mode != Mode::batch; });
  return list;
}

INSTANTIATE_TEST_SUITE_P(Registry, LearnerCheck, testing::ValuesIn(cases()),
                         [](const auto& of) { return of.param.name; });
INSTANTIATE_TEST_SUITE_P(Registry, BatchCheck, testing::ValuesIn(batch_cases()),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace postil
