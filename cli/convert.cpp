// postil convert: data and models in other formats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

struct ConvertFlags {
  std::string in, out, to, table;
  bool json = false;
  DataFlags reading;
};

// What a model of Postil is to become.
std::string form_of_model(const ConvertFlags& flags, const Model& model) {
  const std::vector<std::string> known{"onnx", "sql", "libsvm", "liblinear"};
  if (!flags.to.empty()) {
    if (std::find(known.begin(), known.end(), flags.to) == known.end())
      throw ParamError(fmt::format("--to {}: a model becomes onnx, sql, libsvm or liblinear", flags.to));
    return flags.to;
  }
  const std::string name = lower_case(flags.out);
  for (const std::string& form : {known[0], known[1]})
    if (name.ends_with("." + form)) return form;
  return model.outputs() == 1 && model.learner_of(0).expansion() ? "libsvm" : "liblinear";
}

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
  const std::string to = form_of_model(flags, model);
  if (to != "sql" && !flags.table.empty()) throw ParamError(fmt::format("--table is for SQL, not for {}", to));
  std::string written;
  if (to == "onnx") {
    written = to_onnx(model);
  } else if (to == "sql") {
    written = to_sql(model, flags.table.empty() ? "data" : flags.table);
  } else {
    written = to == "libsvm" ? to_libsvm(model) : to_liblinear(model);
    if (!model.schema().sparse())
      note("columns have numbers there: 1 is " + in_quotes(model.schema().feature_name(0)) + ", and so on");
    const std::vector<std::string>&classes = model.schema().label.classes, numbers = foreign_labels(model);
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (numbers[c] != classes[c]) note(fmt::format("class {} is {} there", in_quotes(classes[c]), numbers[c]));
  }
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
  if (!flags.table.empty()) throw ParamError("--table is for models that become SQL");
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
  if (has_names(reader->format()) && format == Format::libsvm)
    note(fmt::format("label {} comes first on each line; the columns' names are lost", in_quotes(schema.label.name)));
  constexpr std::uint32_t kMostColumns = 1'000'000;
  if (format == Format::csv && schema.features > kMostColumns)
    throw DataError({.code = Code::too_many,
                     .place = {reader->table().source},
                     .message = fmt::format("CSV would need {} columns, one for each feature; the maximum is {}",
                                            schema.features, kMostColumns)});
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

void add_convert(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("convert",
                                      "Convert data between CSV and LIBSVM text (categories become 0/1 columns), "
                                      "models to ONNX or SQL, and to and from LIBSVM and LIBLINEAR");
  auto flags = std::make_shared<ConvertFlags>();
  verb->add_option("IN", flags->in, "file to read; - for standard input")->required();
  verb->add_option("OUT", flags->out,
                   "file to write: data as .csv or .svm, also compressed (.gz, .zst, .xz, .bz2); models as .onnx, .sql "
                   "or .model; - for standard output")
      ->required();
  verb->add_option("--to", flags->to,
                   "Data: csv or libsvm; models: onnx, sql, libsvm, liblinear or postil. Default: inferred from OUT's "
                   "name, else the other one of the two for data, and libsvm or liblinear for models");
  verb->add_option("--table", flags->table, "Name of the table that the SQL reads. Default: data");
  verb->add_flag("--json", flags->json, "tell what was written, as a JSON document");
  flags->reading.add_to(*verb, true);
  verb->footer(
      "Example:  postil convert points.csv points.svm\n"
      "          postil convert points.postil points.onnx\n"
      "          postil convert points.postil points.sql --table patients\n"
      "          postil convert points.postil points.model --to liblinear");
  verb->callback([=] { run_convert(*flags); });
}

}  // namespace postil::cli
