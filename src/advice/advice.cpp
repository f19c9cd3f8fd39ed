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
  const Schema& schema = advice.schema;
  const Scaling& scaling = schema.scaling;
  TaskAdvice out;
  for (const AdviceSet& set : advice.sets) {
    if (set.class_number != class_number) continue;
    const CompiledRule& rule = advice.rules[set.rule];
    out.sets.push_back({set.rule, set.z, rule.trust, rule.margin, set.in(scaling).rows});
  }
  out.box = advice.box.in(scaling);
  out.low = out.box.low;
  out.high = out.box.high;
  out.mean.assign(schema.features, 0);
  out.variance.assign(schema.features, 0);
  std::uint32_t feature = 0;
  for (const Column& column : schema.columns) {
    const auto total = static_cast<double>(column.seen.count + column.seen_missing);
    for (std::uint32_t k = 0; k < column.features(); ++k, ++feature) {
      if (k > 0 || column.kind == Kind::categorical || column.seen.count == 0) continue;
      const double shift = scaling.identity() ? 0 : scaling.shift[feature];
      const double scale = scaling.identity() ? 1 : scaling.scale[feature];
      out.mean[feature] = (column.seen.mean - shift) / scale;
      out.variance[feature] = column.seen.squares / total / (scale * scale);
      if (!std::isfinite(out.low[feature])) out.low[feature] = (column.seen.low - shift) / scale;
      if (!std::isfinite(out.high[feature])) out.high[feature] = (column.seen.high - shift) / scale;
    }
  }
  return out;
}

}  // namespace postil
