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

void begin_at(LinearWeights& w, const AdviceHyperplane& plane, const TaskAdvice& advice) {
  const std::vector<std::uint32_t> numbers = advice.numbers();
  if (!numbers.empty()) w.grow(numbers.back() + 1);
  w.absorb(numbers, plane.weights, {}, plane.bias, 0);
}

AdviceHyperplane begin_at_advice(LinearWeights& w, const TaskAdvice& advice) {
  AdviceHyperplane plane = advice_hyperplane(advice, {.bias = w.constant() > 0});
  begin_at(w, plane, advice);
  return plane;
}

}  // namespace postil
