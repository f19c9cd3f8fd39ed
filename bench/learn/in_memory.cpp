// One pass of a learner over rows that are in memory: prints the seconds of each of several fresh runs, and the rows.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "postil/postil.hpp"

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "bench_learn FILE RUNS LEARNER [KEY=VALUE]...\n");
    return 2;
  }
  using namespace postil;
  const int runs = std::atoi(argv[2]);
  Recipe recipe;
  recipe.learner = argv[3];
  const std::vector<std::string> settings(argv + 4, argv + argc);
  recipe.settings = parse_settings(settings);
  recipe.scale = Scale::none;
  Reader reader(argv[1], {});
  Survey survey(reader.table(), Scale::none, {});
  std::vector<Block> blocks;
  for (Block block; reader.next(block); block = Block()) {
    survey.add(block);
    blocks.push_back(std::move(block));
  }
  const Schema schema = recipe.schema(survey, reader.table());
  Encoder encoder(schema, reader.table());
  std::size_t rows = 0;
  for (Block& block : blocks) {
    block = encoder.encode(std::move(block));
    rows += block.rows();
  }
  for (int run = 0; run < runs; ++run) {
    Model model(schema, recipe.info(), recipe.params());
    const auto start = std::chrono::steady_clock::now();
    for (const Block& block : blocks) model.learn(block, true);
    fmt::print("{}\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  fmt::print("{}\n", rows);
}
