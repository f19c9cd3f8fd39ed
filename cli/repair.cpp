// postil rules repair: what labelled rows say rules should have been.
#include <fmt/format.h>

#include <charconv>

#include "postil/text.hpp"
#include "rules.hpp"

namespace postil::cli {
namespace {

// 1,3 or all.
std::vector<RuleEdit> accepted(const std::string& text, const RepairReport& report) {
  std::vector<RuleEdit> out;
  const std::size_t count = report.repairs.size();
  if (text == "all")
    for (const RuleRepair& repair : report.repairs) out.push_back(repair.edit);
  else
    for (const std::string& item : split(text, ',')) {
      std::size_t number = 0;
      const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), number);
      if (error != std::errc() || end != item.data() + item.size() || number == 0 || number > count)
        throw ParamError(count == 0 ? fmt::format("--apply {}: there is nothing to repair", in_quotes(text))
                                    : fmt::format("--apply {}: expected numbers of repairs from 1 to {}, as in 1,2; or "
                                                  "all",
                                                  in_quotes(text), count));
      out.push_back(report.repairs[number - 1].edit);
    }
  return out;
}

void run_repair(const RulesFlags& flags) {
  Meter meter;
  const LoadedRules loaded = load_rules_for(flags, meter);
  ReadOptions read = loaded.read;
  read.schema = &loaded.schema;
  const DataSet data(flags.data, read, [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
    meter.update("reading", rows, done, total);
  });
  RepairOptions options;
  options.seed = flags.seed;
  options.progress = [&](std::uint64_t done, std::uint64_t total) { meter.update("weighing", 0, done, total); };
  const RepairReport report = suggest_repairs(loaded.file, loaded.advice, loaded.schema, data, options);
  meter.clear();
  if (!flags.apply.empty()) {
    OutputFile out(flags.out);
    out.write(print_rules(with_edits(loaded.file, accepted(flags.apply, report))));
    out.commit();
    return;
  }
  const std::string accept =
      fmt::format("To accept some of these: postil rules repair {} --data {} --apply 1{} -o NEW.rules",
                  shell_word(flags.rules), shell_word(flags.data), report.repairs.size() > 1 ? ",2" : "");
  print(flags.json ? repair_json(report, loaded.advice) : repair_text(report, loaded.advice, accept));
}

}  // namespace

void add_repair(CLI::App& rules) {
  CLI::App* verb = rules.add_subcommand(
      "repair", "What labelled rows say the rules should have been: other numbers, conditions to drop or to add");
  auto flags = std::make_shared<RulesFlags>();
  add_rules_and_data(*verb, *flags, true);
  CLI::Option* apply = verb->add_option("--apply", flags->apply,
                                        "Numbers of repairs to accept, as in 1,3, or all: writes the new rules");
  verb->add_option("-o,--output", flags->out, "File for the new rules. Default: standard output")->needs(apply);
  verb->add_option("--seed", flags->seed, "Seed of the permutations")->check(whole_number())->capture_default_str();
  verb->footer(
      "Nothing is proposed that chance explains: on labels that have nothing to do with the columns, fewer than one "
      "set "
      "of rules in twenty gets a proposal.\n"
      "Example:  postil rules repair advice.rules --data points.csv\n"
      "          postil rules repair advice.rules --data points.csv --apply 1 -o new.rules");
  verb->callback([=] { run_repair(*flags); });
}

}  // namespace postil::cli
