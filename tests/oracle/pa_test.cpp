#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

// The step length by bisection on the derivative of the step's own objective, along y x: no closed form.
double best_step(const std::string& variant, double c, const Vector& w, const Vector& x, double y) {
  const double xx = inner(x, x), f = y * inner(w, x);
  // d/dtau of 1/2 tau^2 |x|^2 + C xi(tau) (or C xi^2), xi = max(0, 1 - f - tau |x|^2); PA forbids slack.
  const auto slope = [&](double tau) {
    const double slack = std::max(0.0, 1 - f - tau * xx);
    if (variant == "pa") return slack > 0 ? -1.0 : 1.0;
    return tau * xx - (variant == "pa1" ? (slack > 0 ? c * xx : 0) : 2 * c * slack * xx);
  };
  double low = 0, high = 1e6;
  for (int k = 0; k < 300; ++k) {
    const double middle = (low + high) / 2;
    (slope(middle) < 0 ? low : high) = middle;
  }
  return (low + high) / 2;
}

TEST(PassiveAggressive, StepsAreOptimal) {
  for (const std::string variant : {"pa", "pa1", "pa2"})
    for (const double c : {0.01, 1.0})
      expect_naive(
          "pa", {{"variant", variant}, {"C", fmt::format("{}", c)}}, 0.5,
          [variant, c] {
            return [variant, c](Vector& w, const Vector& x, double y) {
              if (y * inner(w, x) < 1) add(w, y * best_step(variant, c, w, x, y), x);
            };
          },
          200, 1e-6);
}

TEST(PassiveAggressive, EmptyRowsWithoutBiasAreSkipped) {
  const LearnerInfo& info = find_learner("pa");
  for (const char* variant : {"pa", "pa1", "pa2"}) {
    auto learner = info.make(Params(info.name, info.params, {{"bias", "none"}, {"variant", variant}}));
    learner->grow(2);
    EXPECT_FALSE(learner->learn({}, 1, 1).updated);
  }
}

}  // namespace
}  // namespace postil
