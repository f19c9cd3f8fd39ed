// Logarithm and exponential from basic arithmetic only. The C library's differ in the last bit between machines with
// and without fused multiply-add, and what they compute would reach models and generated data.
#pragma once

namespace postil {

double portable_log(double x);  // natural logarithm; needs x > 0 and finite. Within 2 units in the last place.
double portable_exp(double x);  // 0 below -745, infinity above 709.78. Within 2 units in the last place.
inline double portable_pow(double base, double power) { return portable_exp(power * portable_log(base)); }  // base > 0

}  // namespace postil
