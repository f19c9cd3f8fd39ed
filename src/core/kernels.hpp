// The few loops everything else is made of, with one order of summation on every machine.
//
// Dense sums run in eight lanes joined by a fixed tree, sparse sums from left to right; all accumulate in double. The
// same source is compiled for several instruction sets and chosen at run time; without contraction to fused operations
// they give the same bits.
#pragma once

#include <span>

#include "postil/row.hpp"

namespace postil {

// Needs for all three: w has at least x.extent() elements.
double dot(const Row& x, const double* w);                                 // x'w
void axpy(double a, const Row& x, double* w);                              // w += a x
double squared_norm(const Row& x);                                         // |x|^2
inline double dot(std::span<const double> a, std::span<const double> b) {  // of the same length
  return dot({.values = a.data(), .count = static_cast<std::uint32_t>(a.size())}, b.data());
}

inline void axpy(double a, std::span<const double> x, std::span<double> w) {  // w += a x, w at least as long
  axpy(a, {.values = x.data(), .count = static_cast<std::uint32_t>(x.size())}, w.data());
}

// Several sums over a row in one go, to the same bits as one by one: while one waits for its last addition, the others
// go on.
struct RowSums {
  double v = 0;   // x'v
  double u = 0;   // x'u
  double xx = 0;  // |x|^2
};
RowSums row_sums(const Row& x, const double* v, const double* u, bool norm);  // u may be null: 0 is given for it
void axpy_two(const Row& x, double a, double* v, double b, double* u);        // v += a x, u += b x

// x'w for weights that are worked out one by one, in the same order and so to the same bits as dot.
template <class WeightOf>
double dot_with(const Row& x, const WeightOf& weight_of) {
  if (!x.dense()) {
    double sum = 0;
    for (std::size_t k = 0; k < x.count; ++k) sum += x.value(k) * weight_of(x.indices[k]);
    return sum;
  }
  double lane[8] = {};
  for (std::size_t k = 0; k < x.count; ++k) lane[k % 8] += x.value(k) * weight_of(k);
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

// Which of 64 numbers compare so with a bound; bit i for x[i]. NaN never does.
enum class Compare : std::uint8_t { less, at_most, equal, at_least, greater };
std::uint64_t compare_64(const double* x, Compare how, double bound);

}  // namespace postil
