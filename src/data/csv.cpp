// csv.cpp: reads CSV and its relatives (docs/formats.md).
//
//   record  = cell {delimiter cell} end-of-line
//   cell    = number | text without delimiter or line end | '"' any text, '""' for a quote '"'
// A line that begins with '#' is a comment; blank lines are skipped; spaces around a cell do not count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chunk.hpp"
#include "core/failures.hpp"
#include "postil/text.hpp"
#include "scan_number.hpp"
#include "tokens.hpp"

namespace postil {
namespace {

using Type = TableColumn::Type;
using Role = CsvColumn::Role;

constexpr double kMissingValue = std::numeric_limits<double>::quiet_NaN();

// A place in the text being read, with its line.
struct Cursor {
  const char* p;
  const char* end;
  std::uint64_t line = 0;
  const char* line_start = nullptr;

  [[nodiscard]] std::uint64_t column(const char* at) const { return static_cast<std::uint64_t>(at - line_start) + 1; }
  [[noreturn]] void fail(const char* at, Failure failure) const {
    failure.place = {"", line, column(at)};
    throw failure;
  }

  // Moves to the beginning of the next record; false at the end of the text.
  bool next_record() {
    while (p != end) {
      line_start = p;
      ++line;
      const char* content = p;
      while (*content == ' ') ++content;
      if (!is_comment({p, end}) && *content != '\n' && !(*content == '\r' && content[1] == '\n')) return true;
      p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
    }
    return false;
  }

  [[nodiscard]] bool at_line_end() const { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }
  void skip_line_end() { p += *p == '\r' ? 2 : 1; }

  // Reads the cell at p and stops at the delimiter or line end behind it. The text lies in the input or in `scratch`.
  std::string_view cell(char delimiter, std::string& scratch) {
    const auto blank = [&](char c) { return (c == ' ' || c == '\t') && c != delimiter; };
    while (blank(*p)) ++p;
    if (*p == '"') return quoted_cell(delimiter, scratch);
    const char* from = p;
    while (*p != delimiter && *p != '\n') ++p;
    const char* to = p;
    if (*p == '\n' && to > from && to[-1] == '\r') p = --to;
    while (to > from && blank(to[-1])) --to;
    return {from, static_cast<std::size_t>(to - from)};
  }

  std::string_view quoted_cell(char delimiter, std::string& scratch) {
    const char* open = p++;
    const Cursor opened = *this;
    scratch.clear();
    for (;;) {
      if (p == end)
        opened.fail(open, {.code = Code::bad_syntax, .message = "a quoted cell begins here and is never closed"});
      if (*p == '"') {
        if (p[1] != '"') break;
        ++p;
      } else if (*p == '\n') {
        ++line;
        line_start = p + 1;
      }
      scratch += *p++;
    }
    ++p;
    while ((*p == ' ' || *p == '\t') && *p != delimiter) ++p;
    if (*p != delimiter && !at_line_end())
      fail(p, {.code = Code::bad_syntax,
               .message = "found text after a closing quote, expected a delimiter or the end of the line",
               .found = "text after a closing quote",
               .expected = "a delimiter or the end of the line"});
    return scratch;
  }
};

class CsvParser {
 public:
  CsvParser(std::string_view text, const CsvFormat& format, ParsedChunk& out)
      : at_{text.data(), text.data() + text.size()},
        record_(at_),
        format_(format),
        out_(out),
        data_(out.data),
        numbers_(format.columns.size(), kNotNumbers) {
    for (const CsvColumn& column : format.columns)
      if (column.role == Role::value) {
        out.columns[column.place].type = column.type;
        out.columns[column.place].written = column.written;
      }
    data_.width = format.width;
  }

