// Comparing learners honestly: the same splits for all, and nothing of a test row, not even its scale, is known before
// it is predicted.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/reader.hpp"
#include "postil/train.hpp"

namespace postil {

enum class Metric : std::uint8_t { error, balanced_error, auc, f1, log_loss, mae, rmse, r2 };

std::string_view word(Metric metric);
Metric metric_of(std::string_view word, bool regression);  // "": error or mae; throws ParamError
bool larger_is_better(Metric metric);

// The labelled rows of a source, raw and in memory.
class DataSet {
 public:
  using Progress = std::function<void(std::uint64_t rows, std::uint64_t bytes, std::uint64_t total)>;
  explicit DataSet(Source& source, const Progress& progress = {});  // throws DataError; lent rows must outlive it
  DataSet(const std::string& path, const ReadOptions& read, const Progress& progress = {});  // throws DataError

  [[nodiscard]] const Table& table() const { return table_; }
  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] std::size_t rows() const { return places_.size(); }
  [[nodiscard]] double label(std::size_t row) const;                      // as the table numbers it
  [[nodiscard]] Block select(std::span<const std::uint32_t> rows) const;  // copies, in the order given

 private:
  struct Place {
    std::uint32_t block, row;
  };
  void take(Source& source, const Progress& progress);

  Table table_;
  Format format_ = Format::csv;
  std::vector<Block> blocks_;
  std::vector<Place> places_;
};

// Row numbers of a data set: to learn from, in this order, and to be tested on.
struct Split {
  std::vector<std::uint32_t> train, test;
};

// Cross-validation: each row is tested once; every class is spread evenly over the folds.
std::vector<Split> make_folds(const DataSet& data, std::span<const std::uint32_t> rows, std::size_t folds,
                              std::uint64_t seed);
// `train` random rows to learn from and the others to test; balanced: as many of each class. Throws DataError.
Split draw_split(const DataSet& data, std::size_t train, bool balanced, std::uint64_t seed);

struct EvaluateOptions {
  Metric metric = Metric::error;
  ColumnWishes wishes;  // those the data were read with
  std::uint64_t passes = 1;
  std::size_t folds = 5;  // of the cross-validation by which an entrant chooses
  std::uint64_t seed = 0;
  unsigned threads = 1;
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;  // never called twice at once
};

// The metric on the test rows, for each recipe after each of the numbers of examples in `checkpoints` (rising; those
// beyond the rows at hand count as all of them). With passes > 1 only the last pass has checkpoints.
std::vector<std::vector<double>> learning_curve(const DataSet& data, const Split& split,
                                                std::span<const Recipe> recipes,
                                                std::span<const std::uint64_t> checkpoints,
                                                const EvaluateOptions& options);

// Many splits on many threads: [recipe][checkpoint][split].
std::vector<std::vector<std::vector<double>>> learning_curves(const DataSet& data, std::span<const Split> splits,
                                                              std::span<const Recipe> recipes,
                                                              std::span<const std::uint64_t> checkpoints,
                                                              const EvaluateOptions& options);

// One that competes: a recipe, or several of which each split chooses one, by cross-validation among its own training
// rows.
using Entrant = std::vector<Recipe>;

struct Contest {
  std::vector<std::vector<std::vector<double>>> values;  // [entrant][checkpoint][split]
  std::vector<std::vector<std::size_t>> chosen;          // [entrant][split]: place among its recipes
};
Contest compare(const DataSet& data, std::span<const Split> splits, std::span<const Entrant> entrants,
                std::span<const std::uint64_t> checkpoints, const EvaluateOptions& options);

// The best of these means, by place; the first of equals, and one that is NaN only if all are.
std::size_t best_of(std::span<const double> means, Metric metric);

// Each combination of the values listed per parameter.
std::vector<std::map<std::string, std::string>> grid_of(const std::map<std::string, std::vector<std::string>>& values);

struct MeanError {
  double mean = 0;
  double se = 0;             // standard error of the mean; NaN for one number
  std::size_t left_out = 0;  // NaN: not defined there
};
MeanError mean_error(std::span<const double> values);  // those that are not NaN

struct PairedTest {
  double mean = 0;  // of the differences a - b
  double se = 0;
  double p = 1;  // two-sided, Student's t; NaN for fewer than two differences
};
PairedTest paired_t_test(std::span<const double> a, std::span<const double> b);
double student_t_p(double t, double degrees);  // two-sided: the chance of at least |t|

}  // namespace postil
