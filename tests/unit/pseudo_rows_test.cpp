// Rows that stand for rules: they lie in the rule's region, answer yes or no where a column does, and rows on which no rule holds
// speak for the side that rules leave out.
#include "learners/pseudo_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace postil {
namespace {

// x0 + x1 + x2 >= 1 over yes/no columns that are -1 and 3 in the learner's coordinates; x3 >= 2.
TaskAdvice one_rule() {
  TaskAdvice advice;
  TaskAdvice::Set set{0, 1, 0.5, 1, {}, ""};
  set.rows.push_back(
      {{{0, -1.0}, {1, -1.0}, {2, -1.0}}, -1.0, false, false});  // one of them at 3: their sum is 1 or more
  set.rows.push_back({{{3, -1.0}}, -2.0, false, false});
  advice.sets.push_back(set);
  for (std::uint32_t j = 0; j < 4; ++j) {
    TaskAdvice::Feature feature{.number = j, .low = j < 3 ? -1.0 : -9.0, .high = j < 3 ? 3.0 : 9.0};
    feature.seen_low = feature.low;
    feature.seen_high = feature.high;
    feature.yes_no = j < 3;
    advice.features.push_back(feature);
  }
  advice.rules.push_back({.number = 0, .z = 1});
  return advice;
}
TaskAdvice one_rule_of_answers() {
  TaskAdvice advice = one_rule();
  advice.sets[0].rows.pop_back();
  advice.features.pop_back();
  return advice;
}

struct Seen {
  std::vector<std::vector<double>> x;
  std::vector<std::vector<std::uint32_t>> holds;

  void add(std::vector<double> row, std::vector<std::uint32_t> rules) {
    x.push_back(std::move(row));
    holds.push_back(std::move(rules));
  }
  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> out;
    for (std::size_t i = 0; i < x.size(); ++i)
      out.push_back(
          {.values = x[i].data(), .count = static_cast<std::uint32_t>(x[i].size()), .judged = true, .holds = holds[i]});
    return out;
  }
};

TEST(PseudoRows, DrawnPointsAnswerYesOrNoInsideTheRegion) {
  const std::vector<PseudoRow> points = pseudo_rows(one_rule(), 50, 5, {});
  ASSERT_EQ(points.size(), 50U);
  bool several = false;
  for (const PseudoRow& point : points) {
    ASSERT_EQ(point.x.size(), 5U);
    int yes = 0;
    for (int j = 0; j < 3; ++j) {
      EXPECT_TRUE(point.x[j] == -1 || point.x[j] == 3) << point.x[j];
      yes += point.x[j] == 3;
    }
    several |= yes > 1;
    EXPECT_GE(yes, 1);
    EXPECT_GE(point.x[3], 2 - 1e-9);
    EXPECT_EQ(point.x[4], 0);
    EXPECT_EQ(point.z, 1);
    EXPECT_DOUBLE_EQ(point.weight, 0.01);
  }
  EXPECT_TRUE(several);
}

TEST(PseudoRows, SeenRowsComeFirstAndSilentOnesSpeakForTheOtherSide) {
  Seen seen;
  for (int i = 0; i < 6; ++i) seen.add({3, -1, -1, 2.0 + i, 7}, {0});
  for (int i = 0; i < 3; ++i) seen.add({-1, -1, -1, -2.0 - i, 8}, {});
  const std::vector<PseudoRow> points = pseudo_rows(one_rule_of_answers(), 4, 5, seen.rows());
  ASSERT_EQ(points.size(), 8U);  // as many of silence as of the rule: learners go through them in turn
  for (std::size_t k = 0; k < 8; ++k) {
    const auto& side = k < 4 ? std::span(seen.x).first(6) : std::span(seen.x).last(3);
    EXPECT_NE(std::find(side.begin(), side.end(), points[k].x), side.end());
    EXPECT_EQ(points[k].z, k < 4 ? 1 : -1);
    EXPECT_DOUBLE_EQ(points[k].weight, k < 4 ? 0.125 : 0.25);
  }
}

TEST(PseudoRows, SilenceSaysNothingOfNumbersNorWhereRulesSpeakForBothSidesOrNoneEverHeld) {
  Seen seen;
  for (int i = 0; i < 3; ++i) seen.add({-1, -1, -1, -2.0 - i, 8}, {});
  TaskAdvice advice = one_rule_of_answers();
  EXPECT_EQ(pseudo_rows(advice, 4, 5, seen.rows()).size(), 4U);
  seen.add({3, -1, -1, 2.5, 7}, {0});
  EXPECT_EQ(pseudo_rows(advice, 4, 5, seen.rows()).size(), 8U);
  EXPECT_EQ(pseudo_rows(one_rule(), 4, 5, seen.rows()).size(), 4U);  // x3 is a number
  advice.rules.push_back({.number = 1, .z = -1});
  EXPECT_EQ(pseudo_rows(advice, 4, 5, seen.rows()).size(), 4U);
}

}  // namespace
}  // namespace postil
