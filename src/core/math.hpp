// Logarithm and exponential from basic arithmetic only. The C library's differ in the last bit between machines with
// and without fused multiply-add, and what they compute would reach models and generated data.
#pragma once

#include <span>

namespace postil {

double portable_log(double x);  // natural logarithm; needs x > 0 and finite. Within 2 units in the last place.
// log(1 + x); needs x > -1 and finite. What 1 + x rounds away cancels in the quotient.
inline double portable_log1p(double x) {
  const double u = 1 + x;
  return u == 1 ? x : portable_log(u) * (x / (u - 1));
}
double portable_exp(double x);  // 0 below -745, infinity above 709.78. Within 2 units in the last place.
// e^x of each number, many at a time; below -708 it is 0, above 709 counts as 709. Within 2 units in the last place.
void portable_exp(std::span<double> x);
inline double portable_pow(double base, double power) { return portable_exp(power * portable_log(base)); }  // base > 0

}  // namespace postil
