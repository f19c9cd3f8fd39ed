// Arrow's C data interface: frames of any library as batches of rows, without copies.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "rows.hpp"

namespace postil::python {

struct ArrowStreamHandle;

// The record batches of what __arrow_c_stream__ gave.
class ArrowBatches {
 public:
  explicit ArrowBatches(const nb::capsule& stream);  // takes the stream out of the capsule; throws DataError
  ~ArrowBatches();
  ArrowBatches(const ArrowBatches&) = delete;
  ArrowBatches& operator=(const ArrowBatches&) = delete;

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  std::unique_ptr<Rows> next();  // null at the end

 private:
  std::shared_ptr<ArrowStreamHandle> stream_;
  std::vector<std::string> names_;
};

}  // namespace postil::python
