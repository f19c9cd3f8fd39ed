// Which rows to ask about: what a label tells against integrals on a grid, the choice against the same steps written out plainly.
#include "postil/ask.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "postil/train.hpp"
#include "support.hpp"

namespace postil {
namespace {

std::string rows_of(std::uint64_t seed, std::size_t rows, std::size_t classes, bool labels) {
  Random random(seed);
  std::string csv = labels ? "a,b,c,label\n" : "a,b,c\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = random.normal();
    csv += fmt::format("{:.3f},{:.3f},{}", a, b, "xyz"[random.below(3)]);
    const auto label = static_cast<std::size_t>(a + 0.5 * random.normal() > 0) + (classes > 2 && b > 0.5 ? 1 : 0);
    csv += labels ? fmt::format(",{}\n", "pqr"[label]) : "\n";
  }
  return csv;
}

Model model_of(std::uint64_t seed, std::size_t classes, const std::string& learner, bool rules) {
  TrainOptions options;
  options.recipe.learner = learner;
  if (rules) options.recipe.rules = parse_rules("one: a >= 1 => q\ntwo: b <= -1 and c = x => not q\n", "rules").file;
  Reader reader = Reader::from_memory(rows_of(seed, 25, classes, true), options.read);
  return train(reader, options);
}

Asked ask_about(const Model& model, const std::string& pool, AskOptions options) {
  ReadOptions read;
  read.schema = &model.schema();
  read.label_needed = false;
  Reader reader = Reader::from_memory(pool, read);
  return ask(model, reader, options);
}

std::vector<Block> encoded(const Model& model, const std::string& pool) {
  ReadOptions read;
  read.schema = &model.schema();
  read.label_needed = false;
  Reader reader = Reader::from_memory(pool, read);
  ModelEncoder encoder(model, reader.table());
  std::vector<Block> out;
  for (Block raw; reader.next(raw); raw = Block()) {
    const Block block = encoder.encode(std::move(raw));
    for (std::size_t i = 0; i < block.rows(); ++i) out.emplace_back(block.copied(i, 1));
  }
  return out;
}

double h(double p) { return p <= 0 || p >= 1 ? 0 : -p * std::log(p) - (1 - p) * std::log(1 - p); }

double others_than(const Model& model, const Row& x, std::size_t task) {
  if (model.questions() == 1) return 0;
  std::vector<double> scores(model.outputs());
  model.score(x, scores);
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k) sum += k == task ? 0 : std::exp(scores[k]);
  return -std::log(sum);
}

TEST(Ask, WhatALabelTellsIsTheIntegral) {
  for (const std::size_t classes : {2, 3})
    for (const bool rules : {false, true}) {
      const Model model = model_of(3 + classes, classes, "advised", rules);
      const std::string pool = rows_of(17, 30, classes, false);
      const Asked asked = ask_about(model, pool, {.count = 30, .random = 0});
      const std::vector<Block> rows = encoded(model, pool);
      ASSERT_EQ(asked.rows.size(), 30U);
      std::vector<ScoreBelief> beliefs;
      for (const AskedRow& row : asked.rows) {
        double expected = 0;
        for (std::size_t task = 0; task < model.questions(); ++task) {
          const Row x = rows[row.row].row(0);
          model.believe(x, task, beliefs);
          double p = 0, left = 0;
          for (const ScoreBelief& b : beliefs)
            for (int k = -800; k <= 800; ++k) {
              const double z = k / 100.0, weight = b.share * std::exp(-z * z / 2) / std::sqrt(2 * M_PI) / 100;
              const double of = 1 / (1 + std::exp(-(b.mean + others_than(model, x, task) + std::sqrt(b.variance) * z)));
              p += weight * of;
              left += weight * h(of);
            }
          expected += h(p) - left;
        }
        EXPECT_NEAR(row.value, expected, 0.03 + 0.05 * expected) << classes << rules << row.row;
      }
    }
}

