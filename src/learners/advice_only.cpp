// advice_only.cpp: a model from rules and no examples.
//
// Source   Kunapuli, Bennett, Maclin and Shavlik, The Adviceptron, ANNIE 2010, section 2.1 [kunapuli2010adviceptron]; the
//          printed (4) has the optimum 0 and wants a margin (docs/mathematics.md A5); scaled and bounded as in part C.
// Problem  optimise  min 1/2|w|^2 + mu/2 sum_i (|D_i'u_i + z_i w|^2 + (g_i + d_i'u_i - z_i b)_+^2),  u >= 0
//          sample    min 1/2|w|^2 + mu/2 sum_i mean over points x drawn from set i of (g_i - z_i (w'x + b))_+^2
//          A direction (more x => class) is two sets of one point each: advice/advice_hyperplane.hpp.
// Choices  Points are drawn by hit-and-run, 200 a set, inside the ranges that are promised or were seen.
//          Examples change nothing.
#include <algorithm>

#include "core/kernels.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    number_param("mu", "μ", 100, Range::positive, "weight of the advice loss against the length of the weights"),
    choice_param("method", "optimise", "optimise|sample", "the rules' regions themselves, or points drawn from them"),
    choice_param("bias", "1", "1|none", "an intercept, or none")};

class AdviceOnly final : public Learner {
 public:
  explicit AdviceOnly(const Params& params)
      : options_{.mu = params.number("mu"), .bias = params.choice("bias") != "none"},
        sample_(params.choice("method") == "sample") {}

  void take_advice(const TaskAdvice& advice) override {
    advice_ = advice;
    plane_ = solved();
    if (!advice.features.empty()) grow(advice.features.back().number + 1);
    std::fill(w_.begin(), w_.end(), 0);
    for (std::size_t f = 0; f < advice.features.size(); ++f) w_[advice.features[f].number] = plane_.weights[f];
    bias_ = plane_.bias;
  }
  void restore_advice(const TaskAdvice& advice) override { advice_ = advice; }
  void grow(std::size_t features) override { w_.resize(std::max(w_.size(), features)); }
  [[nodiscard]] double score(const Row& x) const override { return dot(x, w_.data()) + bias_; }
  Step learn(const Row& x, double /*y*/, double /*weight*/) override { return {.score = score(x), .updated = false}; }
  void write(StateWriter& out) const override {
    state(*this, out);
    if (!advice_.empty()) plane_.write(out);
  }
  void read(StateReader& in) override {
    state(*this, in);
    plane_.read(in, advice_);
  }
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.tensor("w", self.w_);
    archive.number("b", self.bias_);
  }
  [[nodiscard]] bool fits(std::size_t features) const override { return w_.size() == features && plane_.whole; }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return LinearModel{w_, bias_}; }
  [[nodiscard]] std::optional<AdviceReport> advice_report() const override {
    if (advice_.sets.empty()) return std::nullopt;
    const AdviceHyperplane plane = plane_.sets.empty() ? solved() : plane_;
    std::vector<AdviceHyperplane> own;  // each set is credited with what its own hyperplane explains of all
    std::vector<std::vector<double>> weights;
    for (std::size_t i = 0; i < advice_.sets.size(); ++i) {
      const TaskAdvice alone = advice_.only(i);
      own.push_back(advice_hyperplane(alone, options_));
      weights.emplace_back(advice_.features.size());
      for (std::size_t f = 0; f < alone.features.size(); ++f)
        weights.back()[advice_.place(alone.features[f].number)] = own.back().weights[f];
    }
    const std::vector<double> shares = shares_of(plane.weights, weights);
    AdviceReport out;
    out.converged = plane.converged;
    for (std::size_t i = 0; i < advice_.sets.size(); ++i) {
      const AdviceHyperplane::Set& set = plane.sets[i];
      for (double& value : weights[i]) value *= shares[i];
      out.sets.push_back({set.multipliers, set.estimate, set.ideal, std::move(weights[i]), shares[i] * own[i].bias});
    }
    return out;
  }

 private:
  [[nodiscard]] AdviceHyperplane solved() const {
    return sample_ ? sampled_hyperplane(advice_, options_) : advice_hyperplane(advice_, options_);
  }

  HyperplaneOptions options_;
  bool sample_;
  TaskAdvice advice_;
  AdviceHyperplane plane_;
  std::vector<double> w_;
  double bias_ = 0;
};

constexpr std::string_view kPage = R"(
What the rules say by themselves, as a model: it predicts before there is any example, and examples do not change it. `start=advice` of other learners begins here.

**Problem.** $\min \frac12|w|^2 + \frac\mu2\sum_i(|D_i'u_i + z_i w|^2 + (g_i + d_i'u_i - z_i b)_+^2)$, $u \ge 0$, over the columns that rules or `domain` statements name. The promised ranges of these columns, or else the seen ones, are rows of every set. If all rules speak for one class, the mean of the columns speaks for the other. `method=sample` draws points from the regions instead.

**Update.** None. The weights are scaled so that the score has mean square 1 over the data.

**When not to use it.** When there are labels: every other learner that takes advice uses them too.
)";

}  // namespace

extern const LearnerInfo advice_only_info{.name = "advice-only",
                                          .title = "Advice alone",
                                          .reference = "kunapuli2010adviceptron",
                                          .mode = Mode::online,
                                          .takes_advice = true,
                                          .kernels = false,
                                          .python_name = "AdviceOnlyClassifier",
                                          .params = kParams,
                                          .make = make_learner<AdviceOnly>,
                                          .page = kPage,
                                          .needs_advice = true};

}  // namespace postil
