// bayes_point.cpp: the Bayes point machine: the centre of mass of the version space.
//
// Source   Herbrich, Graepel and Campbell, Bayes Point Machines, JMLR 2001   [herbrich2001bpm]; docs/mathematics.md B5
// Problem  the mean of w over {w : |w| = 1, y_i w'phi_i >= 0 for all i}.  Soft boundary: K + soft I in place of K.
// Method   K = FF' (Cholesky with pivots): the rows of F are the examples, w lives in as many dimensions as they span.
//          billiard      a ball on the sphere, w(t) = w cos t + v sin t, until wall i at t_i = atan2(g_i, -h_i), g = y o Fw, h = y o
//                        Fv; there v -= 2 (v'a) a/|a|^2 with a = y_i F_i. The path is averaged: its integral is w sin t + v (1 - cos t).
//                        After a path of 3 rad on average the direction is drawn anew: the billiard alone is not ergodic.
//          permutations  perceptrons that went over the examples in other orders until they made no mistake, averaged.
// Cost     O(m) a bounce (the column of K), O(m rank) a new direction.
// Stop     two runs with their own random numbers, doubled until their means are `tol` rad apart; the answer is the mean of both,
//          which is about half as far from the centre.
// Choices  It starts at the analytic centre, which is inside whenever there is an inside. A bias is a constant feature.
//          Tests: tests/oracle/bayes_point_test.cpp (rejection sampling).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/clones.hpp"
#include "core/kernels.hpp"
#include "core/math.hpp"
#include "core/parallel.hpp"
#include "esvm.hpp"
#include "kernel.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "postil/random.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    kernel_param("rbf"),
    kPairsParam,
    kGammaParam,
    kDegreeParam,
    kCoef0Param,
    number_param("soft", "λ", 0.1, Range::non_negative,
                 "added to the kernel's diagonal, relative to its mean; 0: the rows must be separable"),
    choice_param("method", "billiard", "billiard|permutations",
                 "the centre of mass by a ball in the version space, or the mean of perceptrons"),
    number_param("tol", "", 0.05, Range::positive, "two runs must agree within this angle (radians)"),
    choice_param("bias", "augmented", "augmented|none", "a constant feature 1, or none"),
    integer_param("seed", "", 0, Range::non_negative, "of the random numbers")};

constexpr std::size_t kMostRows = 10000;
constexpr double kSmallestTol = 1e-4;
constexpr double kMeanPath = 3;  // radians between new directions
constexpr std::uint64_t kFirstLegs = 32, kMostLegs = 1 << 17, kMostWork = 4'000'000'000;  // moves times walls

double length_of(std::span<const double> v) { return std::sqrt(dot(v, v)); }

POSTIL_CLONES void turn(double* a, double* b, double c, double s, std::size_t n) {  // (a, b) <- (a c + b s, b c - a s)
  for (std::size_t i = 0; i < n; ++i) {
    const double x = a[i], y = b[i];
    a[i] = x * c + y * s;
    b[i] = y * c - x * s;
  }
}
// -h/g, large: near. On a wall, or a rounding error beyond it, only the direction counts.
POSTIL_CLONES void ratios(const double* g, const double* h, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double ahead = -h[i] / g[i], at_once = h[i] < 0 ? kInfinity : -kInfinity;
    out[i] = g[i] > 0 ? ahead : at_once;
  }
}

// The geometry that both methods share: signed rows y_i F_i, and the products of every two.
struct Walls {
  Matrix f;  // a row per example, signed
  Matrix k;  // f f'

  void scores(std::span<const double> w, std::span<double> out) const { multiply(1, f, w, 0, out); }
};

// One run; its mean grows leg by leg.
class Run {
 public:
  Run(const Walls& walls, std::uint64_t seed) : walls_(walls), random_(seed), sum_(walls.f.columns()) {}
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  virtual bool leg() = 0;  // false: it cannot go on
  [[nodiscard]] const std::vector<double>& sum() const { return sum_; }
  [[nodiscard]] std::uint64_t moves() const { return moves_; }
  [[nodiscard]] bool tired() const { return moves_ >= most_moves(); }

