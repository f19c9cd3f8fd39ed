// What a logistic learner believes of its weights: a normal distribution, moved by one example at a time.
//
// Problem  min over w   omega log(1 + exp(-y (w'phi + o))) + 1/2 (w - w_t)' V^-1 (w - w_t)      for the example at hand
// Updates  f = w'phi,  u = V phi,  s = phi'u
//          a = omega sigma(-(y (f + o) + a s)), which has one root in [0, omega]
//          w += y a u,   c = omega p (1 - p) with p = a / omega,   V -= c/(1 + c s) u u'
//          a diagonal V: 1/V += c phi^2
// Forgets  with a memory of M rows: every M/10 rows V^-1 and V^-1 w go a tenth of the way back to what they began with.
//          A diagonal V does it when a column is next looked at: k steps back are one with .9^k.
// Cost     diagonal: O(values of phi). Full, while there are at most kWidestFull columns: their number squared, and to
//          forget their cube every M/10 rows.
// Choices  The minimiser is exact, and V takes the curvature there.  Test: Belief.StepSolvesItsProblem.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "postil/archive.hpp"
#include "postil/row.hpp"

namespace postil {

// a and c of the step, given y (f + o) and s.
struct LogisticStep {
  double a = 0, c = 0;
};
LogisticStep logistic_step(double margin, double s, double weight);

// The columns of one example, in blocks that a learner may see or not.
struct Phi {
  struct Held {
    std::uint32_t place;
    double value;
  };
  std::span<const double> few;   // of their own, the constant first
  std::span<const Held> rules;   // that hold
  Row x;                         // the row ...
  std::span<const double> mean;  // ... minus this, of all features; empty: as it is
};

class Belief {
 public:
  struct Normal {
    double mean = 0, variance = 0;  // variance 0: known for sure
  };
  static constexpr std::size_t kWidestFull = 80;

  Belief() = default;
  // Sees so many of the few columns; rules, if these are more than the constant; and the features of the row, whose weights begin
  // with mean 0, unless their variance is 0. `memory` in rows; 0: it forgets nothing.
  Belief(const std::vector<Normal>& few, const std::vector<Normal>& rules, std::size_t features, double x_variance,
         std::uint64_t memory = 0);

  void grow(std::size_t features);
  // Other rules: from[i] tells where rule i stood before, or kNew.
  static constexpr std::uint32_t kNew = UINT32_MAX;
  // `few` and `rules` are what their weights would begin with now.
  void rearrange_rules(std::span<const std::uint32_t> from, const std::vector<Normal>& few,
                       const std::vector<Normal>& rules);
  void take_x(const Belief& other);  // what another believes of the features; it has as many
  // Several that began as `start` and saw different examples: V^-1 and V^-1 w gain what each has added.
  void write_gains(const Belief& start, StateWriter& out, const std::string& name) const;
  void take_gains(StateReader& sums, const std::string& name);
  void turn_round();  // as if every label and every rule had said the opposite

  struct Look {
    double f = 0, s = 0;
  };
  [[nodiscard]] double score(const Phi& phi) const;
  [[nodiscard]] double variance(const Phi& phi) const;                             // s
  [[nodiscard]] std::vector<double> times(const Phi& phi) const;                   // u, of all columns
  [[nodiscard]] double along(const std::vector<double>& u, const Phi& phi) const;  // u'phi
  Look look(const Phi& phi);                                                       // f and s, before learn
  void learn(const Phi& phi, const Look& look, double y, double offset, double weight);

  [[nodiscard]] double few_mean(std::size_t i) const { return now(i).mean; }
  [[nodiscard]] double rule_mean(std::size_t i) const { return now(few_ + i).mean; }
  [[nodiscard]] double x_mean(std::size_t j) const { return now(few_ + rules_ + j).mean; }
  // f(feature, value) of the features it sees, as they are for it.
  template <class F>
  void for_each_feature(const Phi& phi, const F& f) const;
  [[nodiscard]] bool sees_x() const { return x_variance_ > 0; }
  [[nodiscard]] bool sees_rules() const { return few_ > 1; }
  [[nodiscard]] bool full() const { return !full_.empty(); }
  [[nodiscard]] std::uint64_t memory() const { return memory_; }

  void write(StateWriter& out, const std::string& name) const;
  void read(StateReader& in, const std::string& name);
  [[nodiscard]] bool fits(std::size_t features) const;

 private:
  [[nodiscard]] std::size_t size() const { return columns_.size() / 2; }
  [[nodiscard]] Normal start_of(std::size_t column) const {
    return column < start_.size() ? start_[column] : Normal{0, x_variance_};
  }
  [[nodiscard]] double steps() const { return memory_ == 0 ? 0 : static_cast<double>(age_ / (memory_ / 10)); }  // back
  [[nodiscard]] Normal now(std::size_t column) const;  // of a full V only the mean counts
  struct Natural {
    std::vector<double> precision, pull;
  };
  [[nodiscard]] Natural natural() const;
  void step_back();        // a full V
  void choose_form();      // full while it is small
  void become_diagonal();  // V = 1/diag(V^-1)
  template <class F>
  void visit(const Phi& phi, const F& f) const;  // f(column, value)

  std::size_t few_ = 0, rules_ = 0;
  std::vector<Normal> start_;  // of the few and the rules
  double x_variance_ = 1;
  std::vector<double> columns_;  // of each: mean, and variance if V is diagonal; the few, the rules, the features
  std::vector<double> full_;     // V; empty: diagonal
  std::uint64_t memory_ = 0, age_ = 0;  // in rows
  std::vector<double> fresh_;    // of each column of a diagonal V that forgets: steps() when it was last looked at
  std::vector<double> phi_, u_;  // work space of the full form
};

template <class F>
void Belief::for_each_feature(const Phi& phi, const F& f) const {
  const Row& x = phi.x;
  if (phi.mean.empty()) {
    for (std::size_t k = 0; k < x.count; ++k) f(x.index(k), x.value(k));
    return;
  }
  std::size_t k = 0;
  for (std::size_t j = 0; j < phi.mean.size(); ++j) {
    const bool there = k < x.count && x.index(k) == j;
    f(j, (there ? x.value(k) : 0) - phi.mean[j]);
    k += there ? 1 : 0;
  }
  for (; k < x.count; ++k) f(x.index(k), x.value(k));  // features that came later
}

}  // namespace postil