  void run() {
    while (at_.next_record()) {
      record_ = at_;
      data_.kept.resize(data_.kept.size() + format_.kept);
      data_.lines.push_back(at_.line);
      if (used_ + format_.width > data_.values.size()) make_room();
      double* row = data_.values.data() + used_;
      find_tokens();
      if (!read_plain_record(row)) read_record(row);
      used_ += format_.width;
    }
    out_.lines = at_.line;
    data_.values.resize(used_);
  }

 private:
  // Sees to it that token_ is the first cell end at or behind at_.p, if the text about there has no quotes.
  void find_tokens() {
    if (at_.p >= batch_end_) {
      constexpr std::size_t kBatch = 32 * 1024;
      const auto left = static_cast<std::size_t>(at_.end - at_.p);
      const void* last = left <= kBatch ? at_.end - 1 : ::memrchr(at_.p, '\n', kBatch);
      if (last == nullptr) last = std::memchr(at_.p, '\n', left);
      batch_ = at_.p;
      batch_end_ = static_cast<const char*>(last) + 1;
      const auto size = static_cast<std::size_t>(batch_end_ - batch_);
      quotes_ = std::memchr(batch_, '"', size) != nullptr;
      if (!quotes_) tokens_.find(batch_, size, {format_.delimiter, false});
      token_ = tokens_.data();
    }
    if (!quotes_)
      while (batch_ + *token_ < at_.p) ++token_;  // what comments and blank lines hold
  }

  // The fast way, for a record without quotes; cells that are no plain numbers go through read_cell. False, and nothing
  // is changed: the record has too many cells, or it is the last and has too few.
  bool read_plain_record(double* row) {
    const std::size_t cells = format_.columns.size();
    if (quotes_ || static_cast<std::size_t>(tokens_.end() - token_) < cells || batch_[token_[cells - 1]] != '\n')
      return false;
    const char* p = at_.p;
    for (std::size_t c = 0; c < cells; ++c) {
      const char* end = batch_ + token_[c];
      const std::uint32_t place = numbers_[c];
      if (place == kNotNumbers || !read_short_number(p, static_cast<std::size_t>(end - p), row[place])) {
        at_.p = p;
        read_cell(c, format_.columns[c], row);
      }
      if (*end == '\n' && c + 1 < cells) fail_count();
      p = end + 1;
    }
    at_.p = p;
    token_ += cells;
    return true;
  }

  // The careful way.
  void read_record(double* row) {
    const std::size_t cells = format_.columns.size();
    for (std::size_t c = 0; c < cells; ++c) {
      if (c > 0) {
        if (*at_.p != format_.delimiter) fail_count();
        ++at_.p;
      }
      read_cell(c, format_.columns[c], row);
    }
    if (!at_.at_line_end()) fail_count();
    at_.skip_line_end();
  }

  void read_cell(std::size_t c, const CsvColumn& column, double* row) {
    const char* from = at_.p;
    const Cursor before = at_;
    const std::string_view cell = at_.cell(format_.delimiter, scratch_);
    const auto fail = [&](Failure failure) {
      if (count_cells().first != format_.columns.size()) fail_count();  // then this is hardly the column's own cell
      before.fail(from, of_column(std::move(failure), column.name));
    };
    if (column.kept) data_.kept[data_.kept.size() - format_.kept + *column.kept] = cell;
    if (column.role == Role::skip) return;
    if (column.role == Role::label) {
      data_.labels.push_back(label(column, cell, fail));
      return;
    }
    row[column.place] = value(c, column, cell, before.line, before.column(from), fail);
  }

  static bool is_missing(const CsvColumn& column, std::string_view cell) {
    return cell.empty() || cell == "?" || cell == "NA" || (cell.size() == 3 && lower_case(cell) == "nan") ||
           std::find(column.missing_texts.begin(), column.missing_texts.end(), cell) != column.missing_texts.end();
  }
  static bool is_missing(const CsvColumn& column, double number) {
    return std::find(column.missing_numbers.begin(), column.missing_numbers.end(), number) !=
           column.missing_numbers.end();
  }

