#include "advice_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "postil/error.hpp"
#include "region.hpp"

namespace postil {

std::vector<AdviceRow> rows_over_places(const TaskAdvice& advice, const TaskAdvice::Set& set) {
  std::vector<AdviceRow> rows = set.rows;
  for (AdviceRow& row : rows) {
    for (auto& [feature, coefficient] : row.terms) feature = static_cast<std::uint32_t>(advice.place(feature));
    row.strict = false;
  }
  return rows;
}

Box known_ranges(const TaskAdvice& advice, const TaskAdvice::Set& set, Ranges ranges) {
  Box box;
  for (const TaskAdvice::Feature& f : advice.features) {
    box.low.push_back(f.low);
    box.high.push_back(f.high);
  }
  if (ranges == Ranges::promised) return box;
  Box seen = box;
  for (std::size_t f = 0; f < advice.features.size(); ++f) {
    if (std::isinf(box.low[f])) seen.low[f] = advice.features[f].seen_low;
    if (std::isinf(box.high[f])) seen.high[f] = advice.features[f].seen_high;
  }
  bool joint = false;  // some row is about several features
  for (const AdviceRow& row : set.rows) {
    joint |= row.terms.size() > 1;
    if (row.terms.size() != 1) continue;
    const std::size_t f = advice.place(row.terms[0].first);
    const double bound = row.bound / row.terms[0].second;
    if (row.equality || row.terms[0].second < 0) seen.high[f] = std::max(seen.high[f], bound);
    if (row.equality || row.terms[0].second > 0) seen.low[f] = std::min(seen.low[f], bound);
  }
  if (!joint) return seen;
  const std::vector<AdviceRow> rows = rows_over_places(advice, set);
  return find_point(pointers(rows), seen, {}) ? seen : box;
}

AdviceLoss::AdviceLoss(const TaskAdvice& advice, Ranges ranges) {
  constexpr std::size_t kMost = 20'000'000;  // each takes 32 bytes
  if (advice.sets.size() * advice.features.size() > kMost)
    throw ParamError(fmt::format(
        "the rules have {} regions over {} columns; this learner can handle at most {} regions times columns",
        advice.sets.size(), advice.features.size(), kMost));
  sets_.reserve(advice.sets.size());
  for (const TaskAdvice::Set& set : advice.sets) {
    Box box = known_ranges(advice, set, ranges);
    std::vector<RegionCone::Row> rows;
    std::vector<Set::Own> own;
    for (const AdviceRow& row : set.rows) {
      if (row.terms.size() == 1) {
        const std::size_t f = advice.place(row.terms[0].first);
        const double factor = row.terms[0].second, bound = row.bound / factor;
        if (row.equality || factor > 0) box.high[f] = std::min(box.high[f], bound);
        if (row.equality || factor < 0) box.low[f] = std::max(box.low[f], bound);
        own.push_back({true, f, factor, true, row.equality});
        continue;
      }
      RegionCone::Row to{{}, row.bound, row.equality};
      double norm = 0;
      for (const auto& [feature, coefficient] : row.terms) {
        to.terms.emplace_back(static_cast<std::uint32_t>(advice.place(feature)), coefficient);
        norm += coefficient * coefficient;
      }
      own.push_back({false, rows.size(), std::sqrt(norm), true, row.equality});
      rows.push_back(std::move(to));
    }
    for (std::size_t f = 0; f < box.low.size(); ++f)  // rounding of bounds that touch
      if (box.low[f] > box.high[f]) box.low[f] = box.high[f] = box.low[f] / 2 + box.high[f] / 2;
    std::set<std::pair<std::size_t, bool>> counted;
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (!own[k].single) continue;
      const double bound = set.rows[k].bound / own[k].factor;
      own[k].counts = own[k].factor > 0 ? bound <= box.high[own[k].place] : bound >= box.low[own[k].place];
      // of two that say the same, the first
      if (own[k].counts && !counted.emplace(own[k].place, own[k].factor > 0).second) own[k].counts = false;
    }
    std::vector<double> target(advice.features.size());
    for (const auto& [feature, coefficient] : set.target.terms) target[advice.place(feature)] = coefficient;
    sets_.push_back({RegionCone(std::move(box.low), std::move(box.high), std::move(rows)),
                     set.z,
                     set.trust,
                     set.margin + set.z * set.target.constant,
                     std::move(own),
                     std::move(target),
                     std::vector<double>(advice.features.size()),
                     {},
                     0});
  }
  for (const TaskAdvice::Sign& sign : advice.directions) {
    const std::size_t place = advice.place(sign.feature);
    signs_.push_back({place, sign.z, sign.trust, advice.features[place].spread()});
  }
}

double AdviceLoss::trust() const {
  double sum = 0;
  for (const Set& set : sets_) sum += set.trust;
  return sum;
}

bool AdviceLoss::converged() const {
  return std::all_of(sets_.begin(), sets_.end(), [](const Set& set) { return set.cone.converged(); });
}

