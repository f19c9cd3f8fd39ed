// Makes Conditions: each node once.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "postil/rules.hpp"

namespace postil {

// Whether a comparison holds whose terms come to this sum. NaN: it does not.
inline bool admits(const AdviceRow& row, double sum) {
  return row.equality ? sum == row.bound : row.strict ? sum < row.bound : sum <= row.bound;
}

// Finds the conditions of another list in one, which it outlives unchanged.
class ConditionIndex {
 public:
  explicit ConditionIndex(const Conditions& of);
  // Of each node of the other, the place of the same condition, or kNowhere.
  [[nodiscard]] std::vector<std::uint32_t> places_of(const Conditions& other) const;

 private:
  const Conditions& of_;
  std::unordered_multimap<std::size_t, std::uint32_t> places_;  // by hash
};

class ConditionList {
 public:
  using Node = Conditions::Node;
  explicit ConditionList(Conditions& to) : to_(to) {}

  std::uint32_t add(Node node);  // its place
  std::uint32_t join(Node::Kind kind,
                     std::vector<std::uint32_t> parts);      // all or any of some; repeated ones count once
  [[nodiscard]] std::uint32_t find(const Node& node) const;  // or Conditions::kNowhere

 private:
  Conditions& to_;
  std::unordered_multimap<std::size_t, std::uint32_t> places_;  // by hash
};

}  // namespace postil
