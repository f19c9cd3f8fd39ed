// kernel_kbsvm.cpp: the knowledge-based support vector machine with a kernel.
//
// Source   Fung, Mangasarian and Shavlik, Knowledge-Based Nonlinear Kernel Classifiers, COLT 2003   [fung2003nonlinear];
//          Mangasarian and Wild, Nonlinear Knowledge-Based Classification, 2008   [mangasarian2008nonlinear]
// Problem  min 1/2|f|^2 + lambda sum_t c_t (1 - y_t f(x_t))_+ + mu sum_i trust_i / p sum_k (g_i - z_i f(s_ik))_+
//          over f = h + b with h in the space of the kernel; s_i1 ... s_ip are points of rule i's region (pseudo_rows.hpp)
//          Regression, after Mangasarian, Shavlik and Wild, JMLR 2004   [mangasarian2004kbka]: (|y - f| - epsilon)_+ in place of
//          (1 - y f)_+, and z_i (f(s_ik) - target_i(s_ik)) in place of z_i f(s_ik)
// Dual     all are demands s f(x) >= c at a price: that of svm.cpp with the points as further rows, their signs z_i, their margins g_i,
//          their limits mu trust_i / p; where labels are numbers, each example twice, f >= y - epsilon and -f >= -y - epsilon
// Method   solvers/smo.cpp.
// Choices  Points, not the conjugate form of 2003, which replaces D x <= d by K(D, A')v <= d: for any kernel but the linear one that is
//          another region than the rule's (docs/mathematics.md A5). gamma=scale is that of the examples; without any, of the points.
//          Regression: lambda and mu are multiplied by the standard deviation of the labels and of what rules ask at their points,
//          so that the label's unit does not matter.
#include <algorithm>
#include <cmath>

#include "kernel.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "pseudo_rows.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("lambda", "λ", 1, Range::positive, "weight of the loss on the examples"),
    number_param("mu", "μ", 100, Range::positive, "weight of the loss on what rules say"),
    integer_param("points", "", 100, {2, 1e5}, "rows that stand for a rule"),
    number_param("epsilon", "ε", 0, Range::non_negative, "regression only: an error up to this costs nothing"),
    feature_kernel_param("rbf"),
    kGammaParam,
    kDegreeParam,
    kCoef0Param,
    number_param("tolerance", "", 1e-3, Range::positive, "how far the conditions of the optimum may be missed"),
    number_param("cache", "", 200, Range::positive, "megabytes for kernel values")};

class KernelKbsvm : public KernelLearner {
 public:
  explicit KernelKbsvm(const Params& params) : KernelLearner(params) {}

  void take_advice(const TaskAdvice& advice) override { advice_ = advice; }
  void restore_advice(const TaskAdvice& advice) override { advice_ = advice; }

  void study(std::span<const Row> rows) override {
    studied_ = KernelRows(rows, features_);
    held_.clear();
    for (const Row& row : rows) held_.emplace_back(row.holds.begin(), row.holds.end());
  }

  FitReport fit(const Sample& sample) override {
    KernelSample rows = kernel_sample(params_, sample, features_);
    const std::size_t examples = rows.rows.size();
    std::vector<Row> all, seen;
    for (std::size_t i = 0; i < examples; ++i) all.push_back(rows.rows.row(i));
    for (std::size_t i = 0; i < studied_.size(); ++i) {
      seen.push_back(studied_.row(i));
      seen.back().judged = true;
      seen.back().holds = held_[i];
    }
    for (const Block& block : sample.blocks)
      for (std::size_t i = 0; i < block.rows() && studied_.size() == 0; ++i) seen.push_back(block.row(i));
    const std::vector<PseudoRow> points =
        pseudo_rows(advice_, static_cast<std::size_t>(params_.number("points")), features_, seen);
    std::vector<double> margins(examples, 1), upper, numbers = rows.y;  // numbers: what labels and rules ask for
    for (const double weight : rows.weights) upper.push_back(weight * params_.number("lambda"));
    if (of_numbers_) {
      for (std::size_t i = 0; i < examples; ++i) {
        margins[i] = rows.y[i] - params_.number("epsilon");
        margins.push_back(-rows.y[i] - params_.number("epsilon"));
        all.push_back(all[i]);
        upper.push_back(upper[i]);
      }
      rows.y.assign(examples, 1);
      rows.y.resize(2 * examples, -1);
    }
    for (const PseudoRow& point : points) {
      all.push_back({.values = point.x.data(), .count = static_cast<std::uint32_t>(point.x.size())});
      rows.y.push_back(point.z);
      margins.push_back(point.margin);
      numbers.push_back(point.z * point.margin);
      upper.push_back(point.weight * params_.number("mu"));
    }
    KernelRows together(all, features_);
    if (examples == 0) rows.kernel.gamma = gamma_of(params_, together, features_);
    rows.rows = std::move(together);
    if (std::all_of(rows.y.begin(), rows.y.end(), [&](double y) { return y == rows.y[0]; }))
      return one_side(rows, margins);
    const double unit = of_numbers_ ? unit_of(numbers) : 1;
    std::vector<double> p;  // of the problem in that unit
    for (const double margin : margins) p.push_back(-margin / unit);
    const SmoOptions options{.tolerance = params_.number("tolerance"),
                             .cache = static_cast<std::uint64_t>(params_.number("cache") * 1e6)};
    SmoResult result = solve_dual(rows, p, upper, std::vector<double>(rows.y.size()), false, options);
    for (std::size_t i = 0; i < rows.y.size(); ++i) result.a[i] *= rows.y[i] * unit;
    model_ = KernelModel(rows, result.a, -result.rho * unit, features_);
    return {result.objective * unit * unit,
            result.violation,
            result.iterations,
            result.converged,
            result.converged ? "solved" : "did not converge",
            {}};
  }

