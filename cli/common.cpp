#include "common.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <thread>

#include "postil/text.hpp"

namespace postil::cli {
namespace {

// "COL=VALUE" or "VALUE": the column is empty in the second case.
std::pair<std::string, std::string> by_column(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return {"", text};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds);
  return whole < 60     ? fmt::format("{} s", whole)
         : whole < 3600 ? fmt::format("{}:{:02}", whole / 60, whole % 60)
                        : fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && std::none_of(text.begin(), text.end(), [](char c) {
    return (c >= 0 && c <= ' ') || c == '\x7f' ||
           std::string_view("\"'\\$`!&|;<>()[]{}*?~#").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

void tell(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

namespace {
// In one piece, among the messages of other programs. Colours only where someone reads (https://no-color.org).
void say(const Text& text, std::string_view colour) noexcept {
  try {
    const char* without = std::getenv("NO_COLOR");
    const bool painted = ::isatty(STDERR_FILENO) == 1 && (without == nullptr || *without == '\0');
    tell(painted ? fmt::format("\x1b[1;{}mpostil:\x1b[0m {}\n", colour, text.plain(command_words))
                 : fmt::format("postil: {}\n", text.plain(command_words)));
  } catch (const std::exception&) {
    tell("postil: not enough memory for a message\n");
  }
}
}  // namespace

void note(const Text& text) noexcept { say(text, "33"); }
void complain(const Text& text) noexcept { say(text, "31"); }

void print(const std::string& text) {
  OutputFile out("-");
  out.write(text);
  out.commit();
}

void print_json(const Json& json) { print(json.dump(2) + "\n"); }

std::string command_words(const Option& option) {
  std::string text = "--" + option.name;
  const std::string given = option.key + (option.key.empty() || option.value.empty() ? "" : "=") + option.value;
  if (given.empty()) return text;
  return text + ' ' + shell_word(given);
}

const CLI::Validator& whole_number() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        return digits && text.size() < 19 ? "" : fmt::format("'{}' is not a whole number from 0 to 10^18", text);
      },
      "WHOLE");
  return validator;
}

const CLI::Validator& not_empty() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string { return text.empty() ? "the name is empty" : ""; }, "");
  return validator;
}

const CLI::Validator& not_negative() {
  static const CLI::Validator validator(
      [](std::string& text) -> std::string {
        const std::optional<double> number = parse_number(text);
        return number && *number >= 0 ? "" : fmt::format("'{}' is not a number of 0 or more", text);
      },
      "NUMBER");
  return validator;
}

bool is_standard_output(const std::string& path) { return path == "-" || path == "/dev/stdout"; }

std::uint64_t parse_size(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  std::string unit(end);
  if (unit.ends_with('B') || unit.ends_with('b')) unit.pop_back();
  const double factor = unit.empty()                 ? 1
                        : unit == "K" || unit == "k" ? 1e3
                        : unit == "M" || unit == "m" ? 1e6
                        : unit == "G" || unit == "g" ? 1e9
                                                     : 0;
  if (end == text.c_str() || factor == 0 || !(number >= 0) || number * factor > 1e18)
    throw ParamError(fmt::format("'{}' is no size; expected something like 500M or 1GB", text));
  return static_cast<std::uint64_t>(number * factor);
}

void DataFlags::add_to(CLI::App& verb, bool training, bool weights) {
  verb.add_option("--format", format_, "csv, libsvm, jsonl or arff. Default: inferred from the file name or contents")
      ->group("Data");
  verb.add_option("--header", header_,
                  "yes or no: does the first line of a CSV file hold the names of the columns? Default: inferred from "
                  "its contents")
      ->group("Data");
  verb.add_option("--decimal", decimal_,
                  "point or comma: 1,234.5 or 1.234,5. Default: inferred from the first rows of a file whose cells are "
                  "not separated by commas")
      ->group("Data");
  verb.add_option("--label", label_,
                  training ? "The label column. Default: 'label', 'class' or 'target', else the last"
                           : "The label column. Default: the model's")
      ->group("Data");
  verb.add_option("--threads", threads_, "Threads for reading. Default: one per core, at most 4")
      ->check(whole_number())
      ->check(CLI::Range(1, 64))
      ->group("Data");
  if (!training) return;
  if (weights) verb.add_option("--weight", weight_, "A column with the weight of each row")->group("Data");
  verb.add_option("--ignore", ignore_, "Ignore this column. May be repeated")->group("Data")->allow_extra_args(false);
  verb.add_option("--na", na_,
                  "[COL=]VALUE: another value that means 'missing' (besides an empty cell, ?, NA and nan; and among "
                  "numbers N/A, null, - and their like). May be repeated")
      ->group("Data")
      ->allow_extra_args(false);
  verb.add_option(
          "--missing", missing_,
          "[COL=]mean, zero, indicator or refuse: how to fill in missing values. Default: mean. May be repeated")
      ->group("Data")
      ->allow_extra_args(false);
  verb.add_option("--kind", kind_,
                  "COL=number, integer, binary, categorical, date or percent: what a column holds, where its contents "
                  "do not show it. May be repeated")
      ->group("Data")
      ->allow_extra_args(false);
}

