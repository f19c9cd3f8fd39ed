#include "arrow.hpp"

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <unordered_map>

#include "postil/error.hpp"
#include "postil/text.hpp"

// The structures that Arrow's specification prescribes, to the letter.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

namespace postil::python {

struct ArrowStreamHandle {
  ArrowArrayStream stream{};
  ArrowSchema schema{};

  ArrowStreamHandle() = default;
  ArrowStreamHandle(const ArrowStreamHandle&) = delete;
  ArrowStreamHandle& operator=(const ArrowStreamHandle&) = delete;
  ~ArrowStreamHandle() {
    if (schema.release != nullptr) schema.release(&schema);
    if (stream.release != nullptr) stream.release(&stream);
  }
  void check(int code) {
    if (code == 0) return;
    const char* why = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
    throw DataError(
        {}, fmt::format("the Arrow stream ended with an error: {}", why != nullptr ? why : std::strerror(code)));
  }
};

namespace {

// A batch and the codes that were made of its texts.
struct Batch {
  ArrowArray array{};
  std::vector<std::vector<std::int32_t>> codes;

  Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() {
    if (array.release != nullptr) array.release(&array);
  }
};

std::optional<Numbers::Type> number_type(const std::string& format) {
  using Type = Numbers::Type;
  static const std::unordered_map<std::string, Type> types{
      {"b", Type::bit}, {"c", Type::i8},  {"C", Type::u8},  {"s", Type::i16}, {"S", Type::u16}, {"i", Type::i32},
      {"I", Type::u32}, {"l", Type::i64}, {"L", Type::u64}, {"e", Type::f16}, {"f", Type::f32}, {"g", Type::f64}};
  const auto found = types.find(format);
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

// A type of dates or times, and how many of its units a day has; 0: none of them.
struct Dates {
  Numbers::Type type;
  double per_day;
};
Dates dates_of(const std::string& format) {
  using Type = Numbers::Type;
  if (format == "tdD") return {Type::i32, 1};
  if (format == "tdm") return {Type::i64, 86'400e3};
  if (format.starts_with("tss")) return {Type::i64, 86'400};
  if (format.starts_with("tsm")) return {Type::i64, 86'400e3};
  if (format.starts_with("tsu")) return {Type::i64, 86'400e6};
  if (format.starts_with("tsn")) return {Type::i64, 86'400e9};
  return {Type::f64, 0};
}

bool is_text(const std::string& format) { return format == "u" || format == "U" || format == "vu"; }

// What a library lends is looked at before it is believed, as far as the interface tells sizes: it does not say how long a
// buffer of texts is.
[[noreturn]] void fail_damaged(const std::string& column, const std::string& what) {
  throw DataError({.code = Code::damaged_file,
                   .subject = {"column", column},
                   .message = fmt::format("column {}: the Arrow data are damaged: {}", in_quotes(column), what)});
}

void check_array(const ArrowArray& array, const std::string& format, std::int64_t rows, const std::string& column) {
  const std::int64_t buffers = format == "n" ? 0 : format == "vu" ? 3 : is_text(format) ? 3 : 2;
  if (array.length < 0 || array.offset < 0 || array.length > std::numeric_limits<std::int64_t>::max() - array.offset ||
      rows > array.length)
    fail_damaged(column,
                 fmt::format("an array of length {} at offset {}, expected {} rows", array.length, array.offset, rows));
  if (array.n_buffers < buffers) fail_damaged(column, fmt::format("it has {} buffers", array.n_buffers));
  if (buffers == 0 || rows == 0) return;
  if (array.buffers == nullptr || array.buffers[1] == nullptr) fail_damaged(column, "a buffer is missing");
  if (array.null_count > 0 && array.buffers[0] == nullptr)
    fail_damaged(column, "it has missing values and does not say which");
}

std::string_view text_at(const ArrowArray& array, const std::string& format, std::int64_t i,
                         const std::string& column) {
  const auto text = [&](const void* bytes, std::int64_t begin, std::int64_t length) -> std::string_view {
    if (begin < 0 || length < 0 || length > std::numeric_limits<std::int32_t>::max() ||
        (length > 0 && bytes == nullptr))
      fail_damaged(column, fmt::format("text {} begins at {} and has {} bytes", i, begin, length));
    return {static_cast<const char*>(bytes) + (length > 0 ? begin : 0), static_cast<std::size_t>(length)};
  };
  if (format == "vu") {  // 16 bytes each: the length, then the text itself or where it stands
    const auto* view = static_cast<const unsigned char*>(array.buffers[1]) + i * 16;
    std::int32_t length = 0, buffer = 0, at = 0;
    std::memcpy(&length, view, 4);
    if (length >= 0 && length <= 12) return text(view + 4, 0, length);
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&at, view + 12, 4);
    const std::int64_t buffers = array.n_buffers - 3;  // the last one holds the sizes of those before it
    if (buffer < 0 || buffer >= buffers) fail_damaged(column, fmt::format("text {} is in buffer {}", i, buffer));
    const auto* sizes = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
    if (sizes == nullptr || at < 0 || length < 0 || std::int64_t{at} + length > sizes[buffer])
      fail_damaged(column, fmt::format("text {} ends behind its buffer", i));
    return text(array.buffers[2 + buffer], at, length);
  }
  if (format == "U") {
    const auto* ends = static_cast<const std::int64_t*>(array.buffers[1]);
    return text(array.buffers[2], ends[i], ends[i + 1] < 0 ? -1 : ends[i + 1] - ends[i]);
  }
  const auto* ends = static_cast<const std::int32_t*>(array.buffers[1]);
  return text(array.buffers[2], ends[i], std::int64_t{ends[i + 1]} - ends[i]);
}

// Offsets never fall, so that none before the last goes beyond it.
template <class Offset>
void check_offsets(const ArrowArray& array, std::int64_t first, std::int64_t rows, const std::string& column) {
  const auto* ends = static_cast<const Offset*>(array.buffers[1]);
  for (std::int64_t i = first; i < first + rows; ++i)
    if (ends[i] < 0 || ends[i + 1] < ends[i])
      fail_damaged(column, fmt::format("text {} begins at {} and ends at {}", i, ends[i], ends[i + 1]));
}
void check_texts(const ArrowArray& array, const std::string& format, std::int64_t first, std::int64_t rows,
                 const std::string& column) {
  if (rows == 0) return;
  if (format == "u") check_offsets<std::int32_t>(array, first, rows, column);
  if (format == "U") check_offsets<std::int64_t>(array, first, rows, column);
}

const std::uint8_t* validity(const ArrowArray& array) {
  if (array.null_count == 0 || array.n_buffers == 0) return nullptr;
  return static_cast<const std::uint8_t*>(array.buffers[0]);
}

bool valid_at(const ArrowArray& array, std::int64_t k) {
  const std::uint8_t* bits = validity(array);
  return bits == nullptr || (bits[k / 8] >> (k % 8) & 1) != 0;
}

void add_text(std::string_view text, TableColumn& column) {
  if (!valid_utf8(text)) fail_damaged(column.name, fmt::format("the text {} is not valid UTF-8", in_quotes(text)));
  column.texts.emplace_back(text);
}

// A column of texts as codes of the distinct ones.
void encode_texts(const ArrowArray& array, const std::string& format, std::int64_t first, std::int64_t rows,
                  TableColumn& column, std::vector<std::int32_t>& codes) {
  std::unordered_map<std::string_view, std::int32_t> known;
  codes.reserve(static_cast<std::size_t>(rows));
  check_texts(array, format, first, rows, column.name);
  for (std::int64_t i = first; i < first + rows; ++i) {
    if (!valid_at(array, i)) {
      codes.push_back(-1);
      continue;
    }
    const std::string_view text = text_at(array, format, i, column.name);
    const auto [place, fresh] = known.emplace(text, static_cast<std::int32_t>(known.size()));
    if (fresh) add_text(text, column);
    codes.push_back(place->second);
  }
}

LentColumn lend(const ArrowSchema& schema, const ArrowArray& array, std::int64_t parent_offset, std::int64_t rows,
                TableColumn& column, Batch& batch) {
  const std::string format = schema.format;
  check_array(array, format, parent_offset + rows, column.name);
  const std::int64_t first = parent_offset + array.offset;
  LentColumn out;
  if (schema.dictionary != nullptr) {
    const std::string of = schema.dictionary->format;
    const auto type = number_type(format);
    if (!is_text(of) || !type)
      throw DataError({}, fmt::format("column {}: a dictionary of Arrow type '{}'; expected one of texts",
                                      in_quotes(column.name), of));
    column.type = TableColumn::Type::text;
    if (array.dictionary == nullptr) fail_damaged(column.name, "its dictionary is missing");
    const ArrowArray& texts = *array.dictionary;
    check_array(texts, of, texts.length, column.name);
    check_texts(texts, of, texts.offset, texts.length, column.name);
    for (std::int64_t k = 0; k < texts.length; ++k) add_text(text_at(texts, of, texts.offset + k, column.name), column);
    out.numbers = {array.buffers[1], *type, 1, first};
    out.text = true;
    out.valid = validity(array);
    out.valid_offset = first;
    check_codes(out, rows, column);
    return out;
  }
  if (is_text(format)) {
    column.type = TableColumn::Type::text;
    encode_texts(array, format, first, rows, column, batch.codes.emplace_back());
    out.numbers = {batch.codes.back().data(), Numbers::Type::i32, 1, 0};
    out.text = true;
    return out;
  }
  column.type = TableColumn::Type::number;
  if (format == "n") {  // nothing but missing values
    static const double nothing = std::numeric_limits<double>::quiet_NaN();
    out.numbers = {&nothing, Numbers::Type::f64, 0, 0};
    return out;
  }
  const Dates dates = dates_of(format);
  if (dates.per_day > 0) column.written = Kind::date;
  out.per_day = dates.per_day == 1 ? 0 : dates.per_day;
  const auto type = dates.per_day > 0 ? std::optional(dates.type) : number_type(format);
  if (!type)
    throw DataError(
        {}, fmt::format("column {} has the Arrow type '{}'; expected numbers, truth values, dates or text: cast it",
                        in_quotes(column.name), format));
  out.numbers = {array.buffers[1], *type, 1, first};
  out.valid = validity(array);
  out.valid_offset = first;
  return out;
}

}  // namespace

ArrowBatches::ArrowBatches(const nb::capsule& stream) : stream_(std::make_shared<ArrowStreamHandle>()) {
  if (std::strcmp(stream.name(), "arrow_array_stream") != 0)
    throw DataError({}, "expected a capsule 'arrow_array_stream', as __arrow_c_stream__ gives it");
  auto* from = static_cast<ArrowArrayStream*>(stream.data());
  if (from->release == nullptr) throw DataError({}, "this Arrow stream was read already");
  stream_->stream = *from;
  from->release = nullptr;
  stream_->check(stream_->stream.get_schema(&stream_->stream, &stream_->schema));
  if (std::string(stream_->schema.format) != "+s")
    throw DataError({}, "expected an Arrow stream of record batches, with named columns");
  for (std::int64_t j = 0; j < stream_->schema.n_children; ++j) {
    const char* name = stream_->schema.children[j]->name;
    names_.emplace_back(name == nullptr ? "" : name);
    if (!valid_utf8(names_.back())) throw DataError({}, "the name of a column is not valid UTF-8");
  }
}

ArrowBatches::~ArrowBatches() = default;

std::unique_ptr<Rows> ArrowBatches::next() {
  auto batch = std::make_shared<Batch>();
  stream_->check(stream_->stream.get_next(&stream_->stream, &batch->array));
  if (batch->array.release == nullptr) return nullptr;
  if (batch->array.n_children != static_cast<std::int64_t>(names_.size()) || batch->array.length < 0 ||
      batch->array.offset < 0)
    throw DataError({.code = Code::damaged_file,
                     .message = fmt::format("the Arrow data are damaged: a batch of {} columns, expected {}",
                                            batch->array.n_children, names_.size())});
  Table table;
  table.source = "X";
  std::vector<LentColumn> columns;
  batch->codes.reserve(names_.size());  // so that what is lent stays where it is
  for (std::size_t j = 0; j < names_.size(); ++j) {
    TableColumn& column = table.columns.emplace_back();
    column.name = names_[j];
    columns.push_back(lend(*stream_->schema.children[j], *batch->array.children[j], batch->array.offset,
                           batch->array.length, column, *batch));
  }
  const auto rows = static_cast<std::size_t>(batch->array.length);
  return std::make_unique<Rows>(std::move(table), std::move(columns), rows, std::move(batch));
}

}  // namespace postil::python
