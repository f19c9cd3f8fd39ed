// The kernel KBSVM where the points of its rules are known: no function near it costs less. Against scikit-learn: tests/python/test_kernel_advice.py.
#include "point_rules.hpp"

namespace postil {
namespace {

using namespace test;

TEST(KernelKbsvm, NoOtherFunctionCostsLess) {
  const LearnerInfo& info = find_learner("kernel-kbsvm");
  const Vector first{0.25, -1.5}, second{-2, 0.5};
  const Examples stream = random_stream(4, 40, 2);
  auto learner =
      info.make(Params(info.name, info.params,
                       {{"lambda", "2"}, {"mu", "3"}, {"gamma", "0.6"}, {"points", "2"}, {"tolerance", "1e-9"}}));
  learner->grow(2);
  learner->take_advice(point_rules(first, second));
  BlockData data;
  data.width = 2;
  for (const Vector& x : stream.x) data.values.insert(data.values.end(), x.begin(), x.end());
  const Block block(std::move(data));
  EXPECT_TRUE(learner->fit({{&block, 1}, stream.y, {}}).converged);
  // f = sum_i a_i K(x_i, .) + b over all rows and points
  std::vector<Vector> rows = stream.x;
  rows.push_back(first);
  rows.push_back(second);
  Vector a(rows.size());
  const KernelExpansion found = *learner->expansion();
  for (std::size_t k = 0; k < found.rows.size(); ++k) {
    Vector x(2);
    for (const auto& [j, value] : found.rows[k]) x[j] = value;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] == x) {
        a[i] += found.coefficients[k];
        break;
      }
  }
  const auto cost = [&](const Vector& at, double b) {
    double sum = 0;
    Vector f(rows.size(), b);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < rows.size(); ++j) {
        f[i] += at[j] * kernel(rows[i], rows[j]);
        sum += at[i] * at[j] * kernel(rows[i], rows[j]) / 2;
      }
    for (std::size_t i = 0; i < stream.y.size(); ++i) sum += 2 * std::max(0.0, 1 - stream.y[i] * f[i]);
    sum += 3 * std::max(0.0, 1 + f[stream.y.size()]) + 1.5 * std::max(0.0, 1 - f[stream.y.size() + 1]);
    return sum;
  };
  const double least = cost(a, found.bias);
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    Vector other = a;
    const double size = std::pow(10, -1 - trial % 5);
    for (double& value : other) value += size * random.normal();
    EXPECT_GE(cost(other, found.bias + size * random.normal()), least * (1 - 1e-7));
  }
}

}  // namespace
}  // namespace postil
