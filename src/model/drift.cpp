// drift.cpp: are rows still like earlier ones?
//
// Source   Bennett, Probability inequalities for the sum of independent random variables, JASA 57, 1962; Fisher, The design of
//          experiments, 1935 (the exact test of two shares).
// Means    D = mean here - mean before is a sum of independent terms x/n and -y/N. With variance v = s^2 (1/n + 1/N) and terms at
//          most c above their mean, P(D >= t) <= exp(-v/c^2 h(ct/v)), h(u) = (1 + u) log(1 + u) - u. Close to the normal law where
//          many rows share the sum, to Poisson's where few large values make it: columns such as capital gains raise no false alarm.
// Shares   the hits here, given all hits, have the hypergeometric law.
// Beyond   of n + N rows in random order, the chance that the k largest are all among the n here is n/(n+N) (n-1)/(n+N-1) ...
// Choices  s^2 and c are those of all rows together, so a difference that is there makes them larger: this only loses power.
//          Logarithms are portable: alarms are part of a stream, which gives the same bits on all machines.
#include "drift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <unordered_map>

#include "core/math.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr double kLog2 = std::numbers::ln2;

double log_factorial(double n) {
  if (n < 10) {
    double product = 1;
    for (double k = 2; k <= n; ++k) product *= k;
    return portable_log(product);
  }
  const double inverse = 1 / n, square = inverse * inverse;  // Stirling's series
  return n * portable_log(n) - n + 0.5 * portable_log(2 * std::numbers::pi * n) +
         inverse * (1.0 / 12 - square * (1.0 / 360 - square / 1260));
}
double log_choose(double n, double k) { return log_factorial(n) - log_factorial(k) - log_factorial(n - k); }

// log P(X >= x) of X successes among n drawn from N of which K are successes; at most too large, since the terms that are not added
// are bounded by a geometric series. Needs: x is no smaller than the mean.
double log_tail(double x, double n, double K, double N) {
  constexpr int kExact = 64;
  double sum = 1, term = 1;
  for (int k = 0; k < kExact; ++k) {
    const double at = x + k, ratio = (K - at) * (n - at) / ((at + 1) * (N - K - n + at + 1));
    if (!(ratio > 0)) break;
    if (k + 1 == kExact) {
      if (!(ratio < 1)) return 0;
      sum += term * ratio / (1 - ratio);
    } else {
      sum += term *= ratio;
    }
  }
  return std::min(0.0, log_choose(K, x) + log_choose(N - K, n - x) - log_choose(N, n) + portable_log(sum));
}

double clamped_exp(double log_p) { return log_p >= 0 ? 1 : portable_exp(log_p); }

}  // namespace

double log_p_more(double hits_before, double rows_before, double hits_here, double rows_here) {
  const double K = hits_before + hits_here, N = rows_before + rows_here;
  if (!(rows_here > 0) || !(rows_before > 0) || hits_here * N <= K * rows_here) return 0;
  return log_tail(hits_here, rows_here, K, N);
}

double log_p_shares(double hits_before, double rows_before, double hits_here, double rows_here) {
  const double K = hits_before + hits_here, N = rows_before + rows_here;
  if (!(rows_here > 0) || !(rows_before > 0)) return 0;
  const double more = hits_here - K * rows_here / N;
  const double variance = rows_here * (K / N) * (1 - K / N) * (rows_before / N);
  if (more * more <= 4 * variance) return 0;  // never an alarm
  const double tail =
      more > 0 ? log_tail(hits_here, rows_here, K, N) : log_tail(rows_here - hits_here, rows_here, N - K, N);
  return std::min(0.0, kLog2 + tail);
}

