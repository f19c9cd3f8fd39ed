#include "postil/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "advice/rule_truth.hpp"
#include "advice/rule_votes.hpp"
#include "postil/text.hpp"

namespace postil {

Schema survey_source(Source& source, const ColumnWishes& wishes, const Recipe& recipe, const RuleFile& rules,
                     const RowsProgress& progress) {
  Recipe with_rules = recipe;
  with_rules.rules = rules;
  Survey survey = with_rules.survey(source.table(), wishes);
  std::uint64_t rows = 0;
  for (Block block; source.next(block);) {
    survey.add(block);
    rows += block.rows();
    if (progress) progress(rows, source.bytes_read(), source.bytes_total());
  }
  if (rows == 0)
    throw DataError({.code = Code::empty, .place = {source.table().source}, .message = "there are no rows"});
  if (!source.table().labels.empty() || !recipe.label.classes.empty()) return with_rules.schema(survey, source.table());
  Schema schema = survey.finish();
  promise_yes_no(schema, rules);
  schema.label = schema_of_rules(rules).label;
  // A label that is a number and has no name of its own has the one that rules give it.
  if (const std::string& name = source.table().label_name; !schema.label.real() || (!name.empty() && name != "label"))
    schema.label.name = name;
  return schema;
}

Coverage measure_coverage(const Advice& advice, const Schema& schema, const std::string& path, ReadOptions read,
                          const RowsProgress& progress) {
  read.schema = &schema;
  Reader reader(path, read);
  return measure_coverage(advice, schema, reader, progress);
}

namespace {

// The rules as one classifier, row by row; rows on which they leave several classes open wait for the class counts.
class Voting {
 public:
  Voting(const Advice& advice, const Label& label)
      : advice_(advice), label_(label), score_(label.classes.size()), wrong_(label.classes.size()) {
    for (const CompiledRule& rule : advice.rules) votes_.push_back(vote_of(rule.sure ? rule.sure->rate : kUnsaidSure));
  }

  void take(std::span<const std::uint32_t> holding, std::optional<double> label, Coverage::Together& to) {
    const std::vector<std::uint32_t> left = best(holding);
    const bool decided = left.size() == 1;
    to.decided += decided ? 1 : 0;
    if (!label) return;
    const auto truth = static_cast<std::uint32_t>(*label);
    if (decided) {
      ++to.labelled;
      to.right += left[0] == truth ? 1 : 0;
      wrong_[truth] += left[0] == truth ? 0 : 1;
    } else {
      std::vector<std::uint64_t>& rows = open_[left];
      rows.resize(score_.size());
      ++rows[truth];
    }
  }

  void finish(const std::vector<std::uint64_t>& classes, Coverage::Together& to) {
    const auto most = [&](const auto& among) {
      return *std::max_element(among.begin(), among.end(),
                               [&](std::uint32_t a, std::uint32_t b) { return classes[a] < classes[b]; });
    };
    std::vector<std::uint32_t> all;
    for (std::uint32_t c = 0; c < classes.size(); ++c) all.push_back(c);
    to.otherwise = all.empty() ? 0 : most(all);
    for (const auto& [left, rows] : open_) {
      const std::uint32_t chosen = left.empty() ? to.otherwise : most(left);
      for (const std::uint32_t c : all) wrong_[c] += c == chosen ? 0 : rows[c];
    }
    double wrong = 0, total = 0, shares = 0, seen = 0;
    for (const std::uint32_t c : all) {
      wrong += static_cast<double>(wrong_[c]);
      total += static_cast<double>(classes[c]);
      if (classes[c] == 0) continue;
      shares += static_cast<double>(wrong_[c]) / static_cast<double>(classes[c]);
      seen += 1;
    }
    to.error = wrong / total;
    to.balanced_error = shares / seen;
  }

