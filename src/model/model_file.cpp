// model_file.cpp: models as tensor files (docs/model-file.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "model_parts.hpp"
#include "postil/error.hpp"
#include "postil/model.hpp"
#include "postil/output_file.hpp"
#include "postil/text.hpp"

namespace postil {

using Json = nlohmann::json;

std::string Model::to_bytes() const { return to_file().encode(); }

TensorFile Model::to_file() const {
  TensorFile file;
  file.metadata["postil"] = kModelFormat;
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
  FileWriter labels(file, "labels.");
  labels.tensor("seen", seen_);
  labels.tensor("progressive_scores", progressive_.scores);
  labels.tensor("progressive_labels", progressive_.labels);
  labels.counter("progressive_next", progressive_.next);
  if (ledger_) {
    FileWriter writer(file, "ledger.");
    ledger_->write(writer);
  }
  if (advice_) put_advice(*advice_, file);
  return file;
}

void Model::save(const std::string& path) const {
  OutputFile out(path);
  out.write(to_bytes());
  out.commit();
}

// Needs: the metadata are there. What is wrong in them is thrown by whoever finds it.
Model Model::decode(const TensorFile& file, const std::string& name) {
  const Json params = parse_strictly(file.metadata.at("params"));
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
  // Compressed rows may be narrower than the features, and one class alone asks no question, so that there is no state.
  const std::uint32_t small = info.kernels || info.compact || model.tasks_.empty() ? 10'000'000 : 0;
  if (features > small && std::none_of(file.tensors.begin(), file.tensors.end(), holds))
    throw ModelError({name, 0, 0}, fmt::format("no tensor is wide enough for {} features", features));
  model.rules_ = file.metadata.at("rules");
  const bool compiled = has_advice(file);
  if (compiled) {
    model.advice_ = get_advice(file, model.schema_, name);
    model.ledger_.emplace(*model.advice_, model.schema_.scaling);
    for (Task& task : model.tasks_) task.learner->restore_advice(model.task_advice(task));
  } else if (!model.rules_.empty()) {  // an earlier format
    ParsedRules parsed = parse_rules(model.rules_, name + ", its rules");
    if (!parsed.problems.empty()) throw ModelError({name, 0, 0}, "its rules are damaged");
    try {
      model.advise(parsed.file);
    } catch (const ParseError& error) {
      throw ModelError({name, 0, 0}, fmt::format("its rules do not fit its schema: {}", error.message()));
    }
  }
  const Json counters = parse_strictly(file.metadata.at("counters"));
  const auto counter = [&](const char* key) { return whole_number<std::uint64_t>(counters.at(key)); };
  model.counters_ = {
      counter("rows"),     counter("examples"),   counter("passes"),     counter("updates"),
      counter("mistakes"), counter("unlabelled"), counter("first_seen"), counters.at("first_loss").get<double>()};
  for (std::size_t k = 0; k < model.tasks_.size(); ++k) {
    FileReader reader(file, name, fmt::format("task.{}.", k));
    model.tasks_[k].learner->read(reader);
    reader.counter("updates", model.tasks_[k].updates);
    if (model.tasks_[k].learner->fits(width))
      model.tasks_[k].learner->grow(width);  // work space
    else
      throw ModelError({name, 0, 0}, fmt::format("the state of task {} is not whole, or not of {} features", k, width));
  }
  if (FileReader reader(file, name, "labels."); reader.has("seen")) {  // earlier formats have it not
    const std::size_t classes = model.seen_.size();
    reader.tensor("seen", model.seen_);
    reader.tensor("progressive_scores", model.progressive_.scores);
    reader.tensor("progressive_labels", model.progressive_.labels);
    reader.counter("progressive_next", model.progressive_.next);
    const ProgressiveScores& kept = model.progressive_;
    const auto is_class = [&](double label) {
      return label >= 0 && label < static_cast<double>(classes) && label == std::floor(label);
    };
    if (model.seen_.size() != classes || kept.labels.size() > ProgressiveScores::kMost ||
        kept.next >= ProgressiveScores::kMost || kept.scores.size() != kept.labels.size() * model.outputs() ||
        (kept.next > 0 && kept.labels.size() < ProgressiveScores::kMost) ||
        !std::all_of(kept.labels.begin(), kept.labels.end(), is_class) ||
        !std::all_of(model.seen_.begin(), model.seen_.end(), [](double weight) { return weight >= 0; }))
      throw ModelError({name, 0, 0}, "its labels are damaged");
  }
  if (model.ledger_) {
    FileReader reader(file, name, "ledger.");
    model.ledger_->read(reader);
    if (!model.ledger_->fits()) throw ModelError({name, 0, 0}, "its ledger is damaged");
  }
  return model;
}

Model Model::from_file(const TensorFile& file, const std::string& name) {
  try {
    return decode(file, name);
  } catch (const Json::exception& error) {
    throw ModelError({name, 0, 0}, fmt::format("damaged metadata: {}", error.what()));
  } catch (const ParamError& error) {
    throw ModelError({name, 0, 0}, error.message());
  }
}

TensorFile read_model_file(std::string_view bytes, const std::string& name) {
  TensorFile file = TensorFile::decode(bytes, name);
  const auto version = file.metadata.find("postil");
  if (version == file.metadata.end()) throw ModelError({name, 0, 0}, "not a Postil model: it has no format version");
  for (const char* part : {"schema", "params", "counters", "rules"})
    if (!file.metadata.contains(part)) throw ModelError({name, 0, 0}, fmt::format("there is no metadata '{}'", part));
  try {
    bring_up_to_date(file, name);
  } catch (const Json::exception& error) {
    throw ModelError({name, 0, 0}, fmt::format("damaged metadata: {}", error.what()));
  }
  return file;
}

Model Model::from_bytes(std::string_view bytes, const std::string& name) {
  return from_file(read_model_file(bytes, name), name);
}

Model Model::load(const std::string& path) { return from_bytes(read_tensor_bytes(path), path); }

}  // namespace postil
