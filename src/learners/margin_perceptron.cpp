// margin_perceptron.cpp: the perceptron with a margin.
//
// Source   Freund and Schapire 1999; the "perceptron" of the Adviceptron paper's experiments   [freund1999large]
// Problem  L(f(x), y) = max(0, margin - y f(x)),   f(x) = w'x + b
// Updates  if y f(x) <= margin:   w += y x, the constant feature included
//          several classes, multiclass=joint: f_y - f_r in place of y f, as in perceptron.cpp
// Cost     O(nnz(x)) a round, times the classes.
// Choices  The test is <=, so that margin = 0 is the perceptron.  Test: MarginPerceptron.MarginZeroIsThePerceptron.
#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("margin", "", 1, Range::non_negative, "learn from every example whose score does not exceed this"),
    kMulticlassParam, kStartParam, kBiasParam, kAverageParam};

class MarginPerceptron final : public LinearLearner {
 public:
  explicit MarginPerceptron(const Params& params) : LinearLearner(params), margin_(params.number("margin")) {}

 protected:
  bool update(const Row& x, double y, double weight, double f, double /*xx*/) override {
    if (y * f > margin_) return false;
    w_.add(weight * y, x);
    return true;
  }

 private:
  double margin_;
};

constexpr std::string_view kPage = R"(
The perceptron that is not content with being right: it goes on learning until it is right by a margin.

**Problem.** Minimise $\max(0, m - y f(x))$ with $f(x) = w'x + b$ and $m$ the margin, one example at a time.

**Update.** If $y f(x) \le m$: $w \leftarrow w + y x$ and $b \leftarrow b + y B^2$. Otherwise nothing changes.

**When not to use it.** The margin is in units of $f$, which grows with $|w|$ and $|x|^2$: scale the data, or take `pa`, whose step fits each example.
)";

}  // namespace

extern const LearnerInfo margin_perceptron_info{.name = "margin-perceptron",
                                                .title = "Margin perceptron",
                                                .reference = "freund1999large",
                                                .mode = Mode::online,
                                                .takes_advice = false,
                                                .kernels = false,
                                                .python_name = "MarginPerceptronClassifier",
                                                .params = kParams,
                                                .make = make_learner<MarginPerceptron>,
                                                .page = kPage,
                                                .paper_settings = "average=none bias=none"};

}  // namespace postil
