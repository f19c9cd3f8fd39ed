// recipe.cpp: what a user wishes and what the data show, made into a fresh model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "postil/error.hpp"
#include "postil/train.hpp"

namespace postil {
namespace {

// The classes that rules name.
std::vector<std::string> classes_in(const std::optional<RuleFile>& rules) {
  if (!rules) return {};
  const bool any = std::any_of(rules->statements.begin(), rules->statements.end(), [](const Statement& statement) {
    const auto* rule = std::get_if<RuleStatement>(&statement.what);
    return rule != nullptr && rule->consequent.sign == 0;
  });
  return any ? schema_of_rules(*rules).label.classes : std::vector<std::string>();
}

// The classes of rules without labels. Of a class that rules speak of alone the opposite is made up.
std::vector<std::string> classes_of_rules_alone(const RuleFile& rules) {
  std::vector<std::string> classes = schema_of_rules(rules).label.classes;
  if (classes.size() == 1) classes.push_back(classes[0] == "1" ? "0" : "not " + classes[0]);
  return classes;
}

// All classes there will be, in order. Where more are to come, those that rules name are known beforehand.
std::vector<std::string> settled_classes(const LabelWishes& wishes, const Table& table,
                                         const std::optional<RuleFile>& rules) {
  std::vector<std::string> classes = table.labels;
  if (wishes.more_to_come)
    for (std::string& name : classes_in(rules)) classes.push_back(std::move(name));
  if (!wishes.classes.empty()) {
    classes.clear();
    for (const std::string& name : wishes.classes) {
      classes.push_back(canonical_label(name));
      if (name.empty()) throw ParamError("--classes: a class without a name");
      if (std::count(classes.begin(), classes.end(), classes.back()) > 1)
        throw ParamError(fmt::format("--classes names {} twice", in_quotes(classes.back())));
    }
    for (const std::string& label : table.labels)
      if (std::find(classes.begin(), classes.end(), label) == classes.end())
        throw DataError({table.source, 0, 0},
                        fmt::format("found class {}, but --classes names only: {}", in_quotes(label), joined(classes)));
  }
  if (classes.empty() && rules) classes = classes_of_rules_alone(*rules);  // rows without labels
  classes = ordered_classes(std::move(classes));
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.empty())
    throw DataError({table.source, 0, 0}, fmt::format("there is no labelled row to learn from: column {} is empty",
                                                      in_quotes(table.label_name)));
  if (classes.size() == 1 && !wishes.more_to_come)
    throw DataError(
        {table.source, 0, 0},
        fmt::format("found only one class, {}, in column {}; --classes a,b names classes that are still to come",
                    in_quotes(classes[0]), in_quotes(table.label_name)));
  return classes;
}

std::size_t find_class(const Table& table, const Label& label, const std::string& name, std::string_view option) {
  const std::string wanted = canonical_label(name);
  const auto found = std::find(label.classes.begin(), label.classes.end(), wanted);
  if (found == label.classes.end())
    throw DataError({table.source, 0, 0}, fmt::format("{}: there is no class {}{}", option, in_quotes(wanted),
                                                      suggestion(wanted, label.classes)));
  return static_cast<std::size_t>(found - label.classes.begin());
}

// n / (classes n_c), as scikit-learn weighs them; a class not seen counts 1.
std::vector<double> balanced_weights(const Label& label, const Survey& survey, const Table& table) {
  std::vector<double> counts(label.classes.size()), weights(label.classes.size(), 1);
  double total = 0;
  for (std::size_t code = 0; code < survey.label_counts().size(); ++code) {
    const auto count = static_cast<double>(survey.label_counts()[code]);
    counts[find_class(table, label, table.labels[code], "--classes")] += count;
    total += count;
  }
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0) weights[c] = total / (static_cast<double>(counts.size()) * counts[c]);
  return weights;
}

}  // namespace

const LearnerInfo& Recipe::info() const {
  const LearnerInfo& found = find_learner(!learner.empty()   ? learner
                                          : label.regression ? "pa"
                                          : rules            ? "advised"
                                                             : "arow");
  if (label.regression && found.make_regressor == nullptr) {
    std::vector<std::string> able;
    for (const LearnerInfo* other : learners())
      if (other->make_regressor != nullptr) able.emplace_back(other->name);
    throw ParamError(fmt::format("{} does not do regression; these do: {}", found.name, joined(able)));
  }
  return found;
}

