// Votes and counts of the rules as written, by the formulas at the head of learners/rules.cpp, from whole histories.
#include <cmath>

#include "support.hpp"

namespace postil {
namespace {

struct Round {
  std::vector<std::uint32_t> holds;
  double y, weight;
  bool silent = false;  // no rule held, or they cancelled
};

TaskAdvice random_rules(Random& random) {
  TaskAdvice out;
  for (std::uint32_t number = 0; number < 12; ++number) {
    if (random.below(4) == 0) continue;  // about another class, in words that say nothing here
    TaskAdvice::Rule rule{.number = number, .z = random.below(2) == 0 ? 1.0 : -1.0, .own = random.below(3) > 0};
    if (random.below(2) == 0) {
      rule.sure.emplace();
      rule.sure->rate = random.uniform();
      if (random.below(2) == 0) rule.sure->rows = static_cast<double>(random.below(30));
    }
    rule.text = fmt::format("rule {}", number);
    out.rules.push_back(rule);
  }
  return out;
}

// (2), from what the rules were worth in the rounds before.
double votes_on(const TaskAdvice& advice, const std::vector<Round>& before, const Round& now) {
  double votes = 0;
  for (const TaskAdvice::Rule& rule : advice.rules) {
    const auto held = [&](const Round& round) {
      return std::count(round.holds.begin(), round.holds.end(), rule.number) > 0;
    };
    if (!held(now)) continue;
    double hits = 0, seen = 0;
    const double a = rule.sure ? rule.sure->rate : 0.9, n = rule.sure && rule.sure->rows ? *rule.sure->rows : 10;
    for (const Round& round : before)
      if (held(round)) {
        seen += round.weight;
        hits += round.y == rule.z ? round.weight : 0;
      }
    const double rate = n + seen == 0 ? a : (n * a + hits) / (n + seen);
    const double odds = std::min(std::max(rate, 0.001), 0.999);
    votes += rule.z * std::max(0.01, std::log(odds) - std::log(1 - odds));
  }
  return std::fabs(votes) > 1e-12 ? votes : 0;
}

// (3) where the votes come to nothing.
double prior(const TaskAdvice& advice, const std::vector<Round>& before) {
  double yes = 0, no = 0, named = 0;
  for (const Round& round : before)
    if (round.silent) (round.y > 0 ? yes : no) += round.weight;
  if (yes != no) return std::log(yes + 1) - std::log(no + 1);
  for (const TaskAdvice::Rule& rule : advice.rules) named += rule.own ? rule.z : 0;
  return -1e-6 - 0.01 * named / static_cast<double>(advice.rules.size() + 1);
}

TEST(RulesAsWritten, VotesAndCountsFollowTheFormulas) {
  int silent = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const TaskAdvice advice = random_rules(random);
    const LearnerInfo& info = find_learner("rules");
    const auto learner = info.make(Params(info.name, info.params, {}));
    learner->take_advice(advice);
    std::vector<Round> before;
    for (int t = 0; t < 60; ++t) {
      Round now{{}, random.below(3) == 0 ? 1.0 : -1.0, static_cast<double>(1 + random.below(3))};
      for (std::uint32_t rule = 0; rule < 14; ++rule)
        if (random.below(6) == 0) now.holds.push_back(rule);
      Row x;
      x.judged = true;
      x.holds = now.holds;
      const double votes = votes_on(advice, before, now), wanted = votes != 0 ? votes : prior(advice, before);
      now.silent = votes == 0;
      silent += now.silent ? 1 : 0;
      EXPECT_NEAR(learner->score(x), wanted, 1e-12 * (1 + std::fabs(wanted))) << seed << " " << t;
      (void)learner->learn(x, now.y, now.weight);
      before.push_back(now);
    }
  }
  EXPECT_GT(silent, 100);
}

}  // namespace
}  // namespace postil
