// esvm.cpp: the ellipsoidal support vector machine.
//
// Source   Momma, Hatano and Nakayama, Ellipsoidal Support Vector Machines, ACML 2010   [momma2010esvm],
//          corrected as in docs/mathematics.md part B
// Problem  relaxed (6)  min -r log|B| + (1-r) tr B + sum C_i xi_i   s.t. y_i (w'x_i + b) + xi_i >= x_i'B x_i/q_i,  |w| <= 1
//          exact   (5)  |E x_i| in place of x_i'B x_i/q_i;   iterated: (5) by linearising again at the last E
//          rho     (4)  with a margin t_i^2 rho as well;   sphere (1): nothing but that margin
// Solvers  (6): esvm_smo.cpp, esvm_centre.cpp (kernels), esvm_ascent.cpp (linear), esvm_interior.cpp; iterated: esvm_iterated.cpp;
//          the others: esvm_barrier.cpp.
// Kernels  (1), (4), (5): the rows' coordinates along an orthonormal basis of their span, F with K = FF', are linear rows.
// Score    w'phi(x) + b with |w| <= 1, as the paper normalises it.  Novelty: phi(x)'B phi(x).
// Rows     esvm_rows.cpp: scaling, C_i, what occurs twice.
// Choices  (4) keeps rho free, as printed. It does not become zero (footnote 1) but falls with lambda from the rho of (1) to
//          below zero.  Test: test_what_becomes_of_rho.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/kernels.hpp"
#include "esvm.hpp"
#include "esvm_rows.hpp"
#include "kernel.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("nu", "ν", 0.1, Range::positive, "how little losses weigh; useful values lie between 0.001 and 10"),
    number_param("one_minus_r", "1-r", 1e-6, {1e-8, 1, false, true},
                 "weight of the trace against the log-determinant, r before that"),
    kernel_param("linear"),
    kPairsParam,
    kGammaParam,
    kDegreeParam,
    kCoef0Param,
    choice_param("bias", "free", "none|free|augmented",
                 "none; a bias that costs nothing; a constant feature 1, inside |w| <= 1"),
    choice_param("problem", "relaxed", "relaxed|exact|iterated|rho|sphere",
                 "problem (6); (5); (5) by linearising (6) again at its last answer; (4), which has a margin rho too; "
                 "(1), which "
                 "has nothing else. exact, iterated and rho: for at most 100 features, or with kernels some 100 rows"),
    choice_param("margin", "soft", "soft|hard", "losses are allowed, or the rows must be separable"),
    choice_param(
        "solver", "auto", "auto|smo|newton|ipm|dca",
        "two multipliers at a time; analytic centre (hard margins); interior point; coordinate ascent (linear)"),
    choice_param(
        "c_form", "rank", "rank|norm|norm2|mean",
        "C of a row: min(n, m)/(nu m |x|), kernels 1/(nu |x|); 1/(nu |x|); 1/(nu |x|^2), as printed; 1/(nu m)"),
    choice_param("rows", "unit", "unit|given",
                 "q = |x|, whose answers do not depend on the unit; or q = 1, as printed"),
    number_param("lambda", "λ", 1, Range::positive, "problem=rho: weight of the ellipsoid against the margin"),
    number_param("tolerance", "", 1e-4, Range::positive, "of the duality gap, relative to r n"),
    flag_param("novelty", true, "kernels: keep what novelty needs, a number for each two support vectors")};

constexpr double kDegenerate = 1e-3;  // sqrt(q)/(r n)
constexpr double kRank = 1e-10;       // of the largest k(x, x): what counts as a dimension of the rows

// A round of the interior-point method takes seconds, and a gigabyte.
bool fits_interior(std::size_t features, std::size_t rows) {
  const double pairs = static_cast<double>(features) * static_cast<double>(features + 3) / 2,
               side = std::min(static_cast<double>(rows), pairs);
  return side <= kMostInterior && static_cast<double>(rows) * side <= 6e7;
}

