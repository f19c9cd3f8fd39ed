// pa.cpp: passive-aggressive learning.
//
// Source   Crammer, Dekel, Keshet, Shalev-Shwartz and Singer, Online Passive-Aggressive Algorithms, JMLR 2006
//          [crammer2006pa]
// Problem  PA     min 1/2 |w - w_t|^2                 s.t.  1 - y w'x <= 0
//          PA-I   min 1/2 |w - w_t|^2 + C xi          s.t.  1 - y w'x <= xi,  xi >= 0
//          PA-II  min 1/2 |w - w_t|^2 + C xi^2        s.t.  1 - y w'x <= xi
// Updates  l = max(0, 1 - y w'x);   w += tau y x   with
//          PA  tau = l / |x|^2,   PA-I  tau = min(C, l / |x|^2),   PA-II  tau = l / (|x|^2 + 1/(2C))
//          Several classes, multiclass=joint (section 8, max-loss): l = max(0, 1 - (w_y'x - w_r'x)), r the highest of the
//          others;   w_y += tau x,  w_r -= tau x,  with 2 |x|^2 in place of |x|^2
//          Regression (section 5): l = max(0, |w'x - y| - epsilon);   w += sign(y - w'x) tau x
// Cost     O(nnz(x)) a round.
// Choices  |x|^2 counts the constant feature that carries the bias (scikit-learn and River leave it out).
//          A zero example is skipped.  Test: PassiveAggressive.EmptyRowsWithoutBiasAreSkipped.
//          Shards: linear_weights.hpp, iterative parameter mixing   [mcdonald2010distributed].
//          An example of weight c has C c in place of C; PA, which has no C, only asks whether c > 0.
#include <algorithm>
#include <cmath>

#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    choice_param("variant", "pa1", "pa|pa1|pa2",
                 "no limit to the step, a bounded step (PA-I), or a damped one (PA-II)"),
    number_param("C", "C", 1, Range::positive, "aggressiveness: the longest step (PA-I) or the damping (PA-II)"),
    number_param("epsilon", "ε", 0.1, Range::non_negative, "regression only: an error up to this costs nothing"),
    kMulticlassParam,
    kStartParam,
    kBiasParam,
    kAverageParam};

class PassiveAggressive : public LinearLearner {
 public:
  explicit PassiveAggressive(const Params& params) : LinearLearner(params, true), c_(params.number("C")) {
    const std::string& variant = params.choice("variant");
    variant_ = variant == "pa" ? Variant::pa : variant == "pa1" ? Variant::pa1 : Variant::pa2;
  }

 protected:
  bool update(const Row& x, double y, double weight, double f, double xx) override {
    return step(x, 1 - y * f, y, weight, xx);
  }

  // Moves w by tau along sign x.
  bool step(const Row& x, double loss, double sign, double weight, double xx) {
    if (!(loss > 0) || weight == 0) return false;
    if (xx == 0) return false;  // nothing to learn from, for PA-II neither: its step is along x
    double tau = 0;
    switch (variant_) {
      case Variant::pa: tau = loss / xx; break;
      case Variant::pa1: tau = std::min(c_ * weight, loss / xx); break;
      case Variant::pa2: tau = loss / (xx + 1 / (2 * c_ * weight)); break;
    }
    w_.add(tau * sign, x);
    return true;
  }

 private:
  enum class Variant { pa, pa1, pa2 } variant_;
  double c_;
};

class PassiveAggressiveRegression final : public PassiveAggressive {
 public:
  explicit PassiveAggressiveRegression(const Params& params)
      : PassiveAggressive(params), epsilon_(params.number("epsilon")) {}

 protected:
  bool update(const Row& x, double y, double weight, double f, double xx) override {
    return step(x, std::fabs(f - y) - epsilon_, y > f ? 1 : -1, weight, xx);
  }

 private:
  double epsilon_;
};

constexpr std::string_view kPage = R"(
Changes the weights as little as possible, but enough to get the current example right with margin 1 (or, softly, to pay for not doing so).

**Problem.** $\min \frac12|w - w_t|^2$ subject to $y w'x \ge 1$ (`variant=pa`); with slack at price $C\xi$ (`pa1`) or $C\xi^2$ (`pa2`). Several classes with `multiclass=joint`: $\ell = \max(0, 1 - (w_y'x - w_r'x))$ for the class $r$ that scores highest of the others, $w_y \leftarrow w_y + \tau x$ and $w_r \leftarrow w_r - \tau x$, with $2|x|^2$ in place of $|x|^2$.

**Update.** With $\ell = \max(0, 1 - y w'x)$: $w \leftarrow w + \tau y x$, $\tau = \ell/|x|^2$ (`pa`), $\min(C, \ell/|x|^2)$ (`pa1`), $\ell/(|x|^2 + \frac{1}{2C})$ (`pa2`).

**Regression** (`--task regression`). $\ell = \max(0, |w'x - y| - \varepsilon)$ and $w \leftarrow w + \mathrm{sign}(y - w'x)\,\tau x$ with the same $\tau$; $\varepsilon$ and $C$ are in the label's units.

**Coming from elsewhere.** `pa1` and `pa2` are scikit-learn's `PassiveAggressiveClassifier` with `loss="hinge"` and `"squared_hinge"`, except that $|x|^2$ counts the constant
feature that carries the bias, and that predictions use averaged weights unless `average=none`.

**When not to use it.** With noisy labels `pa` believes each example wholly, and large $C$ does nearly so: keep the averaging on, or lower $C$.
)";

}  // namespace

extern const LearnerInfo pa_info{.name = "pa",
                                 .title = "Passive-aggressive algorithms",
                                 .reference = "crammer2006pa",
                                 .mode = Mode::online,
                                 .takes_advice = false,
                                 .kernels = false,
                                 .python_name = "PassiveAggressiveClassifier",
                                 .params = kParams,
                                 .make = make_learner<PassiveAggressive>,
                                 .page = kPage,
                                 .make_regressor = make_learner<PassiveAggressiveRegression>,
                                 .paper_settings = "average=none bias=none",
                                 .shards = kMixing,
                                 .shard_rounds = 3};

}  // namespace postil
