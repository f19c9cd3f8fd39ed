// A sum of kernels that grows by one row at a time: f(x) = sum_i a_i (K(x_i, x) + B^2); and the mean of all it has been.
//
// Source   Orabona, Keshet and Caputo, The Projectron, ICML 2008   [orabona2008projectron]
// Updates  f += s K(x, .):   x joins the rows with the coefficient s, unless
//          - it is nearly one of their combinations, or
//          - there are as many as `budget` allows.
//          Then, in its place, what is nearest to it among their combinations: a += s d,  d = G^-1 k,  G_ij = K(x_i, x_j) + B^2,
//          k_i = K(x_i, x) + B^2. It is the f in reach that is nearest to f + s K(x, .).
//          G^-1 grows with the rows: with e = K(x, x) + B^2 - k'd it becomes (G^-1 + d d'/e, -d/e; -d'/e, 1/e).
// Cost     f: the kernel with every row. A row that joins or is projected: their number squared, if there is a budget.
// Choices  G^-1 is no part of the state: it is made again from the rows when it is first needed, to the same bits.
#pragma once

#include <span>
#include <vector>

#include "kernel.hpp"

namespace postil {

class KernelSum {
 public:
  // `constant`: B, 0 for none; `budget`: most rows, 0: no limit.
  KernelSum(const Kernel& kernel, double constant, std::size_t budget)
      : kernel_(kernel), constant_(constant), budget_(budget) {}

  void grow(std::size_t features) { rows_.grow(features); }
  void set_gamma(double gamma) { kernel_.gamma = gamma; }

  // K(x_i, x) + B^2 of the rows.
  void values(const Row& x, std::vector<double>& out) const;
  [[nodiscard]] double of_itself(const Row& x) const;  // K(x, x) + B^2
  [[nodiscard]] double now(std::span<const double> values) const;
  [[nodiscard]] double mean(std::span<const double> values) const;  // over the rounds so far; before any: now

  void add(double step, const Row& x);
  void end_round() { ++rounds_; }  // the mean takes in what f is
  void negate();

  [[nodiscard]] const Kernel& kernel() const { return kernel_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] std::size_t width() const { return rows_.width(); }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
  [[nodiscard]] const std::vector<double>& coefficients() const { return a_; }
  // What predicts, now or in the mean, for explanations and other programs.
  [[nodiscard]] std::optional<LinearModel> linear(bool averaged) const;  // none: the kernel is not linear
  [[nodiscard]] std::optional<KernelExpansion> expansion(bool averaged) const;

  void write(StateWriter& out) const { state(*this, out); }
  void read(StateReader& in) {
    state(*this, in);
    inverse_.clear();
  }
  [[nodiscard]] bool fits(std::size_t features) const;

 private:
  template <class Self, class Archive>
  static void state(Self& self, Archive& archive) {
    archive.number("gamma", self.kernel_.gamma);
    archive.tensor("coefficients", self.a_);
    archive.tensor("sums", self.u_);
    archive.counter("rounds", self.rounds_);
    transfer(archive, self.rows_);
  }
  [[nodiscard]] std::vector<double> predicting(bool averaged) const;
  void change(std::size_t i, double step) {
    a_[i] += step;
    u_[i] += static_cast<double>(rounds_) * step;
  }
  // Row `next` joins G^-1, which has those before it. False: it is nearly a combination of them, d_, or there is no room.
  bool join(std::size_t next);

  Kernel kernel_;
  double constant_;
  std::size_t budget_;
  KernelRows rows_ = KernelRows::none();
  std::vector<double> a_, u_;  // coefficients, and what their sum over the rounds lacks to rounds a
  std::uint64_t rounds_ = 0;
  std::vector<double> inverse_, k_, d_;  // G^-1 of the first rows; work space
  std::size_t joined_ = 0;               // how many
};

}  // namespace postil
