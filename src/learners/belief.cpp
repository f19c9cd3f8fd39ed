#include "belief.hpp"

#include <cmath>

#include "core/math.hpp"
#include "solvers/sweep.hpp"

namespace postil {
namespace {

constexpr double kKept = 0.9;  // in a step back

}  // namespace

LogisticStep logistic_step(double margin, double s, double weight) {
  constexpr double kClose = 1e-12;
  constexpr int kMost = 200;
  double low = 0, high = weight;  // a - weight p(a) rises with a, from below 0 to above
  double a = weight * sigmoid(-margin) / (1 + weight * s / 4), p = 0;
  for (int k = 0; k < kMost; ++k) {
    p = sigmoid(-(margin + a * s));
    const double gap = a - weight * p;
    if (std::fabs(gap) <= kClose * weight) break;
    (gap < 0 ? low : high) = a;
    a -= gap / (1 + weight * s * p * (1 - p));
    if (!(a > low && a < high)) a = low / 2 + high / 2;
  }
  return {a, weight * p * (1 - p)};
}

Belief::Belief(const std::vector<Normal>& few, const std::vector<Normal>& rules, std::size_t features,
               double x_variance, std::uint64_t memory)
    : few_(few.size()), start_(few), x_variance_(x_variance), memory_(memory) {
  rules_ = sees_rules() ? rules.size() : 0;
  start_.insert(start_.end(), rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(rules_));
  for (const Normal& weight : start_) columns_.insert(columns_.end(), {weight.mean, weight.variance});
  grow(features);
  choose_form();
}

void Belief::grow(std::size_t features) {
  const std::size_t before = size(), wanted = few_ + rules_ + features;
  if (!sees_x() || wanted <= before) return;
  if (full() && wanted > kWidestFull) become_diagonal();
  columns_.reserve(2 * wanted);
  while (size() < wanted) columns_.insert(columns_.end(), {0, x_variance_});
  if (!fresh_.empty()) fresh_.resize(wanted, steps());
  if (!full()) return;
  std::vector<double> wider(wanted * wanted);
  for (std::size_t i = 0; i < before; ++i)
    for (std::size_t j = 0; j < before; ++j) wider[i * wanted + j] = full_[i * before + j];
  for (std::size_t i = before; i < wanted; ++i) wider[i * wanted + i] = x_variance_;
  full_ = std::move(wider);
  phi_.resize(wanted);
  u_.resize(wanted);
}

void Belief::rearrange_rules(std::span<const std::uint32_t> from, const std::vector<Normal>& few,
                             const std::vector<Normal>& rules) {
  if (!sees_rules()) return;
  std::vector<std::uint32_t> places;  // of all columns, before
  for (std::uint32_t i = 0; i < few_; ++i) places.push_back(i);
  for (const std::uint32_t i : from) places.push_back(i == kNew ? kNew : static_cast<std::uint32_t>(few_) + i);
  for (auto j = static_cast<std::uint32_t>(few_ + rules_); j < size(); ++j) places.push_back(j);
  const std::size_t before = size(), now = places.size();
  std::vector<double> columns;
  columns.reserve(2 * now);
  for (std::size_t k = 0; k < now; ++k) {
    const Normal weight =
        places[k] == kNew ? rules[k - few_] : Normal{columns_[2 * places[k]], columns_[2 * places[k] + 1]};
    columns.insert(columns.end(), {weight.mean, weight.variance});
  }
  if (full()) {  // what is no longer asked for drops out of the distribution
    std::vector<double> other(now * now);
    for (std::size_t i = 0; i < now; ++i)
      for (std::size_t j = 0; j < now; ++j)
        if (places[i] != kNew && places[j] != kNew)
          other[i * now + j] = full_[places[i] * before + places[j]];
        else if (i == j)
          other[i * now + j] = columns[2 * i + 1];
    full_ = std::move(other);
  }
  if (!fresh_.empty()) {
    std::vector<double> other(now, steps());
    for (std::size_t k = 0; k < now; ++k)
      if (places[k] != kNew) other[k] = fresh_[places[k]];
    fresh_ = std::move(other);
  }
  columns_ = std::move(columns);
  rules_ = from.size();
  start_ = few;
  start_.insert(start_.end(), rules.begin(), rules.end());
  phi_.resize(full() ? now : 0);
  u_.resize(phi_.size());
  if (full() && now > kWidestFull) become_diagonal();
}

void Belief::take_x(const Belief& other) {
  if (full()) become_diagonal();
  Belief diagonal = other;
  if (diagonal.full()) diagonal.become_diagonal();
  std::copy(diagonal.columns_.begin() + static_cast<std::ptrdiff_t>(2 * (other.few_ + other.rules_)),
            diagonal.columns_.end(), columns_.begin() + static_cast<std::ptrdiff_t>(2 * (few_ + rules_)));
  choose_form();
}

// Rules, votes and planes turn with what they say; the constant and the features do not.
void Belief::turn_round() {
  const auto turn = [&](std::size_t column) {
    columns_[2 * column] = -columns_[2 * column];
    for (std::size_t k = 0; full() && k < size(); ++k) {
      full_[column * size() + k] = -full_[column * size() + k];
      full_[k * size() + column] = -full_[k * size() + column];
    }
  };
  turn(0);
  for (std::size_t column = few_ + rules_; column < size(); ++column) turn(column);
}

void Belief::choose_form() {
  fresh_.assign(memory_ > 0 && size() > kWidestFull ? size() : 0, steps());
  if (size() > kWidestFull) return;
  const std::size_t n = size();
  full_.assign(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) full_[i * n + i] = columns_[2 * i + 1];
  phi_.assign(n, 0);
  u_.assign(n, 0);
}

void Belief::become_diagonal() {
  const std::size_t n = size();
  std::vector<double> precision = std::move(full_);
  full_.clear();
  invert_by_sweeps(precision, n);
  for (std::size_t k = 0; k < n; ++k) columns_[2 * k + 1] = precision[k * n + k] > 0 ? 1 / precision[k * n + k] : 0;
  phi_.clear();
  u_.clear();
  fresh_.assign(memory_ > 0 ? n : 0, steps());
}

Belief::Normal Belief::now(std::size_t column) const {
  const Normal then{columns_[2 * column], columns_[2 * column + 1]};
  if (fresh_.empty() || fresh_[column] == steps() || !(then.variance > 0)) return then;
  const Normal start = start_of(column);
  const double kept = portable_pow(kKept, steps() - fresh_[column]);
  const double precision = kept / then.variance + (1 - kept) / start.variance;
  return {(kept * then.mean / then.variance + (1 - kept) * start.mean / start.variance) / precision, 1 / precision};
}

void Belief::step_back() {
  const std::size_t n = size();
  invert_by_sweeps(full_, n);
  std::vector<double>&sums = u_, &means = phi_;  // V^-1 w, w
  for (std::size_t i = 0; i < n; ++i) means[i] = columns_[2 * i];
  for (std::size_t i = 0; i < n; ++i) {
    const Normal start = start_of(i);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      sum += full_[i * n + k] * means[k];
      full_[i * n + k] *= kKept;
    }
    sums[i] = kKept * sum;
    if (!(start.variance > 0)) continue;
    sums[i] += (1 - kKept) * start.mean / start.variance;
    full_[i * n + i] += (1 - kKept) / start.variance;
  }
  invert_by_sweeps(full_, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(start_of(i).variance > 0)) continue;
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) mean += full_[i * n + k] * sums[k];
    columns_[2 * i] = mean;
    for (std::size_t k = 0; k < i; ++k)  // rounding
      full_[k * n + i] = full_[i * n + k] = (full_[k * n + i] + full_[i * n + k]) / 2;
  }
}

