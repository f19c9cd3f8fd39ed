// postil predict, postil evaluate, postil convert: running data through.
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "common.hpp"
#include "core/text.hpp"

namespace postil::cli {
namespace {

struct PredictFlags {
  std::string model, data, out = "-";
  bool scores = false, json = false;
  DataFlags reading;
};

void predict_json(const Model& model, const PredictFlags& flags) {
  Json labels = Json::array(), scores = Json::array(), novelties = Json::array();
  std::vector<double> novelty(model.outputs());
  const auto put = [](Json& list, std::span<const double> numbers) {
    if (numbers.size() == 1)
      list.push_back(numbers[0]);
    else
      list.push_back(std::vector<double>(numbers.begin(), numbers.end()));
  };
  for_each_scored(model, flags.data, flags.reading.read_options(), false, [&](const ScoredRow& row) {
    labels.push_back(label_json(model, row.predicted));
    put(scores, row.scores);
    if (model.novelty(row.row, novelty)) put(novelties, novelty);
  });
  Json json{{"labels", std::move(labels)}, {"scores", std::move(scores)}};
  if (!novelties.empty()) json["novelty"] = std::move(novelties);
  OutputFile out(flags.out);
  out.write(json.dump() + "\n");
  out.commit();
}

void predict_csv(const Model& model, const PredictFlags& flags) {
  const std::vector<std::string>& classes = model.schema().label.classes;
  std::vector<std::string> cells;
  cells.reserve(classes.size());
  for (const std::string& name : classes) cells.push_back(csv_cell(name));
  OutputFile out(flags.out);
  std::string line = "label";
  std::vector<double> novelty(model.outputs());
  const bool novel = flags.scores && model.novelty({}, novelty);  // whether the model has an ellipsoid at all
  const auto head = [&](const std::string& what) {
    if (model.outputs() == 1) line += "," + what;
    for (const std::string& name : classes)
      if (model.outputs() > 1) line += "," + csv_cell(fmt::format("{}_{}", what, name));
  };
  if (flags.scores) head("score");
  if (novel) head("novelty");
  out.write(line + "\n");
  for_each_scored(model, flags.data, flags.reading.read_options(), false, [&](const ScoredRow& row) {
    line = cells.empty() ? fmt::format("{}", row.predicted) : cells[static_cast<std::size_t>(row.predicted)];
    if (flags.scores)
      for (const double score : row.scores) fmt::format_to(std::back_inserter(line), ",{}", score);
    if (novel && model.novelty(row.row, novelty))
      for (const double value : novelty) fmt::format_to(std::back_inserter(line), ",{}", value);
    line += '\n';
    out.write(line);
  });
  out.commit();
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

// Calls add(row) for each row with a label.
template <class Add>
void for_each_labelled(const Model& model, const std::string& data, const ReadOptions& read, const Add& add) {
  std::uint64_t labelled = 0, unlabelled = 0;
  for_each_scored(model, data, read, true, [&](const ScoredRow& row) {
    ++(std::isnan(row.label) ? unlabelled : labelled);
    if (!std::isnan(row.label)) add(row);
  });
  if (unlabelled > 0) note(fmt::format("{} row{} without a label left out", unlabelled, unlabelled == 1 ? "" : "s"));
  if (labelled == 0) throw DataError({data, 0, 0}, "there is no labelled row");
}

void evaluate_numbers(const Model& model, const std::string& data, const ReadOptions& read, bool json) {
  RegressionEvaluation evaluation;
  for_each_labelled(model, data, read, [&](const ScoredRow& row) { evaluation.add(row.label, row.predicted); });
  const std::optional<double> r2 = evaluation.r2();
  if (json)
    print_json({{"examples", evaluation.examples()},
                {"mae", evaluation.mae()},
                {"rmse", evaluation.rmse()},
                {"r2", optional_json(r2)}});
  else
    print(fmt::format("{} examples\nmean |error| {:.6g}, root mean squared error {:.6g}, R2 {}\n",
                      evaluation.examples(), evaluation.mae(), evaluation.rmse(),
                      r2 ? fmt::format("{:.4f}", *r2) : "none (one value only)"));
}

void evaluate_classes(const Model& model, const std::string& data, const ReadOptions& read, bool json) {
  const Label& label = model.schema().label;
  Evaluation evaluation(label.classes.size(), label.positive);
  for_each_labelled(model, data, read, [&](const ScoredRow& row) {
    evaluation.add(static_cast<std::uint32_t>(row.label), static_cast<std::uint32_t>(row.predicted), row.scores);
  });
  const std::optional<double> auc = evaluation.auc();
  if (json) {
    print_json({{"examples", evaluation.examples()},
                {"accuracy", evaluation.accuracy()},
                {"error", 1 - evaluation.accuracy()},
                {"balanced_error", evaluation.balanced_error()},
                {"f1", evaluation.f1()},
                {"auc", optional_json(auc)},
                {"log_loss", evaluation.log_loss()},
                {"confusion", {{"classes", label.classes}, {"counts", evaluation.confusion()}}}});
    return;
  }
  std::string text =
      fmt::format("Accuracy = {:.4g}% ({}/{})\nbalanced error {:.4f}, F1 {:.4f}, AUC {}, log loss {:.4f}\n",
                  100 * evaluation.accuracy(), evaluation.correct(), evaluation.examples(), evaluation.balanced_error(),
                  evaluation.f1(), auc ? fmt::format("{:.4f}", *auc) : "none (one class only)", evaluation.log_loss());
  text += "truth \\ predicted\n";
  std::size_t wide = 10;
  for (const std::string& name : label.classes) wide = std::max(wide, name.size() + 1);
  text += fmt::format("  {:<{}}", "", wide);
  for (const std::string& name : label.classes) text += fmt::format("{:>{}}", name, wide);
  for (std::size_t c = 0; c < label.classes.size(); ++c) {
    text += fmt::format("\n  {:<{}}", label.classes[c], wide);
    for (const std::uint64_t count : evaluation.confusion()[c]) text += fmt::format("{:>{}}", count, wide);
  }
  print(text + "\n");
}

struct ConvertFlags {
  std::string in, out, to;
  bool json = false;
  DataFlags reading;
};

// A model file among the formats that know it. Nothing was read if the file is none.
bool convert_model(const ConvertFlags& flags) {
  if (flags.in == "-" || !can_read_again(flags.in)) return false;
  std::ifstream file(flags.in, std::ios::binary);
  std::string text(16, '\0');
  file.read(text.data(), 16);
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  const ModelFormat from = model_format_of(text);
  if (from == ModelFormat::none) return false;
  if (from != ModelFormat::postil) {
    if (!flags.to.empty() && flags.to != "postil")
      throw ParamError(fmt::format("--to {}: a model of LIBSVM or LIBLINEAR becomes one of Postil", flags.to));
    text.append(std::istreambuf_iterator<char>(file), {});
    Model model = from_foreign_model(text, flags.in);
    model.save(flags.out);
    if (flags.json) print_json({{"output", flags.out}, {"model", "postil"}, {"classes", model.schema().label.classes}});
    return true;
  }
  const Model model = Model::load(flags.in);
  std::string to = flags.to;
  if (to.empty()) to = model.outputs() == 1 && model.learner_of(0).expansion() ? "libsvm" : "liblinear";
  if (to != "libsvm" && to != "liblinear")
    throw ParamError(fmt::format("--to {}: a model becomes one of libsvm or liblinear", to));
  const std::string written = to == "libsvm" ? to_libsvm(model) : to_liblinear(model);
  if (!model.schema().anonymous)
    note("columns have numbers there: 1 is " + in_quotes(model.schema().feature_name(0)) + ", and so on");
  const std::vector<std::string>&classes = model.schema().label.classes, numbers = foreign_labels(model);
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (numbers[c] != classes[c]) note(fmt::format("class {} is {} there", in_quotes(classes[c]), numbers[c]));
  OutputFile out(flags.out);
  out.write(written);
  out.commit();
  if (flags.json) print_json({{"output", flags.out}, {"model", to}, {"classes", model.schema().label.classes}});
  return true;
}

// Rows with categories as indicators and without missing values: what both formats can hold. The file is read twice,
// unless it fits into memory or cannot be read again.
void run_convert(const ConvertFlags& flags) {
  constexpr std::uint64_t kMostKept = 256'000'000;  // bytes
  const ReadOptions read = flags.reading.read_options();
  if (flags.json && is_standard_output(flags.out)) throw ParamError("--json and the data both want standard output");
  if (convert_model(flags)) return;
  const bool only_once = !can_read_again(flags.in);
  Meter meter;
  std::optional<Reader> reader(std::in_place, flags.in, read);
  Survey survey(reader->table(), Scale::none, read.wishes);
  std::vector<Block> kept;
  std::uint64_t bytes = 0;
  bool keeping = true;
  for (Block block; reader->next(block);) {
    survey.add(block);
    meter.update("surveying", 0, reader->bytes_read(), reader->bytes_total());
    bytes += block.bytes();
    keeping = keeping && (only_once || bytes <= kMostKept);
    if (!keeping) {
      kept.clear();
      continue;
    }
    kept.push_back(std::move(block));
    block = Block();
  }
  Format format = flags.to.empty() ? format_of_name(flags.out) : format_of(flags.to);
  if (format == Format::guess) format = reader->format() == Format::csv ? Format::libsvm : Format::csv;
  Schema schema = survey.finish();
  schema.label.name = reader->table().label_name;
  schema.label.classes = reader->table().labels;
  for (const Column& column : schema.columns)
    if (column.seen.missing > 0 && !read.wishes.missing.contains(column.name) && !read.wishes.missing.contains(""))
      throw DataError({reader->table().source, 0, 0},
                      fmt::format("column {} has {} missing values; --missing says what is to stand for them",
                                  in_quotes(column.name), column.seen.missing));
  if (reader->format() == Format::csv && format == Format::libsvm)
    note(fmt::format("label {} comes first on each line; the columns' names are lost", in_quotes(schema.label.name)));
  Writer writer(flags.out, format, format == Format::csv ? schema.feature_names() : std::vector<std::string>(),
                schema.label.name);
  if (!keeping) reader.emplace(flags.in, read);
  Encoder encoder(schema, reader->table());
  std::uint64_t rows = 0;
  const auto write = [&](Block raw) {
    const Block block = encoder.encode(std::move(raw));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const double label = block.labels()[i];
      writer.write(block.row(i), std::isnan(label)
                                     ? std::string_view()
                                     : std::string_view(schema.label.classes[static_cast<std::size_t>(label)]));
    }
    rows += block.rows();
    meter.update("writing", rows, reader->bytes_read(), reader->bytes_total());
  };
  for (Block& block : kept) write(std::move(block));
  if (!keeping)
    for (Block block; reader->next(block); block = Block()) write(std::move(block));
  writer.commit();
  if (flags.json)
    print_json({{"output", flags.out},
                {"rows", rows},
                {"features", schema.features},
                {"classes", ordered_classes(schema.label.classes)}});
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("predict", "Predict labels with a model, as CSV");
  auto flags = std::make_shared<PredictFlags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("DATA", flags->data,
                   "examples with the model's columns, in any order; a label column is ignored; - for standard input")
      ->required();
  verb->add_flag("--scores", flags->scores,
                 "also the scores: the positive class's, or one per class of more than two; and with esvm and "
                 "esvm-online the novelty x'Bx");
  verb->add_option("-o,--output", flags->out, "file to write; not given: standard output");
  verb->add_flag("--json", flags->json, "one JSON document");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil predict points.postil points.csv --scores -o predictions.csv");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (flags->json)
      predict_json(model, *flags);
    else
      predict_csv(model, *flags);
  });
}

