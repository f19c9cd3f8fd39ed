// model_file.cpp: models as tensor files (docs/model-file.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "postil/error.hpp"
#include "postil/model.hpp"
#include "postil/output_file.hpp"
#include "postil/tensor_file.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kVersion = "1";
constexpr std::size_t kMomentNumbers =
    8;  // a column's row in schema.moments: count, mean, squares, low, high, missing, domain low, domain high

// ---- learner state ----

class FileWriter final : public StateWriter {
 public:
  FileWriter(TensorFile& file, std::string prefix) : file_(file), prefix_(std::move(prefix)) {}
  void tensor(std::string_view name, std::span<const double> values) override {
    file_.tensors[prefix_ + std::string(name)] = std::vector<double>(values.begin(), values.end());
  }
  void number(std::string_view name, double value) override {
    file_.tensors[prefix_ + std::string(name)] = std::vector<double>{value};
  }
  void counter(std::string_view name, std::uint64_t value) override {
    file_.tensors[prefix_ + std::string(name)] = std::vector<std::uint64_t>{value};
  }

 private:
  TensorFile& file_;
  std::string prefix_;
};

class FileReader final : public StateReader {
 public:
  FileReader(const TensorFile& file, const std::string& name, std::string prefix)
      : file_(file), name_(name), prefix_(std::move(prefix)) {}
  void tensor(std::string_view name, std::vector<double>& values) override {
    values = find<double>(name);
    for (const double value : values)
      if (!std::isfinite(value))
        throw ModelError({name_, 0, 0}, fmt::format("tensor '{}{}' holds a number that is not finite", prefix_, name));
  }
  void number(std::string_view name, double& value) override {
    value = single<double>(name);
    if (!std::isfinite(value))
      throw ModelError({name_, 0, 0}, fmt::format("tensor '{}{}' is no finite number", prefix_, name));
  }
  void counter(std::string_view name, std::uint64_t& value) override { value = single<std::uint64_t>(name); }
  [[nodiscard]] bool has(std::string_view name) const override {
    return file_.tensors.contains(prefix_ + std::string(name));
  }

  template <class T>
  const std::vector<T>& find(std::string_view name) const {
    const auto found = file_.tensors.find(prefix_ + std::string(name));
    const auto* values = found == file_.tensors.end() ? nullptr : std::get_if<std::vector<T>>(&found->second);
    if (values == nullptr)
      throw ModelError({name_, 0, 0}, fmt::format("there is no tensor '{}{}' of the right type", prefix_, name));
    return *values;
  }

 private:
  template <class T>
  T single(std::string_view name) const {
    const std::vector<T>& values = find<T>(name);
    if (values.size() != 1)
      throw ModelError({name_, 0, 0},
                       fmt::format("tensor '{}{}' holds {} numbers, expected 1", prefix_, name, values.size()));
    return values[0];
  }
  const TensorFile& file_;
  const std::string& name_;
  std::string prefix_;
};

// ---- schema ----

