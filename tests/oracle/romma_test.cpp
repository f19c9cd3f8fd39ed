#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

// The minimiser of |w|^2 under the two constraints, by trying each set of active ones: an independent way to the same
// point.
Vector relaxed_maximum_margin(const Vector& old, const Vector& x, double y) {
  const double ww = inner(old, old), xx = inner(x, x), wx = inner(old, x);
  const auto feasible = [&](const Vector& w) {
    return y * inner(w, x) >= 1 - 1e-9 && inner(old, w) >= ww * (1 - 1e-9);
  };
  Vector only_new(x.size());  // y w'x = 1 alone
  add(only_new, y / xx, x);
  if (ww == 0 || feasible(only_new)) return only_new;
  if (feasible(old)) return old;  // w_t'w = |w_t|^2 alone
  // Both: w = p old + q x with p wx + q xx = y, p ww + q wx = ww; Cramer's rule.
  const double det = wx * wx - xx * ww;
  if (-det < 1e-9 * xx * ww) return only_new;  // parallel: infeasible, start again
  Vector both(x.size());
  add(both, (y * wx - ww * xx) / det, old);
  add(both, (ww * wx - y * ww) / det, x);
  return both;
}

TEST(Romma, SolvesItsProblem) {
  for (const bool aggressive : {false, true})
    expect_naive(
        "romma", {{"aggressive", aggressive ? "true" : "false"}}, 1,
        [aggressive] {
          return [aggressive](Vector& w, const Vector& x, double y) {
            const double f = inner(w, x);
            if (aggressive ? y * f < 1 : y * f <= 0) w = relaxed_maximum_margin(w, x, y);
          };
        },
        60, 1e-5);  // errors of |w|^2, kept by recursion, grow where constraints nearly contradict each other
}

TEST(Romma, ParallelExamplesStartAgain) {
  const LearnerInfo& info = find_learner("romma");
  auto learner = info.make(Params(info.name, info.params, {{"bias", "none"}, {"average", "none"}}));
  learner->grow(2);
  const Vector x{3, 4};
  learner->learn({.values = x.data(), .count = 2}, 1, 1);
  EXPECT_NEAR(learner->linear()->weights[0], 3.0 / 25, 1e-15);
  learner->learn({.values = x.data(), .count = 2}, -1, 1);  // contradicts: no feasible point
  EXPECT_NEAR(learner->linear()->weights[0], -3.0 / 25, 1e-15);
  const Vector nearly{3, 4.0000001};
  learner->learn({.values = nearly.data(), .count = 2}, 1, 1);
  EXPECT_LT(std::fabs(learner->linear()->weights[0]), 1);
}

}  // namespace
}  // namespace postil
