#include "change_point.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/math.hpp"

namespace postil {
namespace {

constexpr std::uint64_t kExceeding = 10;

// h ln(h/n) + (n - h) ln((n - h)/n).
double log_likelihood(double count, double hits) {
  double sum = 0;
  if (hits > 0) sum += hits * portable_log(hits / count);
  if (hits < count) sum += (count - hits) * portable_log((count - hits) / count);
  return sum;
}

struct Totals {
  double count = 0, hits = 0;
};
Totals totals(std::span<const HitBin> bins) {
  Totals out;
  for (const HitBin& bin : bins) {
    out.count += static_cast<double>(bin.count);
    out.hits += static_cast<double>(bin.hits);
  }
  return out;
}

// f(boundary, L) of each that is admitted.
template <class F>
void for_each_boundary(std::span<const HitBin> bins, ChangeSide side, const F& f) {
  const Totals all = totals(bins);
  Totals below;
  for (std::size_t b = 0; b <= bins.size(); ++b) {
    const Totals above{all.count - below.count, all.hits - below.hits};
    const Totals &said = side.above ? above : below, &other = side.above ? below : above;
    const bool frequent = said.hits * other.count >= other.hits * said.count;
    if (frequent && said.count >= static_cast<double>(side.least))
      f(b, log_likelihood(below.count, below.hits) + log_likelihood(above.count, above.hits));
    if (b == bins.size()) break;
    below.count += static_cast<double>(bins[b].count);
    below.hits += static_cast<double>(bins[b].hits);
  }
}

double log_likelihood_at(std::span<const HitBin> bins, std::size_t boundary) {
  const Totals below = totals(bins.first(boundary)), above = totals(bins.subspan(boundary));
  return log_likelihood(below.count, below.hits) + log_likelihood(above.count, above.hits);
}

}  // namespace

std::vector<double> log_likelihoods(std::span<const HitBin> bins, ChangeSide side) {
  std::vector<double> out(bins.size() + 1, -kInfinity);
  for_each_boundary(bins, side, [&](std::size_t b, double value) { out[b] = value; });
  return out;
}

ChangePoint change_point(std::span<const HitBin> bins, std::size_t named, ChangeSide side) {
  const std::vector<double> values = log_likelihoods(bins, side);
  ChangePoint out;
  out.best = static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  out.log_likelihood = values[out.best];
  out.gain = 2 * (values[out.best] - log_likelihood_at(bins, named));
  const auto inside = [&](double value) { return 2 * (out.log_likelihood - value) <= kChangeInterval; };
  out.first = static_cast<std::size_t>(std::find_if(values.begin(), values.end(), inside) - values.begin());
  out.last = values.size() - 1 -
             static_cast<std::size_t>(std::find_if(values.rbegin(), values.rend(), inside) - values.rbegin());
  return out;
}

namespace {

// A whole number from low to high with P(k + 1)/P(k) = ratio(k), which falls: outward from the mode, until what is left is less than
// doubles can tell.
template <class Ratio>
std::uint64_t draw_about(std::uint64_t mode, std::uint64_t low, std::uint64_t high, const Ratio& ratio,
                         Random& random) {
  constexpr double kNothing = 1e-17;
  double sum = 1;
  double weight = 1;
  std::uint64_t first = mode, last = mode;
  for (; last < high && weight > kNothing; ++last) sum += weight *= ratio(static_cast<double>(last));
  weight = 1;
  for (; first > low && weight > kNothing; --first) sum += weight /= ratio(static_cast<double>(first - 1));
  double left = random.uniform() * sum - 1;
  if (left < 0) return mode;
  weight = 1;
  for (std::uint64_t k = mode; k < last; ++k) {
    left -= weight *= ratio(static_cast<double>(k));
    if (left < 0) return k + 1;
  }
  weight = 1;
  for (std::uint64_t k = mode; k > first; --k) {
    left -= weight /= ratio(static_cast<double>(k - 1));
    if (left < 0) return k - 1;
  }
  return mode;  // rounding
}

std::uint64_t poisson(std::uint64_t mean, Random& random) {
  const auto m = static_cast<double>(mean);
  return mean == 0 ? 0
                   : draw_about(
                         mean, 0, 10 * mean + 100, [&](double k) { return m / (k + 1); }, random);
}

}  // namespace

std::uint64_t hits_among(std::uint64_t drawn, std::uint64_t count, std::uint64_t hits, Random& random) {
  const std::uint64_t low = drawn + hits > count ? drawn + hits - count : 0, high = std::min(drawn, hits);
  if (low == high) return low;
  const auto n = static_cast<double>(count), h = static_cast<double>(hits), s = static_cast<double>(drawn);
  const auto ratio = [&](double k) { return (h - k) * (s - k) / ((k + 1) * (n - h - s + k + 1)); };
  const auto mode = std::clamp(static_cast<std::uint64_t>((s + 1) * (h + 1) / (n + 2)), low, high);
  return draw_about(mode, low, high, ratio, random);
}

// Rows drawn with replacement: of each bin, hits and misses come as Poisson's distribution has it.
std::pair<std::size_t, std::size_t> redrawn_interval(std::span<const HitBin> bins, ChangeSide side, Random& random) {
  constexpr std::size_t kDraws = 200, kOutside = 5;  // at either end
  std::vector<HitBin> drawn(bins.begin(), bins.end());
  std::vector<std::size_t> best;
  for (std::size_t k = 0; k < kDraws; ++k) {
    for (std::size_t i = 0; i < bins.size(); ++i) {
      drawn[i].hits = poisson(bins[i].hits, random);
      drawn[i].count = drawn[i].hits + poisson(bins[i].count - bins[i].hits, random);
    }
    double of_best = -kInfinity;
    std::size_t at = 0;
    for_each_boundary(drawn, side, [&](std::size_t b, double value) {
      if (!(value > of_best)) return;
      of_best = value;
      at = b;
    });
    best.push_back(at);
  }
  std::sort(best.begin(), best.end());
  return {best[kOutside], best[kDraws - 1 - kOutside]};
}

double chance_of_gain(std::span<const HitBin> bins, std::size_t named, ChangeSide side, double gain, Random& random) {
  constexpr std::size_t kDraws = 2000, kTail = 20;  // of the largest gains; a hundredth
  constexpr double kFall = 0.4, kSure = 1e-9;
  if (!(gain > 0)) return 1;
  const double bound = 2 * static_cast<double>(bins.size()) * portable_exp(-gain / 4);
  if (bound < kSure) return bound;
  std::vector<HitBin> permuted(bins.begin(), bins.end());
  const auto permute = [&](std::size_t first, std::size_t end) {
    std::uint64_t count = 0, hits = 0;
    for (std::size_t k = first; k < end; ++k) {
      count += bins[k].count;
      hits += bins[k].hits;
    }
    for (std::size_t k = first; k < end; ++k) {
      permuted[k].hits = hits_among(bins[k].count, count, hits, random);
      count -= bins[k].count;
      hits -= permuted[k].hits;
    }
  };
  const double of_named = log_likelihood_at(bins, named);  // the same in every permutation
  constexpr double kRounding = 1e-9;
  std::vector<double> gains;
  std::uint64_t exceeding = 0;
  while (gains.size() < kDraws && exceeding < kExceeding) {
    permute(0, named);
    permute(named, bins.size());
    double best = -kInfinity;
    for_each_boundary(permuted, side, [&](std::size_t, double value) { best = std::max(best, value); });
    gains.push_back(2 * (best - of_named));
    if (gains.back() >= gain - kRounding) ++exceeding;
  }
  const auto done = static_cast<double>(gains.size());
  if (exceeding == kExceeding) return static_cast<double>(exceeding) / done;
  std::nth_element(gains.begin(), gains.begin() + (kTail - 1), gains.end(), std::greater<>());
  const double beyond = std::max(0.0, gain - std::max(0.0, gains[kTail - 1]));
  const double tail = static_cast<double>(kTail) / done * portable_exp(-kFall * beyond);
  return std::min(bound, std::max(tail, static_cast<double>(exceeding) / done));
}

std::size_t coarsen(std::vector<HitBin>& bins, std::size_t boundary, std::size_t most) {
  if (bins.size() <= most) return boundary;
  const Totals all = totals(bins);
  const auto full = static_cast<std::uint64_t>(std::ceil(2 * all.count / static_cast<double>(most)));
  std::vector<HitBin> out;
  std::size_t moved = 0;
  for (std::size_t k = 0; k < bins.size(); ++k) {
    if (k == boundary) moved = out.size();
    const bool fresh = out.empty() || k == boundary || out.back().count + bins[k].count > full;
    if (fresh) {
      out.push_back(bins[k]);
      continue;
    }
    out.back().high = bins[k].high;
    out.back().count += bins[k].count;
    out.back().hits += bins[k].hits;
  }
  if (boundary == bins.size()) moved = out.size();
  bins = std::move(out);
  return moved;
}

}  // namespace postil
