// One row as Python's users write it, as a raw row of a session.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "postil/session.hpp"

namespace postil::python {

namespace nb = nanobind;

class RowReader {
 public:
  explicit RowReader(Session& session) : session_(session) {}

  // An array of numbers, a sparse row, a list or a dict by column name. A row to learn from may bring new columns. The row lives
  // until the next one is read, and as long as x.
  Row read(nb::handle x, bool learning);

 private:
  [[nodiscard]] std::uint32_t width() const;
  [[nodiscard]] bool numbers() const;  // no column of text
  std::optional<std::size_t> column_of(nb::handle name);
  double value_of(std::size_t column, PyObject* value, bool learning);
  Row row_of(nb::handle x, bool learning);
  Row row_of_dict(nb::handle dict, bool learning);
  Row row_of_sparse(nb::handle x);
  Row row_of_list(nb::handle x);

  Session& session_;
  nb::object places_;      // dict: column name -> place, of ...
  std::size_t known_ = 0;  // ... so many columns
  std::vector<double> values_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::pair<std::uint32_t, double>> pairs_;
};

}  // namespace postil::python
