#include "linear_learner.hpp"

#include "advice/advice_loss.hpp"

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

AdviceReport report_at(const TaskAdvice& advice, const LinearModel& model, double mu) {
  AdviceLoss loss(advice, Ranges::promised);
  std::vector<double> w;
  for (const TaskAdvice::Feature& f : advice.features) w.push_back(model.weights[f.number]);
  loss.value(w, model.bias);
  AdviceReport out;
  for (std::size_t i = 0; i < advice.sets.size(); ++i) {
    AdviceReport::Set set{loss.multipliers(i), loss.estimate(i), loss.ideal_point(i), {}, 0};
    for (const double y : loss.cone(i).y())
      if (mu > 0) set.part.push_back(mu * advice.sets[i].trust * advice.sets[i].z * y);
    out.sets.push_back(std::move(set));
  }
  return out;
}

AdviceHyperplane begin_at_advice(LinearWeights& w, const TaskAdvice& advice) {
  AdviceHyperplane plane = advice_hyperplane(advice, {.bias = w.constant() > 0});
  begin_at(w, plane, advice);
  return plane;
}

}  // namespace postil
