// Whether a model obeys rules everywhere in their regions: a proof, a counterexample, or neither.
#pragma once

#include <string>

#include "postil/json.hpp"
#include "postil/model.hpp"

namespace postil {

Json certificates_json(const Model& model, const Advice& advice);
std::string certificates_text(const Model& model, const Advice& advice);

}  // namespace postil
