// advice.cpp: compiled rules, applied to rows and moved into a learner's coordinates.
#include "core/math.hpp"
#include "postil/rules.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace postil {

namespace {

double value_at(const Row& x, std::uint32_t feature) {
  if (x.dense()) return feature < x.count ? x.value(feature) : 0;
  const std::uint32_t* found = std::lower_bound(x.indices, x.indices + x.count, feature);
  return found != x.indices + x.count && *found == feature ? x.value(static_cast<std::size_t>(found - x.indices)) : 0;
}

}  // namespace

double LinearFunction::at(const Row& x) const {
  double sum = constant;
  for (const auto& [feature, coefficient] : terms) sum += coefficient * value_at(x, feature);
  return sum;
}

LinearFunction LinearFunction::in(const Scaling& scaling) const {
  LinearFunction out = *this;
  if (scaling.identity()) return out;
  for (auto& [feature, coefficient] : out.terms) {
    out.constant += coefficient * scaling.shift[feature];
    coefficient *= scaling.scale[feature];
  }
  return out;
}

bool Claim::admits(double label, const Row& x) const {
  constexpr double kRounding = 1e-9;  // relative, of ends that depend on the row
  const auto beyond = [&](const std::optional<LinearFunction>& end, double sign) {
    if (!end) return false;
    const double at = end->at(x), over = sign * (label - at);
    const double slack = end->terms.empty() ? 0 : kRounding * std::max(std::fabs(at), std::fabs(label));
    return strict ? over >= -slack : over > slack;
  };
  return !beyond(low, -1) && !beyond(high, 1);
}

Claim Claim::in(const Scaling& scaling) const {
  Claim out = *this;
  for (std::optional<LinearFunction>* end : {&out.low, &out.high})
    if (*end) *end = (*end)->in(scaling);
  return out;
}

bool CompiledRule::agrees(double label, const Row& x, const Scaling& scaling) const {
  return claim ? claim->in(scaling).admits(label, x) : (label == class_number) == positive;
}

AdviceSet AdviceSet::in(const Scaling& scaling) const {
  AdviceSet out = *this;
  if (scaling.identity()) return out;
  out.target = target.in(scaling);
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
  out.of_numbers = of_numbers;
  out.sets = {sets[set]};
  std::vector<bool> used(features.size());
  for (const AdviceRow& row : sets[set].rows)
    for (const auto& [feature, coefficient] : row.terms) used[place(feature)] = true;
  for (const auto& [feature, coefficient] : sets[set].target.terms) used[place(feature)] = true;
  for (std::size_t f = 0; f < features.size(); ++f)
    if (used[f] || features[f].stated) out.features.push_back(features[f]);
  return out;
}

TaskAdvice TaskAdvice::without_ranges() const {
  TaskAdvice out = *this;
  for (Feature& f : out.features) {
    f.low = f.seen_low = -kInfinity;
    f.high = f.seen_high = kInfinity;
  }
  return out;
}

// Fewer rows than this say less about where a feature lies than the promise of its range does.
constexpr std::uint64_t kTelling = 30;

TaskAdvice advice_for(const Advice& advice, const Schema& schema, const Question& question) {
  TaskAdvice out;
  out.of_numbers = schema.label.real();
  std::vector<std::uint32_t> numbers = advice.stated;
  for (std::uint32_t r = 0; r < advice.rules.size(); ++r) {
    const CompiledRule& rule = advice.rules[r];
    const double side = question.side_of(rule.class_number);
    if (side == 0) continue;
    const bool own = side > 0 || question.against;  // the rule names the class that is asked about, or the only other
    if (own && rule.direction) {
      out.directions.push_back({{rule.direction->feature, side * rule.direction->z}, r, rule.trust, rule.id});
      numbers.push_back(rule.direction->feature);
    }
    if (!rule.direction && (own || rule.positive))
      out.rules.push_back({r, rule.positive ? side : -side, own, rule.sure, rule.text, rule.trust,
                           rule.claim ? std::optional(rule.claim->in(schema.scaling)) : std::nullopt});
  }
  for (std::uint32_t s = 0; s < advice.sets.size(); ++s) {
    const AdviceSet& set = advice.sets[s];
    const CompiledRule& rule = advice.rules[set.rule];
    // Of the sets of a rule, which speak of its class and against all others, one against one needs the first.
    if (set.class_number != (question.against ? rule.class_number : question.class_number)) continue;
    const double side = question.side_of(set.class_number);
    if (side == 0) continue;
    AdviceSet scaled = set.in(schema.scaling);
    out.sets.push_back({set.rule, side * set.z, rule.trust, rule.margin, std::move(scaled.rows), rule.id,
                        std::move(scaled.target), s});
    for (const auto& [feature, coefficient] : set.target.terms) numbers.push_back(feature);
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
                           .stated = std::binary_search(advice.stated.begin(), advice.stated.end(), j),
                           .yes_no = advice.box.low[j] == 0 && advice.box.high[j] == 1 &&
                                     std::binary_search(advice.box.whole.begin(), advice.box.whole.end(), j)};
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
