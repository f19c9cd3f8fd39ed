// Whether rows are still like earlier ones: the values of each column, what is missing, how frequent the classes are, how many
// predictions are wrong.
//
// Numbers are compared by Bennett's inequality (Bennett 1962, JASA 57), which needs no bell-shaped curve and holds for any number of
// rows; shares of rows exactly (Fisher 1935). Levels are divided by the number of comparisons (Bonferroni), so that the chance of any
// false alarm has a bound, provided the rows are independent of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "postil/model.hpp"
#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

// Something that is not as it was.
struct Drift {
  enum class What : std::uint8_t {
    mean,          // of a column's numbers, or of labels that are numbers
    above,         // numbers larger than any before
    below,         // numbers smaller than any before
    missing,       // values of a column
    category,      // share of the values of a column
    new_category,  // values that were not known before
    classes,       // share of the labels
    error          // share of predictions that are wrong; regression: mean |error|
  };
  What what = What::mean;
  std::string column;           // empty: the labels or the errors
  std::string category;         // or class
  double before = 0, here = 0;  // mean, or share of the rows
  double rows_before = 0, rows_here = 0;
  double limit = 0;       // above, below: the largest or smallest number before
  double deviations = 0;  // |difference| in standard deviations of all these rows
  double p = 1;           // at most the chance of such a difference anywhere, if nothing had changed
};
std::string_view word(Drift::What what);
// "column glucose moved: mean 121 in training, 143 here (0.7 standard deviations)"
std::string sentence(const Drift& drift, const Schema& schema, std::string_view before = "in training",
                     std::string_view here = "here");

// What is counted of rows, unit by unit: the labels, the errors, then each column.
struct DriftTally {
  std::vector<double> rows, count, sum, squares, low,
      high;                                     // count: of values that are there; sums: of numbers about a centre
  std::vector<std::vector<double>> categories;  // rows of each; the first: those not known. Empty: numbers

  void add_unit(bool categorical);
  // One row: of each unit a number less its centre, or the place of a category; NaN: missing. The first units may be left out.
  void add(std::span<const double> values, std::size_t first);
  void merge(const DriftTally& other);
  void clear(std::size_t unit);
  void clear();
};

inline constexpr double kDriftLevel = 0.05;  // the chance of a false alarm

// Data against what a model knows from training.
class DriftCheck {
 public:
  DriftCheck(const Model& model, const Table& table);  // Needs: both outlive it; the table's columns are the schema's
  void add(const Block& raw);                          // rows before they are encoded
  void add_outcome(double truth, double predicted);    // of a row with a label: numbers of classes, or numbers
  [[nodiscard]] std::size_t columns() const;           // that are compared
  // Of each column, of the labels and of the errors what is least likely if nothing had changed, where that is less likely than
  // kDriftLevel; the largest effect first.
  [[nodiscard]] std::vector<Drift> findings() const;

 private:
  const Model& model_;
  const Table& table_;
  DriftTally before_, here_;
  std::vector<double> centres_, lowest_, highest_, below_, above_;
  std::vector<std::vector<double>> places_;  // per column: text code -> category
  std::vector<double> row_;
};

}  // namespace postil
