// postil experiment: hands over to the Python side, python3 -m postil.experiments.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "common.hpp"
#include "postil/text.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace postil::cli {
namespace {

constexpr const char* kModule = "postil.experiments";
// Ends with 0 if this Python has the experiments, without running them.
constexpr const char* kProbe =
    "import importlib.util as u, sys\n"
    "try:\n"
    "    sys.exit(u.find_spec('postil.experiments') is None)\n"
    "except ImportError:\n"
    "    sys.exit(1)\n";

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

bool has_experiments(const std::string& python) {
  std::vector<std::string> words{python, "-c", kProbe};
  const std::vector<char*> arguments = pointers(words);
  posix_spawn_file_actions_t silent;
  posix_spawn_file_actions_init(&silent);
  posix_spawn_file_actions_addopen(&silent, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, python.c_str(), &silent, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&silent);
  if (failed != 0) return false;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return false;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The Python to ask: POSTIL_PYTHON; else the one of build/venv, if this program stands in build; else python3.
std::string find_python() {
  setenv("PYTHONSAFEPATH", "1", 0);  // what lies in this folder is not to be taken for a module
  if (const char* given = std::getenv("POSTIL_PYTHON"); given != nullptr && *given != '\0') {
    if (has_experiments(given)) return given;
    throw Error({},
                fmt::format("POSTIL_PYTHON is {}, which does not have the Python package postil: {} -m pip install .",
                            in_quotes(given), given));
  }
  std::vector<std::string> candidates;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) candidates.push_back(self.parent_path() / "venv/bin/python");
  candidates.emplace_back("python3");
  for (const std::string& python : candidates)
    if (has_experiments(python)) return python;
  throw Error({},
              "the experiments are written in Python, and python3 does not have the package postil. In the source "
              "folder: python3 -m venv venv && venv/bin/pip install '.[plots]', then POSTIL_PYTHON=venv/bin/python "
              "postil experiment ...");
}

[[noreturn]] void run(const std::vector<std::string>& words) {
  const std::string python = find_python();
  std::vector<std::string> all{python, "-m", kModule};
  all.insert(all.end(), words.begin(), words.end());
  std::fflush(nullptr);
  std::signal(SIGPIPE, SIG_DFL);  // what is ignored stays so in the next program
  execvp(python.c_str(), pointers(all).data());
  throw Error({}, fmt::format("cannot run {}: {}", python, std::strerror(errno)));
}

}  // namespace

void add_experiment(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("experiment", "Reproduce the papers' figures and tables: list, run NAME");
  verb->prefix_command();  // what follows is for the Python side
  verb->footer(
      "postil experiment list [--json]             what there is\n"
      "postil experiment run NAME... [OPTIONS]     makes numbers, pictures and pages; postil experiment run --help "
      "tells more\n\n"
      "Needs the Python package: python3 -m postil.experiments, or the Python that POSTIL_PYTHON names.\n"
      "Example:  postil experiment run diabetes --quick");
  verb->callback([=] {
    const std::vector<std::string> words = verb->remaining();
    if (words.empty()) throw ParamError("experiment: expected list, or run NAME (postil experiment --help)");
    run(words);
  });
}

}  // namespace postil::cli
