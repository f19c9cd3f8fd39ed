// Splits, learning curves, tests of significance, mistake bounds.
#include <algorithm>
#include <cmath>
#include <set>

#include "support.hpp"

namespace postil {
namespace {

// Rows of three classes in a file; what the class depends on is noisy.
class Evaluate : public ::testing::Test {
 protected:
  void SetUp() override {
    Random random(5);
    text_ = "a,b,label\n";
    for (int i = 0; i < 90; ++i) {
      const double a = random.normal(), b = random.normal();
      text_ += fmt::format("{},{},{}\n", a, b, i % 9 == 0 ? "z" : a + 0.3 * random.normal() > b ? "x" : "y");
    }
    test::write_text(folder_.path("d.csv"), text_);
  }
  DataSet data() { return {folder_.path("d.csv"), {}}; }
  std::vector<std::uint32_t> rows(std::size_t n) {
    std::vector<std::uint32_t> out(n);
    for (std::uint32_t i = 0; i < n; ++i) out[i] = i;
    return out;
  }
  test::TemporaryFolder folder_;
  std::string text_;
};

TEST_F(Evaluate, FoldsTestEachRowOnceAndSpreadTheClasses) {
  const DataSet set = data();
  const std::vector<Split> folds = make_folds(set, rows(90), 7, 1);
  std::vector<int> tested(90);
  for (const Split& split : folds) {
    std::map<double, int> classes;
    for (const std::uint32_t row : split.test) {
      ++tested[row];
      ++classes[set.label(row)];
    }
    for (std::size_t c = 0; c < 3; ++c) {
      const auto total = [&] {
        int n = 0;
        for (std::uint32_t r = 0; r < 90; ++r) n += set.label(r) == static_cast<double>(c) ? 1 : 0;
        return n;
      }();
      EXPECT_LE(std::abs(classes[static_cast<double>(c)] - total / 7), 1);
    }
    std::set<std::uint32_t> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 90U);
    EXPECT_EQ(split.train.size() + split.test.size(), 90U);
  }
  EXPECT_EQ(tested, std::vector<int>(90, 1));
  EXPECT_NE(test::message_of([&] { make_folds(set, rows(5), 7, 1); }), "");
}

TEST_F(Evaluate, DrawsAreDisjointAndBalancedIfAsked) {
  const DataSet set = data();
  for (const bool balanced : {false, true}) {
    const Split split = draw_split(set, 15, balanced, 3);
    EXPECT_EQ(split.train.size(), 15U);
    EXPECT_EQ(split.test.size(), 75U);
    std::set<std::uint32_t> all(split.train.begin(), split.train.end());
    all.insert(split.test.begin(), split.test.end());
    EXPECT_EQ(all.size(), 90U);
    std::map<double, int> classes;
    for (const std::uint32_t row : split.train) ++classes[set.label(row)];
    if (balanced) {
      EXPECT_EQ(classes, (std::map<double, int>{{0, 5}, {1, 5}, {2, 5}}));
    }
  }
  EXPECT_NE(draw_split(set, 15, false, 3).train, draw_split(set, 15, false, 4).train);
  EXPECT_NE(test::message_of([&] { draw_split(set, 90, false, 1); }), "");
  EXPECT_NE(test::message_of([&] { draw_split(set, 60, true, 1); }), "");  // class z has 10 rows
}

// The long way: files of the same rows in the same order, trained and predicted like any other files.
TEST_F(Evaluate, ACurveIsWhatTrainingOnFilesGives) {
  const DataSet set = data();
  const Split split = draw_split(set, 40, false, 9);
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text_.substr(begin, end - begin + 1));
  // Standardised by all 40 training rows, so the scaling is put into the file beforehand.
  const auto values_of = [&](std::uint32_t row) {
    const std::string& line = lines[row + 1];
    const std::size_t comma = line.find(',');
    return std::pair(std::stod(line), std::stod(line.substr(comma + 1)));
  };
  Moments a, b;
  for (const std::uint32_t row : split.train) {
    a.add(values_of(row).first);
    b.add(values_of(row).second);
  }
  const auto scaled = [&](std::uint32_t row) {
    const auto [x, y] = values_of(row);
    return fmt::format("{},{}{}", (x - a.mean) / std::sqrt(a.variance()), (y - b.mean) / std::sqrt(b.variance()),
                       lines[row + 1].substr(lines[row + 1].rfind(',')));
  };
  Recipe recipe;
  recipe.learner = "pa";
  const std::uint64_t checkpoints[] = {0, 10, 40};
  const std::vector<double> curve = learning_curve(set, split, std::span(&recipe, 1), checkpoints, {})[0];
  std::string test = lines[0];
  for (const std::uint32_t row : split.test) test += scaled(row);
  for (std::size_t c = 1; c < 3; ++c) {
    std::string train_rows = lines[0];
    for (std::size_t k = 0; k < checkpoints[c]; ++k) train_rows += scaled(split.train[k]);
    TrainOptions options = test::in_file_order();
    options.recipe.learner = "pa";
    options.recipe.label.classes = {"x", "y", "z"};
    const Model model = test::train_text(train_rows, options);
    ReadOptions read;
    read.schema = &model.schema();
    Reader reader = Reader::from_memory(test, read);
    Encoder encoder(model.schema(), reader.table());
    double wrong = 0;
    std::vector<double> scores(3);
    for (Block block; reader.next(block);) {
      block = encoder.encode(std::move(block));
      for (std::size_t i = 0; i < block.rows(); ++i) {
        model.score(block.row(i), scores);
        wrong += model.decide(scores) != block.labels()[i] ? 1 : 0;
      }
    }
    EXPECT_NEAR(curve[c], wrong / 50, 1e-12) << checkpoints[c];
  }
  EXPECT_GT(curve[0], 0.4);  // before any example all rows are predicted alike
}

