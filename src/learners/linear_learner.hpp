// What the linear online learners have in common: all but the update.
#pragma once

#include <memory>

#include "linear_weights.hpp"
#include "postil/learner.hpp"

namespace postil {

class LinearLearner : public Learner {
 public:
  explicit LinearLearner(const Params& params) : w_(params) {}

  void grow(std::size_t features) override { w_.grow(features); }
  [[nodiscard]] double score(Row x) const override { return w_.predicted(x); }
  [[nodiscard]] std::optional<LinearModel> linear() const override { return w_.predicting(); }
  void visit(Archive& archive) override { w_.visit(archive); }
  [[nodiscard]] bool fits(std::size_t features) const override { return w_.fits(features); }

  Step learn(Row x, double y, double weight) final {
    const LinearWeights::Scores before = w_.scores(x);
    const bool updated = update(x, y, weight, before.now);
    w_.end_round();
    return {.score = before.predicted, .updated = updated};
  }

 protected:
  // One round on (x, y) of an example with this weight; f is w'x + b of the present weights. Says whether they changed.
  virtual bool update(Row x, double y, double weight, double f) = 0;

  LinearWeights w_;
};

template <class Algorithm>
std::unique_ptr<Learner> make_learner(const Params& params) {
  return std::make_unique<Algorithm>(params);
}

}  // namespace postil
