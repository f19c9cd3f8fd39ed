#include "layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/failures.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> first_few(std::vector<std::string> names) {
  constexpr std::size_t kMost = 5;
  if (names.size() > kMost) {
    names.resize(kMost);
    names.emplace_back("...");
  }
  return names;
}

// Whether some line of the text is neither blank nor a comment.
bool has_content(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(' ') != std::string_view::npos && !is_comment(line)) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

// "label index:..." or "label qid:...", with white space between.
bool looks_like_libsvm(std::string_view text) {
  for (int line_number = 0; line_number < 20 && !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line[0] == '#') continue;
    const std::size_t space = line.find_first_of(" \t");
    if (space == std::string_view::npos) {
      if (line.find_first_of(",;|\"") != std::string_view::npos) return false;  // a record of cells
      continue;                                                                 // a label alone
    }
    const std::string_view rest = trimmed(line.substr(space));
    const std::size_t digits = rest.find_first_not_of("0123456789");
    return rest.starts_with("qid:") ||
           (digits != std::string_view::npos && digits > 0 && rest[digits] == ':' && line.find(',') > space);
  }
  return false;
}

Format format_of_text(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos && (text[begin] == '{' || text[begin] == '[')) {
    const std::string_view rest = trimmed(text.substr(begin + 1));
    const bool within = text[begin] == '[' ? rest.starts_with('{') || rest.starts_with('\n') || rest.starts_with('\r')
                                           : rest.starts_with('"') || rest.starts_with('}');
    if (within) return Format::jsonl;
  }
  if (looks_like_arff(text)) return Format::arff;
  return looks_like_libsvm(text) ? Format::libsvm : Format::csv;
}

bool looks_like_header(const CsvRecord& record) {
  return std::none_of(record.cells.begin(), record.cells.end(), [](const std::string& cell) {
    return cell == "?" || parse_number(cell) || parse_date(cell) || parse_percent(cell) || parse_money(cell) ||
           parse_grouped(cell) || has_decimal_comma(cell) || is_not_finite(cell);
  });
}

// Whether numbers in these rows have decimal commas: some cell can be nothing else, and none has a decimal point. 1,234 tells
// nothing.
bool looks_like_decimal_commas(std::string_view text, char delimiter) {
  constexpr std::size_t kLook = 64 * 1024;
  const auto is_fraction = [](std::string_view number, char mark) {
    const std::size_t at = number.find(mark);
    return at != std::string_view::npos && (number.size() - at != 4 || number.substr(0, at) == "0");
  };
  text = text.substr(0, kLook);
  bool commas = false;
  while (!text.empty()) {
    const char ends[] = {delimiter, '\n', '\0'};
    const std::size_t end = std::min(text.find_first_of(ends), text.size());
    std::string_view cell = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    while (cell.ends_with('\r') || cell.ends_with('"') || cell.ends_with('%')) cell.remove_suffix(1);
    while (cell.starts_with('"') || cell.starts_with('-') || cell.starts_with('+')) cell.remove_prefix(1);
    if (is_fraction(cell, '.') && parse_number(cell)) return false;
    commas |= is_fraction(cell, ',') && with_decimal_point(cell) && parse_number(*with_decimal_point(cell));
  }
  return commas;
}

// The first bytes of tables that are no text.
constexpr std::pair<std::string_view, std::string_view> kTables[] = {{"PAR1", "a Parquet file"},
                                                                     {"ARROW1", "an Arrow file"},
                                                                     {"FEA1", "a Feather file"},
                                                                     {"\xd0\xcf\x11\xe0", "an Excel file"},
                                                                     {"<stata_dta>", "a Stata file"}};

constexpr std::string_view kZip = "PK\x03\x04";

