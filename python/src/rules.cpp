// Rules: read, printed, examined, put into other forms.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>

#include "interrupt.hpp"
#include "rows.hpp"
#include "wishes.hpp"

namespace postil::python {
namespace {

using namespace nb::literals;  // NOLINT(google-build-using-namespace)

// Comments above a statement, up to the last blank line among them, are about the file, not about the statement.
std::vector<std::string> take_free_comments(Statement& statement) {
  std::vector<std::string>& before = statement.before;
  const auto blank = std::find(before.rbegin(), before.rend(), "").base();  // the first line below it
  if (std::all_of(before.begin(), blank, [](const std::string& line) { return line.empty(); })) return {};
  std::vector<std::string> free(before.begin(), blank);
  before.erase(before.begin(), blank);
  return free;
}

// A text of rules in pieces, whose texts one behind the other are the canonical text. Of each: its text, with comments; what it
// states, without them, which is empty where it is comments only; and the rule, if it is one.
nb::list pieces_of(const std::string& text, const std::string& source) {
  nb::list out;
  RuleFile file = rules_of(text, source);
  const auto add = [&](const Statement& statement, const nb::object& rule) {
    RuleFile whole, bare;
    whole.statements = bare.statements = {statement};
    bare.statements[0].before.clear();
    bare.statements[0].after.clear();
    out.append(nb::make_tuple(print_rules(whole), print_rules(bare), rule));
  };
  const auto add_comments = [&](std::vector<std::string> comments) {
    RuleFile whole;
    whole.end = std::move(comments);
    if (!whole.end.empty()) out.append(nb::make_tuple(print_rules(whole), "", nb::none()));
  };
  for (Statement& statement : file.statements) {
    add_comments(take_free_comments(statement));
    const auto* rule = std::get_if<RuleStatement>(&statement.what);
    if (rule == nullptr) {
      add(statement, nb::none());
      continue;
    }
    nb::dict entry;
    entry["id"] = rule->id.empty() ? fmt::format("line {}", statement.spot.line) : rule->id;
    entry["line"] = statement.spot.line;
    entry["condition"] = print(rule->condition);
    const Consequent& says = rule->consequent;
    entry["class"] = says.number     ? print(*says.number)
                     : says.sign > 0 ? std::string("+1")
                     : says.sign < 0 ? std::string("-1")
                                     : says.name;
    entry["negated"] = says.negated;
    entry["sure"] = rule->sure ? nb::cast(rule->sure->rate) : nb::none();
    entry["trust"] = rule->trust.value_or(1);
    entry["margin"] = rule->margin.value_or(1);
    entry["text"] = rule->text;
    add(statement, entry);
  }
  add_comments(file.end);
  return out;
}

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// Rules compiled against rows, or against the columns they name themselves.
struct Compiled {
  Schema schema;
  Advice advice;
};

Compiled compile(const std::string& text, const std::string& source, Rows* rows, const nb::dict& recipe) {
  Wishes wishes = wishes_of(recipe);
  if (!wishes.recipe.scale) wishes.recipe.scale = Scale::none;
  const RuleFile file = rules_of(text, source);
  Compiled out;
  if (rows == nullptr) {
    out.schema = schema_of_rules(file);
  } else {
    rows->rewind();
    out.schema = survey_source(*rows, wishes.columns, wishes.recipe, file);
  }
  out.advice = compile_rules(file, out.schema);
  return out;
}

// What `repair_rules` has found, kept so that some of it can be accepted.
struct Repairs {
  RuleFile file;
  std::vector<RuleEdit> edits;
  std::string json, text;

