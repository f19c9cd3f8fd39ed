// The perceptron against a naive loop, and against its theorems.
#include <cmath>

#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

std::unique_ptr<Learner> perceptron(std::size_t features) {
  const LearnerInfo& info = find_learner("perceptron");
  auto learner = info.make(Params(info.name, info.params, {{"bias", "none"}, {"average", "none"}}));
  learner->grow(features);
  return learner;
}

// Algorithm 1 of the lecture with the test y f <= 0.
TEST(Perceptron, EqualsTheNaiveLoop) {
  for (const double constant : {0.0, 1.0, 2.0})
    expect_naive("perceptron", {}, constant, [] {
      return [](Vector& w, const Vector& x, double y) {
        if (y * inner(w, x) <= 0) add(w, y, x);
      };
    });
}

// Theorem 3.1: at most (R/gamma)^2 mistakes, however often the rows come round.
TEST(Perceptron, MistakeBoundHolds) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const double margin = 0.05 + 0.02 * static_cast<double>(seed);
    Random random(seed);
    Vector u(4);
    for (double& v : u) v = random.normal();
    const double length = std::sqrt(inner(u, u));
    std::vector<Vector> rows;
    Vector labels;
    double radius = 0;
    while (rows.size() < 300) {
      Vector x(4);
      for (double& v : x) v = random.normal();
      const double score = inner(u, x) / length;
      if (std::fabs(score) < margin) continue;
      radius = std::max(radius, inner(x, x));
      rows.push_back(x);
      labels.push_back(score > 0 ? 1 : -1);
    }
    const auto learner = perceptron(4);
    double mistakes = 0;
    for (int pass = 0; pass < 50; ++pass)
      for (std::size_t t = 0; t < rows.size(); ++t)
        mistakes += learner->learn({.values = rows[t].data(), .count = 4}, labels[t], 1).updated ? 1 : 0;
    EXPECT_LE(mistakes, radius / (margin * margin));
  }
}

// The tight case of the lecture: the standard basis, each row a mistake, (R/gamma)^2 = T.
TEST(Perceptron, BoundIsReachedOnTheStandardBasis) {
  constexpr std::uint32_t kRows = 25;
  const auto learner = perceptron(kRows);
  std::uint32_t mistakes = 0;
  const double one = 1;
  for (int pass = 0; pass < 3; ++pass)
    for (std::uint32_t t = 0; t < kRows; ++t)
      mistakes += learner->learn({.indices = &t, .values = &one, .count = 1}, t % 2 == 0 ? 1 : -1, 1).updated ? 1 : 0;
  EXPECT_EQ(mistakes, kRows);
}

}  // namespace
}  // namespace postil
