// Files that a command writes.
#pragma once

#include <CLI/CLI.hpp>

namespace postil::cli {

// Refuses a file that the chosen command would both read and write, however it is spelled or linked, and names of formats that
// it does not write. Throws DataError, ParamError.
void check_outputs(const CLI::App& app);

}  // namespace postil::cli
