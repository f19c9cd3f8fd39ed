// inspect.cpp: what a data file holds, cell by cell, before anything is learned from it.
#include "postil/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "chunker.hpp"
#include "core/failures.hpp"
#include "layout.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::size_t kMostTexts = 1000;    // counted one by one in a column
constexpr std::size_t kShownTexts = 8;      // of them
constexpr std::size_t kNamesFrom = 20;      // so many different texts may be names of rows, ...
constexpr double kNamesShare = 0.5;         // ... if they are this share of the rows
constexpr std::uint64_t kManyNumbers = 20;  // labels of so many different numbers are no classes
constexpr double kRareClass = 0.05;

using As = InspectedColumn::Role;
using Counted = std::vector<std::pair<std::string, std::uint64_t>>;

std::string of_rows(std::uint64_t count) { return fmt::format("{} {}", count, count == 1 ? "row" : "rows"); }

// "3 mg" -> "mg": what stands behind a number. Empty: no such text.
std::string_view unit_of(std::string_view text, char decimal) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] == decimal || text[end] == '-' || (text[end] >= '0' && text[end] <= '9')))
    ++end;
  const std::string_view unit = trimmed(text.substr(end));
  const auto odd = [](char c) {
    return (c >= '0' && c <= '9') || c == ',' || c == ';' || c == ':' || c == '/' || c == '.';
  };
  if (end == 0 || unit.empty() || unit.size() > 8 || std::any_of(unit.begin(), unit.end(), odd)) return {};
  return parse_number(text.substr(0, end)) || decimal == ',' ? unit : std::string_view();
}

// 31/12/2024, 31.12.24, 12-31-2024
bool looks_like_other_date(std::string_view text) {
  const std::size_t first = text.find_first_of("/.-");
  if (first == std::string_view::npos || first == 0 || first > 4) return false;
  const std::size_t second = text.find(text[first], first + 1);
  if (second == std::string_view::npos || second - first < 2 || second - first > 4) return false;
  const std::string_view day = text.substr(0, first), year = text.substr(second + 1, 4);
  const auto digits = [](std::string_view part) {
    return part.find_first_not_of("0123456789 :") == std::string_view::npos;
  };
  return digits(day) && !year.empty() && digits(year);
}

bool named_like_an_identifier(const std::string& name) {
  const std::string lower = lower_case(name);
  return lower == "id" || lower == "index" || lower == "row" || lower == "nr" || lower == "no" || lower == "uuid" ||
         lower.ends_with("_id") || lower.ends_with(" id") || lower.ends_with("_nr") || lower.ends_with("_no") ||
         lower.ends_with("number") || lower.starts_with("unnamed") || lower.starts_with("id_") ||
         (name.size() > 2 && name.ends_with("Id")) || (name.size() > 2 && name.ends_with("ID"));
}

// All cells of one column.
class CellCounts {
 public:
  CellCounts(const CsvColumn& column, const CsvFormat& format, bool wished)
      : column_(column), format_(format), wished_(wished) {}

  void add(std::string_view cell, std::uint64_t line) {
    if (cell.empty() || cell == "?" ||
        std::find(column_.missing_texts.begin(), column_.missing_texts.end(), cell) != column_.missing_texts.end()) {
      ++missing_;
      return;
    }
    if (means_missing(cell) && !(is_class() && cell != "NA" && lower_case(cell) != "nan")) {
      ++words_[std::string(cell)];
      return;
    }
    if (distinct_.size() < kInspectedRows) distinct_.insert(std::hash<std::string_view>()(cell));
    const auto [kind, value] = number(cell);
    if (value) {
      ++of_kind_[static_cast<std::size_t>(kind)];
      if (numbers_.count > 0) runs_ &= *value == last_ + 1;
      numbers_.add(*value);
      last_ = *value;
      whole_ &= *value == std::floor(*value);
      if (first_number_.empty()) first_number_ = std::string(cell);
      if (kind == Kind::number &&
          !parse_number(format_.decimal_comma ? with_decimal_point(cell).value_or("") : std::string(cell)))
        written_.emplace(parse_money(cell) ? "money" : "groups", cell);
      return;
    }
    if (texts_ == 0) first_text_line_ = line;
    ++texts_;
    const std::string_view unit = unit_of(cell, format_.decimal_comma ? ',' : '.');
    with_unit_ += !unit.empty() && (texts_ == 1 || unit == unit_);
    if (texts_ == 1) unit_ = std::string(unit);
    other_dates_ += looks_like_other_date(cell);
    if (const auto found = counts_.find(std::string(cell)); found != counts_.end())
      ++found->second;
    else if (counts_.size() < kMostTexts)
      counts_.emplace(cell, 1);
  }

