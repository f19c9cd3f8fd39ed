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

}  // namespace
}  // namespace postil
