// The ellipsoidal machine's solvers against each other and against the mathematics: determinants by elimination, gradients by
// differences, identities at the optimum. Against a general convex solver: tests/python/test_esvm.py.
#include "learners/esvm.hpp"

#include <cmath>

#include "naive.hpp"

namespace postil {
namespace {

using test::Vector;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Case {
  EsvmProblem problem;
  Matrix x, k;  // rows as columns, and their products
};

Case random_case(std::uint64_t seed, std::size_t m, std::size_t n, bool bias, double upper, double one_minus_r,
                 double noise = 0.5) {
  Random random(seed);
  Case out;
  out.x = Matrix(n, m);
  for (std::size_t i = 0; i < m; ++i) {
    double sum = 0.1;
    for (std::size_t j = 0; j < n; ++j) sum += out.x(j, i) = random.normal();
    out.problem.y.push_back(sum + noise * random.normal() > 0 ? 1 : -1);
    if (bias) out.problem.c.push_back(0.5 + random.uniform());
    out.problem.upper.push_back(upper == kInfinity ? upper : upper * (0.5 + random.uniform()));
  }
  out.problem.one_minus_r = one_minus_r;
  out.problem.tolerance = 1e-8;
  out.k = multiply_transposed(out.x, out.x);
  return out;
}

// log|I + KA/(1-r)| by elimination, on its own.
double log_det(const Case& c, const Vector& a) {
  const std::size_t m = a.size();
  std::vector<Vector> t(m, Vector(m));
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < m; ++j) t[i][j] = (i == j ? 1 : 0) + c.k(i, j) * a[j] / c.problem.one_minus_r;
  double sum = 0;
  for (std::size_t p = 0; p < m; ++p) {
    std::size_t best = p;
    for (std::size_t i = p; i < m; ++i)
      if (std::fabs(t[i][p]) > std::fabs(t[best][p])) best = i;
    std::swap(t[p], t[best]);
    sum += std::log(std::fabs(t[p][p]));
    for (std::size_t i = p + 1; i < m; ++i) {
      const double factor = t[i][p] / t[p][p];
      for (std::size_t j = p; j < m; ++j) t[i][j] -= factor * t[p][j];
    }
  }
  return sum;
}
double q_of(const Case& c, const Vector& a) {
  double q = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a.size(); ++j) q += a[i] * a[j] * c.problem.y[i] * c.problem.y[j] * c.k(i, j);
  return q;
}
double dual(const Case& c, const Vector& a) { return c.problem.r() * log_det(c, a) - std::sqrt(q_of(c, a)); }

TEST(Esvm, GradientsOfTheDualAreThoseOfDifferences) {
  for (const double e : {0.5, 0.1, 1e-3}) {
    const Case c = random_case(1, 12, 12, false, 1, e);
    Vector a;
    Random random(3);
    for (std::size_t i = 0; i < 12; ++i) a.push_back(0.1 + random.uniform());
    EsvmState state;
    ASSERT_TRUE(esvm_state(c.problem, c.k, a, state));
    EXPECT_NEAR(state.log_det, log_det(c, a), 1e-9 * std::fabs(state.log_det));
    const NormTerm norm(state.q);
    for (std::size_t i = 0; i < 12; ++i) {
      Vector up = a, down = a;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const double expected = (dual(c, up) - dual(c, down)) / 2e-5;
      EXPECT_NEAR(state.omega(i, i) - c.problem.y[i] * state.g[i] / (2 * norm.gamma), expected,
                  1e-5 * (1 + std::fabs(expected)));
    }
  }
}

