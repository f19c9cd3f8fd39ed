#include "pseudo_rows.hpp"

#include <algorithm>
#include <map>

#include "advice/region_points.hpp"

namespace postil {
namespace {

std::vector<double> spread(const Row& row, std::size_t features) {
  std::vector<double> out(features);
  for (std::size_t k = 0; k < row.count; ++k) out[row.index(k)] = row.value(k);
  return out;
}

}  // namespace

std::vector<PseudoRow> pseudo_rows(const TaskAdvice& advice, std::size_t points, std::size_t features,
                                   std::span<const Row> seen) {
  std::map<std::uint32_t, std::vector<const TaskAdvice::Set*>> by_rule;
  for (const TaskAdvice::Set& set : advice.sets) by_rule[set.rule].push_back(&set);
  std::vector<PseudoRow> out;
  Random random(0);
  std::size_t other = 0;  // whose values features get that no rule names
  for (const auto& [rule, sets] : by_rule) {
    const double weight = sets[0]->trust / static_cast<double>(points);
    std::size_t count = 0;
    for (const Row& row : seen) {
      if (count == points / 2) break;
      if (!std::binary_search(row.holds.begin(), row.holds.end(), rule)) continue;
      out.push_back({spread(row, features), sets[0]->z, weight, sets[0]->margin});
      ++count;
    }
    std::vector<RegionPoints> regions;
    for (const TaskAdvice::Set* set : sets) regions.emplace_back(advice, *set);
    for (std::size_t turn = 0; count < points; ++count, ++turn) {
      const TaskAdvice::Set& set = *sets[turn % sets.size()];
      const std::vector<double>& point = regions[turn % sets.size()].next(random);
      PseudoRow row{seen.empty() ? std::vector<double>(features) : spread(seen[other++ % seen.size()], features), set.z,
                    weight, set.margin};
      for (std::size_t f = 0; f < point.size(); ++f)
        if (advice.features[f].number < features) row.x[advice.features[f].number] = point[f];
      out.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace postil