class Esvm final : public KernelLearner {
 public:
  explicit Esvm(const Params& params) : KernelLearner(params) {
    const std::string &kernel = choice("kernel"), &solver = choice("solver"), &problem = choice("problem");
    const bool linear = kernel == "linear", hard = choice("margin") == "hard";
    const auto refuse = [](const std::string& message) {
      throw ParamError({.code = Code::conflict, .subject = {"learner", "esvm"}, .message = Text("esvm: ", message)});
    };
    if (problem != "relaxed" && solver != "auto" && solver != "ipm")
      refuse(fmt::format("problem={} is solved by solver=ipm", problem));
    if (solver == "dca" && !linear) refuse("solver=dca is for kernel=linear");
    if (solver == "newton" && (linear || !hard)) refuse("solver=newton is for margin=hard with a kernel");
    if ((problem == "rho" || problem == "sphere") && !hard && params.number("nu") >= 1)
      refuse(fmt::format("problem={} has no solution for nu of 1 and more", problem));
    if (problem == "rho" && hard)
      refuse("problem=rho with margin=hard: rho can take all that the ellipsoid leaves; use exact");
  }

  FitReport fit(const Sample& sample) override {
    KernelSample all = kernel_sample(params_, sample, features_);
    EsvmRows rows = esvm_rows(params_, all, features_);
    FitReport report = choice("problem") == "relaxed" ? fit_relaxed(all, rows) : fit_primal(all, rows);
    if (rows.empty > 0) report.status += fmt::format("; {} rows of zeros were left out", rows.empty);
    return report;
  }

