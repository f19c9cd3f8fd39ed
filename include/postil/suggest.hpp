// Short rules that labelled rows support and that the rules at hand do not already say.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "postil/evaluate.hpp"
#include "postil/rules.hpp"

namespace postil {

struct SuggestOptions {
  std::size_t rules = 10;      // at most
  std::size_t conditions = 3;  // of a rule, at most
  std::uint64_t seed = 0;      // of which rows the search does not see
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
};

struct SuggestedRule {
  std::string text;  // as rules are written
  std::uint32_t class_number = 0;
  struct Record {
    std::uint64_t rows = 0, right = 0;
    double expected =
        0;  // right answers, had the class the share that the rules at hand and the base rate give it on these rows
  };
  Record searched, checked;  // on rows that the search saw, and on those that it did not
  // Of its answers to come: rules that the check confirms are a little lucky, so five rows at the expected share are granted.
  [[nodiscard]] double precision() const {
    constexpr double kGranted = 5;
    const auto n = static_cast<double>(checked.rows);
    return (static_cast<double>(checked.right) + kGranted * checked.expected / n) / (n + kGranted);
  }
  double low = 0, high = 1;  // of the share of right answers: Wilson's interval on the rows that the search did not see
  double chance = 1;         // that labels by chance would bring any rule as convincing as this one
  double saves = 0;          // log loss that the rule saves the present model on those rows, in nats a thousand rows
};

struct Suggestions {
  std::uint64_t searched = 0, checked = 0;  // rows
  std::vector<double> base_rates;           // of the classes
  std::vector<SuggestedRule> rules;         // what adds most first
};

// Needs: the advice was compiled for the schema, which is that of the data. `present`: the recipe of the model that rules would be
// added to, with the rules of the advice. Throws ParamError for columns without names and labels that are numbers.
Suggestions suggest_rules(const Advice& advice, const Schema& schema, const DataSet& data, const Recipe& present,
                          const SuggestOptions& options = {});

}  // namespace postil
