// Dense rows as sparse ones, and the other way round.
#pragma once

#include "postil/row.hpp"

namespace postil {

BlockData sparse_form(BlockData data);                      // the values that are not 0
BlockData dense_form(BlockData data, std::uint32_t width);  // Needs: all indices below width

}  // namespace postil