double log_p_means(double mean_before, double n_before, double mean_here, double n_here, double variance, double low,
                   double high) {
  if (!(n_before > 0) || !(n_here > 0) || !(variance > 0)) return 0;
  const double t = std::fabs(mean_here - mean_before), v = variance * (1 / n_here + 1 / n_before);
  const double mean = (mean_before * n_before + mean_here * n_here) / (n_before + n_here);
  const bool up = mean_here > mean_before;
  const double c = std::max((up ? high - mean : mean - low) / n_here, (up ? mean - low : high - mean) / n_before);
  if (!(c > 0) || !std::isfinite(t) || !std::isfinite(v) || !std::isfinite(c)) return 0;
  const double u = c * t / v;
  const double exponent = u < 1e-4 ? t * t / (2 * v) * (1 - u / 3) : v / (c * c) * ((1 + u) * portable_log1p(u) - u);
  return std::isfinite(exponent) ? std::min(0.0, kLog2 - exponent) : 0;
}

double log_p_beyond(double k, double n, double before) {
  double log_p = 0;
  for (double i = 0; i < k && log_p > -700; ++i) log_p += portable_log((n - i) / (n + before - i));
  return log_p;
}

void place_texts(const Column& column, const std::vector<std::string>& texts, std::vector<double>& places) {
  if (places.size() >= texts.size()) return;
  std::unordered_map<std::string_view, std::size_t> known;
  for (std::size_t k = 0; k < column.categories.size(); ++k) known.emplace(column.categories[k], k + 1);
  for (std::size_t code = places.size(); code < texts.size(); ++code) {
    const auto found = known.find(texts[code]);
    places.push_back(found == known.end() ? 0 : static_cast<double>(found->second));
  }
}

// ---- tallies ----

void DriftTally::add_unit(bool categorical) {
  for (std::vector<double>* each : {&rows, &count, &sum, &squares}) each->push_back(0);
  low.push_back(kInfinity);
  high.push_back(-kInfinity);
  categories.emplace_back(categorical ? 1 : 0);
}

void DriftTally::add(std::span<const double> values, std::size_t first) {
  const std::size_t n = values.size();
  const double* x = values.data();
  double *r = rows.data(), *c = count.data(), *s = sum.data(), *q = squares.data(), *l = low.data(), *h = high.data();
  for (std::size_t k = first; k < n; ++k) {  // without branches, for vector instructions
    const bool there = x[k] == x[k];
    const double v = there ? x[k] : 0;
    r[k] += 1;
    c[k] += there ? 1 : 0;
    s[k] += v;
    q[k] += v * v;
    l[k] = there && v < l[k] ? v : l[k];
    h[k] = there && v > h[k] ? v : h[k];
  }
  for (std::size_t k = first; k < n; ++k) {
    std::vector<double>& of = categories[k];
    if (of.empty() || x[k] != x[k]) continue;
    const auto place = static_cast<std::size_t>(x[k]);
    if (place >= of.size()) of.resize(place + 1);
    of[place] += 1;
  }
}

void DriftTally::merge(const DriftTally& other) {
  while (rows.size() < other.rows.size()) add_unit(!other.categories[rows.size()].empty());
  for (std::size_t k = 0; k < other.rows.size(); ++k) {
    rows[k] += other.rows[k];
    count[k] += other.count[k];
    sum[k] += other.sum[k];
    squares[k] += other.squares[k];
    low[k] = std::min(low[k], other.low[k]);
    high[k] = std::max(high[k], other.high[k]);
    categories[k].resize(std::max(categories[k].size(), other.categories[k].size()));
    for (std::size_t g = 0; g < other.categories[k].size(); ++g) categories[k][g] += other.categories[k][g];
  }
}

void DriftTally::clear(std::size_t unit) {
  for (std::vector<double>* each : {&rows, &count, &sum, &squares}) (*each)[unit] = 0;
  low[unit] = kInfinity;
  high[unit] = -kInfinity;
  std::fill(categories[unit].begin(), categories[unit].end(), 0);
}
void DriftTally::clear() {
  for (std::size_t k = 0; k < rows.size(); ++k) clear(k);
}

// ---- comparing ----

