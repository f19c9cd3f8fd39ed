// The vote of a task's rules on a row: docs/mathematics.md part D, column v.
//
// A rule's voice is z times its trust, or half the log-odds of what its author is sure of. The vote is the sum of the voices of the
// rules that hold, cut at the strongest of them and at 1; where none holds, -z if three in four of the rules say z, else 0.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "advice/rule_votes.hpp"
#include "rule_places.hpp"

namespace postil {

class RuleVoices {
 public:
  void take(const std::vector<TaskAdvice::Rule>& rules) {
    rules_ = rules;
    places_ = RulePlaces(rules_);
    voices_.clear();
    for (const TaskAdvice::Rule& rule : rules_)
      voices_.push_back(rule.z * (rule.sure ? std::max(0.0, log_odds(rule.sure->rate)) / 2 : rule.trust));
    silent_ = 0;
    double yes = 0, no = 0;  // rules of the class itself; if there are none, of the others
    const bool named = std::any_of(rules_.begin(), rules_.end(), [](const TaskAdvice::Rule& rule) { return rule.own; });
    for (const TaskAdvice::Rule& rule : rules_)
      if (rule.own == named) (rule.z > 0 ? yes : no) += 1;
    constexpr double kMostly = 0.75;
    if (yes + no > 0 && std::max(yes, no) >= kMostly * (yes + no)) silent_ = yes >= no ? -1 : 1;
  }
  [[nodiscard]] const std::vector<TaskAdvice::Rule>& rules() const { return rules_; }
  [[nodiscard]] std::size_t size() const { return rules_.size(); }
  [[nodiscard]] double silent() const { return silent_; }
  [[nodiscard]] double voice(std::size_t i) const { return voices_[i]; }
  void set_silent(double vote) { silent_ = vote; }
  [[nodiscard]] bool hold(const Row& x) const {  // any of them
    bool any = false;
    places_.for_each(x, [&](std::uint32_t) { any = true; });
    return any;
  }
  // The least and the largest vote where one of the rules holds, whatever the others do; any rule, if it is none of these.
  [[nodiscard]] std::pair<double, double> range_where(std::uint32_t rule) const {
    double least = 0, most = 0, strongest = 1;
    bool own = false;
    for (std::size_t i = 0; i < voices_.size(); ++i) {
      const bool sure = rules_[i].number == rule;
      own |= sure;
      least += sure ? voices_[i] : std::min(0.0, voices_[i]);
      most += sure ? voices_[i] : std::max(0.0, voices_[i]);
      strongest = std::max(strongest, std::fabs(voices_[i]));
    }
    if (!own) {
      least = std::min(least, silent_);
      most = std::max(most, silent_);
    }
    return {std::clamp(least, -strongest, strongest), std::clamp(most, -strongest, strongest)};
  }
  void turn_round() {
    for (TaskAdvice::Rule& rule : rules_) rule.z = -rule.z;
    for (double& voice : voices_) voice = -voice;
    silent_ = -silent_;
  }

  // The vote; `held` takes the rules that hold.
  template <class Held>
  double vote(const Row& x, const Held& held) const {
    double sum = 0, strongest = 1;
    bool any = false;
    places_.for_each(x, [&](std::uint32_t place) {
      any = true;
      sum += voices_[place];
      strongest = std::max(strongest, std::fabs(voices_[place]));
      held(place);
    });
    return any ? std::clamp(sum, -strongest, strongest) : silent_;
  }
  [[nodiscard]] double vote(const Row& x) const {
    return vote(x, [](std::uint32_t) {});
  }

 private:
  std::vector<TaskAdvice::Rule> rules_;
  RulePlaces places_;
  std::vector<double> voices_;
  double silent_ = 0;  // the vote where no rule holds
};

}  // namespace postil
