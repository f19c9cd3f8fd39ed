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

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_among(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string no_such_option(const std::string& command, const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return fmt::format("{} has no option {}{}", command, name,
                     near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

// Words that must name a command and do not: `postil trian`, `postil rules checkk`, `postil --helpp`.
void check_command(const CLI::App& app, std::span<const std::string> arguments) {
  const CLI::App* at = &app;
  std::string path;
  for (std::vector<std::string> known = verbs(*at); !known.empty(); known = verbs(*at)) {
    if (arguments.empty()) throw ParamError(fmt::format("{} needs a command: {}", path, joined(known)));
    const std::string word = arguments[0];
    arguments = arguments.subspan(1);
    if (word.starts_with('-')) {
      const std::string name = word.substr(0, word.find('='));
      const std::vector<std::string> options = options_of(*at);
      if (!is_among(name, options)) throw ParamError(no_such_option(path.empty() ? "postil" : path, name, options));
      return;
    }
    path += (path.empty() ? "" : " ") + word;
    if (!is_among(word, known))
      throw ParamError(fmt::format("there is no command {}{}", in_quotes(path), suggestion(word, known)));
    at = at->get_subcommand(word);
  }
}

// A sentence for arguments that CLI11 could not place, with the nearest option.
std::string explain_usage(const CLI::App& app, const CLI::ParseError& error, std::span<const std::string> arguments) {
  const CLI::App* verb = &app;
  while (!verb->get_subcommands().empty()) verb = verb->get_subcommands()[0];
  if (verb == &app || dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return error.what();
  const std::vector<std::string> known = options_of(*verb);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    if (name.starts_with("--") && !is_among(name, known)) return no_such_option(verb->get_name(), name, known);
  }
  return error.what();
}

// Types of options in words of the user: UINT:WHOLE:INT in [1 - 64] is a NUMBER.
void name_types(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type == "TEXT:LINE:COLUMN") option->type_name("LINE:COLUMN");
    if (type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT")) option->type_name("NUMBER");
    try {
      for (int k = 0;; ++k) option->get_validator(k)->description("");
    } catch (const CLI::OptionNotFound&) {  // there are no more
    }
  }
  for (CLI::App* verb : app.get_subcommands(nullptr)) name_types(*verb);
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
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
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
  cli::add_ask(app);
  cli::add_report(app);
  cli::add_cv(app);
  cli::add_curve(app);
  cli::add_tune(app);
  cli::add_experiment(app);
  cli::add_make(app);
  cli::add_convert(app);
  cli::add_scorecard(app);
  cli::add_shard(app);
  cli::add_mix(app);
  cli::add_finish(app);
  cli::add_completion(app);
  cli::add_help(app);
  cli::add_man(app);
  name_types(app);
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
    check_command(*app, arguments);
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