namespace {

// The strongest of a unit's signs.
class Strongest {
 public:
  void take(double log_p, Drift::What what, double before, double here, std::string category = {}) {
    ++comparisons_;
    if (!(log_p < log_p_)) return;
    log_p_ = log_p;
    drift_.what = what;
    drift_.before = before;
    drift_.here = here;
    drift_.category = std::move(category);
  }
  void skip(std::size_t comparisons) { comparisons_ += comparisons; }
  // None: not below the level. `spread`: of numbers; shares have that of all rows together.
  std::optional<Drift> found(double log_level, double rows_before, double rows_here, double spread) {
    const double log_p = log_p_ + portable_log(static_cast<double>(std::max<std::size_t>(comparisons_, 1)));
    if (!(log_p_ < 0) || log_p > log_level) return std::nullopt;
    drift_.rows_before = rows_before;
    drift_.rows_here = rows_here;
    drift_.p = clamped_exp(log_p);
    if (!(spread > 0) || drift_.what != Drift::What::mean) {
      const double share =
          (drift_.before * rows_before + drift_.here * rows_here) / std::max(rows_before + rows_here, 1.0);
      spread = std::sqrt(std::max(share * (1 - share), 1e-300));
    }
    drift_.deviations = std::fabs(drift_.here - drift_.before) / spread;
    return drift_;
  }

 private:
  double log_p_ = 0;
  std::size_t comparisons_ = 0;
  Drift drift_;
};

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

void compare_categories(const std::vector<std::string>& names, const DriftTally& before, const DriftTally& here,
                        std::size_t unit, Drift::What what, Strongest& strongest) {
  const double n = here.count[unit], N = before.count[unit];
  const auto of = [](const std::vector<double>& counts, std::size_t place) {
    return place < counts.size() ? counts[place] : 0;
  };
  const bool two = what == Drift::What::classes && names.size() == 2;  // one share says it
  for (std::size_t place = two ? 2 : 0; place < names.size() + 1; ++place) {
    const double hits = of(here.categories[unit], place), earlier = of(before.categories[unit], place);
    strongest.take(log_p_shares(earlier, N, hits, n), place == 0 ? Drift::What::new_category : what, ratio(earlier, N),
                   ratio(hits, n), place == 0 ? std::string() : names[place - 1]);
  }
}

}  // namespace

std::optional<Drift> compare_unit(const Schema& schema, std::size_t unit, const DriftTally& before,
                                  const DriftTally& here, double centre, double log_level,
                                  std::optional<Beyond> beyond) {
  const double n = here.count[unit], N = before.count[unit];
  Strongest strongest;
  double spread = 0;
  if (!here.categories[unit].empty()) {
    const bool labels = unit == kLabelUnit;
    compare_categories(labels ? schema.label.classes : schema.columns[unit - kFirstColumnUnit].categories, before, here,
                       unit, labels ? Drift::What::classes : Drift::What::category, strongest);
  } else if (unit == kErrorUnit && !schema.label.real()) {
    strongest.take(log_p_more(before.sum[unit], N, here.sum[unit], n), Drift::What::error, ratio(before.sum[unit], N),
                   ratio(here.sum[unit], n));
  } else {
    const double mean_before = ratio(before.sum[unit], N), mean_here = ratio(here.sum[unit], n);
    const double mean = ratio(before.sum[unit] + here.sum[unit], N + n);
    const double variance = ratio(before.squares[unit] + here.squares[unit], N + n) - mean * mean;
    const double log_p = log_p_means(mean_before, N, mean_here, n, variance, std::min(before.low[unit], here.low[unit]),
                                     std::max(before.high[unit], here.high[unit]));
    const bool error = unit == kErrorUnit;
    strongest.take(error && mean_here < mean_before ? 0 : log_p, error ? Drift::What::error : Drift::What::mean,
                   mean_before + centre, mean_here + centre);
    spread = variance > 0 ? std::sqrt(variance) : 0;
    if (beyond) {
      strongest.take(log_p_beyond(beyond->above, n, N), Drift::What::above, 0, ratio(beyond->above, n));
      strongest.take(log_p_beyond(beyond->below, n, N), Drift::What::below, 0, ratio(beyond->below, n));
    }
  }
  if (unit >= kFirstColumnUnit)
    strongest.take(log_p_shares(before.rows[unit] - N, before.rows[unit], here.rows[unit] - n, here.rows[unit]),
                   Drift::What::missing, ratio(before.rows[unit] - N, before.rows[unit]),
                   ratio(here.rows[unit] - n, here.rows[unit]));
  std::optional<Drift> out = strongest.found(log_level, N, n, spread);
  if (!out) return out;
  if (unit >= kFirstColumnUnit) out->column = schema.columns[unit - kFirstColumnUnit].name;
  out->limit = centre + (out->what == Drift::What::above ? before.high : before.low)[unit];
  return out;
}

