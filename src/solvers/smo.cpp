// smo.cpp: sequential minimal optimisation.
//
// Source   Fan, Chen and Lin, Working Set Selection Using Second Order Information, JMLR 2005   [fan2005wss];
//          Chang and Lin, LIBSVM, 2011, for shrinking and for nu.
// Problem  min 1/2 a'Qa + p'a,  s'a fixed,  0 <= a <= upper
// State    g_k = s_k (Qa + p)_k = sum_j K_kj s_j a_j + s_k p_k: with the signs taken out, a step changes g by two rows of K.
// Update   i = argmax -g_i among those whose s_i a_i can grow; j among those whose s_j a_j can fall: the largest b^2/c with
//          b = g_j - g_i, c = K_ii + K_jj - 2 K_ij;  s_i a_i += t, s_j a_j -= t with t = b/c, cut off at the bounds.
// Stop     largest -g_i + g_j <= tolerance.
// Cost     three passes over the active unknowns a step, all in vector instructions.
// Choices  Shrinking only where rows must be computed: with the whole matrix at hand, a pass over all costs less than
//          keeping order. Test: SmoWithAndWithoutShrinking.
#include "smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>

#include "core/clones.hpp"
#include "core/math.hpp"
#include "core/parallel.hpp"
#include "postil/watch.hpp"

