// The few loops everything else is made of, with one order of summation on every machine.
//
// Dense sums run in eight lanes joined by a fixed tree, sparse sums from left to right; all accumulate in double. The
// same source is compiled for several instruction sets and chosen at run time; without contraction to fused operations
// they give the same bits.
#pragma once

#include "postil/row.hpp"

namespace postil {

// Needs for all three: w has at least x.extent() elements.
double dot(Row x, const double* w);     // x'w
void axpy(double a, Row x, double* w);  // w += a x
double squared_norm(Row x);             // |x|^2

}  // namespace postil