// ---- data against training ----

DriftCheck::DriftCheck(const Model& model, const Table& table) : model_(model), table_(table) {
  const Schema& schema = model.schema();
  before_.add_unit(!schema.label.real());
  before_.add_unit(false);
  centres_.assign(kFirstColumnUnit, 0);
  if (!schema.sparse())
    for (const Column& column : schema.columns) {
      const std::size_t unit = before_.rows.size();
      const Moments& numbers = column.seen.numbers;
      const bool categorical = column.categorical();
      before_.add_unit(categorical);
      centres_.push_back(categorical ? 0 : numbers.mean);
      std::vector<double>& categories = before_.categories[unit];
      for (const std::uint64_t rows : column.seen.categories)
        if (categorical) categories.push_back(static_cast<double>(rows));
      before_.count[unit] = categorical ? 0 : static_cast<double>(numbers.count);
      for (const double rows : categories) before_.count[unit] += rows;
      before_.rows[unit] = before_.count[unit] + static_cast<double>(column.seen.missing);
      if (categorical || numbers.count == 0) continue;
      before_.squares[unit] = numbers.squares;
      before_.low[unit] = numbers.low - numbers.mean;
      before_.high[unit] = numbers.high - numbers.mean;
    }
  // Labels: known where every example weighs 1. Errors: those of predictions before learning, so not of batch learners.
  const Counters& counters = model.counters();
  double weight = 0;
  for (const double seen : model.class_weights_seen()) weight += seen;
  const auto seen = static_cast<double>(counters.first_seen);
  if (!schema.label.real() && weight > 0 && schema.label.weights.empty() &&
      std::fabs(weight - static_cast<double>(counters.examples)) < 0.5) {
    before_.rows[kLabelUnit] = before_.count[kLabelUnit] = seen > 0 ? std::min(seen, weight) : weight;
    for (const double of : model.class_weights_seen())
      before_.categories[kLabelUnit].push_back(std::round(of / weight * before_.count[kLabelUnit]));
  }
  if (!schema.label.real() && model.learner().mode == Mode::online)
    before_.rows[kErrorUnit] = before_.count[kErrorUnit] = seen, before_.sum[kErrorUnit] = counters.first_loss;
  for (std::size_t k = 0; k < before_.rows.size(); ++k) here_.add_unit(!before_.categories[k].empty());
  below_.resize(before_.rows.size());
  above_.resize(before_.rows.size());
  places_.resize(schema.columns.size());
  row_.resize(before_.rows.size());
}

void DriftCheck::add(const Block& raw) {
  const Schema& schema = model_.schema();
  if (schema.sparse()) return;
  for (std::size_t j = 0; j < schema.columns.size(); ++j)
    if (schema.columns[j].categorical()) place_texts(schema.columns[j], table_.columns[j].texts, places_[j]);
  for (std::size_t i = 0; i < raw.rows(); ++i) {
    const Row row = raw.row(i);
    for (std::size_t j = 0; j < schema.columns.size(); ++j) {
      const std::size_t unit = j + kFirstColumnUnit;
      const double x = row.value(j);
      if (before_.categories[unit].empty()) {
        row_[unit] = x - centres_[unit];
        below_[unit] += row_[unit] < before_.low[unit] ? 1 : 0;
        above_[unit] += row_[unit] > before_.high[unit] ? 1 : 0;
      } else {
        row_[unit] = std::isnan(x) ? x : places_[j][static_cast<std::size_t>(x)];
      }
    }
    here_.add(row_, kFirstColumnUnit);
  }
}

