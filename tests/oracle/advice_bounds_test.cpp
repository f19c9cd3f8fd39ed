// The bounds of learners with rules: never violated on random streams; and the cases in which the printed versions are.
#include <cmath>

#include "naive.hpp"

namespace postil {
namespace {

using namespace test;

struct Trained {
  Model model;
  std::vector<Block> blocks;
};

// A model trained in file order on random rows, which one line separates if `separable`, with rules about two columns.
Trained trained(const std::string& learner, const std::map<std::string, std::string>& settings, std::uint64_t seed,
                bool separable, const std::string& rules) {
  Random random(seed);
  std::string text = "a,b,c,label\n";
  const std::size_t rows = 15 + random.below(60);
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = random.normal(), b = random.normal(), c = random.normal();
    const double line = a - 0.5 * b + 0.2 * c;
    if (separable && std::fabs(line) < 0.3) continue;
    const bool turned = !separable && random.uniform() < 0.15;
    text += fmt::format("{},{},{},{}\n", a, b, c, (line >= 0) != turned ? 1 : 0);
  }
  text += "1,0,0,1\n-1,0,0,0\n";
  TrainOptions options = in_file_order();
  options.recipe.learner = learner;
  options.recipe.settings = settings;
  options.recipe.scale = Scale::none;
  options.recipe.rules = parse_rules(rules, "rules").file;
  Trained run{train_text(text, options), {}};
  ReadOptions read;
  read.format = Format::csv;
  read.schema = &run.model.schema();
  Reader reader = Reader::from_memory(text, read);
  Encoder encoder(run.model.schema(), reader.table());
  for (Block block; reader.next(block); block = Block()) run.blocks.push_back(encoder.encode(std::move(block)));
  return run;
}

const std::vector<std::string> kRules{"a >= 0.5 => 1\na <= -0.5 and b >= 0 => 0\n", "a >= 0.2 => 0\nb >= 0.4 => 1\n",
                                      "domain c in [-5, 5]\na - b >= 1 => 1\nc >= 1 and a <= 0 => 0\n"};

TEST(AdviceBounds, RegretOfThePassiveAggressiveAdviceptron) {
  int full = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const char* mu = seed % 3 == 0 ? "0.001" : seed % 3 == 1 ? "0.05" : "0.4";
    const Trained run =
        trained("pa-adviceptron", {{"bias", "none"}, {"mu", mu}, {"advice_step", seed % 2 == 0 ? "plus" : "exact"}},
                seed, seed % 4 == 0, kRules[seed % kRules.size()]);
    const RegretBound bound = regret_bounds(run.model, run.blocks)[0];
    EXPECT_LE(bound.loss, bound.bound * (1 + 1e-9)) << seed;
    EXPECT_EQ(bound.rounds, run.model.counters().examples);
    full += bound.empty() ? 0 : 1;
  }
  EXPECT_GT(full, 20);
}

TEST(AdviceBounds, MistakesOfTheAdviceptron) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const char* mu = seed % 3 == 0 ? "0.001" : seed % 3 == 1 ? "0.05" : "0.4";
    const Trained run = trained("adviceptron", {{"bias", seed % 2 == 0 ? "none" : "pinned"}, {"mu", mu}}, seed,
                                seed % 4 != 0, kRules[seed % kRules.size()]);
    const AdviceMistakeBound bound = advice_mistake_bounds(run.model, run.blocks)[0];
    if (!bound.bound) continue;
    ++found;
    EXPECT_LE(static_cast<double>(bound.mistakes), *bound.bound) << seed;
  }
  EXPECT_GT(found, 30);
}

TEST(AdviceBounds, ParametersThatTheTheoremsNeed) {
  EXPECT_NE(message_of([] {
              regret_bounds(trained("pa-adviceptron", {}, 1, true, kRules[0]).model, {});
            }).find("bias is data, the theorem needs none"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              const LearnerInfo& info = find_learner("arow");
              check_bounded(info, Params(info.name, info.params, {}));
            }).find("not about arow"),
            std::string::npos);
}

