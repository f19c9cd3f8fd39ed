// Rules: read, printed, examined, put into other forms.
#include <fmt/format.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "rows.hpp"
#include "wishes.hpp"

namespace postil::python {
namespace {

using namespace nb::literals;  // NOLINT(google-build-using-namespace)

nb::list parse(const std::string& text, const std::string& source) {
  nb::list out;
  const RuleFile file = rules_of(text, source);
  for (const Statement& statement : file.statements) {
    const auto* rule = std::get_if<RuleStatement>(&statement.what);
    if (rule == nullptr) continue;
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
    out.append(std::move(entry));
  }
  return out;
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

}  // namespace

void add_rules(nb::module_& m) {
  m.def("parse_rules", &parse, "text"_a, "source"_a = "rules");
  m.def(
      "format_rules",
      [](const std::string& text, const std::string& source) { return print_rules(rules_of(text, source)); }, "text"_a,
      "source"_a = "rules");
  m.def(
      "check_rules",
      [](const std::string& text, const std::string& source, Rows* rows, const nb::dict& recipe, bool json) {
        const Compiled compiled = compile(text, source, rows, recipe);
        RuleReport report{compiled.advice, compiled.schema};
        if (rows != nullptr) {
          rows->rewind();
          report.coverage = measure_coverage(compiled.advice, compiled.schema, *rows);
        }
        report.check = check_rules(compiled.advice);
        return json ? rules_json(report) : rules_text(report);
      },
      "text"_a, "source"_a, "rows"_a.none(), "recipe"_a, "json"_a);
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
        const std::size_t count = holds.starts.size() - 1, width = compiled.advice.rules.size();
        auto* truth = new bool[count * width + 1]();
        for (std::size_t i = 0; i < count; ++i)
          for (const std::uint32_t rule : holds.on(i)) truth[i * width + rule] = true;
        const nb::capsule owner(truth, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
        return nb::ndarray<nb::numpy, bool, nb::ndim<2>>(truth, {count, width}, owner);
      },
      "text"_a, "source"_a, "rows"_a, "recipe"_a, "Whether each rule holds on each row.");
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