// Whether an archive is a spreadsheet, by the file's name, else by that of the first entry.
bool is_spreadsheet(std::string_view zip, const std::string& path) {
  const std::string name = lower_case(path);
  for (const char* ending : {".xlsx", ".xlsm", ".ods"})
    if (name.ends_with(ending)) return true;
  constexpr std::size_t kLengthAt = 26, kNameAt = 30;
  if (zip.size() < kNameAt) return false;
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(zip[at])); };
  const std::string_view entry = zip.substr(kNameAt, byte(kLengthAt) + 256 * byte(kLengthAt + 1));
  return entry == "[Content_Types].xml" || entry == "mimetype" || entry.starts_with("docProps/") ||
         entry.starts_with("_rels/") || entry.starts_with("xl/");
}

class LayoutFinder {
 public:
  using Again = std::function<std::unique_ptr<ByteSource>()>;

  LayoutFinder(Chunker& chunker, const std::string& path, const ReadOptions& options, const Again& again)
      : chunker_(chunker), options_(options), again_(again) {
    table_.source = path == "-" ? "standard input" : path;
    layout_.format = options.format == Format::guess ? format_of_name(path) : options.format;
  }

  Layout run() {
    constexpr std::size_t kLongest = 64;  // of the first bytes: of an archive, with the name of its first entry
    std::string_view first;
    if (!chunker_.live())
      first = chunker_.peek([](std::string_view text) { return text.size() < kLongest ? 0 : text.size(); });
    for (const auto& [bytes, name] : kTables)
      if (first.starts_with(bytes)) fail_table(name);
    if (first.starts_with(kZip)) {
      if (is_spreadsheet(first, table_.source)) fail_table("an Excel file");
      fail({.code = Code::unsupported,
            .subject = {"format"},
            .message = "this is a zip archive",
            .found = "a zip archive",
            .expected = "CSV, LIBSVM, JSON lines or ARFF",
            .remedy = "unpack it"});
    }
    const auto some_lines = [](std::string_view text) {
      return has_content(text.substr(0, complete_lines(text))) ? complete_lines(text) : 0;
    };
    if (peek(some_lines).starts_with("\xef\xbb\xbf")) chunker_.drop(3);
    if (chunker_.empty()) fail({.code = Code::empty, .message = "the file is empty"});
    const std::string_view start = peek(some_lines);
    const std::size_t line_end = start.find_first_of("\r\n");
    if (line_end + 1 < start.size() && start[line_end] == '\r' && start[line_end + 1] != '\n')
      fail({.code = Code::bad_encoding,
            .place = {"", 1, line_end + 1},
            .message = "found a line that ends with CR alone, expected LF or CRLF",
            .found = "CR",
            .expected = "LF or CRLF"});
    if (layout_.format == Format::guess) layout_.format = format_of_text(start);
    if (options_.schema != nullptr && options_.schema->sparse() != (layout_.format == Format::libsvm)) fail_format();
    csv_.label_use = !options_.use_label || options_.unlabelled ? LabelUse::none
                     : options_.real_labels                     ? LabelUse::numbers
                                                                : LabelUse::classes;
    if (layout_.format == Format::libsvm) {
      table_.form = Columns::sparse;
      table_.label_name = "label";
      if (options_.schema != nullptr) table_.width = options_.schema->features;
      if (options_.label) fail_option("label", "LIBSVM data have their label first on each line");
      if (!options_.ignore.empty()) fail_option("ignore", "only CSV files have named columns");
      if (options_.weight) fail_option("weight", "only CSV files have named columns");
      if (!options_.keep.empty()) fail_option("keep", "only CSV files have named columns");
    } else {
      bind_columns(layout_.format == Format::csv ? csv_header() : foreign_header());
    }
    return std::move(layout_);
  }