  template <class Fail>
  double label(const CsvColumn& column, std::string_view cell, const Fail& fail) {
    if (is_missing(column, cell)) return kMissingValue;
    if (!column.missing_numbers.empty())
      if (const std::optional<double> number = parse_number(cell); number && is_missing(column, *number))
        return kMissingValue;
    if (format_.label_use == LabelUse::numbers) {
      if (means_missing(cell)) return kMissingValue;
      const Written number = written(cell);
      if (!number || number.as == Kind::date) fail(not_expected(Code::not_a_number, cell, "a finite number"));
      return *number;
    }
    const auto [number, is_new] = out_.labels.insert(cell);
    if (is_new) {
      if (std::optional<Failure> failure = text_problem(cell)) fail(*std::move(failure));
      if (number >= kMostClasses) fail(too_many_labels());
    }
    return number;
  }

  // A cell as a number, if it is one in some way of writing. Where cells end at commas, 1,234 in quotes is 1234; elsewhere it may
  // be meant as 1.234, and is none.
  struct Written : std::optional<double> {
    Kind as = Kind::number;
  };
  [[nodiscard]] Written written(std::string_view cell) const {
    if (!format_.decimal_comma || cell.find_first_of(".,") == std::string_view::npos) return with_point(cell);
    const std::optional<std::string> plain = with_decimal_point(cell);
    return plain ? with_point(*plain) : Written{parse_date(cell), Kind::date};
  }
  [[nodiscard]] Written with_point(std::string_view cell) const {
    if (const std::optional<double> number = parse_number(cell)) return {number};
    if (const std::optional<double> days = parse_date(cell)) return {days, Kind::date};
    if (const std::optional<double> percent = parse_percent(cell)) return {percent, Kind::percent};
    if (const std::optional<double> money = parse_money(cell)) return {money};
    return {format_.delimiter == ',' ? parse_grouped(cell) : std::nullopt};
  }

  template <class Fail>
  double value(std::size_t c, const CsvColumn& column, std::string_view cell, std::uint64_t line, std::uint64_t at,
               const Fail& fail) {
    if (is_missing(column, cell)) return kMissingValue;
    ChunkColumn& state = out_.columns[column.place];
    const Written number = state.type == Type::text && column.type == Type::text ? Written{} : written(cell);
    if (number && is_missing(column, *number)) return kMissingValue;
    if (!number && state.type != Type::text && means_missing(cell)) {
      if (state.type == Type::unknown) state.undecided.emplace_back(used_ + column.place, cell);
      return kMissingValue;
    }
    if (state.type == Type::unknown) {
      // taken for text, each would be a category
      if (!number && (format_.decimal_comma ? parse_number(cell).has_value() : has_decimal_comma(cell)))
        fail(not_a_number(cell, column.name, true, Kind::number, format_.decimal_comma));
      state.type = number ? Type::number : Type::text;
      state.written = number.as;
      state.line = line;
      state.column = at;
      if (!number) state.decide_for_text(data_);
    }
    if (state.type == Type::number) {
      if (!number || number.as != state.written)
        fail(not_a_number(cell, column.name, column.type == Type::unknown, state.written, format_.decimal_comma));
      if (column.missing_numbers.empty() && number.as == Kind::number && !format_.decimal_comma && !column.kept)
        numbers_[c] = static_cast<std::uint32_t>(column.place);
      return *number;
    }
    if (number) fail(number_among_texts(column.name, number.as));
    const auto [code, is_new] = state.texts.insert(cell);
    if (is_new) {
      if (std::optional<Failure> failure = text_problem(cell)) fail(*std::move(failure));
      if (code >= kMostCategories) fail(too_many_texts(column.name));
    }
    return code;
  }