TEST(Esvm, SolversAgreeWhereAllApply) {
  for (std::uint64_t seed = 0; seed < 6; ++seed)
    for (const bool bias : {false, true})
      for (const double e : {0.3, 1e-3}) {
        const Case c = random_case(seed, 40, 5, bias, 0.2, e);
        const EsvmSolution smo = solve_esvm_smo(c.problem, c.k), interior = solve_esvm_interior(c.problem, c.k),
                           ascent = solve_esvm_ascent(c.problem, c.x);
        EXPECT_TRUE(smo.converged && interior.converged && ascent.converged) << seed << bias << e;
        EXPECT_NEAR(smo.objective, interior.objective, 1e-5 * std::fabs(smo.objective));
        EXPECT_NEAR(smo.objective, ascent.objective, 1e-5 * std::fabs(smo.objective));
      }
}

// Strong duality and the identity of docs/mathematics.md B2, from the primal point alone: w, B, b.
TEST(Esvm, IdentityAtTheOptimum) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Case c = random_case(seed, 50, 4, seed % 2 == 0, 0.05, 0.2);
    const EsvmSolution s = solve_esvm_ascent(c.problem, c.x);
    ASSERT_TRUE(s.converged);
    const Matrix b = esvm_metric(c.problem, c.x, s.a);
    const double root = std::sqrt(q_of(c, s.a));
    double losses = 0, trace = 0, w2 = 0;
    Vector w(4);
    for (std::size_t i = 0; i < 50; ++i)
      for (std::size_t j = 0; j < 4; ++j) w[j] += s.a[i] * c.problem.y[i] * c.x(j, i) / root;
    for (std::size_t i = 0; i < 50; ++i) {
      double f = c.problem.free_bias() ? c.problem.c[i] * s.bias : 0, quadratic = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        f += w[j] * c.x(j, i);
        for (std::size_t l = 0; l < 4; ++l) quadratic += c.x(j, i) * b(j, l) * c.x(l, i);
      }
      losses += c.problem.upper[i] * std::max(0.0, quadratic - c.problem.y[i] * f);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      trace += b(j, j);
      w2 += w[j] * w[j];
    }
    EXPECT_NEAR(w2, 1, 1e-9);
    EXPECT_NEAR(root + losses + c.problem.one_minus_r * trace, c.problem.r() * 4, 1e-5);
  }
}

TEST(Esvm, HardMarginAtROneIsTheAnalyticCentre) {
  for (const bool bias : {false, true}) {
    Case c = random_case(4, 20, 25, bias, kInfinity, 1e-8);  // more features than rows: K is positive definite
    c.problem.tolerance = 1e-6;
    const EsvmSolution centre = solve_esvm_centre(c.problem, c.k), interior = solve_esvm_interior(c.problem, c.k);
    ASSERT_TRUE(centre.converged) << centre.status;
    ASSERT_TRUE(interior.converged);
    // a_i y_i f_i is the same for all rows
    const double root = std::sqrt(q_of(c, centre.a));
    for (std::size_t i = 0; i < 20; ++i) {
      double f = bias ? c.problem.c[i] * centre.bias : 0;
      for (std::size_t j = 0; j < 20; ++j) f += c.k(i, j) * centre.a[j] * c.problem.y[j] / root;
      EXPECT_NEAR(centre.a[i] * c.problem.y[i] * f, 1, 1e-3);
      EXPECT_NEAR(centre.a[i], interior.a[i], 2e-2 * centre.a[i]);
    }
    EXPECT_NEAR(centre.objective, interior.objective, 1e-5 * std::fabs(centre.objective));
  }
}

// Both forms of the system, rows x rows and pairs of features; losses so heavy that w = 0 is as good; bounds so low that most
// rows are at them.
TEST(Esvm, TheInteriorPointMethodSolvesEveryRegime) {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    for (const auto& [m, n] : {std::pair<std::size_t, std::size_t>{60, 2}, {60, 12}, {450, 2}, {450, 12}})
      for (const double upper : {0.01, 1.0, 50.0})
        for (const bool bias : {false, true})
          for (const double noise : {0.0, 3.0}) {
            const Case c = random_case(seed, m, n, bias, upper, 1e-4, noise);
            const EsvmSolution s = solve_esvm_interior_linear(c.problem, c.x);
            EXPECT_TRUE(s.converged) << seed << " " << m << " " << n << " " << upper << bias << " " << noise << " "
                                     << s.gap;
            EXPECT_LT(s.iterations, 60U);
            for (std::size_t i = 0; i < m; ++i) EXPECT_TRUE(s.a[i] >= 0 && s.a[i] <= c.problem.upper[i]);
          }
}

