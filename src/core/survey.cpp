// survey.cpp: a schema from raw rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "clones.hpp"
#include "failures.hpp"
#include "postil/schema.hpp"

namespace postil {
namespace {

// Beyond this many features, subtracting a mean would turn sparse rows into rows too long to be useful.
constexpr std::uint32_t kWidestShifted = 20'000;

struct ShiftScale {
  double shift = 0;
  double scale = 1;
};

ShiftScale scaling_of(Scale scale, const Moments& seen) {
  if (seen.count == 0) return {};
  const ShiftScale by_range{seen.low / 2 + seen.high / 2, seen.high / 2 - seen.low / 2};
  ShiftScale result;
  switch (scale) {
    case Scale::none: return {};
    case Scale::standard: result = {seen.mean, std::sqrt(seen.variance())}; break;
    case Scale::minmax: result = {seen.low, seen.high - seen.low}; break;
    case Scale::maxabs: result = {0, std::max(std::fabs(seen.low), std::fabs(seen.high))}; break;
  }
  if (!std::isfinite(result.shift) || !std::isfinite(result.scale))
    result = by_range;  // numbers near the largest double
  // A constant column keeps its units; so does one whose spread overflows or underflows.
  if (!(result.scale > 0) || !std::isfinite(result.scale) || !std::isfinite(1 / result.scale)) result.scale = 1;
  return result;
}

Kind inferred_kind(bool whole, bool binary) { return binary ? Kind::binary : whole ? Kind::integer : Kind::number; }

// Moments::add for one value in each of n columns; NaN is passed over.
struct SurveyArrays {
  double* __restrict count;
  double* __restrict mean;
  double* __restrict squares;
  double* __restrict low;
  double* __restrict high;
  double* __restrict not_whole;
  double* __restrict not_binary;
};
POSTIL_CLONES void survey_row(const double* __restrict x, std::size_t n, SurveyArrays to) {
  constexpr double kWhole =
      0x1.8p52;  // adding and taking it away rounds to a whole number (below 2^51; larger ones are whole)
  for (std::size_t j = 0; j < n;
       ++j) {  // selections and '&' instead of branches, which would keep it from being vectorised
    const double before = to.mean[j];
    const bool there = x[j] == x[j];
    const double value = there ? x[j] : before;
    const double count = to.count[j] + (there ? 1.0 : 0.0);
    const double delta = value - before;
    const double mean = before + delta / (count > 1.0 ? count : 1.0);
    to.squares[j] += delta * (value - mean);
    to.mean[j] = mean;
    to.count[j] = count;
    const double low = to.low[j], high = to.high[j];
    to.low[j] = x[j] < low ? x[j] : low;  // never true for NaN
    to.high[j] = x[j] > high ? x[j] : high;
    const double magnitude = value < 0 ? -value : value;
    const double whole = (magnitude + kWhole) - kWhole;
    to.not_whole[j] += (there & (magnitude < kWhole) & (whole != magnitude)) ? 1.0 : 0.0;
    to.not_binary[j] += (there & (value != 0.0) & (value != 1.0)) ? 1.0 : 0.0;
  }
}

}  // namespace

Survey::Survey(const Table& table, Scale scale, ColumnWishes wishes, bool kinds)
    : table_(table), scale_(scale), wishes_(std::move(wishes)), kinds_(kinds) {
  make_room();
}

bool Survey::any_missing() const {
  return std::any_of(count_.begin(), count_.end(), [&](double count) { return count < static_cast<double>(rows_); });
}

void Survey::add(const Block& raw, std::size_t at_most) {
  const std::size_t rows = std::min(raw.rows(), at_most);
  rows_ += rows;
  label_counts_.resize(table_.labels.size());
  if (!label_counts_.empty())
    for (const double label : raw.labels().first(raw.labels().empty() ? 0 : rows))
      if (!std::isnan(label)) ++label_counts_[static_cast<std::size_t>(label)];
  if (!table_.sparse()) {
    const SurveyArrays arrays{count_.data(), mean_.data(),      squares_.data(),   low_.data(),
                              high_.data(),  not_whole_.data(), not_binary_.data()};
    std::vector<double> widened;
    for (std::size_t i = 0; i < rows; ++i) {
      const Row row = raw.row(i);
      const auto* values = static_cast<const double*>(row.values);
      if (!row.dense()) {
        widened.assign(table_.columns.size(), 0);
        for (std::size_t k = 0; k < row.count; ++k) widened[row.index(k)] = row.value(k);
        values = widened.data();
      } else if (row.single) {
        const auto* floats = static_cast<const float*>(row.values);
        widened.assign(floats, floats + row.count);
        values = widened.data();
      }
      survey_row(values, table_.columns.size(), arrays);
      for (std::size_t j = 0; j < table_.columns.size(); ++j) {
        if (table_.columns[j].type != TableColumn::Type::text || std::isnan(values[j])) continue;
        const auto code = static_cast<std::size_t>(values[j]);
        text_counts_.resize(table_.columns.size());
        if (text_counts_[j].size() <= code) text_counts_[j].resize(code + 1);
        ++text_counts_[j][code];
      }
    }
    return;
  }
  if (kinds_) {
    sparse_kinds_.resize(table_.width, Kind::binary);
    for (std::size_t i = 0; i < rows; ++i) {
      const Row row = raw.row(i);
      for (std::size_t k = 0; k < row.count; ++k) {
        const double value = row.value(k);
        Kind& kind = sparse_kinds_[row.index(k)];
        if (value != std::floor(value))
          kind = Kind::number;
        else if (value != 0 && value != 1 && kind == Kind::binary)
          kind = Kind::integer;
      }
    }
  }
  if (scale_ == Scale::none && !kinds_) return;
  sparse_.resize(table_.width);
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = raw.row(i);
    for (std::size_t k = 0; k < row.count; ++k) sparse_[row.index(k)].add(row.value(k));
  }
}

