#include "rows.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil::python {
namespace {

constexpr std::size_t kFewestRows = 64, kMostRows = 4096, kBlockValues = 1 << 15;  // of a block, so that it stays near
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool bit(const std::uint8_t* bits, std::int64_t i) { return (bits[i / 8] >> (i % 8) & 1) != 0; }

double half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity() : kMissing)
                      : exponent == 0 ? std::ldexp(fraction, -24)
                                      : std::ldexp(1024 + fraction, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

template <class Number>
std::size_t first_not_finite(const Number* x, std::size_t n, bool missing_allowed) {
  for (std::size_t k = 0; k < n; ++k)
    if (!std::isfinite(x[k]) && !(missing_allowed && std::isnan(x[k]))) return k;
  return n;
}

std::size_t first_not_finite(const void* values, bool single, std::size_t n, bool missing_allowed) {
  if (single) {
    const auto* x = static_cast<const float*>(values);
    return all_finite(x, n) ? n : first_not_finite(x, n, missing_allowed);
  }
  const auto* x = static_cast<const double*>(values);
  return all_finite(x, n) ? n : first_not_finite(x, n, missing_allowed);
}

[[noreturn]] void refuse(std::size_t row, const std::string& column, double value) {
  throw DataError(not_finite(fmt::format("row {}, column {}", row, in_quotes(column)), column, value));
}

std::vector<std::string> numbered_names(std::size_t count) {  // f1, f2, ...
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t j = 1; j <= count; ++j) names.push_back(fmt::format("f{}", j));
  return names;
}

}  // namespace

Failure not_finite(const std::string& where, const std::string& column, double value) {
  const bool missing = std::isnan(value);
  const std::string found = missing ? "NaN" : "infinity";
  Failure failure{.code = missing ? Code::missing_value : Code::not_a_number,
                  .subject = {"column", column},
                  .message = fmt::format("Input X contains {} in {}; expected finite numbers", found, where),
                  .found = found,
                  .expected = "finite numbers"};
  if (missing)
    failure.remedy =
        Text("make the estimator with ", Option{"missing", "", "mean"}, " or ", Option{"missing", "", "indicator"});
  return failure;
}

std::optional<Numbers::Type> Numbers::type_of(const nb::dlpack::dtype& type) {
  using Code = nb::dlpack::dtype_code;
  if (type.lanes != 1) return std::nullopt;
  const auto pick = [&](Type b8, Type b16, Type b32, Type b64) -> std::optional<Type> {
    switch (type.bits) {
      case 8: return b8;
      case 16: return b16;
      case 32: return b32;
      case 64: return b64;
      default: return std::nullopt;
    }
  };
  if (type.code == static_cast<std::uint8_t>(Code::Int)) return pick(Type::i8, Type::i16, Type::i32, Type::i64);
  if (type.code == static_cast<std::uint8_t>(Code::UInt)) return pick(Type::u8, Type::u16, Type::u32, Type::u64);
  if (type.code == static_cast<std::uint8_t>(Code::Bool) && type.bits == 8) return Type::boolean;
  if (type.code == static_cast<std::uint8_t>(Code::Float) && type.bits > 8)
    return pick(Type::f16, Type::f16, Type::f32, Type::f64);
  return std::nullopt;
}

double Numbers::at(std::int64_t i) const {
  const std::int64_t k = offset + i * stride;
  switch (type) {
    case Type::f64: return static_cast<const double*>(data)[k];
    case Type::f32: return static_cast<const float*>(data)[k];
    case Type::f16: return half(static_cast<const std::uint16_t*>(data)[k]);
    case Type::i64: return static_cast<double>(static_cast<const std::int64_t*>(data)[k]);
    case Type::i32: return static_cast<const std::int32_t*>(data)[k];
    case Type::i16: return static_cast<const std::int16_t*>(data)[k];
    case Type::i8: return static_cast<const std::int8_t*>(data)[k];
    case Type::u64: return static_cast<double>(static_cast<const std::uint64_t*>(data)[k]);
    case Type::u32: return static_cast<const std::uint32_t*>(data)[k];
    case Type::u16: return static_cast<const std::uint16_t*>(data)[k];
    case Type::u8: return static_cast<const std::uint8_t*>(data)[k];
    case Type::boolean: return static_cast<const std::uint8_t*>(data)[k] != 0 ? 1 : 0;
    case Type::bit: return bit(static_cast<const std::uint8_t*>(data), k) ? 1 : 0;
  }
  return 0;
}

