// shard_tree.cpp: states of shards, merged as they come; and all rounds in one process.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "core/parallel.hpp"
#include "postil/shards.hpp"

namespace postil {
namespace {

[[noreturn]] void fail_states(std::string message) { throw ModelError({"the states", 0, 0}, std::move(message)); }

}  // namespace

void ShardTree::add(std::string state) {
  ShardRange shards = shards_of(state);
  const auto after = states_.lower_bound(shards.end);
  const auto overlaps = [&](const auto& entry) {
    return entry.first < shards.end && entry.second.first > shards.first;
  };
  for (auto it = states_.begin(); it != after; ++it)
    if (overlaps(*it)) fail_states(fmt::format("{} is there twice", shards.text()));
  // Whether [first, middle) and [middle, end) are the two halves of a branch, or of what there is of it.
  const auto halves = [&](std::uint64_t first, std::uint64_t middle, std::uint64_t end) {
    const std::uint64_t size = middle - first;
    return (size & (size - 1)) == 0 && first % (2 * size) == 0 && end == std::min(first + 2 * size, shards_);
  };
  for (bool merged = true; merged;) {
    merged = false;
    if (const auto next = states_.find(shards.end);
        next != states_.end() && halves(shards.first, shards.end, next->second.first)) {
      state = merge_shards(state, next->second.second);
      shards.end = next->second.first;
      states_.erase(next);
      merged = true;
    }
    const auto at = states_.lower_bound(shards.first);
    if (at == states_.begin()) continue;
    const auto before = std::prev(at);
    if (before->second.first != shards.first || !halves(before->first, shards.first, shards.end)) continue;
    state = merge_shards(before->second.second, state);
    shards.first = before->first;
    states_.erase(before);
    merged = true;
  }
  states_[shards.first] = {shards.end, std::move(state)};
}

std::vector<std::string> ShardTree::states() && {
  std::vector<std::string> out;
  for (auto& [first, entry] : states_) out.push_back(std::move(entry.second));
  return out;
}

std::string ShardTree::state() && {
  std::uint64_t next = 0;
  for (const auto& [first, entry] : states_) {
    if (first != next) break;
    next = entry.first;
  }
  if (next != shards_) fail_states(fmt::format("{} is missing", ShardRange{next, next + 1}.text()));
  return std::move(states_.begin()->second.second);
}

Model train_in_shards(const ShardPlan& plan, std::uint64_t shards, std::uint64_t seed, unsigned threads,
                      const std::function<std::unique_ptr<Source>(std::uint64_t shard, const ReadOptions& read)>& rows,
                      const std::function<void(const std::string& stage, std::uint64_t done)>& progress,
                      const std::function<void(const Text&)>& note) {
  ShardModel model = ShardModel::from_bytes(begin_shards(plan), "the plan");
  bool first_round = true;
  while (!model.done()) {
    ShardTree tree(shards);
    std::mutex busy;
    std::uint64_t done = 0;
    const auto tell = [&](const Text& text) {
      const std::lock_guard lock(busy);
      if (note) note(text);
    };
    in_parallel(
        shards,
        [&](std::size_t k) {
          const ReadOptions read = model.reading();
          const std::unique_ptr<Source> source = rows(k, read);
          std::string state = model.update(*source, k, seed,
                                           first_round && model.learning() ? tell : std::function<void(const Text&)>());
          const std::lock_guard lock(busy);
          tree.add(std::move(state));
          ++done;
          if (progress) progress(model.stage(), done);
        },
        threads);
    if (model.learning()) first_round = false;
    model = ShardModel::from_bytes(finish_shards(std::move(tree).state(), shards), "the model");
  }
  return std::move(model).release();
}

}  // namespace postil
