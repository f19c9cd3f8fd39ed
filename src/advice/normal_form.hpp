// A condition as an or of ands of linear rows: the sets that learners see.
//
// Over features that are 0 or 1, and over the categories of a column, of which one at most is 1, a clause is one row:
//   a or b or not c             a + b + (1 - c) >= 1
//   not (a and b and c)         (1 - a) + (1 - b) + (1 - c) >= 1
//   at least k of (...)         their sum >= k
//   color in {red, blue} or a   red + blue + a >= 1
// exact wherever the features are 0 or 1 (docs/mathematics.md A7). Only the rest is multiplied out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

using Conjunction = std::vector<AdviceRow>;

// What is known of each feature.
struct FeatureFacts {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint8_t> whole;  // whole numbers only; then < c and <= c are <= the next whole number below
  std::vector<std::uint8_t> count;  // whole and not negative
  std::vector<std::uint32_t>
      switch_;  // which 0/1 question it answers: its own, or its column's, of which it is one category
  std::vector<std::uint32_t> missing;  // the indicator of a missing value in its column
};

struct NormalForm {
  std::vector<Conjunction> conjunctions;  // without repeated rows; the same conjunction once
  bool cut = false;  // there are too many, and these are those of the fewest rows; or some cannot be said in rows
};
NormalForm normal_form(const Conditions& conditions, std::uint32_t node, const FeatureFacts& facts);

}  // namespace postil
