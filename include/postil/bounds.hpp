// What theory promises, measured beside what happened.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "postil/model.hpp"

namespace postil {

// The perceptron's mistake bounds against a reference separator u, rows carrying the constant feature of the bias:
//   Theorem 3.1  y u'x >= gamma > 0 for all rows:  k <= (R / gamma)^2 |u|^2
//   Theorem 3.2  any rows, |u| = 1, gamma > 0:     k <= ((R + D) / gamma)^2,  D^2 = sum max(0, gamma - y u'x)^2
struct MistakeBounds {
  std::uint64_t mistakes = 0;       // k: rounds with y w'x <= 0 of the perceptron's own weights, all passes
  double radius = 0;                // R: length of the longest row
  double norm = 0;                  // |u|
  double margin = 0;                // gamma of Theorem 3.1: the smallest y u'x
  std::optional<double> separable;  // Theorem 3.1; none if that margin is not positive
  double soft_margin = 0;           // gamma of Theorem 3.2, chosen to make its bound smallest
  double deviation = 0;             // D
  double general = 0;               // Theorem 3.2
};

// The bounds for one separator, given the margins y u'x of the rows, each row seen `passes` times.
MistakeBounds mistake_bounds(std::vector<double> margins, double radius, double norm, std::uint64_t passes);

// For each task of a perceptron model, after it has learned the encoded blocks given, every row `passes` times and
// weighing 1. The separator is the best of a few that other learners find. Throws ParamError for other learners.
std::vector<MistakeBounds> mistake_bounds(const Model& model, std::span<const Block> blocks, std::uint64_t passes);

// ---- learners with rules; one bound for each task ----

// advised, docs/mathematics.md part C: the loss of the predictions is at most that of the half without advice plus a
// term of order sqrt(T).
struct WagerBound {
  std::uint64_t rounds = 0;
  double loss = 0, without = 0;  // of the blended predictions and of the half without advice, clipped
  double regret = 0;             // (1 + log2(1/(1 - prior))) (sqrt(T ln 2)/2 + 1.82)
};
std::vector<WagerBound> wager_bounds(const Model& model);

// adviceptron, docs/mathematics.md A6: with a separator u of margin gamma, lambda < 2 gamma / X^2,
//   M <= (|w_1 - u|^2 + (1 - nu) |u - r|^2 M_a) / (2 lambda gamma - lambda^2 X^2)
// The separator is the best found, at its best length.
struct AdviceMistakeBound {
  std::uint64_t mistakes = 0, advice_updates = 0;  // M, M_a
  double radius = 0;                               // X
  double margin = 0;                               // gamma of the separator used; 0: none was found
  std::optional<double> bound;
};
std::vector<AdviceMistakeBound> advice_mistake_bounds(const Model& model, std::span<const Block> blocks);

// pa-adviceptron, Theorem 1 of 000 as corrected in docs/mathematics.md A2: what the run lost, weighed by its
// coefficients, against what the best of a few (w*, u*) would have. Needs the rows in the order in which they were
// learned, once.
struct RegretBound {
  std::uint64_t rounds = 0;
  double radius = 0, delta_d = 0, delta = 0;         // X, Delta, delta
  double eta_coefficient = 0, zeta_coefficient = 0;  // 1 - 2 mu Delta^2, 1 - 2 mu delta^2; the smallest over the sets
  double loss = 0, bound = 0;
  [[nodiscard]] bool empty() const { return !(eta_coefficient > 0 && zeta_coefficient > 0); }  // then it says little
};
std::vector<RegretBound> regret_bounds(const Model& model, std::span<const Block> blocks);

// Throws ParamError with what a learner's bound needs that the parameters do not give.
void check_bounded(const LearnerInfo& learner, const Params& params);

}  // namespace postil
