// What logic says about rules before any data: contradictions, repetitions, whether one hyperplane can obey them all;
// and whether a trained model does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "postil/advice.hpp"

namespace postil {

// A point in raw units: features that matter and their values.
using RawPoint = std::map<std::uint32_t, double>;
struct NamedValue {
  std::string column;
  std::string text;  // the number, or a category's name; "" for none of the known
  bool category = false;
};
std::vector<NamedValue> named_values(const RawPoint& point, const Schema& schema);

struct RulePair {
  std::uint32_t a = 0, b = 0;      // places in Advice::rules
  std::uint32_t class_number = 0;  // whose task
  RawPoint witness;                // satisfies both as written
};

struct Satisfiable {
  std::uint32_t class_number = 0;
  bool known = true;                // false: the linear program would be too large
  bool yes = true;                  // one hyperplane obeys all rules of the task with margin 1
  std::vector<std::uint32_t> core;  // if not: rules that cannot be obeyed together; without any one of them they can
};

struct RuleCheck {
  std::vector<RulePair> conflicts;       // opposite advice for one class that meets
  std::vector<RulePair> overlaps;        // advice for two different classes that meets
  std::vector<RulePair> implied;         // wherever a holds, b says the same
  std::vector<std::uint32_t> empty;      // per rule: branches that no point satisfies, one-hot columns counted
  std::vector<Satisfiable> satisfiable;  // per class that has rules
};
using CheckProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
RuleCheck check_rules(const Advice& advice, const CheckProgress& progress = {});

// Whether w'x + b (raw units) obeys one set everywhere in its region and the domain: z * score >= 0.
struct Certificate {
  bool obeyed = false;
  double worst = 0;  // the least z * score in the region; -inf if there is none
  // If obeyed, the proof: u >= 0 (free for equalities), one per row; q, p >= 0 per feature for the domain's ends; and
  // one per group of one-hot features. z w + D'u + p - q + groups = 0, so that z * score >= proven by weak duality.
  std::vector<double> u;
  std::map<std::uint32_t, double> low, high;  // q, p
  std::vector<double> groups;
  double proven = 0;        // z b - d'u - high'p + low'q - groups, recomputed from the numbers above
  double residual = 0;      // largest entry of what should be 0
  RawPoint counterexample;  // if not obeyed
};
Certificate certify(const AdviceSet& set, const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
                    std::span<const double> weights, double bias);

}  // namespace postil