  [[nodiscard]] std::string apply(const std::vector<std::size_t>& numbers) const {
    std::vector<RuleEdit> chosen;
    for (const std::size_t number : numbers) {
      if (number == 0 || number > edits.size())
        throw ParamError(
            edits.empty() ? std::string("there is nothing to repair")
                          : fmt::format("there is no repair {}; they are numbered from 1 to {}", number, edits.size()));
      chosen.push_back(edits[number - 1]);
    }
    return print_rules(with_edits(file, chosen));
  }
};

Repairs repairs_for(const std::string& text, const std::string& source, Rows& rows, const nb::dict& recipe,
                    std::uint64_t seed) {
  const Compiled compiled = compile(text, source, &rows, recipe);
  Repairs out;
  out.file = rules_of(text, source);
  rows.rewind();
  const Interruptible interruptible;
  const nb::gil_scoped_release release;
  const DataSet data(rows);
  RepairOptions options;
  options.seed = seed;
  const RepairReport report = suggest_repairs(out.file, compiled.advice, compiled.schema, data, options);
  for (const RuleRepair& repair : report.repairs) out.edits.push_back(repair.edit);
  const Audience audience{.rows_from_zero = true};
  out.json = repair_json(report, compiled.advice, audience);
  out.text = repair_text(report, compiled.advice, {}, audience);
  return out;
}

// The recipe of a model of these rows, with the rules if there are any.
Recipe recipe_of(const nb::dict& given, const std::optional<RuleFile>& rules) {
  Recipe out = wishes_of(given).recipe;
  out.rules = rules;
  if (rules) out.label.take_claims(*rules);
  return out;
}

RulesWorth worth_of(const std::string& text, const std::string& source, Rows& rows, const nb::dict& given,
                    const WorthOptions& options) {
  const Recipe recipe = recipe_of(given, rules_of(text, source));
  const ColumnWishes columns = wishes_of(given).columns;
  rows.rewind();
  const Interruptible interruptible;
  const nb::gil_scoped_release release;
  return rules_worth(recipe, DataSet(rows), columns, options);
}

std::pair<std::string, std::string> suggestions_for(const std::optional<std::string>& text, const std::string& source,
                                                    Rows& rows, const nb::dict& given, std::size_t count,
                                                    std::size_t conditions, std::uint64_t seed) {
  const RuleFile rules = text ? rules_of(*text, source) : RuleFile{};
  const Recipe recipe = recipe_of(given, text ? std::optional(rules) : std::nullopt);
  const ColumnWishes columns = wishes_of(given).columns;
  rows.rewind();
  const Interruptible interruptible;
  const nb::gil_scoped_release release;
  const Schema schema = survey_source(rows, columns, recipe, rules);
  rows.rewind();
  const DataSet data(rows);
  const SuggestOptions options{.rules = count, .conditions = conditions, .seed = seed};
  const Suggestions found = suggest_rules(compile_rules(rules, schema), schema, data, recipe, options);
  return {suggestions_json(found, schema), suggestions_text(found)};
}

}  // namespace

void add_rules(nb::module_& m) {
  nb::class_<Repairs>(m, "Repairs")
      .def_ro("json", &Repairs::json)
      .def_ro("text", &Repairs::text)
      .def("apply", &Repairs::apply, "numbers"_a, "The rules with these repairs, numbered from 1.");
  m.def("repair_rules", &repairs_for, "text"_a, "source"_a, "rows"_a, "recipe"_a, "seed"_a = 0);
  m.def("pieces_of_rules", &pieces_of, "text"_a, "source"_a = "rules");
  m.def(
      "format_rules",
      [](const std::string& text, const std::string& source) { return print_rules(rules_of(text, source)); }, "text"_a,
      "source"_a = "rules");
  m.def(
      "check_rules",
      [](const std::string& text, const std::string& source, Rows* rows, const nb::dict& recipe,
         const std::optional<WorthOptions>& worth) {
        const Compiled compiled = compile(text, source, rows, recipe);
        RuleReport report{.advice = compiled.advice,
                          .schema = compiled.schema,
                          .hint = "'disagreements', 'conflicts' and 'overlaps' of this dict have all"};
        if (rows != nullptr) {
          rows->rewind();
          report.coverage = measure_coverage(compiled.advice, compiled.schema, *rows);
        }
        if (rows != nullptr && worth) report.worth = worth_of(text, source, *rows, recipe, *worth);
        report.check = check_rules(compiled.advice);
        return nb::make_tuple(rules_json(report), rules_text(report), rules_notes(report));
      },
      "text"_a, "source"_a, "rows"_a.none(), "recipe"_a, "worth"_a = nb::none(),
      "JSON, the text, and what it says below its table");
  nb::class_<WorthOptions>(m, "WorthOptions")
      .def(
          "__init__",
          [](WorthOptions* out, std::uint64_t labels, std::uint64_t runs, std::uint64_t seed) {
            new (out) WorthOptions{.labels = labels, .runs = runs, .seed = seed};
          },
          "labels"_a, "runs"_a, "seed"_a);
  m.def("suggest_rules", &suggestions_for, "text"_a.none(), "source"_a, "rows"_a, "recipe"_a, "count"_a, "conditions"_a,
        "seed"_a = 0, "Short rules that labelled rows support: JSON, and a text of rules.");
  m.def(
      "show_rules",
      [](const std::string& text, const std::string& source, Rows* rows, const nb::dict& recipe) {
        const Compiled compiled = compile(text, source, rows, recipe);
        return advice_json(compiled.advice, compiled.schema, false);
      },
      "text"_a, "source"_a, "rows"_a.none(), "recipe"_a);
  m.def(
      "rules_that_hold",
      [](const std::string& text, const std::string& source, Rows& rows, const nb::dict& recipe) {
        const Compiled compiled = compile(text, source, &rows, recipe);
        rows.rewind();
        const RulesThatHold holds = rules_that_hold(compiled.advice, compiled.schema, rows);
        std::vector<std::int64_t> starts(holds.starts.begin(), holds.starts.end());
        std::vector<std::int32_t> rules(holds.rules.begin(), holds.rules.end());
        return nb::make_tuple(to_numpy(std::move(starts)), to_numpy(std::move(rules)));
      },
      "text"_a, "source"_a, "rows"_a, "recipe"_a,
      "Which rules hold on each row, as the index pointer and the indices of a sparse matrix in CSR form.");
  m.def(
      "rules_from",
      [](const std::string& form, const std::string& text, const std::string& source, bool unordered) {
        return print_rules(rules_from(rule_form_of(form), text, source, unordered));
      },
      "form"_a, "text"_a, "source"_a, "unordered"_a = false, "Rules in another form, as rules.");
  m.def(
      "rules_to",
      [](const std::string& form, const std::string& text, const std::string& source) {
        WrittenRules out = rules_to(rule_form_of(form), rules_of(text, source));
        return std::pair(std::move(out.text), std::move(out.notes));
      },
      "form"_a, "text"_a, "source"_a, "Rules in another form, and what it could not say.");
}

}  // namespace postil::python
