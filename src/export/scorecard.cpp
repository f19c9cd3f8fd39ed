// scorecard.cpp: a model as points that people add up.
//
// The score of a linear model is a sum over columns, and of rules that hold. Each column of numbers is cut where rules cut it, or
// near its quantiles at round numbers; a range is worth the mean of what the column adds to the score there. Less the least of the
// column, in units of which the worth of each is a small whole number: these are the points. The unit is the largest with which the
// area under the ROC curve loses little by rounding. Totals are gathered into bands, whose probabilities are shares of the rows.
#include "postil/scorecard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "formula.hpp"
#include "postil/data.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::uint64_t kFewestRows = 30;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// What a score is the sum of: a column, a feature of sparse rows, or a rule.
struct Addend {
  enum class Kind : std::uint8_t { number, category, rule };
  Kind kind = Kind::number;
  std::string name;
  std::vector<std::uint32_t> features;  // of the values; of categories one each
  std::optional<std::uint32_t> indicator;
  std::uint32_t number = 0;  // the column; of a rule its number
  double weight = 0;         // of a rule
};

// What the model adds up.
struct Sum {
  std::vector<double> weights;  // raw, by feature
  std::map<std::uint32_t, double> rules;
};

Sum sum_of(const Model& model) {
  const std::optional<std::vector<ScoreFormula>> formulas = formulas_of(model, "a score card");
  if (!formulas)
    cannot_hold("a score card cannot hold a kernel machine, which does not add up columns",
                "linear learners, advised and rules work");
  if (model.schema().label.classes.size() != 2)
    cannot_hold("a score card is for two classes", "train with the other classes taken together");
  const ScoreFormula& formula = (*formulas)[0];
  LinearModel linear;
  linear.weights.assign(model.schema().width(), 0);
  Sum out;
  for (const ScoreFormula::Part& part : formula.parts) {  // a mixture counts as the mean of its parts
    for (std::size_t j = 0; j < part.linear.weights.size(); ++j)
      linear.weights[j] += part.share * part.linear.weights[j];
    for (std::size_t i = 0; i < formula.rules.size(); ++i)
      out.rules[formula.rules[i]] +=
          part.share * (part.vote * formula.voices[i] + (part.rules.empty() ? 0 : part.rules[i]));
  }
  out.weights = model.explain(std::move(linear)).raw_weights;
  return out;
}

std::vector<Addend> sources_of(const Model& model, const Sum& sum) {
  const Schema& schema = model.schema();
  std::vector<Addend> out;
  const auto matters = [&](const std::vector<std::uint32_t>& features) {
    return std::any_of(features.begin(), features.end(), [&](std::uint32_t j) { return sum.weights[j] != 0; });
  };
  for (std::uint32_t j = 0; schema.sparse() && j < schema.features; ++j)
    if (sum.weights[j] != 0) out.push_back({Addend::Kind::number, schema.feature_name(j), {j}, {}, j, 0});
  for (std::uint32_t c = 0; c < schema.columns.size(); ++c) {
    const Column& column = schema.columns[c];
    Addend source{
        column.categorical() ? Addend::Kind::category : Addend::Kind::number, column.name, column.features, {}, c, 0};
    if (!matters(source.features)) continue;
    if (column.missing == Missing::indicator) {
      source.indicator = source.features.back();
      source.features.pop_back();
    }
    out.push_back(std::move(source));
  }
  for (const auto& [rule, weight] : sum.rules)
    if (weight != 0)
      out.push_back({Addend::Kind::rule, fmt::format("rule {}", model.advice()->rules[rule].id), {}, {}, rule, weight});
  return out;
}

// Rows as the card sees them: of each source a value, and what it adds to the score.
struct Rows {
  std::vector<std::vector<double>> values, worth;  // by source; a category's place, -1: none of the known; NaN: missing
  std::vector<bool> positive;
  std::vector<double> scores, probabilities;  // of the model

  [[nodiscard]] std::size_t size() const { return positive.size(); }
};

