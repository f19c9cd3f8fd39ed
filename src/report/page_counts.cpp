#include "page_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace postil {
namespace {

constexpr std::size_t kSample = 20'000;    // rows of which truth and prediction are kept, of numbers
constexpr std::size_t kMostGroups = 1000;  // as in evaluate

}  // namespace

void NumberErrors::add(double truth, double predicted) {
  evaluation.add(truth, predicted);
  const double error = predicted - truth;
  plain.add(error);
  absolute.add(std::fabs(error));
  squared.add(error * error);
}

void FirstRows::add(ExampleRow row) {
  const auto place = std::upper_bound(rows_.begin(), rows_.end(), row.key,
                                      [](double key, const ExampleRow& other) { return key < other.key; });
  rows_.insert(place, std::move(row));
  if (rows_.size() > most_) rows_.pop_back();
}

PageCounts::PageCounts(const Model& model, const Table& table, const PageOptions& options)
    : groups(options.by.size()),
      sure(options.examples),
      wrong(options.examples + (options.examples > 0 ? 2 : 0)),
      unsure(options.examples),
      model_(model),
      table_(table),
      options_(options),
      encoder_(model, table),
      scores_(model.outputs()) {
  const Schema& schema = model.schema();
  const std::size_t classes = schema.label.classes.size();
  if (!schema.sparse()) columns.resize(schema.columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j].categories.resize(schema.columns[j].categories.size());
  category_.resize(columns.size());
  if (model.ledger()) {
    held.resize(model.advice()->rules.size());
    ledger.emplace(*model.advice(), schema.scaling);
  }
  if (schema.label.real()) return;
  probability_.emplace(model);
  probabilities_.resize(classes);
  even_ = decision_for(Metric::balanced_error, model.learner());
  predicted.resize(classes);
  evaluation.emplace(classes, schema.label.positive);
  balanced.assign(classes, std::vector<std::uint64_t>(classes));
  tenths.resize(10);
  positive_above.resize(std::size(kThresholds) + 1);
  negative_above = positive_above;
}

void PageCounts::add(Block raw) {
  BlockData data = raw.release();
  const std::vector<std::string> kept = std::exchange(data.kept, {});
  const Block rows_as_read{std::move(data)};
  look_at(rows_as_read);
  const Block block = encoder_.encode(Block(rows_as_read.copied()));
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const std::optional<double> label = block.label(i);
    const Row row = block.row(i);
    ++rows;
    labelled += label ? 1 : 0;
    take(row, label, rows_as_read, i);
    for (std::size_t r = 0; r < row.holds.size() && !held.empty(); ++r) ++held[row.holds[r]];
    if (ledger && label) ledger->add(row, *label, rows_as_read.line(i) > 0 ? rows_as_read.line(i) : rows);
    for (std::size_t k = 0; k < groups.size(); ++k) {
      const auto [group, fresh] = groups[k].try_emplace(kept[i * groups.size() + k]);
      if (fresh && groups[k].size() > kMostGroups)
        throw ParamError(
            Text(Option{"by"}, fmt::format(": column '{}' holds more than {} different values; choose one with few",
                                           options_.by[k], kMostGroups)));
      ++group->second.rows;
      if (!label) continue;
      const double guess = model_.decide(scores_);
      if (!evaluation) {
        group->second.errors.add(*label, guess);
        continue;
      }
      Confusion& counts = group->second.confusion;
      if (counts.empty()) counts.assign(predicted.size(), std::vector<std::uint64_t>(predicted.size()));
      ++counts[static_cast<std::size_t>(*label)][static_cast<std::size_t>(guess)];
    }
  }
}

