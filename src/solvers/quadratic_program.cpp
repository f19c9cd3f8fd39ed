#include "quadratic_program.hpp"
#include "postil/watch.hpp"

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <limits>

namespace postil {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::SparseMatrix<double>;

constexpr int kMostSteps = 200;
constexpr double kRegular = 1e-8;  // keeps the system of free columns and repeated equalities regular
constexpr double kRelative = 1e-12;
constexpr int kRefinements = 3;
constexpr double kGoodEnough = 1e-6;  // where rounding lets it come no further

template <class Rows>
Matrix matrix_of(const Rows& rows, Eigen::Index columns) {
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (const auto& [column, value] : rows[r].terms)
      entries.emplace_back(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(column), value);
  Matrix out(static_cast<Eigen::Index>(rows.size()), columns);
  out.setFromTriplets(entries.begin(), entries.end());
  return out;
}
template <class Rows>
Vector bounds_of(const Rows& rows) {
  Vector out(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) out[static_cast<Eigen::Index>(r)] = rows[r].bound;
  return out;
}

// The longest step, up to 1, that keeps v + step d positive.
double longest(const Vector& v, const Vector& d) {
  double step = 1;
  for (Eigen::Index k = 0; k < v.size(); ++k)
    if (d[k] < 0) step = std::min(step, -v[k] / d[k]);
  return step;
}

}  // namespace

std::uint32_t QuadraticProgram::add_column(double cost, double quadratic, double lower) {
  const auto number = static_cast<std::uint32_t>(cost_.size());
  cost_.push_back(cost);
  quadratic_.push_back(quadratic);
  if (std::isfinite(lower)) above_.push_back({{{number, 1.0}}, lower});
  return number;
}

void QuadraticProgram::add_row(std::span<const std::pair<std::uint32_t, double>> terms, double low, double high) {
  Row row{{terms.begin(), terms.end()}, low};
  if (low == high) {
    equal_.push_back(std::move(row));
    return;
  }
  if (std::isfinite(low)) above_.push_back(row);
  if (!std::isfinite(high)) return;
  row.bound = -high;
  for (auto& [column, value] : row.terms) value = -value;
  above_.push_back(std::move(row));
}

