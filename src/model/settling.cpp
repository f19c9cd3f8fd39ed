#include "settling.hpp"

#include <fmt/format.h>

#include <cmath>

#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "postil/rules.hpp"
#include "postil/session.hpp"
#include "raw_rows.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

template <class Value, class ToText>
Json texts_json(const std::map<std::string, Value>& map, const ToText& to_text) {
  Json json = Json::object();
  for (const auto& [key, value] : map) json[key] = to_text(value);
  return json;
}

constexpr std::string_view kTypes[] = {"unknown", "number", "text"};  // as TableColumn::Type numbers them

TableColumn::Type type_of(const std::string& word, const std::string& name) {
  for (std::size_t k = 0; k < std::size(kTypes); ++k)
    if (kTypes[k] == word) return static_cast<TableColumn::Type>(k);
  throw ModelError({name, 0, 0}, fmt::format("its first rows are damaged: there is no type '{}' of column", word));
}

}  // namespace

Json columns_json(const Table& table) {
  Json columns = Json::array();
  for (const TableColumn& column : table.columns)
    columns.push_back({{"name", column.name},
                       {"type", kTypes[static_cast<std::size_t>(column.type)]},
                       {"written", word(column.written)},
                       {"texts", column.texts}});
  return columns;
}

void columns_from_json(const Json& json, Table& table, const std::string& name) {
  for (const Json& entry : json) {
    table.columns.push_back({entry.at("name").get<std::string>(), type_of(entry.at("type").get<std::string>(), name),
                             entry.at("texts").get<std::vector<std::string>>(),
                             entry.contains("written") ? kind_of(entry["written"].get<std::string>()) : Kind::number});
    if (const Kind written = table.columns.back().written; written != written_as(written))
      throw ModelError({name, 0, 0}, "its first rows are damaged: numbers are written in no known way");
  }
}

Json recipe_json(const Recipe& recipe, const ColumnWishes& wishes) {
  const LabelWishes& label = recipe.label;
  return {{"learner", recipe.learner},
          {"settings", recipe.settings},
          {"scale", recipe.scale ? word(*recipe.scale) : ""},
          {"regression", label.regression},
          {"classes", label.classes},
          {"positive", label.positive},
          {"label_kind", word(label.kind)},
          {"weights", label.weights},
          {"balanced", label.balanced},
          {"rules", recipe.rules ? recipe.rules->text : ""},
          {"kinds", texts_json(wishes.kinds, [](Kind kind) { return word(kind); })},
          {"missing", texts_json(wishes.missing, [](Missing missing) { return word(missing); })},
          {"na", wishes.na},
          {"ignored", wishes.ignored}};
}

Recipe recipe_from_json(const Json& json) {
  Recipe out;
  LabelWishes& label = out.label;
  out.learner = json.at("learner").get<std::string>();
  out.settings = json.at("settings").get<std::map<std::string, std::string>>();
  if (const auto scale = json.at("scale").get<std::string>(); !scale.empty()) out.scale = scale_of(scale);
  label.regression = json.at("regression").get<bool>();
  label.classes = json.at("classes").get<std::vector<std::string>>();
  label.positive = json.at("positive").get<std::string>();
  label.kind = label_kind_of(json.value("label_kind", ""));
  label.weights = json.at("weights").get<std::map<std::string, double>>();
  label.balanced = json.at("balanced").get<bool>();
  label.more_to_come = true;
  if (const auto rules = json.at("rules").get<std::string>(); !rules.empty())
    out.rules = parse_rules(rules, "the model's rules").file;
  return out;
}

ColumnWishes wishes_from_json(const Json& json) {
  ColumnWishes out;
  for (const auto& [column, kind] : json.at("kinds").get<std::map<std::string, std::string>>())
    out.kinds[column] = kind_of(kind);
  for (const auto& [column, missing] : json.at("missing").get<std::map<std::string, std::string>>())
    out.missing[column] = missing_of(missing);
  out.na = json.at("na").get<std::map<std::string, std::vector<std::string>>>();
  if (json.contains("ignored")) out.ignored = json["ignored"].get<std::vector<std::string>>();
  return out;
}

