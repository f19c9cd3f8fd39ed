// Numbers that people would write.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "postil/text.hpp"

namespace postil {

// Between two values next to each other: those after the one, up to and with the other; or from the one up to, without the other.
struct Gap {
  double low = 0, high = 0;  // may be infinite
  bool low_belongs = false;  // else `high` does
  [[nodiscard]] bool holds(double x) const { return low_belongs ? low <= x && x < high : low < x && x <= high; }
};

// A power of ten that may be less than 1, so that multiples of it are the doubles nearest to what people write.
struct Decimals {
  int digits = 0;  // 10^digits
  [[nodiscard]] double times(double k) const {
    return digits >= 0 ? k * std::pow(10.0, digits) : k / std::pow(10.0, -digits);
  }
  [[nodiscard]] double in(double x) const {
    return digits >= 0 ? x / std::pow(10.0, digits) : x * std::pow(10.0, -digits);
  }
};

// The multiple in the gap that is nearest to its middle; of a gap that is open, to its end.
inline std::optional<double> multiple_in(const Gap& gap, Decimals step) {
  const bool open_low = !std::isfinite(gap.low), open_high = !std::isfinite(gap.high);
  const double middle = open_low ? gap.high : open_high ? gap.low : gap.low + (gap.high - gap.low) / 2;
  if (!std::isfinite(middle)) return std::nullopt;
  const double k = std::round(step.in(middle));
  for (const double candidate : {k, k - 1, k + 1})
    if (const double x = step.times(candidate) + 0.0; gap.holds(x)) return x;
  return std::nullopt;
}

// How finely a number is written: 126 by ones, 2.75 by hundredths, 43100 by hundreds, but never more than three digits coarse.
inline Decimals step_of(double number) {
  Decimals out;
  const std::string text = format_number(std::fabs(number));
  const std::size_t point = text.find('.');
  if (text.find('e') == std::string::npos && point != std::string::npos)
    out.digits = -static_cast<int>(text.size() - point - 1);
  if (number != 0) out.digits = std::max(out.digits, static_cast<int>(std::floor(std::log10(std::fabs(number)))) - 2);
  return out;
}

// The number with the fewest digits in the gap; none: it is open at both ends.
inline std::optional<double> roundest_in(const Gap& gap) {
  const double size =
      std::max(std::isfinite(gap.low) ? std::fabs(gap.low) : 0, std::isfinite(gap.high) ? std::fabs(gap.high) : 0);
  const int largest = size > 0 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 0;
  for (int digits = largest; digits > largest - 18; --digits)
    if (const std::optional<double> x = multiple_in(gap, {digits})) return x;
  return gap.low_belongs ? gap.low : gap.high;
}

}  // namespace postil
