// svm.cpp: the support vector machine with a kernel, C and nu.
//
// Source   Cortes and Vapnik 1995; Schoelkopf et al., New Support Vector Algorithms, 2000; LIBSVM's forms  [chang2011libsvm]
// Problem  C   min 1/2|w|^2 + C sum_i c_i xi_i             s.t. y_i (w'phi_i + b) >= 1 - xi_i
//          nu  min 1/2|w|^2 - nu rho + sum_i c_i xi_i / M   s.t. y_i (w'phi_i + b) >= rho - xi_i,  M = sum_i c_i
// Dual     C   min 1/2 a'Qa - e'a,  y'a = 0,  0 <= a_i <= C c_i
//          nu  min 1/2 a'Qa,        y'a = 0,  e'a = nu M,  0 <= a_i <= c_i;  then divided by rho, so that margins are 1
// Method   solvers/smo.cpp.
// Cost     memory: the kernel matrix if it fits into `cache`, else rows of it.
// Choices  A weight c_i multiplies C. Tests: tests/oracle/svm_test.cpp, against LIBSVM itself.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernel.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"
#include "postil/error.hpp"
#include "solvers/smo.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("C", "C", 1, Range::positive, "weight of the loss on the examples"),
    number_param("nu", "ν", 0, Range::unit,
                 "0: C is used; else the share of examples that may lie inside the margin, and C is not used"),
    kernel_param("rbf"),
    kPairsParam,
    kGammaParam,
    kDegreeParam,
    kCoef0Param,
    number_param("tolerance", "", 1e-3, Range::positive, "how far the conditions of the optimum may be missed"),
    number_param("cache", "", 200, Range::positive, "megabytes for kernel values")};

class Svm final : public KernelLearner {
 public:
  explicit Svm(const Params& params) : KernelLearner(params) {}

  FitReport fit(const Sample& sample) override {
    const KernelSample examples = kernel_sample(params_, sample, features_);
    const std::size_t m = examples.rows.size();
    const double nu = params_.number("nu");
    const auto positive = static_cast<std::size_t>(std::count(examples.y.begin(), examples.y.end(), 1.0));
    if (positive == 0 || positive == m)
      throw DataError({.code = Code::one_class,
                       .message = "there are examples of one class only (those of weight 0 do not count)",
                       .expected = "examples of two classes"});
    std::vector<double> p(m, nu > 0 ? 0 : -1), upper(m);
    for (std::size_t i = 0; i < m; ++i) upper[i] = examples.weights[i] * (nu > 0 ? 1 : params_.number("C"));
    const SmoOptions options{.tolerance = params_.number("tolerance"),
                             .cache = static_cast<std::uint64_t>(params_.number("cache") * 1e6)};
    SmoResult result = solve_dual(examples, p, upper, start(examples, nu), nu > 0, options);
    FitReport report{result.objective,
                     result.violation,
                     result.iterations,
                     result.converged,
                     result.converged ? "solved" : "did not converge",
                     {},
                     {}};
    if (nu > 0) {
      if (result.spread <= options.tolerance) {
        report.converged = false;
        report.status =
            "the margin is 0 within the tolerance: nu is too small for classes that overlap so much, or tolerance too "
            "large for "
            "such kernel values";
        result.spread = std::max(result.spread, options.tolerance * 1e-3);
      }
      for (double& a : result.a) a /= result.spread;
      result.rho /= result.spread;
      report.objective /= result.spread * result.spread;
    }
    for (std::size_t i = 0; i < m; ++i) {
      result.a[i] *= examples.y[i];
      if (result.a[i] != 0) report.multipliers.emplace_back(examples.numbers[i], result.a[i]);
    }
    model_ = KernelModel(examples, result.a, -result.rho, features_);
    return report;
  }

 private:
  // nu: sums of nu M / 2 in each class, filled from the front.
  std::vector<double> start(const KernelSample& examples, double nu) const {
    std::vector<double> a(examples.y.size());
    if (nu == 0) return a;
    double total[2] = {};
    for (std::size_t i = 0; i < a.size(); ++i) total[examples.y[i] > 0 ? 0 : 1] += examples.weights[i];
    const double wanted = nu * (total[0] + total[1]) / 2, least = std::min(total[0], total[1]);
    if (wanted > least * (1 + 1e-12))
      throw DataError(
          {.code = Code::out_of_range,
           .subject = {"parameter", "nu"},
           .message = fmt::format("nu = {} is too large for classes of {:g} and {:g}: at most {:.6g} is possible", nu,
                                  total[0], total[1], 2 * least / (total[0] + total[1])),
           .found = fmt::format("{}", nu),
           .expected = fmt::format("at most {:.6g}", 2 * least / (total[0] + total[1]))});
    double left[2] = {wanted, wanted};
    for (std::size_t i = 0; i < a.size(); ++i) {
      double& rest = left[examples.y[i] > 0 ? 0 : 1];
      a[i] = std::min(rest, examples.weights[i]);
      rest -= a[i];
    }
    return a;
  }
};

constexpr std::string_view kPage = R"(
The support vector machine as LIBSVM solves it, to the same answers: `C` weighs the losses; with `nu` above 0 that share of the examples, about, lies inside the margin or on the wrong side of it.

**Problem.** $\min \frac12|w|^2 + C\sum_i \xi_i$ with $y_i(w'\varphi(x_i) + b) \ge 1 - \xi_i$; or $\min \frac12|w|^2 - \nu\rho + \frac1m\sum_i\xi_i$ with $y_i(w'\varphi(x_i) + b) \ge \rho - \xi_i$, divided by $\rho$.

**Update.** None: it learns from all examples at once, two multipliers at a time, chosen by second-order information (sequential minimal optimisation). More than two classes: each against the rest, or with `multiclass=ovo` one against one and a vote, as LIBSVM.

**When not to use it.** On a stream. With kernels, beyond some ten thousand rows; with the linear kernel, where `pa`, `sgd` or `kbsvm` take one look at each row.
)";

}  // namespace

extern const LearnerInfo svm_info{.name = "svm",
                                  .title = "Support vector machine",
                                  .reference = "chang2011libsvm",
                                  .mode = Mode::batch,
                                  .takes_advice = false,
                                  .kernels = true,
                                  .python_name = "SVC",
                                  .params = kParams,
                                  .make = make_learner<Svm>,
                                  .page = kPage};

}  // namespace postil