Schema Survey::finish_sparse() const {
  for (const auto& [name, kind] : wishes_.kinds)
    throw ParamError({.code = Code::unsupported,
                      .subject = {"column", shown(name)},
                      .message = Text(Option{"kind", shown(name)}, ": only columns of CSV files have kinds")});
  Schema schema;
  schema.form = Columns::sparse;
  schema.features = table_.width;
  schema.kinds = sparse_kinds_;
  schema.scale = scale_;
  std::vector<Moments> seen = sparse_;
  for (Moments& moments : seen) moments.add_zeros(rows_ - moments.count);
  if (kinds_) schema.seen = seen;
  if (scale_ == Scale::none) return schema;
  if (scale_ != Scale::maxabs && table_.width > kWidestShifted)
    throw ParamError(fmt::format("{} scaling would fill the zeros of {} sparse columns; use maxabs or none",
                                 word(scale_), table_.width));
  schema.scaling.shift.resize(table_.width);
  schema.scaling.scale.assign(table_.width, 1);
  for (std::size_t j = 0; j < seen.size(); ++j) {
    const ShiftScale s = scaling_of(scale_, seen[j]);
    schema.scaling.shift[j] = s.shift;
    schema.scaling.scale[j] = s.scale;
  }
  return schema;
}

Schema Survey::finish() const {
  if (table_.sparse()) return finish_sparse();
  Schema schema;
  schema.scale = scale_;
  schema.ignored = wishes_.ignored;
  std::vector<std::string> names;
  for (const TableColumn& column : table_.columns) names.push_back(column.name);
  const auto check_known = [&](const std::string& name, const char* option) {
    if (name == table_.label_name && !name.empty())
      throw DataError({.code = Code::conflict,
                       .place = {table_.source},
                       .subject = {"column", shown(name)},
                       .message = Text(Option{option}, ": column ", in_quotes(name), " is the label")});
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      throw DataError(unknown(Code::unknown_column, "column", name,
                              Text(Option{option}, ": there is no column ", in_quotes(name)), names, {table_.source}));
  };
  for (const auto& [name, kind] : wishes_.kinds) check_known(name, "kind");
  for (const auto& [name, missing] : wishes_.missing) check_known(name, "missing");
  for (const auto& [name, tokens] : wishes_.na)
    if (name != table_.label_name) check_known(name, "na");

  for (std::size_t j = 0; j < table_.columns.size(); ++j) {
    const TableColumn& from = table_.columns[j];
    Column column;
    column.name = from.name;
    column.seen.missing = rows_ - static_cast<std::uint64_t>(count_[j]);
    if (from.type != TableColumn::Type::text) column.seen.numbers = moments(j);
    for (const std::string& key : {std::string(), from.name}) {
      if (const auto found = wishes_.missing.find(key); found != wishes_.missing.end()) column.missing = found->second;
      if (const auto found = wishes_.na.find(key); found != wishes_.na.end())
        column.na.insert(column.na.end(), found->second.begin(), found->second.end());
    }
    const auto named = wishes_.categories.find(from.name);
    const bool numbers = column.seen.numbers.count > 0;
    if (from.type == TableColumn::Type::text || (!numbers && named != wishes_.categories.end())) {
      column.seen.kind = Kind::categorical;
      column.categories = from.texts;
      if (named != wishes_.categories.end())
        column.categories.insert(column.categories.end(), named->second.begin(), named->second.end());
      column.categories = ordered_classes(std::move(column.categories));
      column.categories.erase(std::unique(column.categories.begin(), column.categories.end()), column.categories.end());
      column.seen.categories.resize(column.categories.size());
      std::unordered_map<std::string_view, std::size_t> places;
      for (const std::string& category : column.categories) places.emplace(category, places.size());
      for (std::size_t code = 0; j < text_counts_.size() && code < text_counts_[j].size(); ++code)
        column.seen.categories[places.at(from.texts[code])] += text_counts_[j][code];
    } else if (from.written != Kind::number) {
      column.seen.kind = from.written;
    } else if (numbers) {
      column.seen.kind = inferred_kind(not_whole_[j] == 0, not_binary_[j] == 0);
    }
    if (const auto wish = wishes_.kinds.find(from.name); wish != wishes_.kinds.end()) {
      if (column.categorical() && wish->second != Kind::categorical)
        throw DataError({table_.source, 0, 0},
                        fmt::format("column {} holds text such as {}, expected {}", in_quotes(from.name),
                                    in_quotes(from.texts.empty() ? "" : from.texts[0]), word(wish->second)));
      column.promised.kind = wish->second;
      if (wish->second == Kind::binary) {
        column.promised.low = 0;
        column.promised.high = 1;
      }
    }
    if (column.seen.missing > 0 && column.missing == Missing::refuse)
      throw DataError({.code = Code::missing_value,
                       .place = {table_.source},
                       .subject = {"column", from.name},
                       .message = Text(fmt::format("column {} has {} missing values, and ", in_quotes(from.name),
                                                   column.seen.missing),
                                       Option{"missing", "", "refuse"}, " was given")});
    schema.columns.push_back(std::move(column));
  }
  schema.number_features();
  check_names(schema);
  if (scale_ != Scale::none) scale_features(schema);
  for (Column& column : schema.columns) {  // numbers near the largest double: what a model file may hold
    Moments& numbers = column.seen.numbers;
    if (!std::isfinite(numbers.mean)) numbers.mean = numbers.low / 2 + numbers.high / 2;
    if (!std::isfinite(numbers.squares)) numbers.squares = std::numeric_limits<double>::max();
  }
  return schema;
}

// Two features must not have one name.
void Survey::check_names(const Schema& schema) const {
  std::vector<std::string> names = schema.feature_names();
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end())
    throw DataError(
        {table_.source, 0, 0},
        fmt::format("two features would be called {}: a column and a category; rename one", in_quotes(*twice)));
}

void Survey::scale_features(Schema& schema) const {
  for (const Column& column : schema.columns) {
    std::size_t more = column.features.size();
    if (!column.categorical()) {
      const ShiftScale s = scaling_of(scale_, column.seen.numbers);
      schema.scaling.shift.push_back(s.shift);
      schema.scaling.scale.push_back(s.scale);
      --more;
    }
    schema.scaling.shift.resize(schema.scaling.shift.size() + more, 0);  // one-hot columns and indicators stay 0 and 1
    schema.scaling.scale.resize(schema.scaling.scale.size() + more, 1);
  }
}

}  // namespace postil