TEST(Ask, CovariancesAreThoseOfAMatrix) {
  for (const char* learner : {"advised", "arow"})
    for (const bool rules : {false, true}) {
      if (rules && std::string(learner) == "arow") continue;
      const Model model = model_of(5, 2, learner, rules);
      const std::vector<Block> blocks = encoded(model, rows_of(18, 12, 2, false));
      std::vector<Row> rows;
      for (const Block& block : blocks) rows.push_back(block.row(0));
      std::vector<ScoreBelief> beliefs;
      std::vector<std::vector<std::vector<double>>> with(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        model.believe(rows[i], 0, beliefs);
        model.covary(rows[i], rows, 0, with[i]);
        ASSERT_EQ(with[i].size(), beliefs.size());
        for (std::size_t k = 0; k < beliefs.size(); ++k)
          EXPECT_NEAR(with[i][k][i], beliefs[k].variance, 1e-9 * (1 + beliefs[k].variance));
      }
      for (std::size_t k = 0; k < beliefs.size(); ++k)
        for (std::size_t i = 0; i < rows.size(); ++i)
          for (std::size_t j = 0; j < rows.size(); ++j) {
            EXPECT_NEAR(with[i][k][j], with[j][k][i], 1e-9 * (1 + std::fabs(with[i][k][j])));
            EXPECT_LE(with[i][k][j] * with[i][k][j], with[i][k][i] * with[j][k][j] * (1 + 1e-9) + 1e-12);
          }
    }
}

// The pool is so small that every row is a candidate and in the sample.
TEST(Ask, ChoosesAsWrittenOut) {
  for (const bool rules : {false, true})
    for (const std::size_t classes : {2, 3}) {
      const Model model = model_of(7, classes, "advised", rules);
      const std::string pool = rows_of(19, 25, classes, false);
      const Asked asked = ask_about(model, pool, {.count = 6, .random = 0});
      const std::vector<Block> blocks = encoded(model, pool);
      const std::size_t n = blocks.size(), questions = model.questions();
      std::vector<Row> rows;
      for (const Block& block : blocks) rows.push_back(block.row(0));
      std::vector<std::vector<std::vector<double>>> c(questions, std::vector(n, std::vector<double>(n)));
      std::vector<std::vector<double>> mean(questions, std::vector<double>(n)), v = mean;
      std::vector<ScoreBelief> beliefs;
      for (std::size_t q = 0; q < questions; ++q) {
        std::vector<std::vector<double>> p(n), slope(n);
        for (std::size_t i = 0; i < n; ++i) {
          model.believe(rows[i], q, beliefs);
          for (const ScoreBelief& b : beliefs) {
            const double kappa = 1 / std::sqrt(1 + M_PI * b.variance / 8);
            p[i].push_back(1 / (1 + std::exp(-kappa * (b.mean + others_than(model, rows[i], q)))));
            slope[i].push_back(kappa * p[i].back() * (1 - p[i].back()));
            mean[q][i] += b.share * p[i].back();
          }
          v[q][i] = mean[q][i] * (1 - mean[q][i]);
        }
        std::vector<std::vector<double>> with;
        for (std::size_t i = 0; i < n; ++i) {
          model.covary(rows[i], rows, q, with);
          for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < beliefs.size(); ++k)
              c[q][i][j] += beliefs[k].share *
                            (slope[i][k] * slope[j][k] * with[k][j] + (p[i][k] - mean[q][i]) * (p[j][k] - mean[q][j]));
        }
      }
      const auto regret = [](double mu, double variance) {  // the mean of (-X)_+, X normal: on a grid
        if (variance <= 1e-18) return 0.0;
        double sum = 0;
        for (int k = -480; k <= 480; ++k)
          sum += std::max(0.0, -(mu + std::sqrt(variance) * k / 60.0)) * std::exp(-k / 60.0 * k / 120.0) / 60;
        return sum / std::sqrt(2 * M_PI);
      };
      std::set<std::size_t> chosen;
      for (const AskedRow& asked_row : asked.rows) {
        std::vector<double> gain(n);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t q = 0; q < questions; ++q)
            for (std::size_t j = 0; j < n; ++j) {
              const double mu = std::fabs(mean[q][j] - 0.5), var = c[q][j][j];
              gain[i] += v[q][i] * (regret(mu, var) - regret(mu, var - c[q][i][j] * c[q][i][j] / v[q][i]));
            }
        for (std::size_t i = 0; i < n; ++i)
          if (!chosen.contains(i)) {
            EXPECT_LE(gain[i], gain[asked_row.row] * (1 + 1e-3) + 1e-9);
          }
        EXPECT_TRUE(chosen.insert(asked_row.row).second);
        for (std::size_t q = 0; q < questions; ++q) {
          const std::vector<double> row = c[q][asked_row.row];
          for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) c[q][i][j] -= row[i] * row[j] / v[q][asked_row.row];
        }
      }
    }
}

