#include "one_hyperplane.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/math.hpp"
#include "solvers/linear_program.hpp"

namespace postil {

namespace {

// Features of which nothing tells one from another: the same coefficients in all rows and the same range. Solutions of the
// program stay solutions when two of them change places, and so does the mean over all changes: one of them stands for all.
struct Alike {
  std::uint32_t feature = 0;  // the first
  double count = 0;
};
std::vector<Alike> without_twins(std::span<const HyperplaneDemand> demands, const std::vector<std::uint32_t>& features,
                                 const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
                                 std::span<const Direction> signs) {
  std::map<std::uint32_t, std::vector<double>> marks;  // row, coefficient, row, coefficient, ...
  for (const std::uint32_t feature : features) marks[feature] = {box.low[feature], box.high[feature]};
  double row_number = 0;
  for (const HyperplaneDemand& set : demands)
    for (const AdviceRow& row : *set.rows) {
      for (const auto& [feature, coefficient] : row.terms)
        marks[feature].insert(marks[feature].end(), {row_number, coefficient});
      row_number += 1;
    }
  for (const HyperplaneDemand& set : demands) {
    if (set.target == nullptr) continue;
    for (const auto& [feature, coefficient] : set.target->terms)
      marks[feature].insert(marks[feature].end(), {row_number, coefficient});
    row_number += 1;
  }
  for (const std::vector<std::uint32_t>& group : one_of)
    for (const std::uint32_t feature : group)
      if (const auto found = marks.find(feature); found != marks.end())
        found->second.push_back(-1 - static_cast<double>(feature));
  for (const Direction& sign : signs)
    if (const auto found = marks.find(sign.feature); found != marks.end())
      found->second.push_back(-1 - static_cast<double>(sign.feature));
  std::map<std::vector<double>, std::size_t> seen;
  std::vector<Alike> out;
  for (const auto& [feature, mark] : marks) {
    const auto [place, is_new] = seen.emplace(mark, out.size());
    if (is_new) out.push_back({feature, 0});
    out[place->second].count += 1;
  }
  return out;
}

}  // namespace

// D_i'u_i + p_i - q_i + groups + z_i w = 0,  z_i b - d_i'u_i - high'p_i + low'q_i - groups >= margin_i for all sets i; with a
// target h'x + c, w - h and b - c in place of w and b
bool one_hyperplane_obeys(std::span<const HyperplaneDemand> demands, const std::vector<std::uint32_t>& features,
                          const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
                          std::span<const Direction> signs) {
  if (std::all_of(demands.begin(), demands.end(), [&](const HyperplaneDemand& set) {
        return set.z == demands[0].z && (set.target == nullptr || set.target->terms.empty());
      }))
    return true;  // w = 0 and a large b
  const std::vector<Alike> kept = without_twins(demands, features, box, one_of, signs);
  LinearProgram program;
  std::map<std::uint32_t, std::uint32_t> w;
  for (const Alike& like : kept) w[like.feature] = program.add_column(0, -kInfinity, kInfinity);
  const std::uint32_t b = program.add_column(0, -kInfinity, kInfinity);
  for (const Direction& sign : signs)
    if (const auto found = w.find(sign.feature); found != w.end())
      program.add_row(std::vector{std::pair(found->second, sign.z)}, 0, kInfinity);
  for (const HyperplaneDemand& set : demands) {
    std::map<std::uint32_t, std::vector<std::pair<std::uint32_t, double>>> balance;  // per feature
    std::vector<std::pair<std::uint32_t, double>> margin{{b, set.z}};
    for (const Alike& like : kept) balance[like.feature].emplace_back(w.at(like.feature), set.z);
    const auto multiplier = [&](double d, bool free) {
      const std::uint32_t u = program.add_column(0, free ? -kInfinity : 0, kInfinity);
      if (d != 0) margin.emplace_back(u, -d);
      return u;
    };
    for (const AdviceRow& row : *set.rows) {
      const std::uint32_t u = multiplier(row.bound, row.equality);
      for (const auto& [feature, coefficient] : row.terms)
        if (w.contains(feature)) balance[feature].emplace_back(u, coefficient);
    }
    for (const auto& [feature, count] : kept) {
      if (std::isfinite(box.high[feature]))
        balance[feature].emplace_back(multiplier(count * box.high[feature], false), 1);
      if (std::isfinite(box.low[feature]))
        balance[feature].emplace_back(multiplier(-count * box.low[feature], false), -1);
    }
    for (const std::vector<std::uint32_t>& group : one_of) {
      if (std::none_of(group.begin(), group.end(), [&](std::uint32_t f) { return w.contains(f); })) continue;
      const std::uint32_t u = multiplier(1, false);
      for (const std::uint32_t feature : group)
        if (w.contains(feature)) balance[feature].emplace_back(u, 1);
    }
    std::map<std::uint32_t, double> target;  // z times it
    if (set.target != nullptr)
      for (const auto& [feature, coefficient] : set.target->terms) target[feature] = set.z * coefficient;
    for (const auto& [feature, terms] : balance) {
      const auto found = target.find(feature);
      const double right = found == target.end() ? 0 : found->second;
      program.add_row(terms, right, right);
    }
    program.add_row(margin, set.margin + (set.target == nullptr ? 0 : set.z * set.target->constant), kInfinity);
  }
  return program.solve().status == LinearProgram::Status::optimal;
}

}  // namespace postil
