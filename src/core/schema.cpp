#include "postil/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "number.hpp"
#include "postil/error.hpp"
#include "text.hpp"

namespace postil {
namespace {

constexpr std::string_view kKinds[] = {"number", "integer", "binary", "categorical"};
constexpr std::string_view kMissing[] = {"mean", "zero", "indicator", "refuse"};
constexpr std::string_view kScales[] = {"none", "standard", "minmax", "maxabs"};

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
  if (anonymous) {
    for (const std::uint32_t feature : wanted) out.push_back(feature < seen.size() ? seen[feature] : Moments{});
    return out;
  }
  std::vector<std::uint32_t> starts{0};  // per column
  for (const Column& column : columns) starts.push_back(starts.back() + column.features());
  for (const std::uint32_t feature : wanted) {
    const auto after = std::upper_bound(starts.begin(), starts.end(), feature);
    const Column& column = columns[static_cast<std::size_t>(after - starts.begin()) - 1];
    const std::uint32_t k = feature - *std::prev(after);
    const std::uint64_t known = std::accumulate(column.category_counts.begin(), column.category_counts.end(),
                                                column.kind == Kind::categorical ? 0 : column.seen.count);
    if (column.kind != Kind::categorical && k == 0)
      out.push_back(column.seen);
    else if (k < column.category_counts.size())
      out.push_back(Moments::of_zeros_and_ones(known + column.seen_missing - column.category_counts[k],
                                               column.category_counts[k]));
    else  // the indicator of missing values
      out.push_back(Moments::of_zeros_and_ones(known, column.seen_missing));
  }
  return out;
}

std::string Schema::feature_name(std::uint32_t feature) const {
  if (anonymous) return fmt::format("f{}", feature + 1);
  for (const Column& column : columns) {
    if (feature >= column.features()) {
      feature -= column.features();
      continue;
    }
    const std::uint32_t values =
        column.kind == Kind::categorical ? static_cast<std::uint32_t>(column.categories.size()) : 1;
    if (feature >= values) return column.name + "=?";  // the indicator of a missing value
    return column.kind == Kind::categorical ? column.name + "=" + column.categories[feature] : column.name;
  }
  return fmt::format("f{}", feature + 1);
}

std::vector<std::string> Schema::feature_names() const {
  std::vector<std::string> names;
  names.reserve(features);
  if (anonymous) {
    for (std::uint32_t j = 0; j < features; ++j) names.push_back(feature_name(j));
    return names;
  }
  for (const Column& column : columns) {
    if (column.kind == Kind::categorical)
      for (const std::string& category : column.categories) names.push_back(column.name + "=" + category);
    else
      names.push_back(column.name);
    if (column.missing == Missing::indicator) names.push_back(column.name + "=?");
  }
  return names;
}

std::string canonical_label(std::string_view text) {
  if (text == "+") return "1";
  if (text == "-") return "-1";
  if (const std::optional<double> number = parse_number(text)) return format_number(*number);
  return std::string(text);
}

std::vector<std::string> ordered_classes(std::vector<std::string> labels) {
  std::sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
    const std::optional<double> x = parse_number(a), y = parse_number(b);
    if (x && y) return *x < *y;
    if (x || y) return x.has_value();
    return a < b;
  });
  return labels;
}

}  // namespace postil
