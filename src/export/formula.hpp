// What a model computes, question by question, for those who write it down in another form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "postil/error.hpp"
#include "postil/model.hpp"

namespace postil {

// One formula a question; none: the scores are sums of kernel values. Throws ModelError if the score is neither.
std::optional<std::vector<ScoreFormula>> formulas_of(const Model& model, const char* form);
[[noreturn]] void cannot_hold(const std::string& message, const Text& remedy = {});

// What stands for a missing number of a column; none: the model refuses it.
std::optional<double> stand_in(const Column& column);
// The numbers that mean "missing" in a column.
std::vector<double> numbers_for_missing(const Column& column);
// The texts that mean "missing" in a column of text: "" and what readers take for missing, unless a category is called so.
std::vector<std::string> words_for_missing(const Column& column);

}  // namespace postil
