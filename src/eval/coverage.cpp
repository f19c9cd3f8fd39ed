#include "postil/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "advice/rule_truth.hpp"
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
  schema.label.name = source.table().label_name;
  return schema;
}

Coverage measure_coverage(const Advice& advice, const Schema& schema, const std::string& path, ReadOptions read,
                          const RowsProgress& progress) {
  read.schema = &schema;
  Reader reader(path, read);
  return measure_coverage(advice, schema, reader, progress);
}

Coverage measure_coverage(const Advice& advice, const Schema& schema, Source& source, const RowsProgress& progress) {
  Encoder encoder(schema, source.table());  // for the labels
  RuleTruth truth(advice, schema, source.table());
  Coverage out;
  out.rules.resize(advice.rules.size());
  for (Block block; source.next(block);) {
    const RulesThatHold holds = truth.of(block);
    block = encoder.encode(std::move(block));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const double label = block.labels().empty() ? std::nan("") : block.labels()[i];
      const std::span<const std::uint32_t> holding = holds.on(i);
      for (const std::uint32_t r : holding) {
        const CompiledRule& rule = advice.rules[r];
        RuleCoverage& to = out.rules[r];
        ++to.covered;
        to.overlaps += holding.size() > 1 ? 1 : 0;
        to.conflicts += std::any_of(holding.begin(), holding.end(), [&](std::uint32_t other) {
          return advice.rules[other].class_number == rule.class_number && advice.rules[other].positive != rule.positive;
        });
        if (std::isnan(label)) continue;
        ++to.labelled;
        to.agreed += (label == rule.class_number) == rule.positive ? 1 : 0;
      }
    }
    out.rows += block.rows();
    if (progress) progress(out.rows, source.bytes_read(), source.bytes_total());
  }
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
                                in_quotes(rule.id), format_number(value + 0.0), in_quotes(column->name),
                                format_number(seen.low), format_number(seen.high)));
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
                                format_number(seen.low), format_number(seen.high), format_number(low),
                                format_number(high)));
  }
  return out;
}

}  // namespace postil
