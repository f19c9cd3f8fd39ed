// Data: sources of raw blocks, files in and out, generated sets.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/error.hpp"
#include "postil/params.hpp"
#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

// ---- Sources of examples: raw blocks in order. Readers are those that read files, with bounded memory ----

enum class Format : std::uint8_t { guess, csv, libsvm, jsonl, arff };  // csv: any delimiter

constexpr bool has_names(Format format) { return format != Format::libsvm; }  // of columns
std::string_view word(Format format);                                         // as the option --format takes it
Format format_of(std::string_view word);                                      // throws ParamError
Format format_of_name(const std::string& path);  // by its ending; guess if that says nothing

bool can_read_again(const std::string& path);  // a regular file: not a pipe, not standard input

// For input that arrives while it is read: a block is one row, given as soon as its line is complete, and a row that
// cannot be read does not keep the reader from going on with the next.
struct LiveInput {
  int stop = -1;                 // a descriptor: when it becomes readable, the input ends with the last complete row
  std::function<int()> waiting;  // called before waiting for more; gives the longest wait in milliseconds, -1: no limit
};

// Some of the lines of a file, by its size: part k of n begins at the first line that begins in the k-th n-th of it. Each part
// is read with the file's header.
struct FilePart {
  std::uint64_t number = 0, of = 1;
};

struct ReadOptions {
  Format format = Format::guess;
  std::optional<char> delimiter;  // CSV; not given: guessed
  std::optional<bool> header;     // CSV: the first record holds names; not given: guessed
  std::optional<bool>
      decimal_comma;  // CSV: 1.234,5 and not 1,234.5; not given: guessed from the first rows, not of live input
  // Of columns with names, that is, not of LIBSVM:
  std::optional<std::string> label;   // the label column; not given: `label`, `class` or `target`, else the last
  std::optional<std::string> weight;  // a column that says how much a row counts
  bool use_label = true;              // false: a label column is skipped
  bool unlabelled = false;            // there is no label column
  bool label_needed = true;           // false: of a schema's columns the label may not be there
  bool real_labels = false;           // labels are numbers (regression), not classes
  std::vector<std::string> ignore;    // columns to leave out
  std::vector<std::string> keep;      // columns whose cells come with the rows as they are, BlockData::kept
  ColumnWishes wishes;
  const Schema* schema = nullptr;  // read the columns of this schema, by name; must outlive the reader
  bool more_columns = false;       // ... and behind them those that it does not know
  // LIBSVM: a row with a larger number is refused.
  std::uint32_t most_features = std::numeric_limits<std::uint32_t>::max();
  FilePart part = {};    // of a plain file, not of a compressed one or a pipe
  unsigned threads = 1;  // that parse, the caller's included; the blocks are the same for any number
  std::size_t chunk_bytes = 512 * 1024;
  std::optional<LiveInput> live;
  // Where labels must be numbers since a rule says so: what to say of that rule if they are none.
  std::optional<Failure> numbers_claimed;
};

// Raw blocks in order, and what is known of their columns: a file, or memory that its owner lends.
class Source {
 public:
  virtual ~Source() = default;

  // The next raw block; false at the end. May reuse the memory of the block given. Throws DataError.
  virtual bool next(Block& block) = 0;
  [[nodiscard]] virtual const Table& table() const = 0;  // grows with what next() has given
  [[nodiscard]] virtual bool can_begin_again() const { return false; }
  [[nodiscard]] virtual std::unique_ptr<Source> again() const { return nullptr; }  // the same rows from the first on
  [[nodiscard]] virtual std::uint64_t bytes_read() const { return 0; }             // of the file, compressed or not
  [[nodiscard]] virtual std::uint64_t bytes_total() const { return 0; }            // 0: not known

 protected:
  Source() = default;
  Source(const Source&) = default;
  Source(Source&&) noexcept = default;
  Source& operator=(const Source&) = default;
  Source& operator=(Source&&) noexcept = default;
};

class Reader final : public Source {
 public:
  Reader(const std::string& path, const ReadOptions& options);  // "-": standard input. Throws DataError
  static Reader from_memory(std::string bytes, const ReadOptions& options);
  ~Reader() override;
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  bool next(Block& block) override;  // live input can be read on after a DataError
  [[nodiscard]] const Table& table() const override;
  [[nodiscard]] Format format() const;
  [[nodiscard]] bool can_begin_again() const override;
  [[nodiscard]] std::unique_ptr<Source> again() const override;
  [[nodiscard]] std::uint64_t bytes_read() const override;
  [[nodiscard]] std::uint64_t bytes_total() const override;

 private:
  struct Impl;
  explicit Reader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// ---- Writers of CSV and LIBSVM text, plain or, by the ending of the name, .gz, .zst, .xz or .bz2 ----

class Writer {
 public:
  // CSV has a header with these names and the label's last; LIBSVM writes no names. Throws
  // ParamError for formats that are only read.
  Writer(const std::string& path, Format format, const std::vector<std::string>& names, const std::string& label_name);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const Row& row, std::string_view label);       // numbers print so that they read back exactly
  void write_cells(const std::vector<std::string>& cells);  // CSV only: a row of texts
  void commit();                                            // without it nothing remains; see OutputFile

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::string csv_cell(std::string_view text);  // quoted where it must be

// ---- Generated data sets: the same seed gives the same bytes on every machine ----

// Writes `rows` rows to `path`. Calls `progress` now and then with the number of rows done.
struct GenerateJob {
  std::string path;
  Format format;  // csv or libsvm
  std::uint64_t rows;
  std::uint64_t seed;
  Params params;
  std::function<void(std::uint64_t)> progress;
};

struct GeneratorInfo {
  std::string_view name;
  std::string_view help;  // one sentence
  Format format;          // unless the file's name says otherwise
  std::uint64_t rows;     // default
  std::span<const ParamSpec> params;
  void (*run)(const GenerateJob&);
};

std::span<const GeneratorInfo* const> generators();
const GeneratorInfo& find_generator(std::string_view name);  // throws ParamError with the nearest name

}  // namespace postil