Rows rows_of(const Model& model, const Sum& sum, const std::vector<Addend>& sources, const DataSet& data,
             std::span<const std::uint32_t> chosen) {
  constexpr std::size_t kTogether = 256;
  const Schema& schema = model.schema();
  Schema plain = schema;  // raw features
  plain.scaling = {};
  plain.scale = Scale::none;
  plain.projection = {};
  Encoder raw_encoder(plain, data.table());
  ModelEncoder encoder(model, data.table());
  const Probabilities probability(model);
  Rows out;
  out.values.resize(sources.size());
  out.worth.resize(sources.size());
  std::vector<double> x(schema.features), score(1), shares(2);
  for (std::size_t first = 0; first < chosen.size(); first += kTogether) {
    const auto part = chosen.subspan(first, std::min(kTogether, chosen.size() - first));
    const Block raw = data.select(part), features = raw_encoder.encode(Block(raw.copied())),
                encoded = encoder.encode(Block(raw.copied()));
    for (std::size_t i = 0; i < part.size(); ++i) {
      const Row row = features.row(i), cells = raw.row(i), seen = encoded.row(i);
      std::fill(x.begin(), x.end(), 0);
      for (std::size_t k = 0; k < row.count; ++k)
        if (row.index(k) < x.size()) x[row.index(k)] = row.value(k);
      model.score(seen, score);
      probability.of(score, shares);
      out.scores.push_back(score[0]);
      out.probabilities.push_back(shares[schema.label.positive]);
      out.positive.push_back(*encoded.label(i) == schema.label.positive);
      for (std::size_t s = 0; s < sources.size(); ++s) {
        const Addend& source = sources[s];
        double value = 0, worth = 0;
        if (source.kind == Addend::Kind::rule) {
          value = std::binary_search(seen.holds.begin(), seen.holds.end(), source.number) ? 1 : 0;
          worth = value * source.weight;
        } else {
          const bool missing = !schema.sparse() && cells.dense() && std::isnan(cells.value(source.number));
          for (const std::uint32_t j : source.features) worth += sum.weights[j] * x[j];
          if (source.indicator) worth += sum.weights[*source.indicator] * x[*source.indicator];
          value = source.kind == Addend::Kind::number ? x[source.features[0]] : -1;
          for (std::size_t k = 0; source.kind == Addend::Kind::category && k < source.features.size(); ++k)
            if (x[source.features[k]] != 0) value = static_cast<double>(k);
          if (missing) value = kNaN;
        }
        out.values[s].push_back(value);
        out.worth[s].push_back(worth);
      }
    }
  }
  return out;
}

double spread(const std::vector<double>& values) {
  Moments moments;
  for (const double value : values) moments.add(value);
  return moments.variance();
}

// ---- ranges ----

// 1, 2 or 5 times a power of ten, at most `size`.
double round_step(double size) {
  const double power = std::pow(10, std::floor(std::log10(size)));
  return (size >= 5 * power ? 5 : size >= 2 * power ? 2 : 1) * power;
}

// Where rules cut a column of numbers.
std::vector<double> cuts_of_rules(const Model& model, std::uint32_t feature, bool whole) {
  std::vector<double> out;
  if (!model.advice()) return out;
  for (const Conditions::Node& node : model.advice()->conditions.nodes) {
    if (node.kind != Conditions::Node::Kind::row || node.row.terms.size() != 1 || node.row.terms[0].first != feature)
      continue;
    const auto& [j, coefficient] = node.row.terms[0];
    if (coefficient == 0 || node.row.equality) continue;
    const double bound = node.row.bound / coefficient;
    const bool above = (coefficient < 0) == node.row.strict;  // the bound itself belongs to what lies below it
    out.push_back(whole && above ? std::floor(bound) + 1 : bound);
  }
  return out;
}

