// What a file's columns are: told from its beginning, its name, the options and, if there is one, the schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chunk.hpp"
#include "chunker.hpp"
#include "line_translator.hpp"
#include "postil/data.hpp"

namespace postil {

struct Layout {
  Format format = Format::guess;
  CsvFormat csv;                                     // its label_use counts for LIBSVM too
  std::unique_ptr<const LineTranslator> translator;  // of other text with named columns, into such CSV
  Table table;
  std::uint64_t lines_read = 0;  // of the header
  bool weighted = false;         // CSV: the last value of each row is its weight
};

// Takes the header, if there is one, out of the text. `again` gives the same bytes from the first on; empty: nothing can.
// Throws DataError.
Layout find_layout(Chunker& chunker, const std::string& path, const ReadOptions& options,
                   const std::function<std::unique_ptr<ByteSource>()>& again);

// What is to be said of the first NUL byte in a text, if there is one.
std::optional<Failure> find_nul(std::string_view text);

// What is said of a record longer than kLongestRecord.
Failure too_long();

}  // namespace postil
