// ellipsoid_bounds.cpp: the regret of the online ellipsoidal machine.
//
// Source   002, Theorems 1 and 2 and Corollary 3, as corrected in docs/mathematics.md B4   [momma2010esvm]
// Bound    for every (B, w) with tr B <= 1/R, |w| <= 1, and with eta_1 = 1/2, eta_t = 1/t for B, s_t = nu/sqrt(t) for w:
//            sum f_t(B_t, w_t) - sum f_t(B, w) <= D(B, B_1) + sum D(B_t, B_{t+1/2})/eta_t        (Lemma 1, of B alone)
//                                                + (2 sqrt(T) - 3/2)/nu + sum s_t |g_t|^2/2     (w: |w - w_t| <= 2, w_1 = 0)
//          The sums are those that the learner kept (esvm_online.cpp).
// Choices  The bound holds for every reference; shown is the one that loses least among the model's own answer and that of the same
//          learner after more passes. A projection every few rounds instead of every one, and R that grows, keep Lemma 1: projecting
//          later onto a smaller set does not bring B further from any B of that set.
//          Corollary 3 has Lemma 2 for the sum over B: 4 (n + 1.03/nu^2) eta_t, where 1.03 stands for traces up to 1.0102/R
//          between projections.
// Tests    tests/oracle/ellipsoid_bounds_test.cpp: random and adversarial streams; and streams on which the printed theorem fails.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "core/kernels.hpp"
#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "separators.hpp"
#include "solvers/dense.hpp"
#include "state_peek.hpp"

namespace postil {
namespace {

constexpr int kLongerPasses = 20;

// A fixed B and w to hold against a run, the constant feature last.
struct FixedEllipsoid {
  Matrix b;
  LinearModel w;
};
FixedEllipsoid reference_of(const Learner& learner) {
  const LearnedMetric metric = *learner.metric();
  FixedEllipsoid out{Matrix(metric.side(), metric.side()), *learner.linear()};
  out.b.values() = metric.values;  // symmetric
  return out;
}

class TaskRows {
 public:
  TaskRows(const Model& model, std::size_t task, std::span<const Block> blocks)
      : model_(model), task_(task), blocks_(blocks), constant_(model.params().choice("bias") == "augmented") {}

  template <class F>
  void each(const F& f) const {  // of rows that count: those with a label that are not all zeros
    for (const Block& block : blocks_)
      for (std::size_t i = 0; i < block.rows(); ++i) {
        const double label = block.labels()[i], norm = std::sqrt(squared_norm(block.row(i)) + (constant_ ? 1 : 0));
        if (!std::isnan(label) && norm > 0) f(block.row(i), sign_of(model_, task_, label), norm);
      }
  }

  // The sum of f over the rows, each once.
  [[nodiscard]] double lost(const FixedEllipsoid& of, double nu) const {
    Matrix factor = of.b;
    if (!factorise(factor)) return std::numeric_limits<double>::infinity();
    const double log_det = log_determinant(factor);
    std::vector<double> z(of.b.rows()), bz(of.b.rows());
    double sum = 0;
    each([&](const Row& x, double y, double norm) {
      std::fill(z.begin(), z.end(), 0);
      for (std::size_t k = 0; k < x.count; ++k) z[x.index(k)] = x.value(k);
      if (constant_) z.back() = 1;
      multiply(1, of.b, z, 0, bz);
      const double reach = dot(std::span<const double>(z), std::span<const double>(bz));
      const double score = dot(x, of.w.weights.data()) + (constant_ ? of.w.bias : 0);
      sum += std::max(0.0, reach - y * score) / (nu * norm) - log_det;
    });
    return sum;
  }

 private:
  const Model& model_;
  std::size_t task_;
  std::span<const Block> blocks_;
  bool constant_;
};

// tr(B B_1^-1) - log|B B_1^-1| - n with B_1 = I/(n R_1)
double divergence(const Matrix& b, double first) {
  const double n = static_cast<double>(b.rows()), start = n * first;
  Matrix factor = b;
  if (!factorise(factor)) return std::numeric_limits<double>::infinity();
  double trace = 0;
  for (std::size_t j = 0; j < b.rows(); ++j) trace += b(j, j);
  return start * trace - log_determinant(factor) - n * std::log(start) - n;
}

}  // namespace

double rounds_for(double epsilon, double features, double nu) {
  const double fixed = features * std::log1p(1 / (features * features * nu)) + 1 / nu;
  const auto excess = [&](double t) {
    return (fixed + 4 * (features + 1.03 / (nu * nu)) * (0.5 + std::log(t)) + 3 * std::sqrt(t) / nu) / t;
  };
  double low = 3, high = 3;  // it falls from there on
  while (excess(high) > epsilon) high *= 2;
  while (high - low > 1) (excess((low + high) / 2) > epsilon ? low : high) = (low + high) / 2;
  return std::ceil(high);
}

std::vector<EllipsoidBound> ellipsoid_bounds(const Model& model, std::span<const Block> blocks, std::uint64_t passes) {
  check_bounded(model.learner(), model.params());
  const double nu = model.params().number("nu");
  std::vector<EllipsoidBound> out;
  for (std::size_t task = 0; task < model.outputs(); ++task) {
    StatePeek run(model.learner_of(task));
    const double first = run.numbers["R.first"];
    EllipsoidBound& bound = out.emplace_back();
    bound.rounds = run.counters["rounds"];
    if (bound.rounds == 0) continue;  // nothing but zeros
    if (first == 0)
      throw ParamError(
          "the model has no sums for bounds: it is of an older release, or new features came while it learned");
    const auto rounds = static_cast<double>(bound.rounds);
    bound.features = run.counters["n"];
    bound.radius = run.numbers["R"];
    bound.loss = run.numbers["loss"];
    bound.weights = (2 * std::sqrt(rounds) - 1.5) / nu + run.numbers["pushes"];

    const TaskRows rows(model, task, blocks);
    std::map<std::string, std::string> settings = model.params().texts();
    settings["ellipsoid"] = "last";
    settings["average"] = "true";
    const LearnerInfo& info = model.learner();
    const std::unique_ptr<Learner> longer = info.make(Params(info.name, info.params, settings));
    longer->grow(model.schema().width());
    bound.least = std::numeric_limits<double>::infinity();
    const auto consider = [&](const Learner& learner) {
      const FixedEllipsoid reference = reference_of(learner);
      double trace = 0;
      for (std::size_t j = 0; j < reference.b.rows(); ++j) trace += reference.b(j, j);
      if (trace > (1 + 1e-9) / bound.radius) return;  // an average of B, of when R was smaller
      const double lost = static_cast<double>(passes) * rows.lost(reference, nu);
      if (lost >= bound.least) return;
      bound.least = lost;
      bound.ellipsoid = divergence(reference.b, first) + run.numbers["divergences"];
    };
    for (int pass = 0; pass < kLongerPasses; ++pass) {
      rows.each([&](const Row& x, double y, double) { longer->learn(x, y, 1); });
      if (pass == 0 || pass == kLongerPasses - 1) consider(*longer);
    }
    consider(model.learner_of(task));
    bound.excess = (bound.ellipsoid + bound.weights + 1 / nu) / rounds;
    bound.rounds_for_a_tenth = rounds_for(0.1, static_cast<double>(bound.features), nu);
  }
  return out;
}

}  // namespace postil