void DriftCheck::add_outcome(double truth, double predicted) {
  if (model_.schema().label.real()) return;
  const double outcome[] = {truth + 1, truth == predicted ? 0.0 : 1.0};
  here_.add(outcome, 0);
}

std::size_t DriftCheck::columns() const {
  std::size_t known = 0;
  for (std::size_t unit = kFirstColumnUnit; unit < before_.rows.size(); ++unit) known += before_.rows[unit] > 0 ? 1 : 0;
  return known;
}

std::vector<Drift> DriftCheck::findings() const {
  const auto units = static_cast<double>(columns() + kFirstColumnUnit);
  std::vector<Drift> out;
  for (std::size_t unit = 0; unit < before_.rows.size(); ++unit) {
    if (!(before_.rows[unit] > 0) || !(here_.rows[unit] > 0)) continue;
    if (std::optional<Drift> drift =
            compare_unit(model_.schema(), unit, before_, here_, centres_[unit], portable_log(kDriftLevel / units),
                         Beyond{below_[unit], above_[unit]})) {
      drift->p = std::min(1.0, drift->p * units);
      out.push_back(*std::move(drift));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Drift& a, const Drift& b) { return a.deviations > b.deviations; });
  return out;
}

// ---- words ----

std::string_view word(Drift::What what) {
  constexpr std::string_view kWords[] = {"mean",     "above",        "below",   "missing",
                                         "category", "new_category", "classes", "error"};
  return kWords[static_cast<std::size_t>(what)];
}

std::string sentence(const Drift& drift, const Schema& schema, std::string_view before, std::string_view here) {
  const auto column = std::find_if(schema.columns.begin(), schema.columns.end(),
                                   [&](const Column& c) { return c.name == drift.column; });
  const auto number = [&](double value) {
    if (column != schema.columns.end() && column->kind() == Kind::date) return column->text_of(std::floor(value));
    return fmt::format("{:.4g}{}", value, column != schema.columns.end() && column->kind() == Kind::percent ? "%" : "");
  };
  const std::string name = drift.column.empty() ? "the labels" : "column " + shown(drift.column);
  const std::string size = fmt::format(" ({:.2g} standard deviations)", drift.deviations);
  const std::string was = percent(drift.before), is = percent(drift.here);
  switch (drift.what) {
    case Drift::What::mean:
      return fmt::format("{} moved: mean {} {}, {} {}{}", name, number(drift.before), before, number(drift.here), here,
                         size);
    case Drift::What::above:
    case Drift::What::below:
      return fmt::format("{} moved: {} of the values {} are {} {}, the {} {}", name, is, here,
                         drift.what == Drift::What::above ? "above" : "below", number(drift.limit),
                         drift.what == Drift::What::above ? "largest" : "smallest", before);
    case Drift::What::missing:
      return fmt::format("{}: {} of the values are missing {}, {} {}{}", name, was, before, is, here, size);
    case Drift::What::category:
      return fmt::format("{} moved: {} in {} of the rows {}, {} {}{}", name, in_quotes(drift.category), was, before, is,
                         here, size);
    case Drift::What::new_category:
      return fmt::format("{} moved: {} of the rows {} have values that were not known {}", name, is, here, before);
    case Drift::What::classes:
      return fmt::format("class {}: {} of the rows {}, {} {}{}", shown(drift.category), was, before, is, here, size);
    case Drift::What::error: break;
  }
  if (schema.label.real())
    return fmt::format("larger errors: mean |error| {:.4g} {}, {:.4g} {}", drift.before, before, drift.here, here);
  return fmt::format("more errors: {} of the predictions wrong {}, {} {}", was, before, is, here);
}

}  // namespace postil