// What stands in the cells, beside what training saw.
void PageCounts::look_at(const Block& raw) {
  const Schema& schema = model_.schema();
  if (columns.empty()) {
    nonzeros += raw.nonzeros();
    return;
  }
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const Column& column = schema.columns[j];
    if (!column.categorical()) continue;
    const std::vector<std::string>& texts = table_.columns[j].texts;
    if (category_[j].size() == texts.size()) continue;
    std::map<std::string_view, std::int64_t> places;
    for (std::size_t c = 0; c < column.categories.size(); ++c)
      places.emplace(column.categories[c], static_cast<std::int64_t>(c));
    for (std::size_t code = category_[j].size(); code < texts.size(); ++code) {
      const auto found = places.find(texts[code]);
      category_[j].push_back(found == places.end() ? -1 : found->second);
    }
  }
  for (std::size_t i = 0; i < raw.rows(); ++i) {
    bool outside = false, unseen = false, missing = false;
    const auto look = [&](std::size_t j, double value) {
      ColumnCount& count = columns[j];
      const Column& column = schema.columns[j];
      if (std::isnan(value)) {
        ++count.missing;
        missing = true;
      } else if (column.categorical()) {
        const auto code = static_cast<std::size_t>(value);
        const std::int64_t place = code < category_[j].size() ? category_[j][code] : -1;
        if (place >= 0) ++count.categories[static_cast<std::size_t>(place)];
        const bool known = place >= 0 && (column.seen.categories.empty() ||
                                          column.seen.categories[static_cast<std::size_t>(place)] > 0);
        count.outside += known ? 0 : 1;
        unseen |= !known;
      } else {
        count.numbers.add(value);
        const Moments& seen = column.seen.numbers;
        const bool beyond = seen.count > 0 && (value < seen.low || value > seen.high);
        count.outside += beyond ? 1 : 0;
        outside |= beyond;
      }
    };
    const Row row = raw.row(i);
    std::size_t k = 0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (row.dense()) {
        look(j, j < row.count ? row.value(j) : 0);
        continue;
      }
      while (k < row.count && row.index(k) < j) ++k;
      look(j, k < row.count && row.index(k) == j ? row.value(k) : 0);
    }
    rows_outside += outside ? 1 : 0;
    rows_unseen += unseen ? 1 : 0;
    rows_missing += missing ? 1 : 0;
  }
}

void PageCounts::show(FirstRows& among, double key, const Block& raw, std::size_t i, std::optional<double> label,
                      double guess, double probability) const {
  if (!among.wants(key)) return;
  among.add({key, rows, raw.line(i), label, guess, probability, raw.copied(i, 1)});
}

void PageCounts::take(const Row& row, std::optional<double> label, const Block& raw, std::size_t i) {
  model_.score(row, scores_);
  const double guess = model_.decide(scores_);
  if (model_.may_be_silent() && model_.silent_on(row, guess)) ++silent;
  if (!evaluation) {
    predicted_numbers.add(guess);
    if (!label) return;
    errors.add(*label, guess);
    show(sure, std::fabs(guess - *label), raw, i, label, guess, 0);
    show(wrong, -std::fabs(guess - *label), raw, i, label, guess, 0);
    if (sample.size() < kSample)
      sample.emplace_back(*label, guess);
    else if (const std::uint64_t place = chance_.below(labelled); place < kSample)
      sample[place] = {*label, guess};
    return;
  }
  probability_->of(scores_, probabilities_);
  const auto chosen = static_cast<std::uint32_t>(guess);
  take_class(label, chosen);
  const double own = probabilities_[chosen];
  double rival = 0;
  for (std::size_t c = 0; c < probabilities_.size(); ++c)
    if (c != chosen) rival = std::max(rival, probabilities_[c]);
  if (label && *label != guess) show(wrong, -own, raw, i, label, guess, own);
  if (!label || *label == guess) show(sure, -own, raw, i, label, guess, own);
  show(unsure, std::fabs(own - rival), raw, i, label, guess, own);
}

void PageCounts::take_class(std::optional<double> label, std::uint32_t guess) {
  ++predicted[guess];
  if (!label) return;
  const auto truth = static_cast<std::uint32_t>(*label);
  evaluation->add(truth, guess, scores_, probabilities_);
  ++balanced[truth][decides_apart() ? probability_->decide(probabilities_, even_) : guess];
  if (probabilities_.size() != 2) return;
  const double p = probabilities_[model_.schema().label.positive];
  const bool positive = truth == model_.schema().label.positive;
  Tenth& tenth = tenths[std::min(tenths.size() - 1, static_cast<std::size_t>(10 * p))];
  ++tenth.rows;
  tenth.positive += positive ? 1 : 0;
  tenth.said += p;
  const auto reached = static_cast<std::size_t>(std::upper_bound(std::begin(kThresholds), std::end(kThresholds), p) -
                                                std::begin(kThresholds));
  ++(positive ? positive_above : negative_above)[reached];
}

}  // namespace postil