 private:
  // The classes with the most votes; empty: all are alike. A rule for one of several classes is against each of the others. Where
  // rules name one class only and no row has another, votes against it are for kOther.
  std::vector<std::uint32_t> best(std::span<const std::uint32_t> holding) {
    if (holding.empty()) return {};
    std::fill(score_.begin(), score_.end(), 0);
    const bool two = score_.size() <= 2;  // of one class: it and the rest
    for (const std::uint32_t r : holding) {
      const CompiledRule& rule = advice_.rules[r];
      score_[rule.class_number] += (rule.positive ? 1 : -1) * (rule.positive && !two ? 2 : 1) * votes_[r];
    }
    if (score_.size() == 1 && score_[0] == 0) return {};
    if (score_.size() == 1) return {score_[0] > 0 ? 0 : kOther};
    if (score_.size() == 2) score_[1 - label_.positive] = -score_[label_.positive];
    const double most = *std::max_element(score_.begin(), score_.end());
    std::vector<std::uint32_t> out;
    for (std::uint32_t c = 0; c < score_.size(); ++c)
      if (score_[c] == most) out.push_back(c);
    if (out.size() == score_.size()) out.clear();
    return out;
  }

  static constexpr std::uint32_t kOther = std::numeric_limits<std::uint32_t>::max();
  const Advice& advice_;
  const Label& label_;
  std::vector<double> votes_;         // of each rule
  std::vector<double> score_;         // of each class, in the row at hand
  std::vector<std::uint64_t> wrong_;  // rows of each class
  std::map<std::vector<std::uint32_t>, std::vector<std::uint64_t>>
      open_;  // by classes left: labelled rows of each class
};

// Rows on which two rules hold that disagree.
class Disagreements {
 public:
  Disagreements(const Advice& advice, const Scaling& scaling) : advice_(advice), scaling_(scaling) {}

  void take(const Row& x, std::span<const std::uint32_t> holding, std::optional<double> label) {
    if (holding.size() > kMostOnARow) {
      all_ = false;
      holding = holding.first(kMostOnARow);
    }
    for (std::size_t i = 0; i < holding.size(); ++i)
      for (std::size_t k = i + 1; k < holding.size(); ++k) {
        const CompiledRule &a = advice_.rules[holding[i]], &b = advice_.rules[holding[k]];
        if (!disagree(a, b, x, scaling_)) continue;
        const std::uint64_t key = std::uint64_t{holding[i]} << 32U | holding[k];
        const auto found = pairs_.find(key);
        if (found == pairs_.end() && pairs_.size() == kMostPairs) {
          all_ = false;
          continue;
        }
        Coverage::Disagreement& to = pairs_[key];
        to.a = holding[i];
        to.b = holding[k];
        ++to.rows;
        if (!label) continue;
        to.a_right += a.agrees(*label, x, scaling_) ? 1 : 0;
        to.b_right += b.agrees(*label, x, scaling_) ? 1 : 0;
      }
  }
  void finish(Coverage& to) {
    for (const auto& entry : pairs_) to.disagreements.push_back(entry.second);
    std::sort(to.disagreements.begin(), to.disagreements.end(),
              [](const Coverage::Disagreement& x, const Coverage::Disagreement& y) {
                return std::tuple(y.rows, x.a, x.b) < std::tuple(x.rows, y.a, y.b);
              });
    to.all_counted = all_;
  }

 private:
  static constexpr std::size_t kMostOnARow = 500, kMostPairs = 1'000'000;
  const Advice& advice_;
  const Scaling& scaling_;
  std::unordered_map<std::uint64_t, Coverage::Disagreement> pairs_;
  bool all_ = true;
};

// What the ledger would say of the rules that are directions.
class Directions {
 public:
  Directions(const Advice& advice, const Schema& schema) {
    Advice only;
    only.conditions = advice.conditions;
    for (std::size_t r = 0; r < advice.rules.size(); ++r) {
      if (!advice.rules[r].direction) continue;
      only.rules.push_back(advice.rules[r]);
      rules_.push_back(r);
    }
    if (!rules_.empty()) ledger_.emplace(only, schema.scaling);
  }
  void take(const Row& x, double label) {
    if (ledger_) ledger_->add(x, label, 0);
  }
  void finish(Coverage& to) const {
    for (std::size_t k = 0; k < rules_.size(); ++k) to.rules[rules_[k]].direction = ledger_->entry(k);
  }

