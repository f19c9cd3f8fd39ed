// The `postil` command: argument parsing and printing only.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <sstream>

#include "common.hpp"
#include "outputs.hpp"
#include "postil/text.hpp"
#include "project.hpp"

namespace {

using namespace postil;

#if defined(__clang__)
#define POSTIL_COMPILER __VERSION__
#else
#define POSTIL_COMPILER "GCC " __VERSION__
#endif
#ifdef NDEBUG
#define POSTIL_CHECKS "without assertions"
#else
#define POSTIL_CHECKS "with assertions"
#endif
constexpr const char* kVersion = "postil " POSTIL_VERSION "\nbuilt with " POSTIL_COMPILER ", " POSTIL_CHECKS;
constexpr int kDone = 0, kBadData = 1, kBadUsage = 2;

std::vector<std::string> verbs(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) names.push_back(verb->get_name());
  return names;
}

// A sentence for arguments that CLI11 could not place, with the nearest option.
std::string explain_usage(const CLI::App& app, const CLI::ParseError& error, std::span<const std::string> arguments) {
  std::string text = error.what();
  const auto chosen = app.get_subcommands();
  if (chosen.empty() || dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return text;
  std::vector<std::string> known{"--help"};
  for (const CLI::Option* option : chosen[0]->get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& argument : arguments.subspan(1)) {
    const std::string name = argument.substr(0, argument.find('='));
    if (!name.starts_with("--") || std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    return fmt::format("{} has no option {}{}", chosen[0]->get_name(), name,
                       near.empty() ? "" : fmt::format("; did you mean {}?", near));
  }
  return text;
}

// A standard descriptor that is closed would be given to the next file opened, and what is meant for the user would be
// written there.
void open_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
      (void)::open("/dev/null", O_RDWR);  // the lowest that is free
}

// Libraries allocate where they must not throw. Files are replaced as a whole, so that ending here loses nothing that was saved.
[[noreturn]] void end_in_words() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    cli::tell("postil: not enough memory\n");
    ::_exit(kBadData);
  } catch (...) {
  }
  std::abort();
}

void add_verbs(CLI::App& app) {
  app.set_version_flag("--version", kVersion);
  app.add_option("--config", "A file of options, or none. Default: postil.toml in this folder, if there is one")
      ->type_name("FILE");
  app.require_subcommand(1);
  app.footer(
      "postil COMMAND --help shows the options and examples. Exit codes: 0 success, 1 bad data or model, 2 bad usage.");
  cli::add_learners(app);
  cli::add_inspect(app);
  cli::add_train(app);
  cli::add_predict(app);
  cli::add_evaluate(app);
  cli::add_stream(app);
  cli::add_rules(app);
  cli::add_explain(app);
  cli::add_report(app);
  cli::add_cv(app);
  cli::add_curve(app);
  cli::add_tune(app);
  cli::add_experiment(app);
  cli::add_make(app);
  cli::add_convert(app);
  cli::add_scorecard(app);
  cli::add_completion(app);
  cli::add_help(app);
  cli::add_man(app);
}

// Whether standard output is a pipe whose reader went away, as that of `postil predict ... | head`.
bool nobody_reads() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_in_words);
  open_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error where we write, if it matters there
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow
  std::optional<CLI::App> app;
  std::vector<std::string> arguments;
  try {
    arguments.assign(argv + 1, argv + std::max(argc, 1));
    app.emplace("Postil trains maximum-margin classifiers that take advice.", "postil");
    add_verbs(*app);
    cli::ProjectArguments project = cli::with_project_file(*app, std::move(arguments));
    arguments = std::move(project.arguments);
    app->parse_complete_callback([&] {  // before any command begins
      project.tell();
      cli::check_outputs(*app);
    });
    if (arguments.empty()) {
      cli::print(app->help());
      return kBadUsage;
    }
    if (arguments[0] == "help" && (arguments.size() == 1 || !arguments[1].starts_with('-'))) {
      arguments.erase(arguments.begin());
      arguments.emplace_back("--help");
    }
    if (!arguments[0].starts_with('-')) {
      const std::vector<std::string> names = verbs(*app);
      if (std::find(names.begin(), names.end(), arguments[0]) == names.end())
        throw ParamError(
            fmt::format("there is no command {}{}", in_quotes(arguments[0]), suggestion(arguments[0], names)));
    }
    try {
      app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // as CLI11 wants them
    } catch (const CLI::Success& asked) {                                          // --help, --version
      std::ostringstream text;
      app->exit(asked, text, text);
      cli::print(text.str());
    }
    return kDone;
  } catch (const CLI::ParseError& error) {
    cli::complain(explain_usage(*app, error, arguments) +
                  fmt::format(" (postil {}--help)",
                              app->get_subcommands().empty() ? "" : app->get_subcommands()[0]->get_name() + " "));
    return kBadUsage;
  } catch (const ParamError& error) {
    cli::complain(error.failure().text());
    return kBadUsage;
  } catch (const Error& error) {
    if (app->got_subcommand("stream") || !nobody_reads()) cli::complain(error.failure().text());
    return kBadData;
  } catch (const std::bad_alloc&) {
    cli::tell("postil: not enough memory\n");
    return kBadData;
  } catch (const std::exception& error) {
    cli::complain(fmt::format("internal error: {}", error.what()));
    return kBadData;
  }
}
