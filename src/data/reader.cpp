// reader.cpp: from bytes to raw blocks, on one thread or several.
//
// The text is cut into chunks at line ends. Whoever is free (the caller of next(), or a worker) takes the next chunk,
// alone, and parses it into a slot; slots are handed out in file order, and only then do chunk-local codes and line
// numbers become those of the file.
#include "core/failures.hpp"
#include "postil/data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "chunk.hpp"
#include "chunker.hpp"
#include "layout.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

// condition_variable::wait() would ask for GCC 12's C++ library, which RHEL 9 and its like do not have; wait_for() does not.
constexpr std::chrono::hours kLookAgain{1};

}  // namespace

struct Reader::Impl {
  using Again = std::function<std::unique_ptr<ByteSource>()>;

  Impl(std::string from, std::unique_ptr<ByteSource> source, const ReadOptions& read_options, const Again& again)
      : path(std::move(from)),
        options(read_options),
        chunker(std::move(source), read_options.chunk_bytes),
        layout(find_layout(chunker, path, read_options, again)) {
    lines_before = layout.lines_read;
    if (options.part.of > 1) {
      part_chunker.emplace(open_part(path, chunker.dropped(), options.part), options.chunk_bytes);
      lines_before = 0;
      table.source += fmt::format(", part {} of {}", options.part.number, options.part.of);
    }
    texts.resize(table.columns.size());
    const unsigned threads = read_options.live ? 1 : read_options.threads;
    slots.resize(threads > 1 ? threads + 2 : 1);
    try {
      for (unsigned t = 1; t < threads; ++t) workers.emplace_back([this] { run_worker(); });
    } catch (const std::exception&) {  // no more threads to be had: those that are there do it
    }
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

  [[noreturn]] void fail(Failure failure, std::uint64_t line, std::uint64_t column) const {
    failure.place = {table.source, line, column};
    throw DataError(std::move(failure));
  }
  [[noreturn]] void fail_in_chunk(const Failure& failure) const {
    if (options.numbers_claimed && failure.code == Code::not_a_number && failure.subject.name == table.label_name) {
      Failure claimed = *options.numbers_claimed;
      claimed.message = Text(claimed.message, fmt::format(", which holds {} ({}:{})", in_quotes(failure.found),
                                                          table.source, lines_before + failure.place.line));
      throw DataError(std::move(claimed));
    }
    fail(failure, lines_before + failure.place.line, failure.place.column);
  }

  // ---- parsing: any thread ----

  struct Slot {
    Array<char> text;
    std::string translated;  // into CSV, line by line
    ParsedChunk parsed;
    std::exception_ptr error;
    bool ready = false;
  };

  void read_chunk(Slot& to, bool& last) {
    const bool by_line = format == Format::libsvm || layout.translator;
    const auto records = [&](std::string_view text) { return complete_csv_records(text, csv.delimiter); };
    const std::size_t size = by_line ? rows().next(to.text, complete_lines) : rows().next(to.text, records);
    last = size == 0 || size == Chunker::kTooLong;
    if (size == Chunker::kTooLong)
      to.error = std::make_exception_ptr(too_long());
    else if (part_chunker && !by_line && part_chunker->empty() && options.part.number + 1 < options.part.of &&
             records({to.text.data(), size}) != size)  // then, and only then, a later part begins within a cell
      to.error =
          std::make_exception_ptr(Failure{.code = Code::unsupported,
                                          .message = "a cell of several lines goes on in the next part",
                                          .remedy = "another number of shards, or give each shard a file of its own"});
  }

  void parse(Slot& of) {
    if (of.error) return;
    const std::string_view text(of.text.data(), of.text.size() - kScanPadding);
    of.parsed.failure.reset();
    if (const auto nul = find_nul(text)) {
      of.error = std::make_exception_ptr(*nul);
      return;
    }
    if (format == Format::libsvm) {
      parse_libsvm(text, csv.label_use, of.parsed);
    } else if (layout.translator) {
      parse_csv(translated(*layout.translator, text, of.translated), csv, of.parsed);
      if (of.parsed.failure) of.parsed.failure->place.column = 0;  // it is that of a cell nobody has seen
    } else {
      parse_csv(text, csv, of.parsed);
    }
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
    try {
      parse(to);
    } catch (...) {
      to.error = std::current_exception();
    }
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
        changed.wait_for(lock, kLookAgain);
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
        changed.wait_for(lock, kLookAgain);
      }
    }
  }

  // False if the chunk held no rows.
  bool hand_out(Slot& from, Block& block, std::unique_lock<std::mutex>& lock) {
    lock.unlock();  // the slot is ours until `delivered` moves on
    const auto pass_on = [&] {
      lock.lock();
      from.ready = false;
      ++delivered;
      changed.notify_all();
    };
    const std::uint64_t first_line = lines_before;
    try {
      join(from);
      BlockData data = block.release();
      std::swap(data, from.parsed.data);
      if (layout.weighted) take_out_weights(data);
      block = Block(std::move(data));
    } catch (...) {
      if (rows().live()) {  // one record a chunk: go on behind it
        lines_before = first_line + static_cast<std::uint64_t>(std::count(from.text.begin(), from.text.end(), '\n'));
        pass_on();
      }
      throw;
    }
    pass_on();
    return block.rows() > 0;
  }

  // Chunk-local codes and lines become the file's.
  void join(Slot& from) {
    ParsedChunk& chunk = from.parsed;
    if (from.error) {
      try {
        std::rethrow_exception(from.error);
      } catch (const Failure& failure) {
        fail_in_chunk(failure);
      }
    }
    if (chunk.failure) fail_in_chunk(*chunk.failure);
    for (std::uint64_t& line : chunk.data.lines) line += lines_before;
    if (table.sparse()) {
      if (chunk.data.width > options.most_features) fail_wide(chunk.data);
      table.width = std::max(table.width, chunk.data.width);
    }
    if (!table.sparse()) join_columns(chunk);
    join_labels(chunk);
    lines_before += chunk.lines;
  }

  [[noreturn]] void fail_wide(const BlockData& data) const {
    for (std::size_t i = 0; i + 1 < data.starts.size(); ++i) {
      if (data.starts[i] == data.starts[i + 1]) continue;
      const std::uint64_t number = std::uint64_t{data.indices[data.starts[i + 1] - 1]} + 1;
      if (number <= options.most_features) continue;
      fail({.code = Code::too_many,
            .subject = {"column", fmt::format("f{}", number)},
            .message = Text(fmt::format("feature number {} is too large: the model would need more memory than allowed "
                                        "(at most {} features)",
                                        number, options.most_features)),
            .found = fmt::format("{}", number),
            .expected = fmt::format("at most {}", options.most_features),
            .remedy = fewer_features(static_cast<double>(number))},
           data.lines[i], 0);
    }
    fail({.code = Code::too_many, .message = "there are too many features"}, lines_before, 0);
  }

  void join_columns(ParsedChunk& chunk) {
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      ChunkColumn& from = chunk.columns[j];
      TableColumn& to = table.columns[j];
      if (from.type == TableColumn::Type::unknown && to.type == TableColumn::Type::text)
        from.decide_for_text(chunk.data);
      if (from.type == TableColumn::Type::unknown) continue;
      if (to.type == TableColumn::Type::unknown) {
        to.type = from.type;
        to.written = from.written;
      }
      if (to.type != from.type || to.written != from.written) {
        const bool numbers = to.type == TableColumn::Type::number;
        const std::string_view found =
            from.type == TableColumn::Type::text ? from.texts.texts()[0] : word(from.written);
        fail(of_column(numbers ? not_a_number(found, to.name, true, to.written, csv.decimal_comma)
                               : number_among_texts(to.name, from.written),
                       to.name),
             lines_before + from.line, from.column);
      }
      if (from.type != TableColumn::Type::text) continue;
      std::vector<double> code;
      for (const std::string& text : from.texts.texts()) {
        if (texts[j].texts().size() == kMostCategories && !texts[j].contains(text))
          fail(of_column(too_many_texts(to.name), to.name), lines_before + 1, 0);
        const auto [number, is_new] = texts[j].insert(text);
        if (is_new) to.texts.push_back(text);
        code.push_back(number);
      }
      for (std::size_t k = j; k < chunk.data.values.size(); k += csv.width) {
        double& value = chunk.data.values[k];
        if (value == value) value = code[static_cast<std::size_t>(value)];  // not missing
      }
    }
  }

  [[noreturn]] void fail_weight(double weight, std::uint64_t line) const {
    const std::string found = weight < 0 ? fmt::format("{}", weight) : "a missing weight";
    fail({.code = weight < 0 ? Code::out_of_range : Code::missing_value,
          .subject = {"column", options.weight.value_or("")},
          .message = Text("found ", found, ", expected a weight of 0 or more"),
          .found = found,
          .expected = "a weight of 0 or more"},
         line, 0);
  }

  // The last value of each row is its weight.
  void take_out_weights(BlockData& data) const {
    const std::size_t width = csv.width, rows = data.values.size() / width;
    data.weights.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const double weight = data.values[i * width + width - 1];
      if (!(weight >= 0)) fail_weight(weight, data.lines[i]);
      data.weights[i] = weight;
      std::copy_n(data.values.begin() + static_cast<std::ptrdiff_t>(i * width), width - 1,
                  data.values.begin() + static_cast<std::ptrdiff_t>(i * (width - 1)));
    }
    data.values.resize(rows * (width - 1));
    --data.width;
  }

  void join_labels(ParsedChunk& chunk) {
    if (csv.label_use != LabelUse::classes) return;
    std::vector<double> code;
    const LabelKind kind = options.schema != nullptr ? options.schema->label.kind : LabelKind::unknown;
    for (const std::string& text : chunk.labels.texts()) {
      const std::string canonical = canonical_label(text, kind);
      if (table.labels.size() == kMostClasses && !labels.contains(canonical))
        fail(too_many_labels(), lines_before + 1, 0);
      const auto [number, is_new] = labels.insert(canonical);
      if (is_new) table.labels.push_back(canonical);
      code.push_back(number);
    }
    for (double& label : chunk.data.labels)
      if (label == label) label = code[static_cast<std::size_t>(label)];
  }

  [[nodiscard]] Chunker& rows() { return part_chunker ? *part_chunker : chunker; }

  const std::string path;
  const ReadOptions options;
  Chunker chunker;
  std::optional<Chunker> part_chunker;  // of a part's rows
  Layout layout;
  const Format format = layout.format;
  const CsvFormat& csv = layout.csv;
  Table& table = layout.table;
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

