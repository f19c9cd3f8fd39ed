// Learning in shards: one tree, whatever the order; what must not be merged is refused; the parts of a file are the file.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "postil/shards.hpp"
#include "support.hpp"

namespace postil {
namespace {

using test::message_of;
using test::TemporaryFolder;
using test::write_text;

constexpr std::size_t kRows = 700;

// Numbers with gaps, categories, three columns in all; the label depends on the first.
std::string table(std::uint64_t seed, std::size_t rows = kRows) {
  Random random(seed);
  std::string csv = "a,b,c,label\n";
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = 100 + 5 * random.normal();
    csv += fmt::format("{},{},{},{}\n", a, random.below(9) == 0 ? "" : fmt::format("{}", b), "xyz"[random.below(3)],
                       a + 0.3 * random.normal() > 0 ? "yes" : "no");
  }
  return csv;
}

ShardPlan plan(const std::string& learner = "advised", std::uint64_t rounds = 2) {
  ShardPlan out;
  out.recipe.learner = learner;
  out.rounds = rounds;
  if (learner == "advised" || learner == "kbsvm") {
    out.recipe.rules = parse_rules("high: a >= 1 => yes\nlow: a <= -1 and c = x => no\n", "rules").file;
    if (learner == "kbsvm") out.rounds = 0;
  }
  return out;
}

// All rounds, with the states of each given in the order that `shuffle` makes.
std::string run(const std::vector<std::string>& shards, const ShardPlan& of, std::uint64_t order) {
  std::string model = begin_shards(of);
  Random random(order);
  while (!shards_done(model)) {
    const ShardModel read = ShardModel::from_bytes(model, "the model");
    std::vector<std::size_t> ks(shards.size());
    std::iota(ks.begin(), ks.end(), 0);
    random.shuffle(std::span(ks));
    ShardTree tree(shards.size());
    for (const std::size_t k : ks) {
      Reader rows = Reader::from_memory(shards[k], read.reading());
      tree.add(read.update(rows, k, 5));
    }
    model = finish_shards(std::move(tree).state(), shards.size());
  }
  return model;
}

std::vector<std::string> some_shards(std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t k = 0; k < count; ++k) out.push_back(table(k, 100 + 37 * k));
  return out;
}

TEST(Shards, TheOrderOfStatesDoesNotMatter) {
  for (const std::size_t count : {1U, 2U, 3U, 5U, 8U, 13U})
    for (const char* learner : {"advised", "kbsvm"}) {
      const std::vector<std::string> shards = some_shards(count);
      const std::string model = run(shards, plan(learner), 1);
      EXPECT_EQ(run(shards, plan(learner), 2), model) << learner << " " << count;
      EXPECT_NO_THROW((void)Model::from_bytes(model, "the model"));
    }
}

TEST(Shards, EveryLearnerThatSaysSoLearnsAndOthersSayWhoDoes) {
  const std::vector<std::string> shards = some_shards(4);
  for (const LearnerInfo* info : learners()) {
    const std::string name(info->name);
    if (info->shards.empty()) {
      const std::string message = message_of([&] { (void)begin_shards(plan(name)); });
      if (info->needs_advice) continue;  // another message first
      EXPECT_NE(message.find("does not learn from shards; these do: "), std::string::npos) << name << ": " << message;
      continue;
    }
    const Model model = Model::from_bytes(run(shards, plan(name, info->mode == Mode::batch ? 0 : 2), 3), name);
    std::size_t right = 0, rows = 0;
    ReadOptions read;
    read.schema = &model.schema();
    Reader reader = Reader::from_memory(table(99), read);
    ModelEncoder encoder(model, reader.table());
    std::vector<double> scores(model.outputs());
    for (Block block; reader.next(block); block = Block()) {
      block = encoder.encode(std::move(block));
      for (std::size_t i = 0; i < block.rows(); ++i, ++rows) {
        model.score(block.row(i), scores);
        right += model.decide(scores) == block.labels()[i] ? 1 : 0;
      }
    }
    EXPECT_GT(static_cast<double>(right), 0.85 * static_cast<double>(rows)) << name;
  }
}

