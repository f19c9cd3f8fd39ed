// Where along a line the share of hits changes, how sure that place is, and whether chance would look as good.
//
// Problem   Counts n_k and hits h_k in bins along a line, a boundary b_0 that somebody has named, and a side on which hits are said
//           to be more frequent. Which boundary tells most?
//               L(b) = l(below b) + l(above b),   l = h ln(h/n) + (n - h) ln((n - h)/n)
//           The best is the largest L(b) among boundaries that leave the larger share on the side named, and enough rows there.
// Interval  If the share jumps at the boundary: all boundaries with 2 (L(best) - L(b)) <= 7.352, the quantile 0.95 of that difference
//           at the true one, whose limit is P(<= x) = (1 - e^(-x/2))^2 (Yao 1987, Hansen 2000)   [hansen2000threshold]
//           If it rises slowly there, the best boundary varies far more (Banerjee and McKeague 2007): where it lies in 95 of 100 draws
//           of as many rows with replacement. What is told holds both, the search over all boundaries included.
//           [banerjee2007splits]
// Chance    Does the boundary named explain the hits as well? Then hits are exchangeable on each side of it, and also if they have
//           nothing to do with the line at all. They are permuted within the sides, bin by bin (a draw without replacement), and
//           p = the share of permutations whose gain 2 (L(best) - L(b_0)) is at least that found, whatever the number of boundaries
//           looked at. Permuting ends at ten such (Besag and Clifford 1991). Where two thousand permutations do not bring ten, p is
//           read off their tail: the gain of each boundary falls off as e^(-gain/2), so the largest, beyond the hundredth part of the
//           permutations, is taken to fall off as e^(-0.4 gain), which is slower   [besag1991sequential]
// Bound     Before permuting: 2 K e^(-gain/4) for K boundaries is at least p (Hoeffding's bound for draws without replacement, for
//           each boundary, on the side that it cuts in two)   [hoeffding1963probability]
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "postil/random.hpp"

namespace postil {

inline constexpr double kChangeInterval = 7.352;  // -2 ln(1 - sqrt(0.95))

struct HitBin {
  double low = 0, high = 0;  // of the values in it
  std::uint64_t count = 0, hits = 0;
};

struct ChangePoint {
  // Boundaries: bins before it lie below, the others above.
  std::size_t best = 0, first = 0, last = 0;  // first to last: the interval
  double gain = 0;                            // 2 (L(best) - L(b_0)); at most 0: the one named is as good as any
  double log_likelihood = 0;                  // L(best)
};

struct ChangeSide {
  bool above = true;        // where hits are said to be more frequent
  std::uint64_t least = 1;  // rows that must be left there
};

// L of each boundary 0 ... bins; minus infinity where the side named has the smaller share or too few rows.
std::vector<double> log_likelihoods(std::span<const HitBin> bins, ChangeSide side);
// Needs: bins rising. Its interval is that of a jump.
ChangePoint change_point(std::span<const HitBin> bins, std::size_t named, ChangeSide side);
// The boundaries between which the best one lies in 95 of 100 draws with replacement.
std::pair<std::size_t, std::size_t> redrawn_interval(std::span<const HitBin> bins, ChangeSide side, Random& random);

// How often chance makes as large a gain.
double chance_of_gain(std::span<const HitBin> bins, std::size_t named, ChangeSide side, double gain, Random& random);

// So many hits among `drawn` of `count`, of which `hits` are such: drawn without replacement.
std::uint64_t hits_among(std::uint64_t drawn, std::uint64_t count, std::uint64_t hits, Random& random);

// Neighbouring bins become one until there are at most so many, those on two sides of the boundary never. Gives its new place.
std::size_t coarsen(std::vector<HitBin>& bins, std::size_t boundary, std::size_t most);

}  // namespace postil