ReadOptions DataFlags::read_options() const {
  ReadOptions read;
  if (!format_.empty()) read.format = format_of(format_);
  if (!header_.empty()) {
    if (header_ != "yes" && header_ != "no")
      throw ParamError(fmt::format("--header is '{}', expected yes or no", header_));
    read.header = header_ == "yes";
  }
  if (!decimal_.empty()) {
    if (decimal_ != "point" && decimal_ != "comma")
      throw ParamError(fmt::format("--decimal is '{}', expected point or comma", decimal_));
    read.decimal_comma = decimal_ == "comma";
  }
  if (!label_.empty()) read.label = label_;
  if (!weight_.empty()) read.weight = weight_;
  read.ignore = ignore_;
  read.wishes.ignored = ignore_;
  if (!weight_.empty()) read.wishes.ignored.push_back(weight_);
  for (const std::string& text : na_) {
    const auto [column, value] = by_column(text);
    read.wishes.na[column].push_back(value);
  }
  for (const std::string& text : missing_) {
    const auto [column, value] = by_column(text);
    read.wishes.missing[column] = missing_of(value);
  }
  for (const std::string& text : kind_) {
    const auto [column, value] = by_column(text);
    if (column.empty()) throw ParamError(fmt::format("--kind '{}': expected COL=KIND", text));
    read.wishes.kinds[column] = kind_of(value);
  }
  read.threads = threads_ != 0 ? threads_ : std::min(4U, std::max(1U, std::thread::hardware_concurrency()));
  return read;
}

std::vector<Text> look_first(const std::string& path, ReadOptions& read, const Recipe& recipe) {
  constexpr std::uint64_t kFirstRows = 5000;
  std::vector<Text> said;
  if (!can_read_again(path)) return said;
  Inspection found;
  try {
    found = inspect(path, recipe.reading(read), kFirstRows);
  } catch (const DataError&) {
    return said;
  }
  std::vector<std::string> kept;
  if (recipe.rules)
    for (const Column& needed : schema_of_rules(*recipe.rules).columns)
      for (InspectedColumn& column : found.columns)
        if (column.name == needed.name && column.role == InspectedColumn::Role::left_out) {
          column.role = InspectedColumn::Role::feature;
          kept.push_back(column.name);
        }
  leave_out(found, read);
  for (const Remark& remark : found.remarks)
    if (std::find(kept.begin(), kept.end(), remark.column) == kept.end())
      said.emplace_back(remark.column.empty() ? path : "column " + in_quotes(remark.column), ": ", remark.text);
  return said;
}

