// What labelled rows say a rule should have been: another number in one of its comparisons, a condition fewer, one more.
//
// Nothing changes by itself: a repair is a proposal, with the rows that would change sides, and how often chance alone would make
// one like it. Of all proposals about a set of rules, fewer than one in twenty sets gets any where labels have nothing to do with
// the columns, whatever the number of comparisons and columns looked at.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "postil/evaluate.hpp"
#include "postil/rule_edits.hpp"
#include "postil/rules.hpp"

namespace postil {

struct RuleRepair {
  RuleEdit edit;
  Kind written = Kind::number;  // how its number is written
  std::string before, after;    // the comparison or condition; empty: there is none
  std::optional<double> low,
      high;  // of a number: the interval that holds the right one with probability 0.95; none: open
  struct Record {
    std::uint64_t rows = 0, right = 0;  // labelled rows on which the rule holds, and where it is right
    [[nodiscard]] double precision() const { return static_cast<double>(right) / static_cast<double>(rows); }
  };
  Record was, would;
  std::uint64_t changed = 0;         // labelled rows on which it begins or ceases to hold ...
  std::vector<std::uint64_t> lines;  // ... the first of them
  double chance = 1;                 // that labels by chance would bring any proposal as convincing as this
  std::string rule;                  // as it would be written
};

// One comparison of a rule with a number, and what the rows say of that number.
struct NumberEvidence {
  std::uint32_t rule = 0;
  std::string text;  // of the comparison
  double number = 0;
  bool above = true;  // it holds for large values
  Kind written = Kind::number;
  std::uint64_t rows = 0;           // labelled rows that it decides: all else in the rule holds
  std::optional<double> best;       // the number that tells most; none: the rows say nothing
  std::optional<double> low, high;  // as in RuleRepair
  double chance = 1;
  struct Point {
    double number = 0;
    RuleRepair::Record record;  // of the rule with this number
  };
  std::vector<Point> curve;  // at most kPoints, rising
  static constexpr std::size_t kPoints = 200;
};

struct RepairReport {
  std::uint64_t labelled = 0;
  std::vector<NumberEvidence> numbers;  // of all comparisons looked at
  std::vector<RuleRepair> repairs;      // by rule; of each, numbers first
};

struct RepairOptions {
  std::uint64_t seed = 0;  // of the permutations
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

// Needs: the advice was compiled from the file for the schema, and the schema is that of the data.
RepairReport suggest_repairs(const RuleFile& file, const Advice& advice, const Schema& schema, const DataSet& data,
                             const RepairOptions& options = {});

}  // namespace postil
