#include "formula.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {

void cannot_hold(const std::string& message, const Text& remedy) {
  throw ModelError({.code = Code::unsupported, .message = message, .remedy = remedy});
}

std::optional<std::vector<ScoreFormula>> formulas_of(const Model& model, const char* form) {
  if (model.outputs() == 0)
    throw ModelError(
        {.code = Code::one_class, .message = "this model has seen one class only; there is nothing to write yet"});
  std::vector<ScoreFormula> out;
  for (std::size_t k = 0; k < model.questions(); ++k) {
    const Learner& learner = model.learner_of(k);
    if (std::optional<ScoreFormula> formula = learner.formula()) {
      out.push_back(std::move(*formula));
    } else if (std::optional<LinearModel> linear = learner.linear(); linear && linear->whole) {
      out.emplace_back().parts.push_back({.linear = std::move(*linear)});
    } else if (learner.expansion()) {
      return std::nullopt;
    } else {
      cannot_hold(fmt::format("{} cannot hold a model of the learner '{}', which is no formula of the columns", form,
                              model.learner().name),
                  "linear learners, advised, rules (of classes) and, in ONNX, kernel machines work");
    }
  }
  return out;
}

std::optional<double> stand_in(const Column& column) {
  if (column.missing == Missing::refuse) return std::nullopt;
  return column.missing == Missing::zero ? 0 : column.seen.numbers.mean;
}

std::vector<double> numbers_for_missing(const Column& column) {
  std::vector<double> out;
  for (const std::string& text : column.na)
    if (const std::optional<double> number = parse_number(text)) out.push_back(*number);
  return out;
}

std::vector<std::string> words_for_missing(const Column& column) {
  std::vector<std::string> out{"", "?", "NA", "nan"};
  for (const std::string& word : column.na)
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
  std::erase_if(out, [&](const std::string& word) {
    return std::find(column.categories.begin(), column.categories.end(), word) != column.categories.end();
  });
  return out;
}

}  // namespace postil