double AdviceLoss::value(std::span<const double> w, double b) {
  double sum = 0;
  for (Set& set : sets_) {
    for (std::size_t f = 0; f < w.size(); ++f) set.p[f] = set.z * (set.target[f] - w[f]);
    for (std::size_t f = 0; f < set.pull.size(); ++f) set.p[f] += set.pull[f];
    set.cone.project(set.p, set.margin - set.z * b + set.pull_bias);
    sum += set.trust / 2 * set.cone.squared_length();
  }
  for (Sign& sign : signs_) {
    sign.short_by = std::max(0.0, sign.pull - sign.z * sign.spread * w[sign.place]);
    sum += sign.trust / 2 * sign.short_by * sign.short_by;
  }
  return sum;
}

void AdviceLoss::forget() {
  for (Set& set : sets_) set.cone.forget();
}

void AdviceLoss::add_gradient(double factor, std::span<double> g, double& g_bias) const {
  for (const Set& set : sets_) {
    const double step = -factor * set.trust * set.z;
    const std::span<const double> y = set.cone.y();
    for (std::size_t f = 0; f < y.size(); ++f) g[f] += step * y[f];
    g_bias += step * set.cone.gamma();
  }
  for (const Sign& sign : signs_) g[sign.place] -= factor * sign.trust * sign.z * sign.spread * sign.short_by;
}

void AdviceLoss::add_hessian_times(double factor, std::span<const double> v, double v_bias, std::span<double> out,
                                   double& out_bias) const {
  for (const Set& set : sets_) set.cone.add_derivative(factor * set.trust, v, v_bias, out, out_bias);
  for (const Sign& sign : signs_)
    if (sign.short_by > 0) out[sign.place] += factor * sign.trust * sign.spread * sign.spread * v[sign.place];
}

void AdviceLoss::add_hessian_diagonal(double factor, std::span<double> out, double& out_bias) const {
  for (const Set& set : sets_) set.cone.add_diagonal(factor * set.trust, out, out_bias);
  for (const Sign& sign : signs_)
    if (sign.short_by > 0) out[sign.place] += factor * sign.trust * sign.spread * sign.spread;
}

std::vector<double> AdviceLoss::multipliers(std::size_t set) const {
  const Set& from = sets_[set];
  std::vector<double> out;
  out.reserve(from.own.size());
  for (const Set::Own& own : from.own) {
    double u = 0;
    if (!own.single)
      u = from.cone.row_multipliers()[own.place] / own.factor;
    else if (own.counts)
      u = from.cone.bound_multiplier(own.place) / own.factor;
    out.push_back(u);
  }
  for (std::size_t k = 0; k < out.size(); ++k)  // a lower bound's multiplier is no business of the upper one
    if (from.own[k].single && out[k] < 0 && !from.own[k].equality) out[k] = 0;
  return out;
}

std::vector<double> AdviceLoss::multipliers(std::size_t set, const TaskAdvice& advice) const {
  std::vector<double> out = multipliers(set), left(advice.features.size());
  for (std::size_t f = 0; f < left.size(); ++f) left[f] = sets_[set].cone.bound_multiplier(f);
  for (std::size_t k = 0; k < sets_[set].own.size(); ++k)
    if (const Set::Own& own = sets_[set].own[k]; own.single) left[own.place] -= own.factor * out[k];
  for (std::size_t f = 0; f < left.size(); ++f) {
    if (std::isfinite(advice.features[f].high)) out.push_back(std::max(0.0, left[f]));
    if (std::isfinite(advice.features[f].low)) out.push_back(std::max(0.0, -left[f]));
  }
  return out;
}

std::vector<double> AdviceLoss::estimate(std::size_t set) const {
  const Set& from = sets_[set];
  std::vector<double> out(from.p.size());
  for (std::size_t f = 0; f < out.size(); ++f) out[f] = from.target[f] - from.z * (from.p[f] - from.cone.y()[f]);
  return out;
}

std::vector<double> AdviceLoss::ideal_point(std::size_t set) const {
  const RegionCone& cone = sets_[set].cone;
  if (!(cone.gamma() > 0)) return {};
  std::vector<double> out(cone.y().begin(), cone.y().end());
  for (double& value : out) value /= cone.gamma();
  return out;
}

double AdviceLoss::broken() const {
  double out = 0;
  for (const Set& set : sets_) out = std::max(out, std::sqrt(set.cone.squared_length()));
  for (const Sign& sign : signs_) out = std::max(out, sign.short_by);
  return out;
}

AdviceLoss::Pulls AdviceLoss::pulls() const {
  Pulls out;
  for (const Set& set : sets_)
    out.sets.emplace_back(std::vector<double>(set.cone.y().begin(), set.cone.y().end()), set.cone.gamma());
  for (const Sign& sign : signs_) out.signs.push_back(sign.short_by);
  return out;
}

void AdviceLoss::set_pulls(Pulls pulls, double divide) {
  for (std::size_t i = 0; i < sets_.size(); ++i) {
    for (double& value : pulls.sets[i].first) value /= divide;
    sets_[i].pull = std::move(pulls.sets[i].first);
    sets_[i].pull_bias = pulls.sets[i].second / divide;
  }
  for (std::size_t i = 0; i < signs_.size(); ++i) signs_[i].pull = pulls.signs[i] / divide;
}

void AdviceLoss::clear_pulls() {
  for (Set& set : sets_) {
    set.pull.clear();
    set.pull_bias = 0;
  }
  for (Sign& sign : signs_) sign.pull = 0;
}

}  // namespace postil