TEST_F(Evaluate, ThreadsChangeNothing) {
  const DataSet set = data();
  std::vector<Split> splits;
  for (std::uint64_t seed = 0; seed < 6; ++seed) splits.push_back(draw_split(set, 30, false, seed));
  std::vector<Recipe> recipes(2);
  recipes[1].learner = "perceptron";
  const std::uint64_t checkpoints[] = {0, 5, 30};
  EvaluateOptions one, four;
  four.threads = 4;
  EXPECT_EQ(learning_curves(set, splits, recipes, checkpoints, one),
            learning_curves(set, splits, recipes, checkpoints, four));
  one.metric = Metric::auc;
  EXPECT_NE(learning_curves(set, splits, recipes, checkpoints, one),
            learning_curves(set, splits, recipes, checkpoints, four));
}

// Whoever may choose its settings has chosen by its training rows: by hand the same, and other test labels change nothing.
TEST_F(Evaluate, EachSplitChoosesAmongItsTrainingRows) {
  const DataSet set = data();
  std::vector<Split> splits;
  for (std::uint64_t seed = 0; seed < 4; ++seed) splits.push_back(draw_split(set, 45, false, seed));
  Entrant entrant;
  for (const char* c : {"0.0001", "0.1", "10"}) {
    entrant.emplace_back();
    entrant.back().learner = "pa";
    entrant.back().settings["C"] = c;
  }
  const std::uint64_t end[] = {45};
  EvaluateOptions options;
  options.folds = 3;
  const Contest contest = compare(set, splits, std::span(&entrant, 1), end, options);
  for (std::size_t s = 0; s < splits.size(); ++s) {
    const std::vector<Split> folds = make_folds(set, splits[s].train, 3, 0);
    const auto by_fold = learning_curves(set, folds, entrant, end, {});
    std::vector<double> means;
    for (const auto& of_recipe : by_fold) means.push_back(mean_error(of_recipe[0]).mean);
    const auto best = static_cast<std::size_t>(std::min_element(means.begin(), means.end()) - means.begin());
    EXPECT_EQ(contest.chosen[0][s], best);
    EXPECT_EQ(contest.values[0][0][s], learning_curve(set, splits[s], std::span(&entrant[best], 1), end, {})[0][0]);

    std::string other = text_;
    std::size_t at = 0;  // row by row, the label is the character before the end of the line
    for (std::uint32_t row = 0; row < set.rows(); ++row) {
      at = other.find('\n', row == 0 ? other.find('\n') + 1 : at + 1);
      const bool tested = std::find(splits[s].test.begin(), splits[s].test.end(), row) != splits[s].test.end();
      if (tested && other[at - 1] != 'z') other[at - 1] = other[at - 1] == 'x' ? 'y' : 'x';
    }
    test::write_text(folder_.path("other.csv"), other);
    const DataSet turned(folder_.path("other.csv"), {});
    EXPECT_EQ(compare(turned, std::span(&splits[s], 1), std::span(&entrant, 1), end, options).chosen[0][0], best);
  }
}

