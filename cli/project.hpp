// Options that a project keeps in postil.toml.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace postil::cli {

// What the command line and the file that --config names (or postil.toml in this folder) come to together.
struct ProjectArguments {
  std::vector<std::string> arguments;
  std::function<void()> tell = [] {};  // says what the file gave; after they were parsed
};

// The arguments with those that the file adds for the command they begin with. What is typed comes before what the file says.
// Throws DataError.
ProjectArguments with_project_file(CLI::App& app, std::vector<std::string> arguments);

}  // namespace postil::cli
