// sampled_hyperplane.cpp: rules as points drawn from their regions.
#include "advice_hyperplane.hpp"
#include "region_points.hpp"

namespace postil {
namespace {

constexpr int kPoints = 200;  // a set

}  // namespace

AdviceHyperplane sampled_hyperplane(const TaskAdvice& advice, const HyperplaneOptions& options) {
  TaskAdvice points;
  points.features = advice.features;
  points.directions = advice.directions;
  Random random(0);
  for (const TaskAdvice::Set& set : advice.sets) {
    RegionPoints region(advice, set);
    for (int k = 0; k < kPoints; ++k) {
      const std::vector<double>& x = region.next(random);
      TaskAdvice::Set point{set.rule, set.z, set.trust / kPoints, set.margin, {}, set.name};
      for (std::size_t f = 0; f < x.size(); ++f)
        point.rows.push_back({{{advice.features[f].number, 1.0}}, x[f], false, true});
      points.sets.push_back(std::move(point));
    }
  }
  AdviceHyperplane out = advice_hyperplane(points, options);
  const std::vector<AdviceHyperplane::Set> drawn = std::move(out.sets);
  out.sets.clear();
  for (std::size_t i = 0; i < advice.sets.size(); ++i) {
    AdviceHyperplane::Set set{std::vector<double>(advice.features.size()),
                              std::vector<double>(advice.sets[i].rows.size()),
                              std::vector<double>(advice.features.size()),
                              {}};
    for (std::size_t k = i * kPoints; k < (i + 1) * kPoints; ++k)
      for (std::size_t f = 0; f < set.force.size(); ++f) {
        set.force[f] += drawn[k].force[f];
        set.estimate[f] += drawn[k].estimate[f] / kPoints;
      }
    out.sets.push_back(std::move(set));
  }
  return out;
}

}  // namespace postil
