// postil report: a page on a model for those who have to approve it.
#include <fmt/format.h>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

struct ReportFlags {
  std::string model, data, out = "-";
  bool no_label = false;
  PageOptions page;
  DataFlags reading;
};

// The file, with its labels if it has any.
Reader open_rows(const ReportFlags& flags, const ReadOptions& read) {
  if (!flags.no_label) {
    try {
      return {flags.data, read};
    } catch (const DataError& error) {
      const bool label = error.code() == Code::missing_column &&
                         error.failure().subject.name == shown(read.label.value_or(read.schema->label.name));
      if (!label || !can_read_again(flags.data)) throw;
      note(fmt::format("{} has no label column {}; the report is without measures of quality", flags.data,
                       in_quotes(error.failure().subject.name)));
    }
  }
  ReadOptions bare = read;
  bare.use_label = false;
  return {flags.data, bare};
}

// Words that make the same page again.
std::string command_of(const CLI::App& verb) {
  std::string out = "postil " + verb.get_name();
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = option->get_lnames().empty() ? "" : " --" + option->get_lnames()[0];
    if (option->count() > 0 && option->get_expected_max() == 0) {
      out += name;
      continue;
    }
    for (const std::string& given : option->results()) out += name + " " + shell_word(given);
  }
  return out;
}

void run_report(const CLI::App& verb, ReportFlags& flags) {
  const Model model = Model::load(flags.model);
  ReadOptions read = flags.reading.read_options();
  read.schema = &model.schema();
  read.real_labels = model.schema().label.real();
  read.keep = flags.page.by;
  flags.page.model = flags.model;
  flags.page.data = flags.data == "-" ? "standard input" : flags.data;
  flags.page.origin = {
      {"Program", fmt::format("Postil {}", POSTIL_VERSION)},
      {"Command", command_of(verb)},
      {"SHA-256 of the model file",
       flags.model != "-" && can_read_again(flags.model) ? sha256_of_file(flags.model) : "not known: no regular file"},
      {"SHA-256 of the data file",
       flags.data != "-" && can_read_again(flags.data) ? sha256_of_file(flags.data) : "not known: no regular file"}};
  Reader reader = open_rows(flags, read);
  ModelPage page(model, reader.table(), flags.page);
  Meter meter;
  for (Block block; reader.next(block); block = Block()) {
    page.add(std::move(block));
    meter.update("scoring", page.rows(), reader.bytes_read(), reader.bytes_total());
  }
  meter.clear();
  for (const std::string& sentence : describe(page.surprises(), model.schema())) note(sentence);
  if (page.rows() == 0) throw DataError({flags.page.data, 0, 0}, "there are no rows");
  OutputFile out(flags.out);
  out.write(page.html());
  out.commit();
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("report", "Write a report on a model and a data file, as one HTML page for reviewers");
  auto flags = std::make_shared<ReportFlags>();
  verb->add_option("MODEL", flags->model, "A model file made by train")->required();
  verb->add_option("--data", flags->data,
                   "Rows to test the model on, best with labels and never used in training; - for standard input")
      ->required();
  verb->add_option("-o,--output", flags->out, "File to write. Default: standard output");
  verb->add_option(
          "--by", flags->page.by,
          "Evaluate also each group of rows with the same value in these columns of the data, for example sex,site")
      ->delimiter(',')
      ->type_name("COLUMN,...");
  verb->add_option("--title", flags->page.title, "Title of the page");
  verb->add_option("--purpose", flags->page.purpose, "Intended use of the model, as you state it; shown in the page");
  verb->add_option("--trained", flags->page.trained,
                   "When and on what the model was trained, as you state it; shown in the page");
  verb->add_option(
          "--examples", flags->page.examples,
          "Rows to show of each sort (right, wrong, unsure); 0: none, so that the page contains no row of the data")
      ->check(CLI::Range(0, 100))
      ->capture_default_str();
  verb->add_flag("--unlabelled", flags->no_label, "The data have no labels, or they must not be used");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil report points.postil --data points.csv -o report.html");
  verb->callback([=] { run_report(*verb, *flags); });
}

}  // namespace postil::cli