  void write(StateWriter& out) const override { state(*this, out); }
  void read(StateReader& in) override { state(*this, in); }
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    transfer(archive, self.model_);
    if (self.linear_kernel()) {
      archive.tensor("B", self.metric_);
    } else {
      archive.tensor("B.factor", self.factor_);
      archive.tensor("B.roots", self.roots_);
    }
    if (self.choice("problem") != "relaxed") archive.number("rho", self.rho_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override {
    if (!KernelLearner::fits(features)) return false;
    if (linear_kernel()) {
      const std::size_t side = features + (augmented() ? 1 : 0);
      return roots_.empty() && (metric_.empty() || metric_.size() == side * side);
    }
    return metric_.empty() && factor_.size() == roots_.size() * (roots_.size() + 1) / 2 &&
           (roots_.empty() || roots_.size() == model_.support());
  }

  [[nodiscard]] std::optional<double> novelty(const Row& x) const override {
    if (!metric_.empty()) return quadratic(x);
    if (roots_.empty()) return std::nullopt;
    return kernel_novelty(x);
  }
  [[nodiscard]] std::optional<LearnedMetric> metric() const override {
    if (metric_.empty()) return std::nullopt;
    return LearnedMetric{metric_, augmented()};
  }

 private:
  [[nodiscard]] const std::string& choice(std::string_view name) const { return params_.choice(name); }
  [[nodiscard]] bool augmented() const { return choice("bias") == "augmented"; }
  [[nodiscard]] bool hard() const { return choice("margin") == "hard"; }
  [[nodiscard]] bool linear_kernel() const { return model_.kernel().kind == Kernel::Kind::linear; }

  // ---- problem (6) ----

  FitReport fit_relaxed(const KernelSample& all, EsvmRows& rows) {
    const EsvmProblem& problem = rows.problem;
    const EsvmSolution solution = linear_kernel() ? solve_linear(rows) : solve_kernel(rows);
    if (!solution.converged && !(solution.gap < std::numeric_limits<double>::infinity()))
      throw DataError({"", 0, 0},
                      fmt::format("{} after {} iterations{}", solution.status, solution.iterations,
                                  hard() ? "; the rows may not be separable, and margin=soft allows losses" : ""));
    FitReport report{solution.objective,  solution.gap / problem.whole(),
                     solution.iterations, solution.converged,
                     solution.status,     solution.gap};
    if (linear_kernel())  // the primal's value, with the constants that (9) leaves out
      report.objective += constants(rows, rows.features()) + solution.gap;
    const double near = std::max(1e-6, 10 * problem.tolerance);
    const auto at_bound = [&](std::size_t k) { return solution.a[k] >= (1 - near) * problem.upper[k]; };
    std::size_t inside[2] = {};  // by class: multipliers that are not at their bound
    for (std::size_t k = 0; k < solution.a.size(); ++k) inside[problem.y[k] > 0 ? 0 : 1] += at_bound(k) ? 0 : 1;
    const bool lost = inside[0] == 0 || inside[1] == 0;
    const bool loose = solution.norm / problem.whole() < kDegenerate || solution.norm < 2 * kLeastGamma;
    const bool pressed = solution.spent > 0.5 * problem.whole();  // the ellipsoid, by the rows rather than by its trace
    if (!hard() && (lost || (loose && !pressed)))
      report.status += "; nu is so large that all rows of a class count as losses, try a smaller nu";
    else if (!hard() && loose)
      report.status +=
          fmt::format("; nu is below nu*: |w| <= 1 is not active (|w| {:.3g}), try a larger nu", solution.length);
    keep(all, rows, solution);
    return report;
  }

  // The second answer if it is nearer to the optimum, with the steps of both.
  static EsvmSolution nearer(EsvmSolution first, EsvmSolution second) {
    const std::uint64_t steps = first.iterations + second.iterations;
    EsvmSolution& best = second.gap < first.gap || first.a.empty() ? second : first;
    best.iterations = steps;
    return std::move(best);
  }

  EsvmSolution solve_linear(EsvmRows& rows) const {
    const std::string& solver = choice("solver");
    if (hard()) separator(rows);  // throws if there is none
    EsvmSolution solution;
    const std::size_t features = rows.x.rows(), count = rows.of.size();
    const bool interior = fits_interior(features, count);
    // Hard margins: the ascent gets near the optimum but not to it in reasonable time. Few rows: its passes cost more than
    // the factors of the other (nu .1, 1400 x 256 pixels: 1.2 s against .6; 2000 x 180: .4 s against .9).
    const bool directly = interior && (hard() || count <= 8 * features);
    if (solver == "dca" || (solver == "auto" && !directly)) {
      solution = solve_esvm_ascent(rows.problem, rows.x, interior && solver == "auto" ? 5 : 20);
      if (solution.converged || solver == "dca" || !interior) return solution;
    }
    if (solver == "smo" ? count > kMostInterior : !interior)
      throw DataError(
          {.code = Code::too_many,
           .subject = {"parameter", "solver"},
           .message = fmt::format("solver={}: {} rows of {} features are too many for it", solver, count, features),
           .remedy = Text(Option{"set", "solver", "dca"}, " has no such limit")});
    if (solver == "smo") {
      rows.k = multiply_transposed(rows.x, rows.x);
      return solve_esvm_smo(rows.problem, rows.k);
    }
    EsvmSolution second = solve_esvm_interior_linear(rows.problem, rows.x, solution.a);
    return nearer(std::move(solution), std::move(second));
  }

  // What the dual (9) leaves out of (7), linear.
  static double constants(const EsvmRows& rows, std::size_t features) {
    const double r = rows.problem.r();
    return r * static_cast<double>(features) * (std::log(rows.problem.one_minus_r / r) + 1);
  }

  EsvmSolution solve_kernel(EsvmRows& rows) const {
    const std::string& solver = choice("solver");
    const EsvmProblem& problem = rows.problem;
    EsvmSolution solution;
    if (hard() && (solver == "auto" || solver == "newton")) {
      solution = solve_esvm_centre(problem, rows.k);
      if (solution.converged || solver == "newton") return solution;
    } else if (solver == "auto" || solver == "smo") {
      solution = solve_esvm_smo(problem, rows.k);
      if (solution.converged || solver == "smo") return solution;
    }
    if (rows.of.size() > kMostInterior) {
      if (!solution.a.empty()) return solution;
      throw DataError({.code = Code::too_many,
                       .subject = {"parameter", "solver"},
                       .message = fmt::format("solver=ipm: {} different rows are too many for it, at most {} are "
                                              "possible",
                                              rows.of.size(), kMostInterior),
                       .found = fmt::format("{} rows", rows.of.size()),
                       .expected = fmt::format("at most {}", kMostInterior)});
    }
    return nearer(std::move(solution), solve_esvm_interior(problem, rows.k));
  }

  // w = sum_i a_i y_i x_i/(2 gamma), B = r ((1-r) I + sum a_i x_i x_i')^-1, over the rows as scaled.
  void keep(const KernelSample& all, const EsvmRows& rows, const EsvmSolution& solution) {
    std::vector<double> coefficients(all.rows.size());
    double constant = 0;
    for (std::size_t i = 0; i < rows.of.size(); ++i) {
      const double beta = solution.a[i] * rows.problem.y[i] / (2 * solution.gamma * rows.length[i]);
      coefficients[rows.of[i]] = beta;
      constant += beta;
    }
    model_ = KernelModel(all, coefficients, augmented() ? constant : solution.bias, features_);
    metric_.clear();
    factor_.clear();
    roots_.clear();
    if (linear_kernel()) {
      metric_ = lifted(rows, esvm_metric(rows.problem, rows.x, solution.a));
      if (!solution.w.empty()) model_.set_linear(linear_model(lifted(rows, solution.w), solution.bias));
      return;
    }
    // k(x, x) of a new row is not among the numbers of a precomputed one.
    if (!params_.flag("novelty") || all.kernel.kind == Kernel::Kind::precomputed) return;
    // Over the support vectors: roots sqrt(a_i)/length_i, and the lower factor of (1-r) I + D K D row by row.
    std::vector<std::size_t> on;
    for (std::size_t i = 0; i < rows.of.size(); ++i)
      if (solution.a[i] > 0) on.push_back(i);
    Matrix n(on.size(), on.size());
    for (std::size_t j = 0; j < on.size(); ++j) {
      for (std::size_t i = j; i < on.size(); ++i)
        n(i, j) = std::sqrt(solution.a[on[i]] * solution.a[on[j]]) * rows.k(on[i], on[j]);
      n(j, j) += rows.problem.one_minus_r;
    }
    if (!factorise(n)) return;  // K is so nearly singular that there is nothing to tell
    for (std::size_t i = 0; i < on.size(); ++i) {
      roots_.push_back(std::sqrt(solution.a[on[i]]) / rows.length[on[i]]);
      for (std::size_t j = 0; j <= i; ++j) factor_.push_back(n(i, j));
    }
  }

  [[nodiscard]] LinearModel linear_model(const std::vector<double>& w, double bias) const {
    return {{w.begin(), w.begin() + static_cast<std::ptrdiff_t>(features_)}, augmented() ? w[features_] : bias};
  }

  // ---- problems (1), (4), (5) ----

  FitReport fit_primal(const KernelSample& all, EsvmRows& rows) {
    const std::string& name = choice("problem");
    RankFactor factor;
    if (!linear_kernel()) factor = coordinates(rows);
    EsvmPrimal primal;
    primal.ellipsoid = name != "sphere";
    check_size(rows, primal.ellipsoid);
    const bool with_rho = name == "rho" || name == "sphere";
    primal.lambda = name == "rho" ? params_.number("lambda") : 1;
    if (hard()) primal.inside = separator(rows);
    if (with_rho) {  // as printed: C_i = 1/(nu t_i^2), t_i^2 rho; divided by what the rows were divided by
      primal.examples = rows.examples;
      for (std::size_t i = 0; i < rows.of.size(); ++i) {
        const double t2 = rows.norm[i] * rows.norm[i];
        primal.margin.push_back(t2 / rows.length[i]);
        if (!hard()) rows.problem.upper[i] = rows.weight[i] * rows.length[i] / (params_.number("nu") * t2);
      }
      check_rho_is_bounded(rows, primal);
    }
    const EsvmPrimalSolution found = name == "iterated" ? solve_esvm_iterated(rows.problem, primal, rows.x)
                                                        : solve_esvm_barrier(rows.problem, primal, rows.x);
    rho_ = found.rho;
    keep(all, rows, factor, found);
    const double outside = primal.ellipsoid ? primal.lambda * constants(rows, rows.features() - rows.x.rows()) : 0;
    FitReport report{found.objective + outside,
                     found.gap / std::max(1.0, rows.problem.r() * static_cast<double>(rows.x.rows())),
                     found.iterations,
                     found.converged,
                     found.converged ? "solved (barrier" : "did not converge (barrier",
                     found.gap};
    report.status += name == "iterated" ? fmt::format(", {} linearisations)", found.linearisations) : ")";
    const double length = std::sqrt(dot(std::span<const double>(found.w), std::span<const double>(found.w)));
    if (length < 0.999)
      report.status += fmt::format("; |w| <= 1 is not active (|w| {:.3g}), try a {} nu", length,
                                   params_.number("nu") < 1 ? "larger" : "smaller");
    if (with_rho) report.status += fmt::format("; rho {:.6g}", found.rho);
    return report;
  }

  // K = FF': a row of F stands for phi(x_i).
  static RankFactor coordinates(EsvmRows& rows) {
    RankFactor factor = factorise_rank(rows.k, kRank);
    Matrix left = rows.k;
    double largest = 0, off = 0;
    for (std::size_t i = 0; i < left.rows(); ++i) largest = std::max(largest, left(i, i));
    add_outer(-1, factor.f, 1, left);
    for (std::size_t j = 0; j < left.columns(); ++j)
      for (std::size_t i = j; i < left.rows(); ++i) off = std::max(off, std::fabs(left(i, j)));
    if (off > 1e-6 * largest)
      throw DataError({"", 0, 0}, "the kernel matrix is not positive semidefinite, so it is not one of inner products");
    rows.x = Matrix(factor.f.columns(), factor.f.rows());
    for (std::size_t i = 0; i < factor.f.rows(); ++i)
      for (std::size_t j = 0; j < factor.f.columns(); ++j) rows.x(j, i) = factor.f(i, j);
    rows.problem.rank = static_cast<double>(rows.x.rows());
    return factor;
  }

  void check_size(const EsvmRows& rows, bool ellipsoid) const {
    const auto count = static_cast<double>(rows.of.size()), side = static_cast<double>(rows.x.rows());
    const bool fits = ellipsoid ? side <= 100 && count * side * side <= 4e8 : count * side * side <= 1e10;
    if (fits) return;
    const std::string seen = linear_kernel() ? fmt::format("{} features and {} rows", side, count)
                                             : fmt::format("{} rows whose kernel matrix has rank {}", count, side);
    throw DataError({.code = Code::too_many,
                     .subject = {"parameter", "problem"},
                     .message = fmt::format(
                         "problem={}: {}; {}", choice("problem"), seen,
                         ellipsoid ? "it has half the square of the features (with kernels, of the rank) as unknowns, "
                                     "for at most 100 of them and some 40,000 rows"
                                   : "it is for at most 10^10 of rows x features x features (with kernels, the rank)"),
                     .remedy = linear_kernel() ? Text(Option{"pca"}, " makes fewer features")
                                               : Text(Option{"set", "problem", "relaxed"}, " takes more rows")});
  }

  // Linear: w and E over the features. Kernels: w = sum of b_p phi(x_p) over the rows p whose part of F is a lower triangle L,
  // L'b = w; there is no novelty.
  void keep(const KernelSample& all, const EsvmRows& rows, const RankFactor& factor, const EsvmPrimalSolution& found) {
    metric_.clear();
    factor_.clear();
    roots_.clear();
    if (linear_kernel()) {
      model_ = KernelModel(all.kernel);
      model_.grow(features_);
      model_.set_linear(linear_model(lifted(rows, found.w), found.bias));
      metric_ = lifted(rows, found.e);
      return;
    }
    const std::size_t side = factor.f.columns();
    Matrix l(side, side);
    for (std::size_t k = 0; k < side; ++k)
      for (std::size_t j = 0; j <= k; ++j) l(k, j) = factor.f(factor.pivots[k], j);
    std::vector<double> b = found.w, coefficients(all.rows.size());
    solve_lower_transposed(l, b);
    double constant = 0;
    for (std::size_t k = 0; k < side; ++k) {
      const double beta = b[k] / rows.length[factor.pivots[k]];
      coefficients[rows.of[factor.pivots[k]]] = beta;
      constant += beta;
    }
    model_ = KernelModel(all, coefficients, augmented() ? constant : found.bias, features_);
  }

  // rho has a bound if some multipliers that meet the sum come to sum t_i a_i = m: the most is reached by the shorter side
  // whole and as much of the other, the longest rows first.
  void check_rho_is_bounded(const EsvmRows& rows, const EsvmPrimal& primal) const {
    if (hard()) return;
    const EsvmProblem& problem = rows.problem;
    double mass[2] = {}, most = 0;
    std::vector<std::size_t> order(problem.y.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rows.norm[a] > rows.norm[b]; });
    for (const std::size_t i : order)
      mass[problem.y[i] > 0 ? 0 : 1] += problem.free_bias() ? problem.c[i] * problem.upper[i] : 0;
    double left[2] = {std::min(mass[0], mass[1]), std::min(mass[0], mass[1])};
    for (const std::size_t i : order) {
      double taken = problem.upper[i];
      if (problem.free_bias()) {
        double& rest = left[problem.y[i] > 0 ? 0 : 1];
        taken = std::min(taken, rest / problem.c[i]);
        rest -= problem.c[i] * taken;
      }
      most += primal.margin[i] * taken;
    }
    if (most < primal.examples * (1 + 1e-9))
      throw DataError({.code = Code::out_of_range,
                       .subject = {"parameter", "nu"},
                       .message = fmt::format("problem={}: nu = {} is too large for these classes: rho grows without "
                                              "bound",
                                              choice("problem"), params_.number("nu")),
                       .found = fmt::format("{}", params_.number("nu"))});
  }

