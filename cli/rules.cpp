// postil rules check, show, lint, fmt, convert: an expert's rules, before they teach.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "postil/text.hpp"
#include "rules.hpp"

namespace postil::cli {
namespace {

// What --classes and --positive say about rules without data.
Label label_of(Label label, const LabelWishes& wishes) {
  if (!wishes.classes.empty()) {
    label.classes.clear();
    for (const std::string& name : wishes.classes) label.classes.push_back(canonical_label(name));
    label.classes = ordered_classes(label.classes);
    label.positive = static_cast<std::uint32_t>(label.classes.size() - 1);
  }
  if (wishes.positive.empty()) return label;
  const auto found = std::find(label.classes.begin(), label.classes.end(), canonical_label(wishes.positive));
  if (label.classes.size() != 2 || found == label.classes.end())
    throw ParamError(fmt::format("--positive is one of two classes; known: {}", joined(label.classes)));
  label.positive = static_cast<std::uint32_t>(found - label.classes.begin());
  return label;
}

Recipe recipe_for(const RulesFlags& flags, const RuleFile& file) {
  Recipe recipe = flags.recipe.recipe();
  recipe.label.take_claims(file);
  return recipe;
}

ReadOptions read_options(const RulesFlags& flags, Recipe recipe, const RuleFile& file) {
  recipe.rules = file;  // messages may be about them
  ReadOptions read = recipe.reading(flags.reading.read_options());
  read.unlabelled = flags.no_labels;
  read.use_label = !flags.no_labels;
  return read;
}

// Where the last column was taken for the label and the rules know none of its values, it may be no label at all.
void doubt_label(const RulesFlags& flags, const RuleFile& file, const Schema& schema) {
  const Label& label = schema.label;
  const std::string name = lower_case(label.name);
  const bool chosen = !flags.reading.label().empty() || name == "label" || name == "class" || name == "target";
  if (flags.no_labels || chosen || label.real() || schema.sparse()) return;
  for (const std::string& known : schema_of_rules(file).label.classes)
    if (std::find(label.classes.begin(), label.classes.end(), canonical_label(known)) != label.classes.end()) return;
  note(fmt::format(
      "{}: the last column, {}, is taken for the label, and the rules name none of its values; --label names another "
      "column, --no-labels says that there is none",
      flags.data, in_quotes(label.name)));
}

// What the data say of the columns that rules are about.
Schema schema_of_data(const RulesFlags& flags, const RuleFile& file, Meter& meter) {
  if (flags.data == "-" || (std::filesystem::exists(flags.data) && !can_read_again(flags.data)))
    throw ParamError("--data is read twice; it must be a file");
  if (flags.no_labels && !flags.reading.label().empty())
    throw ParamError("--label and --no-labels contradict each other");
  Recipe recipe = recipe_for(flags, file);
  if (!recipe.scale) recipe.scale = Scale::none;  // rules are shown in raw units unless asked otherwise
  const ReadOptions read = read_options(flags, recipe, file);
  Reader reader(flags.data, read);
  return survey_source(reader, read.wishes, recipe, file,
                       [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
                         meter.update("surveying", rows, done, total);
                       });
}

}  // namespace

LoadedRules load_rules_for(const RulesFlags& flags, Meter& meter) {
  LoadedRules out;
  ParsedRules parsed = load_rules(flags.rules);
  out.file = std::move(parsed.file);
  const CompileOptions options{.exclusive = flags.exclusive, .mistakes = std::move(parsed.problems)};
  std::vector<std::string> notes;
  if (flags.data.empty()) {
    const Recipe recipe = flags.recipe.recipe();
    if (recipe.scale.value_or(Scale::none) != Scale::none)
      throw ParamError("--scale needs --data to know the columns' means and ranges");
    out.schema = schema_of_rules(out.file);
    out.schema.label = label_of(out.schema.label, recipe.label);
  } else {
    out.read = read_options(flags, recipe_for(flags, out.file), out.file);
    out.schema = schema_of_data(flags, out.file, meter);
    doubt_label(flags, out.file, out.schema);
  }
  out.advice = compile_rules(out.file, out.schema, options, &notes);
  meter.clear();
  for (const std::string& text : notes) note(text);
  return out;
}

namespace {

// ---- show ----

void run_show(const RulesFlags& flags) {
  Meter meter;
  const LoadedRules loaded = load_rules_for(flags, meter);
  print(flags.json ? advice_json(loaded.advice, loaded.schema, flags.sparse)
                   : advice_text(loaded.advice, loaded.schema));
}

// ---- check ----

RulesWorth worth_of(const RulesFlags& flags, const LoadedRules& loaded, Meter& meter) {
  if (flags.data.empty() || flags.no_labels) throw ParamError("--worth needs --data with labels");
  Recipe recipe = recipe_for(flags, loaded.file);
  recipe.rules = loaded.file;
  ReadOptions read = read_options(flags, recipe, loaded.file);
  read.schema = nullptr;
  for (const Text& remark : look_first(flags.data, read, recipe)) note(remark);
  const DataSet data(flags.data, read);
  WorthOptions options{.labels = flags.labels, .runs = flags.runs, .seed = flags.seed};
  options.progress = [&](std::uint64_t done, std::uint64_t total) { meter.update("learning", 0, done, total); };
  return rules_worth(recipe, data, read.wishes, options);
}

void run_check(const RulesFlags& flags) {
  Meter meter;
  const LoadedRules loaded = load_rules_for(flags, meter);
  RuleReport report{.advice = loaded.advice, .schema = loaded.schema, .all = flags.all, .hint = "--all lists them"};
  if (!flags.data.empty()) {
    report.coverage = measure_coverage(loaded.advice, loaded.schema, flags.data, loaded.read,
                                       [&](std::uint64_t rows, std::uint64_t done, std::uint64_t total) {
                                         meter.update("applying", rows, done, total);
                                       });
  }
  report.check = check_rules(
      loaded.advice, [&](std::uint64_t done, std::uint64_t total) { meter.update("comparing rules", 0, done, total); });
  if (flags.worth) report.worth = worth_of(flags, loaded, meter);
  meter.clear();
  print(flags.json ? rules_json(report) : rules_text(report));
  const RuleCheck& check = report.check;
  const std::size_t pairs = check.conflicts.size() + check.opposed.size();
  if (flags.strict && pairs > 0)
    throw DataError({flags.rules, 0, 0},
                    fmt::format("{} pair{} of rules contradict each other (--strict)", pairs, pairs == 1 ? "" : "s"));
}

// ---- lint ----

std::optional<Spot> cursor_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto number = [](const std::string& part) -> std::uint32_t {
    const bool digits = !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
    return digits ? static_cast<std::uint32_t>(std::stoul(part)) : 0;
  };
  const Spot out{number(text.substr(0, colon)), number(text.substr(colon + 1))};
  return out.line > 0 && out.column > 0 ? std::optional(out) : std::nullopt;
}

void run_lint(const RulesFlags& flags) {
  Meter meter;
  const RuleFile file = load_rules(flags.rules).file;
  std::optional<Schema> schema;
  if (!flags.data.empty()) schema = schema_of_data(flags, file, meter);
  meter.clear();
  const RuleLint found = lint_rules(file.text, schema ? &*schema : nullptr, cursor_of(flags.cursor));
  print(flags.json ? lint_json(found) : lint_text(found, file.source));
}

// ---- fmt, convert ----

void write(const RulesFlags& flags, const std::string& text, const std::vector<std::string>& notes) {
  OutputFile out(flags.out);
  out.write(flags.json ? Json{{"text", text}, {"notes", notes}}.dump(2) + "\n" : text);
  out.commit();
  for (const std::string& said : notes) note(said);
}

void run_convert(const RulesFlags& flags) {
  const RulesText given = read_rules_text(flags.rules);
  const RuleForm form = flags.from.empty() ? guessed_form(given.text) : rule_form_of(flags.from);
  const RuleFile file = rules_from(form, given.text, given.source, flags.unordered);
  const WrittenRules written = rules_to(rule_form_of(flags.to), file);
  write(flags, written.text, written.notes);
}

}  // namespace

