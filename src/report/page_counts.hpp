// What a page on a model says of rows, counted while they pass: its size does not grow with their number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "postil/random.hpp"
#include "postil/report.hpp"

namespace postil {

using Confusion = std::vector<std::vector<std::uint64_t>>;  // [truth][predicted]

// One column of the rows, for comparison with the rows that the model was made from.
struct ColumnCount {
  Moments numbers;
  std::uint64_t missing = 0;
  std::uint64_t outside = 0;  // numbers outside the range of the training rows; texts that these did not have
  std::vector<std::uint64_t> categories;  // rows of each category of the model
};

// Errors of predicted numbers.
struct NumberErrors {
  RegressionEvaluation evaluation;
  Moments absolute, squared, plain;  // |e|, e^2 and e = predicted - truth

  void add(double truth, double predicted);
};

struct GroupCount {
  std::uint64_t rows = 0;  // labelled or not
  Confusion confusion;
  NumberErrors errors;
};

// A row that is shown.
struct ExampleRow {
  double key = 0;               // small: shown first
  std::uint64_t number = 0;     // in the data, from 1
  std::uint64_t line = 0;       // of the file; 0: not known
  std::optional<double> label;  // as the model numbers it
  double predicted = 0;
  double probability = 0;  // of the class predicted
  BlockData raw;
};

// Some rows with the smallest keys; of equals, the first.
class FirstRows {
 public:
  explicit FirstRows(std::size_t most) : most_(most) {}
  [[nodiscard]] bool wants(double key) const { return most_ > 0 && (rows_.size() < most_ || key < rows_.back().key); }
  void add(ExampleRow row);
  [[nodiscard]] const std::vector<ExampleRow>& rows() const { return rows_; }

 private:
  std::size_t most_;
  std::vector<ExampleRow> rows_;
};

// Thresholds that a page shows for the probability of the positive class.
inline constexpr double kThresholds[] = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95};

class PageCounts {
 public:
  PageCounts(const Model& model, const Table& table, const PageOptions& options);
  void add(Block raw);

  std::uint64_t rows = 0, labelled = 0;
  std::vector<std::uint64_t> predicted;  // rows of each class predicted
  Moments predicted_numbers;

  // Columns, of models that know them by name.
  std::vector<ColumnCount> columns;
  std::uint64_t nonzeros = 0;                                         // of others
  std::uint64_t rows_outside = 0, rows_unseen = 0, rows_missing = 0;  // with at least one such value
  std::uint64_t silent = 0;  // rows on which no rule speaks, where only rules have a voice

  // Of rows with a label.
  std::optional<Evaluation> evaluation;
  Confusion balanced;  // decided by the balanced threshold
  struct Tenth {
    std::uint64_t rows = 0, positive = 0;
    double said = 0;  // sum
  };
  std::vector<Tenth> tenths;                                  // two classes: by the probability of the positive one
  std::vector<std::uint64_t> positive_above, negative_above;  // by the number of thresholds reached
  NumberErrors errors;
  std::vector<std::pair<double, double>> sample;  // of (truth, predicted), of numbers

  std::vector<std::map<std::string, GroupCount>> groups;  // of each column of `by`

  std::vector<std::uint64_t> held;  // rows on which each rule holds
  std::optional<Ledger> ledger;     // what these rows alone say about the rules

  FirstRows sure, wrong, unsure;  // numbers: near, far, -

  [[nodiscard]] const Surprises& surprises() const { return encoder_.surprises(); }
  [[nodiscard]] bool decides_apart() const { return even_.kind != Decision::Kind::likely; }
  [[nodiscard]] const Table& table() const { return table_; }

 private:
  void look_at(const Block& raw);
  void take(const Row& row, std::optional<double> label, const Block& raw, std::size_t i);
  void take_class(std::optional<double> label, std::uint32_t guess);
  void show(FirstRows& among, double key, const Block& raw, std::size_t i, std::optional<double> label, double guess,
            double probability) const;

  const Model& model_;
  const Table& table_;
  const PageOptions& options_;
  ModelEncoder encoder_;
  std::optional<Probabilities> probability_;
  Decision even_;
  std::vector<double> scores_, probabilities_;
  std::vector<std::vector<std::int64_t>> category_;  // per column: text code -> category, -1: none that training saw
  Random chance_{0};
};

}  // namespace postil
