// postil explain: looking into a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

// ---- one row ----

// "name=value,..." as a table of one row; columns that are not named are missing. LIBSVM: "index:value ...".
std::string row_as_text(const Model& model, const std::string& row) {
  if (model.schema().anonymous) {
    if (row.find('=') == std::string::npos) return "0 " + row + "\n";
    std::map<double, std::string> values;  // f2=148,f6=33.6
    for (const std::string& pair : split(row, ',')) {
      const std::size_t equals = pair.find('=');
      const std::optional<double> number =
          equals == std::string::npos || pair[0] != 'f' ? std::nullopt : parse_number(pair.substr(1, equals - 1));
      if (!number) throw ParamError(fmt::format("--row: found {}, expected f1=value", in_quotes(pair)));
      values[*number] = pair.substr(equals + 1);
    }
    std::string line = "0";
    for (const auto& [number, value] : values) line += fmt::format(" {}:{}", number, value);
    return line + "\n";
  }
  std::string names, values;
  for (const std::string& pair : split(row, ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ParamError(fmt::format("--row: found {}, expected name=value", in_quotes(pair)));
    const std::string name = pair.substr(0, equals);
    std::vector<std::string> known;
    for (const Column& column : model.schema().columns) known.push_back(column.name);
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw ParamError(fmt::format("--row: there is no column {}{}", in_quotes(name), suggestion(name, known)));
    names += csv_cell(name) + ",";
    values += csv_cell(pair.substr(equals + 1)) + ",";
  }
  for (const Column& column : model.schema().columns) {
    if (fmt::format(",{}", names).find(fmt::format(",{},", csv_cell(column.name))) != std::string::npos) continue;
    names += csv_cell(column.name) + ",";
    values += ",";
  }
  return names.substr(0, names.size() - 1) + "\n" + values.substr(0, values.size() - 1) + "\n";
}

void explain_row(const Model& model, const std::string& row, std::uint64_t line, const std::string& path,
                 std::size_t top, bool json) {
  ReadOptions read;
  read.schema = &model.schema();
  read.use_label = false;
  std::uint64_t number = 1;
  if (line > 0 && path.empty()) throw ParamError("--line is a line of a file: --data");
  if (!path.empty() && line == 0) {
    const std::optional<double> wanted = parse_number(row);
    if (!wanted || *wanted < 1 || *wanted != std::floor(*wanted))
      throw ParamError(fmt::format("--row with --data is the number of a row, found {}", in_quotes(row)));
    number = static_cast<std::uint64_t>(*wanted);
  } else if (!path.empty()) {
    number = std::numeric_limits<std::uint64_t>::max();
  } else if (!model.schema().anonymous) {
    read.format = Format::csv;
    read.header = true;
    read.delimiter = ',';
  } else {
    read.format = Format::libsvm;
  }
  const std::string text = path.empty() ? row_as_text(model, row) : "";
  std::optional<Reader> reader;
  if (path.empty())
    reader.emplace(Reader::from_memory(text, read));
  else
    reader.emplace(path, read);
  std::uint64_t seen = 0;
  for (Block block; reader->next(block); block = Block()) {
    for (std::size_t k = 0; line > 0 && k < block.rows(); ++k)
      if (block.line(k) == line) number = seen + k + 1;
    if (seen + block.rows() < number) {
      seen += block.rows();
      continue;
    }
    const std::size_t i = number - seen - 1;
    print(json ? row_json(model, reader->table(), block, i)
               : row_text(model, reader->table(), block, i, top, command_words));
    return;
  }
  throw DataError({path, 0, 0},
                  line > 0 ? fmt::format("no row begins on line {}", line) : fmt::format("it has only {} rows", seen));
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "explain", "What a model has learned: weights by name, what became of its rules, why one row got its score");
  struct Flags {
    std::string model, rules, row, data;
    std::size_t top = 20;
    std::uint64_t line = 0;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "a file made by train")->required();
  verb->add_option("--top", flags->top, "how many features to show")->check(whole_number())->capture_default_str();
  verb->add_option("--certify", flags->rules,
                   "a file of rules: for each a proof that the model obeys it everywhere, or a counterexample");
  verb->add_option("--row", flags->row,
                   "why one row gets its score: name=value,... of it, or with --data its number in the file");
  verb->add_option("--line", flags->line, "the same by its line in the file, as the ledger of train tells them")
      ->check(whole_number());
  verb->add_option("--data", flags->data, "the file that --row or --line means");
  verb->add_flag("--json", flags->json, "one JSON document, with all features");
  verb->footer(
      "Example:  postil explain points.postil\n"
      "          postil explain points.postil --row x1=1.5,x2=-1");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (!flags->row.empty() || !flags->data.empty() || flags->line > 0) {
      explain_row(model, flags->row, flags->line, flags->data, flags->top, flags->json);
      return;
    }
    std::optional<Advice> advice;
    if (!flags->rules.empty()) advice = compile_rules(read_rules(flags->rules), model.schema());
    const Advice* certify = advice ? &*advice : nullptr;
    print(flags->json ? explain_json(model, certify) : explain_text(model, flags->top, certify, command_words));
  });
}

}  // namespace postil::cli
