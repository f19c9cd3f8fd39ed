// The weights of a linear learner and their average, kept so that a round costs O(nnz(x)) whatever is done to them.
//
//   w = s v                             scaling w touches only s
//   sum of w over rounds = a v + u      adding d to v takes a d from u; the end of a round adds s to a
// so the average is (a v + u) / rounds. The bias is the weight of a constant feature of value B: b = B times it.
//
// s would underflow after many scalings. Before that a new epoch begins: s grows by a factor and each v_j shrinks by
// it, but only when it is touched next (a sweep would touch all of them every few hundred rounds). w = 0 is a new epoch
// too, into which no v_j is taken over. Each epoch has its own a.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/kernels.hpp"
#include "local_features.hpp"
#include "postil/archive.hpp"
#include "postil/learner.hpp"

namespace postil {

// The parameters that every linear learner has.
inline constexpr ParamSpec kBiasParam = number_or_choice_param(
    "bias", "B", 1, Range::positive, "none", "value of the constant feature whose weight gives the intercept");
constexpr ParamSpec average_param(std::string_view value) {
  return choice_param("average", value, "none|uniform",
                      "predict with the mean of the weights after each round, or with the last");
}
inline constexpr ParamSpec kStartParam =
    choice_param("start", "zero", "zero|advice", "begin with no weights, or with those that the rules alone ask for");
inline constexpr ParamSpec kMulticlassParam =
    choice_param("multiclass", "ovr", "ovr|joint",
                 "several classes: each against the rest, or one update of the right class and its rivals");
inline constexpr ParamSpec kAverageParam = average_param("uniform");  // docs/defaults.md: far better for all but AROW

// Of learners with rules; weights of theirs that LinearWeights keeps.
constexpr ParamSpec advice_bias_param() {
  return choice_param("bias", "data", "data|pinned|none",
                      "an intercept moved by data only, a constant feature that advice moves too, or none");
}
inline constexpr ParamSpec kRangesParam =
    choice_param("ranges", "known", "known|none",
                 "what is known of the columns' ranges counts as rows of every rule's region, or does not");
Params advice_weights(const Params& params);

class LinearWeights {
 public:
  explicit LinearWeights(const Params& params);  // reads bias and average

  void grow(std::size_t features);
  void write(StateWriter& out) const;
  void read(StateReader& in);
  [[nodiscard]] bool fits(std::size_t features) const;

  // w'x + b of the weights as they are, and of those that predict (averaged or not).
  struct Scores {
    double now;
    double predicted;
    double xx;  // if asked for: |x|^2, the constant feature included
  };
  [[nodiscard]] Scores scores(const Row& x, bool norm) const;
  // The same, for a round in which add_settled follows with the same row before anything is scaled: faster for weights that
  // are scaled every round. Finds the values of named features on the way.
  [[nodiscard]] Scores settle_and_score(const Row& x, NamedValues& named);
  void add_settled(double step, const Row& x);
  [[nodiscard]] double predicted(const Row& x) const { return scores(x, false).predicted; }
  [[nodiscard]] LinearModel predicting() const;  // the weights that `predicted` uses

  void add(double step, const Row& x);  // w += step x, the constant feature included
  void add(double step, const Row& x, const double* diagonal, double diagonal_of_bias);  // w += step diagonal x
  void add_dense(double step, const std::vector<double>& z);  // w += step z; z_0 is the constant feature's weight
  void scale_features(double factor);                         // the same, but the bias keeps its value
  void scale(double factor);                                  // w *= factor; needs factor > 0
  // w of these features += now, and its sum over the rounds so far += sum; the bias likewise, if there is one.
  void absorb(std::span<const std::uint32_t> features, std::span<const double> now, std::span<const double> sum,
              double bias_now, double bias_sum);
  void add_to(std::uint32_t feature, double step) { absorb({&feature, 1}, {&step, 1}, {}, 0, 0); }  // w_j += step
  void clear();                                                                                     // w = 0
  void negate();     // w and its average turn round
  void end_round();  // the average takes in w; once a round, after its update
  // Rows in several places (Learner::write_gains): w becomes the mean of all that began as `start`, each counting by its examples
  // (iterative parameter mixing: McDonald, Hall and Mann, NAACL 2010); what the average sums up is the sum of theirs.
  void write_gains(const LinearWeights& start, double rows, StateWriter& out) const;
  double take_gains(StateReader& sums);  // gives the number of examples
  // The same of the sums alone, for those who find w themselves; `w` holds the constant feature's weight last.
  void write_gained_sums(const LinearWeights& start, StateWriter& out) const;
  void take_gained_sums(StateReader& sums, const std::vector<double>& w);
  [[nodiscard]] std::vector<double> present() const;  // w, the constant feature's weight last

  [[nodiscard]] double constant() const { return constant_; }  // B; 0: no bias
  [[nodiscard]] double at(std::size_t feature) const {         // one of the weights as they are
    return s_ * (past_.empty() ? v_[feature] : settled(feature).first);
  }
  [[nodiscard]] double bias() const { return s_ * v_bias_ * constant_; }
  [[nodiscard]] bool averaging() const { return averaging_; }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }

 private:
  [[nodiscard]] Scores scores_of(const RowSums& sums) const;
  void begin_epoch(double factor);
  void settle(std::size_t j) {  // brings v_j and u_j into the current epoch
    if (epoch_[j] != past_.size()) settle_late(j);
  }
  void settle_late(std::size_t j);
  [[nodiscard]] std::vector<double> sums() const;  // of w over the rounds, the constant feature's last
  [[nodiscard]] std::pair<double, double> settled(std::size_t j) const;  // what they would be
  template <class Value>
  RowSums settle_and_sum(const Row& x, const Value* values, NamedValues& named);
  void settle_row(const Row& x);

  double constant_;
  bool averaging_;
  std::vector<double> v_, u_;       // u is empty without averaging
  double v_bias_ = 0, u_bias_ = 0;  // of the constant feature; always of the current epoch
  double s_ = 1, a_ = 0;
  std::uint64_t rounds_ = 0;
  struct Epoch {
    double a;       // when it was over
    double factor;  // what v_j is multiplied by from then on
  };
  std::vector<Epoch> past_;
  std::vector<std::uint32_t> epoch_;  // per feature; empty while past_ is
  static constexpr std::size_t kRemembered = 8;
  std::array<double, kRemembered> decay_{1};  // what v_j of so many epochs ago is multiplied by, without averaging
};

}  // namespace postil
