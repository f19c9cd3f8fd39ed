// What the linear online learners have in common: all but the update.
#pragma once

#include <memory>

#include "advice/advice_hyperplane.hpp"
#include "linear_weights.hpp"
#include "postil/learner.hpp"

namespace postil {

bool starts_at_advice(const Params& params);  // start=advice
bool learns_jointly(const Params& params);    // multiclass=joint
// Adds the hyperplane that rules ask for to the weights, which grow to hold it.
void begin_at(LinearWeights& w, const AdviceHyperplane& plane, const TaskAdvice& advice);
AdviceHyperplane begin_at_advice(LinearWeights& w, const TaskAdvice& advice);  // the same, solved here

// Weights that go against a direction of the rules become 0: the nearest point that obeys them all. at(feature): the weight as
// it is; add(feature, step).
template <class At, class Add>
void obey_directions(const TaskAdvice& advice, const At& at, const Add& add) {
  for (const TaskAdvice::Sign& sign : advice.directions)
    if (const double w = at(sign.feature); sign.z * w < 0) add(sign.feature, -w);
}

// What rules say to a hyperplane. With mu, their part of weights that minimise 1/2|w|^2 and mu times what they cost.
AdviceReport report_at(const TaskAdvice& advice, const LinearModel& model, double mu = 0);

// How linear learners learn from shards (LearnerInfo::shards).
inline constexpr std::string_view kMixing =
    "iterative parameter mixing: the mean of the shards' weights, round after round";

class LinearLearner : public Learner {
 public:
  explicit LinearLearner(const Params& params, bool needs_norm = false)
      : w_(params),
        needs_norm_(needs_norm),
        start_at_advice_(starts_at_advice(params)),
        rivalry_(learns_jointly(params) ? Rivalry::top : Rivalry::none) {}

  void take_advice(const TaskAdvice& advice) override {
    if (start_at_advice_) begin_at_advice(w_, advice);
    start_at_advice_ = false;  // rules that change later find weights that were learned
  }
  void restore_advice(const TaskAdvice& /*advice*/) override { start_at_advice_ = false; }
  bool turn_round() override {
    w_.negate();
    return true;
  }

  void grow(std::size_t features) override { w_.grow(features); }
  [[nodiscard]] double score(const Row& x) const override { return w_.predicted(x); }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return w_.predicting(); }
  void write(StateWriter& out) const override { w_.write(out); }
  void read(StateReader& in) override { w_.read(in); }
  [[nodiscard]] bool fits(std::size_t features) const override { return w_.fits(features); }

  void write_gains(const Learner& start, double rows, StateWriter& out) const override {
    w_.write_gains(static_cast<const LinearLearner&>(start).w_, rows, out);
  }
  bool take_gains(StateReader& sums) override {
    w_.take_gains(sums);
    return false;
  }

  void learn_block(const Block& block, std::span<const double> y, std::span<const double> weights,
                   std::span<Step> steps) final {
    for (std::size_t i = 0; i < block.rows(); ++i)
      if (y[i] == y[i])  // not NaN
        steps[i] = LinearLearner::learn(block.row(i), y[i], weights.empty() ? 1 : weights[i]);
  }
  Step learn(const Row& x, double y, double weight) final {
    const LinearWeights::Scores before = w_.scores(x, needs_norm_);
    const bool updated = update(x, y, weight, before.now, before.xx);
    w_.end_round();
    return {.score = before.predicted, .updated = updated};
  }

  [[nodiscard]] Rivalry rivalry() const override { return rivalry_; }
  Looked look(const Row& x) override {
    looked_ = w_.scores(x, needs_norm_);
    return {looked_.predicted, looked_.now};
  }
  // Of two rivals both move: to the joint problem the example is (x, -x), of length 2|x|^2.
  bool learn_looked(const Row& x, double y, double weight, double others) override {
    const double both = rivalry_ == Rivalry::top ? 2 : 1;
    const bool updated = update(x, y, weight, looked_.now + others, both * looked_.xx);
    w_.end_round();
    return updated;
  }

 protected:
  void set_rivalry(Rivalry rivalry) { rivalry_ = rivalry; }
  // One round on (x, y) of an example with this weight; f is w'x + b of the present weights, and xx = |x|^2 with the
  // constant feature, for those that need it. Says whether the weights changed.
  virtual bool update(const Row& x, double y, double weight, double f, double xx) = 0;

  LinearWeights w_;

 private:
  bool needs_norm_, start_at_advice_;
  Rivalry rivalry_;
  LinearWeights::Scores looked_{};
};

template <class Algorithm>
std::unique_ptr<Learner> make_learner(const Params& params) {
  return std::make_unique<Algorithm>(params);
}

}  // namespace postil