 protected:
  [[nodiscard]] std::uint64_t most_moves() const { return kMostWork / walls_.f.rows(); }
  const Walls& walls_;
  Random random_;
  std::vector<double> sum_;
  std::uint64_t moves_ = 0;
};

class Billiard final : public Run {
 public:
  Billiard(const Walls& walls, std::vector<double> start, std::uint64_t seed)
      : Run(walls, seed), w_(std::move(start)), v_(w_.size()), g_(walls.f.rows()), h_(g_.size()), near_(g_.size()) {}

  bool leg() override {
    aim();
    double left = -kMeanPath * std::log(1 - random_.uniform());
    std::size_t last = g_.size();
    for (std::size_t bounce = 0; left > 0 && moves_ < most_moves(); ++bounce) {
      look_up("bounces", moves_);
      if (bounce % 512 == 511) refresh();
      ratios(g_.data(), h_.data(), near_.data(), g_.size());
      if (last < near_.size()) near_[last] = -std::numeric_limits<double>::infinity();
      const std::size_t wall = static_cast<std::size_t>(std::max_element(near_.begin(), near_.end()) - near_.begin());
      const double reach = std::atan2(std::max(g_[wall], 0.0), -h_[wall]);
      const double t = std::min(reach, left);
      left -= t;
      const double c = std::cos(t), s = std::sin(t);
      for (std::size_t j = 0; j < w_.size(); ++j) sum_[j] += w_[j] * s + v_[j] * (1 - c);
      turn(w_.data(), v_.data(), c, s, w_.size());
      turn(g_.data(), h_.data(), c, s, g_.size());
      ++moves_;
      if (left <= 0) break;
      const double back = -2 * h_[wall] / walls_.k(wall, wall);
      for (std::size_t j = 0; j < v_.size(); ++j) v_[j] += back * walls_.f(wall, j);
      axpy(back, walls_.k.column(wall), h_);
      g_[wall] = 0;
      last = wall;
    }
    for (double& g : g_) g = std::max(g, 1e-300);
    return true;
  }

 private:
  // A new direction, all alike.
  void aim() {
    for (double& v : v_) v = random_.normal();
    refresh();
  }
  void refresh() {
    const double norm = length_of(w_);
    for (double& w : w_) w /= norm;
    const double along = dot(std::span<const double>(v_), std::span<const double>(w_));
    axpy(-along, w_, v_);
    const double speed = length_of(v_);
    for (double& v : v_) v /= speed;
    walls_.scores(w_, g_);
    walls_.scores(v_, h_);
    for (double& g : g_) g = std::max(g, 1e-300);  // on a wall, up to rounding
  }

  std::vector<double> w_, v_, g_, h_, near_;
};

class Permutations final : public Run {
 public:
  Permutations(const Walls& walls, std::uint64_t seed) : Run(walls, seed), g_(walls.f.rows()), order_(g_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  bool leg() override {
    constexpr int kMostPasses = 10000;
    std::fill(g_.begin(), g_.end(), 0);
    std::vector<double> count(g_.size());
    random_.shuffle(std::span(order_));
    bool mistakes = true;
    for (int pass = 0; mistakes && pass < kMostPasses; ++pass) {
      mistakes = false;
      for (const std::uint32_t i : order_) {
        if (g_[i] > 0) continue;
        mistakes = true;
        ++count[i];
        look_up("steps", ++moves_);
        axpy(1, walls_.k.column(i), g_);
      }
    }
    if (mistakes) return false;
    std::vector<double> w(sum_.size());
    multiply_transposed(1, walls_.f, count, 0, w);
    axpy(1 / length_of(w), w, sum_);
    return true;
  }

 private:
  std::vector<double> g_;
  std::vector<std::uint32_t> order_;
};

class BayesPoint final : public KernelLearner {
 public:
  explicit BayesPoint(const Params& params) : KernelLearner(params) {
    if (params.number("tol") < kSmallestTol)
      throw ParamError(
          {.code = Code::out_of_range,
           .subject = {"parameter", "tol"},
           .message = fmt::format("tol is {}, expected {} or more: two random runs cannot agree more closely",
                                  params.number("tol"), kSmallestTol),
           .found = fmt::format("{}", params.number("tol")),
           .expected = fmt::format("{} or more", kSmallestTol)});
  }