void put_settling(const Settling& settling, TensorFile& file) {
  file.metadata["settling"] = Json{
      {"recipe", recipe_json(settling.recipe, settling.wishes)},
      {"sparse", settling.table.sparse()},
      {"width", settling.table.width},
      {"label", settling.table.label_name},
      {"unlabelled_seen", settling.unlabelled.seen},
      {"labels",
       settling.table.labels}}.dump();
  RawRows rows;
  std::vector<double> labels, weights;
  std::vector<std::uint64_t> numbers;
  const auto put = [&](const Block& block) {
    rows.add(block.row(0));
    labels.push_back(block.labels()[0]);
    weights.push_back(block.weight(0));
    numbers.push_back(block.line(0));
  };
  for (const Block& block : settling.rows) put(block);
  for (const Block& block : settling.unlabelled.rows) put(block);
  FileWriter out(file, "settling.");
  out.text("columns", columns_json(settling.table).dump());
  out.tensor("labels", labels);  // a place among the labels, or a number; NaN: of a row without one, which stand last
  out.tensor("weights", weights);
  std::move(rows).put(file, "settling.");
  file.tensors["settling.rows"] = std::move(numbers);
}

bool has_settling(const TensorFile& file) { return file.metadata.contains("settling"); }

Settling get_settling(const TensorFile& file, const std::string& name) {
  const auto fail = [&](const char* what) {
    throw ModelError({name, 0, 0}, fmt::format("its first rows are damaged: {}", what));
  };
  const FileReader state(file, name, "settling.");
  const Json json = parse_strictly(file.metadata.at("settling"));
  Settling out;
  out.recipe = recipe_from_json(json.at("recipe"));
  out.wishes = wishes_from_json(json.at("recipe"));
  Table& table = out.table;
  table.source = name;
  table.form = json.at("sparse").get<bool>() ? Columns::sparse : Columns::named;
  table.width = whole_number<std::uint32_t>(json.at("width"));
  table.label_name = json.at("label").get<std::string>();
  table.labels = json.at("labels").get<std::vector<std::string>>();
  columns_from_json(parse_strictly(state.text("columns")), table, name);

  const std::vector<double>&labels = state.find<double>("labels"), &weights = state.find<double>("weights");
  const std::vector<std::uint64_t>& numbers = state.find<std::uint64_t>("rows");
  if (table.sparse() && !table.columns.empty()) fail("it has columns with and without names");
  std::vector<BlockData> kept = RawRows::get(state, table, fail);
  const std::size_t rows = kept.size();
  if (json.contains("unlabelled_seen")) out.unlabelled.seen = whole_number<std::uint64_t>(json["unlabelled_seen"]);
  if (rows > Session::kSettlingRows + out.unlabelled.most || labels.size() != rows || weights.size() != rows ||
      numbers.size() != rows)
    fail("its parts do not fit together");
  for (std::size_t i = 0; i < rows; ++i) {
    BlockData& data = kept[i];
    const bool missing = std::isnan(labels[i]);
    const bool known = missing ? out.unlabelled.seen > out.unlabelled.rows.size()
                       : out.recipe.label.regression
                           ? std::isfinite(labels[i])
                           : labels[i] >= 0 && labels[i] < static_cast<double>(table.labels.size()) &&
                                 labels[i] == std::floor(labels[i]);
    if (!known || !(weights[i] >= 0) || !std::isfinite(weights[i])) fail("a label or a weight is impossible");
    data.labels = {labels[i]};
    data.weights = {weights[i]};
    data.lines = {numbers[i]};
    if (!missing && !out.unlabelled.rows.empty()) fail("rows without a label stand before others");
    (missing ? out.unlabelled.rows : out.rows).emplace_back(std::move(data));
  }
  if (out.rows.size() > Session::kSettlingRows || out.unlabelled.rows.size() > out.unlabelled.most)
    fail("there are too many");
  return out;
}

}  // namespace postil
