// The Bayes point machine against rejection sampling: points drawn all over the sphere, those in the version space averaged.
#include <cmath>

#include "naive.hpp"

namespace postil {
namespace {

using test::Vector;

struct Version {
  std::vector<Vector> x;
  Vector y;
  Version(std::uint64_t seed, std::size_t m, std::size_t n) {
    Random random(seed);
    Vector w(n);
    for (double& value : w) value = random.normal();
    for (std::size_t i = 0; i < m; ++i) {
      Vector row(n);
      for (double& value : row) value = random.normal();
      y.push_back(test::inner(w, row) > 0 ? 1 : -1);
      x.push_back(std::move(row));
    }
  }
  [[nodiscard]] Vector centre(std::uint64_t seed) const {
    Random random(seed);
    Vector sum(x[0].size());
    for (int trial = 0; trial < 1'000'000; ++trial) {
      Vector w(sum.size());
      for (double& value : w) value = random.normal();
      bool inside = true;
      for (std::size_t i = 0; inside && i < x.size(); ++i) inside = y[i] * test::inner(w, x[i]) > 0;
      if (inside) test::add(sum, 1 / std::sqrt(test::inner(w, w)), w);
    }
    return sum;
  }
};

double angle(const Vector& a, const Vector& b) {
  return std::acos(std::min(1.0, test::inner(a, b) / std::sqrt(test::inner(a, a) * test::inner(b, b))));
}

std::unique_ptr<Learner> fitted(const Version& data, std::map<std::string, std::string> settings,
                                FitReport* report = nullptr) {
  const LearnerInfo& info = find_learner("bayes-point");
  auto learner = info.make(Params(info.name, info.params, settings));
  learner->grow(data.x[0].size());
  BlockData block_data;
  block_data.width = static_cast<std::uint32_t>(data.x[0].size());
  for (const Vector& row : data.x) block_data.values.insert(block_data.values.end(), row.begin(), row.end());
  const Block block(std::move(block_data));
  const FitReport out = learner->fit({std::span(&block, 1), data.y, {}});
  if (report != nullptr) *report = out;
  return learner;
}

TEST(BayesPoint, BilliardFindsTheCentreOfMass) {
  for (const auto& [seed, m, n] : {std::tuple{1U, 5U, 2U}, {2U, 4U, 3U}, {3U, 8U, 3U}, {4U, 6U, 3U}}) {
    const Version data(seed, m, n);
    FitReport report;
    const auto learner =
        fitted(data, {{"kernel", "linear"}, {"bias", "none"}, {"soft", "0"}, {"tol", "0.005"}}, &report);
    EXPECT_TRUE(report.converged) << report.status;
    EXPECT_LT(angle(learner->linear()->weights, data.centre(seed + 100)), 0.015) << seed;
  }
}

// Kernels span what they span: polynomials of degree 1 give the linear centre.
TEST(BayesPoint, KernelsFindTheSameCentre) {
  const Version data(6, 7, 3);
  const auto learner = fitted(
      data,
      {{"kernel", "polynomial"}, {"degree", "1"}, {"gamma", "1"}, {"bias", "none"}, {"soft", "0"}, {"tol", "0.005"}});
  const Vector centre = data.centre(7);
  Vector w(3);
  for (std::uint32_t j = 0; j < 3; ++j) {
    const double one = 1;
    w[j] = learner->score({.indices = &j, .values = &one, .count = 1});
  }
  EXPECT_LT(angle(w, centre), 0.015);
}

TEST(BayesPoint, PermutationsEndInsideTheVersionSpace) {
  const Version data(8, 30, 3);
  const auto learner =
      fitted(data, {{"kernel", "linear"}, {"bias", "none"}, {"soft", "0"}, {"method", "permutations"}});
  for (std::size_t i = 0; i < data.x.size(); ++i)
    EXPECT_GT(data.y[i] * learner->score({.values = data.x[i].data(), .count = 3}), 0);
}

// Walls that are met twice, or that are none, change nothing.
TEST(BayesPoint, RepeatedRowsAndRowsOfZerosChangeNothing) {
  const std::map<std::string, std::string> settings{
      {"kernel", "linear"}, {"bias", "none"}, {"soft", "0"}, {"tol", "0.01"}};
  const Version once(10, 20, 3);
  Version more = once;
  for (int copy = 0; copy < 3; ++copy)
    for (std::size_t i = 0; i < 20; ++i) {
      more.x.push_back(once.x[i]);
      more.y.push_back(once.y[i]);
    }
  more.x.emplace_back(3);
  more.y.push_back(1);
  FitReport report;
  const auto a = fitted(once, settings), b = fitted(more, settings, &report);
  EXPECT_TRUE(report.converged) << report.status;
  EXPECT_LT(angle(a->linear()->weights, b->linear()->weights), 0.02);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_GT(once.y[i] * b->score({.values = once.x[i].data(), .count = 3}), 0);
}

TEST(BayesPoint, WithoutAVersionSpaceItSaysSo) {
  Version data(9, 30, 2);
  data.x.push_back(data.x[0]);
  data.y.push_back(-data.y[0]);
  EXPECT_NE(test::message_of([&] {
              fitted(data, {{"kernel", "linear"}, {"soft", "0"}});
            }).find("soft above 0"),
            std::string::npos);
  EXPECT_EQ(test::message_of([&] { fitted(data, {{"kernel", "linear"}, {"soft", "0.5"}}); }), "");
}

}  // namespace
}  // namespace postil
