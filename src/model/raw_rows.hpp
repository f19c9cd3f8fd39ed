// Raw rows, one after the other, as tensors of a file.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "file_state.hpp"
#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

struct RawRows {
  std::vector<double> values;                // a missing one is NaN
  std::vector<std::uint64_t> indices, ends;  // of sparse rows; where each row ends among the values

  void add(const Row& row) {
    for (std::size_t k = 0; k < row.count; ++k) {
      values.push_back(row.value(k));
      if (!row.dense()) indices.push_back(row.index(k));
    }
    ends.push_back(values.size());
  }
  void put(TensorFile& file, const std::string& prefix) && {
    file.tensors[prefix + "values"] = std::move(values);
    file.tensors[prefix + "indices"] = std::move(indices);
    file.tensors[prefix + "ends"] = std::move(ends);
  }

  // One block for each row of this table, without labels. `fail` throws.
  template <class Fail>
  static std::vector<BlockData> get(const FileReader& state, const Table& table, const Fail& fail) {
    const std::vector<double>& values = state.find<double>("values");
    const std::vector<std::uint64_t>&indices = state.find<std::uint64_t>("indices"),
          &ends = state.find<std::uint64_t>("ends");
    if (indices.size() != (table.sparse() ? values.size() : 0) || (ends.empty() ? 0 : ends.back()) != values.size())
      fail("its parts do not fit together");
    std::vector<BlockData> out;
    std::uint64_t begin = 0;
    for (const std::uint64_t end : ends) {
      BlockData& data = out.emplace_back();
      if (end < begin || end > values.size()) fail("its parts do not fit together");
      if (table.sparse()) {
        data.starts = {0, end - begin};
        for (std::uint64_t k = begin; k < end; ++k) {
          if (indices[k] >= table.width || (k > begin && indices[k] <= indices[k - 1])) fail("a feature is impossible");
          data.indices.push_back(static_cast<std::uint32_t>(indices[k]));
        }
        data.width = table.width;
      } else {
        if (end - begin != table.columns.size()) fail("a row has not as many values as there are columns");
        data.width = static_cast<std::uint32_t>(table.columns.size());
      }
      for (std::uint64_t k = begin; k < end; ++k) {
        const double value = values[k];
        if (std::isinf(value) || (table.sparse() && std::isnan(value))) fail("a value is not finite");
        if (!table.sparse() && table.columns[k - begin].type == TableColumn::Type::text && !std::isnan(value) &&
            !(value >= 0 && value < static_cast<double>(table.columns[k - begin].texts.size()) &&
              value == std::floor(value)))
          fail("a text is not one of its column's");
        data.values.push_back(value);
      }
      begin = end;
    }
    return out;
  }
};

}  // namespace postil
