// kbsvm over shards: Newton's method, where each look at the examples is a round over all shards.
//
// The method runs as if the examples were at hand, but their part of the problem (ExampleLoss) is looked up among the answers so
// far. Where there is none, it stops with a question, the shards add up the answer, and it runs again from its last accepted point.
// It does the same as before until it comes to the question, since all it does is a function of x alone.
//   a point x         loss, gradient and diagonal of the curvature there; up to kSmall features the whole Hessian, so that the
//                     conjugate gradients ask nothing
//   a product (x, v)  the Hessian at x times v
// Cost     up to kSmall features a round for each step and trial of a line search; beyond, also one for each conjugate gradient
//          step. A round moves O(features) numbers a shard, or half their square.
#pragma once

#include <vector>

#include "kbsvm.hpp"
#include "postil/archive.hpp"

namespace postil {

class KbsvmRounds final : public ExampleLoss {
 public:
  static constexpr std::size_t kSmall = 300;
  struct Asks {};  // thrown: there is a question

  // ---- on each shard ----

  void grow(std::size_t features) { size_ = features + 1; }
  void begin_answer();
  void add(const Row& x, double y, double weight, const std::optional<double>& epsilon);
  void write_answer(StateWriter& out) const;

  // ---- where the answers come together ----

  void take_answer(StateReader& sums);
  [[nodiscard]] const std::vector<double>& begin();  // the last accepted point; zeros at first
  [[nodiscard]] double first() const { return first_; }
  void set_first(double gradient) { first_ = gradient; }
  void finish() {  // other classes may still ask
    *this = {};
    done_ = true;
  }
  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] std::uint64_t iterations() const { return iterations_; }

  double value(std::span<const double> x) override;  // these throw Asks
  void add_gradient(double factor, std::span<double> out) override;
  void add_hessian_times(double factor, std::span<const double> v, std::span<double> out) override;
  void add_hessian_diagonal(double factor, std::span<double> out) override;

  // ---- state ----

  void write(StateWriter& out) const;
  void read(StateReader& in);
  [[nodiscard]] bool fits(std::size_t features) const;

 private:
  struct Point {
    std::vector<double> x;
    std::vector<double> answer;  // loss, gradient, diagonal; the Hessian's lower triangle, if it is small
  };
  struct Product {
    std::vector<double> v, answer;
  };
  [[nodiscard]] bool small() const { return size_ <= kSmall + 1; }
  [[nodiscard]] std::size_t point_size() const { return 1 + 2 * size_ + (small() ? size_ * (size_ + 1) / 2 : 0); }
  [[nodiscard]] std::span<const double> answer(std::size_t from, std::size_t count) const {
    return std::span(points_[at_].answer).subspan(from, count);
  }

  std::size_t size_ = 1;                         // features and the bias
  std::vector<double> begin_, ask_, ask_along_;  // ask_along_: v of a product; empty: a point is asked for
  std::vector<Point> points_;                    // begin_ and what a line search has tried from there
  std::vector<Product> products_;                // with the Hessian at begin_
  std::size_t at_ = 0;                           // the point last valued
  double first_ = 0;                             // length of the gradient at the start
  std::uint64_t iterations_ = 0;
  bool done_ = false;
  std::vector<double> sums_;  // the answer, as far as it goes
};

// Goes on as far as the answers reach. None: there is a question.
std::optional<KbsvmSolution> go_on_kbsvm_l2(const KbsvmProblem& problem, double tolerance, KbsvmRounds& rounds);

}  // namespace postil
