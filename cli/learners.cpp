// postil learners: what learners there are.
#include <fmt/format.h>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

std::string specs_table(std::span<const ParamSpec> specs) {
  std::string text;
  for (const ParamSpec& spec : specs)
    text += fmt::format("    {:<16} {:<10} {:<16} {}\n", spec.name, default_text(spec), range_text(spec), spec.help);
  return text;
}

void list_learners(const std::string& name, bool json) {
  std::vector<const LearnerInfo*> chosen(learners().begin(), learners().end());
  if (!name.empty()) chosen = {&find_learner(name)};
  if (json) {
    print(learners_json(name));
    return;
  }
  std::string text;
  for (const LearnerInfo* info : chosen) {
    text += fmt::format("{:<20} {} [{}]\n", info->name, info->title, info->reference);
    text += specs_table(info->params);
    if (!name.empty()) text += info->page;
  }
  print(text);
}

}  // namespace

void add_learners(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("learners", "List the learners: names, parameters, defaults, references");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>();
  verb->add_option("NAME", *name, "Show this one only, in full");
  verb->add_flag("--json", *json, "Print one JSON document");
  verb->footer("Example:  postil learners perceptron");
  verb->callback([=] { list_learners(*name, *json); });
}

}  // namespace postil::cli
