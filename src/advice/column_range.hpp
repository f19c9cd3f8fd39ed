// Ranges of columns: a_1..a_9.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "problems.hpp"

namespace postil {

constexpr std::size_t kMostRange = 100'000;  // columns in a range

// Splits "spacer_12" into "spacer_" and "12"; no digits at the end: an empty second part.
inline std::pair<std::string, std::string> numbered(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  return {name.substr(0, digits), name.substr(digits)};
}

// The columns a_1, a_2, ... a_9 of a range, by number, in either direction.
inline std::vector<std::string> names_of(const ColumnItem& item) {
  if (item.last.empty()) return {item.first};
  const auto [prefix, from] = numbered(item.first);
  const auto [last_prefix, to] = numbered(item.last);
  if (from.size() > 9 || to.size() > 9)
    fail_at(item.spot, fmt::format("the range {}..{} has numbers above 999999999", item.first, item.last));
  if (prefix != last_prefix || from.empty() || to.empty())
    fail_at(item.spot, fmt::format("the range {}..{} needs two names that differ only in the number at their end",
                                   item.first, item.last));
  const std::uint64_t first = std::stoull(from), last = std::stoull(to);
  const std::size_t width = from.starts_with('0') && from.size() > 1 ? from.size() : 0;
  std::vector<std::string> names;
  if ((first < last ? last - first : first - last) >= kMostRange)
    fail_at({.spot = item.spot,
             .message = fmt::format("a range of more than {} columns", kMostRange),
             .code = Code::too_many,
             .expected = fmt::format("at most {} columns", kMostRange)});
  for (std::uint64_t k = first;; first <= last ? ++k : --k) {
    names.push_back(prefix + fmt::format("{:0{}}", k, width));
    if (k == last) return names;
  }
}

}  // namespace postil
