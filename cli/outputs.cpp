// A command never writes over a file that it reads: a slip of the hand must not cost anyone their data.
#include "outputs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "common.hpp"
#include "postil/text.hpp"

namespace postil::cli {
namespace {

constexpr std::string_view kRead[] = {"MODEL",    "DATA",   "RULES",  "IN",           "FILE",      "--data",
                                      "--advice", "--init", "--test", "--unlabelled", "--certify", "STATE"};
constexpr std::string_view kWritten[] = {"OUT", "--output", "--save-folds"};

// Endings of files that other programs write and these commands do not.
constexpr std::string_view kForeign[] = {".parquet", ".feather", ".arrow", ".xlsx",  ".xls",
                                         ".dta",     ".arff",    ".json",  ".jsonl", ".ndjson"};
struct Writing {
  std::string_view command, option, what;
  bool json;  // with --json a document
};
constexpr Writing kWritings[] = {{"convert", "OUT", "data as .csv or .svm, models as .onnx, .sql or .model", false},
                                 {"make", "--output", ".csv or .svm", false},
                                 {"predict", "--output", "CSV, and with --json one JSON document", true}};

struct NamedFile {
  std::string option, path;
  std::pair<dev_t, ino_t> identity;
};

// What `train` and its like write is --model; where there is --output beside it, it is read.
std::vector<std::string_view> with_model(std::span<const std::string_view> names, bool model) {
  std::vector<std::string_view> out(names.begin(), names.end());
  if (model) out.emplace_back("--model");
  return out;
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? option.get_name() : "--" + option.get_lnames()[0];
}

// Of a file that is there; pipes and devices may be read and written at once.
std::optional<std::pair<dev_t, ino_t>> identity_of(const std::string& path) {
  struct stat status {};
  if (path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

std::vector<NamedFile> files_of(const CLI::App& verb, std::span<const std::string_view> names) {
  std::vector<NamedFile> out;
  for (const CLI::Option* option : verb.get_options()) {
    const std::string name = name_of(*option);
    if (option->get_expected_max() == 0 || std::find(names.begin(), names.end(), name) == names.end()) continue;
    std::vector<std::string> paths = option->results();
    if (paths.empty()) paths = {option->get_default_str()};  // postil.toml gives arguments in this way
    for (const std::string& path : paths)
      if (const auto identity = identity_of(path)) out.push_back({name, path, *identity});
  }
  return out;
}

// Text under the name of another format would be no such file.
void check_ending(const CLI::App& verb, const Writing& writing) {
  const CLI::Option* out = verb.get_option_no_throw(std::string(writing.option));
  if (out == nullptr || out->count() == 0) return;
  std::string name = lower_case(out->results()[0]);
  for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"})
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  for (const std::string_view ending : kForeign)
    if (name.ends_with(ending) && !(writing.json && ending.starts_with(".json") && verb.count("--json") > 0))
      throw ParamError(
          fmt::format("{}: {} is not written; {} writes {}", out->results()[0], ending, writing.command, writing.what));
}

}  // namespace

void check_outputs(const CLI::App& app) {
  for (const CLI::App* verb : app.get_subcommands()) {
    const bool reads_model = verb->get_option_no_throw("--output") != nullptr;
    const std::vector<NamedFile> read = files_of(*verb, with_model(kRead, reads_model));
    for (const NamedFile& file : files_of(*verb, with_model(kWritten, !reads_model)))
      for (const NamedFile& input : read) {
        if (file.identity != input.identity) continue;
        if (file.option == "--model" && input.option == "--init") continue;  // training goes on where it was
        if (verb->get_name() == "fmt") continue;                             // the same rules, in another form
        throw DataError({.code = Code::cannot_write,
                         .place = {file.path},
                         .message = fmt::format("this file is also an input ({}); name another file for {}",
                                                input.option, file.option)});
      }
    for (const Writing& writing : kWritings)
      if (writing.command == verb->get_name() && app.get_parent() == nullptr) check_ending(*verb, writing);
    check_outputs(*verb);
  }
}

}  // namespace postil::cli
