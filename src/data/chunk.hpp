// What the parsers make of one chunk of text. Chunks are parsed on any thread, each alone, and joined in file order
// (reader.cpp), so the result cannot depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "postil/error.hpp"
#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

// Distinct texts, numbered in the order of their first appearance.
class TextTable {
 public:
  // The number of a text, and whether it was new.
  std::pair<std::uint32_t, bool> insert(std::string_view text);
  [[nodiscard]] bool contains(std::string_view text) const { return numbers_.contains(text); }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }
  void clear();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::string> texts_;
  std::uint32_t last_ = 0;
};

// A column of a CSV file within one chunk. What the column holds is decided by its first cell that is not missing.
struct ChunkColumn {
  TableColumn::Type type = TableColumn::Type::unknown;
  Kind written = Kind::number;
  std::uint64_t line = 0, column = 0;  // of that first cell
  // Cells before it that mean "missing" if it is a number, and are texts like any other if it is a text: where, and what.
  std::vector<std::pair<std::size_t, std::string>> undecided;
  TextTable texts;

  void decide_for_text(BlockData& data);  // the chunk's
};

struct ParsedChunk {
  BlockData data;  // text and label codes are numbers of this chunk's own tables; lines count from 1 within the chunk
  std::vector<ChunkColumn> columns;  // CSV: per table column
  TextTable labels;                  // as spelt
  std::uint64_t lines = 0;           // in the chunk
  std::optional<Failure> failure;    // the first (the parsers throw it); its line counts from 1 within the chunk

  void clear(std::size_t columns);
};

constexpr std::size_t kMostCategories = 10'000;  // distinct texts in a column
constexpr std::size_t kMostClasses = 1'000;
constexpr std::uint32_t kMostFeatures = 100'000'000;

enum class LabelUse : std::uint8_t { none, classes, numbers };

// What is wrong with a text that is to stand for a class or category; none if nothing.
std::optional<Failure> text_problem(std::string_view text);

// What is wrong with a cell, within a chunk or between chunks; still without its place.
bool has_decimal_comma(std::string_view cell);  // 1,5
// `written`: what the column's numbers are written as; `inferred`: which is not from a schema.
Failure not_a_number(std::string_view cell, const std::string& column, bool inferred, Kind written = Kind::number,
                     bool decimal_comma = false);
Failure number_among_texts(const std::string& column, Kind written = Kind::number);
Failure too_many_texts(const std::string& column);
Failure too_many_labels();
Failure of_column(Failure failure, const std::string& column);  // "column 'x': MESSAGE"

// Needs for all parsers: text is empty or ends with '\n', holds no NUL, and kScanPadding zero bytes may be read behind
// it.
void parse_libsvm(std::string_view text, LabelUse label_use, ParsedChunk& out);

// One column of a CSV file, in file order.
struct CsvColumn {
  enum class Role : std::uint8_t { skip, label, value };
  Role role = Role::value;
  std::size_t place = 0;                                // value: which table column
  TableColumn::Type type = TableColumn::Type::unknown;  // known beforehand: from a schema or the user
  Kind written = Kind::number;                          // likewise
  std::string name;
  std::optional<std::size_t> kept;         // its place among the columns whose cells are kept as they are
  std::vector<std::string> missing_texts;  // besides '?', 'NA' and nothing
  std::vector<double> missing_numbers;
};

constexpr char kDelimiters[] = {',', '\t', ';', '|'};  // that are tried

struct CsvFormat {
  char delimiter = ',';
  std::vector<CsvColumn> columns;
  std::uint32_t width = 0;  // values a row
  std::size_t kept = 0;     // cells a row
  LabelUse label_use = LabelUse::classes;
  bool decimal_comma = false;  // 1.234,5
};

// Whether a line of CSV is a comment: it begins with '#', and not with the cell #N/A of spreadsheets.
inline bool is_comment(std::string_view from_here) {
  if (!from_here.starts_with('#')) return false;
  constexpr std::string_view kNoValue = "#N/A";
  return !from_here.starts_with(kNoValue) || from_here.size() == kNoValue.size() ||
         std::string_view(",;|\t\r\n").find(from_here[kNoValue.size()]) == std::string_view::npos;
}

void parse_csv(std::string_view text, const CsvFormat& format, ParsedChunk& out);

// The cells of the first record, unquoted, and where the text goes on behind it. Skips comments and blank lines.
struct CsvRecord {
  std::vector<std::string> cells;
  std::vector<std::uint64_t> columns;  // byte column of each cell, from 1
  std::size_t end = 0;
  std::uint64_t line = 0;   // it began on
  std::uint64_t lines = 0;  // up to its end
  bool found = false;
};
CsvRecord first_csv_record(std::string_view text, char delimiter);

// Bytes up to and with the last line end at which no quoted cell is open; 0 if there is none.
std::size_t complete_csv_records(std::string_view text, char delimiter);

}  // namespace postil