// Whatever it is told of the multipliers: which rows were left out does not show in the answer.
TEST(Esvm, RowsLeftOutComeInWhenTheyAreShort) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Case c = random_case(seed, 80, 4, seed % 2 == 0, 0.5, 1e-3);
    const EsvmSolution all = solve_esvm_interior_linear(c.problem, c.x);
    Random random(seed);
    for (const double share : {0.0, 0.1, 0.7}) {
      Vector near(80);
      for (double& a : near) a = random.uniform() < share ? 1 : 0;
      const EsvmSolution some = solve_esvm_interior_linear(c.problem, c.x, near);
      EXPECT_TRUE(all.converged && some.converged) << seed << " " << share;
      EXPECT_NEAR(all.objective, some.objective, 1e-6 * std::fabs(all.objective));
    }
    Vector of_one_class(80);
    for (std::size_t i = 0; i < 80; ++i) of_one_class[i] = c.problem.y[i] > 0 ? 1 : 0;
    EXPECT_TRUE(solve_esvm_interior_linear(c.problem, c.x, of_one_class).converged);
  }
}

TEST(Esvm, TheDegenerateRegimeIsSolvedAndHeld) {
  const Case c = random_case(8, 60, 3, true, 50, 0.1, 3.0);  // losses so heavy that w = 0 is as good
  const EsvmSolution s = solve_esvm_interior_linear(c.problem, c.x);
  EXPECT_TRUE(s.converged);
  EXPECT_EQ(s.gamma, kLeastGamma);
  EXPECT_LT(s.norm / (2 * s.gamma), 1);
  EXPECT_TRUE(NormTerm(1e-9).held);
  EXPECT_EQ(NormTerm(1e-9).gamma, kLeastGamma);
}

// ---- the learner ----

// ---- (6) linearised again ----

double cosine(const Vector& a, const Vector& b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    ab += a[j] * b[j];
    aa += a[j] * a[j];
    bb += b[j] * b[j];
  }
  return ab / std::sqrt(aa * bb);
}
Matrix unit_columns(Matrix u) {
  for (std::size_t i = 0; i < u.columns(); ++i) {
    double length = 0;
    for (const double value : u.column(i)) length += value * value;
    for (double& value : u.column(i)) value /= std::sqrt(length);
  }
  return u;
}

// min (6_k) <= min (5) for any ellipsoid to linearise at, and at (5)'s own E they are equal, with the same answer.
TEST(Esvm, EveryLinearisationIsARelaxation) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::size_t n = 2 + seed % 4;
    Case c = random_case(seed, 30, n, seed % 2 == 0, 0.3, seed % 3 == 0 ? 1e-6 : 0.1);
    const EsvmPrimalSolution exact = solve_esvm_barrier(c.problem, {}, c.x);
    ASSERT_TRUE(exact.converged);
    Random random(seed);
    Matrix root(n, n);
    for (double& value : root.values()) value = random.normal();
    Matrix e = multiply_transposed(root, root);
    for (std::size_t j = 0; j < n; ++j) e(j, j) += 0.1;
    Matrix u = unit_columns(multiply_transposed(e, c.x));
    EsvmPrimal tangent;
    tangent.tangent = &u;
    EXPECT_LE(solve_esvm_barrier(c.problem, tangent, c.x).objective, exact.objective + 1e-6) << seed;
    u = unit_columns(multiply_transposed(exact.e, c.x));
    const EsvmPrimalSolution again = solve_esvm_barrier(c.problem, tangent, c.x);
    EXPECT_NEAR(again.objective, exact.objective, 1e-6) << seed;
    EXPECT_GT(cosine(again.w, exact.w), 1 - 1e-6) << seed;
    for (std::size_t k = 0; k < n * n; ++k)
      EXPECT_NEAR(again.e.values()[k], exact.e.values()[k], 1e-3 * (exact.e(0, 0) + 1)) << seed;
  }
}