 protected:
  bool of_numbers_ = false;  // labels are numbers

 private:
  // The standard deviation of numbers; 1 if they are all alike.
  static double unit_of(const std::vector<double>& numbers) {
    const auto count = static_cast<double>(numbers.size());
    double mean = 0, squares = 0;
    for (const double number : numbers) mean += number / count;
    for (const double number : numbers) squares += (number - mean) * (number - mean);
    const double unit = std::sqrt(squares / count);
    return unit > 0 && std::isfinite(unit) ? unit : 1;
  }

  // All say the same: f = b does it.
  FitReport one_side(const KernelSample& rows, const std::vector<double>& margins) {
    if (rows.y.empty())
      throw DataError({.code = Code::one_class,
                       .message = "there are neither examples nor rules with a region",
                       .expected = "examples of two classes, or rules"});
    const double b = of_numbers_ ? rows.y[0] * *std::max_element(margins.begin(), margins.end()) : rows.y[0];
    model_ = KernelModel(rows, std::vector<double>(rows.y.size()), b, features_);
    return {0, 0, 0, true, "solved: examples and rules all say the same", {}};
  }

  TaskAdvice advice_;
  KernelRows studied_;                            // before fit, and no part of the state:
  std::vector<std::vector<std::uint32_t>> held_;  // rows like those to come, and the rules that hold on them
};

class KernelKbsvmRegression final : public KernelKbsvm {
 public:
  explicit KernelKbsvmRegression(const Params& params) : KernelKbsvm(params) { of_numbers_ = true; }
};

constexpr std::string_view kPage = R"(
The support vector machine with a kernel and rules: what a rule says of its region is asked of points drawn from it. A rule about the inside of a box and the radial kernel give a boundary that no hyperplane has.

**Problem.** $\min \frac12|f|^2 + \lambda\sum_t (1 - y_t f(x_t))_+ + \mu\sum_i \frac{1}{p}\sum_{k=1}^p (g_i - z_i f(s_{ik}))_+$, where $s_{i1}, \ldots, s_{ip}$ are rows on which rule $i$ holds and points drawn from its region (Mangasarian and Wild, 2008), weighted by its trust.

**Update.** None: it learns from all examples and rules at once, by sequential minimal optimisation.

**Regression** (rules such as `age >= 60 and smoker = yes => charges >= 20000`; Mangasarian, Shavlik and Wild). The loss of an example is $(|y - f| - \varepsilon)_+$; a rule that says $f(x) \ge h'x + c$ (or $\le$) asks it of its points, with margin 0 unless `[margin = g]`. $\lambda$ and $\mu$ are multiplied by the standard deviation of the labels and of what rules ask at their points, so that the unit does not matter. Without rules it is support vector regression.

**Choices.** Columns that no rule names get the values of rows that were seen. Where all rules are about categories and yes/no columns and three in four name the same class, rows on which no rule holds count for the other class, together as much as one rule. The earlier form of Fung, Mangasarian and Shavlik (2003) puts kernels in place of the inner products that describe the region; with a kernel that is not linear this describes another region, so we do not use it. Directions (`more x => class`) are not used. What a rule asks is known at its points only: there is no certificate.

**When not to use it.** If rules must hold everywhere: `kbsvm` with `advice=hard`. On a stream. With few labels and rules that are right as written: on the UCI mushrooms with their five published rules it has 4.4 % errors before the first label, `advised` 0.3 %.
)";

}  // namespace

extern const LearnerInfo kernel_kbsvm_info{.name = "kernel-kbsvm",
                                           .title = "Knowledge-based support vector machine with a kernel",
                                           .reference = "mangasarian2008nonlinear",
                                           .mode = Mode::batch,
                                           .takes_advice = true,
                                           .kernels = true,
                                           .python_name = "KernelKnowledgeSVC",
                                           .params = kParams,
                                           .make = make_learner<KernelKbsvm>,
                                           .page = kPage,
                                           .make_regressor = make_learner<KernelKbsvmRegression>,
                                           .studies = true};

}  // namespace postil
