#include "pseudo_rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "advice/region_points.hpp"
#include "rule_voices.hpp"

namespace postil {
namespace {

constexpr double kFeasible = 1e-9;  // sums of a few coordinates, rounded

std::vector<double> spread(const Row& row, std::size_t features) {
  std::vector<double> out(features);
  for (std::size_t k = 0; k < row.count; ++k) out[row.index(k)] = row.value(k);
  return out;
}

// At most `most` of the rows seen for which `wanted` is true, spread evenly over them.
template <class Wanted>
std::vector<const Row*> some_of(std::span<const Row> seen, std::size_t most, const Wanted& wanted) {
  std::vector<const Row*> all, out;
  for (const Row& row : seen)
    if (wanted(row)) all.push_back(&row);
  for (std::size_t k = 0; k < std::min(most, all.size()); ++k)
    out.push_back(all[k * all.size() / std::min(most, all.size())]);
  return out;
}

bool inside(const TaskAdvice& advice, const TaskAdvice::Set& set, const std::vector<double>& point) {
  return std::all_of(set.rows.begin(), set.rows.end(), [&](const AdviceRow& row) {
    double room = row.bound;
    for (const auto& [feature, coefficient] : row.terms) room -= coefficient * point[advice.place(feature)];
    return row.equality ? std::fabs(room) <= kFeasible : room >= -kFeasible;
  });
}

// A point of the region whose yes/no features are one or the other: each is rounded by chance, by how near it is. If that leads out
// of the region again and again, the point as it is.
std::vector<double> with_whole_answers(const TaskAdvice& advice, const TaskAdvice::Set& set,
                                       const std::vector<double>& point, Random& random) {
  constexpr int kTries = 20;
  for (int k = 0; k < kTries; ++k) {
    std::vector<double> out = point;
    for (std::size_t f = 0; f < out.size(); ++f)
      if (const TaskAdvice::Feature& feature = advice.features[f]; feature.yes_no)
        out[f] = random.uniform() * (feature.high - feature.low) < out[f] - feature.low ? feature.high : feature.low;
    if (inside(advice, set, out)) return out;
  }
  return point;
}

}  // namespace

std::vector<PseudoRow> pseudo_rows(const TaskAdvice& advice, std::size_t points, std::size_t features,
                                   std::span<const Row> seen) {
  std::map<std::pair<std::uint32_t, double>, std::vector<const TaskAdvice::Set*>>
      by_rule;  // and side: of a number, two
  for (const TaskAdvice::Set& set : advice.sets) by_rule[{set.rule, set.z}].push_back(&set);
  std::vector<PseudoRow> out;
  Random random(0);
  // Points drawn are as good as rows where rules are about numbers; of categories they may have several at once.
  const bool answers =
      std::all_of(advice.features.begin(), advice.features.end(), [](const auto& feature) { return feature.yes_no; });
  std::size_t other = 0;  // whose values features get that no rule names
  for (const auto& entry : by_rule) {
    const auto& sets = entry.second;
    const double weight = sets[0]->trust / static_cast<double>(points);
    const auto stand_for_it = [&](std::vector<double> x) {
      const Row row{.values = x.data(), .count = static_cast<std::uint32_t>(x.size())};
      const double margin = sets[0]->margin + sets[0]->z * sets[0]->target.at(row);
      out.push_back({std::move(x), sets[0]->z, weight, margin});
    };
    const std::vector<const Row*> held = some_of(seen, answers ? points : points / 2, [&](const Row& row) {
      return std::binary_search(row.holds.begin(), row.holds.end(), entry.first.first);
    });
    for (const Row* row : held) stand_for_it(spread(*row, features));
    if (held.size() == points) continue;
    std::vector<RegionPoints> regions;
    for (const TaskAdvice::Set* set : sets) regions.emplace_back(advice, *set);
    for (std::size_t turn = 0; held.size() + turn < points; ++turn) {
      const TaskAdvice::Set& set = *sets[turn % sets.size()];
      const std::vector<double> point =
          with_whole_answers(advice, set, regions[turn % sets.size()].next(random), random);
      std::vector<double> x =
          seen.empty() ? std::vector<double>(features) : spread(seen[other++ % seen.size()], features);
      for (std::size_t f = 0; f < point.size(); ++f)
        if (advice.features[f].number < features) x[advice.features[f].number] = point[f];
      stand_for_it(std::move(x));
    }
  }
  // Where nearly all rules say the same, rows on which none holds speak for the other side.
  if (!answers || advice.of_numbers) return out;
  RuleVoices voices;
  voices.take(advice.rules);
  if (voices.silent() == 0 || std::none_of(seen.begin(), seen.end(), [&](const Row& row) { return voices.hold(row); }))
    return out;
  const std::vector<const Row*> silent = some_of(seen, points, [&](const Row& row) { return !voices.hold(row); });
  for (std::size_t k = 0; k < points && !silent.empty(); ++k)
    out.push_back({spread(*silent[k % silent.size()], features), voices.silent(), 1 / static_cast<double>(points), 1});
  return out;
}

}  // namespace postil