TEST(Statistics, BestOf) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(best_of(std::vector<double>{0.3, 0.1, 0.1}, Metric::error), 1U);
  EXPECT_EQ(best_of(std::vector<double>{0.3, 0.1, 0.3}, Metric::auc), 0U);
  EXPECT_EQ(best_of(std::vector<double>{nan, 0.4, nan}, Metric::error), 1U);
}

TEST(Statistics, StudentsT) {  // by scipy.stats.t.sf(t, df) * 2
  EXPECT_NEAR(student_t_p(0, 5), 1, 1e-15);
  EXPECT_NEAR(student_t_p(2.228138851964939, 10), 0.05, 1e-11);
  EXPECT_NEAR(student_t_p(-12.706204736174694, 1), 0.05, 1e-12);
  EXPECT_NEAR(student_t_p(3.5, 199), 5.74120607611476e-4, 1e-12);
  EXPECT_NEAR(student_t_p(0.3, 4), 0.7791214282774598, 1e-12);
  EXPECT_NEAR(student_t_p(40, 30) / 1.3726045194406417e-27, 1, 1e-10);
}

TEST(Statistics, PairedTest) {
  const std::vector<double> a{1, 2, 3, 4}, b{0, 2, 1, 1};  // differences 1, 0, 2, 3
  const PairedTest test = paired_t_test(a, b);
  EXPECT_DOUBLE_EQ(test.mean, 1.5);
  EXPECT_DOUBLE_EQ(test.se, std::sqrt(5.0 / 3 / 4));
  EXPECT_NEAR(test.p, 0.10272807885839899, 1e-12);  // scipy.stats.ttest_rel
  EXPECT_EQ(paired_t_test(a, a).p, 1);
  EXPECT_EQ(paired_t_test(a, std::vector<double>{0, 1, 2, 3}).p, 0);
  EXPECT_TRUE(std::isnan(mean_error(std::vector<double>{std::nan("")}).mean));
}

TEST(Statistics, Grid) {
  EXPECT_EQ(grid_of({{"a", {"1", "2"}}, {"b", {"x", "y", "z"}}}).size(), 6U);
  EXPECT_EQ(grid_of({}).size(), 1U);
}

TEST(Metrics, ProbabilitiesByTheirDefinitions) {
  using Doubles = std::vector<double>;
  Evaluation two(2, 1);
  two.add(1, 1, Doubles{0.4}, Doubles{0.4, 0.6});
  two.add(0, 1, Doubles{1.3}, Doubles{0.2, 0.8});
  EXPECT_NEAR(two.log_loss(), -(std::log(0.6) + std::log(0.2)) / 2, 1e-14);
  EXPECT_NEAR(two.brier_score(), (0.16 + 0.64) / 2, 1e-14);
  EXPECT_NEAR(two.calibration_error(), (0.4 + 0.8) / 2, 1e-14);
  EXPECT_EQ(two.reliability()[8].rows, 1U);
  EXPECT_NEAR(two.reliability()[8].said, 0.8, 1e-14);
  EXPECT_EQ(two.reliability()[8].right, 0);
  Evaluation three(3, 0);
  three.add(2, 0, Doubles{0.5, -1, 0.2}, Doubles{0.5, 0.2, 0.3});
  EXPECT_NEAR(three.log_loss(), -std::log(0.3), 1e-14);
  EXPECT_NEAR(three.brier_score(), 0.25 + 0.04 + 0.49, 1e-14);
  Evaluation extreme(2, 1);
  extreme.add(0, 1, Doubles{1e308}, Doubles{0, 1});
  EXPECT_NEAR(extreme.log_loss(), -std::log(1e-15), 1e-9);
}

