// postil shard, mix, finish: learning from rows in several places, for schedulers that run commands (docs/shards.md).
#include <fmt/format.h>

#include <charconv>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

void save(const std::string& bytes, const std::string& path) {
  OutputFile out(path);
  out.write(bytes);
  out.commit();
}

std::uint64_t number(std::string_view text, const std::string& whole) {
  std::uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size())
    throw ParamError(fmt::format("--shard is {}, expected K, or K/N of a file in N parts, with K from 0 to N - 1",
                                 in_quotes(whole)));
  return out;
}

// ---- shard ----

struct ShardFlags {
  std::string data, model, shard, output;
  std::uint64_t seed = 0, rounds = 0;
  RecipeFlags recipe;
  DataFlags reading;
};

void run_shard(const ShardFlags& flags) {
  const std::size_t slash = flags.shard.find('/');
  const std::uint64_t shard = number(flags.shard.substr(0, slash), flags.shard);
  FilePart part;
  if (slash != std::string::npos) {
    part = {shard, number(flags.shard.substr(slash + 1), flags.shard)};
    if (part.number >= part.of)
      throw ParamError(fmt::format("--shard is {}; the shards of {} are numbered from 0 to {}", flags.shard, part.of,
                                   part.of == 0 ? 0 : part.of - 1));
  }
  if (!flags.model.empty() &&
      (flags.recipe.given() || flags.recipe.rules() || flags.reading.shape_schema() || flags.rounds > 0))
    throw ParamError(
        "--model says how to learn; options of the learner, the rules and the columns belong to the first round");
  const ShardModel model =
      flags.model.empty()
          ? ShardModel::from_bytes(begin_shards({flags.recipe.recipe(), flags.reading.read_options(), flags.rounds}),
                                   "the plan")
          : ShardModel::load(flags.model);
  ReadOptions read = model.reading();
  read.part = part;
  read.threads = flags.reading.read_options().threads;
  Reader rows(flags.data, read);
  save(model.update(rows, shard, flags.seed, [](const Text& text) { note(text); }), flags.output);
}

// ---- mix ----

struct MixFlags {
  std::vector<std::string> states;
  std::string output;
};

void run_mix(const MixFlags& flags) {
  std::uint64_t end = 0;
  std::vector<std::string> states;
  for (const std::string& path : flags.states) {
    states.push_back(read_shard_state(path));
    end = std::max(end, shards_of(states.back()).end);
  }
  ShardTree tree(end);
  for (std::string& state : states) tree.add(std::move(state));
  const std::vector<std::string> mixed = std::move(tree).states();
  if (mixed.size() > 1) {
    std::vector<std::string> ranges;
    for (const std::string& state : mixed) ranges.push_back(shards_of(state).text());
    throw DataError({flags.states[0], 0, 0},
                    fmt::format("these are {}, which do not make one branch of the tree; `mix` merges shards 2i and "
                                "2i + 1, then these pairs, and so on",
                                joined(ranges, " and ")));
  }
  save(mixed[0], flags.output);
}

// ---- finish ----

struct FinishFlags {
  std::string state, output;
  std::uint64_t shards = 0;
  bool json = false;
};

void run_finish(const FinishFlags& flags) {
  const std::string bytes = finish_shards(read_shard_state(flags.state), flags.shards);
  const ShardModel model = ShardModel::from_bytes(bytes, flags.output);
  save(bytes, flags.output);
  const std::string next = model.done() ? "done" : model.stage();
  if (flags.json)
    print_json({{"model", flags.output}, {"done", model.done()}, {"next", model.done() ? Json() : Json(next)}});
  else
    print(model.done() ? "done\n" : "next: " + next + "\n");
}

}  // namespace

void add_shard(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("shard", "Learn from a part of the rows: one step of learning on many machines");
  auto flags = std::make_shared<ShardFlags>();
  verb->add_option("DATA", flags->data, "The rows of the shard, or with --shard K/N a file of which they are a part")
      ->required();
  verb->add_option("--shard", flags->shard,
                   "K: number of this shard, from 0. K/N: DATA is divided into N shards, and this is the part with "
                   "number K")
      ->required();
  verb->add_option("--model", flags->model, "What `finish` made of the round before. The first round has none");
  verb->add_option("-o,--output", flags->output, "File to write: the state of the shard")
      ->required()
      ->check(not_empty());
  verb->add_option("--rounds", flags->rounds, "Number of rounds of learning. Default: the learner's")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000}));
  verb->add_option("--seed", flags->seed, "Seed of the shuffling")->check(whole_number())->capture_default_str();
  flags->recipe.add_to(*verb);
  flags->reading.add_to(*verb, true, true);
  verb->footer(
      "Example, two shards in one process after the other:\n"
      "  postil shard patients.csv --shard 0/2 -o 0.state && postil shard patients.csv --shard 1/2 -o 1.state\n"
      "  postil mix 0.state 1.state -o all.state && postil finish all.state --shards 2 -o plan     (the survey)\n"
      "  postil shard patients.csv --shard 0/2 --model plan -o 0.state && ...                      (a round of "
      "learning)");
  verb->callback([=] { run_shard(*flags); });
}

void add_mix(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("mix", "Merge states of shards");
  auto flags = std::make_shared<MixFlags>();
  verb->add_option("STATE", flags->states, "States that `shard` or `mix` wrote, in any order")->required();
  verb->add_option("-o,--output", flags->output, "File to write: the state of all of them")
      ->required()
      ->check(not_empty());
  verb->footer(
      "States are merged in a binary tree: shards 0 and 1, 2 and 3, then these pairs, and so on. A `mix` of some of\n"
      "them must be a whole branch.\n"
      "Example:  postil mix 0.state 1.state 2.state 3.state -o all.state");
  verb->callback([=] { run_mix(*flags); });
}

void add_finish(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("finish", "End a round of learning from shards");
  auto flags = std::make_shared<FinishFlags>();
  verb->add_option("STATE", flags->state, "The state of all shards, from `mix`")->required();
  verb->add_option("--shards", flags->shards, "Number of shards")
      ->required()
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
  verb->add_option("-o,--output", flags->output, "File to write: what the next round begins with, or the model")
      ->required()
      ->check(not_empty());
  verb->add_flag("--json", flags->json, "Print one JSON document");
  verb->footer(
      "Prints `done` when the file is the model, else the next round.\n"
      "Example:  postil finish all.state --shards 4 -o plan");
  verb->callback([=] { run_finish(*flags); });
}

}  // namespace postil::cli