TEST(Shards, TheSurveyIsThatOfAllRows) {
  const std::vector<std::string> shards = some_shards(6);
  std::string whole = shards[0];
  for (std::size_t k = 1; k < shards.size(); ++k) whole += shards[k].substr(shards[k].find('\n') + 1);
  const Model merged = Model::from_bytes(run(shards, plan("pa", 1), 1), "merged");
  const Model alone = Model::from_bytes(run({whole}, plan("pa", 1), 1), "alone");
  const Schema &a = merged.schema(), &b = alone.schema();
  ASSERT_EQ(a.columns.size(), b.columns.size());
  EXPECT_EQ(a.label.classes, b.label.classes);
  for (std::size_t j = 0; j < a.columns.size(); ++j) {
    EXPECT_EQ(a.columns[j].name, b.columns[j].name);
    EXPECT_EQ(a.columns[j].categories, b.columns[j].categories);
    EXPECT_EQ(a.columns[j].seen.categories, b.columns[j].seen.categories);
    EXPECT_EQ(a.columns[j].seen.missing, b.columns[j].seen.missing);
    const Moments &m = a.columns[j].seen.numbers, &n = b.columns[j].seen.numbers;
    EXPECT_EQ(m.count, n.count);
    EXPECT_EQ(m.low, n.low);
    EXPECT_EQ(m.high, n.high);
    EXPECT_NEAR(m.mean, n.mean, 1e-12 * std::fabs(n.mean));
    EXPECT_NEAR(m.squares, n.squares, 1e-9 * n.squares);
  }
  EXPECT_EQ(merged.counters().examples, alone.counters().examples);
  EXPECT_EQ(merged.counters().first_seen, alone.counters().first_seen);
}

TEST(Shards, MomentsOfAnyDivisionAreThoseOfAllNumbers) {
  Random random(3);
  for (int round = 0; round < 50; ++round) {
    Table table;
    table.columns.push_back({"x", TableColumn::Type::number, {}, Kind::number});
    const double shift = std::ldexp(random.normal(), static_cast<int>(random.below(20)));
    std::vector<double> all;
    Survey sum(table, Scale::none, {});
    for (std::size_t part = 1 + random.below(6); part > 0; --part) {
      Survey own(table, Scale::none, {});
      std::vector<double> values;
      for (std::size_t n = random.below(40); n > 0; --n) values.push_back(shift + random.normal());
      if (!values.empty()) own.add(Block::borrow_dense(std::span<const double>(values), 1));
      all.insert(all.end(), values.begin(), values.end());
      sum.merge(own, {{0}, {}, {{}}});
    }
    if (all.empty()) continue;
    long double mean = 0, squares = 0;
    for (const double x : all) mean += x;
    mean /= static_cast<long double>(all.size());
    for (const double x : all) squares += (x - mean) * (x - mean);
    const Moments seen = sum.finish().columns[0].seen.numbers;
    EXPECT_EQ(seen.count, all.size());
    EXPECT_NEAR(seen.mean, static_cast<double>(mean), 1e-13 * (1 + std::fabs(shift)));
    EXPECT_NEAR(seen.squares, static_cast<double>(squares), 1e-9 * (1 + static_cast<double>(squares)));
  }
}

TEST(Shards, WhatIsNoBranchIsRefused) {
  const std::vector<std::string> shards = some_shards(4);
  const std::string begun = begin_shards(plan());
  const ShardModel model = ShardModel::from_bytes(begun, "the model");
  std::vector<std::string> states;
  for (std::size_t k = 0; k < shards.size(); ++k) {
    Reader rows = Reader::from_memory(shards[k], model.reading());
    states.push_back(model.update(rows, k, 5));
  }
  const auto refused = [&](const std::string& a, const std::string& b) {
    return message_of([&] { (void)merge_shards(a, b); });
  };
  EXPECT_NE(refused(states[1], states[2]).find("shard 1 cannot be merged with shard 2"), std::string::npos);
  EXPECT_NE(refused(states[1], states[0]), "");
  EXPECT_NE(refused(states[0], states[0]), "");
  EXPECT_NE(refused(states[0], states[2]), "");
  EXPECT_NE(refused(states[0], begun), "");
  const std::string first = merge_shards(states[0], states[1]);
  EXPECT_NE(refused(first, states[3]), "");
  EXPECT_NE(message_of([&] { (void)finish_shards(first, 4); }).find("expected shards 0 to 3"), std::string::npos);
  ShardTree tree(4);
  tree.add(states[3]);
  tree.add(states[0]);
  EXPECT_NE(message_of([&] { tree.add(states[3]); }).find("is there twice"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)std::move(tree).state(); }).find("shard 1 is missing"), std::string::npos);
  ShardPlan other = plan();
  other.rounds = 7;
  const ShardModel another = ShardModel::from_bytes(begin_shards(other), "another");
  Reader rows = Reader::from_memory(shards[1], another.reading());
  EXPECT_NE(refused(states[0], another.update(rows, 1, 5)).find("different rounds or models"), std::string::npos);
}

