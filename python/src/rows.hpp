// Rows that Python lends: arrays, sparse matrices, columns of frames and of Arrow batches, as a source of raw blocks.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "postil/data.hpp"
#include "postil/error.hpp"

namespace postil::python {

namespace nb = nanobind;

// Where numbers of one type stand, and what keeps them there.
struct Numbers {
  enum class Type : std::uint8_t { f64, f32, f16, i64, i32, i16, i8, u64, u32, u16, u8, boolean, bit };
  const void* data = nullptr;
  Type type = Type::f64;
  std::int64_t stride = 1;  // in elements
  std::int64_t offset = 0;  // in elements

  [[nodiscard]] double at(std::int64_t i) const;
  // So many from `first` on, to every `step`th place.
  void copy(std::int64_t first, std::size_t count, double* to, std::size_t step) const;
  static std::optional<Type> type_of(const nb::dlpack::dtype& type);
};

// Of a value that is not finite: what to say. `where`: "row 3, column 'bmi'".
Failure not_finite(const std::string& where, const std::string& column, double value);

// One column of a frame: numbers, or codes of texts.
struct LentColumn {
  Numbers numbers;
  const std::uint8_t* valid = nullptr;  // bits, one a row, 0: missing; null: none is
  std::int64_t valid_offset = 0;
  bool text = false;           // numbers are places in the texts of the table's column; negative: missing
  std::vector<double> recode;  // ... or in this, which tells the place; empty: they are it
  double per_day = 0;          // dates that are counted in other units: so many a day; 0: as they are

  [[nodiscard]] double at(std::int64_t row) const;                                       // NaN: missing
  void copy(std::int64_t first, std::size_t count, double* to, std::size_t step) const;  // the same of many rows
  [[nodiscard]] bool plain_doubles() const {  // one after the other, as they are
    return numbers.type == Numbers::Type::f64 && numbers.stride == 1 && valid == nullptr && !text && per_day == 0;
  }
};

// Adds what is new among `texts` to those of a column. Gives, for each, its place there.
std::vector<double> join_texts(TableColumn& column, const std::vector<std::string>& texts);

// Throws DataError if a code is no place among the column's texts.
void check_codes(const LentColumn& codes, std::int64_t rows, const TableColumn& column);

class Rows final : public Source {
 public:
  // Lends a matrix of f64 or f32, row by row. `names`: of its columns; none: f1, f2, ...
  static std::unique_ptr<Rows> dense(const nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>& matrix,
                                     std::optional<std::vector<std::string>> names);
  // Lends a CSR matrix. Gives null if the indices of a row do not increase.
  static std::unique_ptr<Rows> csr(const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& starts,
                                   nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> indices,
                                   const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values,
                                   std::uint32_t width);
  // Lends columns of numbers, any stride; a pair with texts: they are codes of these; a pair with "date": days since 1970-01-01.
  static std::unique_ptr<Rows> columns(const nb::list& arrays, std::vector<std::string> names, std::size_t rows);

  void append(Rows& other);  // takes the rows of another batch of the same columns

  // For builders of other kinds.
  Rows(Table table, std::vector<LentColumn> columns, std::size_t rows, std::shared_ptr<void> owner);

  // Codes of classes, places in `classes`, or numbers to predict if there are none.
  void set_labels(nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> labels,
                  std::vector<std::string> classes);
  void set_weights(nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> weights);

  bool next(Block& block) override;
  [[nodiscard]] bool one_block() const { return rows_ <= block_rows(); }
  [[nodiscard]] const Table& table() const override { return table_; }
  void rename(std::vector<std::string> names);  // of columns; throws DataError if there are not as many
  void drop(const std::string& name);           // a column that does not count, if it is there
  // Columns of this table that these rows lack count as 0 (text: as no category), or as missing. `only`: what it lacks is dropped.
  void fill(const Table& table, bool missing, bool only);
  [[nodiscard]] bool can_begin_again() const override { return true; }
  [[nodiscard]] std::unique_ptr<Source> again() const override;
  void rewind() { at_ = 0; }
  [[nodiscard]] Block block(std::size_t first, std::size_t count) const;  // without labels and weights

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t width() const { return sparse() ? width_ : table_.columns.size(); }
  // A value that is not a number, or infinite, is refused by its place; NaN only if missing values are not allowed.
  void check_finite(bool missing_allowed) const;
  void check_weights() const;
  // The same, but of each block when next() gives it.
  void check_while_read(bool missing_allowed) {
    check_while_read_ = true;
    missing_allowed_ = missing_allowed;
  }
  void check_finite(std::size_t first, std::size_t count, bool missing_allowed) const;  // rows of a matrix
  [[nodiscard]] bool matrix() const { return parts_.empty(); }
  [[nodiscard]] bool sparse() const { return !starts_.empty(); }
  [[nodiscard]] std::size_t values() const;  // how many there are, of a matrix
  // The columns of this table by name, in its order; others stand behind them, if there may be more. Throws DataError if one is
  // missing, one is too many, or their types differ.
  void arrange(const Table& table, bool more_allowed = false);

 private:
  [[nodiscard]] std::size_t block_rows() const;  // rows of a block, but the last
  Rows() = default;
  struct Part {  // a batch
    std::size_t rows = 0;
    std::vector<LentColumn> columns;
    std::shared_ptr<void> owner;
  };
  static void gather(const Part& part, std::size_t first, std::size_t count, double* to);
  [[nodiscard]] Block gathered(std::size_t first, std::size_t count) const;
  [[nodiscard]] Block lent(std::size_t first, std::size_t count) const;

  Table table_;
  std::size_t rows_ = 0;
  std::uint32_t width_ = 0;  // of a sparse matrix
  // A matrix ...
  const void* values_ = nullptr;
  bool single_ = false;
  std::span<const std::uint64_t> starts_;
  std::span<const std::uint32_t> indices_;
  std::vector<std::uint64_t> own_starts_;
  // ... or columns.
  std::vector<Part> parts_;
  std::span<const double> labels_, weights_;
  std::vector<nb::ndarray<nb::ro>> kept_;  // what lends the memory
  std::size_t at_ = 0;
  bool check_while_read_ = false, missing_allowed_ = false;
};

}  // namespace postil::python
