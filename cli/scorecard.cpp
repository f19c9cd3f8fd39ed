// postil scorecard: a model as points that people add up.
#include "common.hpp"

namespace postil::cli {

void add_scorecard(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "scorecard", "Turn a model of two classes into a score card: whole points per condition, and what a total means");
  struct Flags {
    std::string model, data, test, out = "-";
    ScorecardOptions options;
    bool json = false, csv = false;
    DataFlags reading;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "A model file made by train")->required();
  verb->add_option("--data", flags->data, "Labelled rows, from which ranges, points and probabilities are taken")
      ->required();
  verb->add_option("--test", flags->test,
                   "Labelled rows to test the card on. Default: a third of --data, which then does not make the card");
  verb->add_option("--items", flags->options.items, "Columns and rules at most; those that matter most")
      ->check(whole_number() & CLI::Range(1, 1000))
      ->capture_default_str();
  verb->add_option("--bins", flags->options.bins, "Ranges of a column of numbers at most")
      ->check(whole_number() & CLI::Range(2, 20))
      ->capture_default_str();
  verb->add_option("--seed", flags->options.seed, "Seed of the choice of the third that tests")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("-o,--output", flags->out, "File to write. Default: standard output");
  verb->add_flag("--csv", flags->csv, "Write CSV");
  verb->add_flag("--json", flags->json, "Print one JSON document");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil scorecard points.postil --data points.csv");
  verb->callback([=] {
    if (flags->json && flags->csv) throw ParamError("--json and --csv: choose one");
    const Model model = Model::load(flags->model);
    ReadOptions read = flags->reading.read_options();
    read.schema = &model.schema();
    Meter meter;
    const auto progress = [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
      meter.update("reading", rows, done, total);
    };
    const DataSet data(flags->data, read, progress);
    std::optional<DataSet> test;
    if (!flags->test.empty()) test.emplace(flags->test, read, progress);
    meter.clear();
    const Scorecard card = make_scorecard(model, data, test ? &*test : nullptr, flags->options);
    OutputFile out(flags->out);
    out.write(flags->json ? scorecard_json(card) : flags->csv ? scorecard_csv(card) : scorecard_text(card));
    out.commit();
  });
}

}  // namespace postil::cli
