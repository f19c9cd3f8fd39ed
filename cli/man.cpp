// postil man: the manual pages, made from the commands themselves; for who installs Postil.
#include <fmt/format.h>

#include <filesystem>

#include "common.hpp"
#include "described.hpp"

namespace postil::cli {
namespace {

// Text as troff takes it: a dot or an apostrophe at the start of a line would be a request.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool starts = out.empty() || out.back() == '\n';
    if (starts && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string title_of(const std::string& path) {
  std::string title = "postil";
  for (const char c : path.empty() ? path : " " + path) title += c == ' ' ? '-' : c;
  return title;
}

std::string page(const Command& command) {
  const std::string name = title_of(command.path);
  std::string text = fmt::format(".TH \"{}\" 1 \"\" \"Postil {}\" \"User commands\"\n", roff(name), POSTIL_VERSION);
  text += fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B postil", roff(name), roff(command.help));
  if (!command.path.empty()) text += " " + roff(command.path);
  text += "\n";
  if (!command.commands.empty()) text += ".I COMMAND\n";
  for (const Flag& flag : command.flags)
    if (flag.positional) text += flag.required ? ".I " + roff(flag.name) + "\n" : "[\\fI" + roff(flag.name) + "\\fR]\n";
  text += "[options]\n";
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const std::string& below : command.commands) {
      const std::string path = command.path.empty() ? below : command.path + " " + below;
      text += fmt::format(".TP\n.BR {} (1)\n", roff(title_of(path)));
    }
  }
  text += ".SH OPTIONS\n";
  for (const Flag& flag : command.flags) {
    text += fmt::format(".TP\n\\fB{}\\fR", roff(flag.name));
    if (!flag.positional && !flag.value.empty()) text += fmt::format(" \\fI{}\\fR", roff(flag.value));
    text += "\n" + roff(flag.help);
    if (!flag.standard.empty()) text += fmt::format("\nDefault: {}", roff(flag.standard));
    text += "\n";
  }
  if (!command.footer.empty()) text += ".SH NOTES\n.nf\n" + roff(command.footer) + "\n.fi\n";
  text += ".SH EXIT STATUS\n0 success, 1 bad data or model, 2 bad usage.\n.SH SEE ALSO\n";
  return text + (command.path.empty() ? "docs/command.md in the sources.\n" : ".BR postil (1)\n");
}

}  // namespace

void add_man(CLI::App& app) {
  CLI::App* verb = app.add_subcommand("man", "Print the manual page of a command")->group("");
  struct Flags {
    std::vector<std::string> command;
    std::string folder;
  };
  auto flags = std::make_shared<Flags>();
  verb->add_option("COMMAND", flags->command, "The command, for example rules check. Default: postil itself");
  verb->add_option("-o,--output", flags->folder, "Write the pages of all commands into this folder");
  verb->footer("Example:  postil man train | man -l -");
  verb->callback([=, &app] {
    const std::string wanted = CLI::detail::join(flags->command, " ");
    for (const Command& command : described(app)) {
      if (flags->folder.empty() && command.path != wanted) continue;
      if (flags->folder.empty()) return print(page(command));
      OutputFile file((std::filesystem::path(flags->folder) / (title_of(command.path) + ".1")).string());
      file.write(page(command));
      file.commit();
    }
    if (flags->folder.empty()) throw ParamError(fmt::format("there is no command '{}'", wanted));
  });
}

}  // namespace postil::cli
