// postil rules suggest: short rules that labelled rows support.
#include <fmt/format.h>

#include "postil/text.hpp"
#include "rules.hpp"

namespace postil::cli {
namespace {

struct SuggestFlags {
  std::string data, out = "-";
  SuggestOptions options;
  bool json = false;
  RecipeFlags recipe;
  DataFlags reading;
};

void run_suggest(const SuggestFlags& flags) {
  if (!can_read_again(flags.data)) throw ParamError("DATA is read twice; it must be a file");
  const Recipe recipe = flags.recipe.recipe();
  ReadOptions read = recipe.reading(flags.reading.read_options());
  for (const Text& said : look_first(flags.data, read, recipe)) note(said);
  Meter meter;
  const auto reading = [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
    meter.update("reading", rows, done, total);
  };
  const RuleFile rules = recipe.rules.value_or(RuleFile{});
  Reader reader(flags.data, read);
  const Schema schema = survey_source(reader, read.wishes, recipe, rules, reading);
  read.schema = &schema;
  read.real_labels = schema.label.real();
  const DataSet data(flags.data, read, reading);
  const Advice advice = compile_rules(rules, schema);
  SuggestOptions options = flags.options;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { meter.update("searching", 0, done, total); };
  const Suggestions found = suggest_rules(advice, schema, data, recipe, options);
  meter.clear();
  OutputFile out(flags.out);
  out.write(flags.json ? suggestions_json(found, schema) : suggestions_text(found));
  out.commit();
}

}  // namespace

void add_suggest(CLI::App& rules) {
  CLI::App* verb = rules.add_subcommand(
      "suggest", "Short rules that labelled rows support and that the rules at hand do not already say");
  auto flags = std::make_shared<SuggestFlags>();
  verb->add_option("DATA", flags->data, kDataHelp)->required();
  verb->add_option("-n,--count", flags->options.rules, "At most so many rules")
      ->check(whole_number())
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}))
      ->capture_default_str();
  verb->add_option("--conditions", flags->options.conditions, "Conditions of a rule, at most")
      ->check(whole_number())
      ->check(CLI::Range(std::size_t{1}, std::size_t{5}))
      ->capture_default_str();
  verb->add_option("--seed", flags->options.seed, "Seed of which rows the search does not see")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("-o,--output", flags->out, "File to write. Default: standard output");
  verb->add_flag("--json", flags->json, "Print one JSON document");
  flags->recipe.add_to(*verb);
  flags->reading.add_to(*verb, true);
  verb->footer(
      "Rules are searched for in two thirds of the rows; what is told of them is counted on the other third, which the "
      "search has not seen. Rules that this third does not confirm are left out. The output is a file of rules.\n"
      "Example:  postil rules suggest points.csv --advice advice.rules");
  verb->callback([=] { run_suggest(*flags); });
}

}  // namespace postil::cli
