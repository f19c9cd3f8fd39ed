// statistics.cpp: means with their standard errors, and whether two learners differ.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::string_view kMetrics[] = {"error", "balanced_error", "auc", "f1", "log_loss", "mae", "rmse", "r2"};

bool about_numbers(Metric metric) { return metric >= Metric::mae; }

// The regularised incomplete beta function I_x(a, b), by its continued fraction (Lentz's method).
double incomplete_beta(double a, double b, double x) {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incomplete_beta(b, a, 1 - x);  // where the fraction converges fast
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x)) / a;
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), fraction = d;
  for (int m = 1; m <= 1000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    fraction *= c * d;
    if (std::fabs(c * d - 1) < 1e-15) break;
  }
  return front * fraction;
}

}  // namespace

std::string_view word(Metric metric) { return kMetrics[static_cast<std::size_t>(metric)]; }

Decision decision_for(Metric metric, const LearnerInfo& learner) {
  return {metric == Metric::balanced_error && learner.log_odds ? Decision::Kind::balanced : Decision::Kind::likely};
}

Metric metric_of(std::string_view word, bool regression) {
  if (word.empty()) return regression ? Metric::mae : Metric::error;
  std::vector<std::string> known;
  for (std::size_t k = 0; k < std::size(kMetrics); ++k) {
    const auto metric = static_cast<Metric>(k);
    if (about_numbers(metric) != regression) continue;
    if (word == kMetrics[k]) return metric;
    known.emplace_back(kMetrics[k]);
  }
  throw ParamError(
      {.code = Code::unknown_name,
       .subject = {"metric", shown(word)},
       .message = fmt::format("there is no metric {} for {}", in_quotes(word), regression ? "regression" : "classes"),
       .found = shown(word),
       .expected = joined(known),
       .remedy = Text("known: ", joined(known))});
}

bool larger_is_better(Metric metric) { return metric == Metric::auc || metric == Metric::f1 || metric == Metric::r2; }

MeanError mean_error(std::span<const double> values) {
  double count = 0, mean = 0, squares = 0;  // Welford
  for (const double value : values) {
    if (std::isnan(value)) continue;
    count += 1;
    const double delta = value - mean;
    mean += delta / count;
    squares += delta * (value - mean);
  }
  const std::size_t left_out = values.size() - static_cast<std::size_t>(count);
  if (count == 0) return {std::nan(""), std::nan(""), left_out};
  return {mean, count > 1 ? std::sqrt(squares / (count - 1) / count) : std::nan(""), left_out};
}

double student_t_p(double t, double degrees) { return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)); }

PairedTest paired_t_test(std::span<const double> a, std::span<const double> b) {
  std::vector<double> differences;
  for (std::size_t k = 0; k < a.size(); ++k)
    if (!std::isnan(a[k] - b[k])) differences.push_back(a[k] - b[k]);
  const MeanError d = mean_error(differences);
  PairedTest test{d.mean, d.se, std::nan("")};
  if (differences.size() < 2) return test;
  if (d.se > 0)
    test.p = student_t_p(d.mean / d.se, static_cast<double>(differences.size() - 1));
  else
    test.p = d.mean == 0 ? 1 : 0;
  return test;
}

std::pair<double, double> mean_share_interval(std::span<const Share> shares) {
  double mean = 0, below = 0, above = 0, count = 0;
  for (const Share& share : shares) {
    if (share.count == 0) continue;
    const double p = static_cast<double>(share.hits) / static_cast<double>(share.count);
    const auto [low, high] = wilson_interval(share.hits, share.count);
    mean += p;
    below += (p - low) * (p - low);
    above += (high - p) * (high - p);
    count += 1;
  }
  if (count == 0) return {0, 1};
  return {std::max(0.0, (mean - std::sqrt(below)) / count), std::min(1.0, (mean + std::sqrt(above)) / count)};
}

std::pair<double, double> area_interval(double area, std::uint64_t positives, std::uint64_t negatives) {
  if (positives == 0 || negatives == 0) return {0, 1};
  constexpr double kZ = 1.959963984540054;
  const auto m = static_cast<double>(positives), n = static_cast<double>(negatives);
  const double more = (m + n) / 2 - 1;
  // How many standard deviations, were this the true area, the one observed lies away from it.
  const auto away = [&](double t) {
    const double variance = t * (1 - t) * (1 + more * (1 - t) / (2 - t) + more * t / (1 + t)) / (m * n);
    return variance > 0 ? std::fabs(area - t) / std::sqrt(variance)
           : area == t  ? 0.0
                        : std::numeric_limits<double>::infinity();
  };
  const auto end = [&](double outside) {
    if (away(outside) <= kZ) return outside;
    double inside = area;
    for (int k = 0; k < 60; ++k) {
      const double middle = (inside + outside) / 2;
      (away(middle) <= kZ ? inside : outside) = middle;
    }
    return inside;
  };
  return {end(0), end(1)};
}

}  // namespace postil