  // How many cells the current record has, and where it should have ended or did end too early.
  std::pair<std::size_t, Cursor> count_cells() const {
    Cursor at = record_, end = record_;
    std::string scratch;
    for (std::size_t cells = 1;; ++cells, ++at.p) {
      at.cell(format_.delimiter, scratch);
      if (cells <= format_.columns.size()) end = at;
      if (*at.p != format_.delimiter) return {cells, end};
    }
  }
  [[noreturn]] void fail_count() const {
    const auto [cells, end] = count_cells();
    end.fail(end.p, {.code = Code::wrong_count,
                     .subject = {"row"},
                     .message = fmt::format("found {} cells, expected {}", cells, format_.columns.size()),
                     .found = fmt::format("{} cells", cells),
                     .expected = fmt::format("{} cells", format_.columns.size())});
  }

  void make_room() {
    data_.values.resize(std::max<std::size_t>(2 * data_.values.size(),
                                              static_cast<std::size_t>(at_.end - at_.p) / 8 + 2UL * format_.width));
  }

  Cursor at_;
  Cursor record_;  // where the current record begins
  const CsvFormat& format_;
  ParsedChunk& out_;
  BlockData& data_;
  static constexpr std::uint32_t kNotNumbers = ~std::uint32_t{0};
  std::vector<std::uint32_t> numbers_;  // per file column: its place, once it is known to hold plain numbers
  std::string scratch_;
  std::size_t used_ = 0;
  Tokens tokens_;
  const char* batch_ = nullptr;  // tokens_ are those of [batch_, batch_end_), unless it holds quotes
  const char* batch_end_ = nullptr;
  bool quotes_ = false;
  const std::uint32_t* token_ = nullptr;
};

}  // namespace

void parse_csv(std::string_view text, const CsvFormat& format, ParsedChunk& out) {
  out.clear(format.width);
  try {
    CsvParser(text, format, out).run();
  } catch (Failure& failure) {
    out.failure = std::move(failure);
  }
}

CsvRecord first_csv_record(std::string_view text, char delimiter) {
  Cursor at{text.data(), text.data() + text.size()};
  CsvRecord record;
  record.found = at.next_record();
  record.line = at.line;
  std::string scratch;
  while (record.found) {
    record.columns.push_back(at.column(at.p));
    record.cells.emplace_back(at.cell(delimiter, scratch));
    if (*at.p != delimiter) {
      at.skip_line_end();
      break;
    }
    ++at.p;
  }
  record.lines = at.line;
  record.end = static_cast<std::size_t>(at.p - text.data());
  return record;
}

std::size_t complete_csv_records(std::string_view text, char delimiter) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto find = [&](const char* from, char c) {
    return static_cast<const char*>(std::memchr(from, c, static_cast<std::size_t>(end - from)));
  };
  const auto last_line_end = [](const char* from, const char* to) -> const char* {
    return static_cast<const char*>(::memrchr(from, '\n', static_cast<std::size_t>(to - from)));
  };
  std::size_t complete = 0;
  const char* from = begin;  // no quoted cell is open here
  while (from < end) {
    const char* quote = find(from, '"');
    // A quote opens a cell only at the cell's beginning, and never within a comment.
    while (quote != nullptr) {
      const char* before = quote;
      while (before > from && (before[-1] == ' ' || before[-1] == '\t') && before[-1] != delimiter) --before;
      const char* line_end = last_line_end(from, quote);
      const bool comment = line_end != nullptr ? is_comment({line_end + 1, end}) : from == begin && is_comment(text);
      if (!comment && (before == begin || before[-1] == delimiter || before[-1] == '\n')) break;
      quote = find(quote + 1, '"');
    }
    const char* const segment_end = quote == nullptr ? end : quote;
    if (const char* line_end = last_line_end(from, segment_end))
      complete = static_cast<std::size_t>(line_end - begin) + 1;
    if (quote == nullptr) break;
    const char* close = quote + 1;
    for (;;) {
      close = find(close, '"');
      if (close == nullptr) return complete;
      if (close + 1 == end || close[1] != '"') break;
      close += 2;
    }
    from = close + 1;
  }
  return complete;
}

}  // namespace postil
