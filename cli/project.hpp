// Options that a project keeps in postil.toml.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace postil::cli {

// The arguments with those that the file named by --config (or postil.toml in this folder) adds for the command they begin with.
// What is typed comes before what the file says. Throws DataError.
std::vector<std::string> with_project_file(CLI::App& app, std::vector<std::string> arguments);

}  // namespace postil::cli
