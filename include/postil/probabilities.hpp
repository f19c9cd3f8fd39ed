// From scores to probabilities, and from probabilities to decisions.
//
// Learners whose scores are log-odds (LearnerInfo::log_odds) have them already: a softmax, where there are several classes. The
// scores of others become log-odds A f by Platt's method [platt1999probabilistic] on scores that were given before the example was learned, with a prior, A ~ N(2, 1). One A for
// all classes and no intercept, so that the likeliest class is the one predicted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/model.hpp"

namespace postil {

// What a probability is to decide: the likelier class; what makes the classes' mean error least, whatever their frequency; or what
// costs least, where a false alarm costs `false_positive` and a miss `false_negative`.
struct Decision {
  enum class Kind : std::uint8_t { likely, balanced, cost };
  Kind kind = Kind::likely;
  double false_positive = 1, false_negative = 1;
  // Rows that get no label: likely, balanced: those whose label has a smaller probability (balanced: were the classes equally
  // frequent); cost: those of which any label is expected to cost more than this.
  std::optional<double> abstain = {};
};
// likely, balanced, cost:fp=1,fn=10, each also with ,abstain=0.8; throws ParamError
Decision decision_of(std::string_view text);
std::string word(const Decision& decision);

class Probabilities {
 public:
  explicit Probabilities(const Model& model);  // Needs: classes, not numbers; it outlives this
  [[nodiscard]] std::size_t classes() const { return rates_.size(); }
  // Of each class, in the order of schema.label.classes; their sum is 1.
  void of(std::span<const double> scores, std::span<double> out) const;
  // What scores are multiplied by before they are log-odds.
  [[nodiscard]] double slope() const { return slope_; }
  static constexpr double kFar = 34.5;  // log-odds are cut here: nothing is less likely than 1e-15
  // The class decided for, given the probabilities. Throws ParamError if costs are given for more than two classes.
  [[nodiscard]] std::uint32_t decide(std::span<const double> probabilities, const Decision& decision) const;
  // How sure the decision is, in the terms of Decision::abstain; of costs, minus what it is expected to cost. More is surer.
  [[nodiscard]] double confidence(std::span<const double> probabilities, const Decision& decision) const;
  [[nodiscard]] bool abstains(std::span<const double> probabilities, const Decision& decision) const;

 private:
  const Model& model_;
  double slope_ = 1;           // from scores to log-odds
  std::vector<double> rates_;  // log of how frequent each class is, as far as that is known
};

}  // namespace postil
