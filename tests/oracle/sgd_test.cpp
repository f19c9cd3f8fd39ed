#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

double loss(const std::string& name, double f, double y) {
  const double e = 0.1;
  if (name == "perceptron") return std::max(0.0, -y * f);
  if (name == "hinge") return std::max(0.0, 1 - y * f);
  if (name == "squared-hinge") return std::pow(std::max(0.0, 1 - y * f), 2);
  if (name == "logistic") return std::log1p(std::exp(-y * f));
  if (name == "squared") return 0.5 * (f - y) * (f - y);
  if (name == "epsilon-insensitive") return std::max(0.0, std::fabs(f - y) - e);
  return std::fabs(f - y) <= e ? 0.5 * (f - y) * (f - y) : e * (std::fabs(f - y) - e / 2);
}

// The slope by differences of the loss itself.
double slope(const std::string& name, double f, double y) {
  if (name == "perceptron" && f == 0) return -y;  // the corner: a score of 0 counts as wrong
  const double h = 1e-6;
  return (loss(name, f + h, y) - loss(name, f - h, y)) / (2 * h);
}

TEST(Sgd, StepsAgainstTheGradient) {
  for (const std::string name :
       {"perceptron", "hinge", "squared-hinge", "logistic", "squared", "epsilon-insensitive", "huber"})
    for (const std::string schedule : {"constant", "invsqrt", "inverse", "pegasos"}) {
      const double l2 = schedule == "pegasos" ? 0.5 : schedule == "inverse" ? 0.1 : 0;
      SCOPED_TRACE(name + " " + schedule);
      expect_naive(
          "sgd", {{"loss", name}, {"schedule", schedule}, {"eta0", "0.05"}, {"l2", fmt::format("{}", l2)}}, 0,
          [=] {
            return [=, t = 0.0](Vector& w, const Vector& x, double y) mutable {
              t += 1;
              const double eta = schedule == "constant"  ? 0.05
                                 : schedule == "invsqrt" ? 0.05 / std::sqrt(t)
                                 : schedule == "inverse" ? 0.05 / t
                                                         : 1 / (l2 * t);
              const double g = slope(name, inner(w, x), y);
              for (double& v : w) v *= std::max(0.0, 1 - eta * l2);
              add(w, -eta * g, x);
            };
          },
          150, 1e-4);  // no bias: with it, rows of zeros score exactly at the corners of the losses
    }
}

// Truncation of every weight in every round.
TEST(Sgd, TruncationIsLazyButExact) {
  const LearnerInfo& info = find_learner("sgd");
  for (const double l2 : {0.0, 0.05}) {
    auto learner =
        info.make(Params(info.name, info.params,
                         {{"l1", "0.02"}, {"l2", fmt::format("{}", l2)}, {"eta0", "0.1"}, {"schedule", "invsqrt"}}));
    learner->grow(8);
    const Examples stream = random_stream(3, 400, 8);
    Vector w(9);
    for (std::size_t t = 0; t < stream.x.size(); ++t) {
      Vector x = stream.x[t];
      x.push_back(1);
      const double eta = 0.1 / std::sqrt(static_cast<double>(t + 1));
      const double f = inner(w, x), y = stream.y[t];
      EXPECT_NEAR(learner->score({.values = stream.x[t].data(), .count = 8}), f, 1e-9);
      for (double& v : w) v *= 1 - eta * l2;
      if (y * f < 1) add(w, eta * y, x);
      for (std::size_t j = 0; j < 8; ++j) w[j] = std::copysign(std::max(0.0, std::fabs(w[j]) - eta * 0.02), w[j]);
      learner->learn({.values = stream.x[t].data(), .count = 8}, y, 1);
    }
    const LinearModel model = *learner->linear();
    for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(model.weights[j], w[j], 1e-9);
    EXPECT_NEAR(model.bias, w[8], 1e-9);
  }
}

TEST(Sgd, LargeL1MakesSparseWeights) {
  const LearnerInfo& info = find_learner("sgd");
  auto learner = info.make(Params(info.name, info.params, {{"l1", "0.3"}}));
  learner->grow(20);
  const Examples stream = random_stream(4, 500, 20);
  for (std::size_t t = 0; t < stream.x.size(); ++t)
    learner->learn({.values = stream.x[t].data(), .count = 20}, stream.y[t], 1);
  int zeros = 0;
  const LinearModel model = *learner->linear();
  for (const double w : model.weights) zeros += w == 0 ? 1 : 0;
  EXPECT_GT(zeros, 3);
}

TEST(Sgd, PegasosNeedsL2) {
  const LearnerInfo& info = find_learner("sgd");
  EXPECT_EQ(message_of([&] {
              (void)info.make(Params(info.name, info.params, {{"schedule", "pegasos"}}));
            }),
            "sgd: schedule=pegasos takes steps of 1/(l2 t) and needs l2 > 0");
}

}  // namespace
}  // namespace postil