namespace {

template <class Number, class ToDouble>
void copy_numbers(const Number* from, std::int64_t stride, std::size_t count, double* to, std::size_t step,
                  const ToDouble& to_double) {
  if (stride == 1)
    for (std::size_t i = 0; i < count; ++i) to[i * step] = to_double(from[i]);
  else
    for (std::size_t i = 0; i < count; ++i) to[i * step] = to_double(from[static_cast<std::int64_t>(i) * stride]);
}

}  // namespace

void Numbers::copy(std::int64_t first, std::size_t count, double* to, std::size_t step) const {
  const auto numbers = [&]<class Number>(const Number* from) {
    copy_numbers(from + offset + first * stride, stride, count, to, step,
                 [](Number value) { return static_cast<double>(value); });
  };
  switch (type) {
    case Type::f64: return numbers(static_cast<const double*>(data));
    case Type::f32: return numbers(static_cast<const float*>(data));
    case Type::i64: return numbers(static_cast<const std::int64_t*>(data));
    case Type::i32: return numbers(static_cast<const std::int32_t*>(data));
    case Type::i16: return numbers(static_cast<const std::int16_t*>(data));
    case Type::i8: return numbers(static_cast<const std::int8_t*>(data));
    case Type::u64: return numbers(static_cast<const std::uint64_t*>(data));
    case Type::u32: return numbers(static_cast<const std::uint32_t*>(data));
    case Type::u16: return numbers(static_cast<const std::uint16_t*>(data));
    case Type::u8: return numbers(static_cast<const std::uint8_t*>(data));
    case Type::f16:
    case Type::boolean:
    case Type::bit:
      for (std::size_t i = 0; i < count; ++i) to[i * step] = at(first + static_cast<std::int64_t>(i));
  }
}

void LentColumn::copy(std::int64_t first, std::size_t count, double* to, std::size_t step) const {
  numbers.copy(first, count, to, step);
  for (std::size_t i = 0; valid != nullptr && i < count; ++i)
    if (!bit(valid, valid_offset + first + static_cast<std::int64_t>(i))) to[i * step] = kMissing;
  if (per_day != 0) {
    for (std::size_t i = 0; i < count; ++i) to[i * step] /= per_day;
  } else if (text) {
    for (std::size_t i = 0; i < count; ++i) {
      double& value = to[i * step];
      if (value < 0)
        value = kMissing;
      else if (!recode.empty() && !std::isnan(value))
        value = recode[static_cast<std::size_t>(value)];
    }
  }
}

double LentColumn::at(std::int64_t row) const {
  if (valid != nullptr && !bit(valid, valid_offset + row)) return kMissing;
  const double value = numbers.at(row);
  if (per_day != 0) return value / per_day;
  if (!text) return value;
  if (value < 0) return kMissing;
  return recode.empty() ? value : recode[static_cast<std::size_t>(value)];
}

void check_codes(const LentColumn& codes, std::int64_t rows, const TableColumn& column) {
  const auto texts = static_cast<double>(column.texts.size());
  for (std::int64_t i = 0; i < rows; ++i)
    if (const double code = codes.at(i); code >= texts)
      throw DataError({.code = Code::damaged_file,
                       .subject = {"column", column.name},
                       .message = fmt::format("column {}: row {} has category {} of {}", in_quotes(column.name), i,
                                              code, column.texts.size())});
}

Rows::Rows(Table table, std::vector<LentColumn> columns, std::size_t rows, std::shared_ptr<void> owner)
    : table_(std::move(table)), rows_(rows) {
  parts_.push_back({rows, std::move(columns), std::move(owner)});
  std::vector<std::string> names;
  for (const TableColumn& column : table_.columns) names.push_back(column.name);
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
    throw DataError({.code = Code::duplicate,
                     .subject = {"column", *twice},
                     .message = fmt::format("two columns are called {}", in_quotes(*twice)),
                     .remedy = "rename one"});
}

std::vector<double> join_texts(TableColumn& column, const std::vector<std::string>& texts) {
  std::unordered_map<std::string, double> places;
  for (const std::string& text : column.texts) places.emplace(text, static_cast<double>(places.size()));
  std::vector<double> out;
  for (const std::string& text : texts) {
    const auto [place, fresh] = places.emplace(text, static_cast<double>(places.size()));
    if (fresh) column.texts.push_back(text);
    out.push_back(place->second);
  }
  return out;
}

