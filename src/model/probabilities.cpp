#include "postil/probabilities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/clones.hpp"
#include "core/math.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr double kFar = Probabilities::kFar;
double bounded_sigmoid(double v) { return sigmoid(std::clamp(v, -kFar, kFar)); }

// Odds of several scores to probabilities that sum to 1.
void softmax(double slope, std::span<const double> scores, std::span<double> out) {
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (std::size_t k = 0; k < scores.size(); ++k)
    sum += out[k] = quick_exp(std::max(slope * (scores[k] - most), -kFar));
  for (double& p : out) p /= sum;
}

// What rows of two classes add to the slope and the curvature of the log loss at A, given half of each score and the half whose sign
// the label has; with the operations of softmax and of the loop in platt(), and so to the same bits.
POSTIL_CLONES void add_two(const double* f, const double* right, double a, double* slope, double* curvature,
                           std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double yes = f[i], no = -f[i], most = yes < no ? no : yes;
    const double of_yes = a * (yes - most), of_no = a * (no - most);
    const double e_yes = quick_exp(of_yes < -kFar ? -kFar : of_yes), e_no = quick_exp(of_no < -kFar ? -kFar : of_no);
    const double sum = e_yes + e_no, p = e_yes / sum, q = e_no / sum;
    const double mean = p * yes + q * no;
    slope[i] = mean - right[i];
    curvature[i] = p * (yes - mean) * (yes - mean) + q * (no - mean) * (no - mean);
  }
}

// The A > 0 with the least log loss of softmax(A f) plus (A - 2)^2/2, by Newton's method inside a bracket: it is convex. One score a
// row stands for two, f/2 and -f/2.
double platt(const ProgressiveScores& kept, const Model& model) {
  constexpr double kLeast = 0.01, kMost = 1e6;
  const std::size_t outputs = model.outputs(), classes = std::max<std::size_t>(outputs, 2);
  std::vector<double> f(classes), p(classes);
  const std::size_t rows = kept.labels.size();
  std::vector<double> halves, right, slopes(rows), curvatures(rows);  // of two classes
  for (std::size_t i = 0; outputs == 1 && i < rows; ++i) {
    halves.push_back(kept.scores[i] / 2);
    right.push_back(kept.labels[i] != model.class_of(0) ? -kept.scores[i] / 2 : kept.scores[i] / 2);
  }
  double low = kLeast, high = kMost, a = 2;
  for (int round = 0; round < 200; ++round) {
    double gradient = a - 2, curvature = 1;
    if (outputs == 1) add_two(halves.data(), right.data(), a, slopes.data(), curvatures.data(), rows);
    for (std::size_t i = 0; i < rows; ++i) {
      if (outputs == 1) {
        gradient += slopes[i];
        curvature += curvatures[i];
        continue;
      }
      std::copy_n(kept.scores.data() + i * outputs, outputs, f.begin());
      std::size_t truth = 0;
      while (truth + 1 < outputs && model.class_of(truth) != kept.labels[i]) ++truth;
      softmax(a, f, p);
      double mean = 0, square = 0;
      for (std::size_t k = 0; k < classes; ++k) mean += p[k] * f[k];
      for (std::size_t k = 0; k < classes; ++k) square += p[k] * (f[k] - mean) * (f[k] - mean);
      gradient += mean - f[truth];
      curvature += square;
    }
    (gradient < 0 ? low : high) = a;
    double next = a - gradient / curvature;
    if (!(next > low && next < high)) next = std::sqrt(low * high);
    const bool settled = std::fabs(next - a) <= 1e-12 * a;
    a = next;
    if (settled) break;
  }
  return a;
}

}  // namespace

Decision decision_of(std::string_view text) {
  const auto fail = [&] {
    throw ParamError(
        fmt::format("unknown decision {}: expected likely, balanced, or costs such as cost:fp=1,fn=10; "
                    "each may end with ,abstain= and a number",
                    in_quotes(std::string(text))));
  };
  const auto number = [&](std::string_view digits) {
    const std::optional<double> value = parse_number(digits);
    if (!value || !(*value >= 0) || !std::isfinite(*value)) fail();
    return *value;
  };
  constexpr std::string_view kCost = "cost:", kAbstain = "abstain=";
  Decision out;
  const bool cost = text.starts_with(kCost);
  std::vector<std::string> parts = split(cost ? text.substr(kCost.size()) : text, ',');
  if (parts.back().starts_with(kAbstain)) {
    out.abstain = number(std::string_view(parts.back()).substr(kAbstain.size()));
    parts.pop_back();
  }
  if (!cost) {
    if (parts.size() > 1 || (parts.empty() && !out.abstain)) fail();
    const std::string kind = parts.empty() ? "" : parts[0];
    if (!kind.empty() && kind != "likely" && kind != "balanced") fail();
    if (kind == "balanced") out.kind = Decision::Kind::balanced;
    if (out.abstain && *out.abstain > 1)
      throw ParamError(fmt::format("abstain={} in {}: expected a probability from 0 to 1", format_number(*out.abstain),
                                   in_quotes(std::string(text))));
    return out;
  }
  out.kind = Decision::Kind::cost;
  for (const std::string& part : parts) {
    if (part.starts_with("fp="))
      out.false_positive = number(std::string_view(part).substr(3));
    else if (part.starts_with("fn="))
      out.false_negative = number(std::string_view(part).substr(3));
    else
      fail();
  }
  if (!(out.false_positive + out.false_negative > 0)) fail();
  return out;
}