  // What the reader makes of the column, and what a person should know of it.
  void finish(std::uint64_t rows, InspectedColumn& out, std::vector<Remark>& remarks) {
    const auto say = [&](const Text& text) { remarks.push_back({out.name, text}); };
    const std::uint64_t in_words = total_of_words();
    const std::uint64_t numbers = numbers_.count;
    out.missing = missing_ + (numbers > 0 || texts_ == 0 ? in_words : exactly_na());
    out.distinct = distinct_.size();
    out.numbers = numbers_;
    out.values = most_frequent();
    const bool mixed = numbers > 0 && texts_ > 0 && column_.type != TableColumn::Type::text;
    if (texts_ > 0 || column_.type == TableColumn::Type::text)
      out.kind = Kind::categorical;
    else if (of_kind_[static_cast<std::size_t>(Kind::date)] == numbers)
      out.kind = numbers > 0 ? Kind::date : Kind::number;
    else if (of_kind_[static_cast<std::size_t>(Kind::percent)] == numbers)
      out.kind = Kind::percent;
    else
      out.kind = !whole_ ? Kind::number : numbers_.low >= 0 && numbers_.high <= 1 ? Kind::binary : Kind::integer;
    if (numbers + texts_ == 0) {
      say("no row has a value");
      return;
    }
    if (texts_ == 0 && in_words > 0)
      say(fmt::format("{} {} as missing ({})", joined_words(), words_.size() == 1 ? "counts" : "count",
                      of_rows(in_words)));
    if (texts_ > 0 && in_words > exactly_na())
      say(Text(fmt::format("{} is a category like any other ({}); ", joined_words(), of_rows(in_words - exactly_na())),
               Option{"na", out.name, words_.rbegin()->first}, " makes it missing"));
    if (mixed) say_what_is_mixed(out, say);
    for (const auto& [way, example] : written_)
      say(fmt::format("'{}' is read as {}", example, format_number(*number(example).second)));
    if (out.role == As::label) return;
    if (!mixed && texts_ > 0) say_of_texts(rows, out, say);
    if (out.role == As::left_out) return;
    if (numbers > 1 && texts_ == 0 && out.distinct == numbers && whole_ && out.kind == Kind::integer &&
        (named_like_an_identifier(out.name) ? out.distinct > 10 : runs_ && out.distinct > kNamesFrom)) {
      leave_out(out, say, "every row has another number, which tells rows apart and nothing else");
    } else if (out.distinct == 1 && rows > 1 && out.missing == 0) {
      say(fmt::format("the same in every row, {}", in_quotes(texts_ > 0 ? counts_.begin()->first : first_number_)));
    }
  }

  [[nodiscard]] bool many_numbers() const {
    return texts_ == 0 && (distinct_.size() > kManyNumbers || (!whole_ && distinct_.size() > 2));
  }
  [[nodiscard]] Counted all() const {
    Counted out(counts_.begin(), counts_.end());
    return by_frequency(std::move(out));
  }
  void add_label(std::string_view cell, std::uint64_t line) {
    add(cell, line);
    if (parse_number(cell) && counts_.size() < kMostTexts) ++counts_[format_number(*parse_number(cell))];
  }

 private:
  // Among labels of classes "-" is one like any other.
  [[nodiscard]] bool is_class() const {
    return column_.role == CsvColumn::Role::label && format_.label_use == LabelUse::classes;
  }
  static Counted by_frequency(Counted counts) {
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return counts;
  }
  [[nodiscard]] Counted most_frequent() const {
    Counted out = all();
    if (out.size() > kShownTexts) out.resize(kShownTexts);
    return out;
  }

  [[nodiscard]] std::pair<Kind, std::optional<double>> number(std::string_view cell) const {
    std::string plain(cell);
    if (format_.decimal_comma && cell.find_first_of(".,") != std::string_view::npos) {
      const std::optional<std::string> with_point = with_decimal_point(cell);
      if (!with_point) return {Kind::date, parse_date(cell)};
      plain = *with_point;
    }
    if (const auto value = parse_number(plain)) return {Kind::number, value};
    if (const auto value = parse_date(plain)) return {Kind::date, value};
    if (const auto value = parse_percent(plain)) return {Kind::percent, value};
    if (const auto value = parse_money(plain)) return {Kind::number, value};
    return {Kind::number, format_.delimiter == ',' ? parse_grouped(plain) : std::nullopt};
  }
  [[nodiscard]] std::uint64_t total_of_words() const {
    std::uint64_t total = 0;
    for (const auto& [word, count] : words_) total += count;
    return total;
  }
  [[nodiscard]] std::uint64_t exactly_na() const {  // missing among texts too
    std::uint64_t total = 0;
    for (const auto& [word, count] : words_)
      if (word == "NA" || lower_case(word) == "nan") total += count;
    return total;
  }
  [[nodiscard]] std::string joined_words() const {
    std::vector<std::string> words;
    for (const auto& [word, count] : words_) words.push_back(in_quotes(word));
    return joined(words, " and ");
  }

