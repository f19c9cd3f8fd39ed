// One step of coordinate ascent: the top of a concave function of one number.
#pragma once

#include <cmath>
#include <limits>

namespace postil {

struct Slope {
  double first, second;  // derivatives; the second is negative
};

// t in [0, most] where slope(t).first = 0, or `most` if it is still positive there. Needs: slope(0).first > 0, falling.
template <class F>
double find_top(const F& slope, double most) {
  if (std::isfinite(most) && slope(most).first >= 0) return most;
  double low = 0, high = most, t = 0;
  Slope at = slope(0);
  const double steepest = at.first;
  for (int round = 0; round < 100; ++round) {
    double next = at.second < 0 ? t - at.first / at.second : high;
    if (!(next > low && next < high)) next = std::isfinite(high) ? (low + high) / 2 : 2 * t + 1e-3;
    if (next == t || std::fabs(next - t) <= 1e-14 * next) break;
    t = next;
    at = slope(t);
    if (std::fabs(at.first) <= 1e-12 * steepest) break;
    (at.first > 0 ? low : high) = t;
  }
  return t;
}

}  // namespace postil
