// How good predictions are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace postil {

// The area under the ROC curve: the chance that a random positive scores above a random negative, ties counting half.
// None without both.
std::optional<double> area_under_curve(std::span<const double> scores, const std::vector<bool>& positive);

// Counts predictions against the truth; keeps scores for the area under the curve.
class Evaluation {
 public:
  // `positive`: of two classes, the one that F1 and the scores are about. More classes: averages over the classes.
  Evaluation(std::size_t classes, std::uint32_t positive);

  void add(std::uint32_t truth, std::uint32_t predicted,
           std::span<const double> scores);  // one score, or one per class

  [[nodiscard]] std::uint64_t examples() const;
  [[nodiscard]] std::uint64_t correct() const;
  [[nodiscard]] double accuracy() const;
  [[nodiscard]] double balanced_error() const;  // mean over the classes that occur of their share of errors
  [[nodiscard]] double f1()
      const;  // of the positive class; more classes: the mean over those that occur or are predicted
  [[nodiscard]] std::optional<double> auc()
      const;  // more classes: the mean of one against the rest, over those that occur
  // Of the scores read as log-odds; more classes: their probabilities, one against the rest, divided by their sum.
  [[nodiscard]] double log_loss() const;
  [[nodiscard]] const std::vector<std::vector<std::uint64_t>>& confusion() const {
    return confusion_;
  }  // [truth][predicted]

 private:
  std::uint32_t positive_;
  std::vector<std::vector<std::uint64_t>> confusion_;
  std::vector<std::uint32_t> truth_;
  std::vector<std::vector<double>> scores_;  // per output
};

// How far predicted numbers are from the true ones.
class RegressionEvaluation {
 public:
  void add(double truth, double predicted);
  [[nodiscard]] std::uint64_t examples() const { return count_; }
  [[nodiscard]] double mae() const;
  [[nodiscard]] double rmse() const;
  [[nodiscard]] std::optional<double> r2() const;  // none if all labels are the same

 private:
  std::uint64_t count_ = 0;
  double absolute_ = 0, squared_ = 0;
  double mean_ = 0, spread_ = 0;  // of the labels: Welford's mean and sum of squares about it
};

}  // namespace postil
