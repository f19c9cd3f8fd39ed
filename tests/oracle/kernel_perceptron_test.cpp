// The kernel perceptron against every vector written out as its list of rows and labels.
#include <Eigen/Dense>

#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

double kernel(const std::string& name, const Vector& a, const Vector& b) {
  if (name == "linear") return inner(a, b);
  if (name == "polynomial") return std::pow(0.3 * inner(a, b) + 1, 2);
  double squares = 0;
  for (std::size_t j = 0; j < a.size(); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
  return std::exp(-0.3 * squares);
}

// One vector: the rows it is the sum of, with their signs, and how long it lasted.
struct Voter {
  std::vector<std::pair<Vector, double>> rows;
  double count = 0;
  [[nodiscard]] double at(const std::string& name, const Vector& x) const {
    double sum = 0;
    for (const auto& [row, y] : rows) sum += y * (kernel(name, row, x) + 0.25);
    return sum;
  }
};

TEST(KernelPerceptron, EqualsAllVectorsWrittenOut) {
  const LearnerInfo& info = find_learner("kernel-perceptron");
  for (const std::string name : {"linear", "polynomial", "rbf"})
    for (const std::string predict : {"last", "averaged", "voted"})
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        const Examples stream = random_stream(seed, 150, 4);
        auto learner = info.make(Params(info.name, info.params,
                                        {{"kernel", name},
                                         {"prediction", predict},
                                         {"gamma", "0.3"},
                                         {"coef0", "1"},
                                         {"degree", "2"},
                                         {"bias", "0.5"},
                                         {"budget", "0"}}));
        learner->grow(4);
        std::vector<Voter> voters(1);
        for (std::size_t t = 0; t < stream.x.size(); ++t) {
          const Vector& x = stream.x[t];
          const double last = voters.back().at(name, x);
          double mean = 0, vote = 0;
          for (const Voter& voter : voters) {
            mean += voter.count * voter.at(name, x);
            vote += voter.at(name, x) >= 0 ? voter.count : -voter.count;
          }
          const double rounds = static_cast<double>(t);
          const double expected = predict == "last" || t == 0 ? last : (predict == "voted" ? vote : mean) / rounds;
          const SparseRow row(x);
          const Step step = learner->learn(row.row(), stream.y[t], 1);
          EXPECT_NEAR(step.score, expected, 1e-9 * (1 + std::fabs(expected))) << name << predict << t;
          if (stream.y[t] * last > 0) {
            voters.back().count += 1;
            continue;
          }
          voters.push_back(voters.back());
          voters.back().rows.emplace_back(x, stream.y[t]);
          voters.back().count = 1;
        }
        if (name == "linear" && predict != "voted") {
          const LinearModel linear = *learner->linear();
          EXPECT_NEAR(inner(linear.weights, stream.x[0]) + linear.bias, learner->score(SparseRow(stream.x[0]).row()),
                      1e-9);
        }
      }
}

// With the linear kernel and no budget it is the perceptron, and the voted perceptron.
TEST(KernelPerceptron, LinearKernelIsThePerceptron) {
  const Examples stream = random_stream(9, 300, 6);
  const auto make = [](const char* name, const std::map<std::string, std::string>& settings) {
    const LearnerInfo& info = find_learner(name);
    auto learner = info.make(Params(info.name, info.params, settings));
    learner->grow(6);
    return learner;
  };
  const std::map<std::string, std::string> linear{{"kernel", "linear"}, {"budget", "0"}};
  const auto with = [&](const char* predict) {
    auto settings = linear;
    settings["prediction"] = predict;
    return make("kernel-perceptron", settings);
  };
  auto last = with("last"), mean = with("averaged"), vote = with("voted");
  auto plain = make("perceptron", {{"average", "none"}}), averaged = make("perceptron", {{"average", "uniform"}}),
       voted = make("voted-perceptron", {});
  for (std::size_t t = 0; t < stream.x.size(); ++t) {
    const SparseRow row(stream.x[t]);
    const auto same = [&](Learner& a, Learner& b) {
      const double score = b.learn(row.row(), stream.y[t], 1).score;
      EXPECT_NEAR(a.learn(row.row(), stream.y[t], 1).score, score, 1e-9 * (1 + std::fabs(score)));
    };
    same(*last, *plain);
    same(*mean, *averaged);
    same(*vote, *voted);
  }
}

// On a budget, f is what is nearest to the f of the perceptron's step among the combinations of the rows kept: least squares in the
// space of the kernel, by Eigen, from scratch in every round.
TEST(KernelPerceptron, OnABudgetItProjects) {
  const LearnerInfo& info = find_learner("kernel-perceptron");
  for (const std::string predict : {"last", "averaged"}) {
    auto learner = info.make(
        Params(info.name, info.params, {{"budget", "12"}, {"prediction", predict}, {"gamma", "0.3"}, {"bias", "0.5"}}));
    learner->grow(4);
    const Examples stream = random_stream(3, 400, 4);
    std::vector<Vector> rows;
    Eigen::VectorXd a, sum;
    for (std::size_t t = 0; t < stream.x.size(); ++t) {
      const Vector& x = stream.x[t];
      const auto n = static_cast<Eigen::Index>(rows.size());
      Eigen::VectorXd k(n);
      for (Eigen::Index i = 0; i < n; ++i) k[i] = kernel("rbf", rows[static_cast<std::size_t>(i)], x) + 0.25;
      const double f = n == 0 ? 0 : a.dot(k), mean = t == 0 ? 0 : n == 0 ? 0 : sum.dot(k) / static_cast<double>(t);
      const Step step = learner->learn(SparseRow(x).row(), stream.y[t], 1);
      const double expected = predict == "last" ? f : mean;
      EXPECT_NEAR(step.score, expected, 1e-6 * (1 + std::fabs(expected))) << t;
      if (stream.y[t] * f <= 0) {
        if (rows.size() < 12) {
          rows.push_back(x);
          a.conservativeResize(n + 1);
          sum.conservativeResize(n + 1);
          a[n] = stream.y[t];
          sum[n] = 0;
        } else {
          Eigen::MatrixXd gram(n, n);
          for (Eigen::Index i = 0; i < n; ++i)
            for (Eigen::Index j = 0; j < n; ++j)
              gram(i, j) = kernel("rbf", rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]) + 0.25;
          a += stream.y[t] * gram.fullPivLu().solve(k);
        }
      }
      sum += a;
    }
    EXPECT_EQ(Snapshot(*learner).state.at("coefficients").size(), 12);
  }
}

// A row that was there before adds nothing new: it is projected even where there is room.
TEST(KernelPerceptron, RepeatedRowsTakeNoRoom) {
  const LearnerInfo& info = find_learner("kernel-perceptron");
  auto learner = info.make(Params(info.name, info.params, {{"gamma", "1"}}));
  learner->grow(2);
  const Vector x{1, 2}, z{1, 2.5};
  for (int i = 0; i < 50; ++i) {
    learner->learn(SparseRow(x).row(), i % 2 == 0 ? 1 : -1, 1);
    learner->learn(SparseRow(z).row(), i % 2 == 0 ? -1 : 1, 1);
  }
  EXPECT_EQ(Snapshot(*learner).state.at("coefficients").size(), 2);
}

}  // namespace
}  // namespace postil