  // ---- novelty ----

  [[nodiscard]] double quadratic(const Row& x) const {
    const auto side = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(metric_.size()))));
    const std::size_t features = side - (augmented() ? 1 : 0);
    double sum = augmented() ? metric_[side * side - 1] : 0;
    for (std::size_t k = 0; k < x.count; ++k) {
      const double value = x.value(k);
      if (value == 0 || x.index(k) >= features) continue;
      const double* column = metric_.data() + x.index(k) * side;
      double inner = augmented() ? 2 * column[features] : 0;
      for (std::size_t l = 0; l < x.count; ++l)
        if (x.index(l) < features) inner += column[x.index(l)] * x.value(l);
      sum += value * inner;
    }
    return sum;
  }

  // (r/(1-r)) (k(x, x) - |L^-1 D k|^2)
  [[nodiscard]] double kernel_novelty(const Row& x) const {
    const double constant = augmented() ? 1 : 0;
    std::vector<double> t(roots_.size());
    const double self = model_.kernel().of_itself(squared_norm(x)) + constant;
    model_.values(x, t);
    double taken = 0;
    for (std::size_t i = 0, at = 0; i < t.size(); at += ++i) {
      const std::span<const double> row(factor_.data() + at, i);
      const double b = roots_[i] * (t[i] + constant) - dot(row, std::span<const double>(t).first(i));
      t[i] = b / factor_[at + i];
      taken += t[i] * t[i];
    }
    const double e = params_.number("one_minus_r");
    return (1 - e) / e * std::max(0.0, self - taken);
  }

  std::vector<double> metric_;          // linear: B (or E), the constant feature last if there is one
  std::vector<double> factor_, roots_;  // kernels: what novelty needs
  double rho_ = 0;
};