std::string word(const Decision& decision) {
  std::string text = decision.kind == Decision::Kind::likely ? "likely"
                     : decision.kind == Decision::Kind::balanced
                         ? "balanced"
                         : fmt::format("cost:fp={},fn={}", format_number(decision.false_positive),
                                       format_number(decision.false_negative));
  if (decision.abstain) text += fmt::format(",abstain={}", format_number(*decision.abstain));
  return text;
}

Probabilities::Probabilities(const Model& model) : model_(model) {
  const std::size_t classes = model.schema().label.classes.size();
  constexpr double kSlow = 5;
  double total = 0;
  for (const double count : model.class_weights_seen()) total += count;
  const double known = total / (total + kSlow);
  for (std::size_t c = 0; c < classes; ++c) {
    const double count = c < model.class_weights_seen().size() ? model.class_weights_seen()[c] : 0;
    rates_.push_back(known * portable_log((count + 1) / (total + static_cast<double>(classes))));
  }
  if (model.learner().log_odds) return;
  slope_ = platt(model.progressive_scores(), model);
}

void Probabilities::of(std::span<const double> scores, std::span<double> out) const {
  if (scores.size() <= 1) {
    if (out.empty()) return;
    const std::size_t yes = scores.empty() ? 0 : model_.class_of(0);
    std::fill(out.begin(), out.end(), scores.empty() ? 0 : bounded_sigmoid(-slope_ * scores[0]));
    out[yes] = scores.empty() ? 1 : bounded_sigmoid(slope_ * scores[0]);
    return;
  }
  std::vector<double> by_task(scores.size());
  softmax(slope_, scores, by_task);
  for (std::size_t k = 0; k < scores.size(); ++k) out[model_.class_of(k)] = by_task[k];
}

std::uint32_t Probabilities::decide(std::span<const double> probabilities, const Decision& decision) const {
  const auto most = [](const auto& values) {
    return static_cast<std::uint32_t>(std::max_element(values.begin(), values.end()) - values.begin());
  };
  if (decision.kind == Decision::Kind::cost) {
    if (probabilities.size() > 2) throw ParamError("costs of false alarms and misses are for two classes");
    const std::uint32_t positive = model_.schema().label.positive;
    const bool yes =
        decision.false_negative * probabilities[positive] >= decision.false_positive * (1 - probabilities[positive]);
    return yes ? positive : 1 - positive;
  }
  std::vector<double> gains;
  gains.reserve(probabilities.size());
  for (std::size_t c = 0; c < probabilities.size(); ++c)
    gains.push_back(portable_log(std::max(probabilities[c], 1e-300)) -
                    (decision.kind == Decision::Kind::balanced ? rates_[c] : 0));
  if (gains.size() == 2) {  // a tie says yes
    const std::uint32_t positive = model_.schema().label.positive;
    return gains[positive] >= gains[1 - positive] ? positive : 1 - positive;
  }
  return most(gains);
}

double Probabilities::confidence(std::span<const double> probabilities, const Decision& decision) const {
  const std::uint32_t label = decide(probabilities, decision);
  if (decision.kind == Decision::Kind::likely) return probabilities[label];
  if (decision.kind == Decision::Kind::cost) {
    const double cost = label == model_.schema().label.positive ? decision.false_positive : decision.false_negative;
    return -cost * (1 - probabilities[label]);
  }
  double sum = 0;  // what the classes' probabilities are in proportion to, were the classes equally frequent
  for (std::size_t c = 0; c < probabilities.size(); ++c)
    sum += probabilities[c] * portable_exp(rates_[label] - rates_[c]);
  return sum > 0 ? probabilities[label] / sum : 1;
}

bool Probabilities::abstains(std::span<const double> probabilities, const Decision& decision) const {
  if (!decision.abstain) return false;
  const double least = decision.kind == Decision::Kind::cost ? -*decision.abstain : *decision.abstain;
  return confidence(probabilities, decision) < least;
}

}  // namespace postil
