// Points drawn from the region of an advice set, evenly in the long run.
//
// Source   hit-and-run: Smith, Operations Research 1984   [smith1984hitandrun]
#pragma once

#include <vector>

#include "postil/random.hpp"
#include "postil/rules.hpp"

namespace postil {

class RegionPoints {
 public:
  // Where nothing is known of a feature, three standard deviations around its mean bound it.
  RegionPoints(const TaskAdvice& advice, const TaskAdvice::Set& set);
  // The next one, over TaskAdvice::features.
  const std::vector<double>& next(Random& random);

 private:
  // As deep inside as it gets: the point that keeps the largest distance to all bounds.
  [[nodiscard]] std::vector<double> deep_point() const;
  // A random direction along which the fixed rows stay, and a random point of its chord.
  void step(Random& random);
  // Adds a normal along which nothing may move, orthogonal to those before.
  void fix(const AdviceRow& row);

  std::vector<AdviceRow> rows_;
  Box box_;
  std::vector<std::vector<double>> fixed_;
  std::vector<double> x_;  // the last
};

}  // namespace postil
