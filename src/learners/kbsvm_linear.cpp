// kbsvm_linear.cpp: the knowledge-based support vector machine with absolute losses.
//
// Source   Fung, Mangasarian and Shavlik, NIPS 2002   [fung2002kbsvm]; the mixed form is that of the slides of 000, with eta of
//          free sign (docs/mathematics.md A5).
// Problem  min |w|_1 or 1/2|w|^2  + lambda sum xi + mu sum_i trust_i (e'rho_i + zeta_i)
//          s.t. y (w'x + b) + xi >= 1,  -rho_i <= D_i'u_i + z_i w <= rho_i,  zeta_i >= g_i + d_i'u_i - z_i b,  xi, u, zeta >= 0
//          hard: rho_i = 0, zeta_i = 0
//          Regression: |y - w'x - b| <= epsilon + xi;  w - h_i and b - c_i in place of w and b in set i, whose target is h_i'x + c_i
//          Directions: mu trust kappa, kappa >= -z s_j w_j, kappa >= 0; hard: z w_j >= 0.
// Choices  A feature that no rule names has rho_i = |w_j| for every i: its weight costs that much more, or is 0 if hard.
#include <fmt/format.h>

#include <cmath>

#include "core/math.hpp"
#include "kbsvm.hpp"
#include "postil/error.hpp"
#include "solvers/linear_program.hpp"
#include "solvers/quadratic_program.hpp"

namespace postil {
namespace {

constexpr std::size_t kWidestMixed = 2000;  // its system is dense in the features

using Terms = std::vector<std::pair<std::uint32_t, double>>;

// One builder for both programs.
template <class Program>
class Builder {
 public:
  Builder(const KbsvmProblem& problem, Program& program) : problem_(problem), program_(program) {
    double trust = 0;
    for (const TaskAdvice::Set& set : problem.advice.sets) trust += set.trust;
    named_.assign(problem.features, false);
    for (const TaskAdvice::Feature& f : problem.advice.features) named_[f.number] = true;
    unnamed_cost_ = problem.mu * trust;
  }

  void build() {
    for (std::uint32_t j = 0; j < problem_.features; ++j) add_weight(j);
    if (problem_.bias) bias_ = free_column();
    for (const KbsvmProblem::Example& e : problem_.examples) add_example(e);
    for (const TaskAdvice::Set& set : problem_.advice.sets) add_set(set);
    for (const TaskAdvice::Sign& sign : problem_.advice.directions) add_direction(sign);
  }
  [[nodiscard]] LinearModel model(const std::vector<double>& x) const {
    LinearModel out;
    for (const Terms& terms : w_) {
      double sum = 0;
      for (const auto& [column, sign] : terms) sum += sign * x[column];
      out.weights.push_back(sum);
    }
    if (problem_.bias) out.bias = x[bias_];
    return out;
  }

 private:
  std::uint32_t column(double cost, double quadratic, double lower) {
    if constexpr (std::is_same_v<Program, LinearProgram>)
      return program_.add_column(cost, lower, kInfinity);
    else
      return program_.add_column(cost, quadratic, lower);
  }
  std::uint32_t free_column() { return column(0, 0, -kInfinity); }

