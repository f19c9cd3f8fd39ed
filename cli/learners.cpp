// postil learners, postil make: what there is.
#include <fmt/format.h>

#include "common.hpp"
#include "core/text.hpp"

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
  CLI::App* verb = app.add_subcommand("learners", "What learners there are: names, parameters, defaults, references");
  auto name = std::make_shared<std::string>();
  auto json = std::make_shared<bool>();
  verb->add_option("NAME", *name, "tell about this one only, at length");
  verb->add_flag("--json", *json, "one JSON document");
  verb->footer("Example:  postil learners perceptron");
  verb->callback([=] { list_learners(*name, *json); });
}

void add_make(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("make", "Generate data: the same seed gives the same bytes everywhere");
  struct Flags {
    std::string name, out, format;
    std::uint64_t rows = 0, seed = 0;
    std::map<std::string, std::string> given;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  std::string list = "Generators:\n";
  std::map<std::string, std::string> options;  // each parameter of any generator is an option
  for (const GeneratorInfo* info : generators()) {
    list += fmt::format("  {:<14} {} ({} rows)\n", info->name, info->help, info->rows);
    for (const ParamSpec& spec : info->params) {
      std::string& help = options[std::string(spec.name)];
      help += fmt::format("{}{}: {} (default {})", help.empty() ? "" : "; ", info->name, spec.help, default_text(spec));
    }
  }
  verb->add_option("NAME", flags->name, "the generator")->required();
  verb->add_option("-o,--output", flags->out, "file to write, .csv or .svm, also .gz or .zst; - for standard output")
      ->required();
  verb->add_option("--rows", flags->rows, "how many rows")->check(whole_number());
  verb->add_option("--seed", flags->seed, "any whole number")->check(whole_number())->capture_default_str();
  verb->add_option("--format", flags->format, "csv or libsvm; not given: told by the file's name");
  for (const auto& [name, help] : options)
    verb->add_option_function<std::string>(
        "--" + name, [flags, key = name](const std::string& value) { flags->given[key] = value; }, help);
  verb->add_flag("--json", flags->json, "tell what was made, as a JSON document");
  verb->footer(list + "Example:  postil make text --rows 1000 --nonzeros 30 --seed 1 -o text.svm");
  verb->callback([=] {
    const GeneratorInfo& info = find_generator(flags->name);
    GenerateJob job{.path = flags->out,
                    .format = info.format,
                    .rows = flags->rows,
                    .seed = flags->seed,
                    .params = Params(info.name, info.params, flags->given),
                    .progress = {}};
    if (verb->count("--rows") == 0) job.rows = info.rows;
    const Format named = format_of_name(flags->out);
    if (!flags->format.empty())
      job.format = format_of(flags->format);
    else if (named != Format::guess)
      job.format = named;
    if (flags->json && is_standard_output(flags->out))
      throw ParamError("--json and the data both want standard output");
    Meter meter;
    job.progress = [&](std::uint64_t done) { meter.update("making", done, done, job.rows); };
    info.run(job);
    if (flags->json)
      print_json({{"generator", info.name},
                  {"output", flags->out},
                  {"rows", job.rows},
                  {"seed", job.seed},
                  {"params", params_json(job.params)}});
  });
}

}  // namespace postil::cli