// Cuts at readable numbers, each range with enough of the rows.
std::vector<double> cuts_of(const std::vector<double>& all, std::vector<double> wanted, std::size_t bins, bool whole) {
  constexpr double kLeastShare = 0.04;
  std::vector<double> values;
  for (const double value : all)
    if (!std::isnan(value)) values.push_back(value);
  std::sort(values.begin(), values.end());
  if (values.empty() || values.front() == values.back()) return {};
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
  };
  const auto below = [&](double cut) {
    return static_cast<double>(std::lower_bound(values.begin(), values.end(), cut) - values.begin());
  };
  double width = at(0.9) - at(0.1);
  if (!(width > 0)) width = values.back() - values.front();
  double step = round_step(width / 10);
  if (whole) step = std::max(1.0, step);
  const double least = std::max(5.0, kLeastShare * static_cast<double>(values.size()));
  std::vector<double> cuts;
  const auto take = [&](double cut) {
    if (cuts.size() + 1 >= bins) return;
    const auto place = std::lower_bound(cuts.begin(), cuts.end(), cut);
    const double low = place == cuts.begin() ? 0 : below(*(place - 1)),
                 high = place == cuts.end() ? static_cast<double>(values.size()) : below(*place);
    if (below(cut) - low >= least && high - below(cut) >= least) cuts.insert(place, cut);
  };
  for (const double cut : wanted) take(cut);
  for (std::size_t k = 1; k < bins; ++k) {
    const double quantile = at(static_cast<double>(k) / static_cast<double>(bins));
    take(std::round(quantile / step) * step);
  }
  if (cuts.empty())  // a few values, most of them one: cut beside that
    for (const double value : {values.front(), values.back(), at(0.5)}) {
      const auto next = std::upper_bound(values.begin(), values.end(), value);
      if (next != values.end()) take(*next);
      if (!cuts.empty()) break;
    }
  return cuts;
}

struct Bin {
  Scorecard::Condition condition;
  double worth = 0;  // mean
};

