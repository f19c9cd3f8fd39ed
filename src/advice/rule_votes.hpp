// How much the word of a rule counts where several hold.
#pragma once

#include <algorithm>

#include "core/math.hpp"

namespace postil {

constexpr double kUnsaidSure = 0.9;    // how often a rule is right whose author does not say it
constexpr double kWeakestVote = 0.01;  // a rule never votes against what it says

inline double log_odds(double share) {
  share = std::clamp(share, 1e-3, 1 - 1e-3);
  return portable_log(share / (1 - share));
}

// Of a rule that is right on a share of the rows on which it holds.
inline double vote_of(double share) { return std::max(log_odds(share), kWeakestVote); }

}  // namespace postil