  template <class Say>
  void say_what_is_mixed(const InspectedColumn& out, const Say& say) const {
    const Counted texts = all();
    const std::string example = texts.empty() ? "" : texts[0].first;
    Text text(fmt::format("{} numbers and {} texts, such as {} (line {})", numbers_.count, texts_, in_quotes(example),
                          first_text_line_));
    if (texts.size() == 1)
      text += Text("; ", Option{"na", out.name, example}, " makes it missing, ",
                   Option{"kind", out.name, "categorical"}, " reads all as text");
    else
      text += Text("; ", Option{"kind", out.name, "categorical"}, " reads all as text");
    say(text);
  }

  template <class Say>
  void say_of_texts(std::uint64_t rows, InspectedColumn& out, const Say& say) const {
    if (with_unit_ == texts_ && !unit_.empty() && out.distinct > 2)
      say(Text(
          fmt::format("numbers with the unit {} are read as {} categories; remove the unit to read them as numbers",
                      in_quotes(unit_), out.distinct)));
    const bool dates = other_dates_ == texts_;
    if (dates)
      say(fmt::format("dates in this form are read as {} categories; as 2024-03-01 they are dates", out.distinct));
    if (wished_) return;
    if (out.distinct > kNamesFrom &&
        static_cast<double>(out.distinct) > kNamesShare * static_cast<double>(rows - out.missing)) {
      leave_out(out, say, fmt::format("{} different texts stand in {}", out.distinct, of_rows(rows)));
      return;
    }
    std::map<std::string, std::string> spellings;
    for (const auto& [text, count] : all())
      if (const auto [other, is_new] = spellings.emplace(lower_case(text), text); !is_new)
        say(fmt::format("{} and {} are two categories", in_quotes(other->second), in_quotes(text)));
  }

  template <class Say>
  static void leave_out(InspectedColumn& out, const Say& say, const std::string& why) {
    say(Text("left out, since ", why, "; ", Option{"kind", out.name, std::string(word(out.kind))}, " keeps it"));
    out.role = As::left_out;
  }

  const CsvColumn& column_;
  const CsvFormat& format_;
  const bool wished_;  // the user has said what it is
  std::uint64_t missing_ = 0, texts_ = 0, with_unit_ = 0, other_dates_ = 0, first_text_line_ = 0;
  std::map<std::string, std::uint64_t> words_;  // that mean "missing"
  std::unordered_set<std::size_t> distinct_;
  std::uint64_t of_kind_[6] = {};
  Moments numbers_;
  double last_ = 0;
  bool whole_ = true, runs_ = true;  // runs: each number is one more than that before
  std::string first_number_, unit_;
  std::map<std::string, std::string> written_;  // way of writing -> an example
  std::unordered_map<std::string, std::uint64_t> counts_;
};

class CsvInspector {
  // What reads a piece of text, whose lines are counted from 1.
  template <class Read>
  auto in_file(const Read& read) const {
    try {
      return read();
    } catch (Failure& failure) {
      failure.place.line += line_;
      throw;
    }
  }

 public:
  CsvInspector(Chunker& chunker, const Layout& layout, const ReadOptions& options, std::uint64_t most)
      : chunker_(chunker), layout_(layout), options_(options), most_(most), line_(layout.lines_read) {
    for (const CsvColumn& column : csv_.columns) counts_.emplace_back(column, csv_, wished(column));
  }

  void run(Inspection& out) {
    Array<char> text;
    std::string csv;
    const auto complete = [&](std::string_view part) {
      return layout_.translator ? complete_lines(part) : complete_csv_records(part, csv_.delimiter);
    };
    while (out.rows < most_) {
      const std::size_t size = chunker_.next(text, complete);
      if (size == 0) break;
      if (size == Chunker::kTooLong) throw too_long();
      std::string_view rest(text.data(), size);
      rest = in_file([&] {
        if (const auto nul = find_nul(rest)) throw Failure(*nul);
        return layout_.translator ? translated(*layout_.translator, rest, csv) : rest;
      });
      out.complete = add_records(rest, out) && chunker_.empty();
    }
    if (out.rows < most_) out.complete = true;
    finish(out);
  }