namespace {

std::function<std::unique_ptr<ByteSource>()> again_of(const std::string& path, const ReadOptions& options) {
  if (!can_read_again(path)) return {};
  return [&path, &options] {
    if (options.part.of == 1) return open_source(path);
    std::unique_ptr<ByteSource> part = open_part(path, 0, options.part);
    return part->size() > 0 ? std::move(part) : open_source(path);  // no row has no keys
  };
}

}  // namespace

Reader::Reader(const std::string& path, const ReadOptions& options)
    : impl_(std::make_unique<Impl>(path, options.live ? open_live_source(path, *options.live) : open_source(path),
                                   options, again_of(path, options))) {}
Reader::Reader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Reader Reader::from_memory(std::string bytes, const ReadOptions& options) {
  auto source = memory_source(bytes);
  return Reader(std::make_unique<Impl>("memory", std::move(source), options, [&] { return memory_source(bytes); }));
}
bool Reader::can_begin_again() const { return can_read_again(impl_->path); }
std::unique_ptr<Source> Reader::again() const { return std::make_unique<Reader>(impl_->path, impl_->options); }
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
bool Reader::next(Block& block) { return impl_->next(block); }
const Table& Reader::table() const { return impl_->table; }
Format Reader::format() const { return impl_->format; }
std::uint64_t Reader::bytes_read() const { return impl_->rows().consumed(); }
std::uint64_t Reader::bytes_total() const { return impl_->rows().source().size(); }

}  // namespace postil
