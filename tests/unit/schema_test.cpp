#include "postil/schema.hpp"

#include <cmath>

#include "support.hpp"

namespace postil {
namespace {

// Surveys and encodes a text as training does.
struct Encoded {
  Schema schema;
  std::vector<std::vector<double>> rows;
  Surprises surprises;
};

Encoded encoded(const std::string& text, Scale scale, const ReadOptions& options = {}) {
  Reader first = Reader::from_memory(text, options);
  Survey survey(first.table(), scale, options.wishes);
  for (Block block; first.next(block);) survey.add(block);
  Encoded out{survey.finish(), {}, {}};
  out.schema.label.classes = ordered_classes(first.table().labels);
  Reader again = Reader::from_memory(text, options);
  Encoder encoder(out.schema, again.table());
  for (Block block; again.next(block);) {
    block = encoder.encode(std::move(block));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      std::vector<double>& x = out.rows.emplace_back(out.schema.features);
      const Row row = block.row(i);
      for (std::size_t k = 0; k < row.count; ++k) x[row.index(k)] = row.value(k);
    }
  }
  out.surprises = encoder.surprises();
  return out;
}

using Rows = std::vector<std::vector<double>>;

TEST(Schema, InfersKinds) {
  const Schema schema = encoded("b,i,n,c,e,label\n0,1,1.5,x,?,0\n1,7,2,y,?,1\n?,-3,3,x,?,0\n", Scale::none).schema;
  EXPECT_EQ(schema.columns[0].seen.kind, Kind::binary);
  EXPECT_FALSE(schema.columns[0].promised.kind);  // what rows show is no promise
  EXPECT_TRUE(std::isinf(schema.columns[0].promised.low));
  EXPECT_TRUE(std::isinf(schema.columns[0].promised.high));
  EXPECT_EQ(schema.columns[0].seen.missing, 1U);
  EXPECT_EQ(schema.columns[1].seen.kind, Kind::integer);
  EXPECT_EQ(schema.columns[2].kind(), Kind::number);
  EXPECT_EQ(schema.columns[3].kind(), Kind::categorical);
  EXPECT_EQ(schema.columns[4].kind(), Kind::number);
  EXPECT_EQ(schema.feature_names(), (std::vector<std::string>{"b", "i", "n", "c=x", "c=y", "e"}));
}

TEST(Schema, MomentsArePopulationMoments) {
  const Schema schema = encoded("a,label\n1,0\n2,1\n?,0\n6,0\n", Scale::none).schema;
  EXPECT_DOUBLE_EQ(schema.columns[0].seen.numbers.mean, 3);
  EXPECT_DOUBLE_EQ(schema.columns[0].seen.numbers.variance(), 14.0 / 3);
  EXPECT_EQ(schema.columns[0].seen.numbers.low, 1);
  EXPECT_EQ(schema.columns[0].seen.numbers.high, 6);
  EXPECT_EQ(schema.columns[0].seen.numbers.count, 3U);
}

TEST(Schema, Scalings) {
  const std::string text = "a,k,c,label\n1,5,x,0\n3,5,y,1\n";
  EXPECT_EQ(encoded(text, Scale::none).rows, (Rows{{1, 5, 1, 0}, {3, 5, 0, 1}}));
  EXPECT_EQ(encoded(text, Scale::standard).rows, (Rows{{-1, 0, 1, 0}, {1, 0, 0, 1}}));  // sd 0 counts as 1
  EXPECT_EQ(encoded(text, Scale::minmax).rows, (Rows{{0, 0, 1, 0}, {1, 0, 0, 1}}));
  EXPECT_EQ(encoded(text, Scale::maxabs).rows, (Rows{{1.0 / 3, 1, 1, 0}, {1, 1, 0, 1}}));
}

TEST(Schema, ScalingsOfSparseRows) {
  const std::string text = "1 1:2 3:4\n-1 1:-4\n";
  EXPECT_EQ(encoded(text, Scale::maxabs).rows, (Rows{{0.5, 0, 1}, {-1, 0, 0}}));
  EXPECT_EQ(encoded(text, Scale::standard).rows, (Rows{{1, 0, 1}, {-1, 0, -1}}));
  EXPECT_EQ(encoded(text, Scale::minmax).rows, (Rows{{1, 0, 1}, {0, 0, 0}}));
}

TEST(Schema, MissingPolicies) {
  const std::string text = "a,c,label\n1,x,0\n?,?,1\n3,y,0\n";
  ReadOptions options;
  EXPECT_EQ(encoded(text, Scale::none, options).rows, (Rows{{1, 1, 0}, {2, 0, 0}, {3, 0, 1}}));
  options.wishes.missing[""] = Missing::zero;
  EXPECT_EQ(encoded(text, Scale::none, options).rows, (Rows{{1, 1, 0}, {0, 0, 0}, {3, 0, 1}}));
  options.wishes.missing[""] = Missing::indicator;
  const Encoded indicated = encoded(text, Scale::none, options);
  EXPECT_EQ(indicated.schema.feature_names(), (std::vector<std::string>{"a", "a=?", "c=x", "c=y", "c=?"}));
  EXPECT_EQ(indicated.rows, (Rows{{1, 0, 1, 0, 0}, {2, 1, 0, 0, 1}, {3, 0, 0, 1, 0}}));
  for (std::uint32_t j = 0; j < 5; ++j)
    EXPECT_EQ(indicated.schema.feature_name(j), indicated.schema.feature_names()[j]);
  options.wishes.missing[""] = Missing::mean;
  options.wishes.missing["a"] = Missing::refuse;
  EXPECT_EQ(test::message_of([&] { encoded(text, Scale::none, options); }),
            "memory: column 'a' has 1 missing values, and missing refuse was given");
}

TEST(Schema, WishesAreChecked) {
  ReadOptions options;
  options.wishes.missing["bb"] = Missing::zero;
  EXPECT_EQ(test::message_of([&] { encoded("b,label\n1,0\n", Scale::none, options); }),
            "memory: missing: there is no column 'bb'; did you mean 'b'?");
}

TEST(Schema, SurprisesAreCountedAndKept) {
  TrainOptions declared = test::in_file_order();
  declared.read.wishes.kinds = {{"b", Kind::binary}, {"i", Kind::integer}};
  const Model model = test::train_text("b,i,c,label\n0,1,x,0\n1,2,y,1\n", declared);
  ReadOptions options;
  options.schema = &model.schema();
  Reader reader = Reader::from_memory("b,i,c,label\n0.5,2.5,z,0\n2,3,x,1\n", options);
  Encoder encoder(model.schema(), reader.table());
  Block block;
  ASSERT_TRUE(reader.next(block));
  block = encoder.encode(std::move(block));
  EXPECT_EQ(block.row(0).value(0), 0.5);
  EXPECT_EQ(encoder.surprises().broken, (std::vector<std::uint64_t>{2, 1, 0}));
  EXPECT_EQ(encoder.surprises().unseen, (std::vector<std::uint64_t>{0, 0, 1}));
  EXPECT_EQ(describe(encoder.surprises(), model.schema()).size(), 3U);
}

TEST(Schema, UnknownFeaturesAndClassesAtPrediction) {
  const Model model = test::train_text("1 1:1\n-1 2:1\n", test::in_file_order());
  ReadOptions options;
  options.schema = &model.schema();
  Reader reader = Reader::from_memory("1 1:1 7:5\n-1 3:1\n", options);
  Encoder encoder(model.schema(), reader.table());
  Block block;
  ASSERT_TRUE(reader.next(block));
  block = encoder.encode(std::move(block));
  EXPECT_EQ(block.row(0).count, 1U);
  EXPECT_EQ(block.row(1).count, 0U);
  EXPECT_EQ(encoder.surprises().unseen_features, 2U);
  Reader unknown = Reader::from_memory("1 1:1\n3 1:1\n", options);
  Encoder strict(model.schema(), unknown.table());
  ASSERT_TRUE(unknown.next(block));
  EXPECT_EQ(test::message_of([&] { strict.encode(std::move(block)); }),
            "memory:2: found class '3', expected one of: -1, 1");
}

// A survey keeps its moments in arrays, row by row; they are those of Moments to the bit.
TEST(Schema, SurveyEqualsMoments) {
  Random random(1);
  std::string text = "a,b,c,label\n";
  Moments expected[3];
  for (int i = 0; i < 1000; ++i) {
    for (Moments& moments : expected) {
      const double x = random.normal() * 100;
      const bool missing = random.uniform() < 0.1;
      if (!missing) moments.add(x);
      text += missing ? "?," : fmt::format("{},", x);
    }
    text += i % 2 == 0 ? "x\n" : "y\n";
  }
  const Schema schema = encoded(text, Scale::none).schema;
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(schema.columns[j].seen.numbers.count, expected[j].count);
    EXPECT_EQ(schema.columns[j].seen.numbers.mean, expected[j].mean);
    EXPECT_EQ(schema.columns[j].seen.numbers.squares, expected[j].squares);
    EXPECT_EQ(schema.columns[j].seen.numbers.low, expected[j].low);
    EXPECT_EQ(schema.columns[j].seen.numbers.high, expected[j].high);
  }
}

TEST(Schema, NumbersNearTheLargestDouble) {
  for (const Scale scale : {Scale::standard, Scale::minmax, Scale::maxabs})
    for (const auto& row : encoded("a,label\n1e308,0\n-1e308,1\n1.7e308,0\n?,1\n", scale).rows)
      EXPECT_TRUE(std::isfinite(row[0]));
  const std::string big = "1 1:1e308\n-1 1:-1.7e308\n1 2:1\n";
  for (const auto& row : encoded(big, Scale::standard).rows) EXPECT_TRUE(std::isfinite(row[0]));
  EXPECT_EQ(encoded("a,label\n4503599627370495.5,0\n1,1\n", Scale::none).schema.columns[0].kind(), Kind::number);
}

TEST(Moments, AreStable) {
  Moments moments;
  for (int i = 0; i < 1'000'000; ++i) moments.add(1e9 + i % 2);
  EXPECT_NEAR(moments.variance(), 0.25, 1e-9);
}

}  // namespace
}  // namespace postil