// With s = Gx - h > 0, multipliers l > 0 of G and v of E:   Qx + c = G'l + E'v,  Ex = e,  s_k l_k = mu -> 0.
// A step solves [Q + G'(l/s)G, E'; E, 0] (dx, -dv) = ..., first towards mu = 0, then with the mu and the second-order term
// that this promises.
QuadraticProgram::Solution QuadraticProgram::solve(double tolerance) const {
  const auto n = static_cast<Eigen::Index>(cost_.size());
  const Matrix G = matrix_of(above_, n), E = matrix_of(equal_, n);
  const Vector h = bounds_of(above_), e = bounds_of(equal_);
  const Eigen::Map<const Vector> c(cost_.data(), n), q(quadratic_.data(), n);
  const Eigen::Index m = h.size(), p = e.size();
  Vector x = Vector::Zero(n), l = Vector::Ones(m), v = Vector::Zero(p);
  Vector s = (G * x - h).cwiseAbs().cwiseMax(1);
  const double size = 1 + std::max({c.size() > 0 ? c.cwiseAbs().maxCoeff() : 0, m > 0 ? h.cwiseAbs().maxCoeff() : 0,
                                    p > 0 ? e.cwiseAbs().maxCoeff() : 0});
  Eigen::SimplicialLDLT<Matrix> system;
  const Matrix Gt = G.transpose(), Et = E.transpose();
  bool analysed = false;
  Solution out;
  Vector kept = x;  // the best so far
  double best = std::numeric_limits<double>::infinity();
  const auto largest = [](const Vector& of) { return of.size() > 0 ? of.cwiseAbs().maxCoeff() : 0; };
  for (; out.iterations < kMostSteps; ++out.iterations) {
    look_up("iterations", out.iterations);
    const Vector dual = q.cwiseProduct(x) + c - Gt * l - Et * v, primal = G * x - s - h, equal = E * x - e;
    const double mu = m > 0 ? s.dot(l) / static_cast<double>(m) : 0;
    const double value = std::fabs(c.dot(x)) + x.dot(q.cwiseProduct(x)) / 2;
    out.residual = std::max({largest(dual), largest(primal), largest(equal)}) / size;
    if (m > 0) out.residual = std::max(out.residual, s.dot(l) / (1 + value));
    if (out.residual < best) {
      best = out.residual;
      kept = x;
    }
    if (out.residual <= tolerance || out.residual > 1e3 * best) break;

    const Vector weight = l.cwiseQuotient(s);
    Matrix H = Gt * weight.asDiagonal() * G;
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index k = 0; k < H.outerSize(); ++k)
      for (Matrix::InnerIterator it(H, k); it; ++it)
        if (it.row() >= it.col()) entries.emplace_back(it.row(), it.col(), it.value());
    const Vector diagonal = H.diagonal();
    for (Eigen::Index k = 0; k < n; ++k) entries.emplace_back(k, k, q[k] + kRegular + kRelative * diagonal[k]);
    for (Eigen::Index k = 0; k < E.outerSize(); ++k)
      for (Matrix::InnerIterator it(E, k); it; ++it) entries.emplace_back(n + it.row(), it.col(), it.value());
    for (Eigen::Index k = 0; k < p; ++k) entries.emplace_back(n + k, n + k, -kRegular);
    Matrix kkt(n + p, n + p);
    kkt.setFromTriplets(entries.begin(), entries.end());
    if (!analysed) system.analyzePattern(kkt);
    analysed = true;
    system.factorize(kkt);
    if (system.info() != Eigen::Success) break;

    // Given what s l is to become short of.
    const auto step = [&](const Vector& product, Vector& dx, Vector& ds, Vector& dl, Vector& dv) {
      Vector right(n + p);
      right.head(n) = -dual - Gt * (product + l.cwiseProduct(primal)).cwiseQuotient(s);
      right.tail(p) = -equal;
      Vector solved = system.solve(right), left(n + p);
      for (int round = 0; round < kRefinements; ++round) {  // of the system without the regularisation
        const Vector top = solved.head(n), bottom = solved.tail(p);
        left.head(n) = right.head(n) - q.cwiseProduct(top) - Gt * weight.cwiseProduct(G * top) - Et * bottom;
        left.tail(p) = right.tail(p) - E * top;
        solved += system.solve(left);
      }
      dx = solved.head(n);
      dv = -solved.tail(p);
      ds = G * dx + primal;
      dl = -(product + l.cwiseProduct(ds)).cwiseQuotient(s);
    };
    Vector dx, ds, dl, dv;
    step(s.cwiseProduct(l), dx, ds, dl, dv);
    const double reach = std::min(longest(s, ds), longest(l, dl));
    const double after = m > 0 ? (s + reach * ds).dot(l + reach * dl) / static_cast<double>(m) : 0;
    const double sigma = mu > 0 ? std::pow(after / mu, 3) : 0;
    const Vector product = s.cwiseProduct(l) + ds.cwiseProduct(dl) - Vector::Constant(m, sigma * mu);
    step(product, dx, ds, dl, dv);
    const double length = 0.995 * std::min(longest(s, ds), longest(l, dl));
    x += length * dx;
    s += length * ds;
    l += length * dl;
    v += length * dv;
    if (!x.allFinite() || length < 1e-13) break;
  }
  x = kept;
  out.residual = best;
  out.converged = best <= std::max(tolerance, kGoodEnough);
  out.objective = c.dot(x) + x.dot(q.cwiseProduct(x)) / 2;
  out.x.assign(x.data(), x.data() + n);
  return out;
}

}  // namespace postil
