#include "linear_learner.hpp"

namespace postil {

namespace {

bool has(const Params& params, const std::string& name, const char* value) {
  const auto found = params.all().find(name);
  return found != params.all().end() && std::get<std::string>(found->second) == value;
}

}  // namespace

bool starts_at_advice(const Params& params) { return has(params, "start", "advice"); }
bool learns_jointly(const Params& params) { return has(params, "multiclass", "joint"); }

AdviceHyperplane begin_at_advice(LinearWeights& w, const TaskAdvice& advice, double mu) {
  AdviceHyperplane plane = advice_hyperplane(advice, {.mu = mu, .bias = w.constant() > 0});
  const std::vector<std::uint32_t> numbers = advice.numbers();
  if (!numbers.empty()) w.grow(numbers.back() + 1);
  w.absorb(numbers, plane.weights, {}, plane.bias, 0);
  return plane;
}

}  // namespace postil
