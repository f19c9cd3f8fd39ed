#include "rule_truth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace postil {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();  // every comparison with it is false
constexpr std::uint32_t kNoCategory = std::numeric_limits<std::uint32_t>::max();

void collect(const Formula& formula, std::vector<std::uint32_t>& features) {
  for (const auto& [feature, coefficient] : formula.row.terms) features.push_back(feature);
  for (const Formula& part : formula.parts) collect(part, features);
}

void to_places(Formula& formula, const std::vector<std::uint32_t>& features) {
  for (auto& [feature, coefficient] : formula.row.terms)
    feature =
        static_cast<std::uint32_t>(std::lower_bound(features.begin(), features.end(), feature) - features.begin());
  for (Formula& part : formula.parts) to_places(part, features);
}

}  // namespace

RuleTruth::RuleTruth(const Advice& advice, const Schema& schema, const Table& table) : schema_(schema), table_(table) {
  std::vector<std::uint32_t> features;
  for (const CompiledRule& rule : advice.rules) collect(rule.condition, features);
  std::sort(features.begin(), features.end());
  features.erase(std::unique(features.begin(), features.end()), features.end());
  for (const CompiledRule& rule : advice.rules) to_places(conditions_.emplace_back(rule.condition), features);

  const std::vector<Schema::Origin> origins = schema.sparse() ? std::vector<Schema::Origin>() : schema.origins();
  category_.resize(schema.columns.size());
  for (const std::uint32_t feature : features) {
    Question question{.column = feature};
    if (!schema.sparse()) {
      const auto [column, place] = origins[feature];
      question.column = column;
      if (place >= schema.columns[column].values()) {
        question.kind = Question::Kind::missing;
      } else if (schema.columns[column].categorical()) {
        question.kind = Question::Kind::category;
        question.category = place;
      }
    }
    questions_.push_back(question);
  }
  answers_.resize(questions_.size());
}

// Texts that no category of the schema has are none of them.
void RuleTruth::learn_texts() {
  for (const Question& question : questions_) {
    if (question.kind != Question::Kind::category) continue;
    std::vector<std::uint32_t>& known = category_[question.column];
    const std::vector<std::string>& texts = table_.columns[question.column].texts;
    if (known.size() == texts.size()) continue;
    std::unordered_map<std::string_view, std::uint32_t> places;
    for (const std::string& category : schema_.columns[question.column].categories)
      places.emplace(category, static_cast<std::uint32_t>(places.size()));
    for (std::size_t code = known.size(); code < texts.size(); ++code) {
      const auto found = places.find(texts[code]);
      known.push_back(found == places.end() ? kNoCategory : found->second);
    }
  }
}

double RuleTruth::answer(const Question& question, double raw) const {
  switch (question.kind) {
    case Question::Kind::number: return raw;
    case Question::Kind::missing: return std::isnan(raw) ? 1 : 0;
    case Question::Kind::category: break;
  }
  if (std::isnan(raw)) return kUnknown;
  const std::vector<std::uint32_t>& codes = category_[question.column];
  const bool known = raw >= 0 && raw < static_cast<double>(codes.size());  // else a number among categories
  return known && codes[static_cast<std::size_t>(raw)] == question.category ? 1 : 0;
}

std::vector<std::uint8_t> RuleTruth::of(const Block& raw) {
  learn_texts();
  std::vector<std::uint8_t> out;
  out.reserve(raw.rows() * conditions_.size());
  for (std::size_t i = 0; i < raw.rows(); ++i) {
    const Row row = raw.row(i);
    for (std::size_t q = 0; q < questions_.size(); ++q) {
      const std::uint32_t column = questions_[q].column;
      double value = 0;  // what a sparse row does not have
      if (row.dense()) {
        value = column < row.count ? row.value(column) : 0;
      } else {
        const std::uint32_t* end = row.indices + row.count;
        const std::uint32_t* found = std::lower_bound(row.indices, end, column);
        if (found != end && *found == column) value = row.value(static_cast<std::size_t>(found - row.indices));
      }
      answers_[q] = answer(questions_[q], value);
    }
    for (const Formula& condition : conditions_) out.push_back(condition.holds(answers_) ? 1 : 0);
  }
  return out;
}

}  // namespace postil
