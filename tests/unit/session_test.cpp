// Sessions: the settling of the schema, resuming, rows that cannot be learned.
#include <fcntl.h>
#include <unistd.h>

#include "support.hpp"

namespace postil {
namespace {

// Streams a text into a session, new or loaded from the bytes of an earlier one; answers are added to `answers`.
struct Stream {
  std::string bytes;
  std::vector<std::string> answers;
  std::vector<std::string> notes;

  void take(const std::string& text, const Recipe& recipe, ReadOptions read = {}) {
    const test::TemporaryFolder folder;
    test::write_text(folder.path("rows"), text);
    read.live = LiveInput{};
    read.real_labels = recipe.label.regression;
    std::optional<Session> session;
    Schema schema;
    if (!bytes.empty()) {
      session.emplace(Session::from_bytes(bytes, "model"));
      schema = session->model()->schema();
      read.schema = &schema;
      read.more_columns = true;
    }
    Reader reader(folder.path("rows"), read);
    if (!session) session.emplace(recipe, read.wishes, reader.table());
    session->note = [&](const Text& note) { notes.push_back(note.plain()); };
    Session::Feed feed(*session, reader.table());
    for (Block block;; block = Block()) {
      try {
        if (!reader.next(block)) break;
        const Session::Answer answer = session->take(feed.adopt(std::move(block))).at(0);
        answers.push_back(answer.predicted.value_or("?") + (answer.learned ? "+" : "-"));
      } catch (const DataError& error) {
        session->skip_row();
        answers.emplace_back(error.what());
      }
    }
    if (session->model() != nullptr) bytes = session->to_bytes();
  }
  [[nodiscard]] Model model() const { return Model::from_bytes(bytes, "model"); }
  [[nodiscard]] bool settled() const { return Session::from_bytes(bytes, "model").settled(); }
};

constexpr const char* kHeader = "a,kind,b,label\n";

std::string some_rows(std::size_t from, std::size_t to) {
  std::string text;
  for (std::size_t i = 0; i < to; ++i) {
    Random random(i);
    const double a = random.normal() * 100, b = random.normal();
    const char* kind = i % 3 == 0 ? "\"re,d\"" : i % 3 == 1 ? "" : "blue";
    if (i >= from) text += fmt::format("{},{},{},{}\n", a, kind, b, a > 50 * b ? "yes" : "no");
  }
  return text;
}

TEST(Session, StoppedAnywhereItEqualsOneThatNeverStopped) {
  Recipe recipe;
  Stream whole;
  whole.take(kHeader + some_rows(0, 400), recipe);
  for (const std::size_t stop : {1U, 2U, 3U, 64U, 100U, 255U, 256U, 257U, 390U}) {
    Stream parts;
    parts.take(kHeader + some_rows(0, stop), recipe);
    parts.take(kHeader + some_rows(stop, 400), recipe);
    EXPECT_EQ(parts.answers, whole.answers) << stop;
    EXPECT_EQ(parts.bytes, whole.bytes) << stop;
  }
}

TEST(Session, SettlesAsTrainingOnItsFirstRowsInOrder) {
  Recipe recipe;
  recipe.learner = "pa";
  Stream run;
  run.take(kHeader + some_rows(0, Session::kSettlingRows), recipe);
  TrainOptions options = test::in_file_order();
  options.recipe = recipe;
  const Model trained = test::train_text(kHeader + some_rows(0, Session::kSettlingRows), options);
  EXPECT_EQ(run.model().explain(0).weights, trained.explain(0).weights);
  EXPECT_EQ(run.model().schema().scaling.shift, trained.schema().scaling.shift);
  EXPECT_TRUE(run.settled());
  EXPECT_EQ(run.model().counters().examples, Session::kSettlingRows);
  EXPECT_EQ(run.model().counters().rows, Session::kSettlingRows);
}

// Defect 3 of the first streams: rows between the powers of two were acknowledged and not learned.
TEST(Session, EveryRowIsLearnedBeforeTheNextIsAnswered) {
  std::string text = kHeader + some_rows(0, 130);
  for (int k = 0; k < 20; ++k) text += "200,blue,0,no\n";  // against what the rows before say
  Stream run;
  run.take(text, {});
  EXPECT_EQ(run.model().counters().examples, 150U);
  const std::vector<std::string> last(run.answers.end() - 5, run.answers.end());
  EXPECT_EQ(last, std::vector<std::string>(5, "no+"));
}

TEST(Session, AtPowersOfTwoItEqualsTrainingOnItsRows) {
  for (const std::size_t rows : {1U, 2U, 64U, 128U}) {
    Stream run;
    run.take(kHeader + some_rows(0, rows), {});
    Recipe recipe;
    recipe.label.more_to_come = true;
    TrainOptions options = test::in_file_order();
    options.recipe = recipe;
    const Model trained = test::train_text(kHeader + some_rows(0, rows), options);
    ASSERT_EQ(run.model().outputs(), trained.outputs());
    if (trained.outputs() > 0) {
      EXPECT_EQ(run.model().explain(0).weights, trained.explain(0).weights);
    }
    EXPECT_EQ(run.model().counters().examples, rows);
    EXPECT_FALSE(run.settled());
  }
}

TEST(Session, NewClassesComeAtAnyTime) {
  Stream run;
  std::string two = "a,b,label\n", three = two, four = two;
  Random random(1);
  const auto row = [&](double a, double b, const char* label) {
    return fmt::format("{},{},{}\n", a + 0.3 * random.normal(), b + 0.3 * random.normal(), label);
  };
  for (int k = 0; k < 300; ++k) two += k % 2 == 0 ? row(2, 0, "x") : row(-2, 0, "y");
  for (int k = 0; k < 150; ++k) three += k % 3 == 0 ? row(2, 0, "x") : k % 3 == 1 ? row(-2, 0, "y") : row(0, 3, "z");
  for (int k = 0; k < 200; ++k) four += k % 2 == 0 ? row(0, -3, "w") : row(2, 0, "x");
  for (const char* learner : {"", "perceptron", "sgd", "adviceptron"}) {
    Stream stream;
    Recipe recipe;
    recipe.learner = learner;
    stream.take(two, recipe);
    EXPECT_TRUE(stream.settled());
    stream.take(three, recipe);
    EXPECT_EQ(stream.model().schema().label.classes, (std::vector<std::string>{"x", "y", "z"}));
    EXPECT_EQ(stream.model().outputs(), 3U);
    EXPECT_EQ(stream.notes.size(), 1U);
    std::vector<std::string> last(stream.answers.end() - 3, stream.answers.end());
    EXPECT_EQ(last, (std::vector<std::string>{"x+", "y+", "z+"})) << learner;
    stream.take(four, recipe);
    last.assign(stream.answers.end() - 2, stream.answers.end());
    EXPECT_EQ(last, (std::vector<std::string>{"w+", "x+"})) << learner;
    EXPECT_EQ(stream.model().outputs(), 4U);
  }
}

// The question of the second class is the first one, turned round.
TEST(Session, AThirdClassTurnsTheQuestionRound) {
  Stream run;
  std::string text = "a,b,label\n";
  Random random(2);
  for (int k = 0; k < 400; ++k) {
    const double a = random.normal(), b = random.normal();
    text += fmt::format("{},{},{}\n", a, b, a > b ? "x" : "y");
  }
  run.take(text, {});
  const LinearExplanation before = run.model().explain(0);
  Session session = Session::from_bytes(run.bytes, "model");
  BlockData data;
  data.width = 2;
  data.values.assign({0, 0});
  data.labels = {session.label_code("z")};
  session.take(Block(std::move(data)));
  Model zero = Model::from_bytes(run.bytes, "model");
  EXPECT_TRUE(zero.add_class("z"));
  ASSERT_EQ(zero.outputs(), 3U);
  for (std::size_t j = 0; j < 2; ++j) {  // classes x, y: y was positive
    EXPECT_EQ(zero.explain(1).weights[j], before.weights[j]);
    EXPECT_EQ(zero.explain(0).weights[j], -before.weights[j]);
  }
  EXPECT_EQ(session.model()->outputs(), 3U);
}

TEST(Session, NewCategoriesAndColumnsComeAtAnyTime) {
  for (const std::size_t first : {3U, 400U}) {  // before the schema is settled, and after
    Stream run;
    run.take(kHeader + some_rows(0, first), {});
    std::string text = "a,kind,b,late,label\n";
    for (int k = 0; k < 60; ++k)
      text += fmt::format("0,green,0,{},{}\n", k % 2 == 0 ? 1000 : -1000, k % 2 == 0 ? "yes" : "no");
    run.take(text, {});
    const Model model = run.model();
    const std::vector<std::string> names = model.schema().feature_names();
    EXPECT_NE(std::find(names.begin(), names.end(), "kind=green"), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "late"), names.end());
    const std::vector<std::string> last(run.answers.end() - 2, run.answers.end());
    EXPECT_EQ(last, (std::vector<std::string>{"yes+", "no+"})) << first;
  }
}

// Rules answer before the first row, about columns and categories that no row has shown.
TEST(Session, RulesFromRowOne) {
  Recipe recipe;
  recipe.rules =
      parse_rules("integer miru\nr1: miru > 1 => east\nr2: odor = foul => west\nr3: present(s) => west\n", "t").file;
  Stream run;
  run.take("miru,odor,s,label\n1,none,1,\n9,none,0,\n0,foul,0,\n1,none,1,west\n2,none,0,east\n", recipe);
  EXPECT_EQ(run.answers.at(0), "west-");
  EXPECT_EQ(run.answers.at(1), "east-");
  EXPECT_EQ(run.answers.at(2), "west-");
  const std::vector<std::string> names = run.model().schema().feature_names();
  EXPECT_NE(std::find(names.begin(), names.end(), "odor=foul"), names.end());
}

TEST(Session, ClassesThatTheUserHasNamedAreAllThereAre) {
  Recipe recipe;
  recipe.label.classes = {"x", "y"};
  Stream run;
  run.take("a,label\n1,x\n2,z\n3,y\n", recipe);
  EXPECT_NE(run.answers.at(1).find("found class 'z', expected one of: x, y"), std::string::npos) << run.answers.at(1);
  EXPECT_EQ(run.answers.at(2).back(), '+');
  EXPECT_EQ(run.model().schema().label.classes, (std::vector<std::string>{"x", "y"}));
}

// A row that cannot be used leaves no trace.
TEST(Session, ARefusedRowSpoilsNoOther) {
  ReadOptions read;
  read.wishes.missing[""] = Missing::refuse;
  Stream run;
  run.take("a,b,label\n?,1,x\n1,2,x\n3,?,y\n-1,-2,y\n2,3,x\n", {}, read);
  ASSERT_EQ(run.answers.size(), 5U);
  EXPECT_NE(run.answers[0].find("column 'a': a missing value"), std::string::npos) << run.answers[0];
  EXPECT_NE(run.answers[2].find("column 'b': a missing value"), std::string::npos) << run.answers[2];
  EXPECT_EQ(run.answers[4].back(), '+');
  EXPECT_EQ(run.model().counters().examples, 3U);
}

// A block is learned as its rows would be, one after the other, whatever it brings.
TEST(Session, ABlockEqualsItsRows) {
  Reader reader = Reader::from_memory(kHeader + some_rows(0, 300) + "3,green,1,yes\n4,blue,0,maybe\n5,pink,2,no\n", {});
  std::vector<Block> blocks;
  for (Block block; reader.next(block); block = Block()) blocks.push_back(std::move(block));
  Table columns = reader.table();
  for (TableColumn& column : columns.columns) column.texts.clear();
  Session whole({}, {}, columns), parts({}, {}, columns);
  Session::Feed to_whole(whole, reader.table()), to_parts(parts, reader.table());
  for (const Block& block : blocks) {
    whole.learn(to_whole.adopt(Block(block.copied())));
    for (std::size_t i = 0; i < block.rows(); ++i) parts.take(to_parts.adopt(Block(block.copied(i, 1))));
  }
  EXPECT_EQ(whole.model()->to_bytes(), parts.model()->to_bytes());
  EXPECT_EQ(whole.model()->outputs(), 3U);
}

TEST(Session, BadRowsAreToldAndPassedOver) {
  Stream run;
  run.take("a,label\n1,x\n2,y\nfoo,x\n3\n4,y\n", {});
  ASSERT_EQ(run.answers.size(), 5U);
  EXPECT_NE(run.answers[2].find(":4:"), std::string::npos) << run.answers[2];
  EXPECT_NE(run.answers[3].find(":5:"), std::string::npos) << run.answers[3];
  EXPECT_EQ(run.model().counters().rows, 5U);
  EXPECT_EQ(run.model().counters().examples, 3U);
  EXPECT_FALSE(run.settled());
}

TEST(Session, RowsWithoutLabelArePredictedOnly) {
  Stream run;
  run.take("a,label\n1,\n1,x\n-1,y\n2,\n-2,?\n", {});
  EXPECT_EQ(run.answers, (std::vector<std::string>{"?-", "?+", "x+", "x-", "y-"}));
  EXPECT_EQ(run.model().counters().unlabelled, 2U);
}

TEST(Session, OneClassForALongTime) {
  std::string text = "a,label\n";
  for (int i = 0; i < 600; ++i) text += fmt::format("{},x\n", i % 7);
  Stream run;
  run.take(text, {});
  EXPECT_EQ(run.model().outputs(), 0U);
  EXPECT_FALSE(run.settled());
  EXPECT_EQ(run.answers.back(), "x-");
  run.take("a,label\n-5,y\n-6,y\n3,x\n", {});
  EXPECT_EQ(run.model().outputs(), 1U);
  EXPECT_TRUE(run.settled());
  EXPECT_EQ(run.answers.back(), "x+");
  run.take("a,label\n1,z\n1,z\n", {});
  EXPECT_EQ(run.answers.back().back(), '+');
  EXPECT_EQ(run.model().outputs(), 3U);
  EXPECT_EQ(run.notes.size(), 1U);
}

TEST(Session, LibsvmRegressionAndWeights) {
  Recipe recipe;
  recipe.learner = "perceptron";
  std::string text;
  for (std::size_t i = 0; i < 400; ++i)
    text += fmt::format("{} {}:{}\n", i % 2 == 0 ? "+1" : "-1", i / 40 * 2 + i % 2 + 1, 0.25 + static_cast<double>(i));
  Stream run;
  run.take(text, recipe);
  TrainOptions options = test::in_file_order();
  EXPECT_EQ(run.model().explain(0).weights, test::train_text(text, options).explain(0).weights);  // features come late

  Recipe real;
  real.label.regression = true;
  std::string rows = "a,w,y\n";
  for (std::uint64_t i = 0; i < Session::kSettlingRows; ++i)
    rows += fmt::format("{},{},{}\n", i % 10, i % 2, 3 * (i % 10) + 1);
  options.recipe = real;
  options.read.weight = "w";
  Stream numbers;
  numbers.take(rows, real, options.read);
  EXPECT_EQ(numbers.model().explain(0).weights, test::train_text(rows, options).explain(0).weights);
  EXPECT_LT(numbers.model().counters().progressive_error(), 10);
}

TEST(Session, HalfARowAtTheStopIsNotLearned) {
  int input[2], stop[2];
  ASSERT_EQ(::pipe(input), 0);
  ASSERT_EQ(::pipe(stop), 0);
  const std::string text = "a,label\n1,x\n2,y\n3,";
  ASSERT_EQ(::write(input[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ReadOptions read;
  int waits = 0;
  read.live = LiveInput{stop[0], [&] {
                          ++waits;
                          EXPECT_EQ(::write(stop[1], "", 1), 1);
                          return -1;
                        }};
  Reader reader(fmt::format("/dev/fd/{}", input[0]), read);
  std::size_t rows = 0;
  for (Block block; reader.next(block);) rows += block.rows();
  EXPECT_EQ(rows, 2U);
  EXPECT_EQ(waits, 1);
  for (const int end : {input[0], input[1], stop[0], stop[1]}) ::close(end);
}

// The rules compare a column with words, and whoever brings its rows takes it for numbers.
TEST(Session, RefusesNumbersWhereRulesHaveWords) {
  Recipe recipe;
  recipe.rules = parse_rules("color = red => x\nb > 1 => y\n", "rules").file;
  Reader reader = Reader::from_memory("b,color,label\n1,2000,x\n2,2001,y\n", {});
  Session session(recipe, {}, reader.table());
  Session::Feed feed(session, reader.table());
  Block block;
  ASSERT_TRUE(reader.next(block));
  try {
    session.take(feed.adopt(std::move(block)));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "memory:2: column 'color' holds numbers, expected text");
  }
}

}  // namespace
}  // namespace postil
