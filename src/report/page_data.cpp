// page_data.cpp: the rows beside those that the model was made from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "page_parts.hpp"
#include "postil/text.hpp"

namespace postil {

using namespace html;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::size_t kMostColumns = 200;
constexpr std::string_view kNone = "none";  // no difference
// From where on a difference is worth a word.
constexpr double kShifted = 0.25;  // of means, in standard deviations of the training rows
constexpr double kMoved = 0.1;     // of shares of categories and of missing values
constexpr double kSure = 3;        // standard errors

std::string kind_text(const Column& column) {
  switch (column.kind()) {
    case Kind::categorical: return fmt::format("text, {} categories", column.categories.size());
    case Kind::binary: return "0 or 1";
    case Kind::integer: return "whole number";
    case Kind::date: return "date";
    case Kind::percent: return "percentage";
    case Kind::number: return "number";
  }
  return "number";
}

std::string range_text(const Column& column, const Moments& of) {
  if (of.count == 0) return "-";
  const auto shown = [&](double x) { return column.written() == Kind::number ? sized(x) : column.text_of(x); };
  return fmt::format("{} to {}", shown(of.low), shown(of.high));
}

std::string mean_text(const Column& column, const Moments& of) {
  if (of.count == 0) return "-";
  return column.kind() == Kind::date ? column.text_of(std::round(of.mean)) : sized(of.mean);
}

// The category whose share differs most, and by how much.
std::pair<std::size_t, double> moved_most(const Column& column, const ColumnCount& here) {
  const auto sum = [](const std::vector<std::uint64_t>& of) {
    return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
  };
  const std::uint64_t before = sum(column.seen.categories), now = sum(here.categories);
  std::pair<std::size_t, double> out{0, 0};
  if (before == 0 || now == 0) return out;
  for (std::size_t c = 0; c < std::min(column.seen.categories.size(), here.categories.size()); ++c) {
    const double p = share_of(column.seen.categories[c], before), q = share_of(here.categories[c], now);
    const double error = std::sqrt(p * (1 - p) / static_cast<double>(before) + q * (1 - q) / static_cast<double>(now));
    if (std::fabs(q - p) > std::fabs(out.second) && std::fabs(q - p) > kSure * error) out = {c, q - p};
  }
  return out;
}

std::string differences(const Column& column, const ColumnCount& here, std::uint64_t rows) {
  std::vector<std::string> out;
  const std::uint64_t trained = column.seen.rows();
  if (trained == 0) return "no training rows to compare with";
  if (here.outside > 0)
    out.push_back(fmt::format(
        "{} rows {}", grouped(here.outside),
        column.categorical() ? "with a category that training did not have" : "outside the training range"));
  const double more_missing = share_of(here.missing, rows) - share_of(column.seen.missing, trained);
  if (std::fabs(more_missing) >= kMoved)
    out.emplace_back(more_missing > 0 ? "missing much more often" : "missing much less often");
  if (column.categorical()) {
    if (const auto [c, by] = moved_most(column, here); std::fabs(by) >= kMoved)
      out.push_back(fmt::format("share of {} {} {:.0f} points", shortened(column.categories[c]),
                                by > 0 ? "up by" : "down by", 100 * std::fabs(by)));
  } else if (here.numbers.count > 1 && column.seen.numbers.count > 1) {
    const Moments& seen = column.seen.numbers;
    const double deviation = std::sqrt(seen.variance());
    const double error = std::sqrt(seen.variance() / static_cast<double>(seen.count) +
                                   here.numbers.variance() / static_cast<double>(here.numbers.count));
    const double shift = here.numbers.mean - seen.mean;
    if (deviation > 0 && std::fabs(shift) >= kShifted * deviation && std::fabs(shift) > kSure * error)
      out.push_back(fmt::format("mean {} by {:.1f} standard deviations", shift > 0 ? "higher" : "lower",
                                std::fabs(shift) / deviation));
  }
  return out.empty() ? std::string(kNone) : joined(out, "; ");
}

bool close(double a, double b, double size) {
  return std::fabs(a - b) <= 1e-9 * std::max({std::fabs(a), std::fabs(b), size});
}

Html labels_table(const PageFacts& facts) {
  const std::span<const double> before = facts.model.class_weights_seen();
  const double all = std::accumulate(before.begin(), before.end(), 0.0);
  const std::vector<ClassRecord> records = class_records(facts.counts.evaluation->confusion());
  Sheet table("Classes: shares among the examples that the model learned (by their weight), and among these rows",
              {"class", "training share", "rows here", "share here"}, "<>>>");
  constexpr std::size_t kMost = 50;
  for (std::size_t c = 0; c < std::min(kMost, records.size()); ++c)
    table.add({shortened(facts.label().classes[c]),
               all > 0 && c < before.size() ? Html(percent(before[c] / all)) : Html("-"), count("", records[c].rows),
               share_value("", records[c].rows, facts.counts.labelled)});
  return table.html() +
         (records.size() > kMost ? paragraph(fmt::format("... and {} more classes.", records.size() - kMost)) : Html());
}

}  // namespace