TEST(Esvm, LinearisingAgainReachesTheExactProblem) {
  for (const bool hard : {false, true})
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
      const std::size_t n = 2 + seed % 5;
      const double upper = std::pow(10, -1.0 + 0.25 * static_cast<double>(seed % 8));
      Case c = random_case(seed, hard ? 25 : 60, n, seed % 2 == 0, hard ? kInfinity : upper, seed % 3 == 0 ? 1e-6 : 0.1,
                           hard ? 0 : 0.5);
      c.problem.tolerance = 1e-6;
      EsvmPrimal primal;
      if (hard) {  // the labels are the signs of a sum
        primal.inside.assign(n + 1, 1);
        primal.inside[n] = 0;
        for (std::size_t i = 0; i < c.problem.y.size(); ++i) {
          double sum = 0;
          for (const double value : c.x.column(i)) sum += value;
          c.problem.y[i] = sum > 0 ? 1 : -1;
        }
      }
      const EsvmPrimalSolution exact = solve_esvm_barrier(c.problem, primal, c.x),
                               found = solve_esvm_iterated(c.problem, primal, c.x);
      ASSERT_TRUE(exact.converged) << seed;
      const double scale = std::max(1.0, static_cast<double>(n));
      EXPECT_TRUE(found.converged) << hard << seed << ' ' << found.gap;
      EXPECT_NEAR(found.objective, exact.objective, 3e-6 * scale) << hard << seed;
      EXPECT_LE(found.linearisations, hard ? 200U : 60U) << hard << seed;
      EXPECT_GT(cosine(found.w, exact.w), 1 - 1e-4) << hard << seed;
    }
}

// Steps that are never halved end nearer to (5) or further away; the halved ones always reach it.
TEST(Esvm, WholeStepsNeedNotConverge) {
  int failed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Case c = random_case(seed, 60, 8, true, 2, 1e-6, 0.3);
    c.problem.tolerance = 1e-5;
    const EsvmPrimalSolution exact = solve_esvm_barrier(c.problem, {}, c.x),
                             whole = solve_esvm_iterated(c.problem, {}, c.x, {.most = 30, .whole = true}),
                             halved = solve_esvm_iterated(c.problem, {}, c.x, {.most = 30});
    EXPECT_TRUE(halved.converged) << seed;
    EXPECT_NEAR(halved.objective, exact.objective, 2e-4) << seed;
    if (whole.objective > exact.objective + 0.1) ++failed;
  }
  EXPECT_GE(failed, 5);
}

struct Fitted {
  std::unique_ptr<Learner> learner;
  FitReport report;
};
Fitted fit(const std::vector<Vector>& x, const Vector& y, const std::map<std::string, std::string>& settings,
           const Vector& weights = {}) {
  const LearnerInfo& info = find_learner("esvm");
  Fitted out{info.make(Params(info.name, info.params, settings)), {}};
  out.learner->grow(x[0].size());
  BlockData data;
  data.width = static_cast<std::uint32_t>(x[0].size());
  for (const Vector& row : x) data.values.insert(data.values.end(), row.begin(), row.end());
  const Block block(std::move(data));
  out.report = out.learner->fit({std::span(&block, 1), y, weights});
  return out;
}
double score(const Fitted& of, const Vector& x) {
  return of.learner->score({.values = x.data(), .count = static_cast<std::uint32_t>(x.size())});
}

