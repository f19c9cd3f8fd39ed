// registry.cpp: what learners there are. One line each; the order is the order of every list and table.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "core/failures.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

// clang-format off
const LearnerInfo* const kLearners[] = {
    &perceptron_info,
    &margin_perceptron_info,
    &voted_perceptron_info,
    &kernel_perceptron_info,
    &romma_info,
    &pa_info,
    &sgd_info,
    &arow_info,
    &pa_adviceptron_info,
    &adviceptron_info,
    &gradient_adviceptron_info,
    &kernel_adviceptron_info,
    &rules_info,
    &advice_only_info,
    &kbsvm_info,
    &kernel_kbsvm_info,
    &svm_info,
    &esvm_info,
    &esvm_online_info,
    &bayes_point_info,
    &wager_info,
    &advised_info,
};
// clang-format on

}  // namespace

void Learner::learn_block(const Block& block, std::span<const double> y, std::span<const double> weights,
                          std::span<Step> steps) {
  for (std::size_t i = 0; i < block.rows(); ++i)
    if (!std::isnan(y[i])) steps[i] = learn(block.row(i), y[i], weights.empty() ? 1 : weights[i]);
}

void Learner::write_gains(const Learner& /*start*/, double /*rows*/, StateWriter& /*out*/) const {
  throw ParamError("this learner does not learn from shards");
}
bool Learner::take_gains(StateReader& /*sums*/) { throw ParamError("this learner does not learn from shards"); }

FitReport Learner::fit(const Sample& /*sample*/) { throw ParamError("this learner takes one example after the other"); }

std::span<const LearnerInfo* const> learners() { return kLearners; }

const LearnerInfo& find_learner(std::string_view name) {
  std::vector<std::string> names;
  for (const LearnerInfo* info : kLearners) {
    if (info->name == name) return *info;
    names.emplace_back(info->name);
  }
  throw ParamError(
      unknown(Code::unknown_name, "learner", name, fmt::format("there is no learner {}", in_quotes(name)), names));
}

const LearnerInfo& default_learner(DefaultFor purpose) {
  for (const LearnerInfo* info : kLearners)
    if (info->default_for == purpose) return *info;
  return *kLearners[0];
}

std::optional<std::string> why_advice_is_needed(const LearnerInfo& learner, const Params& params) {
  const std::map<std::string, std::string> given = params.texts();
  for (const auto& [name, value] : {std::pair{"start", "advice"}, std::pair{"advice", "hard"}})
    if (const auto found = given.find(name); found != given.end() && found->second == value)
      return fmt::format(" with {}={}", name, value);
  return learner.needs_advice ? std::optional<std::string>("") : std::nullopt;
}

bool takes_advice(const LearnerInfo& learner, const Params& params) {
  return learner.takes_advice || starts_at_advice(params);
}

void check_takes_advice(const LearnerInfo& learner, const Params& params) {
  if (takes_advice(learner, params)) return;
  std::vector<std::string> able;
  for (const LearnerInfo* other : kLearners)
    if (other->takes_advice) able.emplace_back(other->name);
  const bool could_start = params.all().contains("start");
  const Text start(" accepts rules only as a starting point (", Option{"set", "start", "advice"},
                   "); these learn from rules: ");
  throw ParamError(
      {.code = Code::unsupported,
       .subject = {"learner", std::string(learner.name)},
       .message = Text(learner.name, could_start ? start : Text(" takes no advice; these do: "), joined(able))});
}

}  // namespace postil
