// The projection onto the cone over a region against the problem it is the dual of, solved row by row: min over u >= 0 of
// |p - D'u|^2 + (beta + d'u)_+^2 with every bound a row of its own.
#include "solvers/region_cone.hpp"

#include <Eigen/Dense>
#include <cmath>

#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

struct Problem {
  Eigen::MatrixXd D;
  Eigen::VectorXd d;
  std::vector<bool> free;
  Vector low, high;
  std::vector<RegionCone::Row> rows;
};

Problem random_problem(Random& random, std::uint32_t n) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Problem out;
  std::vector<Eigen::VectorXd> D;
  const Vector inside = [&] {  // a point of the region, so that it is not empty
    Vector x(n);
    for (double& v : x) v = random.normal();
    return x;
  }();
  Vector d;
  const auto add_row = [&](const Eigen::VectorXd& row, double bound, bool free) {
    D.push_back(row);
    d.push_back(bound);
    out.free.push_back(free);
  };
  for (std::uint32_t j = 0; j < n; ++j) {
    const bool equal = random.uniform() < 0.1;
    const bool low = equal || random.uniform() < 0.6, high = equal || random.uniform() < 0.6;
    out.low.push_back(low ? inside[j] - (equal ? 0 : random.uniform()) : -kInfinity);
    out.high.push_back(high ? inside[j] + (equal ? 0 : random.uniform()) : kInfinity);
    if (high) add_row(Eigen::VectorXd::Unit(n, j), out.high[j], false);
    if (low) add_row(-Eigen::VectorXd::Unit(n, j), -out.low[j], false);
  }
  const std::uint64_t rows = random.below(5);
  for (std::uint64_t k = 0; k < rows; ++k) {
    RegionCone::Row row;
    row.equality = random.uniform() < 0.2;
    Eigen::VectorXd dense = Eigen::VectorXd::Zero(n);
    for (std::uint32_t j = 0; j < n; ++j)
      if (random.uniform() < 0.5) {
        dense[j] = random.normal();
        row.terms.emplace_back(j, dense[j]);
      }
    if (row.terms.empty()) continue;
    row.bound = row.equality ? 0 : random.uniform();
    for (std::uint32_t j = 0; j < n; ++j) row.bound += dense[j] * inside[j];
    if (k == 3 && !out.rows.empty()) {  // the same row twice
      row = out.rows[0];
      dense.setZero();
      for (const auto& [j, value] : row.terms) dense[j] = value;
    }
    add_row(dense, row.bound, row.equality);
    out.rows.push_back(row);
  }
  out.D = Eigen::MatrixXd(static_cast<Eigen::Index>(D.size()), n);
  for (std::size_t k = 0; k < D.size(); ++k) out.D.row(static_cast<Eigen::Index>(k)) = D[k].transpose();
  out.d = Eigen::Map<const Eigen::VectorXd>(d.data(), static_cast<Eigen::Index>(d.size()));
  return out;
}

// Coordinate descent to the end.
double least_loss(const Problem& problem, const Eigen::VectorXd& p, double beta) {
  Eigen::VectorXd u = Eigen::VectorXd::Zero(problem.d.size());
  Eigen::VectorXd rest = p;  // p - D'u
  double slack = beta;       // beta + d'u
  const auto loss = [&] { return rest.squaredNorm() + std::pow(std::max(0.0, slack), 2); };
  double last = loss();
  for (int sweep = 0; sweep < 400'000; ++sweep) {
    for (Eigen::Index k = 0; k < u.size(); ++k) {
      const Eigen::VectorXd row = problem.D.row(k).transpose();
      for (int inner = 0; inner < 3; ++inner) {  // the loss is piecewise quadratic along a coordinate
        const double slope = -row.dot(rest) + problem.d[k] * std::max(0.0, slack);
        const double curvature = row.squaredNorm() + problem.d[k] * problem.d[k];
        double next = u[k] - slope / curvature;
        if (!problem.free[static_cast<std::size_t>(k)]) next = std::max(0.0, next);
        rest -= (next - u[k]) * row;
        slack += (next - u[k]) * problem.d[k];
        u[k] = next;
      }
    }
    if (sweep % 1000 == 999) {
      const double now = loss();
      if (last - now <= 1e-13 * (1 + now)) break;
      last = now;
    }
  }
  return loss();
}

TEST(RegionCone, LossIsTheLeastOverMultipliers) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Random random(seed);
    const auto n = static_cast<std::uint32_t>(1 + random.below(6));
    const Problem problem = random_problem(random, n);
    RegionCone cone(problem.low, problem.high, problem.rows);
    for (int trial = 0; trial < 4; ++trial) {  // the second begins where the first ended
      Vector p(n);
      for (double& v : p) v = trial == 3 ? 0 : random.normal();
      const double beta = 2 * random.normal() + 1;
      cone.project(p, beta);
      ASSERT_TRUE(cone.converged()) << seed;
      const double loss = least_loss(problem, Eigen::Map<const Eigen::VectorXd>(p.data(), n), beta);
      ASSERT_NEAR(cone.squared_length(), loss, 1e-7 * (1 + loss)) << "seed " << seed << " trial " << trial;
    }
  }
}

// The projection lies in the cone, is orthogonal to what is left, and its derivative is that of finite differences.
TEST(RegionCone, ProjectionAndDerivative) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto n = static_cast<std::uint32_t>(1 + random.below(8));
    const Problem problem = random_problem(random, n);
    RegionCone cone(problem.low, problem.high, problem.rows);
    Vector p(n), direction(n);
    for (double& v : p) v = 3 * random.normal();
    for (double& v : direction) v = random.normal();
    const double beta = 2 * random.normal() + 1, direction_beta = random.normal();
    cone.project(p, beta);
    ASSERT_TRUE(cone.converged()) << seed;
    const Vector y(cone.y().begin(), cone.y().end());
    const double gamma = cone.gamma();
    ASSERT_GE(gamma, 0);
    double left = (beta - gamma) * gamma;
    for (std::uint32_t j = 0; j < n; ++j) left += (p[j] - y[j]) * y[j];
    ASSERT_NEAR(left, 0, 1e-9) << seed;
    for (Eigen::Index k = 0; k < problem.d.size(); ++k) {
      const double row = problem.D.row(k).dot(Eigen::Map<const Eigen::VectorXd>(y.data(), n)) - gamma * problem.d[k];
      ASSERT_LE(row, 1e-9) << seed;
      if (problem.free[static_cast<std::size_t>(k)]) {
        ASSERT_GE(row, -1e-9) << seed;
      }
    }
    Vector derivative(n);
    double derivative_beta = 0;
    cone.add_derivative(1, direction, direction_beta, derivative, derivative_beta);
    constexpr double kStep = 1e-6;
    Vector moved = p;
    add(moved, kStep, direction);
    cone.project(moved, beta + kStep * direction_beta);
    const Vector ahead(cone.y().begin(), cone.y().end());
    const double gamma_ahead = cone.gamma();
    moved = p;
    add(moved, -kStep, direction);
    cone.project(moved, beta - kStep * direction_beta);
    for (std::uint32_t j = 0; j < n; ++j)
      ASSERT_NEAR((ahead[j] - cone.y()[j]) / (2 * kStep), derivative[j], 1e-5) << "seed " << seed;
    ASSERT_NEAR((gamma_ahead - cone.gamma()) / (2 * kStep), derivative_beta, 1e-5) << "seed " << seed;
  }
}

}  // namespace
}  // namespace postil
