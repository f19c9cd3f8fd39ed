// certify.cpp: does a linear model obey a rule everywhere?
//
//   min z w'x over D x <= d, the domain, one-hot columns summing to at most 1: a linear program. Its multipliers are the
//   proof; they are not believed but multiplied out again (weak duality), so a mistake of the solver cannot prove anything.
#include <algorithm>
#include <cmath>

#include "core/math.hpp"
#include "postil/rules.hpp"
#include "region.hpp"

namespace postil {
namespace {

constexpr double kProofTolerance = 1e-7;  // relative to the largest number in the proof

struct Problem {
  LinearProgram program;
  std::map<std::uint32_t, std::uint32_t> column;
  std::map<std::uint32_t, double> unit;  // x = unit x'
  std::vector<std::vector<std::uint32_t>> groups;
};

// A power of two in whose units a feature has numbers of an ordinary size, as far as its bounds tell, else its weight.
double unit_for(double bound, double weight) {
  constexpr double kOrdinary = 1e6;
  const double size = bound == 0 && std::fabs(weight) > kOrdinary ? 1 / std::fabs(weight) : bound;
  return size == 0 || (size >= 1 / kOrdinary && size <= kOrdinary) ? 1 : std::ldexp(1, std::ilogb(size));
}

// `reach`: the farthest that a feature without a known range may go.
Problem make(const AdviceSet& set, const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
             std::span<const double> weights, double reach) {
  Problem out;
  std::map<std::uint32_t, double> used;  // and the largest bound that is known of each
  for (const AdviceRow& row : set.rows)
    for (const auto& [feature, coefficient] : row.terms) {
      double& bound = used[feature];
      if (row.terms.size() == 1) bound = std::max(bound, std::fabs(row.bound / coefficient));
    }
  for (std::uint32_t j = 0; j < weights.size(); ++j)
    if (weights[j] != 0) used.emplace(j, 0);
  for (auto& [j, bound] : used) {
    for (const double end : {box.low[j], box.high[j]})
      if (std::isfinite(end)) bound = std::max(bound, std::fabs(end));
    const double unit = out.unit[j] = unit_for(bound, weights[j]);
    out.column[j] =
        out.program.add_column(set.z * weights[j] * unit, std::isfinite(box.low[j]) ? box.low[j] / unit : -reach,
                               std::isfinite(box.high[j]) ? box.high[j] / unit : reach);
  }
  std::vector<std::pair<std::uint32_t, double>> terms;
  for (const AdviceRow& row : set.rows) {
    terms.clear();
    for (const auto& [feature, coefficient] : row.terms)
      terms.emplace_back(out.column.at(feature), coefficient * out.unit.at(feature));
    out.program.add_row(terms, row.equality ? row.bound : -kInfinity, row.bound);
  }
  for (const std::vector<std::uint32_t>& group : one_of) {
    terms.clear();
    std::vector<std::uint32_t> members;
    for (const std::uint32_t feature : group)
      if (out.column.contains(feature)) {
        terms.emplace_back(out.column.at(feature), out.unit.at(feature));
        members.push_back(feature);
      }
    if (members.size() < 2) continue;
    out.program.add_row(terms, -kInfinity, 1);
    out.groups.push_back(std::move(members));
  }
  return out;
}

// Fills in what the multipliers prove.
void prove(const AdviceSet& set, const Box& box, const Problem& problem, std::span<const double> weights, double bias,
           std::span<const double> multipliers, Certificate& out) {
  std::map<std::uint32_t, double> rest;  // z w + D'u + groups
  for (const auto& [feature, column] : problem.column) rest[feature] = set.z * weights[feature];
  out.proven = set.z * bias;
  double largest = std::fabs(out.proven);
  const auto use = [&](double u, double d, const auto& terms) {
    out.proven -= u * d;
    largest = std::max(largest, std::fabs(u * d));
    for (const auto& [feature, coefficient] : terms) rest[feature] += u * coefficient;
  };
  for (std::size_t k = 0; k < set.rows.size(); ++k) {
    const AdviceRow& row = set.rows[k];
    const double u = row.equality ? -multipliers[k] : std::max(0.0, -multipliers[k]);
    out.u.push_back(u);
    use(u, row.bound, row.terms);
  }
  for (std::size_t g = 0; g < problem.groups.size(); ++g) {
    const double u = std::max(0.0, -multipliers[set.rows.size() + g]);
    out.groups.push_back(u);
    std::vector<std::pair<std::uint32_t, double>> terms;
    for (const std::uint32_t feature : problem.groups[g]) terms.emplace_back(feature, 1);
    use(u, 1, terms);
  }
  for (const auto& [feature, value] : rest) {  // what is left is for the domain's ends: value + p - q = 0
    const double end = value > 0 ? box.low[feature] : box.high[feature];
    if (value == 0) continue;
    if (!std::isfinite(end)) {
      out.residual = std::max(out.residual, std::fabs(value));
      continue;
    }
    (value > 0 ? out.low : out.high)[feature] = std::fabs(value);
    out.proven += value * end;  // low q - high p
    largest = std::max(largest, std::fabs(value * end));
  }
  double size = 0;
  for (const auto& [feature, column] : problem.column) size = std::max(size, std::fabs(weights[feature]));
  out.obeyed = out.residual <= kProofTolerance * (size + 1e-300) && out.proven >= -kProofTolerance * largest;
}

}  // namespace

Certificate certify(const AdviceSet& set, const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
                    std::span<const double> model_weights, double bias) {
  std::vector<double> weights(model_weights.begin(), model_weights.end());  // of score - target
  for (const auto& [feature, coefficient] : set.target.terms) weights[feature] -= coefficient;
  bias -= set.target.constant;
  Certificate out;
  const Problem problem = make(set, box, one_of, weights, kInfinity);
  LinearProgram::Solution found = problem.program.solve();
  if (found.status == LinearProgram::Status::optimal) {
    out.worst = found.objective + set.z * bias;
    prove(set, box, problem, weights, bias, found.multipliers, out);
    if (out.obeyed) return out;
    out.u.clear();
    out.low.clear();
    out.high.clear();
    out.groups.clear();
  } else if (found.status == LinearProgram::Status::infeasible) {  // no point at all: nothing to break
    out.obeyed = true;
    out.worst = out.proven = kInfinity;
    return out;
  } else {
    out.worst = -kInfinity;
    out.known = false;
    // The score falls for ever in some direction: a point far enough along it.
    for (int decade = 0; decade < 15 && !out.known; ++decade) {
      found = make(set, box, one_of, weights, std::pow(10, decade)).program.solve();
      out.known = found.status == LinearProgram::Status::optimal && found.objective + set.z * bias < 0;
    }
    if (!out.known) return out;
  }
  for (const auto& [feature, column] : problem.column)
    out.counterexample[feature] = found.x[column] * problem.unit.at(feature);
  return out;
}

}  // namespace postil
