// Change points: against every boundary tried, draws against the hypergeometric distribution, chance against exact enumeration.
#include "solvers/change_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace postil {
namespace {

std::vector<HitBin> random_bins(Random& random, std::size_t most) {
  std::vector<HitBin> out(1 + random.below(most));
  double at = 0;
  for (HitBin& bin : out) {
    at += 1 + static_cast<double>(random.below(3));
    bin = {at, at, 1 + random.below(5), 0};
    bin.hits = random.below(bin.count + 1);
  }
  return out;
}

// With row by row logarithms of the two shares.
double by_rows(const std::vector<HitBin>& bins, std::size_t boundary) {
  double sum = 0;
  for (const auto& [from, to] : {std::pair(std::size_t{0}, boundary), std::pair(boundary, bins.size())}) {
    double n = 0, h = 0;
    for (std::size_t k = from; k < to; ++k)
      n += static_cast<double>(bins[k].count), h += static_cast<double>(bins[k].hits);
    for (std::size_t k = from; k < to; ++k) {
      for (std::uint64_t i = 0; i < bins[k].hits; ++i) sum += std::log(h / n);
      for (std::uint64_t i = bins[k].hits; i < bins[k].count; ++i) sum += std::log(1 - h / n);
    }
  }
  return sum;
}

TEST(ChangePoint, IsTheBestOfAllBoundaries) {
  Random random(1);
  for (int trial = 0; trial < 400; ++trial) {
    const std::vector<HitBin> bins = random_bins(random, 12);
    const bool above = random.below(2) == 1;
    const std::uint64_t least = 1 + random.below(4);
    const std::size_t named = random.below(bins.size() + 1);
    double best = -INFINITY;
    std::vector<double> values;
    for (std::size_t b = 0; b <= bins.size(); ++b) {
      std::uint64_t n[2] = {}, h[2] = {};
      for (std::size_t k = 0; k < bins.size(); ++k) n[k >= b] += bins[k].count, h[k >= b] += bins[k].hits;
      const std::size_t said = above ? 1 : 0;
      const bool admitted = h[said] * n[1 - said] >= h[1 - said] * n[said] && n[said] >= least;
      values.push_back(admitted ? by_rows(bins, b) : -INFINITY);
      best = std::max(best, values.back());
    }
    const ChangePoint found = change_point(bins, named, {above, least});
    if (std::isinf(best)) {
      EXPECT_TRUE(std::isinf(found.log_likelihood));
      continue;
    }
    EXPECT_NEAR(found.log_likelihood, best, 1e-9);
    EXPECT_NEAR(values[found.best], best, 1e-9);
    EXPECT_NEAR(found.gain, 2 * (best - by_rows(bins, named)), 1e-9);
    for (std::size_t b = 0; b < values.size(); ++b)
      if (2 * (best - values[b]) < kChangeInterval - 1e-9) {
        EXPECT_LE(found.first, b);
        EXPECT_GE(found.last, b);
      }
    EXPECT_LE(2 * (best - values[found.first]), kChangeInterval + 1e-9);
    EXPECT_LE(2 * (best - values[found.last]), kChangeInterval + 1e-9);
  }
}

double choose(std::uint64_t n, std::uint64_t k) {
  return k > n ? 0 : std::exp(std::lgamma(double(n) + 1) - std::lgamma(double(k) + 1) - std::lgamma(double(n - k) + 1));
}

TEST(HitsAmong, AreDrawnWithoutReplacement) {
  Random random(2);
  for (const auto& [drawn, count, hits] :
       std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>{{3, 10, 4},
                                                                            {7, 10, 8},
                                                                            {1, 2, 1},
                                                                            {40, 100, 3},
                                                                            {500, 1000, 500},
                                                                            {30, 100'000, 60'000},
                                                                            {0, 5, 3},
                                                                            {5, 5, 3}}) {
    constexpr int kDraws = 20'000;
    std::vector<int> seen(drawn + 1);
    for (int k = 0; k < kDraws; ++k) ++seen[hits_among(drawn, count, hits, random)];
    double chi = 0, cells = -1, expected_rest = kDraws, seen_rest = kDraws;
    for (std::uint64_t k = 0; k <= drawn; ++k) {
      const double expected = kDraws * choose(hits, k) * choose(count - hits, drawn - k) / choose(count, drawn);
      if (expected == 0) {
        EXPECT_EQ(seen[k], 0);
      }
      if (expected < 8) continue;
      chi += (seen[k] - expected) * (seen[k] - expected) / expected;
      expected_rest -= expected;
      seen_rest -= seen[k];
      ++cells;
    }
    if (expected_rest > 8) chi += (seen_rest - expected_rest) * (seen_rest - expected_rest) / expected_rest, ++cells;
    EXPECT_LT(chi, cells + 5 * std::sqrt(2 * cells + 2)) << drawn << " of " << count << " with " << hits;
  }
}

// All ways to put the hits of each side on its rows.
double exact_chance(const std::vector<HitBin>& bins, std::size_t named, ChangeSide side, double gain) {
  std::vector<std::pair<std::size_t, bool>> rows;  // bin, hit
  for (std::size_t k = 0; k < bins.size(); ++k)
    for (std::uint64_t i = 0; i < bins[k].count; ++i) rows.emplace_back(k, i < bins[k].hits);
  std::uint64_t hits[2] = {};
  for (const auto& [bin, hit] : rows) hits[bin >= named] += hit ? 1 : 0;
  double all = 0, exceeding = 0;
  for (std::uint64_t mask = 0; mask < std::uint64_t{1} << rows.size(); ++mask) {
    std::vector<HitBin> permuted = bins;
    for (HitBin& bin : permuted) bin.hits = 0;
    std::uint64_t found[2] = {};
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (mask >> i & 1) ++permuted[rows[i].first].hits, ++found[rows[i].first >= named];
    if (found[0] != hits[0] || found[1] != hits[1]) continue;
    ++all;
    exceeding += change_point(permuted, named, side).gain >= gain - 1e-9 ? 1 : 0;
  }
  return exceeding / all;
}

TEST(ChanceOfGain, IsThatOfAllPermutations) {
  Random random(3);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::vector<HitBin> bins = random_bins(random, 5);
    std::uint64_t rows = 0;
    for (const HitBin& bin : bins) rows += bin.count;
    if (rows > 13) continue;
    const std::size_t named = random.below(bins.size() + 1);
    const ChangeSide side{random.below(2) == 1, 1};
    const double gain = change_point(bins, named, side).gain;
    if (!(gain > 0)) {
      EXPECT_EQ(chance_of_gain(bins, named, side, gain, random), 1);
      continue;
    }
    const double exact = exact_chance(bins, named, side, gain);
    if (exact < 0.01) continue;
    double sum = 0;
    constexpr int kRuns = 60;
    for (int run = 0; run < kRuns; ++run) sum += chance_of_gain(bins, named, side, gain, random);
    EXPECT_NEAR(sum / kRuns, exact, 0.2 * exact)
        << trial;  // ten of them tell a share to a third, sixty times that to a twentieth
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

// What is read off the tail, against as many permutations as it takes.
TEST(ChanceOfGain, TheTailIsNoLessThanItIs) {
  Random random(4);
  for (const std::size_t named : {0U, 20U}) {
    std::vector<HitBin> bins(40);
    for (std::size_t k = 0; k < bins.size(); ++k) bins[k] = {double(k), double(k), 10, k < 20 ? 2U : 6U};
    std::vector<double> gains;
    for (int draw = 0; draw < 60'000; ++draw) {
      std::vector<HitBin> permuted = bins;
      for (const auto& [from, to] : {std::pair(std::size_t{0}, named), std::pair(named, bins.size())}) {
        std::uint64_t count = 10 * (to - from), hits = 0;
        for (std::size_t k = from; k < to; ++k) hits += bins[k].hits;
        for (std::size_t k = from; k < to; ++k) {
          permuted[k].hits = hits_among(10, count, hits, random);
          count -= 10;
          hits -= permuted[k].hits;
        }
      }
      gains.push_back(change_point(permuted, named, {true, 1}).gain);
    }
    std::sort(gains.begin(), gains.end(), std::greater<>());
    for (const std::size_t place : {60U, 20U, 6U}) {
      const double exact = static_cast<double>(place) / 60'000,
                   told = chance_of_gain(bins, named, {true, 1}, gains[place - 1], random);
      EXPECT_GT(told, 0.6 * exact) << place;
      EXPECT_LT(told, 30 * exact) << place;
    }
  }
}

TEST(Coarsen, KeepsTheBoundaryAndTheCounts) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<HitBin> bins = random_bins(random, 60);
    const std::vector<HitBin> before = bins;
    const std::size_t boundary = random.below(bins.size() + 1), most = 2 + random.below(20);
    const std::size_t at = coarsen(bins, boundary, most);
    const auto sums = [](const std::vector<HitBin>& of, std::size_t from, std::size_t to) {
      std::uint64_t n = 0, h = 0;
      for (std::size_t k = from; k < to; ++k) n += of[k].count, h += of[k].hits;
      return std::pair(n, h);
    };
    EXPECT_EQ(sums(bins, 0, at), sums(before, 0, boundary));
    EXPECT_EQ(sums(bins, at, bins.size()), sums(before, boundary, before.size()));
    EXPECT_LE(bins.size(), std::max(most + 2, std::size_t{3}));
    for (std::size_t k = 1; k < bins.size(); ++k) EXPECT_LT(bins[k - 1].high, bins[k].low);
  }
}

}  // namespace
}  // namespace postil