void put_schema(const Schema& schema, TensorFile& file) {
  file.metadata["schema"] = Json{{"anonymous", schema.anonymous},
                                 {"features", schema.features},
                                 {"scale", word(schema.scale)},
                                 {"components", schema.projection.components},
                                 {"label",
                                  {{"name", schema.label.name},
                                   {"classes", schema.label.classes},
                                   {"positive", schema.label.positive},
                                   {"weights", schema.label.weights}}}}
                                .dump();
  Json columns = Json::array();
  std::vector<double> moments;
  for (const Column& column : schema.columns) {
    Json entry{{"name", column.name}, {"kind", word(column.kind)}, {"missing", word(column.missing)}};
    if (!column.na.empty()) entry["na"] = column.na;
    if (column.kind == Kind::categorical) entry["categories"] = column.categories;
    if (!column.category_counts.empty()) entry["category_counts"] = column.category_counts;
    columns.push_back(std::move(entry));
    moments.insert(moments.end(),
                   {static_cast<double>(column.seen.count), column.seen.mean, column.seen.squares, column.seen.low,
                    column.seen.high, static_cast<double>(column.seen_missing), column.low, column.high});
  }
  const std::string text = columns.dump();
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
  const Json json = Json::parse(file.metadata.at("schema"));
  Schema schema;
  schema.anonymous = json.at("anonymous").get<bool>();
  schema.features = json.at("features").get<std::uint32_t>();
  schema.scale = scale_of(json.at("scale").get<std::string>());
  schema.label.name = json.at("label").at("name").get<std::string>();
  schema.label.classes = json.at("label").at("classes").get<std::vector<std::string>>();
  schema.label.positive = json.at("label").at("positive").get<std::uint32_t>();
  schema.label.weights = json.at("label").at("weights").get<std::vector<double>>();
  const std::size_t classes = schema.label.classes.size();
  if (schema.label.positive >= std::max<std::size_t>(classes, 1)) fail("it has no such positive class");
  if (!schema.label.weights.empty() && schema.label.weights.size() != classes) fail("its class weights do not fit");
  for (const double weight : schema.label.weights)
    if (!(weight >= 0) || !std::isfinite(weight)) fail("a class weight is impossible");

  const std::vector<std::uint8_t>& text = state.find<std::uint8_t>("columns");
  const std::vector<double>& moments = state.find<double>("moments");
  const Json columns = Json::parse(text.begin(), text.end());
  if (!columns.is_array() || moments.size() != columns.size() * kMomentNumbers) fail("columns and moments do not fit");
  std::uint64_t features = 0;
  for (const Json& entry : columns) {
    const double* m = moments.data() + schema.columns.size() * kMomentNumbers;
    Column column;
    column.name = entry.at("name").get<std::string>();
    column.kind = kind_of(entry.at("kind").get<std::string>());
    column.missing = missing_of(entry.at("missing").get<std::string>());
    if (entry.contains("na")) column.na = entry["na"].get<std::vector<std::string>>();
    if (entry.contains("categories")) column.categories = entry["categories"].get<std::vector<std::string>>();
    if (entry.contains("category_counts"))
      column.category_counts = entry["category_counts"].get<std::vector<std::uint64_t>>();
    if (!column.category_counts.empty() && column.category_counts.size() != column.categories.size())
      fail("it counts other categories than it names");
    if (!(m[0] >= 0 && m[0] < 0x1p53 && m[5] >= 0 && m[5] < 0x1p53) || !std::isfinite(m[1]))
      fail("a column's moments are impossible");
    column.seen = {static_cast<std::uint64_t>(m[0]), m[1], m[2], m[3], m[4]};
    column.seen_missing = static_cast<std::uint64_t>(m[5]);
    column.low = m[6];
    column.high = m[7];
    features += column.features();
    schema.columns.push_back(std::move(column));
  }
  if (file.tensors.contains("schema.kinds"))
    for (const std::uint8_t kind : state.find<std::uint8_t>("kinds")) {
      if (kind > static_cast<std::uint8_t>(Kind::binary)) fail("a feature's kind is impossible");
      schema.kinds.push_back(static_cast<Kind>(kind));
    }
  if (schema.kinds.size() > (schema.anonymous ? schema.features : 0)) fail("it has more kinds than features");
  if (file.tensors.contains("schema.seen")) {
    const std::vector<double>& seen = state.find<double>("seen");
    if (!schema.anonymous || seen.size() % 5 != 0 || seen.size() / 5 > schema.features)
      fail("what it has seen does not fit");
    for (std::size_t j = 0; j < seen.size(); j += 5) {
      if (!(seen[j] >= 0 && seen[j] < 0x1p53) || !std::isfinite(seen[j + 1]))
        fail("a feature's moments are impossible");
      schema.seen.push_back({static_cast<std::uint64_t>(seen[j]), seen[j + 1], seen[j + 2], seen[j + 3], seen[j + 4]});
    }
  }
  if (!schema.anonymous && features != schema.features) fail("its columns do not give its features");
  if (schema.anonymous && !schema.columns.empty()) fail("it has columns with and without names");
  if (json.contains("components") && json["components"].get<std::uint32_t>() > 0) {
    Projection& projection = schema.projection;
    projection = {json["components"].get<std::uint32_t>(), state.find<double>("pca.mean"),
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

}  // namespace

std::string Model::to_bytes() const {
  TensorFile file;
  file.metadata["postil"] = kVersion;
  file.metadata["params"] = Json{{"learner", info_->name}, {"values", params_.texts()}}.dump();
  file.metadata["counters"] = Json{
      {"rows", counters_.rows},
      {"examples", counters_.examples},
      {"passes", counters_.passes},
      {"updates", counters_.updates},
      {"mistakes", counters_.mistakes},
      {"unlabelled", counters_.unlabelled},
      {"first_seen", counters_.first_seen},
      {"first_loss",
       counters_.first_loss}}.dump();
  file.metadata["rules"] = rules_;
  put_schema(schema_, file);
  for (std::size_t k = 0; k < tasks_.size(); ++k) {
    FileWriter writer(file, fmt::format("task.{}.", k));
    tasks_[k].learner->write(writer);
    writer.counter("updates", tasks_[k].updates);
    if (const std::optional<LinearModel> linear =
            tasks_[k].learner->linear()) {  // for other programs; we need only the state
      writer.tensor("weights", linear->weights);
      writer.number("bias", linear->bias);
    }
  }
  if (ledger_) {
    FileWriter writer(file, "ledger.");
    ledger_->write(writer);
  }
  if (warm_up_) {
    file.tensors["warmup.rows"] = warm_up_->rows;
    file.metadata["warmup"] = Json{{"options", warm_up_->options}, {"count", warm_up_->count()}}.dump();
    file.tensors["warmup.text"] = std::vector<std::uint8_t>(warm_up_->text.begin(), warm_up_->text.end());
  }
  return file.encode();
}

void Model::save(const std::string& path) const {
  OutputFile out(path);
  out.write(to_bytes());
  out.commit();
}

// Needs: the metadata are there. What is wrong in them is thrown by whoever finds it.
Model Model::decode(const TensorFile& file, const std::string& name) {
  const Json params = Json::parse(file.metadata.at("params"));
  const LearnerInfo& info = find_learner(params.at("learner").get<std::string>());
  const auto values = params.at("values").get<std::map<std::string, std::string>>();
  Schema schema = get_schema(file, name);
  if (schema.label.real() && info.make_regressor == nullptr)
    throw ModelError({name, 0, 0}, fmt::format("it has no classes, and {} does not do regression", info.name));
  const std::uint32_t features = schema.features, width = schema.width();
  schema.features = 0;  // no room for features before the file has shown that it holds their state
  Projection projection = std::exchange(schema.projection, {});
  Model model(std::move(schema), info, Params(info.name, info.params, values));
  model.schema_.features = features;
  model.schema_.projection = std::move(projection);
  const auto holds = [&](const auto& tensor) {
    return std::visit([&](const auto& numbers) { return numbers.size() >= features; }, tensor.second);
  };
  const std::uint32_t small = info.kernels ? 10'000'000 : 0;  // compressed rows may be narrower than the features
  if (features > small && std::none_of(file.tensors.begin(), file.tensors.end(), holds))
    throw ModelError({name, 0, 0}, fmt::format("no tensor is wide enough for {} features", features));
  if (const std::string& rules = file.metadata.at("rules"); !rules.empty()) {
    ParsedRules parsed = parse_rules(rules, name + ", its rules");
    if (!parsed.problems.empty()) throw ModelError({name, 0, 0}, "its rules are damaged");
    try {
      model.advise(parsed.file);
    } catch (const ParseError& error) {
      throw ModelError({name, 0, 0}, fmt::format("its rules do not fit its schema: {}", error.message()));
    }
  }
  const Json counters = Json::parse(file.metadata.at("counters"));
  const auto counter = [&](const char* key) { return counters.at(key).get<std::uint64_t>(); };
  model.counters_ = {
      counter("rows"),     counter("examples"),   counter("passes"),     counter("updates"),
      counter("mistakes"), counter("unlabelled"), counter("first_seen"), counters.at("first_loss").get<double>()};
  for (std::size_t k = 0; k < model.tasks_.size(); ++k) {
    FileReader reader(file, name, fmt::format("task.{}.", k));
    model.tasks_[k].learner->read(reader);
    reader.counter("updates", model.tasks_[k].updates);
    if (!model.tasks_[k].learner->fits(width))
      throw ModelError({name, 0, 0}, fmt::format("the state of task {} is not whole, or not of {} features", k, width));
  }
  if (model.ledger_) {
    FileReader reader(file, name, "ledger.");
    model.ledger_->read(reader);
    if (!model.ledger_->fits()) throw ModelError({name, 0, 0}, "its ledger is damaged");
  }
  if (const auto warm_up = file.metadata.find("warmup"); warm_up != file.metadata.end()) {
    const Json json = Json::parse(warm_up->second);
    const std::vector<std::uint8_t>& text = FileReader(file, name, "warmup.").find<std::uint8_t>("text");
    model.warm_up_ = {json.at("options").get<std::string>(), std::string(text.begin(), text.end()),
                      FileReader(file, name, "warmup.").find<std::uint64_t>("rows")};
    if (model.warm_up_->rows.size() != json.at("count").get<std::uint64_t>())
      throw ModelError({name, 0, 0}, "its warm-up rows are damaged");
  }
  return model;
}

Model Model::from_bytes(std::string_view bytes, const std::string& name) {
  const TensorFile file = TensorFile::decode(bytes, name);
  const auto version = file.metadata.find("postil");
  if (version == file.metadata.end()) throw ModelError({name, 0, 0}, "not a Postil model: it has no format version");
  if (version->second != kVersion)
    throw ModelError({name, 0, 0}, fmt::format("the file has model format version {}; this program reads version {}",
                                               in_quotes(version->second), kVersion));
  for (const char* part : {"schema", "params", "counters", "rules"})
    if (!file.metadata.contains(part)) throw ModelError({name, 0, 0}, fmt::format("there is no metadata '{}'", part));
  try {
    return decode(file, name);
  } catch (const Json::exception& error) {
    throw ModelError({name, 0, 0}, fmt::format("damaged metadata: {}", error.what()));
  } catch (const ParamError& error) {
    throw ModelError({name, 0, 0}, error.message());
  }
}

Model Model::load(const std::string& path) { return from_bytes(read_tensor_bytes(path), path); }

}  // namespace postil
