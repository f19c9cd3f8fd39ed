// perceptron.cpp: the perceptron.
//
// Source   Rosenblatt 1958; lecture notes on online learning, Algorithm 1   [lecture_perceptron, freund1999large]
// Problem  (3)  L(f(x), y) = max(0, -y f(x)),   (2)  f(x) = w'x + b
// Updates  (1)  with step 1: if y f(x) <= 0:   w += y x, the constant feature included
//          several classes, multiclass=joint (Crammer and Singer 2003): f_c for each class c; if f_y <= f_r, where r scores
//          highest of the others:   w_y += x,  w_r -= x
// Cost     O(nnz(x)) a round, times the classes.
// Choices  The printed test, y f < 0, never fires from w = 0; y f <= 0 counts a score of 0 as a mistake.
//          Test: Train.LearnsFromZeroAndCountsMistakes.
//          An example of weight c takes a step c times as long.
//          Shards: linear_weights.hpp, iterative parameter mixing   [mcdonald2010distributed]; for their mistakes, docs/shards.md.
#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {kMulticlassParam, kStartParam, kBiasParam, kAverageParam};

class Perceptron final : public LinearLearner {
 public:
  explicit Perceptron(const Params& params) : LinearLearner(params) {}

 protected:
  bool update(const Row& x, double y, double weight, double f, double /*xx*/) override {  // f: (2)
    if (y * f > 0) return false;
    w_.add(weight * y, x);  // (1)
    return true;
  }
};

constexpr std::string_view kPage = R"(
The oldest online learner: it moves only when it is wrong.

**Problem.** Minimise the perceptron loss $L(f(x), y) = \max(0, -y f(x))$ with $f(x) = w'x + b$, one example at a time.

**Update.** If $y f(x) \le 0$: $w \leftarrow w + y x$ and $b \leftarrow b + y B^2$. Otherwise nothing changes. Several classes with `multiclass=joint` (Crammer and Singer, 2003): if the class $r$ that scores highest of the others has $f_r \ge f_y$, $w_y \leftarrow w_y + x$ and $w_r \leftarrow w_r - x$.

**Mistakes.** If some $u$ of length 1 separates the examples with margin $\gamma$, the perceptron (`average=none`) errs at most $(R/\gamma)^2$
times, whatever their number or order; $R$ is the length of the longest example, the constant feature included.

**When not to use it.** On noisy data the last $w$ depends on the last few mistakes: keep the averaging on, or take a learner with a margin.
)";

}  // namespace

extern const LearnerInfo perceptron_info{.name = "perceptron",
                                         .title = "Perceptron",
                                         .reference = "freund1999large",
                                         .mode = Mode::online,
                                         .takes_advice = false,
                                         .kernels = false,
                                         .python_name = "PerceptronClassifier",
                                         .params = kParams,
                                         .make = make_learner<Perceptron>,
                                         .page = kPage,
                                         .promises = Promises::mistakes,
                                         .paper_settings = "average=none bias=none",
                                         .shards = kMixing,
                                         .shard_rounds = 3};

}  // namespace postil
