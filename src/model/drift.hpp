// Comparing two tallies, for those that watch for drift.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postil/drift.hpp"

namespace postil {

inline constexpr std::size_t kLabelUnit = 0, kErrorUnit = 1, kFirstColumnUnit = 2;

struct Beyond {  // rows here with numbers smaller or larger than all before
  double below = 0, above = 0;
};

// Whether a unit's `here` differs from its `before`: the strongest sign, if any is less likely than e^log_level after correction for
// the comparisons made within the unit. Errors: only if there are more. `centre`: what numbers are counted from.
std::optional<Drift> compare_unit(const Schema& schema, std::size_t unit, const DriftTally& before,
                                  const DriftTally& here, double centre, double log_level,
                                  std::optional<Beyond> beyond = {});

// For numbers beyond what was seen before: k of n rows here, of `before` earlier ones none.
double log_p_beyond(double k, double n, double before);
// Two-sided: how likely shares so different are, if both are samples of one whole.
double log_p_shares(double hits_before, double rows_before, double hits_here, double rows_here);
// One-sided: more hits here.
double log_p_more(double hits_before, double rows_before, double hits_here, double rows_here);
// Two-sided: means so different of numbers with this variance between low and high.
double log_p_means(double mean_before, double n_before, double mean_here, double n_here, double variance, double low,
                   double high);

// Where the categories of a text column stand in a tally, by text code: 0 where the schema does not know them.
void place_texts(const Column& column, const std::vector<std::string>& texts, std::vector<double>& places);

}  // namespace postil
