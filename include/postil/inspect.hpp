// What a data file holds, found before anything is learned from it, and what of it may be meant otherwise than it reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "postil/data.hpp"
#include "postil/error.hpp"

namespace postil {

struct InspectedColumn {
  enum class Role : std::uint8_t { feature, label, weight, ignored, left_out };  // left_out: names and numbers of rows
  std::string name;
  Role role = Role::feature;
  Kind kind = Kind::number;  // categorical: text
  std::uint64_t missing = 0;
  std::uint64_t distinct = 0;                                 // values
  Moments numbers;                                            // of a column of numbers
  std::vector<std::pair<std::string, std::uint64_t>> values;  // the most frequent texts and how often they stand there
};

struct Remark {
  std::string column;  // empty: the file
  Text text;
};

struct Inspection {
  std::string source;
  Format format = Format::csv;
  char delimiter = ',';
  bool header = false;
  bool decimal_comma = false;
  std::uint64_t rows = 0;      // that were looked at
  bool complete = true;        // there are no others
  std::uint32_t features = 0;  // LIBSVM
  std::uint64_t nonzeros = 0;  // LIBSVM: values that are there
  std::string label;           // empty: none
  bool label_by_name = false;  // it is called label, class or target, or the user has named it; else it is the last
  bool numeric_label = false;  // its values are numbers of which there are many
  std::vector<std::pair<std::string, std::uint64_t>> classes;  // in the order of their size
  std::vector<InspectedColumn> columns;                        // CSV, in the order of the file
  std::vector<Remark> remarks;
};

constexpr std::uint64_t kInspectedRows = 100'000;

// Looks at the first rows of a file. Throws DataError.
Inspection inspect(const std::string& path, const ReadOptions& options, std::uint64_t rows = kInspectedRows);
Inspection inspect_memory(std::string bytes, const ReadOptions& options, std::uint64_t rows = kInspectedRows);

// Leaves out of what is read the columns that only tell rows apart, unless the user has said what kind they are.
void leave_out(const Inspection& inspection, ReadOptions& options);

}  // namespace postil