  FitReport fit(const Sample& sample) override {
    const KernelSample all = kernel_sample(params_, sample, features_);
    const double constant = params_.choice("bias") == "augmented" ? 1 : 0, soft = params_.number("soft");
    if (all.rows.size() > kMostRows)
      throw DataError({.code = Code::too_many,
                       .message = fmt::format("{} rows: the Bayes point machine holds matrices of rows x rows numbers, "
                                              "for at most {}",
                                              all.rows.size(), kMostRows),
                       .found = fmt::format("{} rows", all.rows.size()),
                       .expected = fmt::format("at most {}", kMostRows)});
    const Matrix whole = gram(all.kernel, all.rows);
    std::vector<std::uint32_t> kept;  // a row of zeros forbids nothing
    double mean = 0;
    for (std::uint32_t i = 0; i < whole.rows(); ++i)
      if (whole(i, i) + constant > 0) {
        kept.push_back(i);
        mean += whole(i, i) + constant;
      }
    const std::size_t m = kept.size();
    if (m == 0)
      throw DataError(
          {.code = Code::missing_label, .message = "there is no labelled row to learn from, or all of them are zero"});
    mean /= static_cast<double>(m);
    Matrix k(m, m);
    EsvmProblem inside;  // for the start: somewhere in the version space
    inside.upper.assign(m, std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < m; ++j) {
      for (std::size_t i = 0; i < m; ++i) k(i, j) = whole(kept[i], kept[j]) + constant;
      k(j, j) += soft * mean;
      inside.y.push_back(all.y[kept[j]]);
    }
    const std::vector<double>& y = inside.y;
    const AnalyticCentre centre = analytic_centre(inside, k);
    RankFactor factor = factorise_rank(k, 1e-12);
    Walls walls{factor.f, std::move(k)};
    for (std::size_t j = 0; j < m; ++j)
      for (std::size_t i = 0; i < m; ++i) walls.k(i, j) *= y[i] * y[j];
    for (std::size_t j = 0; j < walls.f.columns(); ++j)
      for (std::size_t i = 0; i < m; ++i) walls.f(i, j) *= y[i];

    std::vector<double> start(walls.f.columns()), scores(m);
    multiply_transposed(1, walls.f, centre.u, 0, start);
    const double norm = length_of(start);
    for (double& w : start) w /= norm;
    walls.scores(start, scores);
    for (std::size_t i = 0; i < m; ++i)
      if (!centre.converged || !(scores[i] > 0))
        throw DataError({.code = Code::impossible,
                         .subject = {"parameter", "soft"},
                         .message = "no hyperplane separates the classes, so there is no version space",
                         .remedy = "soft above 0 makes one"});

    FitReport report = average(walls, start);
    // w = F'beta with beta at the pivots: a triangle to solve, and the rows are unsigned again
    Matrix triangle(walls.f.columns(), walls.f.columns());
    for (std::size_t i = 0; i < triangle.rows(); ++i)
      for (std::size_t j = 0; j <= i; ++j) triangle(i, j) = factor.f(factor.pivots[i], j);
    std::vector<double> beta = mean_;
    solve_lower_transposed(triangle, beta);
    std::vector<double> coefficients(all.rows.size());
    double bias = 0;
    for (std::size_t i = 0; i < beta.size(); ++i) {
      coefficients[kept[factor.pivots[i]]] = beta[i];
      bias += constant * beta[i];
    }
    model_ = KernelModel(all, coefficients, bias, features_);
    walls.scores(mean_, scores);
    report.objective = *std::min_element(scores.begin(), scores.end());
    return report;
  }

