#include "advice_rows.hpp"

#include <algorithm>
#include <cmath>

namespace postil {

AdviceRows::AdviceRows(const TaskAdvice& advice, bool pinned) : pinned_(pinned && !advice.sets.empty()) {
  if (advice.sets.empty()) return;
  local_ = LocalFeatures(advice.numbers());
  const auto add = [&](std::size_t place, double value) {
    columns_.push_back(static_cast<std::uint32_t>(place));
    values_.push_back(value);
  };
  const auto end_row = [&](double d, bool free) {
    starts_.push_back(columns_.size());
    d_.push_back(d);
    free_.push_back(free ? 1 : 0);
  };
  for (const TaskAdvice::Set& set : advice.sets) {
    const std::size_t begin = rows();
    for (const AdviceRow& row : set.rows) {
      for (const auto& [feature, coefficient] : row.terms) add(local_.place(feature), coefficient);
      end_row(row.bound, row.equality);
    }
    const std::size_t own = rows();
    for (std::size_t f = 0; f < advice.features.size(); ++f) {
      if (std::isfinite(advice.features[f].high)) {
        add(f, 1);
        end_row(advice.features[f].high, false);
      }
      if (std::isfinite(advice.features[f].low)) {
        add(f, -1);
        end_row(-advice.features[f].low, false);
      }
    }
    if (pinned) {
      add(local_.size(), 1);
      end_row(1, true);
    }
    sets_.push_back({begin, own, rows(), set.z, set.trust, set.margin});
  }
  by_feature_.assign(features() + 1, 0);
  for (const std::uint32_t column : columns_) ++by_feature_[column + 1];
  for (std::size_t f = 0; f < features(); ++f) by_feature_[f + 1] += by_feature_[f];
  feature_entries_.resize(columns_.size());
  std::vector<std::size_t> next(by_feature_.begin(), by_feature_.end() - 1);
  for (std::uint32_t k = 0; k < rows(); ++k)
    for (std::size_t e = starts_[k]; e < starts_[k + 1]; ++e) feature_entries_[next[columns_[e]]++] = {k, values_[e]};
}

void AdviceRows::times(std::span<const double> w, std::span<double> out) const {
  for (std::size_t k = 0; k < rows(); ++k) {
    double sum = 0;
    for (std::size_t e = starts_[k]; e < starts_[k + 1]; ++e) sum += values_[e] * w[columns_[e]];
    out[k] = sum;
  }
}

void AdviceRows::add_transposed(double factor, const Set& set, std::span<const double> u, std::span<double> out) const {
  for (std::size_t k = set.begin; k < set.end; ++k) {
    if (u[k] == 0) continue;
    for (std::size_t e = starts_[k]; e < starts_[k + 1]; ++e) out[columns_[e]] += factor * u[k] * values_[e];
  }
}

std::vector<double> AdviceRows::diagonal_gram() const {
  for (std::size_t f = 0; f < features(); ++f)
    for (std::size_t e = by_feature_[f] + 1; e < by_feature_[f + 1]; ++e)
      if (feature_entries_[e].row != feature_entries_[by_feature_[f]].row) return {};
  std::vector<double> out(rows());
  for (std::size_t k = 0; k < rows(); ++k)
    for (std::size_t e = starts_[k]; e < starts_[k + 1]; ++e) out[k] += values_[e] * values_[e];
  return out;
}

AdviceRows::Singles AdviceRows::singles(const Set& set) const {
  Singles out;
  for (std::size_t k = set.begin; k < set.end; ++k) {
    if (starts_[k + 1] - starts_[k] != 1) return {};
    out.coefficients.push_back(values_[starts_[k]]);
    out.groups.push_back(columns_[starts_[k]]);
  }
  return out;
}

void carry_multipliers(const TaskAdvice& before, const AdviceRows& rows_before, std::span<const double> u_before,
                       const TaskAdvice& now, const AdviceRows& rows, std::span<double> u) {
  for (std::size_t i = 0; i < now.sets.size(); ++i)
    for (std::size_t k = 0; k < before.sets.size(); ++k) {
      const AdviceRows::Set &to = rows.sets()[i], &from = rows_before.sets()[k];
      const std::size_t size = to.end - to.begin;
      if (before.sets[k].z == now.sets[i].z && before.sets[k].rows == now.sets[i].rows &&
          before.sets[k].target == now.sets[i].target && size == from.end - from.begin)
        std::copy_n(u_before.subspan(from.begin).begin(), size, u.subspan(to.begin).begin());
    }
}

std::vector<double> AdviceRows::gram(const Set& set, bool with_d) const {
  const std::size_t n = set.end - set.begin;
  std::vector<double> out(n * n), dense(features());
  for (std::size_t i = 0; i < n; ++i) {
    std::fill(dense.begin(), dense.end(), 0);
    for (std::size_t e = starts_[set.begin + i]; e < starts_[set.begin + i + 1]; ++e) dense[columns_[e]] = values_[e];
    for (std::size_t j = 0; j < n; ++j) {
      double sum = with_d ? d_[set.begin + i] * d_[set.begin + j] : 0;
      for (std::size_t e = starts_[set.begin + j]; e < starts_[set.begin + j + 1]; ++e)
        sum += values_[e] * dense[columns_[e]];
      out[i * n + j] = sum;
    }
  }
  return out;
}

}  // namespace postil