 private:
  [[nodiscard]] bool wished(const CsvColumn& column) const { return options_.wishes.kinds.contains(column.name); }

  // Whether all of them were wanted.
  bool add_records(std::string_view rest, Inspection& out) {
    while (!rest.empty() && out.rows < most_) {
      const CsvRecord record = in_file([&] { return first_csv_record(rest, csv_.delimiter); });
      if (!record.found) {
        line_ += record.lines;
        return true;
      }
      if (record.cells.size() != counts_.size())
        throw Failure{.code = Code::wrong_count,
                      .place = {"", line_ + record.line, 0},
                      .subject = {"row"},
                      .message = fmt::format("found {} cells, expected {}", record.cells.size(), counts_.size()),
                      .found = fmt::format("{} cells", record.cells.size()),
                      .expected = fmt::format("{} cells", counts_.size())};
      for (std::size_t c = 0; c < counts_.size(); ++c) {
        if (csv_.columns[c].role == CsvColumn::Role::label)
          counts_[c].add_label(record.cells[c], line_ + record.line);
        else
          counts_[c].add(record.cells[c], line_ + record.line);
      }
      ++out.rows;
      line_ += record.lines;
      rest.remove_prefix(record.end);
    }
    return rest.empty();
  }

  void finish(Inspection& out) {
    for (std::size_t c = 0; c < counts_.size(); ++c) {
      const CsvColumn& column = csv_.columns[c];
      InspectedColumn& to = out.columns.emplace_back();
      to.name = column.name;
      to.role = column.role == CsvColumn::Role::label  ? As::label
                : column.name == options_.weight       ? As::weight
                : column.role == CsvColumn::Role::skip ? As::ignored
                                                       : As::feature;
      if (to.role == As::label) {
        out.numeric_label = counts_[c].many_numbers();
        out.classes = counts_[c].all();
      }
      std::vector<Remark> none;
      const bool used = to.role == As::feature || to.role == As::label;
      if (to.role == As::feature && wished(column)) {
        std::vector<Remark> said;
        counts_[c].finish(out.rows, to, said);
        if (to.role == As::left_out)
          to.role = As::feature;
        else
          out.remarks.insert(out.remarks.end(), said.begin(), said.end());
        continue;
      }
      counts_[c].finish(out.rows, to, used ? out.remarks : none);
    }
  }

  Chunker& chunker_;
  const Layout& layout_;
  const CsvFormat& csv_ = layout_.csv;
  const ReadOptions& options_;
  std::uint64_t most_;
  std::uint64_t line_;
  std::vector<CellCounts> counts_;
};

