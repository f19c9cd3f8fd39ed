#include "math.hpp"

#include <cmath>
#include <limits>

#include "clones.hpp"

namespace postil {
namespace {

// ln 2 in two parts: k * kLn2High is exact for |k| < 2^20.
constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;

}  // namespace

double portable_log(double x) {
  // x = m 2^k with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh(s), s = (m - 1)/(m + 1), |s| < 0.172.
  int k = 0;
  double m = std::frexp(x, &k);
  if (m < 0.70710678118654752) {
    m *= 2;
    --k;
  }
  const double f = m - 1;
  const double s = f / (m + 1);
  const double z = s * s;
  double series = 0;  // z/3 + z^2/5 + ... : the terms beyond z^11 are below 2^-54
  for (int term = 23; term >= 3; term -= 2) series = z * (series + 1.0 / term);
  return k * kLn2High + (k * kLn2Low + (2 * s * series + 2 * s));
}

double portable_exp(double x) {
  if (!(x <= 709.782712893384)) return x > 0 ? std::numeric_limits<double>::infinity() : x;  // NaN stays NaN
  if (x < -745.2) return 0;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| <= ln2 / 2
  double series = 0;                                  // exp(r) - 1 = r (1 + r/2 (1 + r/3 (...))): 14 terms reach 2^-56
  for (int term = 14; term >= 2; --term) series = r / term * (1 + series);
  return std::ldexp(1 + (r + r * series), static_cast<int>(k));
}

namespace {

POSTIL_CLONES void exp_all(double* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = quick_exp(x[i]);
}

}  // namespace

void portable_exp(std::span<double> x) { exp_all(x.data(), x.size()); }

}  // namespace postil