struct Points {
  std::vector<Vector> x;
  Vector y;
  explicit Points(std::uint64_t seed, std::size_t m = 50, std::size_t n = 3, double noise = 0.4) {
    Random random(seed);
    for (std::size_t i = 0; i < m; ++i) {
      Vector row(n);
      for (double& value : row) value = random.normal();
      y.push_back(row[0] - row[1] + noise * random.normal() > 0 ? 1 : -1);
      x.push_back(std::move(row));
    }
  }
};

TEST(Esvm, TheUnitOfTheFeaturesDoesNotMatter) {
  const Points points(1);
  std::vector<Vector> larger = points.x;
  for (Vector& x : larger)
    for (double& value : x) value *= 70;
  for (const char* kernel : {"linear", "polynomial"})
    for (const char* r : {"1e-6", "0.3"}) {
      const std::map<std::string, std::string> settings{{"bias", "none"},     {"kernel", kernel}, {"degree", "1"},
                                                        {"gamma", "1"},       {"nu", "1"},        {"one_minus_r", r},
                                                        {"tolerance", "1e-8"}};
      const Fitted a = fit(points.x, points.y, settings), b = fit(larger, points.y, settings);
      EXPECT_TRUE(a.report.converged && b.report.converged);
      EXPECT_NEAR(a.report.objective, b.report.objective, 1e-6 * std::fabs(a.report.objective));
      for (std::size_t i = 0; i < points.x.size(); ++i)
        EXPECT_NEAR(70 * score(a, points.x[i]), score(b, larger[i]), 1e-3 * 70) << kernel << r;
    }
}

TEST(Esvm, RowsThatOccurTwiceCountAsOneOfTwiceTheWeight) {
  const Points points(2);
  std::vector<Vector> x = points.x;
  Vector y = points.y, weights(points.x.size(), 1);
  for (std::size_t i = 0; i < 10; ++i) {
    x.push_back(points.x[i]);
    y.push_back(points.y[i]);
    weights[i] = 2;
  }
  for (const char* kernel : {"linear", "rbf"}) {
    const std::map<std::string, std::string> settings{
        {"kernel", kernel}, {"gamma", "0.5"}, {"tolerance", "1e-7"}, {"nu", "0.5"}};
    const Fitted twice = fit(x, y, settings), weighed = fit(points.x, points.y, settings, weights);
    for (const Vector& row : points.x) EXPECT_NEAR(score(twice, row), score(weighed, row), 1e-3);
  }
}

TEST(Esvm, ImpossibleInputsAreAnswered) {
  Points points(3, 30, 3, 0);
  const auto message = [&](const std::map<std::string, std::string>& settings) {
    return test::message_of([&] { fit(points.x, points.y, settings); });
  };
  points.x.push_back(points.x[0]);
  points.y.push_back(-points.y[0]);
  for (const char* kernel : {"linear", "rbf"})
    EXPECT_NE(
        message({{"margin", "hard"}, {"kernel", kernel}}).find("rows 1 and 31 are the same but of different classes"),
        std::string::npos);
  EXPECT_EQ(message({{"kernel", "rbf"}}), "");  // soft: fine
  points = Points(3, 60, 2, 2.0);
  EXPECT_NE(message({{"margin", "hard"}}).find("no hyperplane separates"), std::string::npos);
  for (double& y : points.y) y = 1;
  EXPECT_NE(message({}).find("one class only"), std::string::npos);
  EXPECT_NE(message({{"solver", "newton"}}).find("margin=hard"), std::string::npos);
  points = Points(3, 150, 2, 2.0);
  EXPECT_NE(message({{"problem", "exact"}, {"kernel", "rbf"}}).find("150 rows whose kernel matrix has rank 1"),
            std::string::npos);
}

