// Training from files: order, passes, schema settling, resuming; evaluation; generators; writers.
#include <cmath>
#include <filesystem>

#include "model/block_store.hpp"
#include "support.hpp"

namespace postil {
namespace {

using test::in_file_order;
using test::train_text;

std::string make(const std::string& generator, std::uint64_t rows, std::uint64_t seed,
                 const std::map<std::string, std::string>& given = {}, std::optional<Format> format = {}) {
  const test::TemporaryFolder folder;
  const GeneratorInfo& info = find_generator(generator);
  info.run({.path = folder.path("out"),
            .format = format.value_or(info.format),
            .rows = rows,
            .seed = seed,
            .params = Params(info.name, info.params, given),
            .progress = {}});
  return test::file_text(folder.path("out"));
}

TEST(Train, LearnsFromZeroAndCountsMistakes) {
  TrainOptions options = in_file_order();
  options.recipe.settings = {{"bias", "none"}, {"average", "none"}};
  // By hand: w = 0 errs on row 1 -> (1, 2); row 2 scores 3 - 2 = 1 > 0, y = -1: errs -> (-2, 3); row 3 scores 1 > 0:
  // right.
  const Model model = train_text("1 1:1 2:2\n-1 1:3 2:-1\n1 1:1 2:1\n", options);
  EXPECT_EQ(model.explain(0).weights, (std::vector<double>{-2, 3}));
  EXPECT_EQ(model.explain(0).bias, 0);
  EXPECT_EQ(model.counters().mistakes, 2U);
  EXPECT_EQ(model.counters().updates, 2U);
  EXPECT_EQ(model.counters().first_loss, 1);  // a score of 0 predicts +1, which was right for row 1
}

TEST(Train, TheBiasIsTheWeightOfAConstantFeature) {
  const std::string text = make("dense", 300, 1, {{"features", "5"}}, Format::libsvm);
  TrainOptions with = in_file_order(), without = in_file_order();
  with.recipe.settings["bias"] = "0.5";
  without.recipe.settings["bias"] = "none";
  std::string augmented;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    augmented += text.substr(begin, end - begin) + " 6:0.5\n";
  const LinearExplanation a = train_text(text, with).explain(0), b = train_text(augmented, without).explain(0);
  EXPECT_NEAR(a.bias, 0.5 * b.weights[5], 1e-12);
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(a.weights[j], b.weights[j], 1e-12);
}

TEST(Train, RawWeightsGiveTheSameScore) {
  const Model model = train_text("a,b,label\n1,10,0\n2,-3,1\n4,5,1\n-1,7,0\n", {});
  const LinearExplanation e = model.explain(0);
  const Scaling& s = model.schema().scaling;
  const double raw[] = {2.5, -1};
  double scaled_score = e.bias, raw_score = e.raw_bias;
  for (int j = 0; j < 2; ++j) {
    scaled_score += e.weights[j] * (raw[j] - s.shift[j]) / s.scale[j];
    raw_score += e.raw_weights[j] * raw[j];
  }
  EXPECT_NEAR(scaled_score, raw_score, 1e-12);
}

// Every way of reading the same rows in file order gives the same bytes.
TEST(Train, TheSameBytesByEveryWay) {
  for (const Format format : {Format::csv, Format::libsvm}) {
    const std::string text = make("dense", 3000, 5, {{"features", "7"}}, format);
    TrainOptions options = in_file_order();
    const std::string at_once = train_text(text, options).to_bytes();
    options.read.chunk_bytes = 1000;
    EXPECT_EQ(train_text(text, options).to_bytes(), at_once);
    options.read.threads = 3;
    EXPECT_EQ(train_text(text, options).to_bytes(), at_once);
    options.order = Order::shuffle;
    options.memory = 0;  // too much for shuffling: file order after a survey
    EXPECT_EQ(train_text(text, options).to_bytes(), at_once);
  }
}

TEST(Train, LearningAtOnceBeginsAgainWhenTheFirstSchemaDoesNotHold) {
  std::string text = "a,b,label\n";
  for (int i = 0; i < 400; ++i) text += fmt::format("{},{},{}\n", i % 7, i % 5, i % 2);
  for (const char* late : {"?,3,1\n", "2,3,2\n"}) {
    TrainOptions options = in_file_order();
    options.read.chunk_bytes = 500;
    Model careful = train_text(text + late, [&] {
      TrainOptions whole = in_file_order();  // one chunk: the schema is known from the start
      return whole;
    }());
    EXPECT_EQ(train_text(text + late, options).to_bytes(), careful.to_bytes()) << late;
  }
}

TEST(Train, ShufflingIsSeeded) {
  const std::string text = make("dense", 500, 2);
  TrainOptions options;
  const std::string zero = train_text(text, options).to_bytes();
  EXPECT_EQ(train_text(text, options).to_bytes(), zero);
  options.seed = 1;
  EXPECT_NE(train_text(text, options).to_bytes(), zero);
  options.seed = 0;
  options.order = Order::sample;
  EXPECT_NE(train_text(text, options).to_bytes(), zero);
}

TEST(Train, PassesInMemoryAndThroughATemporaryFileAgree) {
  const std::string text = make("text", 2000, 3, {{"features", "500"}, {"nonzeros", "10"}});
  TrainOptions options = in_file_order();
  options.passes = 3;
  options.read.chunk_bytes = 4000;
  const std::string in_memory = train_text(text, options).to_bytes();
  for (const std::uint64_t cache : {0, 20'000}) {
    options.cache = cache;
    EXPECT_EQ(train_text(text, options).to_bytes(), in_memory);
  }
  // Three passes are the file written three times, but for the counters of passes.
  options.passes = 1;
  const Model once = train_text(text + text + text, options);
  options.passes = 3;
  EXPECT_EQ(once.explain(0).weights, train_text(text, options).explain(0).weights);
}

TEST(Train, StoppedSavedAndContinuedEqualsNeverStopped) {
  for (const Format format : {Format::csv, Format::libsvm}) {
    const std::string text = make("dense", 1000, 9, {{"features", "6"}}, format);
    const std::size_t header = format == Format::csv ? text.find('\n') + 1 : 0;
    std::size_t half = text.size() / 2;
    half = text.find('\n', half) + 1;
    TrainOptions options = in_file_order();
    Model first = train_text(text.substr(0, half), options);
    Model saved = Model::from_bytes(first.to_bytes(), "m");
    TrainOptions more = in_file_order();
    more.init = &saved;
    Model both = train_text(text.substr(0, header) + text.substr(half), more);
    const Model never = train_text(text, options);
    EXPECT_EQ(both.explain(0).weights, never.explain(0).weights);
    EXPECT_EQ(both.explain(0).bias, never.explain(0).bias);
    EXPECT_EQ(both.counters().mistakes, never.counters().mistakes);
    EXPECT_EQ(both.counters().examples, never.counters().examples);
  }
}

TEST(Train, MoreThanTwoClasses) {
  const Model model = train_text(make("tuberculosis", 2000, 1), {});
  EXPECT_EQ(model.outputs(), 6U);
  EXPECT_EQ(model.schema().label.name, "lineage");
  EXPECT_LT(model.counters().progressive_error(), 0.05);
}

TEST(Train, ClassesAndPositive) {
  TrainOptions options = in_file_order();
  EXPECT_EQ(test::message_of([&] { train_text("a,label\n1,x\n2,x\n", options); }).substr(0, 4), "/tmp");
  options.recipe.label.classes = {"x", "y"};
  EXPECT_EQ(train_text("a,label\n1,x\n2,x\n", options).schema().label.classes, (std::vector<std::string>{"x", "y"}));
  EXPECT_NE(test::message_of([&] {
              train_text("a,label\n1,x\n2,z\n", options);
            }).find("found class 'z', but classes names only: x, y"),
            std::string::npos);
  options.recipe.label.classes.clear();
  EXPECT_EQ(train_text("a,label\n1,x\n2,y\n", options).schema().label.positive, 1U);
  options.recipe.label.positive = "x";
  EXPECT_EQ(train_text("a,label\n1,x\n2,y\n", options).schema().label.positive, 0U);
  options.recipe.label.positive = "q";
  EXPECT_NE(
      test::message_of([&] { train_text("a,label\n1,x\n2,y\n", options); }).find("positive: there is no class 'q'"),
      std::string::npos);
}

TEST(Train, UnlabelledRowsAreCountedNotLearned) {
  TrainOptions options = in_file_order();
  std::vector<std::string> notes;
  options.note = [&](const Text& text) { notes.push_back(text.plain()); };
  const Model model = train_text("a,label\n1,x\n2,?\n3,y\n", options);
  EXPECT_EQ(model.counters().examples, 2U);
  EXPECT_EQ(notes.back(), "1 row without a label was not learned from");
  EXPECT_NE(test::message_of([&] { train_text("a,label\n1,?\n", options); }).find("there is no labelled row"),
            std::string::npos);
}

TEST(BlockStore, KeepsBlocksInOrder) {
  BlockStore store(100);
  for (int b = 0; b < 5; ++b) {
    BlockData data;
    data.starts = {0, 1, 3};
    data.indices = {1, 0, 2};
    data.values = {b + 0.5, 2, 3};
    data.labels = {0, 1};
    data.width = 3;
    store.add(Block(std::move(data)));
  }
  EXPECT_TRUE(store.spilled());
  for (int round = 0; round < 2; ++round) {
    int b = 0;
    store.for_each([&](const Block& block) {
      EXPECT_EQ(block.row(0).value(0), b++ + 0.5);
      EXPECT_EQ(block.row(1).index(1), 2U);
      EXPECT_EQ(block.labels()[1], 1);
    });
    EXPECT_EQ(b, 5);
  }
}

TEST(Evaluation, AgreesWithCountingByHand) {
  Evaluation evaluation(2, 1);
  const std::uint32_t truth[] = {1, 1, 1, 0, 0};
  const double score[] = {2, -1, 0.5, 0.5, -3};
  for (int i = 0; i < 5; ++i)
    evaluation.add(truth[i], score[i] >= 0 ? 1 : 0, std::span(score + i, 1), std::vector<double>{0.4, 0.6});
  EXPECT_DOUBLE_EQ(evaluation.accuracy(), 0.6);
  EXPECT_DOUBLE_EQ(evaluation.balanced_error(), (1.0 / 3 + 1.0 / 2) / 2);
  EXPECT_DOUBLE_EQ(evaluation.f1(), 2.0 / 3);
  EXPECT_DOUBLE_EQ(*evaluation.auc(), 4.5 / 6);  // pairs: 2>.5, 2>-3, -1<.5, -1>-3, .5=.5, .5>-3
  EXPECT_EQ(evaluation.confusion()[1][0], 1U);
  Evaluation one_class(2, 1);
  one_class.add(1, 1, std::span(score, 1), std::vector<double>{0.5, 0.5});
  EXPECT_FALSE(one_class.auc());
}

TEST(Generate, TheSameSeedGivesTheSameBytes) {
  for (const GeneratorInfo* info : generators()) {
    const std::string name(info->name);
    EXPECT_EQ(make(name, 50, 1), make(name, 50, 1)) << name;
    EXPECT_NE(make(name, 50, 1), make(name, 50, 2)) << name;
  }
  EXPECT_EQ(make("synthetic", 2, 0), "x1,x2,label\n1.495959,-1.409622,positive\n3.731307,3.415271,negative\n");
  EXPECT_EQ(make("text", 1, 0, {{"features", "50"}, {"nonzeros", "3"}}).find(' '), 2U);
}

TEST(Generate, SyntheticHasTheStatedMeans) {
  const auto data = test::read_all(make("synthetic", 20'000, 4));
  double sums[2][2] = {}, counts[2] = {};
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    const auto c = static_cast<int>(data.labels[i]);
    ++counts[c];
    for (int j = 0; j < 2; ++j) sums[c][j] += data.rows[i][j];
  }
  const int positive = data.table.labels[0] == "positive" ? 0 : 1;
  EXPECT_NEAR(counts[0] / 20'000, 0.5, 0.02);
  EXPECT_NEAR(sums[positive][0] / counts[positive], 3.5, 0.1);
  EXPECT_NEAR(sums[positive][1] / counts[positive], -0.3, 0.05);
  EXPECT_NEAR(sums[1 - positive][0] / counts[1 - positive], 4, 0.06);
  EXPECT_NEAR(sums[1 - positive][1] / counts[1 - positive], 4, 0.06);
}

TEST(Generate, TuberculosisKeepsItsLineagesDeletions) {
  const auto data = test::read_all(make("tuberculosis", 5000, 3));
  ASSERT_EQ(data.table.columns.size(), 44U);
  EXPECT_EQ(data.table.columns[42].name, "spacer_43");
  double euro = 0, lost = 0, modern = 0, euro_modern = 0;
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    if (data.table.labels[static_cast<std::size_t>(data.labels[i])] != "euro_american") continue;
    ++euro;
    lost += data.rows[i][32] + data.rows[i][33] + data.rows[i][34] + data.rows[i][35] == 0 ? 1 : 0;
    euro_modern += data.rows[i][43] <= 1 ? 1 : 0;
  }
  modern = euro_modern / euro;
  EXPECT_NEAR(euro / 5000, 25161.0 / 37710, 0.03);
  EXPECT_GT(lost / euro, 0.99);
  EXPECT_NEAR(modern, 0.995, 0.005);
}

TEST(Writer, CompressesByName) {
  const test::TemporaryFolder folder;
  for (const char* name : {"a.svm", "a.svm.gz", "a.svm.zst", "a.svm.xz", "a.svm.bz2"}) {
    const GeneratorInfo& info = find_generator("text");
    info.run({.path = folder.path(name),
              .format = Format::libsvm,
              .rows = 200,
              .seed = 1,
              .params = Params(info.name, info.params, {}),
              .progress = {}});
  }
  const auto plain = test::read_all(test::file_text(folder.path("a.svm")));
  EXPECT_EQ(plain.rows.size(), 200U);
  for (const char* name : {"a.svm.gz", "a.svm.zst", "a.svm.xz", "a.svm.bz2"}) {
    EXPECT_LT(std::filesystem::file_size(folder.path(name)), std::filesystem::file_size(folder.path("a.svm")) / 2);
    EXPECT_TRUE(test::read_all(test::file_text(folder.path(name))) == plain) << name;
  }
}

}  // namespace
}  // namespace postil
