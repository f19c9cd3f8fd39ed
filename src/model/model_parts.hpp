// The parts of a model file (docs/model-file.md). What is wrong in a file is thrown by whoever finds it, as ModelError or as
// nlohmann's exception.
#pragma once

#include <string>

#include "core/tensor_file.hpp"
#include "postil/rules.hpp"
#include "postil/schema.hpp"

namespace postil {

inline constexpr std::string_view kModelFormat = "3";

void put_schema(const Schema& schema, TensorFile& file);
Schema get_schema(const TensorFile& file, const std::string& name);

void put_advice(const Advice& advice, TensorFile& file);
bool has_advice(const TensorFile& file);
Advice get_advice(const TensorFile& file, const Schema& schema, const std::string& name);

// The file, brought up to date. Throws ModelError if it is none of Postil's, or of a later format.
TensorFile read_model_file(std::string_view bytes, const std::string& name);
// A file of an earlier format, as the present one has it. What it does not hold, compiled rules, is left out.
void bring_up_to_date(TensorFile& file, const std::string& name);

}  // namespace postil
