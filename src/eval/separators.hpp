// Separators to hold mistake bounds against.
#pragma once

#include <span>
#include <vector>

#include "postil/model.hpp"

namespace postil {

double sign_of(const Model& model, std::size_t task, double label);  // y of a row in a task
// The model's own weights, and those that other learners find on the same rows. `constant`: of the bias; 0: none.
std::vector<LinearModel> separators(const Model& model, std::size_t task, std::span<const Block> blocks,
                                    double constant);

}  // namespace postil