// The bins of a source, and in which each row is.
class Binned {
 public:
  Binned(const Model& model, const Addend& source, const std::vector<double>& values, std::size_t bins)
      : source_(source) {
    const Schema& schema = model.schema();
    if (source.kind == Addend::Kind::rule) {
      names_ = {"does not hold", "holds"};
    } else if (source.kind == Addend::Kind::category) {
      names_ = schema.columns[source.number].categories;
    } else {
      if (!schema.sparse()) kind_ = schema.columns[source.number].kind();
      const bool whole =
          std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v) || v == std::floor(v); });
      cuts_ = cuts_of(values, cuts_of_rules(model, source.features[0], whole), bins, whole);
      const auto text = [&](double value) { return text_of(tidy(value), kind_); };
      for (double& cut : cuts_) cut = tidy(cut);
      const bool two =
          std::all_of(values.begin(), values.end(), [](double v) { return std::isnan(v) || v == 0 || v == 1; });
      if (cuts_.empty()) names_ = {"any value"};
      for (std::size_t k = 0; k <= cuts_.size() && !cuts_.empty(); ++k)
        names_.push_back(
            two                 ? (k == 0 ? "0" : "1")
            : k == 0            ? "below " + text(cuts_[0])
            : k == cuts_.size() ? text(cuts_[k - 1]) + " or more"
            : whole && kind_ != Kind::date && kind_ != Kind::percent
                ? (cuts_[k] - 1 == cuts_[k - 1] ? text(cuts_[k - 1]) : text(cuts_[k - 1]) + " to " + text(cuts_[k] - 1))
                : text(cuts_[k - 1]) + " to below " + text(cuts_[k]));
    }
    usual_ = names_.size();
    names_.emplace_back("other");  // a category that training did not know
    names_.emplace_back("missing");
    bins_.resize(names_.size());
    for (std::size_t k = 0; k < bins_.size(); ++k) {
      Scorecard::Condition& condition = bins_[k].condition;
      condition.text = names_[k];
      if (source.kind != Addend::Kind::number || k >= usual_) continue;
      if (k > 0) condition.from = cuts_[k - 1];
      if (k < cuts_.size()) condition.below = cuts_[k];
    }
  }

  [[nodiscard]] std::size_t bin_of(double value) const {
    if (std::isnan(value)) return usual_ + 1;
    if (source_.kind == Addend::Kind::number)
      return static_cast<std::size_t>(std::upper_bound(cuts_.begin(), cuts_.end(), value) - cuts_.begin());
    return value < 0 ? usual_ : static_cast<std::size_t>(value);
  }
  // From the rows that make the card; `otherwise`: what rows of an empty bin are worth, those of no known category nothing.
  void weigh(const std::vector<double>& values, const std::vector<double>& worth, const Sum& sum) {
    std::vector<double> totals(bins_.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t bin = bin_of(values[i]);
      totals[bin] += worth[i];
      ++bins_[bin].condition.rows;
    }
    for (std::size_t k = 0; k < bins_.size(); ++k) {
      Bin& bin = bins_[k];
      if (bin.condition.rows > 0)
        bin.worth = totals[k] / static_cast<double>(bin.condition.rows);
      else if (source_.kind == Addend::Kind::category && k < usual_)
        bin.worth = sum.weights[source_.features[k]];
      else if (source_.kind == Addend::Kind::rule && k == 1)
        bin.worth = source_.weight;
      else if (source_.kind == Addend::Kind::number && k > usual_)
        bin.worth = std::accumulate(worth.begin(), worth.end(), 0.0) / static_cast<double>(worth.size());
    }
    least_ = std::numeric_limits<double>::infinity();
    for (const Bin& bin : bins_)
      if (bin.condition.rows > 0) least_ = std::min(least_, bin.worth);
  }
  [[nodiscard]] double range() const {
    double most = least_;
    for (const Bin& bin : bins_)
      if (bin.condition.rows > 0) most = std::max(most, bin.worth);
    return most - least_;
  }
  [[nodiscard]] double worth_of(double value) const { return bins_[bin_of(value)].worth - least_; }
  [[nodiscard]] int points_of(double value, double unit) const { return points(bins_[bin_of(value)], unit); }

  // Neighbours and categories of the same points are one; what no row had is left out, but for categories.
  [[nodiscard]] Scorecard::Item item(double unit) const {
    Scorecard::Item out;
    out.name = source_.name;
    for (std::size_t k = 0; k < bins_.size(); ++k) {
      Scorecard::Condition condition = bins_[k].condition;
      condition.points = points(bins_[k], unit);
      if (condition.rows == 0 && (k >= usual_ || source_.kind != Addend::Kind::category)) continue;
      const auto same = std::find_if(out.conditions.begin(), out.conditions.end(), [&](const auto& other) {
        return other.points == condition.points && k < usual_ &&
               (source_.kind == Addend::Kind::category || &other == &out.conditions.back());
      });
      if (same == out.conditions.end()) {
        out.conditions.push_back(std::move(condition));
        continue;
      }
      same->rows += condition.rows;
      if (source_.kind == Addend::Kind::category) {
        same->text += ", " + condition.text;
      } else {
        same->below = condition.below;
        same->text = joined_text(*same, condition.text);
      }
    }
    return out;
  }

 private:
  static double tidy(double value) {  // 0.30000000000000004 is 0.3
    return *parse_number(fmt::format("{:.12g}", value));
  }
  [[nodiscard]] std::string joined_text(const Scorecard::Condition& whole, const std::string& last) const {
    if (!whole.from && !whole.below) return "any value";
    if (!whole.below) return whole.text.substr(0, whole.text.find(" to ")) + " or more";
    const std::size_t to = last.find(" to ");
    const std::string end = to == std::string::npos ? " to " + last : last.substr(to);
    if (whole.from) return whole.text.substr(0, whole.text.find(" to ")) + end;
    return "below " + text_of(*whole.below, kind_);
  }
  [[nodiscard]] int points(const Bin& bin, double unit) const {
    return static_cast<int>(std::lround(std::clamp((bin.worth - least_) / unit, -1000.0, 1000.0)));
  }

  const Addend& source_;
  Kind kind_ = Kind::number;  // of a column of numbers
  std::vector<double> cuts_;
  std::vector<std::string> names_;
  std::size_t usual_ = 0;
  std::vector<Bin> bins_;
  double least_ = 0;
};

