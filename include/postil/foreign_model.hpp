// Model files of LIBSVM and LIBLINEAR, in and out.
#pragma once

#include <string>
#include <string_view>

#include "postil/model.hpp"

namespace postil {

// What a file's first bytes say.
enum class ModelFormat : std::uint8_t { none, postil, libsvm, liblinear };
ModelFormat model_format_of(std::string_view head);

// What the classes are called there, in the order of schema.label.classes: such files have whole numbers only, so other names
// become 1, 2, 3 ...
std::vector<std::string> foreign_labels(const Model& model);
// Two classes; weights, or a kernel over features as they are. Throws ModelError if the format cannot say what the model is.
std::string to_libsvm(const Model& model);
// Weights over features as they are, two classes or more.
std::string to_liblinear(const Model& model);
// Throws ModelError, with the line, for what is damaged or of a kind that Postil has not.
Model from_foreign_model(std::string_view text, const std::string& name);

}  // namespace postil
