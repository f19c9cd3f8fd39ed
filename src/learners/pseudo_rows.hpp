// Rules as rows for learners with kernels: rows on which a rule holds, and points drawn from its region, with what it says for a label.
//
// Source   Mangasarian and Wild, Nonlinear Knowledge-Based Classification, 2008: an implication about a region becomes one inequality
//          for each of some points of it   [mangasarian2008nonlinear]
// Choices  A rule's rows are rows that were seen on which it holds, half of them where rules are about numbers; what is missing is drawn
//          from the regions of its sets, in turn, with yes/no features at 0 or 1. Features that no rule names get the values of rows that were seen, in turn; before any, 0.
//          All rows of a rule together weigh as much as its trust. Where rules are about yes/no features alone and three in four
//          say the same, rows seen on which none holds say the opposite, together as one rule (rule_voices.hpp). Between regions of
//          numbers f goes over from one rule to the next by itself: on a circle that has 2 % errors, silent rows 8 %.
#pragma once

#include <span>
#include <vector>

#include "postil/row.hpp"
#include "postil/rules.hpp"

namespace postil {

struct PseudoRow {
  std::vector<double> x;          // of all features
  double z = 1;                   // what the rule says
  double weight = 1, margin = 1;  // z f(x) is to be the margin at least; of numbers, its target is in it
};

// `points` of each rule that has regions, and as many of silence, if any; `seen`: rows of the kind that will come, with the rules that hold on them.
std::vector<PseudoRow> pseudo_rows(const TaskAdvice& advice, std::size_t points, std::size_t features,
                                   std::span<const Row> seen);

}  // namespace postil