// The 95 % interval of a share (Wilson 1927).
std::pair<double, double> wilson(double hits, double rows) {
  constexpr double z = 1.959963984540054;
  if (rows == 0) return {0, 1};
  const double p = hits / rows, d = 1 + z * z / rows, middle = (p + z * z / (2 * rows)) / d,
               half = z / d * std::sqrt(p * (1 - p) / rows + z * z / (4 * rows * rows));
  return {std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

std::vector<std::uint32_t> all_rows(const DataSet& data) {
  std::vector<std::uint32_t> out(data.rows());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

}  // namespace

Scorecard make_scorecard(const Model& model, const DataSet& data, const DataSet* test,
                         const ScorecardOptions& options) {
  const Sum sum = sum_of(model);
  std::vector<Addend> sources = sources_of(model, sum);
  if (sources.empty()) cannot_hold("all weights of this model are 0: there is nothing to give points for");
  std::vector<std::uint32_t> making = all_rows(data), testing;
  if (test != nullptr) {
    testing = all_rows(*test);
  } else if (data.rows() >= kFewestRows) {
    Split split = make_folds(data, making, 3, options.seed)[0];
    making = std::move(split.train);
    testing = std::move(split.test);
  }
  if (making.size() + testing.size() < kFewestRows || making.empty() || testing.empty())
    throw DataError({.code = Code::out_of_range,
                     .place = {data.table().source},
                     .message = fmt::format("{} labelled rows are too few for a score card", data.rows()),
                     .expected = fmt::format("{} at least", kFewestRows)});
  Rows rows = rows_of(model, sum, sources, data, making);

  Scorecard card;
  card.positive = model.schema().label.classes[model.schema().label.positive];
  card.learner = model.learner().name;
  card.own_test = test != nullptr;
  std::vector<std::pair<double, std::size_t>> by_spread;
  for (std::size_t s = 0; s < sources.size(); ++s) by_spread.emplace_back(-spread(rows.worth[s]), s);
  std::sort(by_spread.begin(), by_spread.end());
  while (!by_spread.empty() && by_spread.back().first == 0) by_spread.pop_back();
  if (by_spread.empty())
    throw DataError({data.table().source, 0, 0}, "no column of the model differs between these rows");
  std::vector<Binned> kept;
  std::vector<std::size_t> place;
  for (const auto& [spread, s] : by_spread) {
    Binned binned(model, sources[s], rows.values[s], std::max<std::size_t>(2, options.bins));
    binned.weigh(rows.values[s], rows.worth[s], sum);
    if (!(binned.range() > 0) || kept.size() == options.items) {
      ++card.left_out;
      continue;
    }
    kept.push_back(std::move(binned));
    place.push_back(s);
  }
  if (kept.empty()) throw DataError({data.table().source, 0, 0}, "no column of the model can be cut into ranges");

  // The largest unit that costs little.
  constexpr int kMostPoints = 10;
  constexpr double kCheap = 0.005;  // of the area under the curve
  double range = 0;
  for (const Binned& binned : kept) range = std::max(range, binned.range());
  const auto totals = [&](const Rows& of, const auto& value) {
    std::vector<double> out(of.size());
    for (std::size_t k = 0; k < kept.size(); ++k)
      for (std::size_t i = 0; i < of.size(); ++i) out[i] += value(kept[k], of.values[place[k]][i]);
    return out;
  };
  const std::optional<double> exact = area_under_curve(
      totals(rows, [](const Binned& binned, double value) { return binned.worth_of(value); }), rows.positive);
  std::vector<double> total;
  for (int most = 2; most <= kMostPoints; ++most) {
    card.unit = range / most;
    const double unit = card.unit;
    total = totals(rows, [unit](const Binned& binned, double value) { return binned.points_of(value, unit); });
    const std::optional<double> rounded = area_under_curve(total, rows.positive);
    if (!exact || *rounded >= *exact - kCheap) break;
  }
  for (const Binned& binned : kept) {
    Scorecard::Item item = binned.item(card.unit);
    const bool any = std::any_of(item.conditions.begin(), item.conditions.end(),
                                 [](const Scorecard::Condition& condition) { return condition.points != 0; });
    if (any)
      card.items.push_back(std::move(item));
    else
      ++card.left_out;
  }

  // What a total means.
  constexpr std::size_t kBands = 8;
  std::map<int, std::pair<std::uint64_t, std::uint64_t>> by_total;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& [count, positives] = by_total[static_cast<int>(total[i])];
    ++count;
    positives += rows.positive[i] ? 1 : 0;
  }
  const std::uint64_t least = std::max<std::uint64_t>(10, rows.size() / kBands);
  for (const auto& [points, counts] : by_total) {
    if (card.bands.empty() || card.bands.back().rows >= least) {
      if (!card.bands.empty()) card.bands.back().high = points - 1;
      card.bands.push_back({points, points, 0, 0});
    }
    card.bands.back().high = points;
    card.bands.back().rows += counts.first;
    card.bands.back().positives += counts.second;
  }
  if (card.bands.size() > 1 && card.bands.back().rows < least) {
    const Scorecard::Band last = card.bands.back();
    card.bands.pop_back();
    card.bands.back().high = last.high;
    card.bands.back().rows += last.rows;
    card.bands.back().positives += last.positives;
  }
  for (Scorecard::Band& band : card.bands) {
    const auto hits = static_cast<double>(band.positives), count = static_cast<double>(band.rows);
    band.probability = hits / count;
    std::tie(band.least, band.most) = wilson(hits, count);
  }

  // What that is worth, on other rows.
  const Rows other = rows_of(model, sum, sources, test != nullptr ? *test : data, testing);
  const double unit = card.unit;
  total = totals(other, [unit](const Binned& binned, double value) { return binned.points_of(value, unit); });
  card.card.auc = area_under_curve(total, other.positive);
  card.model.auc = area_under_curve(other.scores, other.positive);
  for (std::size_t i = 0; i < other.size(); ++i) {
    std::size_t band = 0;
    while (band + 1 < card.bands.size() && total[i] > card.bands[band].high) ++band;
    ++card.bands[band].test_rows;
    card.bands[band].test_positives += other.positive[i] ? 1 : 0;
    const double truth = other.positive[i] ? 1 : 0;
    card.card.brier += std::pow(card.bands[band].probability - truth, 2) / static_cast<double>(other.size());
    card.model.brier += std::pow(other.probabilities[i] - truth, 2) / static_cast<double>(other.size());
  }
  card.rows = rows.size();
  card.test_rows = other.size();
  return card;
}

// ---- to read ----

namespace {

std::string band_text(const Scorecard& card, std::size_t k) {
  const Scorecard::Band& band = card.bands[k];
  if (card.bands.size() == 1) return "any";
  if (k == 0) return fmt::format("{} or less", band.high);
  if (k + 1 == card.bands.size()) return fmt::format("{} or more", band.low);
  return band.low == band.high ? fmt::format("{}", band.low) : fmt::format("{} to {}", band.low, band.high);
}
std::string share_text(double share) {  // rare classes need a decimal
  return share > 0 && share < 0.0995 ? fmt::format("{:.1f}%", 100 * share) : fmt::format("{:.0f}%", 100 * share);
}

}  // namespace

std::string scorecard_text(const Scorecard& card) {
  std::string out = fmt::format("Score card for {}\n\n", in_quotes(card.positive));
  std::vector<std::vector<std::string>> lines{{"", "", "Points"}};
  for (const Scorecard::Item& item : card.items)
    for (std::size_t k = 0; k < item.conditions.size(); ++k)
      lines.push_back({k == 0 ? item.name : "", item.conditions[k].text, fmt::format("{}", item.conditions[k].points)});
  out += aligned(lines, "<<>");
  out += fmt::format("\nAdd up the points. What a total means ({} rows made the card, {} others test it):\n\n",
                     card.rows, card.test_rows);
  lines = {{"Total", "Share of " + card.positive, "95% interval", "Rows", "In test", "Test rows"}};
  for (std::size_t k = 0; k < card.bands.size(); ++k) {
    const Scorecard::Band& band = card.bands[k];
    lines.push_back({band_text(card, k), share_text(band.probability),
                     share_text(band.least) + " to " + share_text(band.most), fmt::format("{}", band.rows),
                     band.test_rows == 0
                         ? "-"
                         : share_text(static_cast<double>(band.test_positives) / static_cast<double>(band.test_rows)),
                     fmt::format("{}", band.test_rows)});
  }
  out += aligned(lines, "<>>>>>");
  const auto auc = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f}", *value) : std::string("-");
  };
  out += fmt::format("\nOn the test rows: AUC {} (the model: {}), Brier score {:.3f} (the model: {:.3f})\n",
                     auc(card.card.auc), auc(card.model.auc), card.card.brier, card.model.brier);
  if (!card.own_test)
    out += "The model may have been trained on the test rows; then its own numbers here are too good.\n";
  if (card.left_out > 0)
    out +=
        fmt::format("{} further column{} or rule{} of the model {} no points.\n", card.left_out,
                    card.left_out == 1 ? "" : "s", card.left_out == 1 ? "" : "s", card.left_out == 1 ? "gets" : "get");
  return out;
}

