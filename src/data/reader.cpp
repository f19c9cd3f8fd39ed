// reader.cpp: from bytes to raw blocks, on one thread or several.
//
// The text is cut into chunks at line ends. Whoever is free (the caller of next(), or a worker) takes the next chunk,
// alone, and parses it into a slot; slots are handed out in file order, and only then do chunk-local codes and line
// numbers become those of the file.
#include "postil/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include "chunk.hpp"
#include "core/number.hpp"
#include "core/text.hpp"
#include "postil/error.hpp"
#include "scan_number.hpp"
#include "source.hpp"

namespace postil {
namespace {

constexpr std::size_t kLongestRecord = 64UL << 20;
constexpr char kDelimiters[] = {',', '\t', ';', '|'};

std::string_view view(const Array<char>& text) { return {text.data(), text.size()}; }

// Cuts the text of a source into chunks that end at a record's end.
class Chunker {
 public:
  static constexpr std::size_t kTooLong = ~std::size_t{0};

  Chunker(std::unique_ptr<ByteSource> source, std::size_t chunk_bytes)
      : source_(std::move(source)), chunk_bytes_(chunk_bytes) {}

  // The text that comes next: as many bytes as complete(text) says are whole records, at least one, or all there is.
  // Ends with '\n', or is empty if a record is too long.
  template <class Complete>
  std::string_view peek(const Complete& complete) {
    for (std::size_t want = std::max(chunk_bytes_, rest_.size());; want *= 2) {
      fill(rest_, want);
      const std::size_t whole = ended_ ? rest_.size() : complete(view(rest_));
      if (whole > 0 || ended_ || want >= kLongestRecord) return view(rest_).substr(0, whole);
    }
  }
  [[nodiscard]] bool empty() const { return ended_ && rest_.empty(); }
  void drop(std::size_t bytes) { rest_.erase(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(bytes)); }

  // Puts the next chunk into `text`, with padding behind it that is not counted in the size returned. 0: the end.
  template <class Complete>
  std::size_t next(Array<char>& text, const Complete& complete) {
    text.swap(rest_);
    rest_.clear();
    for (std::size_t want = std::max(chunk_bytes_, text.size());; want *= 2) {
      fill(text, want);
      const std::size_t whole = ended_ ? text.size() : complete(view(text));
      if (whole > 0 || text.empty()) {
        rest_.assign(text.begin() + static_cast<std::ptrdiff_t>(whole), text.end());
        text.resize(whole);
        text.insert(text.end(), kScanPadding, '\0');
        return whole;
      }
      if (want >= kLongestRecord) return kTooLong;
    }
  }

  [[nodiscard]] const ByteSource& source() const { return *source_; }
  [[nodiscard]] std::uint64_t consumed() const { return consumed_.load(std::memory_order_relaxed); }

 private:
  // Reads until `text` has `size` bytes or the source ends; then sees to it that the last line has an end.
  void fill(Array<char>& text, std::size_t size) {
    const std::size_t had = text.size();
    if (ended_ || had >= size) return;
    text.resize(size);
    const std::size_t got = source_->read(text.data() + had, size - had);
    consumed_.store(source_->consumed(), std::memory_order_relaxed);
    text.resize(had + got);
    ended_ = had + got < size;
    if (ended_ && !text.empty() && text.back() != '\n') text.push_back('\n');
  }

  std::unique_ptr<ByteSource> source_;
  std::size_t chunk_bytes_;
  Array<char> rest_;
  bool ended_ = false;
  std::atomic<std::uint64_t> consumed_{0};
};

// Whether some line of the text is neither blank nor a comment.
bool has_content(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && line[0] != '#') return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

std::size_t complete_lines(std::string_view text) {
  const std::size_t last = text.rfind('\n');
  return last == std::string_view::npos ? 0 : last + 1;
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
    if (space == std::string_view::npos) continue;
    const std::string_view rest = trimmed(line.substr(space));
    const std::size_t digits = rest.find_first_not_of("0123456789");
    return rest.starts_with("qid:") ||
           (digits != std::string_view::npos && digits > 0 && rest[digits] == ':' && line.find(',') > space);
  }
  return false;
}

bool looks_like_header(const CsvRecord& record) {
  return std::none_of(record.cells.begin(), record.cells.end(),
                      [](const std::string& cell) { return cell == "?" || parse_number(cell) || is_not_finite(cell); });
}

}  // namespace

