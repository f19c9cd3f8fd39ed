#include "postil/text.hpp"

#include <fast_float/fast_float.h>

#include <cmath>

namespace postil {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The text without its sign, if what remains is a decimal number by its form.
bool decimal_form(std::string_view text) {
  std::size_t i = 0, digits = 0;
  for (; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (i < text.size() && text[i] == '.')
    for (++i; i < text.size() && is_digit(text[i]); ++i) ++digits;
  if (digits == 0) return false;
  if (i == text.size()) return true;
  if (text[i] != 'e' && text[i] != 'E') return false;
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  if (i == text.size()) return false;
  for (; i < text.size(); ++i)
    if (!is_digit(text[i])) return false;
  return true;
}

// fast_float takes no leading '+', and before 4.0 gives infinity without an error for numbers out of range.
double nearest_double(std::string_view unsigned_text) {
  double value = 0;
  fast_float::from_chars(unsigned_text.data(), unsigned_text.data() + unsigned_text.size(), value);
  return value;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (!decimal_form(text)) return std::nullopt;
  const double value = nearest_double(text);
  if (!std::isfinite(value)) return std::nullopt;
  return negative ? -value : value;
}

bool is_not_finite(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (decimal_form(text)) return !std::isfinite(nearest_double(text));
  const std::string word = lower_case(text.substr(0, 12));
  return word == "nan" || word == "inf" || word == "infinity" || word.starts_with("nan(") || word == "1.#inf" ||
         word == "1.#qnan" || word == "1.#ind";
}

}  // namespace postil