Params Recipe::params() const {
  const LearnerInfo& chosen = info();
  std::map<std::string, std::string> given = settings;
  if (label.regression && !chosen.regression_settings.empty())
    given.merge(parse_settings(split(chosen.regression_settings, ' ')));
  return {chosen.name, chosen.params, given};
}

void Recipe::check() const {
  const LearnerInfo& chosen = info();
  (label.regression ? chosen.make_regressor : chosen.make)(params());
  if (rules) {
    check_takes_advice(chosen, params());
    if (components > 0) throw ParamError("--pca leaves no columns that rules (--advice) could name");
    return;
  }
  const std::map<std::string, std::string> given = params().texts();
  const auto is = [&](const char* name, std::string_view value) {
    const auto found = given.find(name);
    return found != given.end() && found->second == value;
  };
  if (chosen.name == "advice-only" || is("start", "advice") || is("advice", "hard"))
    throw ParamError(fmt::format("{}{} needs rules: --advice", chosen.name,
                                 is("start", "advice")  ? " with start=advice"
                                 : is("advice", "hard") ? " with advice=hard"
                                                        : ""));
}

Scale Recipe::scale_for(Format format) const {
  return scale.value_or(format == Format::libsvm ? Scale::none : Scale::standard);
}

Schema Recipe::schema(const Survey& survey, const Table& table) const {
  Schema schema = survey.finish();
  schema.label.name = table.label_name.empty() ? "label" : table.label_name;
  if (label.regression) return schema;
  schema.label.classes = settled_classes(label, table, rules);
  const std::size_t classes = schema.label.classes.size();
  if (!label.positive.empty() && classes > 2)
    throw ParamError(
        fmt::format("--positive is for two classes; there are {}: {}", classes, joined(schema.label.classes)));
  schema.label.positive = static_cast<std::uint32_t>(
      label.positive.empty() ? classes - 1 : find_class(table, schema.label, label.positive, "--positive"));
  if (label.balanced) schema.label.weights = balanced_weights(schema.label, survey, table);
  if (!label.weights.empty()) schema.label.weights.resize(classes, 1);
  for (const auto& [name, weight] : label.weights)
    schema.label.weights[find_class(table, schema.label, name, "--class-weight")] = weight;
  return schema;
}

Model Recipe::begin_without_rows(const Table& table, Format format) const {
  Schema schema = schema_of_rules(*rules);
  const std::vector<Column> named = std::move(schema.columns);
  schema.columns.clear();
  schema.label.name = table.label_name.empty() ? "label" : table.label_name;
  schema.features = 0;
  for (const TableColumn& column : table.columns) {
    const auto found =
        std::find_if(named.begin(), named.end(), [&](const Column& other) { return other.name == column.name; });
    Column to;
    if (found != named.end()) to = *found;
    to.name = column.name;
    if (found == named.end() && column.type == TableColumn::Type::text) to.kind = Kind::categorical;
    schema.features += to.features();
    schema.columns.push_back(std::move(to));
  }
  schema.anonymous = table.anonymous;
  if (table.anonymous) schema.features = table.width;
  Table unlabelled = table;
  unlabelled.labels.clear();
  LabelWishes wishes = label;
  wishes.more_to_come = false;
  schema.label.classes = settled_classes(wishes, unlabelled, rules);
  schema.label.positive =
      static_cast<std::uint32_t>(label.positive.empty() || schema.label.classes.size() != 2
                                     ? schema.label.classes.size() - 1
                                     : find_class(table, schema.label, label.positive, "--positive"));
  const Advice advice = compile_rules(*rules, schema);
  if (scale_for(format) != Scale::none && !table.anonymous) {
    schema.scale = scale_for(format);
    schema.scaling.shift.assign(schema.features, 0);
    schema.scaling.scale.assign(schema.features, 1);
    for (const std::uint32_t f : advice.stated) {  // centre and half-width
      const double low = advice.box.low[f], high = advice.box.high[f];
      if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) continue;
      schema.scaling.shift[f] = low / 2 + high / 2;
      schema.scaling.scale[f] = high / 2 - low / 2;
    }
  }
  Model model(std::move(schema), info(), params());
  model.advise(*rules);
  return model;
}

Model Recipe::begin(const Survey& survey, const Table& table) const { return begin(schema(survey, table)); }

Model Recipe::begin(Schema schema) const {
  Model model(std::move(schema), info(), params());
  if (rules && model.outputs() > 0) model.advise(*rules);  // a stream of one class so far has nothing to advise
  return model;
}

}  // namespace postil