void RecipeFlags::add_to(CLI::App& verb, bool one_learner) {
  if (one_learner) {
    verb.add_option("--learner", learner_,
                    "The learner; postil learners lists them. Default: advised; for regression, arow, or with rules "
                    "pa-adviceptron");
    verb.add_option("--set", settings_, "KEY=VALUE: a parameter of the learner. May be repeated")
        ->allow_extra_args(false);
  }
  verb.add_option("--preset", preset_,
                  "paper: the algorithm exactly as its paper prints it, without scaling of columns");
  verb.add_option("--advice", advice_, "A file of rules (docs/rules.md), for learners that accept rules");
  verb.add_option("--task", task_,
                  "classification, or regression (labels that are numbers). Default: classification, unless the rules "
                  "are about a number");
  verb.add_flag("--no-bias", no_bias_, "No intercept");
  verb.add_option("--class-weight", class_weights_,
                  "CLASS=WEIGHT: weight of the examples of a class; or balanced. May be repeated")
      ->allow_extra_args(false);
  verb.add_option("--pca", components_,
                  "Project onto the first K principal components of the training rows, after scaling")
      ->check(whole_number())
      ->check(CLI::Range(1U, 100'000U));
  verb.add_option("--memory", memory_,
                  "Memory limit of the model, at 64 bytes per weight (default and minimum 2GB); in train also of the "
                  "rows kept for shuffling (default 1GB).");
  add_schema_to(verb, "standard for CSV, none for LIBSVM");
}

void RecipeFlags::add_schema_to(CLI::App& verb, const std::string& default_scale) {
  verb.add_option("--scale", scale_, "standard, minmax, maxabs or none. Default: " + default_scale);
  verb.add_option("--classes", classes_, "A,B,...: all classes, where the file does not show all of them");
  verb.add_option(
      "--positive", positive_,
      "Of two classes, the positive one. Default: the larger number, or the last name in alphabetical order");
}

bool RecipeFlags::given() const {
  return !(learner_.empty() && settings_.empty() && scale_.empty() && classes_.empty() && positive_.empty() &&
           task_.empty() && class_weights_.empty() && preset_.empty()) ||
         no_bias_ || components_ > 0;
}

std::optional<std::uint64_t> RecipeFlags::memory() const {
  return memory_.empty() ? std::nullopt : std::optional(parse_size(memory_));
}

std::optional<RuleFile> RecipeFlags::rules() const {
  if (advice_.empty()) return std::nullopt;
  RuleFile file = read_rules(advice_);
  if (std::none_of(file.statements.begin(), file.statements.end(),
                   [](const Statement& statement) { return std::holds_alternative<RuleStatement>(statement.what); }))
    throw ParseError({file.source, 0, 0}, "there is no rule in it");
  return file;
}

namespace {

// Settings that the user has given stay.
void take_preset(const std::string& preset, Recipe& recipe) {
  if (preset != "paper") throw ParamError(fmt::format("--preset is '{}', expected paper", preset));
  const LearnerInfo& info = recipe.info();
  if (info.paper_settings.empty()) {
    std::vector<std::string> able;
    for (const LearnerInfo* other : learners())
      if (!other->paper_settings.empty()) able.emplace_back(other->name);
    throw ParamError(fmt::format("--preset paper is for {}; {} has no form that differs from its paper's, or no paper",
                                 joined(able), info.name));
  }
  recipe.settings.merge(parse_settings(split(info.paper_settings, ' ')));
  if (!recipe.scale) recipe.scale = Scale::none;
}

}  // namespace

Recipe RecipeFlags::recipe() const { return recipe_of(learner_, parse_settings(settings_)); }

Recipe RecipeFlags::recipe_of(const std::string& learner, std::map<std::string, std::string> settings,
                              bool beside_others) const {
  Recipe recipe;
  recipe.learner = learner;
  recipe.settings = std::move(settings);
  if (!task_.empty() && task_ != "classification" && task_ != "regression")
    throw ParamError(fmt::format("--task is '{}', expected classification or regression", task_));
  recipe.rules = rules();
  recipe.label.regression = task_ == "regression";
  if (task_ != "classification" && recipe.rules) recipe.label.take_claims(*recipe.rules);
  if (recipe.label.regression && !(classes_.empty() && positive_.empty() && class_weights_.empty()))
    throw ParamError("--classes, --positive and --class-weight are about classes; regression has none");
  if (!scale_.empty()) recipe.scale = scale_of(scale_);
  recipe.components = components_;
  recipe.memory = std::max(recipe.memory, memory().value_or(0));
  if (!classes_.empty()) recipe.label.classes = split(classes_, ',');
  recipe.label.positive = positive_;
  for (const std::string& text : class_weights_) {
    if (class_weights_.size() > 1 &&
        std::find(class_weights_.begin(), class_weights_.end(), "balanced") != class_weights_.end())
      throw ParamError("--class-weight balanced weighs all classes; it cannot be mixed with weights of some");
    if (text == "balanced") {
      recipe.label.balanced = true;
      continue;
    }
    const std::size_t equals = text.rfind('=');  // a class may be called "a=b"
    const std::optional<double> weight =
        equals == std::string::npos ? std::nullopt : parse_number(text.substr(equals + 1));
    if (!weight || *weight < 0)
      throw ParamError(
          fmt::format("--class-weight '{}': expected CLASS=WEIGHT with a weight of 0 or more, or balanced", text));
    if (!recipe.label.weights.emplace(text.substr(0, equals), *weight).second)
      throw ParamError(fmt::format("--class-weight names class '{}' twice", text.substr(0, equals)));
  }
  if (!preset_.empty()) take_preset(preset_, recipe);
  const LearnerInfo& info = recipe.info();
  const bool has_bias =
      std::any_of(info.params.begin(), info.params.end(), [](const ParamSpec& spec) { return spec.name == "bias"; });
  if (no_bias_ && !has_bias && info.kernels)
    throw ParamError(fmt::format("--no-bias: {} always has a bias", info.name));
  if (no_bias_ && has_bias) recipe.settings["bias"] = "none";
  if (beside_others && recipe.rules && !takes_advice(info, recipe.params())) recipe.rules.reset();
  recipe.check();  // wrong parameters are told before any data are read
  return recipe;
}

Meter::Meter() : terminal_(::isatty(STDERR_FILENO) == 1), started_(Clock::now()), last_(started_) {}

void Meter::update(std::string_view stage, std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
  if (!terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  std::string line = fmt::format("{}", stage);
  if (rows > 0) line += fmt::format("  {} rows, {:.0f}/s", rows, static_cast<double>(rows) / seconds);
  if (total > 0 && done > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    line += fmt::format("  {:.0f} %, {} left", 100 * share, duration(seconds * (1 - share) / share));
  }
  tell(fmt::format("\r{}\033[K", line));
  shown_ = true;
}

void Meter::clear() {
  if (!shown_) return;
  tell("\r\033[K");
  shown_ = false;
}

}  // namespace postil::cli
