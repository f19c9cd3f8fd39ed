// The closed cone over a polyhedron, K = {(y, gamma): y in gamma R, gamma >= 0} with R = {x: low <= x <= high, A x <= a},
// and the projection of points onto it.
//
// Why it is here: the loss of an advice set at (w, b), min over u >= 0 of |D'u + z w|^2 + (g + d'u - z b)_+^2, has for its
// dual the projection of (-z w, g - z b) onto the cone over the set's region. The projection (y, gamma) holds all there is
// to know: the loss is |y|^2 + gamma^2, its gradient -2 z (y, gamma), and y / gamma is the point of the region at which
// the model is worst. The bounds of single features, which are most of a set's rows, cost no multiplier of their own:
// given gamma and the multipliers v of the rows A, y is a clipped vector.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace postil {

class RegionCone {
 public:
  struct Row {
    std::vector<std::pair<std::uint32_t, double>> terms;  // not all of them 0
    double bound = 0;
    bool equality = false;
  };

  // Needs: low <= high, infinite where there is no bound.
  RegionCone(std::vector<double> low, std::vector<double> high, std::vector<Row> rows);

  // Projects (p, beta); begins with the multipliers of the last time.
  void project(std::span<const double> p, double beta);
  void forget() { std::fill(v_.begin(), v_.end(), 0); }  // these
  [[nodiscard]] std::span<const double> y() const { return y_; }
  [[nodiscard]] double gamma() const { return gamma_; }
  [[nodiscard]] double squared_length() const { return length_; }
  // Multipliers: of the rows, and of the bounds as p - y - A'v (positive: the upper bound's, negative: the lower one's).
  [[nodiscard]] std::span<const double> row_multipliers() const { return v_; }
  [[nodiscard]] double bound_multiplier(std::size_t j) const { return t_[j] - y_[j]; }
  [[nodiscard]] bool converged() const { return converged_; }

  // Adds factor times the projection's derivative at the last point, applied to (dp, dbeta): an orthogonal projector.
  void add_derivative(double factor, std::span<const double> dp, double dbeta, std::span<double> out,
                      double& out_beta) const;
  // Adds factor times that projector's diagonal, from above.
  void add_diagonal(double factor, std::span<double> out, double& out_beta) const;

 private:
  void evaluate();                                  // y, gamma and the squared length, given v
  void settle_face();                               // what add_derivative needs
  [[nodiscard]] double slope(std::size_t k) const;  // of half the squared length along v_k
  [[nodiscard]] bool inside(std::size_t j) const { return t_[j] == y_[j]; }

  std::vector<double> low_, high_;
  std::vector<Row> rows_;
  std::span<const double> p_;
  double beta_ = 0;
  std::vector<double> v_, t_, y_;  // t = p - A'v
  double gamma_ = 0, length_ = 0;
  bool converged_ = true;

  // The face of K that holds the projection: y of the features inside their bounds is free, y of the others is gamma times
  // the bound, and the rows with multipliers hold.
  std::vector<double> s_;        // that bound; 0 for the features inside
  double sq_ = 1;                // 1 + |s|^2
  std::vector<std::size_t> on_;  // rows that hold
  std::vector<double> q_;        // a - A s of those
  std::vector<double> factor_;   // Cholesky factor of A_F A_F' + q q' / (1 + |s|^2), row by row
  mutable std::vector<double> work_;
};

}  // namespace postil
