// The hyperplane that rules alone ask for: the compile step of docs/mathematics.md part C, shared by advice-only,
// advised, the Adviceptron and every learner's start=advice.
//
//   min 1/2|w|^2 + mu/2 sum_i trust_i (|D_i'u_i + z_i w|^2 + (g_i + d_i'u_i - z_i b)_+^2),  u >= 0
//
// over the features that rules or domain statements name. The ranges of those features, promised or seen, are rows of
// every set; if all sets say the same, the features' mean says the opposite. A direction is two points, the mean with its
// feature one standard deviation higher and lower, which are of different sides. Then (w, b) / s, where s^2 is the mean square
// of the score over the data. Of labels that are numbers it is (w, b) as it is, and directions are as in AdviceLoss.
#pragma once

#include <span>
#include <vector>

#include "postil/archive.hpp"
#include "postil/rules.hpp"

namespace postil {

struct AdviceHyperplane {
  std::vector<double> weights;  // of TaskAdvice::features
  double bias = 0;
  double scale = 0;  // s; below 1e-9 the rules ask for nothing: weights and bias are 0
  bool converged = true;

  // Per set: its force on the weights (they are the sum of these, that of the mean included; rules that pull against each
  // other have large ones), multipliers of its rows, its estimate of the hypothesis, its ideal point (empty: none). The last
  // three are of (w, b) before the division.
  struct Set {
    std::vector<double> force, multipliers, estimate, ideal;
  };
  std::vector<Set> sets;

  // The hyperplane as part of a learner's state; what each set has to do with it is only asked for by reports, and solved again
  // for them.
  void write(StateWriter& out) const;
  // For advice it was made for. Older states do not have it; then it stays as it was.
  void read(StateReader& in, const TaskAdvice& advice);
  bool whole = true;  // after reading: it fits the advice
};

struct HyperplaneOptions {
  double mu = 100;
  bool bias = true;          // else b = 0
  bool mean_opposes = true;  // if all sets say the same; else the problem as 004 prints it
  const AdviceHyperplane* start =
      nullptr;  // an earlier one for about the same rules and the same features, to begin with
};
AdviceHyperplane advice_hyperplane(const TaskAdvice& advice, const HyperplaneOptions& options = {});
// How much of a hyperplane's weights each of some others explains: shares >= 0 that leave the least of it.
std::vector<double> shares_of(std::span<const double> whole, const std::vector<std::vector<double>>& others);
// The same with points drawn from the regions in their place (004, section 2.1).
AdviceHyperplane sampled_hyperplane(const TaskAdvice& advice, const HyperplaneOptions& options = {});

}  // namespace postil
