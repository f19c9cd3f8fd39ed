// romma.cpp: the relaxed online maximum margin algorithm.
//
// Source   Li and Long, The Relaxed Online Maximum Margin Algorithm, Machine Learning 2002   [li2002romma]
// Problem  w_{t+1} = argmin |w|^2  s.t.  y_t w'x_t >= 1  and  w_t'w >= |w_t|^2
// Updates  if y w'x <= 0 (aggressive: < 1):   w = c w + e x   with
//            den = |x|^2 |w|^2 - (w'x)^2,   c = (|x|^2 |w|^2 - y w'x) / den,   e = |w|^2 (y - w'x) / den
//          if w = 0, or aggressive and y w'x >= |x|^2 |w|^2 (the first constraint alone decides):   w = y x / |x|^2
// Cost     O(nnz(x)) a round; |w|^2 is kept by recursion.
// Choices  x antiparallel to w makes the problem infeasible, and nearly parallel x makes w explode: where den is small
//          against |x|^2 |w|^2, start again from y x / |x|^2.  Test: Romma.ParallelExamplesStartAgain.
//          A zero example is skipped, and so is one of weight 0; other weights do not matter to a constraint.
#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {flag_param("aggressive", false, "learn from examples inside the margin too"),
                                 kBiasParam, kAverageParam};

constexpr double kParallel =
    1e-10;  // den / (|x|^2 |w|^2) = sin^2 of the angle; below this, 1/den has lost half its digits

class Romma final : public LinearLearner {
 public:
  explicit Romma(const Params& params) : LinearLearner(params, true), aggressive_(params.flag("aggressive")) {}

  void write(StateWriter& out) const override {
    LinearLearner::write(out);
    out.number("squared_norm", ww_);
  }
  void read(StateReader& in) override {
    LinearLearner::read(in);
    in.number("squared_norm", ww_);
  }

  [[nodiscard]] bool fits(std::size_t features) const override { return LinearLearner::fits(features) && ww_ >= 0; }

 protected:
  bool update(const Row& x, double y, double weight, double wx, double xx) override {
    if (aggressive_ ? y * wx >= 1 : y * wx > 0) return false;
    if (!(xx > 0) || weight == 0) return false;
    const double product = xx * ww_;  // |x|^2 |w|^2
    const double den = product - wx * wx;
    if (ww_ == 0 || !(den > kParallel * product) || (aggressive_ && y * wx >= product)) {
      w_.clear();
      w_.add(y / xx, x);
      ww_ = 1 / xx;
      return true;
    }
    const double c = (product - y * wx) / den;
    const double e = ww_ * (y - wx) / den;
    w_.scale(c);  // c > 0: y wx <= 0, or aggressive and y wx < |x|^2 |w|^2
    w_.add(e, x);
    ww_ = c * c * ww_ + 2 * c * e * wx + e * e * xx;
    return true;
  }

 private:
  bool aggressive_;
  double ww_ = 0;  // |w|^2, the constant feature included
};

constexpr std::string_view kPage = R"(
Keeps the smallest $w$ that classifies the current example with margin 1 and stays within the half-space that stands for all earlier ones.

**Problem.** $w_{t+1} = \arg\min |w|^2$ subject to $y_t w'x_t \ge 1$ and $w_t'w \ge |w_t|^2$.

**Update.** On a mistake (`aggressive`: whenever $y w'x < 1$): $w \leftarrow c\,w + e\,x$ with $c = (|x|^2|w|^2 - y w'x)/d$, $e = |w|^2(y - w'x)/d$, $d = |x|^2|w|^2 - (w'x)^2$.
From $w = 0$, or when the new example alone decides: $w \leftarrow y x/|x|^2$.

**When not to use it.** It is made for separable data: on noisy data the constraints contradict each other and the last $w$ jumps. Keep the averaging on.
)";

}  // namespace

extern const LearnerInfo romma_info{.name = "romma",
                                    .title = "Relaxed online maximum margin algorithm",
                                    .reference = "li2002romma",
                                    .mode = Mode::online,
                                    .takes_advice = false,
                                    .kernels = false,
                                    .python_name = "RommaClassifier",
                                    .params = kParams,
                                    .make = make_learner<Romma>,
                                    .page = kPage,
                                    .paper_settings = "average=none bias=none"};

}  // namespace postil
