// voted_perceptron.cpp: the voted perceptron.
//
// Source   Freund and Schapire 1999, Figure 1   [freund1999large]
// Problem  as the perceptron; the prediction is a vote of all weight vectors v_1, v_2, ... it went through
// Updates  v_1 = 0.  If y v_k'x <= 0:  v_{k+1} = v_k + y x, c_{k+1} = 1;  else c_k += 1
//          prediction  sign sum_k c_k sign(v_k'x)
// Cost     The v_k are kept as the examples they are made of, so a prediction, and with it a round, costs O(all of
//          these), and the model grows with every mistake.
// Choices  The score is the vote divided by the number of rounds, in [-1, 1]; sign(0) = +1 as everywhere.
#include <vector>

#include "core/kernels.hpp"
#include "learners.hpp"

namespace postil {
namespace {

constexpr ParamSpec kParams[] = {number_or_choice_param(
    "bias", "B", 1, Range::positive, "none", "value of the constant feature whose weight gives the intercept")};

class VotedPerceptron final : public Learner {
 public:
  explicit VotedPerceptron(const Params& params) : constant_(params.is_word("bias") ? 0 : params.number("bias")) {}

  void grow(std::size_t features) override {
    if (features > v_.size()) v_.resize(features);
  }

  [[nodiscard]] double score(const Row& x) const override {
    if (rounds_ == 0) return 0;
    double f = 0, vote = first_count_;  // v_1 = 0 scores 0, which is +1
    for (std::size_t k = 0; k < label_.size(); ++k) {
      f += label_[k] * (product(k, x) + constant_ * constant_);  // v_{k+1}'x
      vote += f >= 0 ? count_[k] : -count_[k];
    }
    return vote / static_cast<double>(rounds_);
  }

  Step learn(const Row& x, double y, double weight) override {
    const double predicted = score(x);
    const double f = dot(x, v_.data()) + b_;
    ++rounds_;
    if (y * f > 0) {
      ++(count_.empty() ? first_count_ : count_.back());
      return {.score = predicted, .updated = false};
    }
    for (std::size_t k = 0; k < x.count; ++k) {
      if (x.value(k) == 0) continue;
      index_.push_back(x.index(k));
      value_.push_back(x.value(k));
    }
    end_.push_back(static_cast<double>(value_.size()));
    label_.push_back(weight * y);
    count_.push_back(1);
    axpy(weight * y, x, v_.data());
    b_ += weight * y * constant_ * constant_;
    return {.score = predicted, .updated = true};
  }

  void write(StateWriter& out) const override { state(*this, out); }
  void read(StateReader& in) override { state(*this, in); }
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.tensor("v", self.v_);
    archive.number("b", self.b_);
    archive.tensor("index", self.index_);
    archive.tensor("value", self.value_);
    archive.tensor("end", self.end_);
    archive.tensor("label", self.label_);
    archive.tensor("count", self.count_);
    archive.number("first_count", self.first_count_);
    archive.counter("rounds", self.rounds_);
  }

  [[nodiscard]] bool fits(std::size_t features) const override {
    double last = 0;
    for (const double end : end_) {
      if (!(end >= last) || !(end <= static_cast<double>(value_.size()))) return false;
      last = end;
    }
    return v_.size() == features && index_.size() == value_.size() && label_.size() == end_.size() &&
           count_.size() == end_.size();
  }

  [[nodiscard]] std::optional<LinearModel> linear() const override { return std::nullopt; }

 private:
  // x_k'x for the example of mistake k, whose indices increase as those of x do.
  [[nodiscard]] double product(std::size_t k, const Row& x) const {
    auto at = static_cast<std::size_t>(k == 0 ? 0 : end_[k - 1]);
    const auto end = static_cast<std::size_t>(end_[k]);
    double sum = 0;
    for (std::size_t i = 0; i < x.count && at < end;) {
      const double index = x.index(i);
      if (index_[at] < index) {
        ++at;
      } else if (index_[at] > index) {
        ++i;
      } else {
        sum += value_[at++] * x.value(i++);
      }
    }
    return sum;
  }

  double constant_;
  std::vector<double> v_;  // the present v_k
  double b_ = 0;
  std::vector<double> index_, value_, end_, label_;  // the examples of the mistakes: CSR, and y times the weight
  std::vector<double> count_;                        // c_2, c_3, ...
  double first_count_ = 0;                           // c_1
  std::uint64_t rounds_ = 0;
};

constexpr std::string_view kPage = R"(
Every weight vector the perceptron went through keeps a vote, as many as the rounds it survived.

**Problem.** As the [perceptron](perceptron.md); the prediction is $\mathrm{sign} \sum_k c_k\, \mathrm{sign}(v_k'x)$.

**Update.** If $y v_k'x \le 0$: $v_{k+1} = v_k + y x$ with $c_{k+1} = 1$. Otherwise $c_k \leftarrow c_k + 1$.

**When not to use it.** The model keeps the example of every mistake, and a prediction costs as much as all of them together. The averaged perceptron
(`perceptron` with `average=uniform`) is nearly as good and as fast as any linear model; this one is here because the theory is about it. It has no weights to explain.
)";

}  // namespace

extern const LearnerInfo voted_perceptron_info{
    .name = "voted-perceptron",
    .title = "Voted perceptron",
    .reference = "freund1999large",
    .mode = Mode::online,
    .takes_advice = false,
    .kernels = false,
    .python_name = "VotedPerceptronClassifier",
    .params = kParams,
    .make = [](const Params& params) -> std::unique_ptr<Learner> { return std::make_unique<VotedPerceptron>(params); },
    .page = kPage};

}  // namespace postil
