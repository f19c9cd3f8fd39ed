#include "linear_weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernels.hpp"
#include "core/math.hpp"

namespace postil {
namespace {

// How small s may become before a new epoch: powers of two, so that changing epochs rounds nothing. With averaging much
// sooner: a v + u is a difference of numbers 1/s times as large as the sum they stand for.
constexpr double kSmallest = 0x1p-332, kSmallestAveraging = 0x1p-13;
constexpr std::size_t kMostEpochs = 1000;  // then all features are settled at once

// Weights that epochs have made this small are 0: whether epochs are applied one by one or at once, the same is left.
constexpr double kFlush = 0x1p-700;
double flushed(double v) { return std::fabs(v) < kFlush ? 0 : v; }

}  // namespace

LinearWeights::LinearWeights(const Params& params)
    : constant_(params.is_word("bias") ? 0 : params.number("bias")), averaging_(params.choice("average") == "uniform") {
  past_.reserve(kMostEpochs);  // a round does not allocate
}

void LinearWeights::grow(std::size_t features) {
  if (features <= v_.size()) return;
  v_.resize(features);
  if (averaging_) u_.resize(features);
  epoch_.reserve(features);  // untouched until the first epoch ends, which may be in a round
  if (!past_.empty()) epoch_.resize(features, static_cast<std::uint32_t>(past_.size()));
}

void LinearWeights::write(StateWriter& out) const {
  std::vector<double> v = v_, u = u_;
  for (std::size_t j = 0; j < epoch_.size(); ++j) {
    const auto [v_j, u_j] = settled(j);
    v[j] = v_j;
    if (averaging_) u[j] = u_j;
  }
  out.tensor("v", v);
  out.number("s", s_);
  out.number("v_bias", v_bias_);
  if (!averaging_) return;
  out.tensor("u", u);
  out.number("u_bias", u_bias_);
  out.number("a", a_);
  out.counter("rounds", rounds_);
}

void LinearWeights::read(StateReader& in) {
  past_.clear();
  epoch_.clear();
  in.tensor("v", v_);
  in.number("s", s_);
  in.number("v_bias", v_bias_);
  if (!averaging_) return;
  in.tensor("u", u_);
  in.number("u_bias", u_bias_);
  in.number("a", a_);
  in.counter("rounds", rounds_);
}

bool LinearWeights::fits(std::size_t features) const {
  return v_.size() == features && u_.size() == (averaging_ ? features : 0) && s_ > 0;
}

std::vector<double> LinearWeights::present() const {
  std::vector<double> out;
  for (std::size_t j = 0; j < v_.size(); ++j) out.push_back(at(j));
  out.push_back(s_ * v_bias_);
  return out;
}

std::vector<double> LinearWeights::sums() const {
  std::vector<double> out;
  for (std::size_t j = 0; j < v_.size(); ++j) {
    const auto [v, u] = past_.empty() ? std::pair(v_[j], u_[j]) : settled(j);
    out.push_back(a_ * v + u);
  }
  out.push_back(a_ * v_bias_ + u_bias_);
  return out;
}

void LinearWeights::write_gains(const LinearWeights& start, double rows, StateWriter& out) const {
  std::vector<double> w = present();
  for (double& value : w) value *= rows;
  out.tensor("weights", w);
  out.number("examples", rows);
  write_gained_sums(start, out);
}

double LinearWeights::take_gains(StateReader& sums) {
  double examples = 0;
  std::vector<double> w;
  sums.number("examples", examples);
  sums.tensor("weights", w);
  if (!(examples > 0)) return 0;
  for (double& value : w) value /= examples;
  take_gained_sums(sums, w);
  return examples;
}

void LinearWeights::write_gained_sums(const LinearWeights& start, StateWriter& out) const {
  if (!averaging_) return;
  std::vector<double> gained = sums();
  const std::vector<double> before = start.sums();
  for (std::size_t j = 0; j < gained.size(); ++j) gained[j] -= before[j];
  out.tensor("sums", gained);
  out.number("rounds", static_cast<double>(rounds_ - start.rounds_));
}

void LinearWeights::take_gained_sums(StateReader& in, const std::vector<double>& w) {
  std::vector<double> sums = averaging_ ? this->sums() : std::vector<double>();
  past_.clear();
  epoch_.clear();
  s_ = 1;
  a_ = 0;
  for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = w.at(j);
  v_bias_ = w.at(v_.size());
  if (!averaging_) return;
  std::vector<double> gained;
  double rounds = 0;
  in.tensor("sums", gained);
  in.number("rounds", rounds);
  for (std::size_t j = 0; j < u_.size(); ++j) u_[j] = sums[j] + gained.at(j);
  u_bias_ = sums.back() + gained.at(u_.size());
  rounds_ += count_of(rounds);
}

void LinearWeights::negate() {
  for (std::vector<double>* numbers : {&v_, &u_})
    for (double& value : *numbers) value = -value;
  v_bias_ = -v_bias_;
  u_bias_ = -u_bias_;
}

std::pair<double, double> LinearWeights::settled(std::size_t j) const {
  if (!averaging_) {
    const std::size_t late = past_.size() - epoch_[j];
    return {late == 0 ? v_[j] : flushed(v_[j] * decay_[std::min(late, kRemembered - 1)]), 0};
  }
  double v = v_[j], u = u_[j];
  for (std::size_t k = epoch_[j]; k < past_.size() && v != 0; ++k) {
    u += past_[k].a * v;
    v *= past_[k].factor;
  }
  return {v, u};
}

void LinearWeights::settle_late(std::size_t j) {
  const auto [v, u] = settled(j);
  v_[j] = v;
  if (averaging_) u_[j] = u;
  epoch_[j] = static_cast<std::uint32_t>(past_.size());
}

void LinearWeights::settle_row(const Row& x) {
  if (past_.empty()) return;
  for (std::size_t k = 0; k < x.count; ++k) settle(x.index(k));
}

void LinearWeights::begin_epoch(double factor) {
  u_bias_ += a_ * v_bias_;
  v_bias_ *= factor;
  if (past_.empty()) epoch_.assign(v_.size(), 0);
  past_.push_back({a_, factor});
  a_ = 0;
  for (std::size_t k = kRemembered - 1; k > 0; --k) decay_[k] = k == kRemembered - 1 ? 0 : decay_[k - 1] * factor;
  if (past_.size() < kMostEpochs) return;
  for (std::size_t j = 0; j < v_.size(); ++j) settle(j);
  past_.clear();
  epoch_.clear();
}

LinearWeights::Scores LinearWeights::scores(const Row& x, bool norm) const {
  if (past_.empty()) return scores_of(row_sums(x, v_.data(), averaging_ ? u_.data() : nullptr, norm));
  RowSums sums;  // the same in the same order
  sums.v = dot_with(x, [&](std::size_t j) { return settled(j).first; });
  if (averaging_) sums.u = dot_with(x, [&](std::size_t j) { return settled(j).second; });
  if (norm) sums.xx = squared_norm(x);
  return scores_of(sums);
}

// One loop for all that has to be looked up at a feature. The sum waits for its additions, so the rest costs little; no
// branch depends on the features, it would be mispredicted.
template <class Value>
RowSums LinearWeights::settle_and_sum(const Row& x, const Value* values, NamedValues& named) {
  const auto now = static_cast<std::uint32_t>(past_.size());
  double* v = v_.data();
  std::uint32_t* epoch = epoch_.data();
  const double* decay = decay_.data();
  static constexpr double kLeast[2] = {0, kFlush};  // of a weight in its own epoch, and of one that comes late
  NamedValues::Search search = named.search();
  double sum = 0, xx = 0;
  for (std::uint32_t k = 0; k < x.count; ++k) {
    const std::uint32_t j = x.indices[k], late = now - epoch[j];
    const std::size_t row = late < kRemembered ? late : kRemembered - 1;
    const double moved = v[j] * decay[row], kept = std::fabs(moved) < kLeast[late != 0] ? 0 : moved;
    v[j] = kept;
    epoch[j] = now;
    const auto value = static_cast<double>(values[k]);
    sum += value * kept;
    xx += value * value;
    search.look(k, j);
  }
  named.found(search);
  return {.v = sum, .u = 0, .xx = xx};
}

LinearWeights::Scores LinearWeights::settle_and_score(const Row& x, NamedValues& named) {
  if (past_.empty() || averaging_ || x.dense()) {
    settle_row(x);
    NamedValues::Search search = named.search();
    for (std::uint32_t k = 0; k < x.count && !x.dense(); ++k) search.look(k, x.indices[k]);
    named.found(search);
    return scores_of(row_sums(x, v_.data(), averaging_ ? u_.data() : nullptr, true));
  }
  return scores_of(x.single ? settle_and_sum(x, static_cast<const float*>(x.values), named)
                            : settle_and_sum(x, static_cast<const double*>(x.values), named));
}

LinearWeights::Scores LinearWeights::scores_of(const RowSums& sums) const {
  const double v = sums.v + v_bias_ * constant_, u = sums.u + u_bias_ * constant_;
  const double now = s_ * v;
  return {.now = now,
          .predicted = averaging_ && rounds_ > 0 ? (a_ * v + u) / static_cast<double>(rounds_) : now,
          .xx = sums.xx + constant_ * constant_};
}

LinearModel LinearWeights::predicting() const {
  const bool mean = averaging_ && rounds_ > 0;
  const auto n = static_cast<double>(rounds_);
  LinearModel out;
  out.weights.reserve(v_.size());
  for (std::size_t j = 0; j < v_.size(); ++j) {
    const auto [v, u] = past_.empty() ? std::pair(v_[j], averaging_ ? u_[j] : 0) : settled(j);
    out.weights.push_back(mean ? (a_ * v + u) / n : s_ * v);
  }
  out.bias = constant_ * (mean ? (a_ * v_bias_ + u_bias_) / n : s_ * v_bias_);
  return out;
}

void LinearWeights::add(double step, const Row& x) {
  settle_row(x);
  add_settled(step, x);
}

void LinearWeights::add_settled(double step, const Row& x) {
  const double d = step / s_;
  v_bias_ += d * constant_;
  if (!averaging_) {
    axpy(d, x, v_.data());
    return;
  }
  axpy_two(x, d, v_.data(), -a_ * d, u_.data());
  u_bias_ -= a_ * d * constant_;
}

void LinearWeights::add(double step, const Row& x, const double* diagonal, double diagonal_of_bias) {
  settle_row(x);
  const double d = step / s_;
  for (std::size_t k = 0; k < x.count; ++k) {
    const std::uint32_t j = x.index(k);
    const double change = d * diagonal[j] * x.value(k);
    v_[j] += change;
    if (averaging_) u_[j] -= a_ * change;
  }
  v_bias_ += d * diagonal_of_bias * constant_;
  u_bias_ -= a_ * d * diagonal_of_bias * constant_;
}

void LinearWeights::add_dense(double step, const std::vector<double>& z) {
  const Row row{.values = z.data() + 1, .count = static_cast<std::uint32_t>(z.size() - 1)};
  settle_row(row);
  const double d = step / s_;
  axpy(d, row, v_.data());
  v_bias_ += d * z[0];
  if (!averaging_) return;
  axpy(-a_ * d, row, u_.data());
  u_bias_ -= a_ * d * z[0];
}

void LinearWeights::scale(double factor) {
  s_ *= factor;
  if (!(s_ > 0)) return clear();  // nothing is left
  const double smallest = averaging_ ? kSmallestAveraging : kSmallest;
  while (s_ < smallest) {
    s_ /= smallest;
    begin_epoch(smallest);
  }
}

void LinearWeights::scale_features(double factor) {
  const double change = v_bias_ / factor - v_bias_;
  v_bias_ += change;
  u_bias_ -= a_ * change;
  scale(factor);
}

void LinearWeights::clear() {
  begin_epoch(0);
  s_ = 1;
}

void LinearWeights::end_round() {
  if (!averaging_) return;
  a_ += s_;
  ++rounds_;
}

void LinearWeights::absorb(std::span<const std::uint32_t> features, std::span<const double> now,
                           std::span<const double> sum, double bias_now, double bias_sum) {
  for (std::size_t k = 0; k < features.size(); ++k) {
    if (!epoch_.empty()) settle(features[k]);
    const double d = now[k] / s_;
    v_[features[k]] += d;
    if (averaging_) u_[features[k]] += (sum.empty() ? 0 : sum[k]) - a_ * d;
  }
  if (constant_ == 0) return;
  const double d = bias_now / constant_ / s_;
  v_bias_ += d;
  u_bias_ += bias_sum / constant_ - a_ * d;
}

Params advice_weights(const Params& params) {
  static constexpr ParamSpec kSpecs[] = {kBiasParam, kAverageParam};
  return {"weights",
          kSpecs,
          {{"bias", params.choice("bias") == "none" ? "none" : "1"}, {"average", params.choice("average")}}};
}

}  // namespace postil
