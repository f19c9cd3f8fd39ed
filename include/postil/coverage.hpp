// Rules against data: where they apply and how often they are right.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "postil/advice.hpp"
#include "postil/reader.hpp"
#include "postil/train.hpp"

namespace postil {

struct RuleCoverage {
  std::uint64_t covered = 0;    // rows on which the rule holds, as written
  std::uint64_t labelled = 0;   // of those, with a label
  std::uint64_t agreed = 0;     // of those, with the label the rule names (or, for `not`, another)
  std::uint64_t overlaps = 0;   // of the covered, on which another rule holds too
  std::uint64_t conflicts = 0;  // of the covered, on which a rule with opposite advice for the class holds too

  [[nodiscard]] double precision() const {  // NaN: no labelled row
    return static_cast<double>(agreed) / static_cast<double>(labelled);
  }
};

struct Coverage {
  std::uint64_t rows = 0;
  std::vector<RuleCoverage> rules;
};

using RowsProgress = std::function<void(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)>;

// What training on a source would settle; rules name the classes if there is no label in it.
Schema survey_source(Source& source, const ColumnWishes& wishes, const Recipe& recipe, const RuleFile& rules,
                     const RowsProgress& progress = {});
// Needs: the advice was compiled for the schema of the source, and the source is at its first row.
Coverage measure_coverage(const Advice& advice, const Schema& schema, Source& source,
                          const RowsProgress& progress = {});
Coverage measure_coverage(const Advice& advice, const Schema& schema, const std::string& path, ReadOptions read,
                          const RowsProgress& progress = {});

// The interval that holds a share with probability 0.95, given `hits` of `count` (Wilson 1927).
std::pair<double, double> wilson_interval(std::uint64_t hits, std::uint64_t count);

// Numbers in rules that lie outside what the data show and outside a stated domain, one sentence each: other units?
std::vector<std::string> odd_constants(const Advice& advice, const Schema& schema);
// Categories that rules name and no row has shown, one sentence each with the nearest known one: a mistake in writing?
std::vector<std::string> unseen_categories(const Advice& advice, const Schema& schema);
// Rows that break what the rules promise of their columns, one sentence each.
std::vector<std::string> broken_promises(const Advice& advice, const Schema& schema);

}  // namespace postil