std::uint64_t training_rows(const Model& model) {
  std::uint64_t most = 0;
  for (const Column& column : model.schema().columns) most = std::max(most, column.seen.rows());
  return most;
}

bool looks_like_training(const PageFacts& facts) {
  const std::vector<Column>& columns = facts.model.schema().columns;
  if (facts.counts.columns.empty() || training_rows(facts.model) != facts.counts.rows) return false;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const ColumnCount& here = facts.counts.columns[j];
    const Guess& seen = columns[j].seen;
    if (here.missing != seen.missing || here.outside > 0) return false;
    if (columns[j].categorical() && here.categories != seen.categories) return false;
    if (!columns[j].categorical() &&
        !(here.numbers.count == seen.numbers.count &&
          (seen.numbers.count == 0 ||
           (here.numbers.low == seen.numbers.low && here.numbers.high == seen.numbers.high &&
            close(here.numbers.mean, seen.numbers.mean, std::sqrt(seen.numbers.variance()))))))
      return false;
  }
  return true;
}

Html data_section(const PageFacts& facts) {
  const Schema& schema = facts.model.schema();
  const PageCounts& counts = facts.counts;
  Html out = paragraph(count("rows", counts.rows) +
                       fmt::format(" rows were read{}, {} of them with a label.",
                                   facts.options.data.empty() ? "" : " from " + facts.options.data,
                                   counts.labelled == counts.rows ? "all" : grouped(counts.labelled)));
  if (!facts.numbers() && counts.labelled > 0) out += labels_table(facts);
  if (schema.sparse())
    return section(
        "data", "Data",
        out +
            paragraph(fmt::format(
                "The rows are lists of numbered features, of which the model knows {}. A row has {} that are not 0, on "
                "average. Ranges of features are not kept in the model, so they cannot be compared.",
                grouped(schema.features), sized(share_of(counts.nonzeros, counts.rows)))) +
            (counts.surprises().unseen_features > 0
                 ? paragraph(fmt::format("{} of features that training did not have; left out.",
                                         counts.surprises().unseen_features == 1
                                             ? "1 value is"
                                             : grouped(counts.surprises().unseen_features) + " values are"))
                 : Html()));
  const std::uint64_t trained = training_rows(facts.model);
  if (trained > 0)
    out +=
        paragraph(fmt::format("“Training” is what the model file says of the {} rows from which its columns were "
                              "settled. A difference is named if it is large and not due to chance: a mean that moved "
                              "by a quarter of a standard deviation, a share that moved by ten points.",
                              grouped(trained)));
  else
    out += paragraph("The model was made without training rows, so there is nothing to compare these rows with.");
  Sheet table("Columns that the model uses",
              {"column", "kind", "missing in training", "missing here", "training range", "range here", "training mean",
               "mean here", "differences"},
              "<<>>>>>><");
  // Where there are many, those that differ come first.
  std::vector<std::size_t> order(schema.columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::string> told;
  for (std::size_t j = 0; j < order.size(); ++j)
    told.push_back(differences(schema.columns[j], counts.columns[j], counts.rows));
  if (order.size() > kMostColumns)
    std::stable_partition(order.begin(), order.end(), [&](std::size_t j) { return told[j] != kNone; });
  for (std::size_t k = 0; k < std::min(order.size(), kMostColumns); ++k) {
    const Column& column = schema.columns[order[k]];
    const ColumnCount& here = counts.columns[order[k]];
    table.add({shortened(column.name), kind_text(column), percent(share_of(column.seen.missing, column.seen.rows())),
               percent(share_of(here.missing, counts.rows)), range_text(column, column.seen.numbers),
               range_text(column, here.numbers), mean_text(column, column.seen.numbers),
               mean_text(column, here.numbers), told[order[k]]});
  }
  out += table.html();
  if (order.size() > kMostColumns)
    out += paragraph(fmt::format("... and {} more columns.", grouped(order.size() - kMostColumns)));
  if (!schema.ignored.empty()) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < std::min(schema.ignored.size(), kMostNamesShown); ++k)
      names.push_back(shortened(schema.ignored[k]));
    out += paragraph("Columns that were left out on purpose: " + joined(names) +
                     (schema.ignored.size() > names.size() ? ", ..." : "") + ".");
  }
  return section("data", "Data", out);
}

}  // namespace postil
