// kernel_perceptron.cpp: the perceptron with a kernel; its last vector, their mean, or their vote; on a budget.
//
// Source   Freund and Schapire, Large Margin Classification Using the Perceptron Algorithm, 1999, sections 2 and 3
//          [freund1999large];  the budget: kernel_sum.hpp
// Problem  as the perceptron, in the space of a kernel: v_k'phi(x) = sum_{i < k} y_i K(x_i, x), of the rows x_i it was wrong about
// Updates  v_1 = 0.  If y v_k'phi(x) <= 0:  v_{k+1} = v_k + y phi(x), c_{k+1} = 1;  else c_k += 1
// Predicts last: v_K'phi(x);  averaged: sum_k c_k v_k'phi(x) / sum_k c_k;  voted: sum_k c_k sign(v_k'phi(x)) / sum_k c_k
// Cost     a round, and a prediction: the kernel with every row kept.
// Choices  K has B^2 added: the constant feature. A vote needs every vector, so voted knows no budget. gamma=scale is that of the rows
//          studied, before any 1/features. sign(0) = +1 as everywhere. An example of weight c takes a step c times as long.
#include <algorithm>

#include "kernel_sum.hpp"
#include "learners.hpp"
#include "linear_learner.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {
    choice_param("prediction", "averaged", "averaged|voted|last",
                 "with the mean of all vectors, their vote, or the last"),
    integer_param("budget", "", 300, {0, 1e5},
                  "most rows kept; further ones are projected onto them. 0, and with a vote: no limit"),
    feature_kernel_param("rbf"),
    kGammaParam,
    kDegreeParam,
    kCoef0Param,
    kBiasParam};

class KernelPerceptron final : public Learner {
 public:
  explicit KernelPerceptron(const Params& params)
      : params_(params),
        predict_(params.choice("prediction") == "last"    ? Predict::last
                 : params.choice("prediction") == "voted" ? Predict::voted
                                                          : Predict::averaged),
        v_(kernel_of(params), params.is_word("bias") ? 0 : params.number("bias"),
           predict_ == Predict::voted ? 0 : static_cast<std::size_t>(params.number("budget"))) {}

  void grow(std::size_t features) override {
    v_.grow(features);
    if (v_.rounds() == 0 && studied_ == 0 && params_.is_word("gamma"))
      v_.set_gamma(1 / static_cast<double>(std::max<std::size_t>(features, 1)));
  }
  void study(std::span<const Row> rows) override {
    if (v_.rounds() > 0 || rows.empty()) return;
    v_.set_gamma(gamma_of(params_, KernelRows(rows, v_.width()), v_.width()));
    studied_ = rows.size();
  }

  [[nodiscard]] double score(const Row& x) const override {
    std::vector<double> values;
    v_.values(x, values);
    return predicted(values);
  }

  Step learn(const Row& x, double y, double weight) override {
    v_.values(x, values_);
    const double predicted = this->predicted(values_);
    const bool wrong = y * v_.now(values_) <= 0 && weight > 0;
    if (wrong) v_.add(weight * y, x);
    if (wrong && predict_ == Predict::voted) count_.push_back(0);
    if (predict_ == Predict::voted) ++(count_.empty() ? first_count_ : count_.back());
    v_.end_round();
    return {.score = predicted, .updated = wrong};
  }

  bool turn_round() override {
    if (predict_ == Predict::voted) return false;  // ties of v_1 = 0 have voted for +1
    v_.negate();
    return true;
  }

  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.tensor("count", self.count_);
    archive.number("first_count", self.first_count_);
    archive.counter("studied", self.studied_);
    transfer(archive, self.v_);
  }
  void write(StateWriter& out) const override { state(*this, out); }
  void read(StateReader& in) override { state(*this, in); }
  [[nodiscard]] bool fits(std::size_t features) const override {
    return v_.fits(features) && count_.size() == (predict_ == Predict::voted ? v_.size() : 0);
  }

  [[nodiscard]] std::optional<LinearModel> linear() const override {
    return predict_ == Predict::voted ? std::nullopt : v_.linear(predict_ == Predict::averaged);
  }
  [[nodiscard]] std::optional<KernelExpansion> expansion() const override {
    return predict_ == Predict::voted ? std::nullopt : v_.expansion(predict_ == Predict::averaged);
  }

 private:
  [[nodiscard]] double predicted(std::span<const double> values) const {
    if (predict_ == Predict::last) return v_.now(values);
    if (predict_ == Predict::averaged) return v_.mean(values);
    double f = 0, vote = first_count_;  // v_1 = 0 scores 0, which is +1
    for (std::size_t k = 0; k < values.size(); ++k) {
      f += v_.coefficients()[k] * values[k];  // v_{k+2}'phi(x)
      vote += f >= 0 ? count_[k] : -count_[k];
    }
    return v_.rounds() == 0 ? 0 : vote / static_cast<double>(v_.rounds());
  }

  Params params_;
  enum class Predict : std::uint8_t { averaged, voted, last } predict_;
  KernelSum v_;
  std::vector<double> count_;  // voted: c_2, c_3, ...
  double first_count_ = 0;     // c_1
  std::uint64_t studied_ = 0;
  std::vector<double> values_;  // work space
};

constexpr std::string_view kPage = R"(
The perceptron in the space of a kernel, as Freund and Schapire describe it. It keeps the rows it was wrong about, at most `budget` of them.

**Problem.** As the [perceptron](perceptron.md), with $v_k'\varphi(x) = \sum_{i<k} y_i K(x_i, x)$.

**Update.** If $y\, v_k'\varphi(x) \le 0$: $v_{k+1} = v_k + y\,\varphi(x)$ with $c_{k+1} = 1$. Otherwise $c_k \leftarrow c_k + 1$. The prediction is that of the last vector, of the mean $\sum_k c_k v_k / \sum_k c_k$, or the vote $\sum_k c_k\,\mathrm{sign}(v_k'\varphi(x))$. When `budget` rows are kept, a further $\varphi(x)$ is replaced by the nearest combination of theirs (the Projectron of Orabona, Keshet and Caputo, 2008): so a round never costs more than that many kernel values.

**When not to use it.** Where a linear model will do; and where the world changes, since the rows kept are the first it was wrong about. `svm` finds the best margin for a file that fits into memory.
)";

}  // namespace

extern const LearnerInfo kernel_perceptron_info{.name = "kernel-perceptron",
                                                .title = "Kernel perceptron",
                                                .reference = "freund1999large",
                                                .mode = Mode::online,
                                                .takes_advice = false,
                                                .kernels = true,
                                                .python_name = "KernelPerceptronClassifier",
                                                .params = kParams,
                                                .make = make_learner<KernelPerceptron>,
                                                .page = kPage,
                                                .studies = true};

}  // namespace postil