TEST(Esvm, WeightsOfAllSizesAreSolved) {
  const Points points(7, 450, 4, 1.0);
  Random random(1);
  Vector weights(450);
  for (double& weight : weights) weight = std::exp(3 * random.normal());
  for (const char* nu : {"1e-3", "0.1"}) {
    const Fitted fitted = fit(points.x, points.y, {{"nu", nu}, {"solver", "ipm"}}, weights);
    EXPECT_TRUE(fitted.report.converged) << nu << fitted.report.status;
  }
}

TEST(Esvm, AnyNuEndsWithAnAnswerThatSaysWhichWayToGo) {
  const Points points(9, 60, 3, 1.0);
  const auto status = [&](const char* nu, const char* solver) {
    return fit(points.x, points.y, {{"nu", nu}, {"solver", solver}}).report.status;
  };
  for (const char* solver : {"auto", "ipm"}) {
    for (const char* large : {"10", "1000", "1e8"})
      EXPECT_NE(status(large, solver).find("try a smaller nu"), std::string::npos) << large;
    EXPECT_NE(status("1e-4", solver).find("try a larger nu"), std::string::npos);
    EXPECT_EQ(status("0.3", solver).find("try a "), std::string::npos) << status("0.3", solver);
  }
  for (const char* problem : {"relaxed", "exact"}) {
    std::string told;
    const std::string thrown = test::message_of([&] {
      told = fit(points.x, points.y, {{"nu", "1e-200"}, {"problem", problem}}).report.status;
    });
    EXPECT_NE((told + thrown).find("did not converge"), std::string::npos) << told << thrown;
  }
}

TEST(Esvm, HardMarginsAreSolvedWhateverTheTraceWeighs) {
  Points points(10, 60, 3, 0.0);
  for (std::size_t i = 0; i < 60; ++i) points.x[i][0] += 0.3 * points.y[i];
  for (const char* r : {"0.99", "0.5", "1e-6"})
    for (const char* tolerance : {"1e-1", "1e-4", "1e-7"}) {
      const Fitted fitted = fit(points.x, points.y, {{"margin", "hard"}, {"one_minus_r", r}, {"tolerance", tolerance}});
      EXPECT_TRUE(fitted.report.converged) << r << tolerance << fitted.report.status;
      EXPECT_LT(fitted.report.iterations, 30U);
    }
}

TEST(Esvm, RankDeficientRowsAreSolved) {
  Points points(5);
  for (Vector& x : points.x) x.push_back(x[0] + x[1]);  // a feature that says nothing new
  for (const char* problem : {"relaxed", "exact"}) {
    const Fitted fitted = fit(points.x, points.y, {{"problem", problem}, {"nu", "1"}});
    EXPECT_TRUE(fitted.report.converged) << problem << fitted.report.status;
  }
}

// Where no row has anything, w is 0 and B is r/(1-r).
TEST(Esvm, DirectionsWithoutRowsAreKnown) {
  Points points(5, 12, 4);
  for (Vector& x : points.x) x.resize(20);  // more features than rows, sixteen of them empty
  for (const char* problem : {"relaxed", "exact"})
    for (const char* margin : {"soft", "hard"}) {
      const Fitted fitted = fit(points.x, points.y, {{"problem", problem}, {"nu", "0.3"}, {"margin", margin}});
      EXPECT_TRUE(fitted.report.converged) << problem << fitted.report.status;
      const LearnedMetric metric = *fitted.learner->metric();
      EXPECT_NEAR(metric.values[10 * 20 + 10] * 1e-6, 1, 1e-5);
      EXPECT_NEAR(fitted.learner->linear()->weights[10], 0, 1e-12);
    }
}

