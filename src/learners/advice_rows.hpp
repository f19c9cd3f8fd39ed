// The rows D of all advice sets of a task, stacked, over the few features that they mention.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "postil/advice.hpp"
#include "postil/row.hpp"

namespace postil {

class AdviceRows {
 public:
  struct Set {
    std::size_t begin, end;  // its rows
    double z, trust, margin;
  };

  AdviceRows() = default;
  // `pinned`: one more feature, the constant 1, which every set knows to be 1 (MATH.md A4); its row may have a multiplier
  // of either sign.
  AdviceRows(const TaskAdvice& advice, bool pinned);

  [[nodiscard]] std::span<const Set> sets() const { return sets_; }
  [[nodiscard]] std::size_t rows() const { return d_.size(); }
  [[nodiscard]] std::size_t features() const { return features_.size() + (pinned_ ? 1 : 0); }  // local ones
  [[nodiscard]] std::span<const std::uint32_t> feature_numbers() const { return features_; }   // without the constant
  [[nodiscard]] double d(std::size_t row) const { return d_[row]; }
  [[nodiscard]] bool free(std::size_t row) const { return free_[row] != 0; }
  [[nodiscard]] std::span<const unsigned char> free_rows() const { return free_; }

  void times(std::span<const double> w, std::span<double> out) const;  // D w
  void add_transposed(double factor, const Set& set, std::span<const double> u,
                      std::span<double> out) const;                         // out += factor D_i'u_i
  [[nodiscard]] double dot(const Row& x, std::span<const double> p) const;  // x'p on the mentioned features
  // The diagonal of D_i D_i' if that is all there is of it: each row about one feature, each another. Else empty.
  [[nodiscard]] std::vector<double> diagonal_gram(const Set& set) const;
  [[nodiscard]] std::vector<double> gram(const Set& set, bool with_d) const;  // D_i D_i' (+ d_i d_i'), row by row

 private:
  std::vector<std::uint32_t> features_;  // sorted
  bool pinned_ = false;
  std::vector<Set> sets_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint32_t> columns_;  // local
  std::vector<double> values_, d_;
  std::vector<unsigned char> free_;
};

}  // namespace postil
