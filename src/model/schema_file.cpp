// schema_file.cpp: the schema in a model file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "model_parts.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

// A column's row in schema.moments: count, mean, squares, low, high, missing, promised low and high.
constexpr std::size_t kMomentNumbers = 8;

}  // namespace

void put_schema(const Schema& schema, TensorFile& file) {
  file.metadata["schema"] = Json{{"anonymous", schema.sparse()},
                                 {"features", schema.features},
                                 {"scale", word(schema.scale)},
                                 {"components", schema.projection.components},
                                 {"ignored", schema.ignored},
                                 {"label",
                                  {{"name", schema.label.name},
                                   {"classes", schema.label.classes},
                                   {"positive", schema.label.positive},
                                   {"all_known", schema.label.all_known},
                                   {"kind", word(schema.label.kind)},
                                   {"weights", schema.label.weights}}}}
                                .dump();
  Json columns = Json::array();
  std::vector<double> moments;
  std::vector<std::uint64_t> features;
  for (const Column& column : schema.columns) {
    Json entry{{"name", column.name}, {"seen", word(column.seen.kind)}, {"missing", word(column.missing)}};
    if (column.promised.kind) entry["promised"] = word(*column.promised.kind);
    if (!column.na.empty()) entry["na"] = column.na;
    if (column.categorical()) entry["categories"] = column.categories;
    if (!column.seen.categories.empty()) entry["category_counts"] = column.seen.categories;
    columns.push_back(std::move(entry));
    const Moments& numbers = column.seen.numbers;
    moments.insert(moments.end(),
                   {static_cast<double>(numbers.count), numbers.mean, numbers.squares, numbers.low, numbers.high,
                    static_cast<double>(column.seen.missing), column.promised.low, column.promised.high});
    features.insert(features.end(), column.features.begin(), column.features.end());
  }
  const std::string text = columns.dump();
  file.tensors["schema.features"] = features;
  if (!schema.kinds.empty()) {
    std::vector<std::uint8_t> kinds;
    for (const Kind kind : schema.kinds) kinds.push_back(static_cast<std::uint8_t>(kind));
    file.tensors["schema.kinds"] = kinds;
  }
  if (!schema.seen.empty()) {
    std::vector<double> seen;
    seen.reserve(5 * schema.seen.size());
    for (const Moments& m : schema.seen)
      seen.insert(seen.end(), {static_cast<double>(m.count), m.mean, m.squares, m.low, m.high});
    file.tensors["schema.seen"] = std::move(seen);
  }
  if (schema.projection.components > 0) {
    file.tensors["schema.pca.mean"] = schema.projection.mean;
    file.tensors["schema.pca.axes"] = schema.projection.axes;
  }
  file.tensors["schema.columns"] = std::vector<std::uint8_t>(text.begin(), text.end());
  file.tensors["schema.moments"] = moments;
  file.tensors["schema.shift"] = schema.scaling.shift;
  file.tensors["schema.scale"] = schema.scaling.scale;
}

