// bounds.cpp: mistake bounds of the perceptron.
//
// Source   lecture notes on online learning, Theorems 3.1 and 3.2   [lecture_perceptron]
// Choices  The theorems hold for every separator u, so whichever makes the bound smallest is a fair reference. Tried
//          are the model's own weights, aggressive ROMMA (which nears the largest margin of separable rows) and
//          averaged PA-I (for rows that are not).
//          With a bias both hold for the rows with their constant feature: R^2 counts it.
#include "postil/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels.hpp"
#include "postil/error.hpp"
#include "separators.hpp"

namespace postil {
namespace {

constexpr int kReferencePasses = 50;

LinearModel reference(const Model& model, std::size_t task, std::span<const Block> blocks, std::string_view learner,
                      std::map<std::string, std::string> settings, double constant) {
  const LearnerInfo& info = find_learner(learner);
  settings["bias"] = constant == 0 ? "none" : fmt::format("{}", constant);
  const std::unique_ptr<Learner> other = info.make(Params(info.name, info.params, settings));
  other->grow(model.schema().width());
  for (int pass = 0; pass < kReferencePasses; ++pass)
    for (const Block& block : blocks)
      for (std::size_t i = 0; i < block.rows(); ++i)
        if (const double label = block.labels()[i]; !std::isnan(label))
          other->learn(block.row(i), sign_of(model, task, label), 1);
  return *other->linear();
}

}  // namespace

double sign_of(const Model& model, std::size_t task, double label) {
  return static_cast<double>(model.class_of(task)) == label ? 1 : -1;
}

std::vector<LinearModel> separators(const Model& model, std::size_t task, std::span<const Block> blocks,
                                    double constant) {
  const LinearExplanation own = model.explain(task);
  return {LinearModel{own.weights, own.bias},
          reference(model, task, blocks, "romma", {{"aggressive", "true"}, {"average", "none"}}, constant),
          reference(model, task, blocks, "pa", {}, constant)};
}

MistakeBounds mistake_bounds(std::vector<double> margins, double radius, double norm, std::uint64_t passes) {
  MistakeBounds out;
  out.radius = radius;
  out.norm = norm;
  std::sort(margins.begin(), margins.end());
  out.margin = margins.front();
  if (out.margin > 0) out.separable = std::pow(radius / out.margin, 2) * norm * norm;  // Theorem 3.1

  // Theorem 3.2 for |u| = 1: D^2 = sum over margins m < gamma of (gamma - m)^2, by prefix sums of m and m^2.
  out.general = std::numeric_limits<double>::infinity();
  const double largest = margins.back() / norm;
  if (!(largest > 0) || !std::isfinite(largest)) return out;
  std::vector<double> candidates{out.margin / norm};
  for (int k = 0; k <= 400; ++k) candidates.push_back(2 * largest * std::pow(10, -0.02 * k));
  std::sort(candidates.begin(), candidates.end());
  double count = 0, mean = 0, squares = 0;  // of the margins below gamma, as Welford keeps them: no cancellation
  std::size_t below = 0;
  for (const double gamma : candidates) {
    if (!(gamma > 0)) continue;
    for (; below < margins.size() && margins[below] / norm < gamma; ++below) {
      const double m = margins[below] / norm, delta = m - mean;
      count += 1;
      mean += delta / count;
      squares += delta * (m - mean);
    }
    const double d = std::sqrt(static_cast<double>(passes) * (count * (gamma - mean) * (gamma - mean) + squares));
    const double bound = std::pow((radius + d) / gamma, 2);
    if (bound >= out.general) continue;
    out.general = bound;
    out.soft_margin = gamma;
    out.deviation = d;
  }
  return out;
}

std::vector<MistakeBounds> mistake_bounds(const Model& model, std::span<const Block> blocks, std::uint64_t passes) {
  if (model.learner().promises != Promises::mistakes)
    throw ParamError(fmt::format("theory has no such bound for {}", model.learner().name));
  const double constant = model.params().is_word("bias") ? 0 : model.params().number("bias");
  std::vector<MistakeBounds> bounds;
  for (std::size_t task = 0; task < model.outputs(); ++task) {
    std::optional<MistakeBounds> best;
    for (const LinearModel& u : separators(model, task, blocks, constant)) {
      double norm = constant == 0 ? 0 : u.bias / constant * (u.bias / constant);
      for (const double weight : u.weights) norm += weight * weight;
      norm = std::sqrt(norm);
      if (!(norm > 0) || !std::isfinite(norm)) continue;
      std::vector<double> margins;
      double radius = 0;
      for (const Block& block : blocks)
        for (std::size_t i = 0; i < block.rows(); ++i) {
          const double label = block.labels()[i];
          if (std::isnan(label)) continue;
          radius = std::max(radius, squared_norm(block.row(i)) + constant * constant);
          margins.push_back(sign_of(model, task, label) * (dot(block.row(i), u.weights.data()) + u.bias));
        }
      const MistakeBounds found = mistake_bounds(std::move(margins), std::sqrt(radius), norm, passes);
      const auto value = [](const MistakeBounds& b) { return std::min(b.general, b.separable.value_or(b.general)); };
      if (!best || value(found) < value(*best)) best = found;
    }
    if (!best) best.emplace();  // no separator at all: all rows are zero
    best->mistakes = model.updates(task);
    bounds.push_back(*best);
  }
  return bounds;
}

}  // namespace postil
