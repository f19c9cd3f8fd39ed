#include "rule_truth.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace postil {
namespace {

using Node = Conditions::Node;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // every comparison with it is false
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

template <class Test>
std::uint64_t word_of(const double* values, const Test& test) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 64; ++i) word |= static_cast<std::uint64_t>(test(values[i])) << i;
  return word;
}

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

// The columns that are asked for, of some rows. What a sparse row does not have is 0.
void RuleTruth::gather(const Block& raw, std::size_t first, std::size_t rows) {
  for (std::size_t i = 0; i < rows; ++i) {
    const Row row = raw.row(first + i);
    double* to = values_.data() + i;
    if (row.dense()) {
      for (const std::uint32_t column : columns_) {
        *to = column < row.count ? row.value(column) : 0;
        to += kTogether;
      }
      continue;
    }
    const std::uint32_t *at = row.indices, *end = row.indices + row.count;
    for (const std::uint32_t column : columns_) {
      at = std::lower_bound(at, end, column);
      *to = at != end && *at == column ? row.value(static_cast<std::size_t>(at - row.indices)) : 0;
      to += kTogether;
    }
  }
}

void RuleTruth::answer(const Question& question, double* to) const {
  const double* raw = values_of(question.column);
  if (!question.category) {
    std::copy_n(raw, kTogether, to);
    return;
  }
  const std::vector<std::uint32_t>& codes = category_[question.column];
  for (std::size_t i = 0; i < kTogether; ++i) {
    const bool known = raw[i] >= 0 && raw[i] < static_cast<double>(codes.size());  // else a number among categories
    to[i] = std::isnan(raw[i]) ? kUnknown : known && codes[static_cast<std::size_t>(raw[i])] == question.place ? 1 : 0;
  }
}

RuleTruth::Word RuleTruth::compare(const AdviceRow& row) {
  std::array<double, kTogether> sums{};
  const double* values = sums.data();
  if (row.terms.size() == 1 && row.terms[0].second == 1) {
    values = answers_.data() + question_[row.terms[0].first] * kTogether;
  } else {
    for (const auto& [feature, coefficient] : row.terms) {
      const double* x = answers_.data() + question_[feature] * kTogether;
      for (std::size_t i = 0; i < kTogether; ++i) sums[i] += coefficient * x[i];
    }
  }
  const double bound = row.bound;
  if (row.equality) return word_of(values, [=](double x) { return x == bound; });
  if (row.strict) return word_of(values, [=](double x) { return x < bound; });
  return word_of(values, [=](double x) { return x <= bound; });
}

RuleTruth::Word RuleTruth::missing(std::uint32_t column) const {
  return word_of(values_of(column), [](double x) { return std::isnan(x); });
}

RulesThatHold RuleTruth::of(const Block& raw) {
  learn_texts();
  RulesThatHold out;
  out.starts = {0};
  const std::vector<Node>& nodes = advice_.conditions.nodes;
  for (std::size_t first = 0; first < raw.rows(); first += kTogether) {
    const std::size_t rows = std::min(kTogether, raw.rows() - first);
    gather(raw, first, rows);
    for (std::size_t q = 0; q < questions_.size(); ++q) answer(questions_[q], answers_.data() + q * kTogether);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      const Node& node = nodes[k];
      Word word = 0;
      switch (node.kind) {
        case Node::Kind::row: word = compare(node.row); break;
        case Node::Kind::missing: word = missing(questions_[question_[node.feature]].column); break;
        case Node::Kind::known: word = ~missing(questions_[question_[node.feature]].column); break;
        case Node::Kind::all:
          word = ~Word(0);
          for (const std::uint32_t part : node.parts) word &= truth_[part];
          break;
        case Node::Kind::any:
          for (const std::uint32_t part : node.parts) word |= truth_[part];
          break;
        case Node::Kind::at_least: {
          std::array<std::uint32_t, kTogether> count{};
          for (const std::uint32_t part : node.parts)
            for (Word left = truth_[part]; left != 0; left &= left - 1)
              ++count[static_cast<std::size_t>(std::countr_zero(left))];
          for (std::size_t i = 0; i < kTogether; ++i) word |= static_cast<Word>(count[i] >= node.count) << i;
        }
      }
      truth_[k] = word;
    }
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

}  // namespace postil
