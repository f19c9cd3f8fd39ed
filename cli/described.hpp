// The commands and their options as data, for completions and manual pages.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace postil::cli {

struct Flag {
  std::string name;   // --label; of a positional argument DATA
  std::string value;  // what its value is called; empty: it has none
  std::string help;
  std::string standard;  // its default, as one would type it
  bool positional = false, required = false;
};
struct Command {
  std::string path;  // "rules check"; empty: postil itself
  std::string help, footer;
  std::vector<Flag> flags;
  std::vector<std::string> commands;  // below it
};

std::vector<Command> described(const CLI::App& app);
std::string first_sentence(const std::string& text);

}  // namespace postil::cli