  // w_j as one free column, or as the difference of two whose sum is |w_j|.
  void add_weight(std::uint32_t j) {
    const bool rest = !named_[j] && !problem_.advice.sets.empty();
    if (rest && problem_.hard) {
      w_.emplace_back();
      return;
    }
    const double extra = rest ? unnamed_cost_ : 0;
    if constexpr (std::is_same_v<Program, LinearProgram>) {
      w_.push_back({{column(1 + extra, 0, 0), 1.0}, {column(1 + extra, 0, 0), -1.0}});
    } else {
      const std::uint32_t w = column(0, 1, -kInfinity);
      w_.push_back({{w, 1.0}});
      if (extra == 0) return;
      const std::uint32_t size = column(extra, 0, 0);
      add_row({{size, 1.0}, {w, -1.0}}, 0, kInfinity);
      add_row({{size, 1.0}, {w, 1.0}}, 0, kInfinity);
    }
  }
  void add_score(Terms& terms, std::uint32_t feature, double factor) const {
    for (const auto& [column, sign] : w_[feature]) terms.emplace_back(column, factor * sign);
  }
  void add_example(const KbsvmProblem::Example& e) {
    const std::uint32_t slack = column(problem_.lambda * e.weight, 0, 0);
    const auto at_least = [&](double z, double margin) {  // z f + xi >= margin
      Terms terms{{slack, 1.0}};
      for (std::size_t k = 0; k < e.x.count; ++k)
        if (e.x.value(k) != 0) add_score(terms, e.x.index(k), z * e.x.value(k));
      if (problem_.bias) terms.emplace_back(bias_, z);
      add_row(terms, margin, kInfinity);
    };
    if (!problem_.epsilon) return at_least(e.y, 1);
    at_least(1, e.y - *problem_.epsilon);
    at_least(-1, -e.y - *problem_.epsilon);
  }
  void add_set(const TaskAdvice::Set& set) {
    const std::vector<TaskAdvice::Feature>& features = problem_.advice.features;
    std::vector<Terms> balance(features.size());  // D'u + z w ...
    std::vector<double> target(features.size());  // ... against z h
    Terms margin;                                 // zeta - d'u + z b >= g + z c
    for (const auto& [feature, coefficient] : set.target.terms)
      target[problem_.advice.place(feature)] = set.z * coefficient;
    const double cost = problem_.mu * set.trust;
    if (!problem_.hard) margin.emplace_back(column(cost, 0, 0), 1.0);
    if (problem_.bias) margin.emplace_back(bias_, set.z);
    const auto multiplier = [&](double d, bool free) {
      const std::uint32_t u = column(0, 0, free ? -kInfinity : 0);
      if (d != 0) margin.emplace_back(u, -d);
      return u;
    };
    for (const AdviceRow& row : set.rows) {
      const std::uint32_t u = multiplier(row.bound, row.equality);
      for (const auto& [feature, coefficient] : row.terms)
        balance[problem_.advice.place(feature)].emplace_back(u, coefficient);
    }
    for (std::size_t f = 0; f < features.size(); ++f) {
      if (std::isfinite(features[f].high)) balance[f].emplace_back(multiplier(features[f].high, false), 1.0);
      if (std::isfinite(features[f].low)) balance[f].emplace_back(multiplier(-features[f].low, false), -1.0);
      add_score(balance[f], features[f].number, set.z);
      if (problem_.hard) {
        add_row(balance[f], target[f], target[f]);
        continue;
      }
      const std::uint32_t rho = column(cost, 0, 0);
      Terms below = balance[f];
      below.emplace_back(rho, 1.0);
      add_row(below, target[f], kInfinity);
      below.back().second = -1;
      add_row(below, -kInfinity, target[f]);
    }
    add_row(margin, set.margin + set.z * set.target.constant, kInfinity);
  }
  void add_direction(const TaskAdvice::Sign& sign) {
    Terms terms;
    add_score(terms, sign.feature, sign.z * problem_.advice.features[problem_.advice.place(sign.feature)].spread());
    if (!problem_.hard) terms.emplace_back(column(problem_.mu * sign.trust, 0, 0), 1.0);
    add_row(terms, 0, kInfinity);
  }
  void add_row(const Terms& terms, double low, double high) { program_.add_row(terms, low, high); }

  const KbsvmProblem& problem_;
  Program& program_;
  std::vector<bool> named_;
  double unnamed_cost_ = 0;
  std::vector<Terms> w_;  // each weight as a sum of columns
  std::uint32_t bias_ = 0;
};

bool converged(const LinearProgram::Solution& found) { return found.status == LinearProgram::Status::optimal; }
bool converged(const QuadraticProgram::Solution& found) { return found.converged; }

template <class Program>
KbsvmSolution solve(const KbsvmProblem& problem) {
  Program program;
  Builder builder(problem, program);
  builder.build();
  const auto found = program.solve();
  const bool done = converged(found);
  return {builder.model(found.x),
          {found.objective, found.residual, static_cast<std::uint64_t>(found.iterations), done,
           done ? "solved" : "did not converge"}};
}

}  // namespace

KbsvmSolution solve_kbsvm_linear(const KbsvmProblem& problem, bool quadratic_norm) {
  if (!quadratic_norm) return solve<LinearProgram>(problem);
  if (problem.features > kWidestMixed)
    throw ParamError({.code = Code::too_many,
                      .subject = {"parameter", "form"},
                      .message = fmt::format("kbsvm: form=mixed is for at most {} features, there are {}", kWidestMixed,
                                             problem.features),
                      .found = fmt::format("{} features", problem.features),
                      .expected = fmt::format("at most {}", kWidestMixed),
                      .remedy = Text(Option{"set", "form", "l2"}, " has no such limit")});
  return solve<QuadraticProgram>(problem);
}

}  // namespace postil
