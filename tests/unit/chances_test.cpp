// Tails of distributions against sums of their terms by logarithms of factorials.
#include "eval/chances.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "postil/random.hpp"

namespace postil {
namespace {

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

TEST(Chances, OfHitsAreSumsOfTerms) {
  Random random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint64_t count = 1 + random.below(200), hits = random.below(count + 1), drawn = random.below(count + 1);
    const std::uint64_t found = random.below(drawn + 2);
    double sum = 0;
    for (std::uint64_t k = found; k <= std::min(drawn, hits); ++k)
      if (drawn - k <= count - hits)
        sum += std::exp(log_choose(double(hits), double(k)) + log_choose(double(count - hits), double(drawn - k)) -
                        log_choose(double(count), double(drawn)));
    EXPECT_NEAR(chance_of_hits(found, drawn, count, hits), std::min(1.0, sum), 1e-9);
  }
}

TEST(Chances, OfTheBinomialAreSumsOfTerms) {
  Random random(2);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint64_t count = 1 + random.below(300), hits = random.below(count + 1);
    const double p = random.uniform();
    double sum = 0;
    for (std::uint64_t k = hits; k <= count; ++k)
      sum +=
          std::exp(log_choose(double(count), double(k)) + double(k) * std::log(p) + double(count - k) * std::log1p(-p));
    EXPECT_NEAR(chance_of_binomial(hits, count, p), std::min(1.0, sum), 1e-9);
  }
  EXPECT_EQ(chance_of_binomial(3, 5, 0), 0);
  EXPECT_EQ(chance_of_binomial(3, 5, 1), 1);
  EXPECT_EQ(chance_of_binomial(0, 5, 0.5), 1);
  EXPECT_GT(chance_of_binomial(99'000, 100'000, 0.98), 0);
}

TEST(Chances, CorrectedAsHolmSays) {
  std::vector<double> p{0.04, 0.01, 0.5, 0.03};
  std::vector<double*> at;
  for (double& value : p) at.push_back(&value);
  correct_for_number(at);
  EXPECT_DOUBLE_EQ(p[1], 0.04);
  EXPECT_DOUBLE_EQ(p[3], 0.09);
  EXPECT_DOUBLE_EQ(p[0], 0.09);
  EXPECT_DOUBLE_EQ(p[2], 0.5);
}

}  // namespace
}  // namespace postil
