// suggest.cpp: short rules that labelled rows support and that the rules at hand do not already say (docs/how-to/improve-rules.md).
//
// Rows       Two thirds are searched; what is told of a rule is counted on the third that the search has not seen.
// Known      What the rules at hand say of a row: the share of the class among the rows on which the same of them hold, drawn towards
//            the share among all rows as by kWorth rows.
// Search     Beam search over conjunctions. A condition is a column above or below one of kCuts quantiles, or a category.
//            The value of a rule is its mean surprise, drawn towards 0: sum (y - known)/(rows + m), m = 22.5, which is the m-estimate
//            of precision where nothing is known (Janssen and Fuernkranz 2010 chose m)   [janssen2010quest]
//            A condition that adds less than kDull of the value is left out again. Then `known` on the rows of the rule becomes what
//            they show, and the search begins anew.
// Honesty    On the rows not seen: the chance of as many right answers if they came as `known` says (binomial; rows of different
//            `known` vary less). Holm's correction over all rules found.
#include "postil/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "advice/make_condition.hpp"
#include "advice/rule_truth.hpp"
#include "chances.hpp"
#include "core/math.hpp"
#include "postil/error.hpp"
#include "postil/probabilities.hpp"
#include "postil/watch.hpp"
#include "round_number.hpp"

namespace postil {
namespace {

constexpr std::size_t kCuts = 32, kBeam = 16, kMostSearched = 200'000, kLeast = 5;
constexpr double kWorth = 5, kPrior = 22.5, kDull = 0.02, kChance = 0.05, kSearchedShare = 2.0 / 3;

// One column in a few steps: `code` of each row, none: missing.
struct Coded {
  std::uint32_t column = 0;
  bool category = false;
  std::vector<double> cuts = {};         // numbers: where code k ends and k + 1 begins
  std::vector<std::uint8_t> codes = {};  // of each row
  std::size_t count = 0;
  static constexpr std::uint8_t kMissing = 255;
};

// code <= last, code > last, or code = last.
struct Literal {
  std::uint32_t coded = 0;
  enum class Side : std::uint8_t { below, above, is } side = Side::below;
  std::uint8_t code = 0;
  [[nodiscard]] bool holds(std::uint8_t of) const {
    if (of == Coded::kMissing) return false;
    return side == Side::below ? of <= code : side == Side::above ? of > code : of == code;
  }
  auto operator<=>(const Literal&) const = default;
};

struct Found {
  std::vector<Literal> literals;
  std::vector<std::uint32_t> rows;  // searched rows on which it holds
  double surprise = 0;              // sum of y - known
  [[nodiscard]] double value() const { return surprise / (static_cast<double>(rows.size()) + kPrior); }
};

class Suggester {
 public:
  Suggester(const Advice& advice, const Schema& schema, const DataSet& data, const Recipe& present,
            const SuggestOptions& options)
      : advice_(advice), schema_(schema), data_(data), present_(present), options_(options) {}

  Suggestions run() {
    if (schema_.sparse()) throw ParamError("rules are searched for in columns that have names; LIBSVM rows have none");
    if (schema_.label.real()) throw ParamError("rules are searched for that say a class; this label is a number");
    divide();
    read_rows();
    code_columns();
    const std::size_t classes = schema_.label.classes.size();
    for (std::uint32_t c = 0; c < classes; ++c) {
      out_.base_rates.push_back(share_of(c));
      search_class(c);
      if (options_.progress) options_.progress(c + 1, classes);
    }
    weigh();
    return std::move(out_);
  }

 private:
  void divide() {
    std::vector<std::uint32_t> all(data_.rows());
    std::iota(all.begin(), all.end(), 0);
    Random random(options_.seed);
    random.shuffle(std::span(all));
    const auto searched =
        std::min(static_cast<std::size_t>(kSearchedShare * static_cast<double>(all.size())), kMostSearched);
    if (searched < 2 * kLeast)
      throw DataError({data_.table().source, 0, 0}, "there are too few labelled rows to search");
    searched_.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(searched));
    checked_.assign(all.begin() + static_cast<std::ptrdiff_t>(searched), all.end());
    std::sort(searched_.begin(), searched_.end());
    std::sort(checked_.begin(), checked_.end());
    out_.searched = searched_.size();
    out_.checked = checked_.size();
  }

