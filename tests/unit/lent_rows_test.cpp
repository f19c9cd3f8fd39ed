// Rows that someone lends instead of a file: the same models, and no copies where none are needed.
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "model/block_store.hpp"
#include "support.hpp"

namespace postil {
namespace {

// Numbers in the plane and their classes, lent in blocks of 7 rows.
class Lent final : public Source {
 public:
  explicit Lent(std::size_t rows) : rows_(rows) {
    Random random(5);
    for (std::size_t i = 0; i < rows; ++i) {
      values_.push_back(random.normal());
      values_.push_back(random.normal() * 3);
      labels_.push_back(values_[2 * i] + values_[2 * i + 1] > 0 ? 1 : 0);
    }
    table_.source = "memory";
    table_.label_name = "label";
    table_.labels = {"0", "1"};
    for (const char* name : {"f1", "f2"})
      table_.columns.push_back({.name = name, .type = TableColumn::Type::number, .texts = {}});
  }
  bool next(Block& block) override {
    if (at_ == rows_) return false;
    const std::size_t count = std::min<std::size_t>(7, rows_ - at_);
    block =
        Block::borrow_dense(std::span(values_).subspan(2 * at_, 2 * count), 2, std::span(labels_).subspan(at_, count));
    block.number_rows(at_ + 1);
    at_ += count;
    return true;
  }
  [[nodiscard]] const Table& table() const override { return table_; }
  [[nodiscard]] bool can_begin_again() const override { return true; }
  [[nodiscard]] std::unique_ptr<Source> again() const override { return std::make_unique<Lent>(rows_); }

  [[nodiscard]] std::string csv() const {
    std::string text = "f1,f2,label\n";
    for (std::size_t i = 0; i < rows_; ++i)
      text += fmt::format("{},{},{}\n", values_[2 * i], values_[2 * i + 1], labels_[i]);
    return text;
  }

