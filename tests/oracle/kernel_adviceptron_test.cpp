// The kernel Adviceptron against its steps written out: rows and coefficients in lists. More, against Python: tests/python/test_kernel_advice.py.
#include "point_rules.hpp"

namespace postil {
namespace {

using namespace test;

TEST(KernelAdviceptron, EqualsItsStepsWrittenOut) {
  const LearnerInfo& info = find_learner("kernel-adviceptron");
  const Vector first{0.25, -1.5}, second{-2, 0.5};
  auto learner = info.make(Params(
      info.name, info.params,
      {{"lambda", "0.7"}, {"mu", "0.2"}, {"points", "2"}, {"budget", "0"}, {"gamma", "0.6"}, {"average", "none"}}));
  learner->grow(2);
  learner->take_advice(point_rules(first, second));
  std::vector<std::pair<Vector, double>> f;
  const auto at = [&](const Vector& x) {
    double sum = 0;
    for (const auto& [row, a] : f) sum += a * (kernel(row, x) + 1);
    return sum;
  };
  const auto step = [&](const Vector& x, double y, double limit) {
    const double loss = 1 - y * at(x);
    if (loss > 0) f.emplace_back(x, y * std::min(limit, loss / 2));
  };
  for (int pass = 0; pass < 4; ++pass) {  // two passes over two points of each
    step(first, -1, 1);
    step(second, 1, 0.5);
  }
  const Examples stream = random_stream(4, 60, 2);
  for (std::size_t t = 0; t < stream.x.size(); ++t) {
    const double expected = at(stream.x[t]);
    EXPECT_NEAR(learner->learn(SparseRow(stream.x[t]).row(), stream.y[t], 1).score, expected,
                1e-9 * (1 + std::fabs(expected)))
        << t;
    step(stream.x[t], stream.y[t], 0.7);
    step(first, -1, 0.2);
    step(second, 1, 0.1);
  }
}

}  // namespace
}  // namespace postil