TEST(Esvm, IndefiniteAndOverflowingKernelsAreRefused) {
  std::vector<Vector> k{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}};
  const Vector y{1, -1, 1};
  EXPECT_NE(test::message_of([&] {
              fit(k, y, {{"kernel", "precomputed"}, {"c_form", "mean"}, {"nu", "0.001"}, {"rows", "given"}});
            }).find("not positive semidefinite"),
            std::string::npos);
  EXPECT_NE(test::message_of([&] {
              fit(k, y, {{"kernel", "precomputed"}, {"problem", "exact"}});
            }).find("not positive semidefinite"),
            std::string::npos);
  Points points(1);
  for (Vector& x : points.x)
    for (double& value : x) value *= 1e200;
  EXPECT_NE(test::message_of([&] { fit(points.x, points.y, {}); }).find("beyond the largest"), std::string::npos);
}

// Over a kernel, (1), (4) and (5) are the linear problems over coordinates of the rows: degree 1 gives the linear answers.
TEST(Esvm, ThePrimalProblemsWithAKernelAreThoseOverCoordinates) {
  const Points points(11, 40, 3, 0.6);
  for (const char* problem : {"exact", "iterated", "rho", "sphere"})
    for (const char* bias : {"none", "free", "augmented"}) {
      const std::map<std::string, std::string> settings{
          {"problem", problem}, {"bias", bias},          {"degree", "1"},       {"gamma", "1"},
          {"nu", "0.5"},        {"one_minus_r", "0.01"}, {"tolerance", "1e-8"}, {"c_form", "norm2"}};
      std::map<std::string, std::string> kernel = settings;
      kernel["kernel"] = "polynomial";
      const Fitted a = fit(points.x, points.y, settings), b = fit(points.x, points.y, kernel);
      EXPECT_TRUE(a.report.converged && b.report.converged) << problem << bias;
      EXPECT_NEAR(a.report.objective, b.report.objective, 1e-5 * std::fabs(a.report.objective)) << problem << bias;
      if (std::string(problem) == "sphere") continue;  // its w need not be unique
      for (const Vector& x : points.x) EXPECT_NEAR(score(a, x), score(b, x), 1e-3) << problem << bias;
    }
}

// Rows of one length: (1) is the nu-machine, in another scale.
TEST(Esvm, TheSphereWithAnRbfKernelIsTheNuMachine) {
  const LearnerInfo& info = find_learner("svm");
  for (const char* nu : {"0.2", "0.4"}) {
    const Points points(12, 60, 3, 0.6);
    const Fitted sphere =
        fit(points.x, points.y,
            {{"problem", "sphere"}, {"kernel", "rbf"}, {"gamma", "0.5"}, {"nu", nu}, {"tolerance", "1e-9"}});
    EXPECT_TRUE(sphere.report.converged);
    std::unique_ptr<Learner> machine = info.make(
        Params(info.name, info.params, {{"kernel", "rbf"}, {"gamma", "0.5"}, {"nu", nu}, {"tolerance", "1e-7"}}));
    machine->grow(3);
    BlockData data;
    data.width = 3;
    for (const Vector& row : points.x) data.values.insert(data.values.end(), row.begin(), row.end());
    const Block block(std::move(data));
    machine->fit({std::span(&block, 1), points.y, {}});
    Vector a, b;
    for (const Vector& x : points.x) {
      a.push_back(score(sphere, x));
      b.push_back(machine->score({.values = x.data(), .count = 3}));
    }
    EXPECT_GT(cosine(a, b), 1 - 1e-8) << nu;
  }
}

TEST(Esvm, NoveltyGrowsAwayFromWhatWasSeen) {
  const Points points(6);
  for (const char* kernel : {"linear", "rbf"}) {
    const Fitted fitted =
        fit(points.x, points.y, {{"kernel", kernel}, {"gamma", "0.5"}, {"nu", "0.5"}, {"one_minus_r", "0.01"}});
    double seen = 0;
    for (const Vector& x : points.x) seen = std::max(seen, *fitted.learner->novelty({.values = x.data(), .count = 3}));
    const Vector far{9, 9, 9};
    EXPECT_GT(*fitted.learner->novelty({.values = far.data(), .count = 3}), seen) << kernel;
  }
}

}  // namespace
}  // namespace postil