 private:
  std::vector<std::size_t> rules_;
  std::optional<Ledger> ledger_;
};

}  // namespace

double Coverage::base_rate(const Advice& advice, std::size_t rule) const {
  const CompiledRule& of = advice.rules[rule];
  const double hits = static_cast<double>(of.claim ? rules[rule].said : classes[of.class_number]);
  const double share = hits / static_cast<double>(labelled);
  return of.positive ? share : 1 - share;
}

Worth Coverage::worth(const Advice& advice, std::size_t rule) const {
  constexpr double kNarrow = 0.1, kNearlyAll = 0.99;
  const RuleCoverage& seen = rules[rule];
  if (advice.rules[rule].direction)
    return seen.direction.verdict == Ledger::Verdict::supported      ? Worth::helps
           : seen.direction.verdict == Ledger::Verdict::contradicted ? Worth::harms
                                                                     : Worth::open;
  if (seen.labelled == 0) return Worth::open;
  const auto [low, high] = wilson_interval(seen.agreed, seen.labelled);
  const double base = base_rate(advice, rule);
  if (low > base) return Worth::helps;
  if (high < base) return Worth::harms;
  const bool nearly_all = static_cast<double>(seen.covered) >= kNearlyAll * static_cast<double>(rows);
  return high - low < kNarrow || nearly_all ? Worth::nothing : Worth::open;
}

RulesThatHold rules_that_hold(const Advice& advice, const Schema& schema, Source& source) {
  RuleTruth truth(advice, schema, source.table());
  RulesThatHold out;
  out.starts = {0};
  for (Block block; source.next(block);) {
    const RulesThatHold part = truth.of(block);
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const std::span<const std::uint32_t> holding = part.on(i);
      out.rules.insert(out.rules.end(), holding.begin(), holding.end());
      out.starts.push_back(out.rules.size());
    }
  }
  return out;
}

Coverage measure_coverage(const Advice& advice, const Schema& schema, Source& source, const RowsProgress& progress) {
  Encoder encoder(schema, source.table());  // for the labels
  RuleTruth truth(advice, schema, source.table());
  Coverage out;
  out.rules.resize(advice.rules.size());
  out.classes.resize(schema.label.classes.size());
  const bool real = schema.label.real();
  Voting voting(advice, schema.label);
  Disagreements disagreements(advice, schema.scaling);
  Directions directions(advice, schema);
  for (Block block; source.next(block);) {
    const RulesThatHold holds = truth.of(block);
    block = encoder.encode(std::move(block));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const std::optional<double> label = block.label(i);
      const std::span<const std::uint32_t> holding = holds.on(i);
      const Row x = block.row(i);
      const auto agrees = [&](std::uint32_t r) { return advice.rules[r].agrees(*label, x, schema.scaling); };
      if (label) {
        ++out.labelled;
        if (!real) ++out.classes[static_cast<std::size_t>(*label)];
        directions.take(x, *label);
        for (std::uint32_t r = 0; real && r < advice.rules.size(); ++r) out.rules[r].said += agrees(r) ? 1 : 0;
      }
      if (!real) voting.take(holding, label, out.together);
      disagreements.take(x, holding, label);
      for (const std::uint32_t r : holding) {
        const CompiledRule& rule = advice.rules[r];
        RuleCoverage& to = out.rules[r];
        ++to.covered;
        to.overlaps += holding.size() > 1 ? 1 : 0;
        to.conflicts += std::any_of(holding.begin(), holding.end(), [&](std::uint32_t other) {
          return advice.rules[other].class_number == rule.class_number &&
                 disagree(advice.rules[other], rule, x, schema.scaling);
        });
        if (!label) continue;
        ++to.labelled;
        to.agreed += agrees(r) ? 1 : 0;
      }
    }
    out.rows += block.rows();
    if (progress) progress(out.rows, source.bytes_read(), source.bytes_total());
  }
  if (!real) voting.finish(out.classes, out.together);
  disagreements.finish(out);
  directions.finish(out);
  return out;
}