void Rows::append(Rows& other) {
  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    TableColumn& column = table_.columns[j];
    const TableColumn& from = other.table_.columns[j];
    if (column.type != from.type)
      throw DataError(
          {}, fmt::format("column {} is of one kind in one batch and of another in the next", in_quotes(column.name)));
    if (column.texts == from.texts) continue;
    other.parts_[0].columns[j].recode = join_texts(column, from.texts);
  }
  rows_ += other.rows_;
  parts_.push_back(std::move(other.parts_[0]));
  other.rows_ = 0;
}

std::unique_ptr<Rows> Rows::dense(const nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>& matrix,
                                  std::optional<std::vector<std::string>> names) {
  const auto type = Numbers::type_of(matrix.dtype());
  if (type != Numbers::Type::f64 && type != Numbers::Type::f32)
    throw DataError({}, "a matrix to be lent holds float64 or float32");
  std::unique_ptr<Rows> out(new Rows());
  out->rows_ = matrix.shape(0);
  out->values_ = matrix.data();
  out->single_ = type == Numbers::Type::f32;
  out->table_.source = "X";
  for (std::string& name : names ? *names : numbered_names(matrix.shape(1)))
    out->table_.columns.push_back({.name = std::move(name), .type = TableColumn::Type::number, .texts = {}});
  if (out->table_.columns.size() != matrix.shape(1)) throw DataError({}, "a name for each column is needed");
  out->kept_.emplace_back(matrix);
  return out;
}

std::unique_ptr<Rows> Rows::csr(const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& starts,
                                nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> indices,
                                const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values,
                                std::uint32_t width) {
  const auto type = Numbers::type_of(values.dtype()), start_type = Numbers::type_of(starts.dtype());
  if (type != Numbers::Type::f64 && type != Numbers::Type::f32)
    throw DataError({}, "a matrix to be lent holds float64 or float32");
  std::unique_ptr<Rows> out(new Rows());
  out->rows_ = starts.shape(0) - 1;
  if (start_type == Numbers::Type::i64) {
    out->starts_ = {static_cast<const std::uint64_t*>(starts.data()), starts.shape(0)};
    out->kept_.emplace_back(starts);
  } else if (start_type == Numbers::Type::i32) {
    const auto* from = static_cast<const std::int32_t*>(starts.data());
    out->own_starts_.assign(from, from + starts.shape(0));
    out->starts_ = out->own_starts_;
  } else {
    throw DataError({}, "where rows begin is told in int64 or int32");
  }
  // Negative numbers are too large as unsigned ones.
  const std::size_t count = std::min(indices.shape(0), values.shape(0));
  if (out->starts_.empty() || out->starts_[0] != 0 || out->starts_.back() > count)
    throw DataError({}, "the sparse matrix is damaged: its rows lie outside its values");
  out->indices_ = {static_cast<const std::uint32_t*>(static_cast<const void*>(indices.data())), indices.shape(0)};
  // Indices may fall only where a row begins.
  const std::size_t used = out->starts_.back();
  const IndexSurvey survey = survey_indices(out->indices_.data(), used);
  std::uint64_t falls = 0;
  for (std::size_t i = 0; i < out->rows_; ++i) {
    const std::uint64_t first = out->starts_[i], end = out->starts_[i + 1];
    if (end < first || end > count) throw DataError({}, "the sparse matrix is damaged: a row ends before it begins");
    falls += first > 0 && end > first && out->indices_[first] <= out->indices_[first - 1] ? 1 : 0;
  }
  if (falls != survey.falls) return nullptr;
  if (used > 0 && survey.largest >= width)
    throw DataError({}, "the sparse matrix is damaged: a column index lies outside it");
  out->values_ = values.data();
  out->single_ = type == Numbers::Type::f32;
  out->table_.source = "X";
  out->table_.form = Columns::sparse;
  out->table_.width = out->width_ = width;
  out->kept_.emplace_back(indices);
  out->kept_.emplace_back(values);
  return out;
}

