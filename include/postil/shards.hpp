// Learning from rows that stand in several places, for any engine that can call three functions: rows are divided into shards,
// numbered from 0, and a model is made in rounds.
//
//   model = begin_shards(plan)
//   until shards_done(model):
//     states = update_shard(model, rows of shard k, k, seed)   for each k, anywhere, in any order, as often as an engine likes
//     state  = merge_shards(a, b)                              pairwise: shards (2i, 2i + 1), then these pairs, and so on
//     model  = finish_shards(state, number of shards)
//
// The first round surveys: columns, categories, moments, classes. Later rounds learn. All are pure functions of bytes, and states
// are merged in one tree, so the model has the same bytes whatever the number of processes, threads or machines, and whatever
// was done twice. What it depends on is how the rows are divided into shards.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postil/train.hpp"

namespace postil {

struct ShardPlan {
  Recipe recipe;
  ReadOptions read;          // what it says of columns and of files
  std::uint64_t rounds = 0;  // of learning, for learners that do not know by themselves; 0: their default
};

// Throws ParamError for learners that cannot learn from shards; it names those that can.
std::string begin_shards(const ShardPlan& plan);
// What is between two rounds, read once to be used often.
class ShardModel {
 public:
  static ShardModel from_bytes(std::string bytes, const std::string& name);  // throws ModelError
  static ShardModel load(const std::string& path);
  ~ShardModel();
  ShardModel(ShardModel&&) noexcept;
  ShardModel& operator=(ShardModel&&) noexcept;

  [[nodiscard]] bool done() const;                     // the bytes are those of a model, which can predict
  [[nodiscard]] ReadOptions reading() const;           // for Reader; valid as long as this
  [[nodiscard]] std::optional<Table> columns() const;  // that rows must have, in this order; none: whatever they have
  [[nodiscard]] bool missing_allowed() const;
  [[nodiscard]] std::string stage() const;        // "survey", "round 2 of 3", "done"
  [[nodiscard]] bool learning() const;            // the schema is settled
  [[nodiscard]] const LearnerInfo& info() const;  // the learner
  [[nodiscard]] bool numbers() const;             // labels are numbers, not classes
  [[nodiscard]] Model release() &&;               // needs done()
  // Needs: columns as reading() has them. `note` hears what the user should know of the rows. `kind`: what labels are to who hands
  // them in, so that the model can hand them back.
  [[nodiscard]] std::string update(Source& rows, std::uint64_t shard, std::uint64_t seed,
                                   const std::function<void(const Text&)>& note = {},
                                   LabelKind kind = LabelKind::unknown) const;

 private:
  struct Impl;
  explicit ShardModel(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

std::string update_shard(const std::string& model, Source& rows, std::uint64_t shard, std::uint64_t seed);
// Needs: the shards of b come right after those of a, and a's are a whole branch of the tree. Throws ModelError if not.
std::string merge_shards(const std::string& a, const std::string& b);
std::string finish_shards(const std::string& state, std::uint64_t shards);
bool shards_done(std::string_view model);

// Which shards a state is of.
struct ShardRange {
  std::uint64_t first = 0, end = 0;
  [[nodiscard]] std::string text() const;  // "shard 3", "shards 0 to 7"
};
ShardRange shards_of(std::string_view state);           // throws ModelError
std::string read_shard_state(const std::string& path);  // bytes of a file; throws ModelError if it is no state

// Merges states that come in any order, as soon as they can be, and holds only those that cannot.
class ShardTree {
 public:
  explicit ShardTree(std::uint64_t shards) : shards_(shards) {}
  void add(std::string state);           // throws ModelError for a shard that is there already
  [[nodiscard]] std::string state() &&;  // of all shards; throws ModelError that names those that are missing
  [[nodiscard]] std::vector<std::string> states() &&;  // what there is, in order

 private:
  std::uint64_t shards_;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::string>> states_;  // first -> end, bytes
};

// All of it in this process, on so many threads (0: as many as there are CPUs). rows(k) opens shard k.
Model train_in_shards(const ShardPlan& plan, std::uint64_t shards, std::uint64_t seed, unsigned threads,
                      const std::function<std::unique_ptr<Source>(std::uint64_t shard, const ReadOptions& read)>& rows,
                      const std::function<void(const std::string& stage, std::uint64_t done)>& progress = {},
                      const std::function<void(const Text&)>& note = {});

}  // namespace postil