 private:
  // The record of the names; its cells are the names.
  CsvRecord csv_header() {
    const bool tabs = table_.source.ends_with(".tsv") || table_.source.find(".tsv.") != std::string::npos;
    csv_.delimiter = options_.delimiter ? *options_.delimiter : tabs ? '\t' : guessed_delimiter();
    CsvRecord record = first_record(csv_.delimiter).value();
    if (!record.found) fail({.code = Code::empty, .message = "the file holds no rows, only comments or blank lines"});
    const bool header = options_.header.value_or(looks_like_header(record));
    for (std::size_t c = 0; c < record.cells.size(); ++c)
      if (!header || record.cells[c].empty()) record.cells[c] = fmt::format("f{}", c + 1);
    if (header) {
      chunker_.drop(record.end);
      layout_.lines_read = record.lines;
    }
    csv_.decimal_comma = options_.decimal_comma.value_or(csv_.delimiter != ',' && !chunker_.live() &&
                                                         looks_like_decimal_commas(beginning(), csv_.delimiter));
    return record;
  }

  // Of text that is translated into CSV.
  CsvRecord foreign_header() {
    const char* const only_csv = "only CSV files have it";
    if (options_.delimiter) fail_option("delimiter", only_csv);
    if (options_.header) fail_option("header", only_csv);
    if (options_.decimal_comma) fail_option("decimal", only_csv);
    ForeignHeader header;
    try {
      header = layout_.format == Format::jsonl ? json_header() : attributes();
    } catch (const Failure& failure) {
      fail(failure);
    }
    chunker_.drop(header.bytes);
    layout_.lines_read = header.lines;
    layout_.translator = std::move(header.translator);
    foreign_kinds_ = std::move(header.kinds);
    CsvRecord record;
    record.cells = std::move(header.names);
    record.columns.resize(record.cells.size());
    record.line = header.lines;
    return record;
  }

  ForeignHeader json_header() {
    JsonKeys keys(options_);
    if (again_ == nullptr || chunker_.live()) {
      keys.add(beginning());
      return keys.header(false);
    }
    Chunker chunker(again_(), options_.chunk_bytes);
    if (chunker.peek(complete_lines).starts_with("\xef\xbb\xbf")) chunker.drop(3);
    Array<char> text;
    std::uint64_t lines = 0;
    for (std::size_t size = 0; (size = chunker.next(text, complete_lines)) != 0;) {
      if (size == Chunker::kTooLong) throw too_long();
      const std::string_view part(text.data(), size);
      try {
        keys.add(part);
      } catch (Failure& failure) {
        failure.place.line += lines;
        throw;
      }
      lines += static_cast<std::uint64_t>(std::count(part.begin(), part.end(), '\n'));
    }
    return keys.header(true);
  }

  ForeignHeader attributes() {
    std::optional<ForeignHeader> header;
    peek([&](std::string_view text) -> std::size_t {
      if (!header) header = arff_header(text, options_.ignore);
      return header ? text.size() : 0;
    });
    if (!header) header = arff_header(chunker_.peek(complete_lines), options_.ignore);
    if (!header)
      throw Failure{.code = Code::bad_syntax,
                    .message = "found no line with @data, behind which the rows stand",
                    .expected = "@data"};
    return std::move(*header);
  }

