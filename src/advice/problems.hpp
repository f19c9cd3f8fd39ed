// Mistakes in rules, on their way to the user.
#pragma once

#include <utility>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

// Thrown at a mistake, caught at the end of its statement, so that the next one can be read.
struct RuleMistake {
  RuleProblem problem;
};
[[noreturn]] inline void fail_at(RuleProblem problem) { throw RuleMistake{std::move(problem)}; }
[[noreturn]] inline void fail_at(Spot spot, Text message) { fail_at({.spot = spot, .message = std::move(message)}); }

// The mistake as the user sees it, with the line and a caret under the place.
Failure failure_of(const RuleProblem& problem, const RuleFile& file);

// Throws ParseError with all of them, if there are any.
void throw_problems(const std::vector<RuleProblem>& problems, const RuleFile& file);

}  // namespace postil
