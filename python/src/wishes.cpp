#include "wishes.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace postil::python {
namespace {

template <class T>
T get(const nb::dict& from, const char* key, T otherwise) {
  return from.contains(key) && !from[key].is_none() ? nb::cast<T>(from[key]) : otherwise;
}

}  // namespace

Wishes wishes_of(const nb::dict& from) {
  Wishes out;
  out.recipe.memory = kNoLimit;  // the caller's matrix says how many features there are
  out.recipe.learner = get<std::string>(from, "learner", "");
  out.recipe.settings = get<std::map<std::string, std::string>>(from, "settings", {});
  if (const auto scale = get<std::string>(from, "scale", ""); !scale.empty()) out.recipe.scale = scale_of(scale);
  LabelWishes& label = out.recipe.label;
  label.regression = get<bool>(from, "regression", false);
  label.classes = get<std::vector<std::string>>(from, "classes", {});
  label.positive = get<std::string>(from, "positive", "");
  label.kind = label_kind_of(get<std::string>(from, "label_kind", ""));
  label.weights = get<std::map<std::string, double>>(from, "class_weight", {});
  label.balanced = get<bool>(from, "balanced", false);
  if (const auto rules = get<std::string>(from, "rules", ""); !rules.empty())
    out.recipe.rules = rules_of(rules, get<std::string>(from, "rules_source", "advice"));
  if (out.recipe.rules && out.recipe.label.regression) out.recipe.label.take_claims(*out.recipe.rules);
  const auto missing = get<std::string>(from, "missing", "refuse");
  out.columns.missing[""] = missing_of(missing);
  out.recipe.components = get<std::uint32_t>(from, "components", 0);
  return out;
}

RuleFile rules_of(const std::string& text, const std::string& source) {
  return without_problems(parse_rules(text, source));
}

}  // namespace postil::python
