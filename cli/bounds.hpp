// What theory promises, as text and as JSON.
#pragma once

#include "common.hpp"

namespace postil::cli {

struct BoundsReport {
  Json json;  // of the one task, or {per_class[]}
  std::string text;
};
// Of a model just trained on the file, which is read once more.
BoundsReport measure_bounds(const Model& model, const std::string& path, ReadOptions read, std::uint64_t passes);

}  // namespace postil::cli
