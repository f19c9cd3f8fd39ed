#include "postil/json.hpp"

#include <fmt/format.h>

#include "postil/text.hpp"

namespace postil {

Json params_json(const Params& params) {
  Json json = Json::object();
  for (const auto& [name, value] : params.all()) std::visit([&, &key = name](const auto& v) { json[key] = v; }, value);
  return json;
}

Json label_json(const Model& model, double label) {
  return model.schema().label.real() ? Json(label) : Json(model.label_text(label));
}

Json point_json(const RawPoint& point, const Schema& schema) {
  Json json = Json::object();
  for (const NamedValue& value : named_values(point, schema))
    json[value.column] = !value.category      ? Json(parse_number(value.text).value_or(0))
                         : value.text.empty() ? Json()
                                              : Json(value.text);
  return json;
}
std::string point_text(const RawPoint& point, const Schema& schema) {
  std::string text;
  std::size_t zeros = 0;
  for (const NamedValue& value : named_values(point, schema)) {
    if (value.text == "0") {
      ++zeros;
      continue;
    }
    text +=
        fmt::format("{}{} = {}", text.empty() ? "" : ", ", value.column, value.text.empty() ? "another" : value.text);
  }
  if (zeros > 0) text += fmt::format("{}{} other column{} 0", text.empty() ? "" : ", ", zeros, zeros == 1 ? "" : "s");
  return text;
}

}  // namespace postil