  void bind_columns(const CsvRecord& record) {
    const std::vector<std::string>& names = record.cells;
    for (std::size_t c = 0; c < names.size(); ++c)
      if (!valid_utf8(names[c]))
        fail({.code = Code::bad_encoding,
              .place = {"", record.line, record.columns[c]},
              .subject = {"column", shown(names[c])},
              .message = Text("the column name ", in_quotes(names[c]), " is not valid UTF-8"),
              .found = shown(names[c]),
              .expected = "UTF-8"});
    check_unique(names, record);
    for (const std::string& name : options_.keep)
      if (!contains(names, name))
        fail(unknown(Code::unknown_column, "column", name, Text("there is no column ", in_quotes(name)), names));
    if (options_.schema != nullptr)
      bind_schema(names, record);
    else
      make_columns(names);
    for (const std::string& name : options_.keep) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (std::count(options_.keep.begin(), options_.keep.end(), name) > 1)
        throw ParamError(fmt::format("column {} is named twice", in_quotes(name)));
      csv_.columns[static_cast<std::size_t>(found - names.begin())].kept = csv_.kept++;
    }
  }

  std::string_view beginning() {
    return chunker_.empty() ? std::string_view() : peek([](std::string_view text) { return complete_lines(text); });
  }

  // The first record of the file, if this is the delimiter.
  Result<CsvRecord> first_record(char delimiter) {
    const std::string_view text = peek([&](std::string_view start) {
      const std::size_t whole = complete_csv_records(start, delimiter);
      return has_content(start.substr(0, whole)) ? whole : 0;
    });
    const std::size_t look = chunker_.live() ? text.find('\n') : 1 << 20;  // a stream refuses later rows one by one
    if (const auto nul = find_nul(text.substr(0, look))) fail(*nul);
    try {
      return first_csv_record(padded(text), delimiter);
    } catch (const Failure& failure) {
      return in_file(failure);
    }
  }

  // The delimiter that splits the first record into the most cells; of equals, the first in the list.
  char guessed_delimiter() {
    char best = ',';
    std::size_t most = 1;
    for (const char delimiter : kDelimiters) {
      Result<CsvRecord> record = first_record(delimiter);
      if (!record || record->cells.size() <= most) continue;
      most = record->cells.size();
      best = delimiter;
    }
    return best;
  }

  template <class Complete>
  std::string_view peek(const Complete& complete) {
    const std::string_view text = chunker_.peek(complete);
    if (text.empty() && !chunker_.empty()) fail(too_long());
    return text;
  }
  // The text with readable zeros behind it, as the parsers need; only for the short look at the beginning.
  std::string_view padded(std::string_view text) {
    padded_text_.assign(text);
    padded_text_.append(kScanPadding, '\0');
    return {padded_text_.data(), text.size()};
  }

  void check_unique(const std::vector<std::string>& names, const CsvRecord& record) const {
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t c = 0; c < names.size(); ++c)
      if (const auto [first, is_new] = seen.emplace(names[c], c); !is_new)
        fail({.code = Code::duplicate,
              .place = {"", record.line, record.columns[c]},
              .subject = {"column", shown(names[c])},
              .message = fmt::format("the column name {} appears twice, in columns {} and {}", in_quotes(names[c]),
                                     first->second + 1, c + 1)});
  }

  void make_columns(const std::vector<std::string>& names) {
    for (const std::string& name : options_.ignore) require(names, name, "ignore");
    if (options_.weight) require(names, *options_.weight, "weight");
    const auto ignored = [&](const std::string& name) { return contains(options_.ignore, name); };
    std::string label, last;
    for (const std::string& name : names) {
      if (ignored(name) || name == options_.weight) continue;
      last = name;
      const std::string lower = lower_case(name);
      if (label.empty() && (lower == "label" || lower == "class" || lower == "target")) label = name;
    }
    if (options_.label) {
      label = *options_.label;
      require(names, label, "label");
      const char* other = ignored(label) ? "ignore" : label == options_.weight ? "weight" : nullptr;
      if (other != nullptr)
        fail({.code = Code::conflict,
              .subject = {"column", shown(label)},
              .message =
                  Text("column ", in_quotes(label), " is named by ", Option{"label"}, " and by ", Option{other})});
    } else if (options_.unlabelled) {
      label.clear();
    } else if (label.empty()) {
      label = last;
    }
    table_.label_name = label;
    for (const std::string& name : names) {
      CsvColumn column;
      column.name = name;
      if (name == label) {
        column.role = options_.use_label ? CsvColumn::Role::label : CsvColumn::Role::skip;
        add_wished_missing(column, name);
      } else if (ignored(name) || name == options_.weight) {
        column.role = CsvColumn::Role::skip;
      } else {
        add_value_column(column);
      }
      csv_.columns.push_back(std::move(column));
    }
    if (csv_.width == 0)
      fail({.code = Code::missing_column,
            .message = Text("there is no column besides the label ", in_quotes(label)),
            .expected = "a column besides the label",
            .remedy = layout_.format == Format::csv && names.size() == 1 ? hint_for_one_column(names[0]) : Text()});
    add_weight_column(names);
  }

  // Why a file may have one column only: a title stands on the first line, or spaces separate the cells.
  Text hint_for_one_column(const std::string& name) {
    const std::string_view text = beginning();
    const std::string_view line = trimmed(text.substr(0, text.find_first_of("\r\n")));
    for (const char delimiter : kDelimiters)
      if (const auto marks = std::count(line.begin(), line.end(), delimiter); marks > 0)
        return fmt::format("the next line has {} cells; if the first line is a title, remove it", marks + 1);
    const auto words = [](std::string_view of) {
      std::size_t count = 0;
      for (std::size_t k = 0; k < of.size(); ++k) count += of[k] != ' ' && (k == 0 || of[k - 1] == ' ') ? 1 : 0;
      return count;
    };
    if (words(name) < 2 || words(name) != words(line)) return {};
    return "cells may be separated by commas, semicolons, tabs or |, but not by spaces";
  }

  // What the user says, or the file.
  [[nodiscard]] std::optional<Kind> known_kind(const std::string& name) const {
    if (const auto wish = options_.wishes.kinds.find(name); wish != options_.wishes.kinds.end()) return wish->second;
    if (const auto kind = foreign_kinds_.find(name); kind != foreign_kinds_.end()) return kind->second;
    return std::nullopt;
  }

  void add_value_column(CsvColumn& column) {
    column.place = csv_.width++;
    if (const std::optional<Kind> kind = known_kind(column.name)) {
      column.type = *kind == Kind::categorical ? TableColumn::Type::text : TableColumn::Type::number;
      column.written = written_as(*kind);
    }
    add_wished_missing(column, "");
    add_wished_missing(column, column.name);
    table_.columns.push_back({column.name, column.type, {}, column.written});
  }

  // The weight is parsed as one more value, the last of its row; the reader takes it out again.
  void add_weight_column(const std::vector<std::string>& names) {
    if (!options_.weight) return;
    require(names, *options_.weight, "weight");
    const auto found = std::find(names.begin(), names.end(), *options_.weight);
    CsvColumn& column = csv_.columns[static_cast<std::size_t>(found - names.begin())];
    if (column.role != CsvColumn::Role::skip)
      fail({.code = Code::conflict,
            .subject = {"column", column.name},
            .message = Text(Option{"weight"}, ": column ", in_quotes(column.name), " is a feature of the model")});
    column.role = CsvColumn::Role::value;
    column.type = TableColumn::Type::number;
    column.place = csv_.width++;
    layout_.weighted = true;
  }

  void add_wished_missing(CsvColumn& column, const std::string& key) const {
    if (const auto found = options_.wishes.na.find(key); found != options_.wishes.na.end())
      add_missing(column, found->second);
  }

  static void add_missing(CsvColumn& column, const std::vector<std::string>& tokens) {
    for (const std::string& token : tokens) {
      column.missing_texts.push_back(token);
      if (const std::optional<double> number = parse_number(token)) column.missing_numbers.push_back(*number);
    }
  }

  void bind_schema(const std::vector<std::string>& names, const CsvRecord& record) {
    const Schema& schema = *options_.schema;
    table_.label_name = schema.label.name;
    csv_.width = static_cast<std::uint32_t>(schema.columns.size());
    for (const Column& column : schema.columns)
      table_.columns.push_back({column.name,
                                column.categorical() ? TableColumn::Type::text : TableColumn::Type::number,
                                {},
                                column.written()});
    std::unordered_map<std::string_view, std::size_t> places;
    for (std::size_t j = 0; j < schema.columns.size(); ++j) places.emplace(schema.columns[j].name, j);
    bool labelled = false;
    for (const std::string& name : names) {
      CsvColumn column;
      column.name = name;
      column.role = CsvColumn::Role::skip;
      if (const auto found = places.find(name); found != places.end()) {
        column.role = CsvColumn::Role::value;
        column.place = found->second;
        column.type = table_.columns[column.place].type;
        column.written = table_.columns[column.place].written;
        add_missing(column, schema.columns[column.place].na);
        places.erase(found);
      } else if (name == options_.label.value_or(schema.label.name)) {
        labelled = true;
        if (options_.use_label) column.role = CsvColumn::Role::label;
      } else if (options_.more_columns && schema.projection.components == 0 && name != options_.weight &&
                 !contains(options_.ignore, name) && !contains(schema.ignored, name)) {
        column.role = CsvColumn::Role::value;
        add_value_column(column);
      }
      csv_.columns.push_back(std::move(column));
    }
    if (!places.empty()) {
      std::vector<std::string> missing;
      std::string first;
      for (const Column& column : schema.columns) {
        if (!places.contains(column.name)) continue;
        if (missing.empty()) first = column.name;
        missing.push_back(in_quotes(column.name));
      }
      const std::string near = missing.size() == 1 ? similar_column(names, first) : "";
      const bool many = missing.size() > 5;
      const std::size_t count = missing.size();
      if (many) missing.resize(5);
      fail({.code = Code::missing_column,
            .place = {"", record.line, 0},
            .subject = {"column", first},
            .message =
                fmt::format("the model needs {} {}{}, which the file does not have", count == 1 ? "column" : "columns",
                            joined(missing), many ? fmt::format(" and {} more", count - 5) : ""),
            .remedy = near.empty() ? "" : fmt::format("it has {}; did you mean that?", in_quotes(near))});
    }
    if (options_.use_label && !labelled) {
      if (options_.label_needed) fail_label(names, record);
      csv_.label_use = LabelUse::none;
    }
    add_weight_column(names);
  }

  void require(const std::vector<std::string>& names, const std::string& name, const char* option) const {
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(unknown(Code::unknown_column, "column", name, Text(Option{option}, ": there is no column ", in_quotes(name)),
                   names));
  }
  // A column that the model does not know, with nearly this name.
  [[nodiscard]] std::string similar_column(const std::vector<std::string>& names, const std::string& wanted) const {
    std::vector<std::string> others;
    for (const std::string& name : names)
      if (std::none_of(options_.schema->columns.begin(), options_.schema->columns.end(),
                       [&](const Column& column) { return column.name == name; }))
        others.push_back(name);
    return nearest_name(wanted, others);
  }
  [[noreturn]] void fail_label(const std::vector<std::string>& names, const CsvRecord& record) const {
    const Schema& schema = *options_.schema;
    const std::string label = options_.label.value_or(schema.label.name);
    Failure failure{.code = Code::missing_column,
                    .place = {"", record.line, 0},
                    .subject = {"column", shown(label)},
                    .message = Text("there is no label column ", in_quotes(label))};
    std::vector<std::string> others;  // columns that the model does not use
    for (const std::string& name : names)
      if (!contains(schema.ignored, name) && std::none_of(schema.columns.begin(), schema.columns.end(),
                                                          [&](const Column& column) { return column.name == name; }))
        others.push_back(name);
    if (contains(names, label))
      failure.message =
          Text(Option{"label"}, ": column ", in_quotes(label), " is a feature of the model, not its label");
    if (others.size() == 1)
      failure.remedy = Text(Option{"label", "", others[0]}, " names a column that the model does not use");
    else if (!others.empty())
      failure.remedy = Text(Option{"label"}, " names it; the model does not use ", joined(first_few(others)));
    fail(failure);
  }
  [[noreturn]] void fail_table(std::string_view name) const {
    fail({.code = Code::unsupported,
          .subject = {"format"},
          .message = fmt::format("this is {}, which the Python package reads", name),
          .found = std::string(name),
          .expected = "CSV, LIBSVM, JSON lines or ARFF",
          .remedy = fmt::format("python -m postil.convert {} -o data.jsonl", table_.source)});
  }
  [[noreturn]] void fail_format() const {
    if (layout_.format == Format::libsvm)
      fail({.code = Code::conflict,
            .subject = {"format"},
            .message = "LIBSVM data have no column names, but the model was trained on data that have them",
            .found = "LIBSVM",
            .expected = "CSV"});
    fail({.code = Code::conflict,
          .subject = {"format"},
          .message = "the model was trained on LIBSVM data, whose columns have no names",
          .found = std::string(word(layout_.format)),
          .expected = "LIBSVM",
          .remedy = "convert the file to LIBSVM text"});
  }
  [[noreturn]] void fail_option(const char* option, const char* why) const {
    fail({.code = Code::unsupported, .subject = {"option", option}, .message = Text(Option{option}, ": ", why)});
  }
  [[nodiscard]] Failure in_file(Failure failure) const {
    failure.place.file = table_.source;
    return failure;
  }
  [[noreturn]] void fail(Failure failure) const { throw DataError(in_file(std::move(failure))); }

  Chunker& chunker_;
  const ReadOptions& options_;
  const Again& again_;
  Layout layout_;
  Table& table_ = layout_.table;
  CsvFormat& csv_ = layout_.csv;
  std::map<std::string, Kind> foreign_kinds_;
  std::string padded_text_;
};

}  // namespace