template <class F>
void Belief::visit(const Phi& phi, const F& f) const {
  for (std::size_t i = 0; i < few_; ++i) f(i, phi.few[i]);
  if (sees_rules())
    for (const Phi::Held& held : phi.rules) f(few_ + held.place, held.value);
  if (sees_x()) for_each_feature(phi, [&](std::size_t j, double value) { f(few_ + rules_ + j, value); });
}

double Belief::score(const Phi& phi) const {
  double f = 0;
  if (fresh_.empty())
    visit(phi, [&](std::size_t column, double value) { f += columns_[2 * column] * value; });
  else
    visit(phi, [&](std::size_t column, double value) { f += now(column).mean * value; });
  return f;
}

std::vector<double> Belief::times(const Phi& phi) const {
  const std::size_t n = size();
  std::vector<double> u(n);
  visit(phi, [&](std::size_t column, double value) {
    if (!full()) {
      u[column] = now(column).variance * value;
      return;
    }
    const double* row = full_.data() + column * n;
    for (std::size_t k = 0; k < n; ++k) u[k] += row[k] * value;
  });
  return u;
}

double Belief::along(const std::vector<double>& u, const Phi& phi) const {
  double sum = 0;
  visit(phi, [&](std::size_t column, double value) { sum += u[column] * value; });
  return sum;
}

double Belief::variance(const Phi& phi) const {
  if (full()) return std::max(0.0, along(times(phi), phi));
  double s = 0;
  visit(phi, [&](std::size_t column, double value) { s += now(column).variance * value * value; });
  return s;
}

Belief::Look Belief::look(const Phi& phi) {
  Look out;
  if (!fresh_.empty())
    visit(phi, [&](std::size_t column, double) {
      const Normal weight = now(column);
      columns_[2 * column] = weight.mean;
      columns_[2 * column + 1] = weight.variance;
      fresh_[column] = steps();
    });
  if (!full()) {
    visit(phi, [&](std::size_t column, double value) {
      const double* of = columns_.data() + 2 * column;
      out.f += of[0] * value;
      out.s += of[1] * value * value;
    });
    return out;
  }
  const std::size_t n = size();
  std::fill(phi_.begin(), phi_.end(), 0);
  std::fill(u_.begin(), u_.end(), 0);
  visit(phi, [&](std::size_t column, double value) {
    out.f += columns_[2 * column] * value;
    phi_[column] = value;
    const double* row = full_.data() + column * n;
    for (std::size_t k = 0; k < n; ++k) u_[k] += row[k] * value;
  });
  for (std::size_t k = 0; k < n; ++k) out.s += phi_[k] * u_[k];
  return out;
}

