#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

// V^-1 is kept, and V x found by solving with it (Gauss), instead of V by rank-one updates.
Vector solved(std::vector<Vector> a, Vector b) {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = i + 1; k < n; ++k) {  // positive definite: no pivoting
      const double factor = a[k][i] / a[i][i];
      for (std::size_t j = i; j < n; ++j) a[k][j] -= factor * a[i][j];
      b[k] -= factor * b[i];
    }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t j = i + 1; j < n; ++j) b[i] -= a[i][j] * b[j];
    b[i] /= a[i][i];
  }
  return b;
}

NaiveUpdate naive_arow(bool full, bool relative) {
  return [=, precision = std::vector<Vector>(), total = 0.0, seen = 0.0](Vector& w, const Vector& x, double y) mutable {
    if (precision.empty()) {
      precision.assign(x.size(), Vector(x.size()));
      for (std::size_t j = 0; j < x.size(); ++j) precision[j][j] = 1;
    }
    total += inner(x, x);
    seen += 1;
    const double r = relative ? 0.4 * total / seen : 0.4;
    const double h = 1 - y * inner(w, x);
    if (h <= 0) return;
    const Vector vx = solved(precision, x);
    add(w, y * h / (inner(x, vx) + r), vx);
    for (std::size_t i = 0; i < x.size(); ++i)
      for (std::size_t j = 0; j < x.size(); ++j)
        if (full || i == j) precision[i][j] += x[i] * x[j] / r;
  };
}

TEST(Arow, EqualsTheNaiveLoop) {
  for (const bool full : {false, true})
    for (const bool relative : {false, true})
      expect_naive(
          "arow", {{"r", "0.4"}, {"full", full ? "true" : "false"}, {"relative", relative ? "true" : "false"}}, 0.7,
          [=] { return naive_arow(full, relative); }, 150, 1e-7);
}

TEST(Arow, FullGrowsWithoutForgetting) {
  const LearnerInfo& info = find_learner("arow");
  const auto make = [&] { return info.make(Params(info.name, info.params, {{"full", "true"}, {"average", "none"}})); };
  auto late = make(), early = make();
  early->grow(6);
  late->grow(3);
  const Examples stream = random_stream(1, 100, 3);
  for (std::size_t t = 0; t < 100; ++t) {
    if (t == 50) late->grow(6);
    const Row row{.values = stream.x[t].data(), .count = 3};
    late->learn(row, stream.y[t], 1);
    early->learn(row, stream.y[t], 1);
  }
  EXPECT_EQ(late->linear()->weights, early->linear()->weights);
  EXPECT_NE(message_of([&] { make()->grow(10'000); }), "");
}

// w = (I + sum x x'/r)^-1 sum y x/r of all rows so far.
TEST(Arow, NumbersAreRidgeRegression) {
  const LearnerInfo& info = find_learner("arow");
  constexpr std::size_t kFeatures = 5;
  auto learner = info.make_regressor(
      Params(info.name, info.params, {{"full", "true"}, {"relative", "false"}, {"r", "0.4"}, {"bias", "none"}}));
  learner->grow(kFeatures);
  const Examples stream = random_stream(2, 200, kFeatures);
  std::vector<Vector> precision(kFeatures, Vector(kFeatures));
  for (std::size_t j = 0; j < kFeatures; ++j) precision[j][j] = 1;
  Vector sum(kFeatures);
  for (std::size_t t = 0; t < 200; ++t) {
    const Vector& x = stream.x[t];
    const double y = 7 * x[0] - x[1] + stream.y[t];
    learner->learn({.values = x.data(), .count = kFeatures}, y, 1);
    add(sum, y / 0.4, x);
    for (std::size_t i = 0; i < kFeatures; ++i) add(precision[i], x[i] / 0.4, x);
    const Vector expected = solved(precision, sum);
    const std::vector<double> weights = learner->linear()->weights;
    for (std::size_t j = 0; j < kFeatures; ++j)
      EXPECT_NEAR(weights[j], expected[j], 1e-9 * (1 + std::fabs(expected[j])));
  }
}

// The weights of a Kalman filter, whose distribution goes back by a share between rows.
TEST(Arow, DriftIsABeliefThatGoesBack) {
  const LearnerInfo& info = find_learner("arow");
  constexpr double kDrift = 0.05, kR = 0.4;
  constexpr std::size_t kFeatures = 3;
  auto learner = info.make_regressor(
      Params(info.name, info.params,
             {{"full", "true"}, {"relative", "false"}, {"r", "0.4"}, {"drift", "0.05"}, {"bias", "none"}}));
  learner->grow(kFeatures);
  const Examples stream = random_stream(3, 100, kFeatures);
  std::vector<Vector> v(kFeatures, Vector(kFeatures));
  for (std::size_t j = 0; j < kFeatures; ++j) v[j][j] = 1;
  Vector w(kFeatures);
  for (std::size_t t = 0; t < 100; ++t) {
    const Vector& x = stream.x[t];
    const double y = 10 + stream.y[t];
    learner->learn({.values = x.data(), .count = kFeatures}, y, 1);
    Vector vx(kFeatures);
    for (std::size_t i = 0; i < kFeatures; ++i) vx[i] = inner(v[i], x);
    const double all = inner(x, vx) + kR;
    add(w, (y - inner(w, x)) / all, vx);
    for (std::size_t i = 0; i < kFeatures; ++i)
      for (std::size_t j = 0; j < kFeatures; ++j)
        v[i][j] = (1 - kDrift) * (v[i][j] - vx[i] * vx[j] / all) + (i == j ? kDrift : 0);
    const std::vector<double> weights = learner->linear()->weights;
    for (std::size_t j = 0; j < kFeatures; ++j) EXPECT_NEAR(weights[j], w[j], 1e-9 * (1 + std::fabs(w[j])));
  }
}

}  // namespace
}  // namespace postil