  // Values of each row and its label; which rules hold where, as a number for each set of rules.
  void read_rows() {
    constexpr std::size_t kAtOnce = 4096;
    RuleTruth truth(advice_, schema_, data_.table());
    Encoder encoder(schema_, data_.table());
    std::map<std::vector<std::uint32_t>, std::uint32_t> sets;
    values_.resize(schema_.columns.size());
    std::vector<std::uint32_t> numbers;
    for (std::size_t begin = 0; begin < data_.rows(); begin += kAtOnce) {
      numbers.resize(std::min(kAtOnce, data_.rows() - begin));
      std::iota(numbers.begin(), numbers.end(), static_cast<std::uint32_t>(begin));
      const Block raw = data_.select(numbers);
      const RulesThatHold holds = truth.of(raw);
      const Block encoded = encoder.encode(data_.select(numbers));
      for (std::size_t i = 0; i < raw.rows(); ++i) {
        labels_.push_back(static_cast<std::uint32_t>(encoded.labels()[i]));
        const auto on = holds.on(i);
        held_.push_back(
            sets.emplace(std::vector(on.begin(), on.end()), static_cast<std::uint32_t>(sets.size())).first->second);
        for (std::size_t j = 0; j < values_.size(); ++j) values_[j].push_back(raw.row(i).value(j));
      }
      look_up();
    }
    sets_ = sets.size();
  }

  void code_columns() {
    for (std::uint32_t j = 0; j < schema_.columns.size(); ++j) {
      const Column& column = schema_.columns[j];
      Coded coded{.column = j, .category = column.categorical()};
      const std::vector<double>& values = values_[j];
      if (coded.category) {
        coded.count = data_.table().columns[j].texts.size();
        if (coded.count < 2 || coded.count > 200) continue;
        for (const double value : values)
          coded.codes.push_back(std::isnan(value) ? Coded::kMissing : static_cast<std::uint8_t>(value));
      } else {
        std::vector<double> sorted;
        for (const std::uint32_t i : searched_)
          if (!std::isnan(values[i])) sorted.push_back(values[i]);
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t k = 1; k < kCuts; ++k) {
          const std::size_t at = k * sorted.size() / kCuts;
          if (at == 0 || at >= sorted.size()) continue;
          // Between the value there and the next smaller one.
          const auto first = std::lower_bound(sorted.begin(), sorted.end(), sorted[at]);
          if (first == sorted.begin()) continue;
          const double cut = *roundest_in({*(first - 1), *first, false});
          if (coded.cuts.empty() || cut > coded.cuts.back()) coded.cuts.push_back(cut);
        }
        if (coded.cuts.empty()) continue;
        coded.count = coded.cuts.size() + 1;
        for (const double value : values)
          coded.codes.push_back(std::isnan(value) ? Coded::kMissing
                                                  : static_cast<std::uint8_t>(
                                                        std::upper_bound(coded.cuts.begin(), coded.cuts.end(), value) -
                                                        coded.cuts.begin()));
      }
      columns_.push_back(std::move(coded));
    }
  }

  [[nodiscard]] double share_of(std::uint32_t c) const {
    return static_cast<double>(std::count(labels_.begin(), labels_.end(), c)) / static_cast<double>(labels_.size());
  }

  // What the rules at hand say, of each row.
  void know(std::uint32_t c) {
    std::vector<double> rows(sets_), hits(sets_);
    double all = 0;
    for (const std::uint32_t i : searched_) {
      ++rows[held_[i]];
      hits[held_[i]] += labels_[i] == c ? 1 : 0;
      all += labels_[i] == c ? 1 : 0;
    }
    const double share = all / static_cast<double>(searched_.size());
    known_.resize(labels_.size());
    for (std::size_t i = 0; i < known_.size(); ++i)
      known_[i] = (hits[held_[i]] + kWorth * share) / (rows[held_[i]] + kWorth);
  }

  void search_class(std::uint32_t c) {
    know(c);
    const std::size_t most = (options_.rules + schema_.label.classes.size() - 1) / schema_.label.classes.size() + 2;
    for (std::size_t k = 0; k < most; ++k) {
      Found best = search(c);
      if (best.literals.empty()) break;
      keep(c, best);
      learn(c, best);
    }
  }

