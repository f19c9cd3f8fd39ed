// Principal components of training rows.
#pragma once

#include <span>

#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

// Of rows encoded by a schema of so many features. Throws ParamError if there are fewer features than components, DataError
// if there are too many for the matrix of their covariances.
Projection principal_components(std::span<const Block> blocks, std::uint32_t features, std::uint32_t components);

}  // namespace postil
