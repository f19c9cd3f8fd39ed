// ledger.cpp: what the examples have said about each rule (docs/mathematics.md part C, "Ledger").
#include "postil/model.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace postil {
namespace {

constexpr double kStrong = 2;  // z beyond it is a verdict

}  // namespace

Ledger::Ledger(const Advice& advice, const Scaling& scaling)
    : conditions_(advice.conditions), records_(advice.rules.size()) {
  for (const AdviceSet& set : advice.sets)
    for (const AdviceRow& row : set.rows)
      for (const auto& [feature, coefficient] : row.terms) features_.push_back(feature);
  for (const CompiledRule& rule : advice.rules)
    if (rule.direction) features_.push_back(rule.direction->feature);
  std::sort(features_.begin(), features_.end());
  features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
  for (const CompiledRule& rule : advice.rules)
    rules_.push_back({rule.condition,
                      rule.class_number,
                      rule.positive,
                      rule.direction,
                      rule.claim ? std::optional(rule.claim->in(scaling)) : std::nullopt,
                      {}});
  for (const AdviceSet& set : advice.sets) {
    if (set.class_number != advice.rules[set.rule].class_number) continue;  // what it says against other classes
    std::vector<AdviceRow> rows = set.in(scaling).rows;
    for (AdviceRow& row : rows) {
      double norm = 0;
      for (auto& [feature, coefficient] : row.terms) {
        feature = static_cast<std::uint32_t>(std::lower_bound(features_.begin(), features_.end(), feature) -
                                             features_.begin());
        norm += coefficient * coefficient;
      }
      norm = std::sqrt(norm);
      for (auto& [place, coefficient] : row.terms) coefficient /= norm;
      row.bound /= norm;
    }
    rules_[set.rule].regions.push_back(std::move(rows));
  }
  x_.resize(features_.size());
}

void Ledger::inherit(const Ledger& earlier) {
  const std::vector<std::uint32_t> place = conditions_.places_of(earlier.conditions_);
  const auto key = [](std::uint32_t condition, const Rule& rule) {
    const Direction direction = rule.direction.value_or(Direction{0, 0});
    return std::tuple(condition, rule.class_number, rule.positive, direction.feature, direction.z);
  };
  std::map<decltype(key(0, {})), std::size_t> known;
  for (std::size_t k = 0; k < earlier.rules_.size(); ++k)
    if (const std::uint32_t condition = place[earlier.rules_[k].condition]; condition != Conditions::kNowhere)
      known[key(condition, earlier.rules_[k])] = k;
  for (std::size_t r = 0; r < rules_.size(); ++r)
    if (const auto found = known.find(key(rules_[r].condition, rules_[r]));
        found != known.end() && earlier.rules_[found->second].claim == rules_[r].claim)
      records_[r] = earlier.records_[found->second];
}

// The values of the features that rules mention.
void Ledger::locate(const Row& x) {
  std::fill(x_.begin(), x_.end(), 0);
  if (x.dense()) {
    for (std::size_t f = 0; f < features_.size() && features_[f] < x.count; ++f) x_[f] = x.value(features_[f]);
    return;
  }
  const std::uint32_t *at = x.indices, *end = x.indices + x.count;
  for (std::size_t f = 0; f < features_.size() && at != end; ++f) {
    at = std::lower_bound(at, end, features_[f]);
    if (at != end && *at == features_[f]) x_[f] = x.value(static_cast<std::size_t>(at - x.indices));
  }
}

// To the nearest of a rule's regions: exact where each comparison is about one feature, else what its comparisons miss.
double Ledger::distance(const Rule& rule) const {
  double nearest = std::numeric_limits<double>::infinity();
  for (const std::vector<AdviceRow>& region : rule.regions) {
    double squares = 0;
    for (const AdviceRow& row : region) {
      double over = -row.bound;
      for (const auto& [place, coefficient] : row.terms) over += coefficient * x_[place];
      if (row.equality || over > 0) squares += over * over;
    }
    nearest = std::min(nearest, squares);
  }
  return std::sqrt(nearest);
}

// How far the row is in the direction that speaks for what the rule says.
double Ledger::towards(const Direction& direction, bool positive) const {
  const auto place = std::lower_bound(features_.begin(), features_.end(), direction.feature) - features_.begin();
  return (positive ? direction.z : -direction.z) * x_[static_cast<std::size_t>(place)];
}

bool Ledger::agrees(const Rule& rule, const Row& x, double label) const {
  return rule.claim ? rule.claim->admits(label, x) : (label == rule.class_number) == rule.positive;
}

