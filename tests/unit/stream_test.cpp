// Streams: the settling of the schema, resuming, rows that cannot be learned.
#include <fcntl.h>
#include <unistd.h>

#include "support.hpp"

namespace postil {
namespace {

// Streams a text into `model` (or a fresh one) and gives the model back; answers are added to `answers`.
struct Session {
  std::optional<Model> model;
  std::vector<std::string> answers;
  std::vector<std::string> notes;

  void take(const std::string& text, const Recipe& recipe, ReadOptions read = {}) {
    const test::TemporaryFolder folder;
    test::write_text(folder.path("rows"), text);
    read.live = LiveInput{};
    read.real_labels = recipe.label.regression;
    if (model) read = Stream::resuming(*model, read);
    Reader reader(folder.path("rows"), read);
    std::optional<Stream> stream;
    if (model)
      stream.emplace(reader, std::move(*model));
    else
      stream.emplace(reader, read, recipe);
    stream->note = [&](const std::string& note) { notes.push_back(note); };
    for (Block block;; block = Block()) {
      try {
        if (!reader.next(block)) break;
        const Stream::Answer answer = stream->take(std::move(block));
        answers.push_back(answer.predicted.value_or("?") + (answer.learned ? "+" : "-"));
      } catch (const DataError& error) {
        stream->skip_row();
        answers.emplace_back(error.what());
      }
    }
    model.reset();
    if (stream->model() != nullptr) model.emplace(Model::from_bytes(stream->to_bytes(), "model"));
  }
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

TEST(Stream, StoppedAnywhereItEqualsOneThatNeverStopped) {
  Recipe recipe;
  Session whole;
  whole.take(kHeader + some_rows(0, 400), recipe);
  for (const std::size_t stop : {1U, 2U, 3U, 64U, 100U, 255U, 256U, 257U, 390U}) {
    Session parts;
    parts.take(kHeader + some_rows(0, stop), recipe);
    parts.take(kHeader + some_rows(stop, 400), recipe);
    EXPECT_EQ(parts.answers, whole.answers) << stop;
    EXPECT_EQ(parts.model->to_bytes(), whole.model->to_bytes()) << stop;
  }
}

TEST(Stream, SettlesAsTrainingOnItsFirstRowsInOrder) {
  Recipe recipe;
  recipe.learner = "pa";
  Session run;
  run.take(kHeader + some_rows(0, Stream::kSettlingRows), recipe);
  TrainOptions options = test::in_file_order();
  options.recipe = recipe;
  const Model trained = test::train_text(kHeader + some_rows(0, Stream::kSettlingRows), options);
  EXPECT_EQ(run.model->explain(0).weights, trained.explain(0).weights);
  EXPECT_EQ(run.model->schema().scaling.shift, trained.schema().scaling.shift);
  EXPECT_FALSE(run.model->warm_up());
  EXPECT_EQ(run.model->counters().examples, Stream::kSettlingRows);
  EXPECT_EQ(run.model->counters().rows, Stream::kSettlingRows);
}

TEST(Stream, WhatIsSavedPredictsWithAllRows) {
  for (const std::size_t rows : {3U, 100U, 255U}) {
    Session session;
    session.take(kHeader + some_rows(0, rows), {});
    TrainOptions options = test::in_file_order();
    options.recipe = {};
    const Model trained = test::train_text(kHeader + some_rows(0, rows), options);
    EXPECT_EQ(session.model->explain(0).weights, trained.explain(0).weights);
    EXPECT_EQ(session.model->counters().examples, rows);
    EXPECT_EQ(session.model->warm_up()->count(), rows);
  }
}

TEST(Stream, BadRowsAreToldAndPassedOver) {
  Session run;
  run.take("a,label\n1,x\n2,y\nfoo,x\n3\n4,y\n", {});
  ASSERT_EQ(run.answers.size(), 5U);
  EXPECT_NE(run.answers[2].find(":4:"), std::string::npos) << run.answers[2];
  EXPECT_NE(run.answers[3].find(":5:"), std::string::npos) << run.answers[3];
  EXPECT_EQ(run.model->counters().rows, 5U);
  EXPECT_EQ(run.model->counters().examples, 3U);
  EXPECT_EQ(run.model->warm_up()->count(), 3U);
}

TEST(Stream, RowsWithoutLabelArePredictedOnly) {
  Session run;
  run.take("a,label\n1,\n1,x\n-1,y\n2,\n-2,?\n", {});
  EXPECT_EQ(run.answers, (std::vector<std::string>{"?-", "?+", "x+", "x-", "y-"}));
  EXPECT_EQ(run.model->counters().unlabelled, 2U);
}

TEST(Stream, OneClassForALongTime) {
  std::string text = "a,label\n";
  for (int i = 0; i < 600; ++i) text += fmt::format("{},x\n", i % 7);
  Session run;
  run.take(text, {});
  EXPECT_EQ(run.model->outputs(), 0U);
  EXPECT_EQ(run.model->warm_up()->count(), Stream::kSettlingRows - 1);
  EXPECT_EQ(run.answers.back(), "x-");
  run.take("a,label\n-5,y\n-6,y\n3,x\n", {});
  EXPECT_EQ(run.model->outputs(), 1U);
  EXPECT_FALSE(run.model->warm_up());
  EXPECT_EQ(run.answers.back(), "x+");
  run.take("a,label\n1,z\n1,z\n", {});
  EXPECT_EQ(run.answers.back(), "x-");
  EXPECT_EQ(run.notes.size(), 1U);
}

TEST(Stream, LibsvmRegressionAndWeights) {
  Recipe recipe;
  recipe.learner = "perceptron";
  std::string text;
  for (std::size_t i = 0; i < 400; ++i)
    text += fmt::format("{} {}:{}\n", i % 2 == 0 ? "+1" : "-1", i / 40 * 2 + i % 2 + 1, 0.25 + static_cast<double>(i));
  Session run;
  run.take(text, recipe);
  TrainOptions options = test::in_file_order();
  EXPECT_EQ(run.model->explain(0).weights, test::train_text(text, options).explain(0).weights);  // features come late

  Recipe real;
  real.label.regression = true;
  std::string rows = "a,w,y\n";
  for (std::uint64_t i = 0; i < Stream::kSettlingRows; ++i)
    rows += fmt::format("{},{},{}\n", i % 10, i % 2, 3 * (i % 10) + 1);
  options.recipe = real;
  options.read.weight = "w";
  Session numbers;
  numbers.take(rows, real, options.read);
  EXPECT_EQ(numbers.model->explain(0).weights, test::train_text(rows, options).explain(0).weights);
  EXPECT_LT(numbers.model->counters().progressive_error(), 10);
}

TEST(Stream, HalfARowAtTheStopIsNotLearned) {
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

}  // namespace
}  // namespace postil
