#include "region_points.hpp"

#include <algorithm>
#include <cmath>

#include "advice_loss.hpp"
#include "core/kernels.hpp"
#include "core/math.hpp"
#include "solvers/linear_program.hpp"

namespace postil {
namespace {

// Where nothing is known of a feature: three standard deviations around its mean, and one beyond the rule's own bound.
Box bounded_ranges(const TaskAdvice& advice, const TaskAdvice::Set& set) {
  Box box = known_ranges(advice, set, Ranges::seen);
  for (std::size_t f = 0; f < advice.features.size(); ++f) {
    const TaskAdvice::Feature& feature = advice.features[f];
    const double sd = std::sqrt(feature.variance) > 0 ? std::sqrt(feature.variance) : 1;
    double low = feature.mean - 3 * sd, high = feature.mean + 3 * sd;
    for (const AdviceRow& row : set.rows)
      if (row.terms.size() == 1 && row.terms[0].first == feature.number) {
        low = std::min(low, row.bound / row.terms[0].second - sd);
        high = std::max(high, row.bound / row.terms[0].second + sd);
      }
    if (std::isinf(box.low[f])) box.low[f] = std::min(low, box.high[f] - sd);
    if (std::isinf(box.high[f])) box.high[f] = std::max(high, box.low[f] + sd);
  }
  return box;
}

}  // namespace

RegionPoints::RegionPoints(const TaskAdvice& advice, const TaskAdvice::Set& set)
    : rows_(rows_over_places(advice, set)), box_(bounded_ranges(advice, set)) {
  const std::size_t n = box_.low.size();
  for (std::size_t j = 0; j < n; ++j)
    if (box_.low[j] == box_.high[j]) fix(AdviceRow{{{static_cast<std::uint32_t>(j), 1.0}}, box_.low[j], false, true});
  for (const AdviceRow& row : rows_)
    if (row.equality) fix(row);
  x_ = deep_point();
}

const std::vector<double>& RegionPoints::next(Random& random) {
  const std::size_t between = 10 + x_.size();  // steps, so that points depend little on each other
  for (std::size_t step = 0; step < between; ++step) this->step(random);
  return x_;
}

std::vector<double> RegionPoints::deep_point() const {
  LinearProgram lp;
  const std::size_t n = box_.low.size();
  for (std::size_t j = 0; j < n; ++j) lp.add_column(0, box_.low[j], box_.high[j]);
  const std::uint32_t depth = lp.add_column(-1, 0, 1e3);
  std::vector<std::pair<std::uint32_t, double>> terms;
  for (std::uint32_t j = 0; j < n; ++j) {
    if (box_.low[j] == box_.high[j]) continue;
    terms = {{j, 1.0}, {depth, 1.0}};
    lp.add_row(terms, -kInfinity, box_.high[j]);
    terms = {{j, 1.0}, {depth, -1.0}};
    lp.add_row(terms, box_.low[j], kInfinity);
  }
  for (const AdviceRow& row : rows_) {
    terms = row.terms;
    double norm = 0;
    for (const auto& [j, value] : row.terms) norm += value * value;
    if (!row.equality) terms.emplace_back(depth, std::sqrt(norm));
    lp.add_row(terms, row.equality ? row.bound : -kInfinity, row.bound);
  }
  std::vector<double> x = lp.solve().x;
  x.resize(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = std::clamp(x[j], box_.low[j], box_.high[j]);
  return x;
}

void RegionPoints::step(Random& random) {
  std::vector<double>& x = x_;
  std::vector<double> direction(x.size());
  for (double& value : direction) value = random.normal();
  for (const std::vector<double>& normal : fixed_) {
    const double along = dot(direction, normal);
    for (std::size_t j = 0; j < x.size(); ++j) direction[j] -= along * normal[j];
  }
  double low = -std::numeric_limits<double>::infinity(), high = -low;
  const auto keep = [&](double speed, double room) {  // speed t <= room
    if (std::fabs(speed) < 1e-12) return;
    (speed > 0 ? high : low) =
        speed > 0 ? std::min(high, std::max(0.0, room) / speed) : std::max(low, std::max(0.0, room) / speed);
  };
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (box_.low[j] == box_.high[j]) continue;
    keep(direction[j], box_.high[j] - x[j]);
    keep(-direction[j], x[j] - box_.low[j]);
  }
  for (const AdviceRow& row : rows_) {
    if (row.equality) continue;
    double speed = 0, room = row.bound;
    for (const auto& [j, value] : row.terms) {
      speed += value * direction[j];
      room -= value * x[j];
    }
    keep(speed, room);
  }
  if (!(high > low) || std::isinf(high) || std::isinf(low)) return;
  const double t = low + (high - low) * random.uniform();
  for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::clamp(x[j] + t * direction[j], box_.low[j], box_.high[j]);
}

void RegionPoints::fix(const AdviceRow& row) {
  std::vector<double> normal(box_.low.size());
  for (const auto& [j, value] : row.terms) normal[j] = value;
  for (const std::vector<double>& other : fixed_) {
    const double along = dot(normal, other);
    for (std::size_t j = 0; j < normal.size(); ++j) normal[j] -= along * other[j];
  }
  const double length = std::sqrt(dot(normal, normal));
  if (length < 1e-9) return;
  for (double& value : normal) value /= length;
  fixed_.push_back(std::move(normal));
}

}  // namespace postil