TEST(Metrics, Regression) {
  RegressionEvaluation evaluation;
  evaluation.add(1, 2);
  evaluation.add(4, 2);
  evaluation.add(1, 1);
  EXPECT_DOUBLE_EQ(evaluation.mae(), 1);
  EXPECT_DOUBLE_EQ(evaluation.rmse(), std::sqrt(5.0 / 3));
  EXPECT_DOUBLE_EQ(*evaluation.r2(), 1 - 5.0 / 6);
  RegressionEvaluation constant;
  constant.add(3, 2);
  EXPECT_FALSE(constant.r2());
}

// ---- bounds ----

Model perceptron_on(const Block& block, std::uint64_t passes, std::uint32_t features, const std::string& bias) {
  Schema schema;
  schema.form = Columns::sparse;
  schema.features = features;
  schema.label.classes = {"-1", "1"};
  schema.label.positive = 1;
  const LearnerInfo& info = find_learner("perceptron");
  Model model(schema, info, Params(info.name, info.params, {{"bias", bias}}));
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    for (std::size_t i = 0; i < block.rows(); ++i) model.learn(block.row(i), block.labels()[i], 1, pass == 0);
  return model;
}

TEST(Bounds, HoldOnRandomStreams) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const auto n = static_cast<std::uint32_t>(1 + seed % 6);
    const std::uint64_t passes = 1 + seed % 3;
    const double noise = seed % 2 == 0 ? 0 : 0.3;
    BlockData data;
    data.width = n;
    for (int i = 0; i < 120; ++i) {
      double score = 0.2;
      for (std::uint32_t j = 0; j < n; ++j) {
        data.values.push_back(random.normal() * (1 + static_cast<double>(seed)));
        score += data.values.back() * (j % 2 == 0 ? 1 : -0.7);
      }
      data.labels.push_back((score + noise * random.normal() > 0) != (random.uniform() < noise / 3) ? 1 : 0);
    }
    std::vector<Block> blocks;
    blocks.emplace_back(std::move(data));
    const std::string bias = seed % 4 < 2 ? "none" : "0.5";
    const Model model = perceptron_on(blocks[0], passes, n, bias);
    const MistakeBounds b = mistake_bounds(model, blocks, passes)[0];
    const auto k = static_cast<double>(b.mistakes);
    EXPECT_EQ(b.mistakes, model.counters().updates);
    if (b.separable) {
      EXPECT_LE(k, *b.separable * (1 + 1e-12)) << seed;
    }
    EXPECT_LE(k, b.general * (1 + 1e-12)) << seed;
  }
}

// n unit vectors, all positive: w makes a mistake on each; u = (1, ..., 1) has |u|^2 = n and margin 1: equality.
TEST(Bounds, AreTightForBasisVectors) {
  constexpr std::uint32_t kRows = 7;
  BlockData data;
  data.width = kRows;
  data.values.assign(std::size_t{kRows} * kRows, 0);
  for (std::uint32_t i = 0; i < kRows; ++i) data.values[i * kRows + i] = 1;
  data.labels.assign(kRows, 1);
  std::vector<Block> blocks;
  blocks.emplace_back(std::move(data));
  const Model model = perceptron_on(blocks[0], 3, kRows, "none");
  const MistakeBounds found = mistake_bounds(model, blocks, 3)[0];
  EXPECT_EQ(found.mistakes, kRows);
  EXPECT_NEAR(*found.separable, kRows, 1e-9);
  const MistakeBounds given =
      mistake_bounds(std::vector<double>(kRows, 2), 1, 2 * std::sqrt(kRows), 1);  // u = (2, ..., 2)
  EXPECT_NEAR(*given.separable, kRows, 1e-12);
  EXPECT_NEAR(given.general, kRows, 1e-9);
}

TEST(Bounds, DeviationByItsDefinition) {
  const std::vector<double> margins{-1, 0.5, 2, 3};
  const MistakeBounds b = mistake_bounds(margins, 4, 2, 5);
  double d2 = 0;
  for (const double m : margins) d2 += 5 * std::pow(std::max(0.0, b.soft_margin - m / 2), 2);
  EXPECT_NEAR(b.deviation, std::sqrt(d2), 1e-12);
  EXPECT_NEAR(b.general, std::pow((4 + std::sqrt(d2)) / b.soft_margin, 2), 1e-9);
  EXPECT_FALSE(b.separable);
  EXPECT_EQ(b.margin, -1);
}

}  // namespace
}  // namespace postil
