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

}  // namespace postil
