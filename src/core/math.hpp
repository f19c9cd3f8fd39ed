// Logarithm and exponential from basic arithmetic only. The C library's differ in the last bit between machines with
// and without fused multiply-add, and what they compute would reach models and generated data.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

namespace postil {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A number that counts something, of a file that may be damaged. Throws std::out_of_range.
inline std::uint64_t count_of(double number) {
  if (!(number >= 0 && number < 0x1p53)) throw std::out_of_range("no count");
  return static_cast<std::uint64_t>(number);
}

double portable_log(double x);  // natural logarithm; needs x > 0 and finite. Within 2 units in the last place.
// log(1 + x); needs x > -1 and finite. What 1 + x rounds away cancels in the quotient.
inline double portable_log1p(double x) {
  const double u = 1 + x;
  return u == 1 ? x : portable_log(u) * (x / (u - 1));
}
double portable_exp(double x);  // 0 below -745, infinity above 709.78. Within 2 units in the last place.
// e^x without divisions, branches or calls, so that it runs in vector instructions; below -708 it is 0, above 709 counts as 709.
// Within 2 units in the last place. Adding and taking away 1.5 2^52 rounds to a whole number, which then stands in the last bits.
inline double quick_exp(double x) {
  constexpr double kRound = 0x1.8p52;
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  const double in = x < 709 ? x : 709;
  const double bounded = in > -708 ? in : -708;
  const double shifted = bounded * 1.4426950408889634 + kRound;
  const double k = shifted - kRound;
  const double r = (bounded - k * kLn2High) - k * kLn2Low;
  double sum = 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  const double series = 1 + (r + r * r * sum);
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  const double value = series * std::bit_cast<double>(power);
  return in > -708 ? value : 0;
}
inline double sigmoid(double x) { return 1 / (1 + quick_exp(-x)); }
void portable_exp(std::span<double> x);  // quick_exp of each number, many at a time
inline double portable_pow(double base, double power) { return portable_exp(power * portable_log(base)); }  // base > 0

}  // namespace postil
