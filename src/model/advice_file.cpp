// advice_file.cpp: compiled rules in a model file. Loading restores them and solves nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "file_state.hpp"
#include "model_parts.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 200;  // conditions within conditions
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Json row_json(const AdviceRow& row) {
  Json terms = Json::array();
  for (const auto& [feature, coefficient] : row.terms) terms.push_back({feature, coefficient});
  Json json{{"terms", std::move(terms)}, {"bound", row.bound}};
  if (row.strict) json["strict"] = true;
  if (row.equality) json["equality"] = true;
  return json;
}

Json formula_json(const Formula& formula) {
  if (formula.kind == Formula::Kind::row) return row_json(formula.row);
  Json parts = Json::array();
  for (const Formula& part : formula.parts) parts.push_back(formula_json(part));
  if (formula.kind == Formula::Kind::all) return {{"all", std::move(parts)}};
  if (formula.kind == Formula::Kind::any) return {{"any", std::move(parts)}};
  return {{"at_least", formula.count}, {"of", std::move(parts)}};
}

class Restorer {
 public:
  Restorer(const Schema& schema, const std::string& name) : schema_(schema), name_(name) {}

  [[noreturn]] void fail(const char* what) const {
    throw ModelError({name_, 0, 0}, fmt::format("its compiled rules are damaged: {}", what));
  }

  [[nodiscard]] AdviceRow row(const Json& json) const {
    AdviceRow out;
    for (const Json& term : json.at("terms")) {
      const auto feature = term.at(0).get<std::uint64_t>();
      const auto coefficient = term.at(1).get<double>();
      if (feature >= schema_.features || (!out.terms.empty() && feature <= out.terms.back().first))
        fail("a comparison is about no feature of the model");
      if (!std::isfinite(coefficient)) fail("a coefficient is no number");
      out.terms.emplace_back(static_cast<std::uint32_t>(feature), coefficient);
    }
    out.bound = json.at("bound").get<double>();
    if (!std::isfinite(out.bound)) fail("a bound is no number");
    out.strict = json.value("strict", false);
    out.equality = json.value("equality", false);
    return out;
  }

  [[nodiscard]] Formula formula(const Json& json, int depth = 0) const {
    if (depth > kDeepest) fail("a condition is nested too deeply");
    Formula out;
    if (json.contains("terms")) {
      out.row = row(json);
      return out;
    }
    const char* key = json.contains("all") ? "all" : json.contains("any") ? "any" : "of";
    out.kind = key[0] == 'o'   ? Formula::Kind::at_least
               : key[1] == 'l' ? Formula::Kind::all
                               : Formula::Kind::any;
    if (out.kind == Formula::Kind::at_least) out.count = json.at("at_least").get<std::uint32_t>();
    for (const Json& part : json.at(key)) out.parts.push_back(formula(part, depth + 1));
    return out;
  }

  [[nodiscard]] std::uint32_t class_number(const Json& json) const {
    const auto number = json.get<std::uint64_t>();
    if (number >= schema_.label.classes.size()) fail("it speaks of a class that the model does not know");
    return static_cast<std::uint32_t>(number);
  }

  [[nodiscard]] std::vector<std::uint32_t> features(const std::vector<std::uint64_t>& numbers) const {
    std::vector<std::uint32_t> out;
    for (const std::uint64_t number : numbers) {
      if (number >= schema_.features || (!out.empty() && number <= out.back()))
        fail("it states something about no feature of the model");
      out.push_back(static_cast<std::uint32_t>(number));
    }
    return out;
  }

  [[nodiscard]] CompiledRule rule(const Json& json) const {
    CompiledRule out;
    out.id = json.at("id").get<std::string>();
    out.spot = {json.at("line").get<std::uint32_t>(), json.at("column").get<std::uint32_t>()};
    out.text = json.at("text").get<std::string>();
    out.class_number = class_number(json.at("class"));
    out.positive = json.at("positive").get<bool>();
    out.trust = json.at("trust").get<double>();
    out.margin = json.at("margin").get<double>();
    if (!(out.trust >= 0 && std::isfinite(out.trust) && std::isfinite(out.margin))) fail("a trust or margin is impossible");
    out.condition = formula(json.at("condition"));
    out.sets = json.at("sets").get<std::uint32_t>();
    out.dropped = json.at("dropped").get<std::uint32_t>();
    return out;
  }