 private:
  // Fills mean_; the residual is the angle between the two runs.
  FitReport average(const Walls& walls, const std::vector<double>& start) {
    const double tol = params_.number("tol");
    const auto seed = 2 * static_cast<std::uint64_t>(params_.number("seed"));
    std::unique_ptr<Run> runs[2];
    for (std::uint64_t k = 0; k < 2; ++k) {
      if (params_.choice("method") == "billiard")
        runs[k] = std::make_unique<Billiard>(walls, start, seed + k);
      else
        runs[k] = std::make_unique<Permutations>(walls, seed + k);
    }
    FitReport report;
    bool going[2] = {true, true};
    for (std::uint64_t done = 0, legs = kFirstLegs; going[0] && going[1]; done = legs, legs *= 2) {
      in_parallel(2, [&](std::size_t k) {
        for (std::uint64_t leg = done; going[k] && leg < legs; ++leg) going[k] = runs[k]->leg();
      });
      const std::vector<double>&a = runs[0]->sum(), &b = runs[1]->sum();
      const double length_a = length_of(a), length_b = length_of(b);
      std::vector<double> difference(a.size());
      mean_.resize(a.size());
      for (std::size_t j = 0; j < a.size(); ++j) {
        mean_[j] = a[j] / length_a + b[j] / length_b;
        difference[j] = a[j] / length_a - b[j] / length_b;
      }
      report.residual = 2 * std::atan2(length_of(difference), length_of(mean_));
      report.converged = going[0] && going[1] && report.residual <= tol;
      if (report.converged || legs >= kMostLegs || runs[0]->tired() || runs[1]->tired()) break;
    }
    if (!going[0] || !going[1])
      throw DataError({.code = Code::impossible,
                       .subject = {"parameter", "soft"},
                       .message = "a perceptron still makes mistakes after 10,000 passes",
                       .remedy = "a larger soft makes the classes easier to separate"});
    const double norm = length_of(mean_);
    for (double& w : mean_) w /= norm;
    report.iterations = runs[0]->moves() + runs[1]->moves();
    report.status = report.converged ? "two runs agree"
                                     : fmt::format("did not converge: two runs are {:.3g} rad apart", report.residual);
    return report;
  }

  std::vector<double> mean_;  // of length 1; while fitting
};

constexpr std::string_view kPage = R"(
Of all hyperplanes that make no mistake on the training rows, the average one: half of them say yes where it says yes, about. A ball flies through the version space and its path is averaged, until two balls agree.

**Problem.** The centre of mass of $\{w : \|w\| = 1,\ y_i w'\varphi(x_i) \ge 0\ \forall i\}$; with `soft` above 0 the kernel matrix is $K + \lambda I$, which always leaves a version space.

**Update.** None: it learns from all examples at once. `method=billiard`: great circles between reflections, the direction drawn anew after 3 radians on average, since the billiard alone is not ergodic. `method=permutations`: the mean of perceptrons, each in its own order of the examples; quicker and further off. `tol` is the angle within which two runs must agree; the residual that is reported. The objective that is reported is the least score on its own side.

**When not to use it.** Beyond some thousand rows: `esvm` finds a point nearly as central in a small part of the time. Example weights do not count here.
)";

}  // namespace

extern const LearnerInfo bayes_point_info{.name = "bayes-point",
                                          .title = "Bayes point machine",
                                          .reference = "herbrich2001bpm",
                                          .mode = Mode::batch,
                                          .takes_advice = false,
                                          .kernels = true,
                                          .python_name = "BayesPointClassifier",
                                          .params = kParams,
                                          .make = make_learner<BayesPoint>,
                                          .page = kPage};

}  // namespace postil
