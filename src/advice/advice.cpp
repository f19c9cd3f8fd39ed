// advice.cpp: compiled rules, applied to rows and moved into a learner's coordinates.
#include "postil/advice.hpp"

#include <algorithm>
#include <cmath>

namespace postil {

bool Formula::holds(std::span<const double> x) const {
  switch (kind) {
    case Kind::row: {
      double sum = 0;
      for (const auto& [feature, coefficient] : row.terms) sum += coefficient * x[feature];
      return row.equality ? sum == row.bound : row.strict ? sum < row.bound : sum <= row.bound;
    }
    case Kind::all: return std::all_of(parts.begin(), parts.end(), [&](const Formula& part) { return part.holds(x); });
    case Kind::any: return std::any_of(parts.begin(), parts.end(), [&](const Formula& part) { return part.holds(x); });
    case Kind::at_least:
      return std::count_if(parts.begin(), parts.end(), [&](const Formula& part) { return part.holds(x); }) >= count;
  }
  return false;
}

AdviceSet AdviceSet::in(const Scaling& scaling) const {
  AdviceSet out = *this;
  if (scaling.identity()) return out;
  for (AdviceRow& row : out.rows)
    for (auto& [feature, coefficient] : row.terms) {  // D diag(scale), d - D shift
      row.bound -= coefficient * scaling.shift[feature];
      coefficient *= scaling.scale[feature];
    }
  return out;
}

Box Box::in(const Scaling& scaling) const {
  Box out = *this;
  if (scaling.identity()) return out;
  for (std::size_t j = 0; j < out.low.size(); ++j) {
    out.low[j] = (low[j] - scaling.shift[j]) / scaling.scale[j];
    out.high[j] = (high[j] - scaling.shift[j]) / scaling.scale[j];
  }
  return out;
}

std::string Advice::class_name(std::uint32_t class_number) const { return schema.label.classes[class_number]; }

TaskAdvice advice_for(const Advice& advice, std::uint32_t class_number) {
  TaskAdvice out;
  for (const AdviceSet& set : advice.sets) {
    if (set.class_number != class_number) continue;
    const CompiledRule& rule = advice.rules[set.rule];
    out.sets.push_back({set.rule, set.z, rule.trust, rule.margin, set.in(advice.schema.scaling).rows});
  }
  return out;
}

}  // namespace postil
