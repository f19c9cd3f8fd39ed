// postil ask: which rows to label next.
#include <fmt/format.h>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

struct AskFlags {
  std::string model, data, out = "-";
  AskOptions options;
  bool json = false;
  DataFlags reading;
};

std::string ask_csv(const Model& model, const Asked& asked) {
  std::string text = "row,line,label,probability,random,why\n";
  for (const AskedRow& row : asked.rows)
    text += fmt::format("{},{},{},{},{},{}\n", row.row + 1, row.line == 0 ? "" : std::to_string(row.line),
                        row.label ? csv_cell(model.label_text(*row.label)) : "",
                        row.probability ? format_number(*row.probability) : "",
                        row.reason == AskReason::random ? "yes" : "no", csv_cell(row.why));
  return text;
}

void run_ask(const AskFlags& flags) {
  const Model model = Model::load(flags.model);
  ReadOptions read = flags.reading.read_options();
  read.schema = &model.schema();
  read.real_labels = model.schema().label.real();
  read.label_needed = false;
  Reader pool(flags.data, read);
  Meter meter;
  AskOptions options = flags.options;
  options.progress = [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
    meter.update("looking", rows, done, total);
  };
  const Asked asked = ask(model, pool, options);
  meter.clear();
  if (asked.rows.empty())
    throw DataError({flags.data == "-" ? "standard input" : flags.data, 0, 0},
                    asked.seen == 0 ? "there are no rows"
                                    : fmt::format("all {} rows have a label; --all asks about them too", asked.seen));
  if (const std::string said = ask_notes(asked, options.count); !said.empty()) note(said);
  OutputFile out(flags.out);
  out.write(flags.json ? ask_json(model, asked) : ask_csv(model, asked));
  out.commit();
}

}  // namespace

void add_ask(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("ask", "Choose the rows to label next: those whose labels would tell most");
  auto flags = std::make_shared<AskFlags>();
  verb->add_option("MODEL", flags->model, "A model file, also one made from rules alone")->required();
  verb->add_option(
          "POOL", flags->data,
          "Rows with the model's columns, in any order. Those that have a label are passed over; - for standard "
          "input")
      ->required();
  verb->add_option("-n,--count", flags->options.count, "How many rows to choose")
      ->check(whole_number())
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000}))
      ->capture_default_str();
  verb->add_option("--random", flags->options.random,
                   "Share of rows chosen at random. Without them error rates and the record of the rules are biased")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  verb->add_flag("--all", flags->options.labelled, "Ask about rows that have a label, too");
  verb->add_option("--seed", flags->options.seed, "Seed of what is chosen at random")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("-o,--output", flags->out, "File to write. Default: standard output");
  verb->add_flag("--json", flags->json, "Print one JSON document");
  flags->reading.add_to(*verb, false);
  verb->footer(
      "Prints CSV: the row's number from 1, its line in the file, the predicted label and its probability, whether it "
      "was chosen at random, and why in words. The first row is the one to label first.\n"
      "Example:  postil ask model.postil unlabelled.csv -n 20");
  verb->callback([=] { run_ask(*flags); });
}

}  // namespace postil::cli
