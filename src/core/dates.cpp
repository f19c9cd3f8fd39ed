// dates.cpp: numbers that are written as something else: dates, percentages, thousands with commas.
#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "postil/text.hpp"

namespace postil {
namespace {

constexpr double kMillisecondsPerDay = 86'400'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A whole number of so many digits at the front of the text, which is taken away.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return std::nullopt;
  int out = 0;
  for (const char c : text.substr(0, count)) {
    if (!is_digit(c)) return std::nullopt;
    out = out * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return out;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

// 12:30, 12:30:59, 12:30:59.25, perhaps with Z: the part of a day.
std::optional<double> parse_time(std::string_view text) {
  const std::optional<int> hours = take_digits(text, 2);
  if (!hours || !take(text, ':')) return std::nullopt;
  const std::optional<int> minutes = take_digits(text, 2);
  double seconds = 0;
  if (minutes && take(text, ':')) {
    std::size_t end = 0;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    const std::optional<double> found = parse_number(text.substr(0, end));
    if (!found || end < 2 || (end > 2 && text[2] != '.')) return std::nullopt;
    seconds = *found;
    text.remove_prefix(end);
  }
  take(text, 'Z');
  if (!minutes || !text.empty() || *hours > 23 || *minutes > 59 || seconds >= 60) return std::nullopt;
  return (*hours * 3600 + *minutes * 60 + seconds) / 86'400;
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  if (text.size() < 10 || text[4] != '-') return std::nullopt;  // nearly all there is
  const std::optional<int> year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const std::optional<int> month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const std::optional<int> day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year == 0) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return days;
  if (!take(text, 'T') && !take(text, ' ')) return std::nullopt;
  const std::optional<double> time = parse_time(text);
  return time ? std::optional(days + *time) : std::nullopt;
}

std::string format_date(double days) {
  constexpr double kFirst = -719'162, kBeyond = 2'932'897;  // 0001-01-01, 10000-01-01
  if (!(days >= kFirst && days < kBeyond)) return format_number(days);
  double whole = std::floor(days);
  auto time = static_cast<std::int64_t>(std::llround((days - whole) * kMillisecondsPerDay));
  if (time == static_cast<std::int64_t>(kMillisecondsPerDay)) {
    whole += 1;
    time = 0;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(static_cast<int>(whole)))};
  std::string out = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                                static_cast<unsigned>(date.day()));
  if (time == 0) return out;
  out += fmt::format("T{:02}:{:02}", time / 3'600'000, time / 60'000 % 60);
  if (time % 60'000 != 0) out += fmt::format(":{:02}", time / 1000 % 60);
  if (time % 1000 != 0) out += fmt::format(".{:03}", time % 1000);
  return out;
}

std::optional<double> parse_percent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  return parse_number(trimmed(text));
}

std::optional<double> parse_money(std::string_view text) {
  const std::string_view sign = text.substr(0, text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  text.remove_prefix(sign.size());
  for (const std::string_view symbol : {"$", "€", "£", "¥"}) {
    if (text.starts_with(symbol))
      text.remove_prefix(symbol.size());
    else if (text.ends_with(symbol))
      text.remove_suffix(symbol.size());
    else
      continue;
    text = trimmed(text);
    if (!sign.empty() && (text.starts_with('-') || text.starts_with('+'))) return std::nullopt;
    const std::string number = std::string(sign) + std::string(text);
    const std::optional<double> plain = parse_number(number);
    return plain ? plain : parse_grouped(number);
  }
  return std::nullopt;
}

std::optional<std::string> with_decimal_point(std::string_view text) {
  const std::size_t from = text.find_first_of("0123456789,");
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t to = std::min(text.find_first_not_of("0123456789.,", from), text.size());
  if (text.substr(0, from).find('.') != std::string_view::npos ||
      text.find_first_of(".,", to) != std::string_view::npos)
    return std::nullopt;
  std::string_view digits = text.substr(from, to - from), fraction;
  if (const std::size_t comma = digits.find(','); comma != std::string_view::npos) {
    fraction = digits.substr(comma + 1);
    digits = digits.substr(0, comma);
    if (fraction.find_first_of(".,") != std::string_view::npos) return std::nullopt;
  }
  std::string out(text.substr(0, from));
  const std::size_t first = std::min(digits.find('.'), digits.size());
  if (first < digits.size() && (first == 0 || first > 3)) return std::nullopt;
  out += digits.substr(0, first);
  for (digits.remove_prefix(first); !digits.empty(); digits.remove_prefix(4)) {  // .234
    if (digits.size() < 4 || digits.substr(1, 3).find('.') != std::string_view::npos) return std::nullopt;
    out += digits.substr(1, 3);
  }
  if (!fraction.empty()) out.append(".").append(fraction);
  return out.append(text.substr(to));
}

bool means_missing(std::string_view text) {
  if (text == "-" || text == ".") return true;
  const std::string word = lower_case(text.substr(0, 6));
  return word == "na" || word == "n/a" || word == "nan" || word == "null" || word == "#n/a" || word == "<na>";
}

std::optional<double> parse_grouped(std::string_view text) {
  std::string plain(text.substr(0, text.starts_with('-') || text.starts_with('+') ? 1 : 0));
  text.remove_prefix(plain.size());
  std::size_t first = 0;
  while (first < text.size() && is_digit(text[first])) ++first;
  if (first == 0 || first > 3 || first == text.size() || text[first] != ',') return std::nullopt;
  plain += text.substr(0, first);
  text.remove_prefix(first);
  while (take(text, ',')) {
    const std::string_view group = text.substr(0, 3);
    if (!take_digits(text, 3)) return std::nullopt;
    plain += group;
  }
  if (!text.empty() && text[0] != '.') return std::nullopt;
  return parse_number(plain + std::string(text));
}

}  // namespace postil
