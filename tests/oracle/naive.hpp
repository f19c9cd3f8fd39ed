// Naive forms of online learners to hold the fast ones against: dense rows that carry the constant feature themselves,
// every iterate kept and averaged, nothing lazy.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support.hpp"

namespace postil::test {

using Vector = std::vector<double>;

inline double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}
inline void add(Vector& w, double step, const Vector& x) {
  for (std::size_t j = 0; j < w.size(); ++j) w[j] += step * x[j];
}

// The values of a vector that are not 0, as a row.
struct SparseRow {
  explicit SparseRow(const Vector& x) {
    for (std::uint32_t j = 0; j < x.size(); ++j)
      if (x[j] != 0) {
        index.push_back(j);
        value.push_back(x[j]);
      }
  }
  [[nodiscard]] Row row() const {
    return {.indices = index.data(), .values = value.data(), .count = static_cast<std::uint32_t>(index.size())};
  }
  std::vector<std::uint32_t> index;
  Vector value;
};

// The features that the sets mention, with nothing promised, `seen` on both sides of 0, mean 0 and variance 1.
inline void name_features(TaskAdvice& advice, double seen = std::numeric_limits<double>::infinity()) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::set<std::uint32_t> numbers;
  for (const TaskAdvice::Set& set : advice.sets)
    for (const AdviceRow& row : set.rows)
      for (const auto& [feature, coefficient] : row.terms) numbers.insert(feature);
  for (const std::uint32_t number : numbers)
    advice.features.push_back(
        {.number = number, .low = -kInfinity, .high = kInfinity, .seen_low = -seen, .seen_high = seen});
}

struct Examples {
  std::vector<Vector> x;
  Vector y;
};

// Half of the values are zero, a few rows wholly; labels follow a hyperplane, a tenth of them turned.
inline Examples random_stream(std::uint64_t seed, std::size_t rows, std::size_t features) {
  Random random(seed);
  Vector u(features);
  for (double& v : u) v = random.normal();
  Examples stream;
  for (std::size_t i = 0; i < rows; ++i) {
    Vector x(features);
    if (random.uniform() > 0.03)
      for (double& v : x) v = random.uniform() < 0.5 ? 0 : random.normal();
    const bool turned = random.uniform() < 0.1;
    stream.y.push_back((inner(u, x) >= 0) != turned ? 1 : -1);
    stream.x.push_back(std::move(x));
  }
  return stream;
}

// One naive round: changes w, given an augmented row and its label.
using NaiveUpdate = std::function<void(Vector& w, const Vector& x, double y)>;

// Runs the learner on sparse and on dense rows beside the naive update, with and without averaging, and expects the
// same weights.
inline void expect_naive(const std::string& learner, std::map<std::string, std::string> settings, double constant,
                         const std::function<NaiveUpdate()>& make_naive, std::size_t rows = 300,
                         double tolerance = 1e-9) {
  const LearnerInfo& info = find_learner(learner);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::size_t features = 2 + 3 * seed;
    const Examples stream = random_stream(seed, rows, features);
    Vector w(features + 1), sum(features + 1);
    const NaiveUpdate naive = make_naive();
    settings["bias"] = constant == 0 ? "none" : fmt::format("{}", constant);
    settings["average"] = "none";
    auto last = info.make(Params(info.name, info.params, settings));
    settings["average"] = "uniform";
    auto mean = info.make(Params(info.name, info.params, settings));
    last->grow(features);
    mean->grow(features);
    for (std::size_t t = 0; t < rows; ++t) {
      Vector augmented = stream.x[t];
      augmented.push_back(constant);
      naive(w, augmented, stream.y[t]);
      add(sum, 1, w);
      last->learn({.values = stream.x[t].data(), .count = static_cast<std::uint32_t>(features)}, stream.y[t], 1);
      mean->learn(SparseRow(stream.x[t]).row(), stream.y[t], 1);
    }
    const LinearModel last_model = *last->linear(), mean_model = *mean->linear();
    const auto near = [&](double a, double b) { return std::fabs(a - b) <= tolerance * (1 + std::fabs(b)); };
    for (std::size_t j = 0; j < features; ++j) {
      EXPECT_TRUE(near(last_model.weights[j], w[j])) << learner << ' ' << last_model.weights[j] << " against " << w[j];
      EXPECT_TRUE(near(mean_model.weights[j], sum[j] / static_cast<double>(rows))) << learner << " averaged";
    }
    EXPECT_TRUE(near(last_model.bias, constant * w[features])) << learner;
    EXPECT_TRUE(near(mean_model.bias, constant * sum[features] / static_cast<double>(rows))) << learner << " averaged";
  }
}

}  // namespace postil::test