std::unique_ptr<Rows> Rows::columns(const nb::list& arrays, std::vector<std::string> names, std::size_t rows) {
  Table table;
  table.source = "X";
  std::vector<LentColumn> lent;
  std::vector<nb::ndarray<nb::ro>> kept;
  for (std::size_t j = 0; j < names.size(); ++j) {
    nb::object entry = arrays[j];
    TableColumn column{.name = std::move(names[j]), .type = TableColumn::Type::number, .texts = {}};
    LentColumn from;
    if (nb::isinstance<nb::tuple>(entry)) {
      const nb::object values = entry[0], what = entry[1];
      if (nb::isinstance<nb::str>(what)) {
        column.written = kind_of(nb::cast<std::string>(what));
      } else {  // codes and texts
        from.text = true;
        column.type = TableColumn::Type::text;
        column.texts = nb::cast<std::vector<std::string>>(what);
      }
      entry = values;
    }
    const auto array = nb::cast<nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>>(entry);
    const auto type = Numbers::type_of(array.dtype());
    if (!type)
      throw DataError({}, fmt::format("column {}: a type of numbers that is not known", in_quotes(column.name)));
    if (array.shape(0) != rows) throw DataError({}, "columns of different length");
    from.numbers = {array.data(), *type, array.stride(0), 0};
    lent.push_back(from);
    table.columns.push_back(std::move(column));
    kept.emplace_back(array);
  }
  auto out = std::make_unique<Rows>(std::move(table), std::move(lent), rows, nullptr);
  out->kept_ = std::move(kept);
  return out;
}

void Rows::set_labels(nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> labels,
                      std::vector<std::string> classes) {
  if (labels.shape(0) != rows_) throw DataError({}, "a label for each row is needed");
  labels_ = {labels.data(), labels.shape(0)};
  for (const double label : labels_)
    if (!classes.empty() && !std::isnan(label) &&
        !(label >= 0 && label < static_cast<double>(classes.size()) && label == std::floor(label)))
      throw DataError({}, "labels are places in the list of classes");
  table_.labels = std::move(classes);
  table_.label_name = "label";
  kept_.emplace_back(labels);
}

void Rows::set_weights(nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> weights) {
  if (weights.shape(0) != rows_) throw DataError({}, "a weight for each row is needed");
  weights_ = {weights.data(), weights.shape(0)};
  kept_.emplace_back(weights);
}

std::unique_ptr<Source> Rows::again() const {
  auto out = std::unique_ptr<Rows>(new Rows(*this));
  if (!own_starts_.empty()) out->starts_ = out->own_starts_;
  out->at_ = 0;
  return out;
}

std::size_t Rows::block_rows() const {
  const std::size_t values = sparse() ? this->values() / std::max<std::size_t>(rows_, 1) : width();
  return std::clamp(kBlockValues / std::max<std::size_t>(values, 1), kFewestRows, kMostRows);
}

bool Rows::next(Block& block) {
  if (at_ >= rows_) return false;
  const std::size_t count = std::min(block_rows(), rows_ - at_);
  if (check_while_read_) check_finite(at_, count, missing_allowed_);
  block = this->block(at_, count);
  block.number_rows(at_ + 1);
  if (!weights_.empty() && parts_.empty()) block.borrow_weights(weights_.subspan(at_, count));
  at_ += count;
  return true;
}

Block Rows::block(std::size_t first, std::size_t count) const {
  return parts_.empty() ? lent(first, count) : gathered(first, count);
}

Block Rows::lent(std::size_t first, std::size_t count) const {
  const std::span<const double> labels = labels_.empty() ? labels_ : labels_.subspan(first, count);
  const auto width = static_cast<std::uint32_t>(this->width());
  if (!sparse()) {
    const std::size_t from = first * width, size = count * width;
    return single_ ? Block::borrow_dense({static_cast<const float*>(values_) + from, size}, width, labels)
                   : Block::borrow_dense({static_cast<const double*>(values_) + from, size}, width, labels);
  }
  const std::span<const std::uint64_t> starts = starts_.subspan(first, count + 1);
  return single_
             ? Block::borrow_csr(starts, indices_, {static_cast<const float*>(values_), indices_.size()}, width, labels)
             : Block::borrow_csr(starts, indices_, {static_cast<const double*>(values_), indices_.size()}, width,
                                 labels);
}

