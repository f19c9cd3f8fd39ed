// No bytes may crash what merges and finishes states of shards; a model made of them is finite and can be read.
#include <sstream>

#include "fuzz.hpp"

namespace {

using namespace postil;

constexpr const char* kLearners[] = {"advised", "arow", "pa", "kbsvm"};

// Two shards, the plan of the round of learning, and the states of that round.
struct Round {
  std::string survey[2], plan, learned[2];
};

std::string rows_of(std::uint64_t shard) {
  std::ostringstream csv;
  csv << "a,b,label\n";
  Random random(shard);
  for (int i = 0; i < 20; ++i) {
    const double a = random.normal();
    csv << a << ',' << "xyz"[random.below(3)] << ',' << (a > 0 ? "yes" : "no") << '\n';
  }
  return csv.str();
}

std::string state_of(const std::string& plan, std::uint64_t shard) {
  const ShardModel model = ShardModel::from_bytes(plan, "plan");
  Reader rows = Reader::from_memory(rows_of(shard), model.reading());
  return model.update(rows, shard, 0);
}

const Round& round_of(std::size_t learner) {
  static std::vector<Round> known = [] {
    std::vector<Round> out;
    for (const char* name : kLearners) {
      ShardPlan plan;
      plan.recipe.learner = name;
      if (out.empty()) plan.recipe.rules = parse_rules("r: a >= 1 and b = x => yes\n", "rules").file;
      Round round;
      const std::string begun = begin_shards(plan);
      for (std::uint64_t k : {0, 1}) round.survey[k] = state_of(begun, k);
      round.plan = finish_shards(merge_shards(round.survey[0], round.survey[1]), 2);
      for (std::uint64_t k : {0, 1}) round.learned[k] = state_of(round.plan, k);
      out.push_back(std::move(round));
    }
    return out;
  }();
  return known[learner];
}

template <class F>
void attempt(const F& f) {
  try {
    f();
  } catch (const Error&) {
  }
}

void finished(const std::string& bytes) {
  const ShardModel model = ShardModel::from_bytes(bytes, "finished");  // what was written must be read
  attempt([&] {
    if (!model.done()) (void)state_of(bytes, 1);
  });
}

void try_state(const std::string& bytes, const Round& round) {
  attempt([&] { (void)shards_of(bytes); });
  for (const std::string& own : {round.survey[0], round.learned[0]})
    attempt([&] { finished(finish_shards(merge_shards(own, bytes), 2)); });
  for (const std::string& other : {round.survey[1], round.learned[1]})
    attempt([&] { finished(finish_shards(merge_shards(bytes, other), 2)); });
  attempt([&] { finished(finish_shards(bytes, 2)); });
}

void try_plan(const std::string& bytes) {
  attempt([&] { (void)state_of(bytes, 0); });
}

}  // namespace

// The first byte chooses a learner and one of its files, the others are written over that file: places and what to put there.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Round& round = round_of(data[0] % 4);
  const std::string* files[] = {&round.survey[0], &round.survey[1], &round.learned[0], &round.learned[1], &round.plan};
  const std::size_t which = data[0] / 4 % 5;
  std::string bytes = *files[which];
  for (std::size_t k = 1; k + 3 < size; k += 4) {
    const std::size_t place = (data[k] + 256U * data[k + 1]) % bytes.size(), count = data[k + 2] % 16;
    for (std::size_t i = 0; i <= count && place + i < bytes.size(); ++i)
      bytes[place + i] = static_cast<char>(data[k + 3]);
  }
  for (const std::string& changed : {bytes, fuzz::with_checksum(bytes)})
    which == 4 ? try_plan(changed) : try_state(changed, round);
  return 0;
}
