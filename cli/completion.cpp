// postil completion: scripts by which a shell completes commands, options and names of learners; made from the commands themselves.
#include <fmt/format.h>

#include "common.hpp"
#include "described.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

std::string names(const Command& command) {
  std::vector<std::string> words = command.commands;
  for (const Flag& flag : command.flags)
    if (!flag.positional) words.push_back(flag.name);
  return joined(words, " ");
}

// What may follow some options.
std::vector<std::pair<std::string, std::string>> values() {
  std::vector<std::string> learners;
  for (const LearnerInfo* info : postil::learners()) learners.emplace_back(info->name);
  return {{"--learner", joined(learners, " ")},
          {"--task", "classification regression"},
          {"--format", "csv libsvm jsonl arff"},
          {"--scale", "standard minmax maxabs none"},
          {"--decide", "likely balanced"},
          {"--decimal", "point comma"},
          {"--header", "yes no"}};
}

std::string bash_script(const std::vector<Command>& commands) {
  std::string text =
      "_postil() {\n"
      "  local now=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} path= word\n"
      "  case $before in\n";
  for (const auto& [option, words] : values())
    text += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$now\")); return ;;\n", option, words);
  text += "  esac\n  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    case \"$path $word\" in\n";
  for (const Command& command : commands)
    if (!command.path.empty()) {
      const std::size_t space = command.path.rfind(' ');
      const std::string above = space == std::string::npos ? "" : command.path.substr(0, space);
      text += fmt::format("      '{} {}') path='{}' ;;\n", above, command.path.substr(space + 1), command.path);
    }
  text += "    esac\n  done\n  case $path in\n";
  for (const Command& command : commands)  // where files may stand, options are offered from the first dash on
    text += fmt::format("    '{}') {}COMPREPLY=($(compgen -W '{}' -- \"$now\")) ;;\n", command.path,
                        command.commands.empty() ? "[[ $now == -* ]] && " : "", names(command));
  return text + "  esac\n}\ncomplete -o default -F _postil postil\n";
}

std::string in_fish(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string text =
      "function __postil_at\n"
      "  set -l words (commandline -opc)\n"
      "  set -e words[1]\n"
      "  set words (string match -v -- '-*' $words)\n"
      "  set -l depth (count $argv)\n"
      "  test (count $words) -ge $depth; and test \"$words[1..$depth]\" = \"$argv\"\n"
      "end\n";
  for (const Command& command : commands) {
    const std::string where =
        command.path.empty() ? "-n __fish_use_subcommand" : fmt::format("-n '__postil_at {}'", command.path);
    for (const Command& below : commands) {
      const std::size_t space = below.path.rfind(' ');
      const std::string above = space == std::string::npos ? "" : below.path.substr(0, space);
      if (!below.path.empty() && above == command.path)
        text += fmt::format("complete -c postil {} -a {} -d {}\n", where, below.path.substr(space + 1),
                            in_fish(below.help));
    }
    for (const Flag& flag : command.flags) {
      if (flag.positional) continue;
      text += fmt::format("complete -c postil {} -l {} -d {}{}\n", where, flag.name.substr(2),
                          in_fish(first_sentence(flag.help)), !flag.value.empty() ? " -r" : "");
      for (const auto& [option, words] : values())
        if (option == flag.name) {
          text.pop_back();
          text += fmt::format(" -f -a {}\n", in_fish(words));
        }
    }
  }
  return text;
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* verb =
      app.add_subcommand("completion", "Print a script with which bash, zsh or fish completes commands and options");
  auto shell = std::make_shared<std::string>();
  verb->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  verb->footer(
      "bash:  postil completion bash > ~/.local/share/bash-completion/completions/postil\n"
      "zsh:   add  source <(postil completion zsh)  to ~/.zshrc, after compinit\n"
      "fish:  postil completion fish > ~/.config/fish/completions/postil.fish\n\n"
      "Example:  postil completion bash");
  verb->callback([shell, &app] {
    const std::vector<Command> commands = described(app);
    if (*shell == "bash")
      print(bash_script(commands));
    else if (*shell == "zsh")
      print("autoload -U +X bashcompinit && bashcompinit\n" + bash_script(commands));
    else if (*shell == "fish")
      print(fish_script(commands));
    else
      throw ParamError(fmt::format("there is no script for {}; choose bash, zsh or fish", in_quotes(*shell)));
  });
}

void add_help(CLI::App& app) {  // main() turns `help train` into `train --help`
  CLI::App* verb = app.add_subcommand("help", "Show the options and examples of a command");
  verb->add_option("COMMAND", "The command, for example rules check. Default: postil itself");
  verb->prefix_command();
  verb->footer("Example:  postil help rules check");
}

}  // namespace postil::cli