std::string_view word(Format format) {
  constexpr std::string_view kWords[] = {"", "csv", "libsvm", "jsonl", "arff"};
  return kWords[static_cast<std::size_t>(format)];
}

Format format_of(std::string_view word) {
  constexpr std::pair<std::string_view, Format> kWords[] = {
      {"csv", Format::csv},      {"tsv", Format::csv},         {"libsvm", Format::libsvm},
      {"svm", Format::libsvm},   {"svmlight", Format::libsvm}, {"jsonl", Format::jsonl},
      {"ndjson", Format::jsonl}, {"json", Format::jsonl},      {"arff", Format::arff}};
  for (const auto& [known, format] : kWords)
    if (word == known) return format;
  throw ParamError({.code = Code::unknown_name,
                    .subject = {"format", shown(word)},
                    .message = Text("there is no format ", in_quotes(word)),
                    .found = shown(word),
                    .expected = "csv, libsvm, jsonl or arff",
                    .remedy = "known: csv, libsvm, jsonl, arff"});
}

Format format_of_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view packed : kPackedEndings)
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return Format::csv;
  if (name.ends_with(".svm") || name.ends_with(".libsvm")) return Format::libsvm;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson") || name.ends_with(".json")) return Format::jsonl;
  if (name.ends_with(".arff")) return Format::arff;
  return Format::guess;
}

Layout find_layout(Chunker& chunker, const std::string& path, const ReadOptions& options,
                   const std::function<std::unique_ptr<ByteSource>()>& again) {
  return LayoutFinder(chunker, path, options, again).run();
}

std::optional<Failure> find_nul(std::string_view text) {
  const void* nul = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size());
  if (nul == nullptr) return std::nullopt;
  const auto place = static_cast<std::size_t>(static_cast<const char*>(nul) - text.data());
  const std::string_view before = text.substr(0, place);
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
  return Failure{.code = Code::bad_encoding,
                 .place = {"", lines + 1, place - line_start + 1},
                 .message = "found a NUL byte, expected text (is the file UTF-16, or not text at all?)",
                 .found = "a NUL byte",
                 .expected = "text"};
}

Failure too_long() {
  return {
      .code = Code::too_long,
      .place = {"", 1, 1},
      .message = fmt::format("a record of more than {} MB begins here (is a quote not closed?)", kLongestRecord >> 20),
      .expected = fmt::format("at most {} MB", kLongestRecord >> 20)};
}

}  // namespace postil
