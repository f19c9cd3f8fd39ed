// advice.cpp: compiled rules, applied to rows and moved into a learner's coordinates.
#include "postil/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace postil {

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
  out.whole.clear();
  for (std::size_t j = 0; j < out.low.size(); ++j) {
    out.low[j] = (low[j] - scaling.shift[j]) / scaling.scale[j];
    out.high[j] = (high[j] - scaling.shift[j]) / scaling.scale[j];
  }
  return out;
}

std::size_t TaskAdvice::place(std::uint32_t feature) const {
  const auto found = std::lower_bound(features.begin(), features.end(), feature,
                                      [](const Feature& f, std::uint32_t number) { return f.number < number; });
  return static_cast<std::size_t>(found - features.begin());
}

std::vector<std::uint32_t> TaskAdvice::numbers() const {
  std::vector<std::uint32_t> out;
  out.reserve(features.size());
  for (const Feature& f : features) out.push_back(f.number);
  return out;
}

TaskAdvice TaskAdvice::only(std::size_t set) const {
  TaskAdvice out;
  out.sets = {sets[set]};
  std::vector<bool> used(features.size());
  for (const AdviceRow& row : sets[set].rows)
    for (const auto& [feature, coefficient] : row.terms) used[place(feature)] = true;
  for (std::size_t f = 0; f < features.size(); ++f)
    if (used[f] || features[f].stated) out.features.push_back(features[f]);
  return out;
}

// Fewer rows than this say less about where a feature lies than the promise of its range does.
constexpr std::uint64_t kTelling = 30;

TaskAdvice advice_for(const Advice& advice, const Schema& schema, std::uint32_t class_number) {
  TaskAdvice out;
  std::vector<std::uint32_t> numbers = advice.stated;
  for (std::uint32_t r = 0; r < advice.rules.size(); ++r) {
    const CompiledRule& rule = advice.rules[r];
    const bool own = rule.class_number == class_number;
    if (own && rule.direction) {
      out.directions.push_back({*rule.direction, r, rule.trust, rule.id});
      numbers.push_back(rule.direction->feature);
    }
    if (!rule.direction && (own || rule.positive))
      out.rules.push_back({r, own && rule.positive ? 1.0 : -1.0, own, rule.sure, rule.text, rule.trust});
  }
  for (const AdviceSet& set : advice.sets) {
    if (set.class_number != class_number) continue;
    const CompiledRule& rule = advice.rules[set.rule];
    out.sets.push_back({set.rule, set.z, rule.trust, rule.margin, set.in(schema.scaling).rows, rule.id});
    for (const AdviceRow& row : set.rows)
      for (const auto& [feature, coefficient] : row.terms) numbers.push_back(feature);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  const std::vector<Moments> seen = schema.moments(numbers);
  const Scaling& scaling = schema.scaling;
  for (std::size_t f = 0; f < numbers.size(); ++f) {
    const std::uint32_t j = numbers[f];
    const double shift = scaling.identity() ? 0 : scaling.shift[j], scale = scaling.identity() ? 1 : scaling.scale[j];
    const auto scaled = [&](double raw) { return (raw - shift) / scale; };
    TaskAdvice::Feature to{.number = j,
                           .low = scaled(advice.box.low[j]),
                           .high = scaled(advice.box.high[j]),
                           .seen_low = -std::numeric_limits<double>::infinity(),
                           .seen_high = std::numeric_limits<double>::infinity(),
                           .stated = std::binary_search(advice.stated.begin(), advice.stated.end(), j)};
    const bool promised = std::isfinite(to.low) && std::isfinite(to.high);
    if (seen[f].count >= (promised ? kTelling : 1)) {
      to.seen_low = scaled(seen[f].low);
      to.seen_high = scaled(seen[f].high);
      to.mean = scaled(seen[f].mean);
      to.variance = seen[f].variance() / (scale * scale);
    } else if (promised) {
      to.mean = to.low / 2 + to.high / 2;
      to.variance = (to.high - to.low) * (to.high - to.low) / 12;
    }
    out.features.push_back(to);
  }
  return out;
}

}  // namespace postil