Schema get_schema(const TensorFile& file, const std::string& name) {
  const auto fail = [&](const char* what) {
    throw ModelError({name, 0, 0}, fmt::format("its schema is damaged: {}", what));
  };
  const FileReader state(file, name, "schema.");
  const Json json = parse_strictly(file.metadata.at("schema"));
  Schema schema;
  schema.form = json.at("anonymous").get<bool>() ? Columns::sparse : Columns::named;
  schema.features = whole_number<std::uint32_t>(json.at("features"));
  schema.scale = scale_of(json.at("scale").get<std::string>());
  if (json.contains("ignored")) schema.ignored = json["ignored"].get<std::vector<std::string>>();
  schema.label.name = json.at("label").at("name").get<std::string>();
  schema.label.classes = json.at("label").at("classes").get<std::vector<std::string>>();
  schema.label.positive = whole_number<std::uint32_t>(json.at("label").at("positive"));
  schema.label.weights = json.at("label").at("weights").get<std::vector<double>>();
  schema.label.all_known = json.at("label").value("all_known", false);
  schema.label.kind = label_kind_of(json.at("label").value("kind", ""));
  const std::size_t classes = schema.label.classes.size();
  if (schema.label.positive >= std::max<std::size_t>(classes, 1)) fail("it has no such positive class");
  if (!schema.label.weights.empty() && schema.label.weights.size() != classes) fail("its class weights do not fit");
  for (const double weight : schema.label.weights)
    if (!(weight >= 0) || !std::isfinite(weight)) fail("a class weight is impossible");

  const std::vector<double>& moments = state.find<double>("moments");
  const std::vector<std::uint64_t>& numbered = state.find<std::uint64_t>("features");
  const Json columns = parse_strictly(state.text("columns"));
  if (!columns.is_array() || moments.size() != columns.size() * kMomentNumbers) fail("columns and moments do not fit");
  std::size_t next = 0;
  std::vector<bool> taken(numbered.size());
  for (const Json& entry : columns) {
    const double* m = moments.data() + schema.columns.size() * kMomentNumbers;
    Column column;
    column.name = entry.at("name").get<std::string>();
    column.seen.kind = kind_of(entry.at("seen").get<std::string>());
    if (entry.contains("promised")) column.promised.kind = kind_of(entry["promised"].get<std::string>());
    column.missing = missing_of(entry.at("missing").get<std::string>());
    if (entry.contains("na")) column.na = entry["na"].get<std::vector<std::string>>();
    if (entry.contains("categories")) column.categories = entry["categories"].get<std::vector<std::string>>();
    if (entry.contains("category_counts"))
      column.seen.categories = entry["category_counts"].get<std::vector<std::uint64_t>>();
    if (column.seen.categories.size() > column.categories.size()) fail("it counts more categories than it names");
    if (!(m[0] >= 0 && m[0] < 0x1p53 && m[5] >= 0 && m[5] < 0x1p53) || !std::isfinite(m[1]))
      fail("a column's moments are impossible");
    column.seen.numbers = {static_cast<std::uint64_t>(m[0]), m[1], m[2], m[3], m[4]};
    column.seen.missing = static_cast<std::uint64_t>(m[5]);
    column.promised.low = m[6];
    column.promised.high = m[7];
    const std::size_t own = column.values() + (column.missing == Missing::indicator ? 1 : 0);
    if (numbered.size() - next < own) fail("its columns do not give its features");
    for (std::size_t k = 0; k < own; ++k) {
      const std::uint64_t feature = numbered[next++];
      if (feature >= numbered.size() || taken[feature]) fail("two features have one number, or one has none");
      taken[feature] = true;
      column.features.push_back(static_cast<std::uint32_t>(feature));
    }
    schema.columns.push_back(std::move(column));
  }
  if (file.tensors.contains("schema.kinds"))
    for (const std::uint8_t kind : state.find<std::uint8_t>("kinds")) {
      if (kind > static_cast<std::uint8_t>(Kind::binary)) fail("a feature's kind is impossible");
      schema.kinds.push_back(static_cast<Kind>(kind));
    }
  if (schema.kinds.size() > (schema.sparse() ? schema.features : 0)) fail("it has more kinds than features");
  if (file.tensors.contains("schema.seen")) {
    const std::vector<double>& seen = state.find<double>("seen");
    if (!schema.sparse() || seen.size() % 5 != 0 || seen.size() / 5 > schema.features)
      fail("what it has seen does not fit");
    for (std::size_t j = 0; j < seen.size(); j += 5) {
      if (!(seen[j] >= 0 && seen[j] < 0x1p53) || !std::isfinite(seen[j + 1]))
        fail("a feature's moments are impossible");
      schema.seen.push_back({static_cast<std::uint64_t>(seen[j]), seen[j + 1], seen[j + 2], seen[j + 3], seen[j + 4]});
    }
  }
  if (!schema.sparse() && (next != numbered.size() || next != schema.features))
    fail("its columns do not give its features");
  if (schema.sparse() && !schema.columns.empty()) fail("it has columns with and without names");
  if (json.contains("components") && whole_number<std::uint32_t>(json["components"]) > 0) {
    Projection& projection = schema.projection;
    projection = {whole_number<std::uint32_t>(json["components"]), state.find<double>("pca.mean"),
                  state.find<double>("pca.axes"), 0};
    const auto finite = [](const std::vector<double>& numbers) {
      return std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
    };
    if (!finite(projection.mean) || !finite(projection.axes) || projection.components > schema.features)
      fail("its principal components are impossible");
    if (projection.mean.size() != schema.features || schema.features == 0 ||
        projection.axes.size() / schema.features != projection.components ||
        projection.axes.size() % schema.features != 0)
      fail("its principal components do not fit its features");
  }
  schema.scaling = {state.find<double>("shift"), state.find<double>("scale")};
  if (schema.scaling.shift.size() != schema.scaling.scale.size()) fail("shift and scale differ in length");
  if (!schema.scaling.identity() && schema.scaling.scale.size() != schema.features)
    fail("its scaling does not fit its features");
  for (std::size_t j = 0; j < schema.scaling.scale.size(); ++j)
    if (!std::isfinite(schema.scaling.shift[j]) || !(schema.scaling.scale[j] > 0) ||
        !std::isfinite(schema.scaling.scale[j]))
      fail("its scaling is impossible");
  return schema;
}

}  // namespace postil
