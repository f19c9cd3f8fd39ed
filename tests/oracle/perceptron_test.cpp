// The perceptron against a naive loop, and against its theorems.
#include <cmath>

#include "support.hpp"

namespace postil {
namespace {

struct Stream {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
};

Stream random_stream(std::uint64_t seed, std::size_t rows, std::size_t features, double margin) {
  Random random(seed);
  Stream stream;
  std::vector<double> u(features);
  double length = 0;
  for (double& v : u) {
    v = random.normal();
    length += v * v;
  }
  for (double& v : u) v /= std::sqrt(length);
  while (stream.x.size() < rows) {
    std::vector<double> x(features);
    double score = 0;
    for (std::size_t j = 0; j < features; ++j) {
      x[j] = random.normal();
      score += u[j] * x[j];
    }
    if (std::fabs(score) < margin) continue;
    stream.x.push_back(x);
    stream.y.push_back(score > 0 ? 1 : -1);
  }
  return stream;
}

std::unique_ptr<Learner> perceptron(const std::string& bias, std::size_t features) {
  const LearnerInfo& info = find_learner("perceptron");
  auto learner = info.make(Params(info.name, info.params, {{"bias", bias}}));
  learner->grow(features);
  return learner;
}

// Algorithm 1 of the lecture with the test y f <= 0, on rows that carry the constant feature themselves.
TEST(Perceptron, EqualsTheNaiveLoop) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Stream stream = random_stream(seed, 200, 1 + seed, 0);
    const std::size_t n = 1 + seed;
    std::vector<double> w(n + 1);
    const auto learner = perceptron("2", n);
    for (std::size_t t = 0; t < stream.x.size(); ++t) {
      double f = 2 * w[n];
      for (std::size_t j = 0; j < n; ++j) f += w[j] * stream.x[t][j];
      const Step step =
          learner->learn({.values = stream.x[t].data(), .count = static_cast<std::uint32_t>(n)}, stream.y[t], 1);
      EXPECT_NEAR(step.score, f, 1e-9);
      if (stream.y[t] * f > 0) continue;
      for (std::size_t j = 0; j < n; ++j) w[j] += stream.y[t] * stream.x[t][j];
      w[n] += stream.y[t] * 2;
    }
    for (std::size_t j = 0; j < n; ++j) EXPECT_NEAR(learner->linear().weights[j], w[j], 1e-9);
    EXPECT_NEAR(learner->linear().bias, 2 * w[n], 1e-9);
  }
}

// Theorem 3.1: at most (R/gamma)^2 mistakes, however often the rows come round.
TEST(Perceptron, MistakeBoundHolds) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const double margin = 0.05 + 0.02 * static_cast<double>(seed);
    const Stream stream = random_stream(seed, 300, 4, margin);
    double radius = 0;
    for (const auto& x : stream.x) radius = std::max(radius, squared_norm({.values = x.data(), .count = 4}));
    const auto learner = perceptron("none", 4);
    double mistakes = 0;
    for (int pass = 0; pass < 50; ++pass)
      for (std::size_t t = 0; t < stream.x.size(); ++t)
        mistakes += learner->learn({.values = stream.x[t].data(), .count = 4}, stream.y[t], 1).updated ? 1 : 0;
    EXPECT_LE(mistakes, radius / (margin * margin));
  }
}

// The tight case of the lecture: the standard basis, each row a mistake, (R/gamma)^2 = T.
TEST(Perceptron, BoundIsReachedOnTheStandardBasis) {
  constexpr std::uint32_t kRows = 25;
  const auto learner = perceptron("none", kRows);
  std::uint32_t mistakes = 0;
  const double one = 1;
  for (int pass = 0; pass < 3; ++pass)
    for (std::uint32_t t = 0; t < kRows; ++t)
      mistakes += learner->learn({.indices = &t, .values = &one, .count = 1}, t % 2 == 0 ? 1 : -1, 1).updated ? 1 : 0;
  EXPECT_EQ(mistakes, kRows);
}

}  // namespace
}  // namespace postil
