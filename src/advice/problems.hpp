// Mistakes in rules, on their way to the user.
#pragma once

#include <string>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

// Thrown at a mistake, caught at the end of its statement, so that the next one can be read.
struct RuleMistake {
  RuleProblem problem;
};
[[noreturn]] inline void fail_at(Spot spot, std::string message) { throw RuleMistake{{spot, std::move(message)}}; }

// Throws ParseError with all of them, if there are any.
void throw_problems(const std::vector<RuleProblem>& problems, const RuleFile& file);

}  // namespace postil
