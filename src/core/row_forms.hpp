// Dense rows as sparse ones, and the other way round; rows as they are scaled.
#pragma once

#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

BlockData sparse_form(BlockData data);                      // the values that are not 0
BlockData dense_form(BlockData data, std::uint32_t width);  // Needs: all indices below width
void scale_row(const Row& raw, const Scaling& scaling,
               double* out);  // Needs: a dense row, a scaling that is not identity

}  // namespace postil
