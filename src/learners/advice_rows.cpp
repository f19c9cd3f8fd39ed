#include "advice_rows.hpp"

#include <algorithm>

namespace postil {

AdviceRows::AdviceRows(const TaskAdvice& advice, bool pinned) : pinned_(pinned) {
  for (const TaskAdvice::Set& set : advice.sets)
    for (const AdviceRow& row : set.rows)
      for (const auto& [feature, coefficient] : row.terms) features_.push_back(feature);
  std::sort(features_.begin(), features_.end());
  features_.erase(std::unique(features_.begin(), features_.end()), features_.end());
  const auto local = [&](std::uint32_t feature) {
    return static_cast<std::uint32_t>(std::lower_bound(features_.begin(), features_.end(), feature) -
                                      features_.begin());
  };
  const auto end_row = [&](double d, bool free) {
    starts_.push_back(columns_.size());
    d_.push_back(d);
    free_.push_back(free ? 1 : 0);
  };
  for (const TaskAdvice::Set& set : advice.sets) {
    const std::size_t begin = rows();
    for (const AdviceRow& row : set.rows) {
      for (const auto& [feature, coefficient] : row.terms) {
        columns_.push_back(local(feature));
        values_.push_back(coefficient);
      }
      end_row(row.bound, row.equality);
    }
    if (pinned) {
      columns_.push_back(static_cast<std::uint32_t>(features_.size()));
      values_.push_back(1);
      end_row(1, true);
    }
    sets_.push_back({begin, rows(), set.z, set.trust, set.margin});
  }
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

double AdviceRows::dot(const Row& x, std::span<const double> p) const {
  double sum = pinned_ ? p[features_.size()] : 0;
  if (x.dense()) {
    for (std::size_t f = 0; f < features_.size() && features_[f] < x.count; ++f) sum += p[f] * x.value(features_[f]);
    return sum;
  }
  const std::uint32_t* at = x.indices;
  const std::uint32_t* end = x.indices + x.count;
  for (std::size_t f = 0; f < features_.size(); ++f) {
    at = std::lower_bound(at, end, features_[f]);
    if (at == end) break;
    if (*at == features_[f]) sum += p[f] * x.value(static_cast<std::size_t>(at - x.indices));
  }
  return sum;
}

std::vector<double> AdviceRows::diagonal_gram(const Set& set) const {
  std::vector<double> out;
  std::vector<std::uint32_t> seen;
  for (std::size_t k = set.begin; k < set.end; ++k) {
    if (starts_[k + 1] - starts_[k] != 1) return {};
    out.push_back(values_[starts_[k]] * values_[starts_[k]]);
    seen.push_back(columns_[starts_[k]]);
  }
  std::sort(seen.begin(), seen.end());
  if (std::adjacent_find(seen.begin(), seen.end()) != seen.end()) return {};
  return out;
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
