// Which of a task's rules hold on a row, by their places in TaskAdvice::rules.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/row.hpp"
#include "postil/rules.hpp"

namespace postil {

class RulePlaces {
 public:
  RulePlaces() = default;
  explicit RulePlaces(const std::vector<TaskAdvice::Rule>& rules)  // by number
      : place_(rules.empty() ? 0 : rules.back().number + 1, kNowhere) {
    for (std::uint32_t i = 0; i < rules.size(); ++i) place_[rules[i].number] = i;
  }
  // f(place) for each rule of the task that holds on the row, in order.
  template <class F>
  void for_each(const Row& x, const F& f) const {
    for (const std::uint32_t rule : x.holds)
      if (rule < place_.size() && place_[rule] != kNowhere) f(place_[rule]);
  }

 private:
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  std::vector<std::uint32_t> place_;  // by a rule's number
};

}  // namespace postil