namespace postil {
namespace {

constexpr double kTiny = 1e-12;  // curvature below this counts as this
constexpr std::size_t kLanes = 8;

struct Found {
  double value = -kInfinity;
  std::size_t at = 0;
};

[[gnu::always_inline]] inline Found best_of(const double* value, const double* at) {
  Found out{value[0], static_cast<std::size_t>(at[0])};
  for (std::size_t l = 1; l < kLanes; ++l)
    if (value[l] > out.value || (value[l] == out.value && at[l] < static_cast<double>(out.at)))
      out = {value[l], static_cast<std::size_t>(at[l])};
  return out;
}

// Largest sign * g_k + mask_k. Masks are 0 or -infinity. Needs: n a multiple of kLanes (arrays are padded).
POSTIL_CLONES Found largest(const double* g, const double* mask, double sign, std::size_t n) {
  double best[kLanes], at[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    best[l] = -kInfinity;
    at[l] = 0;
  }
  for (std::size_t k = 0; k < n; k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double value = sign * g[k + l] + mask[k + l];
      const bool better = value > best[l];
      best[l] = better ? value : best[l];
      at[l] = better ? static_cast<double>(k + l) : at[l];
    }
  return best_of(best, at);
}

// Largest b^2/c over k with b = top + g_k > 0.
POSTIL_CLONES Found most_gain(const double* g, const double* mask, const double* row, const double* diagonal,
                              double top, double own, std::size_t n) {
  double best[kLanes], at[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) {
    best[l] = 0;
    at[l] = -1;
  }
  for (std::size_t k = 0; k < n; k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double b = top + g[k + l] + mask[k + l];
      const double curve = own + diagonal[k + l] - 2 * row[k + l];
      const double c = curve > kTiny ? curve : kTiny;
      const double gain = b > 0 ? b * b / c : 0;
      const bool better = gain > best[l];
      best[l] = better ? gain : best[l];
      at[l] = better ? static_cast<double>(k + l) : at[l];
    }
  Found out{0, std::numeric_limits<std::size_t>::max()};
  for (std::size_t l = 0; l < kLanes; ++l)
    if (best[l] > out.value || (best[l] == out.value && at[l] >= 0 && static_cast<std::size_t>(at[l]) < out.at))
      out = {best[l], static_cast<std::size_t>(at[l])};
  return out;
}

POSTIL_CLONES void add_difference(double t, const double* a, const double* b, double* g, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) g[k] += t * (a[k] - b[k]);
}

std::size_t padded(std::size_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

// Rows of K in the solver's present order of the unknowns, the least recently used thrown out first.
class RowCache {
 public:
  RowCache(const SymmetricRows& k, std::uint64_t bytes)
      : k_(k), rows_(k.size()), most_(std::max<std::uint64_t>(2 * k.size(), bytes / sizeof(double))) {}

  // Row `of` at the first `length` unknowns of `order`.
  const double* get(std::uint32_t of, std::span<const std::uint32_t> order, std::size_t length) {
    Entry& entry = rows_[of];
    if (entry.values.empty()) {
      while (used_ + padded(order.size()) > most_ && recent_.size() > 2) drop(recent_.back());
      entry.values.resize(padded(order.size()));
      entry.filled = 0;
      used_ += entry.values.size();
      recent_.push_front(of);
      entry.place = recent_.begin();
    } else {
      recent_.splice(recent_.begin(), recent_, entry.place);
    }
    if (entry.filled < length) {
      k_.fill(of, order.subspan(entry.filled, length - entry.filled), entry.values.data() + entry.filled);
      entry.filled = length;
    }
    return entry.values.data();
  }
  // The unknown at place k was at place from[k].
  void reorder(std::span<const std::uint32_t> from) {
    std::vector<double> old;
    for (const std::uint32_t of : std::vector<std::uint32_t>(recent_.begin(), recent_.end())) {
      Entry& entry = rows_[of];
      old = entry.values;
      std::size_t filled = 0;
      while (filled < from.size() && from[filled] < entry.filled) ++filled;
      for (std::size_t k = 0; k < filled; ++k) entry.values[k] = old[from[k]];
      entry.filled = filled;
    }
  }

 private:
  struct Entry {
    std::vector<double> values;
    std::size_t filled = 0;
    std::list<std::uint32_t>::iterator place;
  };
  void drop(std::uint32_t of) {
    used_ -= rows_[of].values.size();
    recent_.erase(rows_[of].place);
    rows_[of] = {};
  }
  const SymmetricRows& k_;
  std::vector<Entry> rows_;
  std::list<std::uint32_t> recent_;
  std::uint64_t most_, used_ = 0;
};

class Smo {
 public:
  Smo(const SmoProblem& problem, const SmoOptions& options)
      : problem_(problem),
        options_(options),
        size_(problem.k.size()),
        active_(size_),
        lent_(size_ > 0 && problem.k.whole(0) != nullptr),
        cache_(problem.k, lent_ ? 0 : options.cache) {
    order_.resize(size_);
    std::iota(order_.begin(), order_.end(), 0);
    const std::size_t room = padded(size_);
    for (std::vector<double>* array : {&a_, &s_, &upper_, &g_, &diagonal_}) array->resize(room);
    for (auto* masks : {&up_, &low_})
      for (std::vector<double>& mask : *masks) mask.assign(room, -kInfinity);
    for (std::size_t k = 0; k < size_; ++k) {
      a_[k] = problem.start[k];
      s_[k] = problem.s[k];
      upper_[k] = problem.upper[k];
      diagonal_[k] = problem.k.diagonal(k);
      set_masks(k);
    }
    gradient_from_scratch(0);
  }

  SmoResult solve() {
    SmoResult out;
    const std::uint64_t most = options_.most_iterations > 0
                                   ? options_.most_iterations
                                   : std::max<std::uint64_t>(10'000'000, 100 * static_cast<std::uint64_t>(size_));
    const auto period = static_cast<std::uint64_t>(std::min<std::size_t>(std::max<std::size_t>(size_, 1), 1000));
    std::uint64_t to_shrinking = period;
    bool restored = false;  // once, near the end
    for (;;) {
      if (out.iterations % 16 == 0) look_up("iterations", out.iterations);
      if (!lent_ && --to_shrinking == 0) {
        to_shrinking = period;
        look();
        if (!restored && violation_ <= 10 * options_.tolerance) {
          restored = true;
          unshrink();
          look();
        }
        shrink();
      }
      look();
      if (violation_ <= options_.tolerance || out.iterations >= most) {
        if (active_ == size_) break;
        unshrink();
        look();
        if (violation_ <= options_.tolerance || out.iterations >= most) break;
        to_shrinking = 1;
      }
      if (!step()) {
        unshrink();
        look();
        break;
      }
      ++out.iterations;
    }
    finish(out);
    return out;
  }

 private:
  [[nodiscard]] int classes() const { return problem_.balanced ? 2 : 1; }
  [[nodiscard]] int class_of(std::size_t k) const { return problem_.balanced && s_[k] < 0 ? 1 : 0; }

  void set_masks(std::size_t k) {
    const bool below = a_[k]<upper_[k], above = a_[k]> 0;
    const int c = class_of(k);
    up_[c][k] = (s_[k] > 0 ? below : above) ? 0 : -kInfinity;
    low_[c][k] = (s_[k] > 0 ? above : below) ? 0 : -kInfinity;
  }

  const double* row(std::size_t k) {
    return lent_ ? problem_.k.whole(order_[k]) : cache_.get(order_[k], order_, active_);
  }

  // How far the conditions are from being met, and the first of the pair in each class.
  void look() {
    violation_ = 0;
    for (int c = 0; c < classes(); ++c) {
      top_[c] = largest(g_.data(), up_[c].data(), -1, padded(active_));
      bottom_[c] = largest(g_.data(), low_[c].data(), 1, padded(active_));
      violation_ = std::max(violation_, top_[c].value + bottom_[c].value);
    }
  }

  bool step() {
    Found best{0, std::numeric_limits<std::size_t>::max()};
    std::size_t i = 0;
    const double* row_i = nullptr;
    for (int c = 0; c < classes(); ++c) {
      if (top_[c].value == -kInfinity || top_[c].value + bottom_[c].value <= 0) continue;
      const double* candidate = row(top_[c].at);
      const Found found = most_gain(g_.data(), low_[c].data(), candidate, diagonal_.data(), top_[c].value,
                                    diagonal_[top_[c].at], lent_ ? active_ / kLanes * kLanes : padded(active_));
      Found whole = found;
      for (std::size_t k = active_ / kLanes * kLanes; lent_ && k < active_; ++k) {  // lent rows are not padded
        const double b = top_[c].value + g_[k] + low_[c][k];
        const double curve = std::max(diagonal_[top_[c].at] + diagonal_[k] - 2 * candidate[k], kTiny);
        if (b > 0 && b * b / curve > whole.value) whole = {b * b / curve, k};
      }
      if (whole.value <= best.value) continue;
      best = whole;
      i = top_[c].at;
      row_i = candidate;
    }
    if (row_i == nullptr || best.at >= active_) return false;
    const std::size_t j = best.at;
    const double* row_j = row(j);
    row_i = row(i);  // the cache may have moved on
    const double curve = std::max(diagonal_[i] + diagonal_[j] - 2 * row_i[j], kTiny);
    const double room_i = s_[i] > 0 ? upper_[i] - a_[i] : a_[i];
    const double room_j = s_[j] > 0 ? a_[j] : upper_[j] - a_[j];
    double t = (g_[j] - g_[i]) / curve;
    const bool stop_i = t >= room_i && room_i <= room_j, stop_j = t >= room_j && room_j <= room_i;
    t = std::min({t, room_i, room_j});
    a_[i] = stop_i ? (s_[i] > 0 ? upper_[i] : 0) : a_[i] + s_[i] * t;
    a_[j] = stop_j ? (s_[j] > 0 ? 0 : upper_[j]) : a_[j] - s_[j] * t;
    set_masks(i);
    set_masks(j);
    add_difference(t, row_i, row_j, g_.data(), active_);
    return true;
  }

  // ---- shrinking ----

  // Unknowns at a bound that the present gradients keep there.
  [[nodiscard]] bool settled(std::size_t k) const {
    const int c = class_of(k);
    if (up_[c][k] != 0) return -g_[k] > top_[c].value;
    if (low_[c][k] != 0) return g_[k] > bottom_[c].value;
    return false;
  }

  void shrink() {
    std::vector<std::uint32_t> from(size_);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < active_; ++k)
      if (!settled(k)) from[kept++] = static_cast<std::uint32_t>(k);
    if (kept == active_ || kept < 2) return;
    std::size_t rest = kept;
    for (std::size_t k = 0; k < active_; ++k)
      if (settled(k)) from[rest++] = static_cast<std::uint32_t>(k);
    for (std::size_t k = active_; k < size_; ++k) from[k] = static_cast<std::uint32_t>(k);
    const auto moved = [&](auto& array) {
      auto old = array;
      for (std::size_t k = 0; k < size_; ++k) array[k] = old[from[k]];
    };
    for (std::vector<double>* array : {&a_, &s_, &upper_, &g_, &diagonal_}) moved(*array);
    moved(order_);
    cache_.reorder(from);
    active_ = kept;
    for (auto* masks : {&up_, &low_})
      for (std::vector<double>& mask : *masks) std::fill(mask.begin(), mask.end(), -kInfinity);
    for (std::size_t k = 0; k < active_; ++k) set_masks(k);
  }

  void unshrink() {
    if (active_ == size_) return;
    const std::size_t from = active_;
    active_ = size_;
    for (std::size_t k = from; k < size_; ++k) set_masks(k);
    gradient_from_scratch(from);
  }

  void gradient_from_scratch(std::size_t from) {
    std::vector<std::uint32_t> support;
    std::vector<double> weight;
    for (std::size_t k = 0; k < size_; ++k)
      if (a_[k] != 0) {
        support.push_back(order_[k]);
        weight.push_back(s_[k] * a_[k]);
      }
    constexpr std::size_t kChunk = 64;
    in_parallel((size_ - from + kChunk - 1) / kChunk, [&](std::size_t chunk) {
      std::vector<double> values(support.size());
      for (std::size_t k = from + chunk * kChunk; k < std::min(size_, from + (chunk + 1) * kChunk); ++k) {
        problem_.k.fill(order_[k], support, values.data());
        g_[k] = s_[k] * problem_.p[order_[k]] + std::inner_product(values.begin(), values.end(), weight.begin(), 0.0);
      }
    });
  }

  // ---- the answer ----

  // The multiplier of one class's sum: the mean over those between the bounds, else the middle of what is possible.
  [[nodiscard]] double multiplier(int c) const {
    double sum = 0, low = -kInfinity, high = kInfinity;
    std::size_t count = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      if (class_of(k) != c) continue;
      const bool up = up_[c][k] == 0, down = low_[c][k] == 0;
      if (up && down) {
        sum += g_[k];
        ++count;
      } else if (up) {
        high = std::min(high, g_[k]);
      } else {
        low = std::max(low, g_[k]);
      }
    }
    if (count > 0) return sum / static_cast<double>(count);
    if (low == -kInfinity) return high == kInfinity ? 0 : high;
    return high == kInfinity ? low : (low + high) / 2;
  }

  void finish(SmoResult& out) {
    out.a.resize(size_);
    for (std::size_t k = 0; k < size_; ++k) {
      out.a[order_[k]] = a_[k];
      out.objective += a_[k] * (s_[k] * g_[k] + problem_.p[order_[k]]) / 2;
    }
    out.violation = violation_;
    out.converged = violation_ <= options_.tolerance;
    if (problem_.balanced) {  // g = s G: the multipliers of G are r1 and -r2 here
      const double plus = multiplier(0), minus = multiplier(1);
      out.rho = (plus + minus) / 2;
      out.spread = (plus - minus) / 2;
    } else {
      out.rho = multiplier(0);
    }
  }

  const SmoProblem& problem_;
  const SmoOptions& options_;
  std::size_t size_, active_;
  bool lent_;
  RowCache cache_;
  std::vector<std::uint32_t> order_;
  std::vector<double> a_, s_, upper_, g_, diagonal_;
  std::vector<double> up_[2], low_[2];  // 0: s a can grow, can fall; by class where that matters
  Found top_[2], bottom_[2];
  double violation_ = 0;
};

}  // namespace

SmoResult solve_smo(const SmoProblem& problem, const SmoOptions& options) { return Smo(problem, options).solve(); }

}  // namespace postil
