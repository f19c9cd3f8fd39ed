// Models in forms that other programs run: ONNX and SQL. docs/export.md tells what each looks like.
#pragma once

#include <string>

#include "postil/model.hpp"

namespace postil {

// Both throw ModelError, with the reason and what works, for a model that the form cannot hold exactly.

// An ONNX file, in double precision. One input of all columns, or one for each column where some hold text.
std::string to_onnx(const Model& model);
// A query that adds the predictions to the rows of a table.
std::string to_sql(const Model& model, const std::string& table = "data");

}  // namespace postil
