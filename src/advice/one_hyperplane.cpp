#include "one_hyperplane.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "solvers/linear_program.hpp"

namespace postil {

// D_i'u_i + p_i - q_i + groups + z_i w = 0,  z_i b - d_i'u_i - high'p_i + low'q_i - groups >= margin_i for all sets i
bool one_hyperplane_obeys(std::span<const HyperplaneDemand> demands, const std::vector<std::uint32_t>& features,
                          const Box& box, std::span<const std::vector<std::uint32_t>> one_of) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  LinearProgram program;
  std::map<std::uint32_t, std::uint32_t> w;
  for (const std::uint32_t feature : features) w[feature] = program.add_column(0, -kInfinity, kInfinity);
  const std::uint32_t b = program.add_column(0, -kInfinity, kInfinity);
  for (const HyperplaneDemand& set : demands) {
    std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, double>>> balance;  // per feature
    std::vector<std::pair<std::uint32_t, double>> margin{{b, set.z}};
    for (const std::uint32_t feature : features) balance[feature].emplace_back(w.at(feature), set.z);
    const auto multiplier = [&](double d, bool free) {
      const std::uint32_t u = program.add_column(0, free ? -kInfinity : 0, kInfinity);
      if (d != 0) margin.emplace_back(u, -d);
      return u;
    };
    for (const AdviceRow& row : *set.rows) {
      const std::uint32_t u = multiplier(row.bound, row.equality);
      for (const auto& [feature, coefficient] : row.terms) balance[feature].emplace_back(u, coefficient);
    }
    for (const std::uint32_t feature : features) {
      if (std::isfinite(box.high[feature])) balance[feature].emplace_back(multiplier(box.high[feature], false), 1);
      if (std::isfinite(box.low[feature])) balance[feature].emplace_back(multiplier(-box.low[feature], false), -1);
    }
    for (const std::vector<std::uint32_t>& group : one_of) {
      if (std::none_of(group.begin(), group.end(), [&](std::uint32_t f) { return w.contains(f); })) continue;
      const std::uint32_t u = multiplier(1, false);
      for (const std::uint32_t feature : group)
        if (w.contains(feature)) balance[feature].emplace_back(u, 1);
    }
    for (const auto& [feature, terms] : balance) program.add_row(terms, 0, 0);
    program.add_row(margin, set.margin, kInfinity);
  }
  return program.solve().status == LinearProgram::Status::optimal;
}

}  // namespace postil