constexpr std::string_view kPage = R"(
A support vector machine that puts the largest ellipsoid, not the largest ball, into the version space: the set of hyperplanes that make no mistake. Its centre is nearer to the middle of that space, and the ellipsoid itself tells how far a new row lies from everything seen: its novelty.

**Problem.** `relaxed`: $\min -r\log|B| + (1-r)\,\mathrm{tr}\,B + \sum_i C_i\xi_i$ with $y_i(w'x_i + b) + \xi_i \ge x_i'Bx_i/\|x_i\|$, $\|w\| \le 1$. `exact` has $\|Ex_i\|$ on the right, which is what `relaxed` linearises. `iterated` linearises again at the last $E$ until the answer is that of `exact`. `rho` and `sphere` are the problems (4) and (1) from which the paper starts; with a kernel and rows of equal length, `sphere` is the ν-machine of `svm`.

**Update.** None: it learns from all examples at once. `solver=auto`: linear by coordinate ascent, kernels two multipliers at a time, hard margins with kernels by Newton's method on the analytic centre; where these do not reach the duality gap asked for, and at once for linear rows that are hard or few, by an interior-point method. Objective (of (6); with kernels of the dual (9)), duality gap, iterations and status are reported; if $\nu$ is so small that $\|w\| \le 1$ is not active, it says so.

**When not to use it.** On streams (`esvm-online` learns in turn), beyond some thousand rows with kernels, or where novelty and the last per cent do not matter: `svm` is faster.
)";

}  // namespace

extern const LearnerInfo esvm_info{.name = "esvm",
                                   .title = "Ellipsoidal support vector machine",
                                   .reference = "momma2010esvm",
                                   .mode = Mode::batch,
                                   .takes_advice = false,
                                   .kernels = true,
                                   .python_name = "EllipsoidalSVC",
                                   .params = kParams,
                                   .make = make_learner<Esvm>,
                                   .page = kPage,
                                   .ellipsoid = true};

}  // namespace postil