void Ledger::add(const Row& x, double label, std::uint64_t line) {
  locate(x);
  auto next = x.holds.begin();
  for (std::size_t r = 0; r < rules_.size(); ++r) {
    const Rule& rule = rules_[r];
    Record& record = records_[r];
    const bool agrees = this->agrees(rule, x, label);
    const double d = rule.direction ? towards(*rule.direction, rule.positive) : -distance(rule);
    const double y = rule.claim && rule.direction ? label : agrees ? 1 : -1;  // a direction is about the number itself
    record.count += 1;
    record.says += agrees ? 1 : 0;
    if (std::isfinite(d)) {
      const double to_d = d - record.mean_d, to_y = y - record.mean_y;
      record.mean_d += to_d / record.count;
      record.mean_y += to_y / record.count;
      record.dd += to_d * (d - record.mean_d);
      record.dy += to_d * (y - record.mean_y);
      record.yy += to_y * (y - record.mean_y);
    }
    if (next == x.holds.end() || *next != r) continue;
    ++next;
    record.fired += 1;
    record.agreed += agrees ? 1 : 0;
    if (agrees) continue;
    std::copy_backward(record.lines.begin(), record.lines.end() - 1, record.lines.end());
    record.lines[0] = static_cast<double>(line);
  }
}

Ledger::Entry Ledger::entry(std::size_t rule) const {
  const Record& record = records_[rule];
  Entry out;
  out.fired = static_cast<std::uint64_t>(record.fired);
  out.agreed = static_cast<std::uint64_t>(record.agreed);
  out.contradicted = out.fired - out.agreed;
  for (const double line : record.lines)
    if (line > 0) out.contradicted_by.push_back(static_cast<std::uint64_t>(line));
  if (record.count == 0) return out;
  const double p = record.says / record.count;
  out.base_rate = p;
  if (record.fired > 0) {
    out.precision = record.agreed / record.fired;
    if (p > 0 && p < 1) {
      out.z = (record.agreed - record.fired * p) / std::sqrt((record.fired + 2) * p * (1 - p));
    }
  }
  if (record.dd > 0 && record.yy > 0) out.closeness = record.dy / std::sqrt(record.dd * record.yy);
  if (rules_[rule].direction && out.closeness) {  // a correlation, against none
    out.z = *out.closeness * std::sqrt(record.count - 1);
  }
  if (out.z && std::fabs(*out.z) > kStrong) out.verdict = *out.z > 0 ? Verdict::supported : Verdict::contradicted;
  return out;
}

std::vector<double> Ledger::numbers_of(const std::vector<Record>& records) {
  std::vector<double> out;
  for (const Record& r : records) {
    out.insert(out.end(), {r.fired, r.agreed, r.says, r.count, r.mean_d, r.mean_y, r.dd, r.dy, r.yy});
    out.insert(out.end(), r.lines.begin(), r.lines.end());
  }
  return out;
}

std::vector<Ledger::Record> Ledger::records_of(const std::vector<double>& numbers) {
  std::vector<Record> out(numbers.size() / kNumbers);
  for (std::size_t r = 0; r < out.size(); ++r) {
    const double* n = numbers.data() + r * kNumbers;
    out[r] = {n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], {}};
    std::copy_n(n + 9, kLines, out[r].lines.begin());
  }
  return out;
}

void Ledger::write(StateWriter& out) const { out.tensor("records", numbers_of(records_)); }

void Ledger::read(StateReader& in) {
  std::vector<double> numbers;
  in.tensor("records", numbers);
  whole_ = numbers.size() == kNumbers * records_.size();
  if (whole_) records_ = records_of(numbers);
}

// Moments as in core/survey_merge.cpp.
void Ledger::merge_records(std::vector<double>& into, const std::vector<double>& later) {
  std::vector<Record> records = records_of(into);
  const std::vector<Record> others = records_of(later);
  for (std::size_t r = 0; r < records.size(); ++r) {
    Record& a = records[r];
    const Record& b = others.at(r);
    a.fired += b.fired;
    a.agreed += b.agreed;
    a.says += b.says;
    if (b.count > 0) {
      const double n = a.count + b.count, both = a.count * b.count / n;
      const double d = b.mean_d - a.mean_d, y = b.mean_y - a.mean_y;
      a.mean_d = a.count == 0 ? b.mean_d : a.mean_d + d * (b.count / n);
      a.mean_y = a.count == 0 ? b.mean_y : a.mean_y + y * (b.count / n);
      a.dd += b.dd + d * d * both;
      a.dy += b.dy + d * y * both;
      a.yy += b.yy + y * y * both;
      a.count = n;
    }
    std::array<double, kLines> lines = b.lines;
    std::size_t there = 0;
    while (there < kLines && lines[there] > 0) ++there;
    std::copy_n(a.lines.begin(), kLines - there, lines.begin() + static_cast<std::ptrdiff_t>(there));
    a.lines = lines;
  }
  into = numbers_of(records);
}

bool Ledger::fits() const {
  const auto count = [](double value) { return value >= 0 && value < 0x1p53; };
  return whole_ && std::all_of(records_.begin(), records_.end(), [&](const Record& r) {
           return count(r.fired) && count(r.agreed) && count(r.says) && count(r.count) && r.agreed <= r.fired &&
                  r.says <= r.count && std::all_of(r.lines.begin(), r.lines.end(), count);
         });
}

}  // namespace postil