TEST(Ask, EqualRowsAreAskedAboutOnceAndAShareIsRandom) {
  const Model model = model_of(9, 2, "advised", true);
  std::string pool = "a,b,c\n";
  for (int i = 0; i < 500; ++i) pool += "0.1,0.2,x\n";
  pool += "0.5,-0.2,y\n1.5,-1.2,x\n";
  const Asked asked = ask_about(model, pool, {.count = 10, .random = 0});
  EXPECT_EQ(asked.rows.size(), 3U);
  EXPECT_EQ(ask_about(model, pool, {.count = 10, .random = 1}).rows.size(), 3U);
  const std::string many = rows_of(20, 400, 2, false);
  const Asked some = ask_about(model, many, {.count = 20, .random = 0.15});
  std::set<std::uint64_t> rows;
  std::size_t random = 0;
  for (const AskedRow& row : some.rows) {
    EXPECT_TRUE(rows.insert(row.row).second);
    random += row.reason == AskReason::random ? 1 : 0;
    EXPECT_FALSE(row.why.empty());
  }
  EXPECT_EQ(rows.size(), 20U);
  EXPECT_EQ(random, 3U);
}

TEST(Ask, EveryLearnerIsAsked) {
  const std::string pool = rows_of(21, 60, 2, false);
  for (const LearnerInfo* info : learners()) {
    if (info->needs_advice) continue;
    const Model model = model_of(11, 2, std::string(info->name), false);
    const Asked asked = ask_about(model, pool, {.count = 5});
    EXPECT_EQ(asked.rows.size(), 5U) << info->name;
    for (const AskedRow& row : asked.rows) EXPECT_TRUE(std::isfinite(row.value)) << info->name;
  }
}

TEST(Ask, RowsThatHaveALabelArePassedOver) {
  const Model model = model_of(13, 2, "advised", false);
  const std::string pool = "a,b,c,label\n1,2,x,p\n0,1,y,\n0.5,1,z,\n-1,2,x,q\n";
  const Asked asked = ask_about(model, pool, {.count = 4});
  EXPECT_EQ(asked.had_label, 2U);
  ASSERT_EQ(asked.rows.size(), 2U);
  for (const AskedRow& row : asked.rows) EXPECT_TRUE(row.row == 1 || row.row == 2);
  EXPECT_EQ(ask_about(model, pool, {.count = 4, .labelled = true}).rows.size(), 4U);
}

TEST(Novelty, RowsUnlikeThoseLearnedStandOut) {
  for (const char* learner : {"advised", "arow"}) {
    TrainOptions options;
    options.recipe.learner = learner;
    std::string csv = "a,b,label\n";
    Random random(2);
    for (int i = 0; i < 400; ++i) {
      const double a = random.normal();
      csv += fmt::format("{},{},{}\n", a, random.normal(), a > 0 ? "p" : "q");
    }
    Reader reader = Reader::from_memory(csv, options.read);
    const Model model = train(reader, options);
    const std::vector<Block> rows = encoded(model, "a,b\n0.5,-0.3\n1,1\n0,25\n-30,2\n");
    std::vector<double> novelty(1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ASSERT_TRUE(model.novelty(rows[i].row(0), novelty));
      EXPECT_EQ(novelty[0] > 4, i >= 2) << learner << i << " " << novelty[0];
    }
  }
}

}  // namespace
}  // namespace postil