std::string scorecard_json(const Scorecard& card) {
  using Json = nlohmann::ordered_json;
  const auto number = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  Json items = Json::array(), bands = Json::array();
  for (const Scorecard::Item& item : card.items) {
    Json conditions = Json::array();
    for (const Scorecard::Condition& of : item.conditions)
      conditions.push_back({{"condition", of.text},
                            {"from", number(of.from)},
                            {"below", number(of.below)},
                            {"points", of.points},
                            {"rows", of.rows}});
    items.push_back({{"item", item.name}, {"conditions", std::move(conditions)}});
  }
  for (const Scorecard::Band& band : card.bands)
    bands.push_back({{"low", band.low},
                     {"high", band.high},
                     {"rows", band.rows},
                     {"positives", band.positives},
                     {"probability", band.probability},
                     {"interval", {band.least, band.most}},
                     {"test_rows", band.test_rows},
                     {"test_positives", band.test_positives}});
  const auto quality = [&](const Scorecard::Quality& of) { return Json{{"auc", number(of.auc)}, {"brier", of.brier}}; };
  return Json{{"positive", card.positive},  {"learner", card.learner},     {"items", std::move(items)},
              {"left_out", card.left_out},  {"point", card.unit},          {"totals", std::move(bands)},
              {"rows", card.rows},          {"test_rows", card.test_rows}, {"own_test", card.own_test},
              {"card", quality(card.card)}, {"model", quality(card.model)}}
             .dump(2) +
         "\n";
}

std::string scorecard_csv(const Scorecard& card) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::vector<std::string> out;
    for (const std::string& cell : cells) out.push_back(csv_cell(cell));
    return joined(out, ",") + "\n";
  };
  std::string out = line({"part", "item", "condition", "points", "rows", "probability", "least", "most"});
  for (const Scorecard::Item& item : card.items)
    for (const Scorecard::Condition& of : item.conditions)
      out += line({"points", item.name, of.text, fmt::format("{}", of.points), fmt::format("{}", of.rows), "", "", ""});
  for (std::size_t k = 0; k < card.bands.size(); ++k) {
    const Scorecard::Band& band = card.bands[k];
    out += line({"total", "", band_text(card, k), "", fmt::format("{}", band.rows),
                 fmt::format("{:.4f}", band.probability), fmt::format("{:.4f}", band.least),
                 fmt::format("{:.4f}", band.most)});
  }
  return out;
}

}  // namespace postil