  [[nodiscard]] AdviceSet set(const Json& json, std::size_t rules) const {
    AdviceSet out;
    out.rule = json.at("rule").get<std::uint32_t>();
    if (out.rule >= rules) fail("a set belongs to no rule");
    out.class_number = class_number(json.at("class"));
    out.z = json.at("z").get<double>();
    if (out.z != 1 && out.z != -1) fail("a set says neither yes nor no");
    for (const Json& entry : json.at("rows")) out.rows.push_back(row(entry));
    return out;
  }

 private:
  const Schema& schema_;
  const std::string& name_;
};

}  // namespace

void put_advice(const Advice& advice, TensorFile& file) {
  Json rules = Json::array(), sets = Json::array();
  for (const CompiledRule& rule : advice.rules)
    rules.push_back({{"id", rule.id},
                     {"line", rule.spot.line},
                     {"column", rule.spot.column},
                     {"text", rule.text},
                     {"class", rule.class_number},
                     {"positive", rule.positive},
                     {"trust", rule.trust},
                     {"margin", rule.margin},
                     {"condition", formula_json(rule.condition)},
                     {"sets", rule.sets},
                     {"dropped", rule.dropped}});
  for (const AdviceSet& set : advice.sets) {
    Json rows = Json::array();
    for (const AdviceRow& row : set.rows) rows.push_back(row_json(row));
    sets.push_back({{"rule", set.rule}, {"class", set.class_number}, {"z", set.z}, {"rows", std::move(rows)}});
  }
  FileWriter out(file, "advice.");
  out.text("rules", rules.dump());
  out.text("sets", sets.dump());
  std::vector<std::uint64_t> bounded;
  std::vector<double> low, high;
  for (std::size_t f = 0; f < advice.box.low.size(); ++f) {
    if (std::isinf(advice.box.low[f]) && std::isinf(advice.box.high[f])) continue;
    bounded.push_back(f);
    low.push_back(advice.box.low[f]);
    high.push_back(advice.box.high[f]);
  }
  file.tensors["advice.bounded"] = std::move(bounded);
  file.tensors["advice.stated"] = std::vector<std::uint64_t>(advice.stated.begin(), advice.stated.end());
  file.tensors["advice.integers"] = std::vector<std::uint64_t>(advice.integers.begin(), advice.integers.end());
  out.tensor("low", low);
  out.tensor("high", high);
}

bool has_advice(const TensorFile& file) { return file.tensors.contains("advice.rules"); }

Advice get_advice(const TensorFile& file, const Schema& schema, const std::string& name) {
  const FileReader state(file, name, "advice.");
  const Restorer restore(schema, name);
  Advice out;
  for (const Json& json : Json::parse(state.text("rules"))) out.rules.push_back(restore.rule(json));
  for (const Json& json : Json::parse(state.text("sets"))) out.sets.push_back(restore.set(json, out.rules.size()));
  const std::vector<std::uint32_t> bounded = restore.features(state.find<std::uint64_t>("bounded"));
  const std::vector<double>&low = state.find<double>("low"), &high = state.find<double>("high");
  if (low.size() != bounded.size() || high.size() != bounded.size()) restore.fail("its ranges do not fit");
  out.box.low.assign(schema.features, -kInfinity);
  out.box.high.assign(schema.features, kInfinity);
  for (std::size_t k = 0; k < bounded.size(); ++k) {
    if (std::isnan(low[k]) || std::isnan(high[k])) restore.fail("a range is impossible");
    out.box.low[bounded[k]] = low[k];
    out.box.high[bounded[k]] = high[k];
  }
  out.stated = restore.features(state.find<std::uint64_t>("stated"));
  out.integers = restore.features(state.find<std::uint64_t>("integers"));
  for (const Column& column : schema.columns)
    if (column.categorical())
      out.one_of.emplace_back(column.features.begin(),
                              column.features.begin() + static_cast<std::ptrdiff_t>(column.categories.size()));
  return out;
}

}  // namespace postil
