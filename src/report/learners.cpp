// learners.cpp: the registry as JSON.
#include "postil/json.hpp"
#include "postil/report.hpp"
#include "postil/text.hpp"

namespace postil {

std::string range_text(const ParamSpec& spec) {
  const bool number =
      spec.kind == ParamKind::number || spec.kind == ParamKind::integer || spec.kind == ParamKind::number_or_choice;
  if (spec.kind == ParamKind::flag) return "true|false";
  return (number ? spec.range.text() : "") + (number && !spec.choices.empty() ? "|" : "") + std::string(spec.choices);
}

std::string default_text(const ParamSpec& spec) {
  if (spec.kind == ParamKind::flag) return spec.number != 0 ? "true" : "false";
  return spec.word.empty() ? format_number(spec.number) : std::string(spec.word);
}

namespace {

std::string_view kind_word(ParamKind kind) {
  switch (kind) {
    case ParamKind::number: return "number";
    case ParamKind::integer: return "integer";
    case ParamKind::flag: return "flag";
    case ParamKind::choice: return "choice";
    case ParamKind::number_or_choice: return "number-or-choice";
  }
  return "";
}

Json default_json(const ParamSpec& spec) {
  if (spec.kind == ParamKind::flag) return spec.number != 0;
  if (!spec.word.empty()) return spec.word;
  return spec.number;
}

Json specs_json(std::span<const ParamSpec> specs) {
  Json list = Json::array();
  for (const ParamSpec& spec : specs)
    list.push_back({{"name", spec.name},
                    {"symbol", spec.symbol},
                    {"kind", kind_word(spec.kind)},
                    {"default", default_json(spec)},
                    {"range", range_text(spec)},
                    {"help", spec.help}});
  return list;
}

Json learner_json(const LearnerInfo& info) {
  return {{"name", info.name},
          {"title", info.title},
          {"reference", info.reference},
          {"task", info.task()},
          {"online", info.mode == Mode::online},
          {"advice", info.takes_advice},
          {"needs_advice", info.needs_advice},
          {"kernels", info.kernels},
          {"ellipsoid", info.ellipsoid},
          {"shards", info.shards.empty() ? Json() : Json(info.shards)},
          {"params", specs_json(info.params)},
          {"python", info.python_name},
          {"regression_settings", info.regression_settings},
          {"paper_settings", info.paper_settings},
          {"page", info.page}};
}

}  // namespace

std::string learners_json(const std::string& name) {
  Json list = Json::array();
  if (!name.empty()) list.push_back(learner_json(find_learner(name)));
  for (const LearnerInfo* info : learners())
    if (name.empty()) list.push_back(learner_json(*info));
  return list.dump(2) + "\n";
}

}  // namespace postil
