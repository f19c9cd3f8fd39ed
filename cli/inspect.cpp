// postil inspect: what a data file holds, before anything is learned from it.
#include "common.hpp"

namespace postil::cli {
namespace {

struct InspectFlags {
  std::string data;
  std::uint64_t rows = kInspectedRows;
  bool json = false;
  DataFlags reading;
};

void run_inspect(const InspectFlags& flags) {
  const Inspection inspection = inspect(flags.data, flags.reading.read_options(), flags.rows);
  print(flags.json ? inspection_json(inspection, command_words) + "\n" : inspection_text(inspection, command_words));
}

}  // namespace

void add_inspect(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "inspect", "Show how a data file is read: label, columns, missing values, and what looks wrong");
  auto flags = std::make_shared<InspectFlags>();
  verb->add_option("DATA", flags->data, kDataHelp)->required();
  verb->add_option("--rows", flags->rows, "Look only at the first N rows")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}))
      ->capture_default_str();
  verb->add_flag("--json", flags->json, "Print one JSON document");
  flags->reading.add_to(*verb, true);
  verb->footer(
      "`train`, `cv`, `curve` and `tune` look at the first 5,000 rows of a file in the same way, say what is odd, and "
      "leave out\n"
      "columns that only tell rows apart.\n"
      "Example:  postil inspect points.csv");
  verb->callback([=] { run_inspect(*flags); });
}

}  // namespace postil::cli
