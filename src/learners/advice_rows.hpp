// The rows D of all advice sets of a task, stacked, over the few features that they mention.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "local_features.hpp"
#include "postil/rules.hpp"

namespace postil {

class AdviceRows {
 public:
  struct Set {
    std::size_t begin, own, end;  // its rows: from begin to own the rule's, from there to end those of known ranges
    double z, trust, margin;
  };
  struct Hit {
    std::uint32_t row;
    double value;  // of D_k'x
  };

  AdviceRows() = default;
  // The promised ranges of the features are rows of every set. `pinned`: one more feature, the constant 1, which every set
  // knows to be 1 (docs/mathematics.md A4); its row may have a multiplier of either sign.
  AdviceRows(const TaskAdvice& advice, bool pinned);

  [[nodiscard]] std::span<const Set> sets() const { return sets_; }
  [[nodiscard]] std::size_t rows() const { return d_.size(); }
  [[nodiscard]] std::size_t entries() const { return columns_.size(); }
  [[nodiscard]] std::size_t features() const { return local_.size() + (pinned_ ? 1 : 0); }  // local ones
  [[nodiscard]] const LocalFeatures& local() const { return local_; }                       // without the constant
  void grow(std::size_t features) { local_.grow(features); }
  [[nodiscard]] double d(std::size_t row) const { return d_[row]; }
  [[nodiscard]] std::span<const unsigned char> free_rows() const { return free_; }

  // D x: f(row, value) for each entry of D that x meets; a row may come several times.
  template <class F>
  void for_each_entry(std::uint32_t feature, const F& f) const {  // D's column of one of the advice's features
    if (rows() > 0) hit(local_.place(feature), 1, f);
  }
  template <class Finder, class F>
  void for_each_hit(const Finder& finder, const Row& x,
                    const F& f) const {  // finder: local(), or the values found of it
    finder.for_each(x, [&](std::uint32_t place, double value) { hit(place, value, f); });
    if (pinned_) hit(static_cast<std::uint32_t>(local_.size()), 1, f);
  }
  void times(std::span<const double> w, std::span<double> out) const;  // D w
  void add_transposed(double factor, const Set& set, std::span<const double> u,
                      std::span<double> out) const;  // out += factor D_i'u_i

  // D D', if it is diagonal, that is if no feature is in two rows; else empty.
  [[nodiscard]] std::vector<double> diagonal_gram() const;
  [[nodiscard]] std::vector<double> gram(const Set& set, bool with_d) const;  // D_i D_i' (+ d_i d_i'), row by row
  // If each row of a set is about one feature: its coefficients, and which rows are about the same. Else empty.
  struct Singles {
    std::vector<double> coefficients;
    std::vector<std::uint32_t> groups;
  };
  [[nodiscard]] Singles singles(const Set& set) const;

 private:
  template <class F>
  void hit(std::uint32_t place, double value, const F& f) const {
    for (std::size_t e = by_feature_[place]; e < by_feature_[place + 1]; ++e)
      f(feature_entries_[e].row, feature_entries_[e].value * value);
  }

  LocalFeatures local_;
  bool pinned_ = false;
  std::vector<Set> sets_;
  std::vector<std::size_t> starts_{0};
  std::vector<std::uint32_t> columns_;  // local
  std::vector<double> values_, d_;
  std::vector<unsigned char> free_;
  std::vector<std::size_t> by_feature_;  // the same entries by feature
  std::vector<Hit> feature_entries_;
};

// Sets that were there before keep their multipliers.
void carry_multipliers(const TaskAdvice& before, const AdviceRows& rows_before, std::span<const double> u_before,
                       const TaskAdvice& now, const AdviceRows& rows, std::span<double> u);

}  // namespace postil
