#include "region.hpp"
#include "core/math.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace postil {
namespace {

constexpr double kTolerance = 1e-9;  // of a comparison, relative to its bound; docs/mathematics.md A7
constexpr int kProjections = 60;

class Search {
 public:
  Search(std::span<const AdviceRow* const> rows, const Box& box, std::span<const std::vector<std::uint32_t>> one_of)
      : all_(rows) {
    for (const AdviceRow* row : rows)
      for (const auto& [feature, coefficient] : row->terms)
        ranges_.try_emplace(feature, Interval{box.low[feature], box.high[feature], false, false});
    for (const AdviceRow* row : rows) {
      if (row->terms.size() != 1) {
        joint_.push_back(row);
        continue;
      }
      ranges_[row->terms[0].first].narrow(*row);
    }
    for (const std::vector<std::uint32_t>& group : one_of) {
      AdviceRow row;
      row.bound = 1;
      for (const std::uint32_t feature : group)
        if (ranges_.contains(feature)) row.terms.emplace_back(feature, 1);
      if (row.terms.size() > 1) groups_.push_back(std::move(row));
    }
    for (const AdviceRow& row : groups_) joint_.push_back(&row);
    for (const auto& [feature, range] : ranges_)
      if (std::binary_search(box.whole.begin(), box.whole.end(), feature)) whole_.push_back(feature);
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // A point whose whole numbers are whole: by bisection, if need be.
  std::optional<Point> run() {
    std::optional<Point> found = find();
    if (!found) return found;
    for (const std::uint32_t feature : whole_) {
      const double value = found->at(feature);
      if (value == std::floor(value)) continue;
      const Interval range = ranges_.at(feature);
      for (const double end : {std::floor(value), std::ceil(value)}) {
        if (--tries_ < 0) return std::nullopt;
        Interval& part = ranges_.at(feature);
        part = range;
        (end < value ? part.high : part.low) = end;
        (end < value ? part.high_open : part.low_open) = false;
        if (std::optional<Point> inside = run()) return inside;
      }
      ranges_.at(feature) = range;
      return std::nullopt;
    }
    return found;
  }

 private:
  std::optional<Point> find() {
    for (const auto& [feature, range] : ranges_)
      if (range.empty()) return std::nullopt;
    for (const AdviceRow* row : all_)
      if (row->terms.empty() && !satisfied(*row, 0)) return std::nullopt;
    for (const AdviceRow* row : joint_)
      if (impossible(*row)) return std::nullopt;
    if (sums_apart()) return std::nullopt;
    Point x;
    for (const auto& [feature, range] : ranges_) x[feature] = range.inside();
    if (repair(x) || project(x)) return x;
    return solve();
  }

  static bool satisfied(const AdviceRow& row, double sum) {
    if (row.equality) return std::fabs(sum - row.bound) <= kTolerance * (1 + std::fabs(row.bound));
    return row.strict ? sum < row.bound : sum <= row.bound;
  }
  static double sum_of(const AdviceRow& row, const Point& x) {
    double sum = 0;
    for (const auto& [feature, coefficient] : row.terms) sum += coefficient * x.at(feature);
    return sum;
  }
  // Even the best values of the intervals do not satisfy it.
  [[nodiscard]] bool impossible(const AdviceRow& row) const {
    double least = 0, greatest = 0;
    for (const auto& [feature, coefficient] : row.terms) {
      const Interval& range = ranges_.at(feature);
      least += coefficient * (coefficient > 0 ? range.low : range.high);
      greatest += coefficient * (coefficient > 0 ? range.high : range.low);
    }
    const double slack = kTolerance * (1 + std::fabs(row.bound));
    if (row.equality) return least > row.bound + slack || greatest < row.bound - slack;
    return row.strict ? least >= row.bound : least > row.bound + slack;
  }

  // The same sum, or its negative, between bounds that leave nothing.
  [[nodiscard]] bool sums_apart() const {
    std::map<std::vector<std::pair<std::uint32_t, double>>, Interval> sums;
    for (const AdviceRow* row : joint_) {
      if (joint_.size() == 1 || row->terms.empty()) continue;
      const double sign = row->terms[0].second < 0 ? -1 : 1;
      std::vector<std::pair<std::uint32_t, double>> terms = row->terms;
      for (auto& [feature, coefficient] : terms) coefficient *= sign;
      AdviceRow whole{{{0, sign}}, row->bound, row->strict, row->equality};
      Interval& range = sums.try_emplace(std::move(terms), Interval{-kInfinity, kInfinity}).first->second;
      range.narrow(whole);
      if (range.low > range.high + kTolerance * (1 + std::fabs(range.high))) return true;
    }
    return false;
  }

  // Moves one feature after the other as far as a violated comparison needs: finds the points a person would name, with
  // few values and whole ones.
  bool repair(Point& x) const {
    const Point start = x;
    for (int round = 0; round < 5; ++round) {
      bool all = true;
      for (const AdviceRow* row : joint_) {
        double sum = sum_of(*row, x);
        if (satisfied(*row, sum)) continue;
        all = false;
        for (const auto& [feature, coefficient] : row->terms) {
          const double before = x[feature];
          const double beyond = row->strict ? -std::max(1e-6, 1e-3 * std::fabs(row->bound)) : 0;
          x[feature] = ranges_.at(feature).clamp(before + (row->bound + beyond - sum) / coefficient);
          sum += coefficient * (x[feature] - before);
          if (satisfied(*row, sum)) break;
        }
      }
      if (all) return true;
    }
    x = start;
    return false;
  }

  // Projects onto one violated comparison after the other, a little beyond it.
  bool project(Point& x) const {
    for (int round = 0; round < kProjections; ++round) {
      bool all = true;
      for (const AdviceRow* row : joint_) {
        const double sum = sum_of(*row, x);
        if (satisfied(*row, sum)) continue;
        all = false;
        double norm = 0;
        for (const auto& [feature, coefficient] : row->terms) norm += coefficient * coefficient;
        const double aim = row->equality ? row->bound
                                         : row->bound - 0.05 * std::fabs(sum - row->bound) -
                                               (row->strict ? 1e-6 * (1 + std::fabs(row->bound)) : 0);
        const double step = (aim - sum) / norm;
        for (const auto& [feature, coefficient] : row->terms)
          x[feature] = ranges_.at(feature).clamp(x[feature] + step * coefficient);
      }
      if (all) return true;
    }
    return false;
  }

  // max t  s.t.  a'x + |a| t <= bound for strict rows (t = 0 for the others), the intervals, 0 <= t <= 1
  [[nodiscard]] std::optional<Point> solve() const {
    LinearProgram program;
    std::map<std::uint32_t, std::uint32_t> column;
    for (const auto& [feature, range] : ranges_) column[feature] = program.add_column(0, range.low, range.high);
    const std::uint32_t t = program.add_column(-1, 0, 1);
    bool strict = false;
    std::vector<std::pair<std::uint32_t, double>> terms;
    for (const AdviceRow* row : joint_) {
      terms.clear();
      double norm = 0;
      for (const auto& [feature, coefficient] : row->terms) {
        terms.emplace_back(column.at(feature), coefficient);
        norm += coefficient * coefficient;
      }
      if (row->strict) terms.emplace_back(t, std::sqrt(norm));
      strict |= row->strict;
      program.add_row(terms, row->equality ? row->bound : -kInfinity, row->bound);
    }
    for (const auto& [feature, range] : ranges_) {
      if (range.high_open)
        program.add_row(std::vector<std::pair<std::uint32_t, double>>{{column.at(feature), 1}, {t, 1}}, -kInfinity,
                        range.high);
      if (range.low_open)
        program.add_row(std::vector<std::pair<std::uint32_t, double>>{{column.at(feature), 1}, {t, -1}}, range.low,
                        kInfinity);
      strict |= range.high_open || range.low_open;
    }
    const LinearProgram::Solution found = program.solve();
    if (found.status != LinearProgram::Status::optimal) return std::nullopt;
    if (strict && !(found.x[t] > kTolerance)) return std::nullopt;
    Point x;
    for (const auto& [feature, place] : column) x[feature] = found.x[place];
    return x;
  }

  std::span<const AdviceRow* const> all_;
  std::map<std::uint32_t, Interval> ranges_;
  std::vector<AdviceRow> groups_;
  std::vector<const AdviceRow*> joint_;  // of more than one feature
  std::vector<std::uint32_t> whole_;     // features
  int tries_ = 200;
};

}  // namespace

void Interval::narrow(const AdviceRow& row) {
  const double coefficient = row.terms[0].second, value = row.bound / coefficient;
  if ((coefficient > 0 || row.equality) && (value < high || (value == high && row.strict))) {
    high = value;
    high_open = row.strict;
  }
  if ((coefficient < 0 || row.equality) && (value > low || (value == low && row.strict))) {
    low = value;
    low_open = row.strict;
  }
}

bool Interval::needs(const AdviceRow& row) const {
  const double coefficient = row.terms[0].second, value = row.bound / coefficient;
  return row.equality ||
         (coefficient > 0 ? value == high && row.strict == high_open : value == low && row.strict == low_open);
}

double Interval::inside() const {
  if (std::isfinite(low) && std::isfinite(high))
    return low_open || high_open ? low / 2 + high / 2 : std::clamp(0.0, low, high);
  if (std::isfinite(low)) return low < 0 ? 0 : low + (low_open ? std::max(1.0, std::fabs(low)) : 0);
  if (std::isfinite(high)) return high > 0 ? 0 : high - (high_open ? std::max(1.0, std::fabs(high)) : 0);
  return 0;
}

double Interval::clamp(double value) const {
  if ((value > low || (value == low && !low_open)) && (value < high || (value == high && !high_open))) return value;
  if (value <= low && !low_open) return low;
  if (value >= high && !high_open) return high;
  return inside();
}

std::optional<Point> find_point(std::span<const AdviceRow* const> rows, const Box& box,
                                std::span<const std::vector<std::uint32_t>> one_of) {
  return Search(rows, box, one_of).run();
}

std::vector<const AdviceRow*> pointers(const std::vector<AdviceRow>& rows) {
  std::vector<const AdviceRow*> out;
  out.reserve(rows.size());
  for (const AdviceRow& row : rows) out.push_back(&row);
  return out;
}

}  // namespace postil
