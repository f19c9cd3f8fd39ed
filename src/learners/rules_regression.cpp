// rules_regression.cpp: the rules exactly as they are written, for labels that are numbers.
//
// Problem  Of the rules that hold on a row, l is the largest of what they call the least, h the smallest of what they call the most.
//          m is the mean of the labels so far.
//          (1)  prediction = m, moved to the nearest end where it lies outside [l, h]
//          (2)  l > h, the rules contradict each other: (l + h)/2
// Updates  m.
// Choices  Before the first label m is the mean of all ends that do not depend on the row, 0 if there is none.
//          Trust plays no part: a rule holds or it does not.
#include <algorithm>
#include <cmath>
#include <limits>

#include "learners.hpp"
#include "linear_learner.hpp"
#include "rule_places.hpp"

namespace postil {
namespace {

class RulesOfNumbers final : public Learner {
 public:
  void take_advice(const TaskAdvice& advice) override { restore_advice(advice); }
  void restore_advice(const TaskAdvice& advice) override {
    rules_ = advice.rules;
    places_ = RulePlaces(rules_);
    double sum = 0, ends = 0;
    for (const TaskAdvice::Rule& rule : rules_)
      for (const std::optional<LinearFunction>* end : {&rule.claim->low, &rule.claim->high})
        if (*end && (*end)->terms.empty()) {
          sum += (*end)->constant;
          ends += 1;
        }
    before_labels_ = ends > 0 ? sum / ends : 0;
  }
  void grow(std::size_t /*features*/) override {}

  [[nodiscard]] double score(const Row& x) const override {
    double low = -std::numeric_limits<double>::infinity(), high = -low;
    places_.for_each(x, [&](std::size_t i) {
      const Claim& claim = *rules_[i].claim;
      if (claim.low) low = std::max(low, claim.low->at(x));
      if (claim.high) high = std::min(high, claim.high->at(x));
    });
    if (low > high) return low / 2 + high / 2;       // (2)
    return std::min(std::max(middle(), low), high);  // (1)
  }
  Step learn(const Row& x, double y, double weight) override {
    const Step step{.score = score(x), .updated = weight > 0};
    weight_ += weight;
    if (weight > 0) mean_ += weight / weight_ * (y - mean_);
    return step;
  }

  void write(StateWriter& out) const override { state(*this, out); }
  void read(StateReader& in) override { state(*this, in); }
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.number("weight", self.weight_);
    archive.number("mean", self.mean_);
  }
  [[nodiscard]] bool fits(std::size_t /*features*/) const override {
    return weight_ >= 0 && std::isfinite(weight_) && std::isfinite(mean_);
  }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return std::nullopt; }

 private:
  [[nodiscard]] double middle() const { return weight_ > 0 ? mean_ : before_labels_; }

  std::vector<TaskAdvice::Rule> rules_;
  RulePlaces places_;
  double weight_ = 0, mean_ = 0;  // of the labels
  double before_labels_ = 0;
};

}  // namespace

std::unique_ptr<Learner> make_rules_of_numbers(const Params& /*params*/) { return std::make_unique<RulesOfNumbers>(); }

}  // namespace postil
