// What a file's columns are: told from its beginning, its name, the options and, if there is one, the schema.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chunk.hpp"
#include "chunker.hpp"
#include "postil/data.hpp"

namespace postil {

struct Layout {
  Format format = Format::guess;
  CsvFormat csv;  // its label_use counts for LIBSVM too
  Table table;
  std::uint64_t lines_read = 0;  // of the header
  bool weighted = false;         // CSV: the last value of each row is its weight
};

// Takes the header, if there is one, out of the text. Throws DataError.
Layout find_layout(Chunker& chunker, const std::string& path, const ReadOptions& options);

// What is to be said of the first NUL byte in a text, if there is one.
std::optional<Failure> find_nul(std::string_view text);

// What is said of a record longer than kLongestRecord.
Failure too_long();

}  // namespace postil
