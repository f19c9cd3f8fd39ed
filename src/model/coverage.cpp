#include "postil/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace postil {

namespace {

Schema without_scaling(Schema schema) {  // rules are in raw units
  schema.scale = Scale::none;
  schema.scaling = {};
  return schema;
}

}  // namespace

Schema survey_source(Source& source, const ColumnWishes& wishes, const Recipe& recipe, const RuleFile& rules,
                     const RowsProgress& progress) {
  Survey survey(source.table(), recipe.scale_for(source.format()), wishes, true);
  std::uint64_t rows = 0;
  for (Block block; source.next(block);) {
    survey.add(block);
    rows += block.rows();
    if (progress) progress(rows, source.bytes_read(), source.bytes_total());
  }
  if (rows == 0) throw DataError({source.table().source, 0, 0}, "there are no rows");
  if (!source.table().labels.empty() || !recipe.label.classes.empty()) return recipe.schema(survey, source.table());
  Schema schema = survey.finish();
  schema.label = schema_of_rules(rules).label;
  schema.label.name = source.table().label_name;
  return schema;
}

Coverage measure_coverage(const Advice& advice, const std::string& path, ReadOptions read,
                          const RowsProgress& progress) {
  const Schema schema = without_scaling(advice.schema);
  read.schema = &schema;
  Reader reader(path, read);
  return measure_coverage(advice, reader, progress);
}

Coverage measure_coverage(const Advice& advice, Source& source, const RowsProgress& progress) {
  const Schema schema = without_scaling(advice.schema);
  Encoder encoder(schema, source.table());
  Coverage out;
  out.rules.resize(advice.rules.size());
  std::vector<double> x(schema.features);
  std::vector<std::uint32_t> holding;
  for (Block block; source.next(block);) {
    block = encoder.encode(std::move(block));
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const Row row = block.row(i);
      std::fill(x.begin(), x.end(), 0);
      for (std::size_t k = 0; k < row.count; ++k) x[row.index(k)] = row.value(k);
      const double label = block.labels().empty() ? std::nan("") : block.labels()[i];
      holding.clear();
      for (std::uint32_t r = 0; r < advice.rules.size(); ++r)
        if (advice.rules[r].condition.holds(x)) holding.push_back(r);
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

namespace {

void collect(const Formula& formula, std::vector<const AdviceRow*>& rows) {
  if (formula.kind == Formula::Kind::row) rows.push_back(&formula.row);
  for (const Formula& part : formula.parts) collect(part, rows);
}

}  // namespace

std::vector<std::string> odd_constants(const Advice& advice) {
  std::vector<const Column*> columns;  // per feature; null: not one of numbers
  for (const Column& column : advice.schema.columns)
    for (std::uint32_t k = 0; k < column.features(); ++k)
      columns.push_back(k == 0 && column.kind != Kind::categorical && column.seen.count > 0 ? &column : nullptr);
  std::vector<std::string> out;
  for (const CompiledRule& rule : advice.rules) {
    std::vector<const AdviceRow*> rows;
    collect(rule.condition, rows);
    for (const AdviceRow* row : rows) {
      if (row->terms.size() != 1 || row->terms[0].first >= columns.size()) continue;
      const Column* column = columns[row->terms[0].first];
      const double value = row->bound / row->terms[0].second;
      if (column == nullptr || (value >= column->seen.low && value <= column->seen.high)) continue;
      if (column->kind == Kind::binary) continue;
      if (std::isfinite(column->low) && value >= column->low && value <= column->high) continue;  // its domain says so
      out.push_back(fmt::format("rule {}: {} lies outside what column {} shows, {} to {}: other units?",
                                in_quotes(rule.id), format_number(value + 0.0), in_quotes(column->name),
                                format_number(column->seen.low), format_number(column->seen.high)));
    }
  }
  return out;
}

std::vector<std::string> broken_promises(const Schema& data, const Schema& stated) {
  std::vector<std::string> out;
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const Column &seen = data.columns[j], &promise = stated.columns[j];
    if (seen.kind == Kind::categorical || seen.seen.count == 0) continue;
    if (promise.kind == Kind::integer && seen.kind == Kind::number)
      out.push_back(
          fmt::format("column {} is stated to be integer, but the data have fractions", in_quotes(seen.name)));
    if (seen.seen.low < promise.low || seen.seen.high > promise.high)
      out.push_back(fmt::format("column {} shows {} to {}, outside its domain from {} to {}", in_quotes(seen.name),
                                format_number(seen.seen.low), format_number(seen.seen.high), format_number(promise.low),
                                format_number(promise.high)));
  }
  return out;
}

}  // namespace postil