// Column by column, of so few rows that they stay near while all columns come.
void Rows::gather(const Part& part, std::size_t first, std::size_t count, double* block) {
  constexpr std::size_t kNear = 4096, kFewest = 16;  // values; rows
  const std::size_t width = part.columns.size();
  const std::size_t together = std::max(kFewest, kNear / std::max<std::size_t>(width, 1));
  for (std::size_t i = 0; i < count; i += together)
    for (std::size_t j = 0; j < width; ++j)
      part.columns[j].copy(static_cast<std::int64_t>(first + i), std::min(together, count - i), block + i * width + j,
                           width);
}

Block Rows::gathered(std::size_t first, std::size_t count) const {
  BlockData data;
  const std::size_t width = table_.columns.size();
  data.width = static_cast<std::uint32_t>(width);
  data.values.resize(count * width);
  std::size_t begin = 0;  // of the part
  for (const Part& part : parts_) {
    const std::size_t from = std::max(first, begin), end = std::min(first + count, begin + part.rows);
    if (from < end) gather(part, from - begin, end - from, data.values.data() + (from - first) * width);
    begin += part.rows;
  }
  if (!labels_.empty())
    data.labels.assign(labels_.begin() + static_cast<std::ptrdiff_t>(first),
                       labels_.begin() + static_cast<std::ptrdiff_t>(first + count));
  if (!weights_.empty())
    data.weights.assign(weights_.begin() + static_cast<std::ptrdiff_t>(first),
                        weights_.begin() + static_cast<std::ptrdiff_t>(first + count));
  return Block(std::move(data));
}

std::size_t Rows::values() const { return sparse() ? starts_.back() : rows_ * width(); }

void Rows::check_weights() const {
  for (const double weight : weights_)
    if (!std::isfinite(weight) || weight < 0)
      throw DataError({}, fmt::format("sample_weight contains {}; expected finite numbers, none negative", weight));
}

void Rows::check_finite(std::size_t first, std::size_t count, bool missing_allowed) const {
  const std::size_t begin = sparse() ? starts_[first] : first * width();
  const std::size_t size = (sparse() ? starts_[first + count] : (first + count) * width()) - begin;
  const void* from = single_ ? static_cast<const void*>(static_cast<const float*>(values_) + begin)
                             : static_cast<const double*>(values_) + begin;
  const std::size_t at = begin + first_not_finite(from, single_, size, missing_allowed);
  if (at == begin + size) return;
  const double value =
      single_ ? static_cast<double>(static_cast<const float*>(values_)[at]) : static_cast<const double*>(values_)[at];
  if (!sparse()) refuse(at / width(), table_.columns[at % width()].name, value);
  const auto row = std::upper_bound(starts_.begin(), starts_.end(), at) - starts_.begin() - 1;
  refuse(static_cast<std::size_t>(row), fmt::format("f{}", indices_[at] + 1), value);
}

void Rows::check_finite(bool missing_allowed) const {
  check_weights();
  if (matrix()) {
    check_finite(0, rows_, missing_allowed);
    return;
  }
  std::size_t begin = 0;
  std::vector<double> some(1024);
  for (const Part& part : parts_) {
    for (std::size_t j = 0; j < part.columns.size(); ++j) {
      const LentColumn& column = part.columns[j];
      if (missing_allowed && column.text) continue;
      if (column.plain_doubles() &&
          all_finite(static_cast<const double*>(column.numbers.data) + column.numbers.offset, part.rows))
        continue;
      for (std::size_t i = 0; i < part.rows; i += some.size()) {
        const std::size_t count = std::min(some.size(), part.rows - i);
        column.copy(static_cast<std::int64_t>(i), count, some.data(), 1);
        if (all_finite(some.data(), count)) continue;
        const std::size_t at = first_not_finite(some.data(), count, missing_allowed);
        if (at < count) refuse(begin + i + at, table_.columns[j].name, some[at]);
      }
    }
    begin += part.rows;
  }
}

void Rows::rename(std::vector<std::string> names) {
  if (names.size() != width()) throw DataError({}, "a name for each column is needed");
  table_.form = Columns::named;
  table_.columns.resize(names.size());
  for (std::size_t j = 0; j < names.size(); ++j) table_.columns[j].name = std::move(names[j]);
}

