// perceptron.cpp: the perceptron.
//
// Source   Rosenblatt 1958; Lecture notes on online learning, Algorithm 1   [lecture_perceptron, freund1999large]
// Problem  (3)  L(f(x), y) = max(0, -y f(x)),   (2)  f(x) = w'x + b
// Updates  (1)  with step 1: if y f(x) <= 0:   w += y x,   b += y B B   (b is B times the weight of a constant feature
// of value B) Cost     O(nnz(x)) a round. Choices  The printed test, y f < 0, never fires from w = 0; y f <= 0 counts a
// score of 0 as a mistake.  Test: LearnsFromZero.
//          An example of weight c takes a step c times as long.
#include <memory>

#include "learners.hpp"
#include "postil/kernels.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {number_or_choice_param(
    "bias", "B", 1, Range::positive, "none", "value of the constant feature whose weight gives the intercept")};

class Perceptron final : public Learner {
 public:
  explicit Perceptron(const Params& params) : constant_(params.is_word("bias") ? 0 : params.number("bias")) {}

  void grow(std::size_t features) override {
    if (features > w_.size()) w_.resize(features);
  }

  [[nodiscard]] double score(Row x) const override { return dot(x, w_.data()) + b_; }  // (2)

  Step learn(Row x, double y, double weight) override {
    const double f = score(x);
    if (y * f > 0) return {.score = f, .updated = false};
    axpy(weight * y, x, w_.data());  // (1)
    b_ += weight * y * constant_ * constant_;
    return {.score = f, .updated = true};
  }

  void visit(Archive& archive) override {
    archive.tensor("weights", w_);
    archive.number("bias", b_);
  }

  [[nodiscard]] LinearView linear() const override { return {w_, b_}; }

 private:
  double constant_;  // B; 0: no bias
  std::vector<double> w_;
  double b_ = 0;
};

constexpr std::string_view kPage = R"(
The oldest online learner: it moves only when it is wrong.

**Problem.** Minimise the perceptron loss $L(f(x), y) = \max(0, -y f(x))$ with $f(x) = w'x + b$, one example at a time.

**Update.** If $y f(x) \le 0$: $w \leftarrow w + y x$ and $b \leftarrow b + y B^2$. Otherwise nothing changes.

**Mistakes.** If some $u$ of length 1 separates the examples with margin $\gamma$, the perceptron errs at most $(R/\gamma)^2$ times, whatever
their number or order; $R$ is the length of the longest example, the constant feature included.

**When not to use it.** On noisy data the last $w$ depends on the last few mistakes; a learner with a margin or with averaging is steadier.
)";

}  // namespace

extern const LearnerInfo perceptron_info{
    .name = "perceptron",
    .title = "Perceptron",
    .reference = "freund1999large",
    .task = "binary",
    .mode = Mode::online,
    .takes_advice = false,
    .kernels = false,
    .python_name = "PerceptronClassifier",
    .params = kParams,
    .make = [](const Params& params) -> std::unique_ptr<Learner> { return std::make_unique<Perceptron>(params); },
    .page = kPage};

}  // namespace postil
