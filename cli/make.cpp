// postil make: generated data.
#include <fmt/format.h>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {

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
  verb->add_option("-o,--output", flags->out, kOutHelp)->required();
  verb->add_option("--rows", flags->rows, "how many rows")->check(whole_number());
  verb->add_option("--seed", flags->seed, "any whole number")->check(whole_number())->capture_default_str();
  verb->add_option("--format", flags->format, "csv or libsvm. Default: inferred from the file name");
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
