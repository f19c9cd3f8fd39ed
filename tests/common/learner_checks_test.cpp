// Checks that every registered learner must pass, each a test of its own:
// Registry/LearnerCheck.SparseEqualsDense/perceptron.
#include <cmath>
#include <limits>
#include <map>

#include "support.hpp"

extern std::size_t allocations;  // count_allocations.cpp

namespace postil {
namespace {

constexpr std::size_t kFeatures = 12;

struct Example {
  std::vector<double> dense;
  std::vector<std::uint32_t> index;  // of the values that are not zero
  std::vector<double> value;
  double y;

  [[nodiscard]] Row dense_row() const {
    return {.values = dense.data(), .count = static_cast<std::uint32_t>(dense.size())};
  }
  [[nodiscard]] Row sparse_row() const {
    return {.indices = index.data(), .values = value.data(), .count = static_cast<std::uint32_t>(index.size())};
  }
};

Example example(std::vector<double> dense, double y) {
  Example out{std::move(dense), {}, {}, y};
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
    list.push_back(example(std::move(x), y));
  }
  return list;
}

// All state as one map from names to numbers.
class Snapshot final : public Archive {
 public:
  void tensor(std::string_view name, std::vector<double>& values) override { state[std::string(name)] = values; }
  void number(std::string_view name, double& value) override { state[std::string(name)] = {value}; }
  void counter(std::string_view name, std::uint64_t& value) override {
    state[std::string(name)] = {static_cast<double>(value)};
  }
  std::map<std::string, std::vector<double>> state;
};

class Restore final : public Archive {
 public:
  explicit Restore(const Snapshot& from) : from_(from.state) {}
  void tensor(std::string_view name, std::vector<double>& values) override { values = from_.at(std::string(name)); }
  void number(std::string_view name, double& value) override { value = from_.at(std::string(name))[0]; }
  void counter(std::string_view name, std::uint64_t& value) override {
    value = static_cast<std::uint64_t>(from_.at(std::string(name))[0]);
  }

 private:
  const std::map<std::string, std::vector<double>>& from_;
};

class LearnerCheck : public testing::TestWithParam<const LearnerInfo*> {
 protected:
  static std::unique_ptr<Learner> make(const std::map<std::string, std::string>& given = {}) {
    auto learner = GetParam()->make(Params(GetParam()->name, GetParam()->params, given));
    learner->grow(kFeatures);
    return learner;
  }
  static std::unique_ptr<Learner> learned(const std::vector<Example>& list, bool sparse = false) {
    auto learner = make();
    for (const Example& e : list) learner->learn(sparse ? e.sparse_row() : e.dense_row(), e.y, 1);
    return learner;
  }
  static std::map<std::string, std::vector<double>> state(Learner& learner) {
    Snapshot snapshot;
    learner.visit(snapshot);
    return snapshot.state;
  }
  static std::vector<double> weights(const Learner& learner) {
    const LinearView view = learner.linear();
    std::vector<double> w(view.weights.begin(), view.weights.end());
    w.push_back(view.bias);
    return w;
  }
  static void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_NEAR(a[j], b[j], 1e-9 * (1 + std::fabs(b[j])));
  }
};

TEST_P(LearnerCheck, PredictsBeforeLearning) { EXPECT_EQ(make()->score(examples(1, 1)[0].dense_row()), 0); }

TEST_P(LearnerCheck, PredictionChangesNothing) {
  auto learner = learned(examples(1, 50));
  const auto before = state(*learner);
  for (const Example& e : examples(2, 20)) (void)learner->score(e.dense_row());
  EXPECT_EQ(state(*learner), before);
}

TEST_P(LearnerCheck, LearnsSomething) {
  auto learner = learned(examples(1, 2000));
  int wrong = 0;
  for (const Example& e : examples(2, 1000)) wrong += e.y * learner->score(e.dense_row()) <= 0 ? 1 : 0;
  EXPECT_LT(wrong, 200);
}

TEST_P(LearnerCheck, SaveLoadContinueEqualsNeverStopping) {
  const auto list = examples(3, 100);
  auto whole = learned(list);
  auto first = learned({list.begin(), list.begin() + 40});
  Snapshot snapshot;
  first->visit(snapshot);
  auto second = make();
  Restore restore(snapshot);
  second->visit(restore);
  for (std::size_t i = 40; i < list.size(); ++i) second->learn(list[i].dense_row(), list[i].y, 1);
  EXPECT_EQ(state(*second), state(*whole));
}

TEST_P(LearnerCheck, SameExamplesSameBits) {
  EXPECT_EQ(state(*learned(examples(4, 200))), state(*learned(examples(4, 200))));
}

TEST_P(LearnerCheck, SparseEqualsDense) {
  expect_near(weights(*learned(examples(5, 300), true)), weights(*learned(examples(5, 300))));
}

TEST_P(LearnerCheck, PermutingFeaturesPermutesWeights) {
  auto list = examples(6, 200);
  const auto plain = weights(*learned(list));
  for (Example& e : list) {
    std::vector<double> reversed(e.dense.rbegin(), e.dense.rend());
    e = example(std::move(reversed), e.y);
  }
  auto turned = weights(*learned(list));
  std::reverse(turned.begin(), turned.end() - 1);
  expect_near(turned, plain);
}

TEST_P(LearnerCheck, FlippingLabelsFlipsWeights) {
  auto list = examples(7, 200);
  const auto plain = weights(*learned(list));
  for (Example& e : list) e.y = -e.y;
  auto flipped = weights(*learned(list));
  for (double& w : flipped) w = -w;
  expect_near(flipped, plain);
}

TEST_P(LearnerCheck, ZeroRowsAndExtremeScalesStayFinite) {
  for (const double scale : {0.0, 1e-150, 1e-5, 1e5, 1e100}) {
    auto learner = make();
    for (Example e : examples(8, 100)) {
      for (double& v : e.dense) v *= scale;
      learner->learn(e.dense_row(), e.y, 1);
    }
    for (const double w : weights(*learner)) EXPECT_TRUE(std::isfinite(w)) << scale;
  }
}

TEST_P(LearnerCheck, EmptyRowsAreLearned) {
  auto learner = make();
  learner->learn({.indices = examples(1, 1)[0].index.data(), .count = 0}, 1, 1);
  EXPECT_TRUE(std::isfinite(learner->score({})));
}

TEST_P(LearnerCheck, GrowingKeepsWhatWasLearned) {
  auto learner = learned(examples(9, 100));
  auto before = weights(*learner);
  learner->grow(1000);
  auto after = weights(*learner);
  EXPECT_EQ(after.size(), 1001U);
  for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_EQ(after[j], before[j]);
  EXPECT_EQ(after.back(), before.back());
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
  for (const ParamSpec& spec : GetParam()->params) {
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

TEST_P(LearnerCheck, IsFullyDescribed) {
  EXPECT_FALSE(GetParam()->title.empty());
  EXPECT_FALSE(GetParam()->reference.empty());
  EXPECT_FALSE(GetParam()->python_name.empty());
  for (const char* part : {"**Problem.**", "**Update.**", "**When not to use it.**"})
    EXPECT_NE(GetParam()->page.find(part), std::string_view::npos) << part;
}

INSTANTIATE_TEST_SUITE_P(Registry, LearnerCheck,
                         testing::ValuesIn(std::vector<const LearnerInfo*>(learners().begin(), learners().end())),
                         [](const auto& of) {
                           std::string name(of.param->name);
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

}  // namespace
}  // namespace postil
