#include "postil/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::string_view kKinds[] = {"number", "integer", "binary", "categorical", "date", "percent"};
constexpr std::string_view kMissing[] = {"mean", "zero", "indicator", "refuse"};
constexpr std::string_view kScales[] = {"none", "standard", "minmax", "maxabs"};
constexpr std::string_view kLabelKinds[] = {"", "text", "integer", "number", "truth"};

template <class Enum, std::size_t N>
Enum from_word(const std::string_view (&words)[N], std::string_view word, std::string_view what) {
  for (std::size_t i = 0; i < N; ++i)
    if (words[i] == word) return static_cast<Enum>(i);
  const std::vector<std::string> known(std::begin(words), std::end(words));
  throw ParamError(fmt::format("{} is no {}; known: {}", in_quotes(word), what, joined(known)));
}

}  // namespace

std::string_view word(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view word(Missing missing) { return kMissing[static_cast<std::size_t>(missing)]; }
std::string_view word(Scale scale) { return kScales[static_cast<std::size_t>(scale)]; }
Kind kind_of(std::string_view word) { return from_word<Kind>(kKinds, word, "kind of column"); }
Missing missing_of(std::string_view word) { return from_word<Missing>(kMissing, word, "way to treat missing values"); }
Scale scale_of(std::string_view word) { return from_word<Scale>(kScales, word, "scaling"); }
std::string_view word(LabelKind kind) { return kLabelKinds[static_cast<std::size_t>(kind)]; }
LabelKind label_kind_of(std::string_view word) { return from_word<LabelKind>(kLabelKinds, word, "kind of label"); }

std::string text_of(double value, Kind kind) {
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return kind == Kind::date ? format_date(value) : format_number(value) + (kind == Kind::percent ? "%" : "");
}

void Moments::add_zeros(std::uint64_t zeros) {
  if (zeros == 0) return;
  // Two groups joined (Chan, Golub and LeVeque 1983), the second all zeros.
  const auto n = static_cast<double>(count), z = static_cast<double>(zeros);
  squares += mean * mean * (n * z / (n + z));
  mean *= n / (n + z);
  count += zeros;
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
}

Moments Moments::of_zeros_and_ones(std::uint64_t zeros, std::uint64_t ones) {
  const auto z = static_cast<double>(zeros), o = static_cast<double>(ones);
  if (zeros + ones == 0) return {};
  return {zeros + ones, o / (z + o), z * o / (z + o), zeros > 0 ? 0.0 : 1.0, ones > 0 ? 1.0 : 0.0};
}

std::vector<Moments> Schema::moments(const std::vector<std::uint32_t>& wanted) const {
  std::vector<Moments> out;
  out.reserve(wanted.size());
  if (sparse()) {
    for (const std::uint32_t feature : wanted) out.push_back(feature < seen.size() ? seen[feature] : Moments{});
    return out;
  }
  const std::vector<Origin> from = origins();
  for (const std::uint32_t feature : wanted) {
    const Column& column = columns[from[feature].column];
    const std::uint32_t k = from[feature].place;
    const std::uint64_t known = column.seen.rows() - column.seen.missing;
    if (!column.categorical() && k == 0)
      out.push_back(column.seen.numbers);
    else if (k < column.seen.categories.size())
      out.push_back(
          Moments::of_zeros_and_ones(column.seen.rows() - column.seen.categories[k], column.seen.categories[k]));
    else if (k < column.values())  // a category that no row has shown
      out.push_back(Moments::of_zeros_and_ones(column.seen.rows(), 0));
    else  // the indicator of missing values
      out.push_back(Moments::of_zeros_and_ones(known, column.seen.missing));
  }
  return out;
}

std::uint64_t Guess::rows() const {
  return std::accumulate(categories.begin(), categories.end(), numbers.count) + missing;
}

void Schema::number_features() {
  features = 0;
  for (Column& column : columns) {
    column.features.resize(column.values() + (column.missing == Missing::indicator ? 1 : 0));
    for (std::uint32_t& feature : column.features) feature = features++;
  }
}

std::uint32_t Schema::add_category(std::size_t column, const std::string& category) {
  Column& to = columns[column];
  to.features.insert(to.features.begin() + static_cast<std::ptrdiff_t>(to.categories.size()), features);
  to.categories.push_back(category);
  if (!scaling.identity()) {
    scaling.shift.push_back(0);
    scaling.scale.push_back(1);
  }
  return features++;
}

std::uint32_t Schema::add_column(Column column, double divide) {
  column.features.clear();
  const std::uint32_t first = features;
  for (std::size_t k = 0; k < column.values() + (column.missing == Missing::indicator ? 1 : 0); ++k) {
    column.features.push_back(features++);
    if (scaling.identity()) continue;
    scaling.shift.push_back(0);
    scaling.scale.push_back(k == 0 && !column.categorical() ? divide : 1);
  }
  columns.push_back(std::move(column));
  return first;
}

std::vector<Schema::Origin> Schema::origins() const {
  std::vector<Origin> out(features);
  for (std::uint32_t j = 0; j < columns.size(); ++j)
    for (std::uint32_t k = 0; k < columns[j].features.size(); ++k) out[columns[j].features[k]] = {j, k};
  return out;
}

namespace {

std::string name_of(const Column& column, std::size_t place) {
  if (place >= column.values()) return column.name + "=?";  // the indicator of a missing value
  return column.categorical() ? column.name + "=" + column.categories[place] : column.name;
}

// A whole number of more digits than a double keeps, as it stands.
std::optional<std::string> long_whole_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  while (text.size() > 1 && text[0] == '0') text.remove_prefix(1);
  if (text.size() < 16 || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return (negative ? "-" : "") + std::string(text);
}

}  // namespace

std::string Schema::feature_name(std::uint32_t feature) const {
  for (const Column& column : columns)
    for (std::size_t k = 0; k < column.features.size(); ++k)
      if (column.features[k] == feature) return name_of(column, k);
  return fmt::format("f{}", feature + 1);
}

std::vector<std::string> Schema::feature_names() const {
  std::vector<std::string> names(features);
  if (sparse())
    for (std::uint32_t j = 0; j < features; ++j) names[j] = feature_name(j);
  for (const Column& column : columns)
    for (std::size_t k = 0; k < column.features.size(); ++k) names[column.features[k]] = name_of(column, k);
  return names;
}

std::string canonical_label(std::string_view text, LabelKind kind) {
  if (kind == LabelKind::text) return std::string(text);
  if (text == "+") return "1";
  if (text == "-") return "-1";
  if (std::optional<std::string> digits = long_whole_number(text)) return *digits;
  if (const std::optional<double> number = parse_number(text)) return format_number(*number);
  return std::string(text);
}

std::vector<std::string> ordered_classes(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
    const std::optional<double> x = parse_number(a), y = parse_number(b);
    if (x && y && *x != *y) return *x < *y;
    if (x.has_value() != y.has_value()) return x.has_value();
    return a < b;
  });
  return labels;
}

Table table_of(const Schema& schema) {
  Table table;
  table.source = "rows";
  table.form = schema.form;
  table.width = schema.sparse() ? schema.features : 0;
  table.label_name = schema.label.name;
  for (const Column& column : schema.columns)
    table.columns.push_back({column.name, column.categorical() ? TableColumn::Type::text : TableColumn::Type::number,
                             column.categories, column.written()});
  table.labels = schema.label.classes;
  return table;
}

}  // namespace postil
