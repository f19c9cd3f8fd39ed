// A condition as an or of ands: the sets that learners see.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

using Conjunction = std::vector<AdviceRow>;

// The disjunctive normal form, without repeated rows. `whole`: per feature, whether it holds whole numbers only; then < c
// and <= c are <= the next whole number below. Throws RuleMistake at `spot` if there are too many conjunctions.
std::vector<Conjunction> normal_form(const Formula& condition, std::span<const std::uint8_t> whole, Spot spot);

}  // namespace postil