std::pair<double, double> wilson_interval(std::uint64_t hits, std::uint64_t count) {
  if (count == 0) return {0, 1};
  constexpr double kZ = 1.959963984540054;
  const auto n = static_cast<double>(count);
  const double p = static_cast<double>(hits) / n;
  const double middle = (p + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half = kZ / (1 + kZ * kZ / n) * std::sqrt(p * (1 - p) / n + kZ * kZ / (4 * n * n));
  return {hits == 0 ? 0 : middle - half, hits == count ? 1 : middle + half};
}

std::vector<std::string> odd_constants(const Advice& advice, const Schema& schema) {
  std::vector<const Column*> columns(schema.features);  // per feature; null: not one of numbers
  for (const Column& column : schema.columns)
    if (!column.categorical() && column.seen.numbers.count > 0) columns[column.features[0]] = &column;
  std::vector<std::string> out;
  for (const CompiledRule& rule : advice.rules) {
    for (const Conditions::Node* leaf : advice.conditions.leaves(rule.condition)) {
      const AdviceRow& row = leaf->row;
      if (row.terms.size() != 1) continue;
      const std::uint32_t feature = row.terms[0].first;
      const Column* column = columns[feature];
      const double value = row.bound / row.terms[0].second;
      if (column == nullptr || column->kind() == Kind::binary) continue;
      const Moments& seen = column->seen.numbers;
      if (value >= seen.low && value <= seen.high) continue;
      const double low = advice.box.low[feature], high = advice.box.high[feature];
      if (std::isfinite(low) && value >= low && value <= high) continue;  // its domain says so
      out.push_back(fmt::format("rule {}: {} lies outside what column {} shows, {} to {}: other units?",
                                in_quotes(rule.id), column->text_of(value + 0.0), in_quotes(column->name),
                                column->text_of(seen.low), column->text_of(seen.high)));
    }
  }
  return out;
}

std::vector<std::string> unseen_categories(const Advice& advice, const Schema& schema) {
  std::vector<std::string> out;
  if (schema.sparse()) return out;
  const std::vector<Schema::Origin> origins = schema.origins();
  std::set<std::uint32_t> named;
  for (const Conditions::Node& node : advice.conditions.nodes)
    for (const auto& [feature, coefficient] : node.row.terms) named.insert(feature);
  for (const std::uint32_t feature : named) {
    const Column& column = schema.columns[origins[feature].column];
    const std::uint32_t place = origins[feature].place;
    if (!column.categorical() || place >= column.categories.size() || column.seen.rows() == 0) continue;
    if (place < column.seen.categories.size() && column.seen.categories[place] > 0) continue;
    std::vector<std::string> shown;
    for (std::size_t k = 0; k < column.seen.categories.size(); ++k)
      if (column.seen.categories[k] > 0) shown.push_back(column.categories[k]);
    out.push_back(fmt::format("no row so far has {} in column {}, which a rule names{}",
                              in_quotes(column.categories[place]), in_quotes(column.name),
                              suggestion(column.categories[place], shown)));
  }
  return out;
}

std::vector<std::string> broken_promises(const Advice& advice, const Schema& schema) {
  std::vector<std::string> out;
  for (const Column& column : schema.columns) {
    if (column.categorical() || column.seen.numbers.count == 0) continue;
    const std::uint32_t feature = column.features[0];
    const Moments& seen = column.seen.numbers;
    if (column.seen.kind == Kind::number && std::binary_search(advice.integers.begin(), advice.integers.end(), feature))
      out.push_back(
          fmt::format("column {} is stated to be integer, but the data have fractions", in_quotes(column.name)));
    const double low = advice.box.low[feature], high = advice.box.high[feature];
    if (seen.low < low || seen.high > high)
      out.push_back(fmt::format("column {} shows {} to {}, outside its domain from {} to {}", in_quotes(column.name),
                                column.text_of(seen.low), column.text_of(seen.high), column.text_of(low),
                                column.text_of(high)));
  }
  return out;
}

}  // namespace postil
