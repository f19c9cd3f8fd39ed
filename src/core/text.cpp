#include "postil/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace postil {
namespace {

// Damerau's distance: letters changed, added, left out, or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1U : 0U)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string aligned(const std::vector<std::vector<std::string>>& lines, std::string_view align) {
  const auto width_of = [](const std::string& cell) {  // in characters, not bytes
    return static_cast<std::size_t>(std::count_if(cell.begin(), cell.end(), [](char c) { return (c & 0xc0) != 0x80; }));
  };
  std::vector<std::size_t> wide(align.size());
  for (const std::vector<std::string>& line : lines)
    for (std::size_t k = 0; k < line.size(); ++k) wide[k] = std::max(wide[k], width_of(line[k]));
  std::string text;
  for (const std::vector<std::string>& line : lines) {
    std::string row;
    for (std::size_t k = 0; k < line.size(); ++k) {
      const std::string blank(wide[k] - width_of(line[k]), ' ');
      row += align[k] == '<' ? line[k] + blank : blank + line[k];
      row += "  ";
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string percent(double share) { return share == share ? fmt::format("{:.1f}%", 100 * share) : "-"; }

std::string format_number(double value) { return value == 0 ? "0" : fmt::format("{}", value); }

bool valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i++]);
    if (c < 0x80) continue;
    const int more = c >= 0xf0 && c < 0xf5 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xc2 && c < 0xe0 ? 1 : 0;
    if (more == 0 || i + static_cast<std::size_t>(more) > text.size()) return false;
    std::uint32_t code = c & (0x3fU >> more);
    for (int k = 0; k < more; ++k) {
      const auto next = static_cast<unsigned char>(text[i++]);
      if ((next & 0xc0) != 0x80) return false;
      code = code << 6 | (next & 0x3fU);
    }
    if ((more == 2 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
        (more == 3 && (code < 0x10000 || code > 0x10ffff)))
      return false;
  }
  return true;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const bool cut = text.size() > kLongest;
  if (cut) {
    text = text.substr(0, kLongest);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
      text.remove_suffix(1);  // whole characters only
  }
  const bool plain = valid_utf8(text);
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !plain))
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return cut ? out + "..." : out;
}

std::string in_quotes(std::string_view text) { return "'" + shown(text) + "'"; }

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string joined(std::span<const std::string> items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string nearest_name(std::string_view name, std::span<const std::string> known) {
  std::string best;
  std::size_t nearest = std::max<std::size_t>(1, name.size() / 3) + 1;
  const std::string wanted = lower_case(name.substr(0, 200));
  for (const std::string& candidate : known) {
    const std::size_t longer = std::max(candidate.size(), wanted.size()),
                      shorter = std::min(candidate.size(), wanted.size());
    if (longer - shorter >= nearest) continue;
    const std::size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance < nearest && distance < wanted.size()) {
      nearest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> known) {
  const std::string near = nearest_name(name, known);
  if (!near.empty()) return "did you mean " + in_quotes(near) + "?";
  return known.empty() || known.size() > kMostNamesShown ? "" : "known: " + joined(known);
}

std::string suggestion(std::string_view name, std::span<const std::string> known) {
  const std::string text = did_you_mean(name, known);
  return text.empty() ? text : "; " + text;
}

}  // namespace postil