  Found search(std::uint32_t c) {
    std::vector<Found> beam(1);
    beam[0].rows = searched_;
    Found best;
    for (std::size_t depth = 0; depth < options_.conditions; ++depth) {
      std::map<std::vector<Literal>, double> better;  // value of each
      for (const Found& from : beam) extend(from, c, better);
      std::vector<std::pair<double, std::vector<Literal>>> order;
      for (const auto& [literals, value] : better) order.emplace_back(-value, literals);
      const std::size_t kept = std::min(kBeam, order.size());
      std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end());
      beam.clear();
      for (std::size_t k = 0; k < kept; ++k) beam.push_back(found(order[k].second, c));
      for (const Found& f : beam)
        if (f.value() > best.value() * (best.literals.empty() ? 1 : 1 + kDull)) best = f;
      look_up();
      if (beam.empty()) break;
    }
    return simplified(best, c);
  }

  // All rules with one more condition, from sums by code.
  void extend(const Found& from, std::uint32_t c, std::map<std::vector<Literal>, double>& to) const {
    std::vector<double> surprise, rows;
    for (std::uint32_t k = 0; k < columns_.size(); ++k) {
      const Coded& coded = columns_[k];
      surprise.assign(256, 0);
      rows.assign(256, 0);
      for (const std::uint32_t i : from.rows) {
        surprise[coded.codes[i]] += (labels_[i] == c ? 1 : 0) - known_[i];
        ++rows[coded.codes[i]];
      }
      const auto consider = [&](Literal::Side side, std::size_t code, double s, double n) {
        if (n < static_cast<double>(kLeast) || n == static_cast<double>(from.rows.size()) || !(s > 0)) return;
        std::vector<Literal> literals = from.literals;
        literals.push_back({k, side, static_cast<std::uint8_t>(code)});
        std::sort(literals.begin(), literals.end());
        to.emplace(std::move(literals), s / (n + kPrior));
      };
      if (coded.category) {
        for (std::size_t code = 0; code < coded.count; ++code)
          consider(Literal::Side::is, code, surprise[code], rows[code]);
        continue;
      }
      double s = 0, n = 0, all_s = 0, all_n = 0;
      for (std::size_t code = 0; code < coded.count; ++code) {
        all_s += surprise[code];
        all_n += rows[code];
      }
      for (std::size_t code = 0; code + 1 < coded.count; ++code) {
        s += surprise[code];
        n += rows[code];
        consider(Literal::Side::below, code, s, n);
        consider(Literal::Side::above, code, all_s - s, all_n - n);
      }
    }
  }

  [[nodiscard]] bool holds(const std::vector<Literal>& literals, std::uint32_t row) const {
    return std::all_of(literals.begin(), literals.end(),
                       [&](const Literal& l) { return l.holds(columns_[l.coded].codes[row]); });
  }
  [[nodiscard]] Found found(std::vector<Literal> literals, std::uint32_t c) const {
    Found out;
    for (const std::uint32_t i : searched_)
      if (holds(literals, i)) {
        out.rows.push_back(i);
        out.surprise += (labels_[i] == c ? 1 : 0) - known_[i];
      }
    out.literals = std::move(literals);
    return out;
  }
  [[nodiscard]] Found simplified(Found best, std::uint32_t c) const {
    for (std::size_t k = 0; best.literals.size() > 1 && k < best.literals.size();) {
      std::vector<Literal> fewer = best.literals;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
      Found without = found(std::move(fewer), c);
      if (without.value() * (1 + kDull) >= best.value())
        best = std::move(without);
      else
        ++k;
    }
    return best;
  }

  // Rows on which it holds are no surprise any more.
  void learn(std::uint32_t c, const Found& rule) {
    double hits = 0;
    for (const std::uint32_t i : rule.rows) hits += labels_[i] == c ? 1 : 0;
    const double share = (hits + 1) / (static_cast<double>(rule.rows.size()) + 2);
    for (std::uint32_t i = 0; i < known_.size(); ++i)
      if (holds(rule.literals, i)) known_[i] = std::max(known_[i], share);
  }

  void keep(std::uint32_t c, const Found& rule) {
    SuggestedRule& out = out_.rules.emplace_back();
    out.class_number = c;
    for (const bool seen : {true, false}) {
      SuggestedRule::Record& record = seen ? out.searched : out.checked;
      for (const std::uint32_t i : seen ? searched_ : checked_) {
        if (!holds(rule.literals, i)) continue;
        ++record.rows;
        record.right += labels_[i] == c ? 1 : 0;
        record.expected += known_[i];
      }
    }
    std::tie(out.low, out.high) = wilson_interval(out.checked.right, out.checked.rows);
    out.chance = out.checked.rows == 0
                     ? 1
                     : chance_of_binomial(out.checked.right, out.checked.rows,
                                          out.checked.expected / static_cast<double>(out.checked.rows));
    out.text = text_of(rule.literals, c);
    literals_.push_back(rule.literals);
  }

  // Of one column the conditions stand together.
  [[nodiscard]] std::string text_of(const std::vector<Literal>& literals, std::uint32_t c) const {
    RuleStatement rule;
    rule.condition.kind = Condition::Kind::all;
    for (const Literal& l : literals) {
      const Column& column = schema_.columns[columns_[l.coded].column];
      const bool is = l.side == Literal::Side::is;
      const Relation relation = is                               ? Relation::equal
                                : l.side == Literal::Side::above ? Relation::at_least
                                                                 : Relation::less;
      const Coded& coded = columns_[l.coded];
      rule.condition.parts.push_back(comparison(column.name, relation,
                                                is ? category_term(data_.table().columns[coded.column].texts[l.code])
                                                   : number_term(coded.cuts[l.code], column.written())));
    }
    if (rule.condition.parts.size() == 1) {
      Condition only = std::move(rule.condition.parts[0]);
      rule.condition = std::move(only);
    }
    rule.consequent = class_named(schema_.label.classes[c]);
    return print(rule);
  }

  // What each adds to the model that the present recipe makes of the searched rows.
  void weigh() {
    std::vector<double*> chances;
    for (SuggestedRule& rule : out_.rules) chances.push_back(&rule.chance);
    correct_for_number(chances);
    const std::vector<std::vector<double>> p = predictions();
    const auto newton = [&](std::size_t r) {  // the step of the log-odds that the searched rows ask for
      double g = 0, h = 1;
      const std::uint32_t c = out_.rules[r].class_number;
      for (const std::uint32_t i : searched_)
        if (holds(literals_[r], i)) {
          g += (labels_[i] == c ? 1 : 0) - p[i][c];
          h += p[i][c] * (1 - p[i][c]);
        }
      return std::clamp(g / h, -3.0, 3.0);
    };
    for (std::size_t r = 0; r < out_.rules.size() && !checked_.empty(); ++r) {
      const double step = newton(r);
      const std::uint32_t c = out_.rules[r].class_number;
      double saved = 0;
      for (const std::uint32_t i : checked_) {
        if (!holds(literals_[r], i)) continue;
        const double was = std::clamp(p[i][c], 1e-9, 1 - 1e-9), odds = was / (1 - was) * portable_exp(step);
        const double now = odds / (1 + odds);
        saved += labels_[i] == c ? portable_log(now / was) : portable_log((1 - now) / (1 - was));
      }
      out_.rules[r].saves = 1000 * saved / static_cast<double>(checked_.size());
    }
    std::erase_if(out_.rules, [&](const SuggestedRule& rule) { return rule.chance > kChance; });
    std::stable_sort(out_.rules.begin(), out_.rules.end(),
                     [](const SuggestedRule& a, const SuggestedRule& b) { return a.saves > b.saves; });
    if (out_.rules.size() > options_.rules) out_.rules.resize(options_.rules);
  }

  // Of each row the probability of each class.
  [[nodiscard]] std::vector<std::vector<double>> predictions() const {
    Model model = present_.begin(Schema(schema_));
    std::vector<std::uint32_t> order = searched_;
    Random random(options_.seed + 1);
    random.shuffle(std::span(order));
    {
      ModelEncoder encoder(model, data_.table());
      std::vector<Block> rows;
      rows.push_back(encoder.encode(data_.select(order)));
      model.study(rows);
      if (model.learner().mode == Mode::batch)
        model.fit(rows);
      else
        model.learn(rows[0], true);
    }
    const Probabilities probability(model);
    std::vector<double> scores(model.outputs());
    std::vector<std::vector<double>> out(data_.rows(), std::vector<double>(probability.classes()));
    ModelEncoder encoder(model, data_.table());
    std::vector<std::uint32_t> numbers(data_.rows());
    std::iota(numbers.begin(), numbers.end(), 0);
    const Block rows = encoder.encode(data_.select(numbers));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      model.score(rows.row(i), scores);
      probability.of(scores, out[i]);
    }
    return out;
  }

  const Advice& advice_;
  const Schema& schema_;
  const DataSet& data_;
  const Recipe& present_;
  const SuggestOptions& options_;
  Suggestions out_;
  std::vector<std::vector<Literal>> literals_;  // of each rule found
  std::vector<std::uint32_t> searched_, checked_, labels_, held_;
  std::size_t sets_ = 0;
  std::vector<std::vector<double>> values_;  // by column
  std::vector<Coded> columns_;
  std::vector<double> known_;  // of each row
};

}  // namespace

Suggestions suggest_rules(const Advice& advice, const Schema& schema, const DataSet& data, const Recipe& present,
                          const SuggestOptions& options) {
  return Suggester(advice, schema, data, present, options).run();
}

}  // namespace postil