Format format_of(std::string_view word) {
  if (word == "csv" || word == "tsv") return Format::csv;
  if (word == "libsvm" || word == "svm" || word == "svmlight") return Format::libsvm;
  throw ParamError(fmt::format("there is no format {}; known: csv, libsvm", in_quotes(word)));
}

Format format_of_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view packed : {".gz", ".zst"})
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return Format::csv;
  if (name.ends_with(".svm") || name.ends_with(".libsvm")) return Format::libsvm;
  return Format::guess;
}

struct Reader::Impl {
  Impl(const std::string& path, std::unique_ptr<ByteSource> source, ReadOptions read_options)
      : options(std::move(read_options)), chunker(std::move(source), options.chunk_bytes) {
    table.source = path == "-" ? "standard input" : path;
    format = options.format == Format::guess ? format_of_name(path) : options.format;
    open();
    slots.resize(options.threads > 1 ? options.threads + 2 : 1);
    for (unsigned t = 1; t < options.threads; ++t) workers.emplace_back([this] { run_worker(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      stopping = true;
    }
    changed.notify_all();
    for (std::thread& worker : workers) worker.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[noreturn]] void fail(std::uint64_t line, std::uint64_t column, const std::string& message) const {
    throw DataError({table.source, line, column}, message);
  }

  // ---- opening: format, header, columns ----

  void open() {
    const auto some_lines = [](std::string_view text) {
      return has_content(text.substr(0, complete_lines(text))) ? complete_lines(text) : 0;
    };
    if (peek(some_lines).starts_with("\xef\xbb\xbf")) chunker.drop(3);
    if (chunker.empty()) fail(0, 0, "the file is empty");
    const std::string_view start = peek(some_lines);
    if (format == Format::guess) format = looks_like_libsvm(start) ? Format::libsvm : Format::csv;
    if (options.schema != nullptr && options.schema->anonymous != (format == Format::libsvm))
      fail(0, 0,
           format == Format::libsvm ? "LIBSVM data have no column names, but the model was trained on named columns"
                                    : "the model was trained on LIBSVM data, whose columns have no names; postil "
                                      "convert can make such a file");
    const LabelUse label_use = !options.use_label    ? LabelUse::none
                               : options.real_labels ? LabelUse::numbers
                                                     : LabelUse::classes;
    if (format == Format::libsvm) {
      table.anonymous = true;
      table.label_name = "label";
      if (options.schema != nullptr) table.width = options.schema->features;
      if (options.label) fail(0, 0, "--label: LIBSVM data have their label first on each line");
      if (!options.ignore.empty()) fail(0, 0, "--ignore: only CSV files have named columns");
      csv.label_use = label_use;
      return;
    }
    csv.label_use = label_use;
    open_csv();
  }

  void open_csv() {
    const bool tabs = table.source.ends_with(".tsv") || table.source.find(".tsv.") != std::string::npos;
    csv.delimiter = tabs ? '\t' : guessed_delimiter();
    const CsvRecord record = first_record(csv.delimiter).value();
    if (!record.found) fail(0, 0, "the file holds no rows, only comments or blank lines");
    const bool header = options.header.value_or(looks_like_header(record));
    std::vector<std::string> names(record.cells.size());
    for (std::size_t c = 0; c < names.size(); ++c) {
      names[c] = header ? record.cells[c] : std::string();
      if (names[c].empty()) names[c] = fmt::format("f{}", c + 1);
      if (!valid_utf8(names[c]))
        fail(record.line, record.columns[c], fmt::format("the column name {} is not valid UTF-8", in_quotes(names[c])));
    }
    check_unique(names, record);
    if (header) {
      chunker.drop(record.end);
      lines_before = record.lines;
    }
    if (options.schema != nullptr)
      bind_schema(names, record);
    else
      make_columns(names);
  }

  // The first record of the file, if this is the delimiter.
  Result<CsvRecord> first_record(char delimiter) {
    const std::string_view text = peek([&](std::string_view start) {
      const std::size_t whole = complete_csv_records(start, delimiter);
      return has_content(start.substr(0, whole)) ? whole : 0;
    });
    check_nul(text.substr(0, std::min<std::size_t>(text.size(), 1 << 20)), 0);
    try {
      return first_csv_record(padded(text), delimiter);
    } catch (const ParseFailure& failure) {
      return Failure{{table.source, failure.line, failure.column}, failure.message};
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
    const std::string_view text = chunker.peek(complete);
    if (text.empty() && !chunker.empty()) fail(1, 1, too_long());
    return text;
  }
  static std::string too_long() {
    return fmt::format("a record of more than {} MB begins here (is a quote not closed?)", kLongestRecord >> 20);
  }

  // The text with readable zeros behind it, as the parsers need; only for the short look at the beginning.
  std::string_view padded(std::string_view text) {
    padded_text.assign(text);
    padded_text.append(kScanPadding, '\0');
    return {padded_text.data(), text.size()};
  }

  void check_unique(const std::vector<std::string>& names, const CsvRecord& record) const {
    std::unordered_map<std::string, std::size_t> seen;
    for (std::size_t c = 0; c < names.size(); ++c)
      if (const auto [first, is_new] = seen.emplace(names[c], c); !is_new)
        fail(record.line, record.columns[c],
             fmt::format("the column name {} stands twice, in columns {} and {}", in_quotes(names[c]),
                         first->second + 1, c + 1));
  }

  void make_columns(const std::vector<std::string>& names) {
    const auto require = [&](const std::string& name, std::string_view option) {
      if (std::find(names.begin(), names.end(), name) == names.end())
        fail(0, 0, fmt::format("{}: there is no column {}{}", option, in_quotes(name), suggestion(name, names)));
    };
    std::string label;
    if (options.label) {
      label = *options.label;
      require(label, "--label");
    } else {
      for (const std::string& name : names)
        if (const std::string lower = lower_case(name);
            label.empty() && (lower == "label" || lower == "class" || lower == "target"))
          label = name;
      if (label.empty()) label = names.back();
    }
    for (const std::string& name : options.ignore) require(name, "--ignore");
    table.label_name = label;
    for (const std::string& name : names) {
      CsvColumn column;
      column.name = name;
      if (name == label)
        column.role = options.use_label ? CsvColumn::Role::label : CsvColumn::Role::skip;
      else if (std::find(options.ignore.begin(), options.ignore.end(), name) != options.ignore.end())
        column.role = CsvColumn::Role::skip;
      else
        add_value_column(column);
      csv.columns.push_back(std::move(column));
    }
    if (csv.width == 0) fail(0, 0, fmt::format("there is no column besides the label {}", in_quotes(label)));
  }

  void add_value_column(CsvColumn& column) {
    column.place = csv.width++;
    if (const auto wish = options.wishes.kinds.find(column.name); wish != options.wishes.kinds.end())
      column.type = wish->second == Kind::categorical ? TableColumn::Type::text : TableColumn::Type::number;
    for (const std::string& key : {std::string(), column.name})
      if (const auto found = options.wishes.na.find(key); found != options.wishes.na.end())
        add_missing(column, found->second);
    table.columns.push_back({column.name, column.type, {}});
    texts.emplace_back();
  }

  static void add_missing(CsvColumn& column, const std::vector<std::string>& tokens) {
    for (const std::string& token : tokens) {
      column.missing_texts.push_back(token);
      if (const std::optional<double> number = parse_number(token)) column.missing_numbers.push_back(*number);
    }
  }

  void bind_schema(const std::vector<std::string>& names, const CsvRecord& record) {
    const Schema& schema = *options.schema;
    table.label_name = schema.label.name;
    csv.width = static_cast<std::uint32_t>(schema.columns.size());
    for (const Column& column : schema.columns)
      table.columns.push_back(
          {column.name, column.kind == Kind::categorical ? TableColumn::Type::text : TableColumn::Type::number, {}});
    texts.resize(schema.columns.size());
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
        column.type = table.columns[column.place].type;
        add_missing(column, schema.columns[column.place].na);
        places.erase(found);
      } else if (name == options.label.value_or(schema.label.name)) {
        labelled = true;
        if (options.use_label) column.role = CsvColumn::Role::label;
      }
      csv.columns.push_back(std::move(column));
    }
    if (!places.empty()) {
      std::vector<std::string> missing;
      for (const Column& column : schema.columns)
        if (places.contains(column.name)) missing.push_back(in_quotes(column.name));
      const bool many = missing.size() > 5;
      const std::size_t count = missing.size();
      if (many) missing.resize(5);
      fail(record.line, 0,
           fmt::format("the model needs {} {}{}, which the file does not have", count == 1 ? "column" : "columns",
                       joined(missing), many ? fmt::format(" and {} more", count - 5) : ""));
    }
    if (options.use_label && !labelled)
      fail(record.line, 0,
           fmt::format("there is no label column {}", in_quotes(options.label.value_or(schema.label.name))));
  }

  // ---- parsing: any thread ----

  struct Slot {
    Array<char> text;
    ParsedChunk parsed;
    std::exception_ptr error;
    bool ready = false;
  };

  void check_nul(std::string_view text, std::uint64_t before) const {
    const void* nul = text.empty() ? nullptr : std::memchr(text.data(), 0, text.size());
    if (nul == nullptr) return;
    const auto place = static_cast<std::size_t>(static_cast<const char*>(nul) - text.data());
    const auto line =
        static_cast<std::uint64_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    const std::size_t line_start = text.rfind('\n', place) + 1;  // npos + 1 = 0
    fail(before + line + 1, place - line_start + 1,
         "found a NUL byte, expected text (is the file UTF-16, or not text at all?)");
  }

  void read_chunk(Slot& to, bool& last) {
    const std::size_t size =
        format == Format::libsvm
            ? chunker.next(to.text, complete_lines)
            : chunker.next(to.text, [&](std::string_view text) { return complete_csv_records(text, csv.delimiter); });
    last = size == 0 || size == Chunker::kTooLong;
    if (size != Chunker::kTooLong) return;
    to.error = std::make_exception_ptr(ParseFailure{1, 1, too_long()});
  }

  void parse(Slot& of) {
    if (of.error) return;
    const std::string_view text(of.text.data(), of.text.size() - kScanPadding);
    of.parsed.failure.reset();
    if (!text.empty() && std::memchr(text.data(), 0, text.size()) != nullptr) {
      try {
        check_nul(text, 0);
      } catch (const DataError& error) {
        of.error = std::make_exception_ptr(ParseFailure{error.where().line, error.where().column, error.message()});
      }
      return;
    }
    if (format == Format::libsvm)
      parse_libsvm(text, csv.label_use, of.parsed);
    else
      parse_csv(text, csv, of.parsed);
  }

  [[nodiscard]] Slot& slot(std::uint64_t chunk) { return slots[chunk % slots.size()]; }
  [[nodiscard]] bool can_read() const { return !ended && !reading && chunks_read - delivered < slots.size(); }
  [[nodiscard]] bool can_parse() const { return chunks_claimed < chunks_read; }

  // Needs for both: the lock is held, and can_read() or can_parse().
  void read_one(std::unique_lock<std::mutex>& lock) {
    reading = true;
    Slot& to = slot(chunks_read);
    lock.unlock();
    bool last = false;
    to.error = nullptr;
    try {
      read_chunk(to, last);
    } catch (...) {
      to.error = std::current_exception();
      last = true;
    }
    lock.lock();
    reading = false;
    ended = last;
    ++chunks_read;
    changed.notify_all();
  }
  void parse_one(std::unique_lock<std::mutex>& lock) {
    Slot& to = slot(chunks_claimed++);
    lock.unlock();
    parse(to);
    lock.lock();
    to.ready = true;
    changed.notify_all();
  }

  // A worker reads ahead as far as it can, so that decompression, which only one thread at a time can do, never waits.
  void run_worker() {
    std::unique_lock lock(mutex);
    for (;;) {
      if (stopping) return;
      if (can_read())
        read_one(lock);
      else if (can_parse())
        parse_one(lock);
      else if (ended && !reading)
        return;
      else
        changed.wait(lock);
    }
  }

  // ---- handing out: the caller's thread, in file order ----

  bool next(Block& block) {
    std::unique_lock lock(mutex);
    for (;;) {
      if (slot(delivered).ready) {
        if (hand_out(slot(delivered), block, lock)) return true;
      } else if (can_parse()) {
        parse_one(lock);
      } else if (can_read()) {
        read_one(lock);
      } else if (ended && delivered == chunks_read) {
        return false;
      } else {
        changed.wait(lock);
      }
    }
  }

  // False if the chunk held no rows.
  bool hand_out(Slot& from, Block& block, std::unique_lock<std::mutex>& lock) {
    lock.unlock();  // the slot is ours until `delivered` moves on
    join(from);
    BlockData data = block.release();
    std::swap(data, from.parsed.data);
    block = Block(std::move(data));
    lock.lock();
    from.ready = false;
    ++delivered;
    changed.notify_all();
    return block.rows() > 0;
  }

  // Chunk-local codes and lines become the file's.
  void join(Slot& from) {
    ParsedChunk& chunk = from.parsed;
    if (from.error) {
      try {
        std::rethrow_exception(from.error);
      } catch (const ParseFailure& failure) {
        fail(lines_before + failure.line, failure.column, failure.message);
      }
    }
    if (chunk.failure)
      fail(lines_before + chunk.failure->where.line, chunk.failure->where.column, chunk.failure->message);
    for (std::uint64_t& line : chunk.data.lines) line += lines_before;
    if (table.anonymous)
      table.width = std::max(table.width, chunk.data.width);
    else
      join_columns(chunk);
    join_labels(chunk);
    lines_before += chunk.lines;
  }

  void join_columns(ParsedChunk& chunk) {
    for (std::size_t j = 0; j < chunk.columns.size(); ++j) {
      ChunkColumn& from = chunk.columns[j];
      TableColumn& to = table.columns[j];
      if (from.type == TableColumn::Type::unknown) continue;
      if (to.type == TableColumn::Type::unknown) to.type = from.type;
      if (to.type != from.type)
        fail(lines_before + from.line, from.column,
             to.type == TableColumn::Type::number
                 ? fmt::format(
                       "column {}: found {}, expected a number; --kind {}=categorical reads all its cells as text",
                       in_quotes(to.name), in_quotes(from.texts.texts()[0]), to.name)
                 : fmt::format("column {}: found a number in a column of text; --kind {}=categorical reads all its "
                               "cells as text",
                               in_quotes(to.name), to.name));
      if (from.type != TableColumn::Type::text) continue;
      std::vector<double> code;
      for (const std::string& text : from.texts.texts()) {
        const auto [number, is_new] = texts[j].insert(text);
        if (is_new) to.texts.push_back(text);
        code.push_back(number);
      }
      if (texts[j].texts().size() > kMostCategories)
        fail(lines_before + 1, 0,
             fmt::format("column {}: more than {} different texts; --ignore {} leaves the column out",
                         in_quotes(to.name), kMostCategories, to.name));
      for (std::size_t k = j; k < chunk.data.values.size(); k += csv.width) {
        double& value = chunk.data.values[k];
        if (value == value) value = code[static_cast<std::size_t>(value)];  // not missing
      }
    }
  }

  void join_labels(ParsedChunk& chunk) {
    if (csv.label_use != LabelUse::classes) return;
    std::vector<double> code;
    for (const std::string& text : chunk.labels.texts()) {
      const std::string canonical = canonical_label(text);
      const auto [number, is_new] = labels.insert(canonical);
      if (is_new) table.labels.push_back(canonical);
      code.push_back(number);
    }
    if (table.labels.size() > kMostClasses)
      fail(lines_before + 1, 0, fmt::format("more than {} different labels", kMostClasses));
    for (double& label : chunk.data.labels)
      if (label == label) label = code[static_cast<std::size_t>(label)];
  }

  ReadOptions options;
  Table table;
  Format format = Format::guess;
  CsvFormat csv;
  Chunker chunker;
  std::string padded_text;
  std::vector<TextTable> texts;  // per table column
  TextTable labels;
  std::uint64_t lines_before = 0;  // lines of the file before the chunk to be handed out next

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::vector<Slot> slots;
  std::uint64_t chunks_read = 0, chunks_claimed = 0, delivered = 0;  // claimed: for parsing
  bool reading = false, ended = false, stopping = false;
  std::vector<std::thread> workers;
};

Reader::Reader(const std::string& path, const ReadOptions& options)
    : impl_(std::make_unique<Impl>(path, open_source(path), options)) {}
Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader Reader::from_memory(std::string bytes, const ReadOptions& options) {
  return Reader(std::make_unique<Impl>("memory", memory_source(std::move(bytes)), options));
}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
bool Reader::next(Block& block) { return impl_->next(block); }
const Table& Reader::table() const { return impl_->table; }
Format Reader::format() const { return impl_->format; }
std::uint64_t Reader::bytes_read() const { return impl_->chunker.consumed(); }
std::uint64_t Reader::bytes_total() const { return impl_->chunker.source().size(); }

}  // namespace postil