void Belief::learn(const Phi& phi, const Look& look, double y, double offset, double weight) {
  const double s = std::max(0.0, look.s);
  const LogisticStep found = logistic_step(y * (look.f + offset), s, weight);
  const double step = y * found.a, c = found.c;
  const double back = steps();
  ++age_;
  if (!full()) {
    visit(phi, [&](std::size_t column, double value) {
      double* of = columns_.data() + 2 * column;
      const double u = of[1] * value;
      of[0] += step * u;
      of[1] /= 1 + c * u * value;
    });
    return;
  }
  const std::size_t n = size();
  const double less = c / (1 + c * s);
  for (std::size_t i = 0; i < n; ++i) {
    columns_[2 * i] += step * u_[i];
    if (u_[i] == 0) continue;
    double* row = full_.data() + i * n;
    for (std::size_t k = 0; k < n; ++k) row[k] -= less * (u_[i] * u_[k]);
  }
  if (steps() > back) step_back();
}

// V^-1 and V^-1 w; of a diagonal V its diagonal.
Belief::Natural Belief::natural() const {
  const std::size_t n = size();
  Natural out{full_, std::vector<double>(n)};
  if (!full()) {
    for (std::size_t k = 0; k < n; ++k) {
      const Normal weight = now(k);
      const double precision = weight.variance > 0 ? 1 / weight.variance : 0;
      out.precision.push_back(precision);
      out.pull[k] = precision * weight.mean;
    }
    return out;
  }
  invert_by_sweeps(out.precision, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) out.pull[i] += out.precision[i * n + k] * columns_[2 * k];
  return out;
}

void Belief::write_gains(const Belief& start, StateWriter& out, const std::string& name) const {
  Natural mine = natural();
  const Natural theirs = start.natural();
  for (std::size_t k = 0; k < mine.precision.size(); ++k) mine.precision[k] -= theirs.precision[k];
  for (std::size_t k = 0; k < mine.pull.size(); ++k) mine.pull[k] -= theirs.pull[k];
  out.tensor(name + ".precision", mine.precision);
  out.tensor(name + ".pull", mine.pull);
}

void Belief::take_gains(StateReader& sums, const std::string& name) {
  const std::size_t n = size();
  Natural all = natural();
  std::vector<double> precision, pull;
  sums.tensor(name + ".precision", precision);
  sums.tensor(name + ".pull", pull);
  for (std::size_t k = 0; k < all.precision.size(); ++k) all.precision[k] += precision.at(k);
  for (std::size_t k = 0; k < n; ++k) all.pull[k] += pull.at(k);
  if (!full()) {
    for (std::size_t k = 0; k < n; ++k)
      if (all.precision[k] > 0) {
        columns_[2 * k] = all.pull[k] / all.precision[k];
        columns_[2 * k + 1] = 1 / all.precision[k];
      }
    return;
  }
  full_ = std::move(all.precision);
  invert_by_sweeps(full_, n);
  for (std::size_t i = 0; i < n; ++i) {
    if (!(start_of(i).variance > 0)) continue;  // known for sure
    double mean = 0;
    for (std::size_t k = 0; k < n; ++k) mean += full_[i * n + k] * all.pull[k];
    columns_[2 * i] = mean;
    for (std::size_t k = 0; k < i; ++k)  // rounding
      full_[k * n + i] = full_[i * n + k] = (full_[k * n + i] + full_[i * n + k]) / 2;
  }
}

void Belief::write(StateWriter& out, const std::string& name) const {
  out.tensor(name + ".columns", columns_);
  out.tensor(name + ".variances", full_);
  if (memory_ == 0) return;
  out.tensor(name + ".fresh", fresh_);
  out.counter(name + ".age", age_);
}

void Belief::read(StateReader& in, const std::string& name) {
  in.tensor(name + ".columns", columns_);
  in.tensor(name + ".variances", full_);
  if (memory_ > 0) {
    in.tensor(name + ".fresh", fresh_);
    in.counter(name + ".age", age_);
  }
  phi_.assign(full() ? size() : 0, 0);
  u_ = phi_;
}

bool Belief::fits(std::size_t features) const {
  if (columns_.size() != 2 * (few_ + rules_ + (sees_x() ? features : 0))) return false;
  if (fresh_.size() != (memory_ > 0 && full_.empty() ? size() : 0)) return false;
  if (!std::all_of(fresh_.begin(), fresh_.end(), [&](double step) { return step >= 0 && step <= steps(); }))
    return false;
  if (full_.empty()) {
    for (std::size_t k = 1; k < columns_.size(); k += 2)
      if (!(columns_[k] >= 0)) return false;
    return true;
  }
  if (full_.size() != size() * size() || size() > kWidestFull) return false;
  for (std::size_t i = 0; i < size(); ++i)
    if (!(full_[i * size() + i] >= 0)) return false;
  return true;
}

}  // namespace postil