// Both sides of (18) of 000 for one set of one row, D x <= d => z, and one feature, written out plainly: as printed, with L_xi and
// L_eta of w_t and half as large a subtraction, and as corrected.
struct TwoSides {
  double printed = 0, corrected = 0, right = 0;
};
TwoSides theorem_one(double lambda, double mu, double D, double d, double z, const Vector& x, const Vector& y,
                     double w_star, double u_star) {
  const double nu = 1 / (1 + mu);
  double w = 0, u = 0, xx = 0;
  for (const double value : x) xx = std::max(xx, value * value);
  const auto eta = [&](double of, double at) { return std::pow(D * at + z * of, 2); };
  const auto zeta = [&](double at) { return std::pow(std::max(0.0, 1 + d * at), 2); };
  TwoSides out;
  out.right = w_star * w_star / nu + u_star * u_star;
  for (std::size_t t = 0; t < x.size(); ++t) {
    const auto xi = [&](double of) { return std::pow(std::max(0.0, 1 - y[t] * of * x[t]), 2); };
    const double hat = nu * w + (1 - nu) * (-z * u * D), data = lambda / (1 + nu * lambda * xx);
    out.printed += data * xi(w) + mu * (1 - mu * D * D) * eta(w, u) + mu * (1 - mu * d * d) * zeta(u);
    out.corrected += data * xi(hat) + mu * (1 - 2 * mu * d * d) * zeta(u);
    out.right += lambda * xi(w_star) + mu * zeta(u_star) + mu * eta(w_star, u);
    const double alpha = std::max(0.0, 1 - y[t] * hat * x[t]) / (1 / lambda + nu * x[t] * x[t]);
    w = hat + nu * alpha * y[t] * x[t];
    out.corrected += mu * (1 - 2 * mu * D * D) * eta(w, u);
    out.right += mu * eta(w, u_star);
    const double a = 1 + mu * D * D, p = (u - mu * z * D * w) / a, q = d / a;
    u = std::max(0.0, p - mu * std::max(0.0, 1 + d * p) / (1 + mu * d * q) * q);
  }
  return out;
}

TEST(AdviceBounds, TheoremOneOf000AsPrintedIsFalse) {
  const TwoSides found = theorem_one(2.983, 14.204, -0.01244, 0.001965, -1, {0.9366, -0.9378, 0.9374, -0.488},
                                     {1, 1, 1, 1}, 0.01089, 0.001743);
  EXPECT_GT(found.printed, found.right * 1.001);
  EXPECT_LE(found.corrected, found.right);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    Vector x, y;
    for (std::uint64_t t = 0; t < 1 + random.below(8); ++t) {
      x.push_back(random.normal());
      y.push_back(random.uniform() < 0.5 ? 1 : -1);
    }
    const double lambda = std::pow(10, 2 * random.uniform() - 1), mu = std::pow(10, 3 * random.uniform() - 2);
    const double size = std::pow(10, -2 * random.uniform());
    const TwoSides sides =
        theorem_one(lambda, mu, size * random.normal(), size * random.normal(), seed % 2 == 0 ? 1 : -1, x, y,
                    size * random.normal(), std::max(0.0, size * random.normal()));
    EXPECT_LE(sides.corrected, sides.right * (1 + 1e-12)) << seed;
  }
}

// Theorem 1 of 004 as printed, M <= X^2 A^2 / gamma^2 (1 + (1 - nu) M_a), says 0 mistakes if r itself separates, however far
// w_1 is from it.
TEST(AdviceBounds, TheoremOneOf004AsPrintedIsFalse) {
  const double lambda = 0.1, nu = 0.999, r = 1,
               u = 1;  // one feature, x = 1 always, y = 1; gamma = X = 1, A = |u - r| = 0
  double w = -2;
  int mistakes = 0, advice = 0;
  for (int t = 0; t < 100; ++t) {
    const bool sigma = w <= 0, fires = nu * w + (1 - nu) * r <= 0;
    mistakes += sigma ? 1 : 0;
    advice += fires ? 1 : 0;
    if (sigma) w += lambda;
    if (fires) w = nu * w + (1 - nu) * r;
  }
  EXPECT_GT(mistakes, 0);  // the printed bound is 0
  double best = std::numeric_limits<double>::infinity();
  for (double c = 0.06; c < 50; c *= 1.05)
    best = std::min(best, (std::pow(-2 - c * u, 2) + (1 - nu) * std::pow(c * u - r, 2) * advice) /
                              (2 * lambda * c - lambda * lambda));
  EXPECT_LE(mistakes, best);
}

}  // namespace
}  // namespace postil