void Rows::drop(const std::string& name) {
  const auto found = std::find_if(table_.columns.begin(), table_.columns.end(),
                                  [&](const TableColumn& column) { return column.name == name; });
  if (found == table_.columns.end() || matrix()) return;
  const auto place = found - table_.columns.begin();
  table_.columns.erase(found);
  for (Part& part : parts_) part.columns.erase(part.columns.begin() + place);
}

void Rows::fill(const Table& table, bool missing, bool only) {
  static constexpr double kAbsent[] = {0, kMissing};
  if (parts_.empty() || table.sparse()) return;
  std::set<std::string> here, there;
  for (const TableColumn& column : table_.columns) here.insert(column.name);
  for (const TableColumn& column : table.columns) there.insert(column.name);
  for (const std::string& name : here)
    if (only && !there.contains(name)) drop(name);
  for (const TableColumn& column : table.columns) {
    if (here.contains(column.name)) continue;
    const bool text = column.type == TableColumn::Type::text;
    table_.columns.push_back({.name = column.name,
                              .type = text ? column.type : TableColumn::Type::number,
                              .texts = text ? std::vector<std::string>{""} : std::vector<std::string>{},
                              .written = column.written});
    LentColumn absent;
    absent.numbers = {missing ? &kAbsent[1] : &kAbsent[0], Numbers::Type::f64, 0, 0};
    absent.text = text && !missing;
    for (Part& part : parts_) part.columns.push_back(absent);
  }
}

void Rows::arrange(const Table& table, bool more_allowed) {
  if (table.sparse()) {  // more features than were ever seen are left out
    for (const TableColumn& column : table_.columns)
      if (column.type == TableColumn::Type::text)
        throw DataError({}, fmt::format("column {} holds text, expected numbers", in_quotes(column.name)));
    return;
  }
  const bool more = more_allowed && !sparse() && !parts_.empty();
  if (more ? width() < table.columns.size() : width() != table.columns.size())
    throw DataError({}, fmt::format("X has {} columns, expected {}", width(), table.columns.size()));
  if (sparse()) {  // its columns have no names: they are the schema's, in their order
    table_.form = Columns::named;
    table_.columns.clear();
    for (const TableColumn& column : table.columns) {
      if (column.type == TableColumn::Type::text)
        throw DataError(
            {}, fmt::format("column {} holds categories; a sparse matrix has numbers only", in_quotes(column.name)));
      table_.columns.push_back(
          {.name = column.name, .type = TableColumn::Type::number, .texts = {}, .written = column.written});
    }
    return;
  }
  std::vector<std::size_t> order;
  for (const TableColumn& column : table.columns) {
    const std::size_t here = order.size();  // most often it is where it should be
    std::size_t found = here;
    if (table_.columns[here].name != column.name) {
      const auto other = std::find_if(table_.columns.begin(), table_.columns.end(),
                                      [&](const TableColumn& candidate) { return candidate.name == column.name; });
      if (other == table_.columns.end()) {
        std::vector<std::string> names;
        for (const TableColumn& candidate : table_.columns) names.push_back(candidate.name);
        throw DataError({},
                        fmt::format("X has no column {}{}", in_quotes(column.name), suggestion(column.name, names)));
      }
      found = static_cast<std::size_t>(other - table_.columns.begin());
    }
    const bool text = table_.columns[found].type == TableColumn::Type::text;
    if (text && column.type == TableColumn::Type::number)
      throw DataError({}, fmt::format("column {} holds text, expected numbers", in_quotes(column.name)));
    if (!text && column.type == TableColumn::Type::text)
      throw DataError({}, fmt::format("column {} holds numbers, expected categories as text such as {}",
                                      in_quotes(column.name), in_quotes(column.texts.empty() ? "" : column.texts[0])));
    order.push_back(found);
  }
  for (std::size_t j = 0; more && j < table_.columns.size(); ++j)
    if (std::find(order.begin(), order.end(), j) == order.end()) order.push_back(j);
  if (parts_.empty()) {
    if (!std::is_sorted(order.begin(), order.end()))
      throw DataError({}, "the columns of X stand in another order than in training");
    return;
  }
  for (Part& part : parts_) {
    std::vector<LentColumn> columns;
    for (const std::size_t j : order) columns.push_back(std::move(part.columns[j]));
    part.columns = std::move(columns);
  }
  std::vector<TableColumn> names;
  for (const std::size_t j : order) names.push_back(std::move(table_.columns[j]));
  table_.columns = std::move(names);
}

}  // namespace postil::python
