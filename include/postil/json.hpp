// What reports are made of.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "postil/model.hpp"
#include "postil/rules.hpp"

namespace postil {

using Json = nlohmann::ordered_json;

inline Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }
Json params_json(const Params& params);
std::string range_text(const ParamSpec& spec);
std::string default_text(const ParamSpec& spec);
Json label_json(const Model& model, double label);  // a class's name or a number
Json point_json(const RawPoint& point, const Schema& schema);
std::string point_text(const RawPoint& point, const Schema& schema);
// The column, and the sign of its weight in the task of the rule's class.
Json direction_json(const Direction& direction, const Schema& schema);
void add_ledger(Json& json, const Model& model);  // rules[], advice{} or per_class[] of explain

}  // namespace postil