TEST(Shards, ColumnsThatContradictEachOtherAreRefused) {
  const auto run_two = [](const std::string& a, const std::string& b) {
    return message_of([&] { (void)run({a, b}, plan("pa", 1), 1); });
  };
  EXPECT_NE(run_two("a,label\n1,x\n2,y\n", "a,label\nred,x\nblue,y\n").find("column 'a' holds text here, but numbers"),
            std::string::npos);
  EXPECT_NE(run_two("a,label\n1,x\n2,y\n", "a,class\n1,x\n2,y\n").find("the label is 'class' here, but 'label'"),
            std::string::npos);
  EXPECT_EQ(run_two("a,b,label\n1,,x\n2,,y\n", "b,a,label\nred,1,x\nblue,2,y\n"), "") << "empty, and in another order";
  EXPECT_NE(run_two("a,label\n1,x\n", "a,label\n1,x\n"), "") << "one class";
}

TEST(Shards, DamagedStatesAreRefused) {
  const std::vector<std::string> shards = some_shards(2);
  const ShardModel model = ShardModel::from_bytes(begin_shards(plan()), "the model");
  Reader rows = Reader::from_memory(shards[0], model.reading());
  const std::string state = model.update(rows, 0, 5);
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    std::string damaged = state;
    if (round % 2 == 0)
      damaged.resize(random.below(damaged.size()));
    else
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    if (damaged == state) continue;
    EXPECT_THROW((void)finish_shards(damaged, 1), Error);
    EXPECT_THROW((void)merge_shards(damaged, state), Error);
  }
}

// ---- parts of a file ----

TEST(Parts, AreTheFileWhateverTheirNumber) {
  const TemporaryFolder folder;
  for (const std::uint64_t of : {1U, 2U, 3U, 7U, 50U, 5000U})
    for (const char* name : {"t.csv", "t.svm", "t.jsonl"}) {
      const std::string path = folder.path(name);
      std::string text = name == std::string("t.csv") ? "# note\na,b,label\n" : "";
      for (int i = 0; i < 300; ++i)
        text += name == std::string("t.csv")   ? fmt::format("{},\"q \"\"{}\"\"\",{}\n", i, i % 5, i % 2)
                : name == std::string("t.svm") ? fmt::format("{} 1:{} 3:1\n", i % 2, i)
                                               : fmt::format("{{\"a\": {}, \"label\": {}}}\n", i, i % 2);
      write_text(path, text);
      std::vector<double> whole, parts;
      const auto read = [&](const FilePart& part, std::vector<double>& to) {
        ReadOptions options;
        options.part = part;
        Reader reader(path, options);
        for (Block block; reader.next(block); block = Block())
          for (std::size_t i = 0; i < block.rows(); ++i) to.push_back(block.row(i).value(0));
      };
      read({}, whole);
      for (std::uint64_t k = 0; k < of; ++k) read({k, of}, parts);
      EXPECT_EQ(parts, whole) << name << " in " << of;
      EXPECT_EQ(whole.size(), 300U);
    }
}

TEST(Parts, ThatBeginWithinACellAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.path("t.csv");
  std::string cell(4000, 'x');
  for (std::size_t i = 50; i < cell.size(); i += 50) cell[i] = '\n';
  write_text(path, "a,label\n1,x\n\"" + cell + "\",y\n2,x\n");
  ReadOptions options;
  options.wishes.kinds["a"] = Kind::categorical;
  std::size_t refused = 0;
  for (std::uint64_t k = 0; k < 4; ++k) {
    options.part = {k, 4};
    const std::string message = message_of([&] {
      Reader reader(path, options);
      for (Block block; reader.next(block); block = Block()) {
      }
    });
    refused += message.find("goes on in the next part") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(refused, 0U);
}

}  // namespace
}  // namespace postil