 private:
  std::size_t rows_, at_ = 0;
  std::vector<double> values_, labels_;
  Table table_;
};

TEST(LentRows, GiveTheModelThatAFileGives) {
  for (const Order order : {Order::file, Order::shuffle})
    for (const Scale scale : {Scale::none, Scale::standard})
      for (const char* learner : {"perceptron", "arow", "svm"}) {
        TrainOptions options;
        options.recipe.learner = learner;
        options.recipe.scale = scale;
        options.order = order;
        options.passes = 3;
        Lent lent(100);
        Model ours = train(lent, options);
        const Model theirs = test::train_text(lent.csv(), options);
        std::vector<double> a(1), b(1);
        const double x[2] = {0.3, -0.7};
        ours.score({.values = x, .count = 2}, a);
        theirs.score({.values = x, .count = 2}, b);
        EXPECT_EQ(a, b) << learner;
        EXPECT_EQ(ours.counters().examples, theirs.counters().examples);
        EXPECT_EQ(ours.counters().passes, theirs.counters().passes);
      }
}

TEST(LentRows, PassTheEncoderWhereTheyAre) {
  Lent lent(20);
  Block block;
  Survey survey(lent.table(), Scale::none, {});
  ASSERT_TRUE(lent.next(block));
  survey.add(block);
  Recipe recipe;
  recipe.scale = Scale::none;
  const Schema schema = recipe.schema(survey, lent.table());
  const void* where = block.row(0).values;
  Encoder trusting(schema, lent.table());
  trusting.trust();
  block = trusting.encode(std::move(block));
  EXPECT_EQ(block.row(0).values, where);
  EXPECT_EQ(block.line(3), 4U);
  Encoder careful(schema, lent.table());
  const Block copy = careful.encode(std::move(block));
  EXPECT_NE(copy.row(0).values, where);
  EXPECT_EQ(copy.line(3), 4U);
}

TEST(LentRows, AreSeenAgainInFurtherPassesWithoutCopies) {
  Lent lent(5);
  Block block;
  ASSERT_TRUE(lent.next(block));
  BlockStore store(1000);
  store.add(block);
  store.for_each([&](const Block& again) { EXPECT_EQ(again.row(2).values, block.row(2).values); });
  EXPECT_FALSE(store.spilled());
}

TEST(LentRows, DenseRowsForASchemaOfSparseOnesAndTheOtherWayRound) {
  const double values[] = {0, 2, 0, 4, 0, 6};
  Table table;
  table.form = Columns::sparse;
  table.width = 3;
  Schema sparse;
  sparse.form = Columns::sparse;
  sparse.features = 2;  // the third was never seen
  Encoder to_sparse(sparse, table);
  const Block cut = to_sparse.encode(Block::borrow_dense(std::span<const double>(values), 3));
  ASSERT_EQ(cut.rows(), 2U);
  EXPECT_EQ(cut.row(0).count, 1U);
  EXPECT_EQ(cut.row(1).value(0), 4);
  EXPECT_EQ(to_sparse.surprises().unseen_features, 1U);

  Lent named(3);
  Survey survey(named.table(), Scale::none, {});
  Recipe recipe;
  const Schema schema = recipe.schema(survey, named.table());
  Encoder to_dense(schema, named.table());
  const std::uint64_t starts[] = {0, 1, 1};
  const std::uint32_t indices[] = {1};
  const double one[] = {5};
  const Block filled = to_dense.encode(Block::borrow_csr(starts, indices, std::span<const double>(one), 2));
  EXPECT_TRUE(filled.dense());
  EXPECT_EQ(filled.row(0).value(1), 5);
  EXPECT_EQ(filled.row(1).value(0), 0);
}

TEST(Train, AsksAfterEachPassWhetherToGoOn) {
  std::vector<double> losses;
  TrainOptions options;
  options.recipe.learner = "perceptron";
  options.recipe.settings = {{"average", "none"}};
  options.passes = 50;
  options.after_pass = [&](const Model& model) {
    losses.push_back(model.pass_loss().mean());
    return losses.size() < 4;
  };
  for (const Order order : {Order::file, Order::shuffle}) {
    losses.clear();
    options.order = order;
    Lent lent(60);
    const Model model = train(lent, options);
    EXPECT_EQ(model.counters().passes, 4U);
    double mistakes = 0;
    for (const double loss : losses) mistakes += loss * 60;
    EXPECT_NEAR(mistakes, static_cast<double>(model.counters().mistakes), 1e-9);
  }
}

TEST(Model, TakesMoreColumnsBehindThoseThereAre) {
  Lent lent(40);
  TrainOptions options;
  options.recipe.learner = "arow";
  Model model = train(lent, options);
  std::vector<double> before(1), after(1);
  const double x[3] = {1, 2, 7};
  model.score({.values = x, .count = 2}, before);
  Column column;
  column.name = "new";
  model.add_column(column, 1);
  model.score({.values = x, .count = 3}, after);
  EXPECT_EQ(before, after);  // nothing is known of it yet
  EXPECT_EQ(model.schema().feature_names(), (std::vector<std::string>{"f1", "f2", "new"}));
  for (int k = 0; k < 10; ++k) model.learn({.values = x, .count = 3}, 1, 1, true);
  Model again = Model::from_bytes(model.to_bytes(), "m");
  EXPECT_EQ(again.schema().columns.size(), 3U);
}

TEST(Kernels, FiniteMeansAllOfThem) {
  for (const std::size_t n : {0, 1, 15, 16, 17, 100}) {
    std::vector<double> x(n, -1.5);
    std::vector<float> single(n, 2.5F);
    EXPECT_TRUE(all_finite(x.data(), n));
    EXPECT_TRUE(all_finite(single.data(), n));
    for (std::size_t k = 0; k < n; ++k)
      for (const double bad :
           {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
        x[k] = bad;
        single[k] = static_cast<float>(bad);
        EXPECT_FALSE(all_finite(x.data(), n));
        EXPECT_FALSE(all_finite(single.data(), n));
        x[k] = std::numeric_limits<double>::max();
        single[k] = -std::numeric_limits<float>::max();
      }
    EXPECT_TRUE(all_finite(x.data(), n));
    EXPECT_TRUE(all_finite(single.data(), n));
  }
}

TEST(Kernels, IndicesAreSurveyedAsByHand) {
  Random random(3);
  for (const std::size_t n : {0, 1, 2, 33, 70000, 200001}) {
    std::vector<std::uint32_t> x(n);
    for (std::uint32_t& value : x) value = static_cast<std::uint32_t>(random.below(1000));
    if (n > 2) x[n / 2] = 0xffffffffU;
    std::uint64_t falls = 0;
    std::uint32_t largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
      largest = std::max(largest, x[k]);
      falls += k > 0 && x[k] <= x[k - 1] ? 1 : 0;
    }
    const IndexSurvey survey = survey_indices(x.data(), n);
    EXPECT_EQ(survey.largest, largest);
    EXPECT_EQ(survey.falls, falls);
  }
}

TEST(Advice, AFewRowsDoNotOutweighAPromisedRange) {
  const RuleFile rules = parse_rules("domain a in [0, 10]\nr: a >= 5 => 1\n", "rules").file;
  const auto feature = [&](int rows) {
    std::string text = "a,label\n";
    for (int k = 0; k < rows; ++k) text += fmt::format("{},{}\n", 3 + k % 2, k % 2);
    Reader reader = Reader::from_memory(text, {});
    Survey survey(reader.table(), Scale::none, {}, true);
    for (Block block; reader.next(block);) survey.add(block);
    Recipe recipe;
    const Schema schema = recipe.schema(survey, reader.table());
    return advice_for(compile_rules(rules, schema), schema, {1}).features.at(0);
  };
  EXPECT_EQ(feature(4).mean, 5);
  EXPECT_NEAR(feature(4).variance, 100.0 / 12, 1e-12);
  EXPECT_FALSE(std::isfinite(feature(4).seen_low));
  EXPECT_EQ(feature(40).mean, 3.5);
  EXPECT_EQ(feature(40).seen_high, 4);
}

}  // namespace
}  // namespace postil
