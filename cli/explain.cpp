// postil explain: looking into a model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

// ---- one row ----

struct Cell {
  std::string name, value;
  bool quoted = false;  // the value
  bool name_quoted = false;
};

// Values that are missing in one way or another, and columns that are named twice.
void check_cells(std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (Cell& cell : cells) {
    if (!cell.name_quoted) cell.name = trimmed(cell.name);
    if (!cell.quoted) cell.value = trimmed(cell.value);
    if (cell.name.empty()) throw ParamError("--row: found a value without the name of its column, expected name=value");
    if (cell.value.empty() && !cell.quoted)
      throw ParamError(fmt::format("--row: {} has no value; leave it out, or write {}=? where it is missing",
                                   in_quotes(cell.name), shown(cell.name)));
    if (std::find(names.begin(), names.end(), cell.name) != names.end())
      throw ParamError(fmt::format("--row: {} is named twice", in_quotes(cell.name)));
    names.push_back(cell.name);
  }
}

// name=value,...; names and values with commas, equals signs or quotes in them stand in double quotes, as in CSV files.
std::vector<Cell> cells_of(const std::string& row) {
  std::vector<Cell> cells(1);
  bool quoted = false, value = false;
  for (std::size_t k = 0; k < row.size(); ++k) {
    Cell& cell = cells.back();
    std::string& to = value ? cell.value : cell.name;
    if (quoted && row[k] == '"' && k + 1 < row.size() && row[k + 1] == '"') {
      to += row[++k];
    } else if (row[k] == '"' && (quoted || to.empty())) {
      (value ? cell.quoted : cell.name_quoted) = true;
      quoted = !quoted;
    } else if (!quoted && to.empty() && row[k] == ' ') {
      continue;
    } else if (!quoted && !value && row[k] == '=') {
      value = true;
    } else if (!quoted && row[k] == ',') {
      if (!value) break;
      cells.emplace_back();
      value = false;
    } else if (quoted || row[k] != ' ' || !(value ? cell.quoted : cell.name_quoted)) {  // not spaces behind quotes
      to += row[k];
    }
  }
  if (quoted) throw ParamError(fmt::format("--row: a quote is not closed in {}", in_quotes(row)));
  if (!value)
    throw ParamError(fmt::format("--row: found {}, expected name=value (or --data FILE and the number of a row in it)",
                                 in_quotes(cells.back().name)));
  check_cells(cells);
  return cells;
}

// Its cells as a table of one row; columns that are not named are missing. LIBSVM: "index:value ...".
std::string row_as_text(const Model& model, const std::string& row) {
  if (model.schema().sparse()) {
    if (row.find('=') == std::string::npos) return "0 " + row + "\n";
    std::map<double, std::string> values;  // f2=148,f6=33.6
    for (const Cell& cell : cells_of(row)) {
      const std::string& name = cell.name;
      const std::optional<double> number = name[0] != 'f' ? std::nullopt : parse_number(name.substr(1));
      if (!number) throw ParamError(fmt::format("--row: found {}, expected f1=value", in_quotes(name)));
      values[*number] = cell.value;
    }
    std::string line = "0";
    for (const auto& [number, value] : values) line += fmt::format(" {}:{}", number, value);
    return line + "\n";
  }
  std::vector<std::string> known;
  for (const Column& column : model.schema().columns) known.push_back(column.name);
  const std::vector<Cell> cells = cells_of(row);
  for (const Cell& cell : cells)
    if (std::find(known.begin(), known.end(), cell.name) == known.end())
      throw ParamError(
          fmt::format("--row: there is no column {}{}", in_quotes(cell.name), suggestion(cell.name, known)));
  std::string names, values;
  for (const std::string& name : known) {
    const auto found = std::find_if(cells.begin(), cells.end(), [&](const Cell& cell) { return cell.name == name; });
    names += csv_cell(name) + ",";
    values += (found == cells.end() ? "" : csv_cell(found->value)) + ",";
  }
  return names.substr(0, names.size() - 1) + "\n" + values.substr(0, values.size() - 1) + "\n";
}

void explain_one(const Model& model, const std::string& row, std::uint64_t line, const std::string& path,
                 std::size_t top, bool json) {
  ReadOptions read;
  read.schema = &model.schema();
  read.use_label = false;
  std::uint64_t number = 1;
  if (line > 0 && path.empty()) throw ParamError("--line is a line of a file: --data");
  if (!path.empty() && line == 0) {
    const std::optional<double> wanted = parse_number(row);
    if (!wanted || *wanted < 1 || *wanted != std::floor(*wanted))
      throw ParamError(
          fmt::format("--row with --data is the number of a row, counted from 1; found {}", in_quotes(row)));
    number = static_cast<std::uint64_t>(*wanted);
  } else if (!path.empty()) {
    number = std::numeric_limits<std::uint64_t>::max();
  } else if (!model.schema().sparse()) {
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
    const RowStory story = explain_row(model, reader->table(), block, i);
    print(json ? row_json(model, story) : row_text(model, story, {command_words, top}));
    return;
  }
  throw DataError({path, 0, 0},
                  line > 0 ? fmt::format("no row begins on line {}", line) : fmt::format("it has only {} rows", seen));
}

// A row that is typed has no file and no lines.
void run_row(const Model& model, const std::string& row, std::uint64_t line, const std::string& path, std::size_t top,
             bool json) {
  try {
    explain_one(model, row, line, path, top, json);
  } catch (const DataError& error) {
    if (!path.empty()) throw;
    Failure failure = error.failure();
    failure.place = {"--row"};
    throw DataError(std::move(failure));
  }
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "explain", "Explain a model: weights by name, the record of its rules, or why one row got its prediction");
  struct Flags {
    std::string model, rules, row, data;
    std::size_t top = 20;
    std::uint64_t line = 0;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("MODEL", flags->model, "A model file made by train")->required();
  verb->add_option("--top", flags->top, "Number of features to show")->check(whole_number())->capture_default_str();
  verb->add_option("--certify", flags->rules,
                   "A file of rules: for each, prove that the model follows it everywhere, or show a counterexample");
  verb->add_option("--row", flags->row,
                   "Explain the prediction for one row: name=value,..., or with --data its number in the file");
  verb->add_option("--line", flags->line, "The same by line number, as in the record of rules that train prints")
      ->check(whole_number());
  verb->add_option("--data", flags->data, "The file that --row or --line refers to");
  verb->add_flag("--json", flags->json, "Print one JSON document, with all features");
  verb->footer(
      "Example:  postil explain points.postil\n"
      "          postil explain points.postil --row x1=1.5,x2=-1");
  verb->callback([=] {
    const Model model = Model::load(flags->model);
    if (!flags->row.empty() || !flags->data.empty() || flags->line > 0) {
      run_row(model, flags->row, flags->line, flags->data, flags->top, flags->json);
      return;
    }
    std::optional<Advice> advice;
    if (!flags->rules.empty()) advice = compile_rules(read_rules(flags->rules), model.schema());
    const Advice* certify = advice ? &*advice : nullptr;
    print(flags->json ? explain_json(model, certify) : explain_text(model, {command_words, flags->top}, certify));
  });
}

}  // namespace postil::cli
