#include "rule_truth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/kernels.hpp"

namespace postil {
namespace {

using Node = Conditions::Node;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // every comparison with it is false
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

RuleTruth::RuleTruth(const Advice& advice, const Schema& schema, const Table& table)
    : advice_(advice), schema_(schema), table_(table), question_(schema.features, kNone), holding_(kTogether) {
  const std::vector<Schema::Origin> origins = schema.sparse() ? std::vector<Schema::Origin>() : schema.origins();
  const auto ask = [&](std::uint32_t feature) {
    if (question_[feature] != kNone) return;
    question_[feature] = static_cast<std::uint32_t>(questions_.size());
    Question question{.column = feature};
    if (!schema.sparse()) {
      question.column = origins[feature].column;
      question.category = schema.columns[question.column].categorical();
      question.place = origins[feature].place;
    }
    questions_.push_back(question);
    columns_.push_back(question.column);
  };
  for (const Node& node : advice.conditions.nodes) {
    if (node.kind == Node::Kind::missing || node.kind == Node::Kind::known) ask(node.feature);
    for (const auto& [feature, coefficient] : node.row.terms) ask(feature);
  }
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  slot_.resize(columns_.empty() ? 0 : columns_.back() + 1, kNone);
  for (std::uint32_t k = 0; k < columns_.size(); ++k) slot_[columns_[k]] = k;
  category_.resize(schema.columns.size());
  values_.resize(columns_.size() * kTogether);
  answers_.resize(questions_.size() * kTogether);
  truth_.resize(advice.conditions.nodes.size());
}

// Texts that no category of the schema has are none of them.
void RuleTruth::learn_texts() {
  for (const Question& question : questions_) {
    if (!question.category) continue;
    std::vector<std::uint32_t>& known = category_[question.column];
    const std::vector<std::string>& texts = table_.columns[question.column].texts;
    if (known.size() == texts.size()) continue;
    std::unordered_map<std::string_view, std::uint32_t> places;
    for (const std::string& category : schema_.columns[question.column].categories)
      places.emplace(category, static_cast<std::uint32_t>(places.size()));
    for (std::size_t code = known.size(); code < texts.size(); ++code) {
      const auto found = places.find(texts[code]);
      known.push_back(found == places.end() ? kNone : found->second);
    }
  }
}

// The columns that are asked for, of some rows: eight rows at a time, so that what is written fills lines of the cache.
template <class Value>
void RuleTruth::gather_dense(const Block& raw, std::size_t first, std::size_t rows) {
  constexpr std::size_t kRows = 8;
  for (std::size_t begin = 0; begin < rows; begin += kRows) {
    std::array<const Value*, kRows> from{};
    for (std::size_t i = 0; i < kRows; ++i)  // the last row again where there are fewer
      from[i] = static_cast<const Value*>(raw.row(first + std::min(begin + i, rows - 1)).values);
    double* to = values_.data() + begin;
    for (const std::uint32_t column : columns_) {
      const bool there = column < raw.width();
      for (std::size_t i = 0; i < kRows; ++i) to[i] = there ? static_cast<double>(from[i][column]) : 0;
      to += kTogether;
    }
  }
}

// What a sparse row does not have is 0.
void RuleTruth::gather_sparse(const Block& raw, std::size_t first, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = raw.row(first + i);
    const std::uint32_t *at = row.indices, *end = row.indices + row.count;
    double* to = values_.data() + i;
    for (const std::uint32_t column : columns_) {
      at = std::lower_bound(at, end, column);
      *to = at != end && *at == column ? row.value(static_cast<std::size_t>(at - row.indices)) : 0;
      to += kTogether;
    }
  }
}

// Whether a category is there: 1, 0, or unknown.
void RuleTruth::answer(const Question& question, double* to) const {
  const double* raw = values_of(question.column);
  const std::vector<std::uint32_t>& codes = category_[question.column];
  for (std::size_t i = 0; i < kTogether; ++i) {
    const bool known = raw[i] >= 0 && raw[i] < static_cast<double>(codes.size());  // else a number among categories
    const bool there = known && codes[static_cast<std::size_t>(raw[i])] == question.place;
    to[i] = std::isnan(raw[i]) ? kUnknown : there ? 1 : 0;
  }
}

RuleTruth::Word RuleTruth::compare(const AdviceRow& row) const {
  const Compare how = row.equality ? Compare::equal : row.strict ? Compare::less : Compare::at_most;
  if (row.terms.size() == 1 && std::fabs(row.terms[0].second) == 1) {  // x <= bound, or -x <= bound: x >= -bound
    const double* x = answers_of(row.terms[0].first);
    if (row.terms[0].second > 0) return compare_64(x, how, row.bound);
    return compare_64(x, row.equality ? how : row.strict ? Compare::greater : Compare::at_least, -row.bound);
  }
  std::array<double, kTogether> of_rows;
  sums(row, of_rows.data());
  return compare_64(of_rows.data(), how, row.bound);
}

void RuleTruth::sums(const AdviceRow& row, double* to) const {
  std::fill(to, to + kTogether, 0);
  for (const auto& [feature, coefficient] : row.terms) {
    const double* x = answers_of(feature);
    for (std::size_t i = 0; i < kTogether; ++i) to[i] += coefficient * x[i];
  }
}

RuleTruth::Word RuleTruth::missing(std::uint32_t column) const {
  const double* x = values_of(column);
  Word word = 0;
  for (std::size_t i = 0; i < kTogether; ++i) word |= static_cast<Word>(std::isnan(x[i])) << i;
  return word;
}

RuleTruth::Word RuleTruth::truth_of(const Node& node) const {
  Word word = 0;
  switch (node.kind) {
    case Node::Kind::row: return compare(node.row);
    case Node::Kind::missing: return missing(questions_[question_[node.feature]].column);
    case Node::Kind::known: return ~missing(questions_[question_[node.feature]].column);
    case Node::Kind::all:
      word = ~Word(0);
      for (const std::uint32_t part : node.parts) word &= truth_[part];
      return word;
    case Node::Kind::any:
      for (const std::uint32_t part : node.parts) word |= truth_[part];
      return word;
    case Node::Kind::at_least: {
      std::array<std::uint32_t, kTogether> count{};
      for (const std::uint32_t part : node.parts)
        for (Word left = truth_[part]; left != 0; left &= left - 1)
          ++count[static_cast<std::size_t>(std::countr_zero(left))];
      for (std::size_t i = 0; i < kTogether; ++i) word |= static_cast<Word>(count[i] >= node.count) << i;
    }
  }
  return word;
}

std::size_t RuleTruth::look_at(const Block& raw, std::size_t first) {
  const std::size_t rows = std::min(kTogether, raw.rows() - first);
  if (!raw.dense())
    gather_sparse(raw, first, rows);
  else if (raw.row(first).single)
    gather_dense<float>(raw, first, rows);
  else
    gather_dense<double>(raw, first, rows);
  learn_texts();
  for (std::size_t q = 0; q < questions_.size(); ++q)
    if (questions_[q].category) answer(questions_[q], answers_.data() + q * kTogether);
  for (std::size_t k = 0; k < advice_.conditions.nodes.size(); ++k) truth_[k] = truth_of(advice_.conditions.nodes[k]);
  return rows;
}

RulesThatHold RuleTruth::of(const Block& raw) {
  RulesThatHold out;
  out.starts = {0};
  for (std::size_t first = 0; first < raw.rows(); first += kTogether) {
    const std::size_t rows = look_at(raw, first);
    const Word here = rows == kTogether ? ~Word(0) : (Word(1) << rows) - 1;
    for (std::uint32_t r = 0; r < advice_.rules.size(); ++r)
      for (Word left = truth_[advice_.rules[r].condition] & here; left != 0; left &= left - 1)
        holding_[static_cast<std::size_t>(std::countr_zero(left))].push_back(r);
    for (std::size_t i = 0; i < rows; ++i) {
      out.rules.insert(out.rules.end(), holding_[i].begin(), holding_[i].end());
      out.starts.push_back(out.rules.size());
      holding_[i].clear();
    }
  }
  return out;
}

// Parts stand before what they are part of.
ConditionPart::ConditionPart(const Conditions& conditions, std::uint32_t of_part, std::uint32_t of_whole)
    : part(of_part), whole(of_whole) {
  std::vector<bool> stands_on(whole + 1), needed(whole + 1);
  needed[whole] = true;
  for (std::uint32_t k = whole + 1; k-- > 0;)
    if (needed[k])
      for (const std::uint32_t below : conditions.nodes[k].parts) needed[below] = true;
  stands_on[part] = true;
  for (std::uint32_t k = part + 1; k <= whole; ++k) {
    const std::vector<std::uint32_t>& parts = conditions.nodes[k].parts;
    stands_on[k] = std::any_of(parts.begin(), parts.end(), [&](std::uint32_t below) { return stands_on[below]; });
    if (stands_on[k] && needed[k]) between.push_back(k);
  }
}

RuleTruth::Word RuleTruth::decided_by(const ConditionPart& part) {
  saved_.assign(1, truth_[part.part]);
  for (const std::uint32_t k : part.between) saved_.push_back(truth_[k]);
  const auto whole_if = [&](Word word) {
    truth_[part.part] = word;
    for (const std::uint32_t k : part.between) truth_[k] = truth_of(advice_.conditions.nodes[k]);
    return truth_[part.whole];
  };
  const Word if_true = whole_if(~Word(0)), if_false = whole_if(0);
  truth_[part.part] = saved_[0];
  for (std::size_t k = 0; k < part.between.size(); ++k) truth_[part.between[k]] = saved_[k + 1];
  return if_true & ~if_false;
}

}  // namespace postil
