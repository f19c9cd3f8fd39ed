// postil.toml: the options of a project, kept in a file so that command lines stay short.
//
//   data = "patients.csv"            # DATA, or --data of the commands about rules
//   rules = "patients.rules"         # --advice, or RULES
//   label = "outcome"                # any other key is the option of that name
//   ignore = ["id", "visit"]         # options that may be repeated
//   [set]                            # --set KEY=VALUE
//   lambda = 2
//   [cv]                             # for one command only
//   folds = 5
#define TOML_EXCEPTIONS 0
#include "project.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

constexpr const char* kUsual = "postil.toml";

// A value of the file, as one would type it: several where an option may be repeated.
struct Entry {
  std::string key;
  std::vector<std::string> values;
  bool flag = false;  // true or false
  bool text = false;  // all in quotes
  std::uint64_t line = 0;
};

[[noreturn]] void refuse(const std::string& path, std::uint64_t line, const std::string& message) {
  throw DataError({path, line, 0}, message);
}

std::string as_typed(const toml::node& value, const std::string& path, const std::string& key) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* whole = value.as_integer()) return std::to_string(whole->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = value.as_boolean()) return truth->get() ? "true" : "false";
  refuse(path, value.source().begin.line,
         fmt::format("{} must be a text, a number, true, false, or a list of these", in_quotes(key)));
}

bool all_text(const toml::node& value) {
  const toml::array* list = value.as_array();
  return list == nullptr ? value.is_string() : list->is_homogeneous(toml::node_type::string);
}

std::vector<Entry> entries_of(const toml::table& table, const std::string& path) {
  std::vector<Entry> out;
  for (const auto& [name, value] : table) {
    Entry entry{std::string(name.str()), {}, value.is_boolean(), all_text(value), value.source().begin.line};
    if (const toml::array* list = value.as_array()) {
      for (const toml::node& one : *list) entry.values.push_back(as_typed(one, path, entry.key));
    } else if (const toml::table* pairs = value.as_table()) {
      for (const auto& [key, one] : *pairs)
        entry.values.push_back(std::string(key.str()) + '=' + as_typed(one, path, entry.key));
    } else {
      entry.values.push_back(as_typed(value, path, entry.key));
    }
    out.push_back(std::move(entry));
  }
  return out;
}

// The option that a key means for a command: by its name, but for data, model and rules, which commands call differently.
CLI::Option* option_of(CLI::App& verb, const std::string& key) {
  const bool about_rules = verb.get_parent() != nullptr && verb.get_parent()->get_name() == "rules";
  if (key == "data") {
    if (CLI::Option* data = verb.get_option_no_throw("DATA")) return data;
    return about_rules ? verb.get_option_no_throw("--data") : nullptr;
  }
  if (key == "model") {
    CLI::Option* model = verb.get_option_no_throw("MODEL");
    return model != nullptr ? model : verb.get_option_no_throw("--model");
  }
  if (key == "rules") return verb.get_option_no_throw(about_rules ? "RULES" : "--advice");
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', '-');
  return verb.get_option_no_throw("--" + name);
}

bool names_a_file(const Entry& entry) { return entry.key == "data" || entry.key == "model" || entry.key == "rules"; }

// Refuses what the option would not take.
void check_values(CLI::Option& option, const Entry& entry, const std::string& path) {
  if (names_a_file(entry) && !entry.text)
    refuse(path, entry.line,
           fmt::format("{} is the name of a file, in quotes; found {}", in_quotes(entry.key), joined(entry.values)));
  if (option.get_positional() && entry.values.size() != 1)
    refuse(path, entry.line, fmt::format("{} is one file", in_quotes(entry.key)));
  if (entry.flag)
    refuse(path, entry.line,
           fmt::format("{} is a text or a number; found {}", in_quotes(entry.key), joined(entry.values)));
  try {
    if (option.get_items_expected_max() == 1)
      option.add_result(joined(entry.values, ","));
    else
      for (const std::string& value : entry.values) option.add_result(value);
    if (option.count() > 0) option.run_callback();
    option.clear();
  } catch (const CLI::ParseError& error) {
    refuse(path, entry.line, error.what());
  }
}

void collect_keys(CLI::App& app, std::vector<std::string>& out) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) out.push_back(name);
  for (CLI::App* verb : app.get_subcommands(nullptr)) collect_keys(*verb, out);
}

CLI::App* below(CLI::App& app, const std::string& name) {
  const auto found = app.get_subcommands([&](const CLI::App* verb) { return verb->get_name() == name; });
  return found.empty() ? nullptr : found[0];
}

bool given(const std::vector<std::string>& arguments, const std::string& start) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [&](const std::string& word) { return word == start || word.starts_with(start + "="); });
}
// Whether KEY of a KEY=VALUE of this option is among the arguments already.
bool given_pair(const std::vector<std::string>& arguments, const std::string& option, const std::string& pair) {
  const std::size_t equals = pair.find('=');
  if (equals == std::string::npos) return false;
  const std::string key = pair.substr(0, equals + 1);
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].starts_with(option + "=" + key) ||
        (arguments[i] == option && i + 1 < arguments.size() && arguments[i + 1].starts_with(key)))
      return true;
  return false;
}

}  // namespace