void add_evaluate(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("evaluate", "Compare a model's predictions with the labels in a file");
  struct Flags {
    std::string model, data;
    bool json = false;
    DataFlags reading;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("DATA", flags->data, "labelled examples; - for standard input")->required();
  verb->add_flag("--json", flags->json, "one JSON document");
  flags->reading.add_to(*verb, false);
  verb->footer("Example:  postil evaluate points.postil points.csv");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    (model.schema().label.real() ? evaluate_numbers : evaluate_classes)(model, flags->data,
                                                                        flags->reading.read_options(), flags->json);
  });
}

void add_convert(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "convert",
      "Convert data between CSV and LIBSVM text (categories become 0/1 columns), models to and from those of LIBSVM "
      "and LIBLINEAR");
  auto flags = std::make_shared<ConvertFlags>();
  verb->add_option("IN", flags->in, "file to read; - for standard input")->required();
  verb->add_option("OUT", flags->out, "file to write, .csv or .svm, also .gz or .zst; - for standard output")
      ->required();
  verb->add_option(
      "--to", flags->to,
      "csv or libsvm; not given: told by OUT's name, else the other one. Models: libsvm, liblinear or postil");
  verb->add_flag("--json", flags->json, "tell what was written, as a JSON document");
  flags->reading.add_to(*verb, true);
  verb->footer(
      "Example:  postil convert points.csv points.svm\n"
      "          postil convert points.postil points.model --to liblinear");
  verb->callback([=] { run_convert(*flags); });
}

}  // namespace postil::cli
