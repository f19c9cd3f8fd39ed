// Text of formats other than CSV, line by line, as CSV: so that one parser decides what a cell is, whatever the file.
//
// Each line of the text becomes one line of CSV (a blank one, if it holds no row), so that line numbers stay those of
// the file. Lines are translated on any thread, each chunk alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "postil/data.hpp"

namespace postil {

class LineTranslator {
 public:
  LineTranslator() = default;
  virtual ~LineTranslator() = default;
  LineTranslator(const LineTranslator&) = delete;
  LineTranslator& operator=(const LineTranslator&) = delete;

  // Needs: lines is empty or ends with '\n'. Appends as many lines of CSV. Throws Failure, its line counted from 1.
  virtual void translate(std::string_view lines, std::string& csv) const = 0;
};

// What such a format says of its columns.
struct ForeignHeader {
  std::vector<std::string> names;     // in the order of the CSV cells
  std::map<std::string, Kind> kinds;  // of the columns whose cells must not be guessed at
  std::size_t bytes = 0, lines = 0;   // of the text, which hold no rows
  std::unique_ptr<const LineTranslator> translator;
};

// ---- JSON lines: one object a line ----

// The columns of JSON lines: those of the schema, if there is one, then the keys in the order of their first appearance.
class JsonKeys {
 public:
  explicit JsonKeys(const ReadOptions& options);
  ~JsonKeys();
  JsonKeys(const JsonKeys&) = delete;
  JsonKeys& operator=(const JsonKeys&) = delete;

  void add(std::string_view lines);  // needs as LineTranslator::translate, and throws the same
  // Where not all lines have been seen, a key that appears later is an error, and the schema's columns are taken to be there.
  [[nodiscard]] ForeignHeader header(bool all_lines_seen) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// ---- ARFF, Weka's format ----

bool looks_like_arff(std::string_view text);  // a '@relation' behind comments and blank lines
// Needs: the text of the file up to the end of some line. None: the header goes on behind it. Throws Failure.
std::optional<ForeignHeader> arff_header(std::string_view text, const std::vector<std::string>& ignored);

// ---- for translators ----

// The translated lines, with the padding behind them that parsers need.
std::string_view translated(const LineTranslator& translator, std::string_view lines, std::string& csv);
void append_csv_text(std::string& csv, std::string_view text);  // in quotes; line ends become spaces

}  // namespace postil
