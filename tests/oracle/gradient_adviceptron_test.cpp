// The Adviceptron by gradients: each step against the slope of what a round costs, the cost of rules computed row by row; and
// Zinkevich's bound of its regret.
#include "loss_by_rows.hpp"

namespace postil {
namespace {

using namespace test;
using Settings = std::map<std::string, std::string>;

constexpr std::uint32_t kFeatures = 6;  // two of them no rule names

double loss_of(const std::string& loss, double y, double f) {
  if (loss == "logistic") return std::log1p(std::exp(-y * f));
  if (loss == "hinge") return std::max(0.0, 1 - y * f);
  if (loss == "squared-hinge") return std::pow(std::max(0.0, 1 - y * f), 2);
  if (loss == "squared") return (f - y) * (f - y) / 2;
  if (loss == "huber") return std::fabs(f - y) <= 0.1 ? (f - y) * (f - y) / 2 : 0.1 * (std::fabs(f - y) - 0.05);
  return std::max(0.0, std::fabs(f - y) - 0.1);  // epsilon-insensitive
}

struct Round {
  const TaskAdvice& advice;
  std::string loss;
  double mu;

  // F_t; x of nothing: the rules alone.
  [[nodiscard]] double cost(const Vector& w, double b, const Vector& x, double y) const {
    double sum = x.empty() ? 0 : loss_of(loss, y, inner(w, x) + b);
    for (const TaskAdvice::Set& set : advice.sets) {
      Vector moved = w;  // w - h
      for (const auto& [feature, coefficient] : set.target.terms) moved[feature] -= coefficient;
      sum += mu * set.trust / 2 * loss_by_rows(advice, set, moved, b - set.target.constant, false);
    }
    for (const TaskAdvice::Sign& sign : advice.directions)  // variances are 4
      sum += mu * sign.trust / 2 * std::pow(std::max(0.0, -sign.z * 2 * w[sign.feature]), 2);
    return sum;
  }
  [[nodiscard]] Vector slope(const Vector& w, double b, const Vector& x, double y) const {  // by differences; b last
    constexpr double kStep = 1e-4;
    Vector out;
    for (std::size_t j = 0; j <= w.size(); ++j) {
      Vector up = w, down = w;
      if (j < w.size()) {
        up[j] += kStep;
        down[j] -= kStep;
      }
      const double shift = j == w.size() ? kStep : 0;
      out.push_back((cost(up, b + shift, x, y) - cost(down, b - shift, x, y)) / (2 * kStep));
    }
    return out;
  }
};

std::unique_ptr<Learner> made(const TaskAdvice& advice, const std::string& loss, const Settings& more) {
  const LearnerInfo& info = find_learner("gradient-adviceptron");
  Settings settings = more;
  settings["loss"] = loss;
  const bool numbers = loss == "squared" || loss == "huber" || loss == "epsilon-insensitive";
  auto learner = (numbers ? info.make_regressor : info.make)(Params(info.name, info.params, settings));
  learner->grow(kFeatures);
  learner->take_advice(advice);
  return learner;
}

TEST(GradientAdviceptron, StepsDownTheGradientOfARound) {
  std::uint64_t seed = 0;
  for (const char* loss : {"logistic", "hinge", "squared-hinge", "squared", "huber", "epsilon-insensitive"})
    for (int variant = 0; variant < 4; ++variant, ++seed) {
      Random random(seed);
      TaskAdvice advice = random_rules(random, variant % 2 == 0);
      if (variant >= 2) add_directions(random, advice);
      if (seed >= 12) {
        advice.of_numbers = true;
        for (TaskAdvice::Set& set : advice.sets)
          set.target = {{{set.rows[0].terms[0].first, random.normal()}}, random.normal()};
      }
      const Round round{advice, loss, 0.05};
      auto learner = made(advice, loss, {{"mu", "0.05"}, {"eta0", "0.3"}, {"start", variant == 3 ? "advice" : "zero"}});
      for (int t = 1; t <= 6; ++t) {
        Vector x(kFeatures);
        for (double& value : x) value = random.normal();
        const double y = seed >= 12 ? 2 * random.normal() : random.uniform() < 0.5 ? 1 : -1;
        const LinearModel before = *learner->linear();
        const double f = inner(before.weights, x) + before.bias;
        const Vector slope = round.slope(before.weights, before.bias, x, y);
        learner->learn(SparseRow(x).row(), y, 1);
        if (std::fabs(1 - y * f) < 1e-3 || std::fabs(std::fabs(y - f) - 0.1) < 1e-3) continue;  // a kink
        const LinearModel after = *learner->linear();
        const double eta = 0.3 / std::sqrt(t);
        for (std::size_t j = 0; j < kFeatures; ++j)
          EXPECT_NEAR(after.weights[j], before.weights[j] - eta * slope[j], 2e-5) << loss << " " << variant << " " << t;
        EXPECT_NEAR(after.bias, before.bias - eta * slope.back(), 2e-5) << loss << " " << variant << " " << t;
      }
    }
}

TEST(GradientAdviceptron, RegretStaysBelowTheBound) {
  constexpr int kRounds = 60;
  for (std::uint64_t seed = 0; seed < 9; ++seed) {
    Random random(100 + seed);
    const TaskAdvice advice = random_rules(random, true);
    const char* loss = seed % 3 == 0 ? "logistic" : seed % 3 == 1 ? "hinge" : "squared-hinge";
    const double eta0 = seed % 2 == 0 ? 0.5 : 0.1;
    const Round round{advice, loss, 0.2};
    auto learner = made(advice, loss, {{"mu", "0.2"}, {"eta0", seed % 2 == 0 ? "0.5" : "0.1"}});
    Examples seen;
    std::vector<LinearModel> path;
    double paid = 0, longest = 0;
    for (int t = 1; t <= kRounds; ++t) {
      Vector x(kFeatures);
      for (double& value : x) value = random.normal();
      path.push_back(*learner->linear());
      const LinearModel& at = path.back();
      const double f = inner(at.weights, x) + at.bias;
      const double y = seed < 6 ? (x[0] - x[1] > 0 ? 1 : -1) : f >= 0 ? -1 : 1;  // the last always against it
      paid += round.cost(at.weights, at.bias, x, y);
      const Vector slope = round.slope(at.weights, at.bias, x, y);
      longest = std::max(longest, std::sqrt(inner(slope, slope)));
      learner->learn(SparseRow(x).row(), y, 1);
      seen.x.push_back(x);
      seen.y.push_back(y);
    }
    LinearModel nothing{Vector(kFeatures), 0}, guess{Vector(kFeatures), 0.1};
    guess.weights[0] = 1;
    guess.weights[1] = -1;
    for (const LinearModel& other : {nothing, guess, path.back(), path[kRounds / 2]}) {
      double theirs = 0, far = 0;
      for (int t = 0; t < kRounds; ++t) {
        theirs += round.cost(other.weights, other.bias, seen.x[t], seen.y[t]);
        double distance = std::pow(path[t].bias - other.bias, 2);
        for (std::size_t j = 0; j < kFeatures; ++j) distance += std::pow(path[t].weights[j] - other.weights[j], 2);
        far = std::max(far, distance);
      }
      const double root = std::sqrt(kRounds);
      EXPECT_LE(paid - theirs, far * root / (2 * eta0) + eta0 * longest * longest * (root - 0.5) + 1e-6) << seed;
    }
  }
}

}  // namespace
}  // namespace postil
