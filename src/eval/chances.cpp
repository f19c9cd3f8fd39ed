#include "chances.hpp"

#include <algorithm>
#include <cmath>

namespace postil {
namespace {

// P(X >= found), X a whole number from low to high with P(k + 1)/P(k) = ratio(k): both tails in units of P(found).
template <class Ratio>
double upper_tail(std::uint64_t found, std::uint64_t low, std::uint64_t high, const Ratio& ratio) {
  if (found <= low) return 1;
  if (found > high) return 0;
  double below = 0, above = 1, weight = 1;
  for (std::uint64_t k = found; k < high && weight > 0; ++k) above += weight *= ratio(static_cast<double>(k));
  weight = 1;
  for (std::uint64_t k = found; k > low && std::isfinite(below); --k)
    below += weight /= ratio(static_cast<double>(k - 1));
  if (!std::isfinite(above)) return 1;
  return std::isfinite(below) ? above / (above + below) : 0;
}

}  // namespace

double chance_of_hits(std::uint64_t found, std::uint64_t drawn, std::uint64_t count, std::uint64_t hits) {
  const std::uint64_t low = drawn + hits > count ? drawn + hits - count : 0, high = std::min(drawn, hits);
  const auto n = static_cast<double>(count), h = static_cast<double>(hits), s = static_cast<double>(drawn);
  return upper_tail(found, low, high, [&](double k) { return (h - k) * (s - k) / ((k + 1) * (n - h - s + k + 1)); });
}

double chance_of_binomial(std::uint64_t hits, std::uint64_t count, double p) {
  if (hits == 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  const auto n = static_cast<double>(count);
  return upper_tail(hits, 0, count, [&](double k) { return (n - k) / (k + 1) * (p / (1 - p)); });
}

void correct_for_number(std::vector<double*> ps) {
  std::sort(ps.begin(), ps.end(), [](const double* a, const double* b) { return *a < *b; });
  double before = 0;
  for (std::size_t k = 0; k < ps.size(); ++k)
    before = *ps[k] = std::min(1.0, std::max(before, *ps[k] * static_cast<double>(ps.size() - k)));
}

}  // namespace postil
