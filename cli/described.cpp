#include "described.hpp"

namespace postil::cli {
namespace {

void collect(const CLI::App& app, const std::string& path, std::vector<Command>& out) {
  const std::size_t place = out.size();
  out.push_back({path, app.get_description(), app.get_footer(), {}, {}});
  for (const CLI::Option* option : app.get_options()) {
    const bool positional = option->get_positional();
    const std::string name = positional                     ? option->get_name()
                             : option->get_lnames().empty() ? ""
                                                            : "--" + option->get_lnames()[0];
    if (name.empty()) continue;
    const bool takes_value = option->get_expected_max() > 0 && option->get_type_size_max() > 0;
    out[place].flags.push_back({name, takes_value ? option->get_type_name() : "", option->get_description(),
                                option->get_default_str(), positional, option->get_required()});
  }
  for (const CLI::App* below : app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); })) {
    out[place].commands.push_back(below->get_name());
    collect(*below, path.empty() ? below->get_name() : path + " " + below->get_name(), out);
  }
}

}  // namespace

std::vector<Command> described(const CLI::App& app) {
  std::vector<Command> out;
  collect(app, "", out);
  return out;
}

std::string first_sentence(const std::string& text) { return text.substr(0, text.find_first_of(".;\n")); }

}  // namespace postil::cli
