// What rules cost a hyperplane: sum_i t_i/2 min over u >= 0 of |D_i'u + z_i w|^2 + (g_i + d_i'u - z_i b)_+^2, each set being
// the projection of (-z w, g - z b) onto the cone over its region (solvers/region_cone.hpp); and for directions t/2 (-z s w_j)_+^2
// with s the spread of feature j, its standard deviation. t is the rule's trust. A set with a target h'x + c has w - h and b - c
// in place of w and b.
#pragma once

#include <span>
#include <vector>

#include "postil/rules.hpp"
#include "solvers/region_cone.hpp"

namespace postil {

enum class Ranges : std::uint8_t { promised, seen };  // known of features; seen: where nothing is promised
// The known ranges of the advice's features, as far as they leave something of the set: what was seen may lie beside it.
Box known_ranges(const TaskAdvice& advice, const TaskAdvice::Set& set, Ranges ranges);
// A set's rows over the places of the advice's features.
std::vector<AdviceRow> rows_over_places(const TaskAdvice& advice, const TaskAdvice::Set& set);

class AdviceLoss {
 public:
  AdviceLoss(const TaskAdvice& advice, Ranges ranges);

  [[nodiscard]] std::size_t sets() const { return sets_.size(); }
  [[nodiscard]] double trust() const;  // its sum over the sets
  [[nodiscard]] const RegionCone& cone(std::size_t set) const { return sets_[set].cone; }
  [[nodiscard]] bool converged() const;

  // w: of the advice's features in their order.
  double value(std::span<const double> w, double b);
  void forget();  // with what the next projections would begin
  // At the w last valued.
  void add_gradient(double factor, std::span<double> g, double& g_bias) const;
  void add_hessian_times(double factor, std::span<const double> v, double v_bias, std::span<double> out,
                         double& out_bias) const;
  void add_hessian_diagonal(double factor, std::span<double> out, double& out_bias) const;

  // Multipliers u of a set's own rows; the set's estimate of the hypothesis, r = -z D'u, the known ranges' rows included; and
  // the point of its region at which the hyperplane is worst, if there is one.
  [[nodiscard]] std::vector<double> multipliers(std::size_t set) const;
  // The same followed by those of the promised ranges: of each feature the upper bound's, the lower one's, where there are.
  [[nodiscard]] std::vector<double> multipliers(std::size_t set, const TaskAdvice& advice) const;
  [[nodiscard]] std::vector<double> estimate(std::size_t set) const;
  [[nodiscard]] std::vector<double> ideal_point(std::size_t set) const;  // empty: the set costs nothing

  // For the method of multipliers: how far the rules are broken at the w last valued, the worst of them; and what each is
  // pulled by, as found there.
  struct Pulls {
    std::vector<std::pair<std::vector<double>, double>> sets;  // of w and b
    std::vector<double> signs;
  };
  [[nodiscard]] double broken() const;
  [[nodiscard]] Pulls pulls() const;
  void set_pulls(Pulls pulls, double divide);
  void clear_pulls();

 private:
  struct Set {
    RegionCone cone;
    double z, trust, margin;
    struct Own {          // a row of the set as the cone has it
      bool single;        // a bound of one feature, else one of the cone's rows
      std::size_t place;  // of the feature, or of the row
      double factor;      // its coefficient, or its length
      bool counts;        // the bound is the tightest
      bool equality;      // its multiplier may be negative
    };
    std::vector<Own> own;
    std::vector<double> target;  // h; c is in the margin
    std::vector<double> p;       // the point projected
    std::vector<double> pull;    // empty: none
    double pull_bias = 0;
  };
  struct Sign {
    std::size_t place;  // of the feature
    double z, trust, spread;
    double pull = 0, short_by = 0;  // at the w last valued
  };
  std::vector<Set> sets_;
  std::vector<Sign> signs_;
};

}  // namespace postil