void inspect_libsvm(Reader& reader, std::uint64_t most, Inspection& out) {
  std::vector<std::uint64_t> labels;
  std::size_t read_more = 1;
  for (Block block; out.rows < most && (read_more = reader.next(block) ? 1 : 0) != 0;) {
    out.rows += block.rows();
    labels.resize(reader.table().labels.size());
    for (std::size_t i = 0; i < block.rows(); ++i) {
      out.nonzeros += block.row(i).count;
      if (!block.labels().empty() && !std::isnan(block.labels()[i]))
        ++labels[static_cast<std::size_t>(block.labels()[i])];
    }
  }
  out.complete = read_more == 0;
  out.features = reader.table().width;
  for (std::size_t k = 0; k < labels.size(); ++k) out.classes.emplace_back(reader.table().labels[k], labels[k]);
  std::sort(out.classes.begin(), out.classes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  const auto whole = [](const auto& entry) {
    const std::optional<double> value = parse_number(entry.first);
    return value && *value == std::floor(*value);
  };
  const bool numbers = std::all_of(out.classes.begin(), out.classes.end(),
                                   [](const auto& entry) { return parse_number(entry.first).has_value(); });
  out.numeric_label =
      numbers && (out.classes.size() > kManyNumbers || !std::all_of(out.classes.begin(), out.classes.end(), whole));
}

// What concerns the label and the file as a whole.
void remark_on_label(Inspection& out, const ReadOptions& options) {
  const auto say = [&](const Text& text) { out.remarks.insert(out.remarks.begin(), {out.label, text}); };
  std::uint64_t labelled = 0;
  for (const auto& [name, count] : out.classes) labelled += count;
  if (out.label.empty() || labelled == 0) return;
  if (out.numeric_label && !options.real_labels) {
    say(Text(fmt::format("the label has {} different numbers; ",
                         out.classes.size() == kMostTexts ? "many" : fmt::format("{}", out.classes.size())),
             Option{"task", "", "regression"}, " predicts numbers instead of classes"));
    return;
  }
  if (options.real_labels) return;
  if (out.classes.size() == 1) say(fmt::format("all labels are {}", in_quotes(out.classes[0].first)));
  if (out.classes.size() > kNamesFrom &&
      static_cast<double>(out.classes.size()) > kNamesShare * static_cast<double>(labelled))
    say(Text(fmt::format("nearly every row has a label of its own ({} labels); ", out.classes.size()), Option{"label"},
             " names another column"));
  const auto& [rare, count] = out.classes.back();
  if (const double share = static_cast<double>(count) / static_cast<double>(labelled);
      out.classes.size() == 2 && share < kRareClass)
    say(Text(fmt::format("only {:.2g} % of the labels are {}; ", 100 * share, in_quotes(rare)),
             Option{"decide", "", "balanced"}, " or ", Option{"decide", "", "cost:fp=1,fn=10"},
             " decides otherwise than by the likelier class"));
  std::map<std::string, std::string> spellings;
  for (const auto& [text, rows] : out.classes)
    if (const auto [other, is_new] = spellings.emplace(lower_case(text), text); !is_new)
      say(fmt::format("{} and {} are two classes", in_quotes(other->second), in_quotes(text)));
}

// `open`: the bytes from their beginning; `read`: a reader of them.
template <class Open, class Read>
Inspection inspect_rows(const std::string& path, const Open& open, const Read& read, ReadOptions options,
                        std::uint64_t rows) {
  Inspection out;
  out.source = path == "-" ? "standard input" : path;
  options.schema = nullptr;
  try {
    Chunker chunker(open(), 256 * 1024);
    const Layout layout = find_layout(chunker, path, options, open);
    out.format = layout.format;
    out.label = layout.table.label_name;
    const std::string name = lower_case(out.label);
    out.label_by_name = options.label || name == "label" || name == "class" || name == "target";
    if (layout.format == Format::libsvm) {
      options.format = Format::libsvm;
      Reader reader = read(options);
      inspect_libsvm(reader, rows, out);
    } else {
      out.delimiter = layout.csv.delimiter;
      out.decimal_comma = layout.csv.decimal_comma;
      out.header = layout.lines_read > 0 || layout.translator;
      CsvInspector(chunker, layout, options, rows).run(out);
      if (out.rows == 0) throw Failure{.code = Code::empty, .message = "there are no rows behind the header"};
      if (!out.header)
        out.remarks.push_back({"", Text("the first line is read as a row, not as names of columns; ",
                                        Option{"header", "", "yes"}, " reads it as names")});
      if (out.decimal_comma)
        out.remarks.push_back(
            {"", Text("numbers are read with decimal commas; ", Option{"decimal", "", "point"}, " undoes that")});
    }
  } catch (Failure& failure) {
    failure.place.file = out.source;
    throw DataError(std::move(failure));
  }
  remark_on_label(out, options);
  return out;
}

}  // namespace

Inspection inspect(const std::string& path, const ReadOptions& options, std::uint64_t rows) {
  if (path == "-") {  // cannot be read twice
    const std::unique_ptr<ByteSource> input = open_source(path);
    std::string bytes, part(kBuffer, '\0');
    while (const std::size_t size = input->read(part.data(), part.size())) bytes.append(part, 0, size);
    Inspection out = inspect_memory(std::move(bytes), options, rows);
    out.source = "standard input";
    return out;
  }
  return inspect_rows(
      path, [&] { return open_source(path); }, [&](const ReadOptions& read) { return Reader(path, read); }, options,
      rows);
}

Inspection inspect_memory(std::string bytes, const ReadOptions& options, std::uint64_t rows) {
  return inspect_rows(
      "memory", [&] { return memory_source(bytes); },
      [&](const ReadOptions& read) { return Reader::from_memory(bytes, read); }, options, rows);
}

void leave_out(const Inspection& inspection, ReadOptions& options) {
  for (const InspectedColumn& column : inspection.columns) {
    if (column.role != As::left_out) continue;
    options.ignore.push_back(column.name);
    options.wishes.ignored.push_back(column.name);
  }
}

}  // namespace postil