void add_rules_and_data(CLI::App& verb, RulesFlags& flags, bool data_needed) {
  verb.add_option("RULES", flags.rules, "A file of rules; - for standard input")->required();
  if (data_needed)
    verb.add_option("--data", flags.data, "Labelled rows that the rules are about")->required();
  else
    verb.add_option("--data", flags.data, "The data that the rules are about. Default: the columns they name");
  if (!data_needed)
    verb.add_flag("--no-labels", flags.no_labels,
                  "The data have no label column: every column is one that rules may be about");
  verb.add_flag("--exclusive", flags.exclusive,
                "A rule for one of several classes also counts as a rule against the others");
  verb.add_flag("--json", flags.json, "Print one JSON document");
  flags.recipe.add_schema_to(verb, "none, raw units");
  flags.reading.add_to(verb, true);
}

void add_rules(CLI::App& app) {
  CLI::App* rules = app.add_subcommand("rules", "Check, repair, show, format and convert rules");
  rules->require_subcommand(1);
  rules->footer("The language: docs/rules.md.  Example:  postil rules check advice.rules --data points.csv");

  CLI::App* check = rules->add_subcommand("check", "Check rules: coverage, accuracy, contradictions, mistakes");
  auto checking = std::make_shared<RulesFlags>();
  add_rules_and_data(*check, *checking);
  check->add_flag("--all", checking->all,
                  "List every pair of rules that contradict each other, not only the first ten");
  check->add_flag("--strict", checking->strict, "End with exit code 1 if rules contradict each other");
  check->add_flag(
      "--worth", checking->worth,
      "Also how many labels the rules are worth, and the error without each of them: learns on random parts of "
      "the data, with the rules and without");
  check->add_option("--labels", checking->labels, "With --worth: labels to learn from, at most")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{1'000'000}))
      ->capture_default_str();
  check->add_option("--runs", checking->runs, "With --worth: how often, each time from other rows")
      ->check(whole_number())
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{10'000}))
      ->capture_default_str();
  check->footer(
      "Example:  postil rules check advice.rules --data points.csv\n"
      "          postil rules check advice.rules --data points.csv --worth");
  check->callback([=] { run_check(*checking); });

  CLI::App* show = rules->add_subcommand("show", "Show rules as learners see them: D x <= d for each conjunction");
  auto showing = std::make_shared<RulesFlags>();
  add_rules_and_data(*show, *showing);
  show->add_flag("--sparse", showing->sparse, "JSON: rows of D as [feature, value] pairs");
  show->footer("Example:  postil rules show advice.rules --data points.csv --scale standard");
  show->callback([=] { run_show(*showing); });

  add_repair(*rules);
  add_suggest(*rules);

  CLI::App* lint = rules->add_subcommand("lint", "For editors: kinds of words, errors, completions");
  auto linting = std::make_shared<RulesFlags>();
  add_rules_and_data(*lint, *linting);
  lint->add_option("--at", linting->cursor, "LINE:COLUMN, counted from 1: show completions for this place")
      ->check(CLI::Validator([](const std::string& text) { return cursor_of(text) ? "" : "expected LINE:COLUMN"; },
                             "LINE:COLUMN"));
  lint->footer("Example:  postil rules lint advice.rules --data points.csv --at 3:12 --json");
  lint->callback([=] { run_lint(*linting); });

  CLI::App* fmt_verb = rules->add_subcommand("fmt", "Print rules in canonical form");
  auto printing = std::make_shared<RulesFlags>();
  fmt_verb->add_option("RULES", printing->rules, "A file of rules; - for standard input")->required();
  fmt_verb->add_option("-o,--output", printing->out, "File to write. Default: standard output");
  fmt_verb->add_flag("--json", printing->json, "a JSON document with the text in it");
  fmt_verb->footer("Example:  postil rules fmt advice.rules");
  fmt_verb->callback([=] { write(*printing, print_rules(read_rules(printing->rules)), {}); });

  CLI::App* convert = rules->add_subcommand("convert", "Convert rules from and to other forms");
  auto converting = std::make_shared<RulesFlags>();
  convert->add_option("FILE", converting->rules, "rules in some form; - for standard input")->required();
  convert->add_option("--from", converting->from,
                      "rules, json, table (CSV of column, operator, value, class) or list (as Weka's PART and JRip "
                      "print them). Default: inferred from the contents");
  convert->add_option("--to", converting->to, "rules, json, sql (a CASE expression) or english")->capture_default_str();
  convert->add_flag("--unordered", converting->unordered,
                    "For lists: read each rule as if it stood alone, instead of only where no rule before it holds");
  convert->add_option("-o,--output", converting->out, "File to write. Default: standard output");
  convert->add_flag("--json", converting->json, "a JSON document with the text in it");
  convert->footer(
      "Example:  postil rules convert part.txt -o part.rules\n"
      "          postil rules convert advice.rules --to sql");
  convert->callback([=] { run_convert(*converting); });
}

}  // namespace postil::cli
