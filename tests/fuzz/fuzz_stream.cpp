// Any text as a stream of rows, with rules that come and go, stopped and taken up again: never a crash, and what was learned
// can be saved and read at every moment.
#include <cstdio>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  if (size < 2) return 0;
  const std::uint8_t choice = data[0], stop_at = data[1];
  constexpr const char* kLearners[] = {"", "perceptron", "arow", "advised"};
  try {
    Recipe recipe;
    recipe.learner = kLearners[choice % 4];
    recipe.label.regression = choice % 4 == 0 && choice % 8 >= 4;
    recipe.memory = 1'000'000;
    if (choice % 4 == 3) recipe.rules = parse_rules("a >= 1 and b <= 2 => x\nc = red => y\n", "rules").file;
    ReadOptions read;
    read.real_labels = recipe.label.regression;
    read.chunk_bytes = 1;  // a row or few at a time
    read.most_features = recipe.most_features();
    Reader reader = Reader::from_memory({reinterpret_cast<const char*>(data) + 2, size - 2}, read);
    std::optional<Session> session;
    session.emplace(recipe, read.wishes, reader.table());
    std::optional<Session::Feed> feed;
    feed.emplace(*session, reader.table());
    std::uint64_t rows = 0;
    for (Block block; reader.next(block); block = Block()) {
      try {
        for (const Session::Answer& answer : session->take(feed->adopt(std::move(block))))
          for (const double score : answer.scores) fuzz::require(std::isfinite(score));
      } catch (const DataError&) {  // of this row
      }
      if (session->model() == nullptr) continue;
      fuzz::require(session->model()->finite());
      if (rows++ % 16 != stop_at % 16) continue;
      const std::string saved = session->to_bytes();
      session.emplace(Session::from_bytes(saved, "saved"));
      fuzz::require(session->to_bytes() == saved);
      feed.emplace(*session, reader.table());
    }
  } catch (const ModelError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::abort();  // what was saved must be read
  } catch (const Error&) {
  }
  return 0;
}