ProjectArguments with_project_file(CLI::App& app, std::vector<std::string> arguments) {
  // Options of postil itself stand before the command.
  std::string path;
  std::size_t place = 0;
  while (place < arguments.size() && arguments[place].starts_with("--config")) {
    const std::string word = arguments[place];
    if (word.starts_with("--config=")) {
      path = word.substr(9);
    } else if (word == "--config" && place + 1 < arguments.size()) {
      path = arguments[++place];
    } else {
      break;
    }
    ++place;
  }
  arguments.erase(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(place));
  const bool wanted = !path.empty();
  if (path == "none") return {std::move(arguments)};
  if (!wanted) path = kUsual;
  std::error_code ignored;
  if (!wanted && !std::filesystem::is_regular_file(path, ignored)) return {std::move(arguments)};

  CLI::App* verb = &app;
  std::size_t words = 0;
  std::string name;
  for (; words < arguments.size(); ++words) {
    CLI::App* next = below(*verb, arguments[words]);
    if (next == nullptr) break;
    verb = next;
    name += (name.empty() ? "" : " ") + arguments[words];
  }
  if (verb == &app || given(arguments, "--help") || given(arguments, "-h")) return {std::move(arguments)};

  if (std::filesystem::is_directory(path, ignored)) refuse(path, 0, "cannot be read: it is a directory");
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.good() && !file.eof()) throw DataError({path, 0, 0}, "cannot be read");
  toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) refuse(path, parsed.error().source().begin.line, std::string(parsed.error().description()));

  std::vector<Entry> entries;
  for (Entry& entry : entries_of(parsed.table(), path)) {
    const bool for_a_command = below(app, entry.key) != nullptr && parsed.table()[entry.key].is_table();
    if (!for_a_command) {
      std::vector<std::string> known{"data", "model", "rules"};
      collect_keys(app, known);
      std::string option = entry.key;
      std::replace(option.begin(), option.end(), '_', '-');
      if (std::find(known.begin(), known.end(), option) == known.end())
        refuse(path, entry.line,
               fmt::format("no command has an option {}{}", in_quotes(entry.key), suggestion(option, known)));
      entries.push_back(std::move(entry));
    }
  }
  const std::string first = name.substr(0, name.find(' '));
  if (const toml::table* own = parsed.table()[first].as_table())
    for (Entry& entry : entries_of(*own, path)) {
      if (option_of(*verb, entry.key) == nullptr)
        refuse(path, entry.line, fmt::format("{} has no option {}", name, in_quotes(entry.key)));
      std::erase_if(entries, [&](const Entry& other) { return other.key == entry.key; });
      entries.push_back(std::move(entry));
    }

  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::vector<std::string> added;
  std::vector<std::pair<std::string, const CLI::Option*>> used;  // the second: an argument, which may also be typed
  for (const Entry& entry : entries) {
    CLI::Option* option = option_of(*verb, entry.key);
    if (option == nullptr) continue;  // other commands have it
    std::vector<std::string> values = entry.values;
    const bool is_flag = option->get_expected_max() == 0;
    if (!is_flag) check_values(*option, entry, path);
    if (names_a_file(entry))
      for (std::string& value : values)
        if (!folder.empty() && std::filesystem::path(value).is_relative() && value != "-") value = folder / value;
    if (option->get_positional()) {
      option->default_val(values[0])->required(false);
      used.emplace_back(entry.key, option);
      continue;
    }
    const std::string typed = "--" + option->get_lnames()[0];
    const bool repeated = option->get_items_expected_max() > 1;
    bool any = false;
    if (is_flag) {
      if (!entry.flag) refuse(path, entry.line, fmt::format("{} is true or false", in_quotes(entry.key)));
      if (values[0] == "true" && !given(arguments, typed)) added.push_back(typed), any = true;
    } else if (repeated) {
      for (const std::string& value : values)
        if (!given_pair(arguments, typed, value)) added.insert(added.end(), {typed, value}), any = true;
    } else if (!given(arguments, typed)) {
      added.insert(added.end(), {typed, joined(values, ",")});
      any = true;
    }
    if (any) used.emplace_back(entry.key, nullptr);
  }
  const bool quiet = given(arguments, "--quiet");
  arguments.insert(arguments.begin() + static_cast<std::ptrdiff_t>(words), added.begin(), added.end());
  return {std::move(arguments), [path, used = std::move(used), quiet] {
            std::vector<std::string> keys;
            for (const auto& [key, argument] : used)
              if (argument == nullptr || argument->count() == 0) keys.push_back(key);
            if (!keys.empty() && !quiet) note(fmt::format("{} gives {}", path, joined(keys)));
          }};
}

}  // namespace postil::cli
