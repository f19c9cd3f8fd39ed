// The online ellipsoidal machine against Algorithm 1 done plainly: B by inversion, the Burg projection by eigenvalues and
// bisection, every weight kept. Convergence to the optimum of (14): tests/python/test_esvm.py.
#include <Eigen/Dense>
#include <cmath>

#include "naive.hpp"

namespace postil {
namespace {

using EigenMatrix = Eigen::MatrixXd;
using EigenVector = Eigen::VectorXd;

struct Plain {
  double nu;
  bool harmonic, lazy;
  EigenMatrix b;
  EigenVector w, sum;
  double r = 0;
  int rounds = 0, since = 0;

  // argmin of the Burg divergence to B among tr <= 1/R, by bisection on theta over the eigenvalues of B^-1
  void project() {
    since = 0;
    if (b.trace() <= 1 / r) return;
    const Eigen::SelfAdjointEigenSolver<EigenMatrix> solver(b.inverse());
    double low = 0, high = 1;
    const auto trace = [&](double theta) { return (1 / (solver.eigenvalues().array() + theta)).sum(); };
    while (trace(high) > 1 / r) high *= 2;
    for (int i = 0; i < 200; ++i) (trace((low + high) / 2) > 1 / r ? low : high) = (low + high) / 2;
    const EigenVector values = 1 / (solver.eigenvalues().array() + high);
    b = solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose();
  }

  void learn(const EigenVector& x, double y) {
    const double norm = x.norm();
    if (norm > r) {
      const bool first = r == 0;
      r = norm;
      if (first) {
        const auto n = x.size();
        b = EigenMatrix::Identity(n, n) / (static_cast<double>(n) * r);
        w = sum = EigenVector::Zero(n);
      }
    }
    const double t = ++rounds, eta = rounds == 1 ? 0.5 : 1 / t, c = 1 / (nu * norm);
    const bool active = x.dot(b * x) - y * x.dot(w) >= 0;
    EigenMatrix inverse = (1 - eta) * b.inverse();
    if (active) {
      inverse += eta * c * x * x.transpose();
      w += (harmonic ? eta : nu / std::sqrt(t)) * c * y * x;
      w /= std::max(1.0, w.norm());
    }
    b = inverse.inverse();
    ++since;
    if (!lazy || since >= std::clamp(t / 100, 1.0, static_cast<double>(x.size()))) project();
    sum += w;
  }
};

TEST(EsvmOnline, IsAlgorithmOne) {
  const LearnerInfo& info = find_learner("esvm-online");
  for (const bool harmonic : {false, true})
    for (const bool sparse : {false, true}) {
      Plain plain{.nu = 0.2, .harmonic = harmonic, .lazy = true, .b = {}, .w = {}, .sum = {}};
      auto learner = info.make(
          Params(info.name, info.params, {{"nu", "0.2"}, {"bias", "none"}, {"step", harmonic ? "harmonic" : "sqrt"}}));
      constexpr std::uint32_t n = 6;
      learner->grow(n);
      Random random(3);
      for (int t = 0; t < 1500; ++t) {
        test::Vector x(n);
        for (double& value : x) value = sparse && random.uniform() < 0.5 ? 0 : random.normal();
        x[0] += 0.1;
        const double y = x[0] - x[1] + 0.3 * random.normal() > 0 ? 1 : -1;
        plain.learn(Eigen::Map<const EigenVector>(x.data(), n), y);
        if (sparse)
          learner->learn(test::SparseRow(x).row(), y, 1);
        else
          learner->learn({.values = x.data(), .count = n}, y, 1);
      }
      plain.project();  // once at the end
      const LinearModel model = *learner->linear();
      const LearnedMetric metric = *learner->metric();
      for (std::uint32_t j = 0; j < n; ++j) {
        EXPECT_NEAR(model.weights[j], plain.sum[j] / 1500, 1e-8);
        for (std::uint32_t i = 0; i < n; ++i)
          EXPECT_NEAR(metric.values[i * n + j], plain.b(i, j), 1e-8 * plain.b.norm()) << harmonic << sparse;
      }
    }
}

TEST(EsvmOnline, LazyProjectionsChangeLittle) {
  Plain lazy{.nu = 0.1, .harmonic = false, .lazy = true, .b = {}, .w = {}, .sum = {}}, eager = lazy;
  eager.lazy = false;
  Random random(5);
  for (int t = 0; t < 3000; ++t) {
    EigenVector x(5);
    for (int j = 0; j < 5; ++j) x[j] = random.normal();
    const double y = x[0] + 0.3 * random.normal() > 0 ? 1 : -1;
    lazy.learn(x, y);
    eager.learn(x, y);
  }
  lazy.project();
  EXPECT_LT((lazy.b - eager.b).norm(), 1e-3 * eager.b.norm());
}

// The projection is the nearest point: no other matrix with that trace is nearer in the Burg divergence.
TEST(EsvmOnline, TheProjectionIsNearest) {
  Random random(7);
  for (int trial = 0; trial < 20; ++trial) {
    const int n = 2 + trial % 4;
    const auto draw = [&] {
      EigenMatrix a(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a(i, j) = random.normal();
      return EigenMatrix(a * a.transpose() + 0.1 * EigenMatrix::Identity(n, n));
    };
    const EigenMatrix half = draw();
    Plain plain{.nu = 1, .harmonic = false, .lazy = false, .b = half, .w = {}, .sum = {}};
    plain.r = 2 / half.trace();
    plain.project();
    EXPECT_NEAR(plain.b.trace() * plain.r, 1, 1e-9);
    const auto divergence = [&](const EigenMatrix& b) {
      const EigenMatrix ratio = b * half.inverse();
      return ratio.trace() - std::log(ratio.determinant()) - n;
    };
    for (int other = 0; other < 20; ++other) {
      EigenMatrix away = draw();
      away /= away.trace() * plain.r;
      const double step = std::pow(10, -other % 4);
      EXPECT_GE(divergence((1 - step) * plain.b + step * away), divergence(plain.b) - 1e-12);
    }
  }
}

TEST(EsvmOnline, StopsByTheHeuristic) {
  const LearnerInfo& info = find_learner("esvm-online");
  auto learner = info.make(Params(info.name, info.params, {{"epsilon", "0.05"}}));
  learner->grow(3);
  Random random(9);
  int rounds = 0;
  for (; rounds < 200'000 && !learner->done(); ++rounds) {
    const double x[3] = {random.normal(), random.normal(), random.normal()};
    learner->learn({.values = x, .count = 3}, x[0] > 0 ? 1 : -1, 1);
  }
  EXPECT_TRUE(learner->done());
  EXPECT_GT(rounds, 20);
  const double before = learner->linear()->weights[0], x[3] = {5, 5, 5};
  EXPECT_FALSE(learner->learn({.values = x, .count = 3}, -1, 1).updated);
  EXPECT_EQ(learner->linear()->weights[0], before);
}

}  // namespace
}  // namespace postil
