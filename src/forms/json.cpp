// json.cpp: rules as JSON and back. The document is described in docs/rules.md; whatever it says is printed as rules and read
// again, so that nothing gets in that the language could not say.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advice/lexer.hpp"
#include "core/math.hpp"
#include "core/strict_json.hpp"
#include "forms.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr int kDeepest = 100;
constexpr std::string_view kFormat = "postil rules";

// ---- to JSON ----

using Json = nlohmann::ordered_json;

Json item_json(const ColumnItem& item) {
  if (item.last.empty() && !item.quoted) return item.first;
  Json out{{"column", item.first}};
  if (!item.last.empty()) out["to"] = item.last;
  if (item.quoted) out["quoted"] = true;
  return out;
}
Json items_json(const std::vector<ColumnItem>& items) {
  Json out = Json::array();
  for (const ColumnItem& item : items) out.push_back(item_json(item));
  return out;
}

Json term_json(const Term& term) {
  Json out;
  switch (term.kind) {
    case Term::Kind::number: out = {{"number", term.coefficient}}; break;
    case Term::Kind::percent: out = {{"percent", term.coefficient}}; break;
    case Term::Kind::date: out = {{"date", term.text}, {"times", term.coefficient}}; break;
    case Term::Kind::text: out = {{"text", term.text}}; break;
    case Term::Kind::column: out = {{"column", item_json(term.items[0])}, {"times", term.coefficient}}; break;
    case Term::Kind::sum: out = {{"sum", items_json(term.items)}, {"times", term.coefficient}}; break;
  }
  if (out.contains("times") && term.coefficient == 1) out.erase("times");
  if (term.divisor) out["over"] = item_json(*term.divisor);
  return out;
}
// 126 and "glucose" are short for [{"number": 126}] and [{"column": "glucose"}].
Json linear_json(const Linear& linear) {
  const bool plain = linear.size() == 1 && !linear[0].divisor;
  if (plain && linear[0].kind == Term::Kind::number) return linear[0].coefficient;
  if (plain && linear[0].kind == Term::Kind::column && linear[0].coefficient == 1)
    if (Json item = item_json(linear[0].items[0]); item.is_string()) return item;
  Json out = Json::array();
  for (const Term& term : linear) out.push_back(term_json(term));
  return out;
}

Json condition_json(const Condition& c) {
  const auto parts = [&] {
    Json out = Json::array();
    for (const Condition& part : c.parts) out.push_back(condition_json(part));
    return out;
  };
  switch (c.kind) {
    case Condition::Kind::compare: {
      Json operands = Json::array(), relations = Json::array();
      for (const Linear& operand : c.operands) operands.push_back(linear_json(operand));
      for (const Relation relation : c.relations) relations.push_back(word(relation));
      return {{"compare", operands}, {"by", relations.size() == 1 ? relations[0] : relations}};
    }
    case Condition::Kind::between:
      return {{"between", linear_json(c.operands[0])},
              {"low", linear_json(c.operands[1])},
              {"high", linear_json(c.operands[2])}};
    case Condition::Kind::within: return {{"in", c.words}, {"column", item_json(c.items[0])}};
    case Condition::Kind::columns: return {{c.words[0], items_json(c.items)}};
    case Condition::Kind::missing: return {{"missing", item_json(c.items[0])}};
    case Condition::Kind::name: return {{"name", item_json(c.items[0])}};
    case Condition::Kind::more: return {{"more", item_json(c.items[0])}};
    case Condition::Kind::less: return {{"less", item_json(c.items[0])}};
    case Condition::Kind::all: return {{"and", parts()}};
    case Condition::Kind::any: return {{"or", parts()}};
    case Condition::Kind::negation: return {{"not", condition_json(c.parts[0])}};
    case Condition::Kind::at_least: return {{"at_least", c.count}, {"of", parts()}};
    case Condition::Kind::count: return {{"count", parts()}, {"is", word(c.relations[0])}, {"number", c.count}};
  }
  return {};
}

Json end_json(double value) { return std::isinf(value) ? Json() : Json(value); }

struct ToJson {
  Json operator()(const ClassStatement& s) const { return {{"class", s.name}, {"value", s.value}}; }
  Json operator()(const DomainStatement& s) const {
    Json out{{"domain", items_json(s.items)}, {"low", end_json(s.low)}, {"high", end_json(s.high)}};
    if (s.written != Kind::number) out["written"] = word(s.written);
    return out;
  }
  Json operator()(const IntegerStatement& s) const { return {{"integer", items_json(s.items)}}; }
  Json operator()(const DefineStatement& s) const {
    return {{"define", s.name}, {"condition", condition_json(s.condition)}};
  }
  Json operator()(const RuleStatement& s) const {
    Json says{{"class", s.consequent.sign == 0 ? Json(s.consequent.name) : Json(s.consequent.sign)}};
    if (s.consequent.quoted) says["quoted"] = true;
    if (s.consequent.negated) says["not"] = true;
    if (s.consequent.number) says = condition_json(*s.consequent.number);
    Json out{{"rule", s.id}, {"if", condition_json(s.condition)}, {"then", says}};
    if (s.sure) out["sure"] = s.sure->rate;
    if (s.sure && s.sure->rows) out["sure_rows"] = *s.sure->rows;
    if (s.trust) out["trust"] = *s.trust;
    if (s.margin) out["margin"] = *s.margin;
    return out;
  }
};

// ---- from JSON ----

using In = nlohmann::json;

[[noreturn]] void refuse(const In& found, std::string_view expected) {
  throw JsonMistake(fmt::format(
      "found {}, expected {}",
      found.is_structured() ? "something else" : shown(found.dump(-1, ' ', false, In::error_handler_t::replace)),
      expected));
}
std::string text_of(const In& json, std::string_view expected) {
  if (!json.is_string()) refuse(json, expected);
  return json.get<std::string>();
}
double number_of(const In& json, std::string_view expected = "a number") {
  if (!json.is_number()) refuse(json, expected);
  return json.get<double>();
}
const In& member(const In& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) throw JsonMistake(fmt::format("'{}' is missing", key));
  return json[key];
}
bool is_true(const In& json, const char* key) {
  if (json.contains(key) && !json[key].is_boolean()) refuse(json[key], "true or false");
  return json.contains(key) && json[key].get<bool>();
}
const In& list_of(const In& json, std::string_view expected) {
  if (!json.is_array() || json.empty()) refuse(json, expected);
  return json;
}
// Keys that nobody would look at are a mistake.
void only(const In& json, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : json.items())
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw JsonMistake(fmt::format("'{}' means nothing here", shown(key)));
}

ColumnItem item_of(const In& json) {
  ColumnItem out;
  if (json.is_string()) {
    out.first = json.get<std::string>();
  } else {
    if (!json.is_object()) refuse(json, "a column: its name, or {\"column\": name, \"to\": last}");
    only(json, {"column", "to", "quoted"});
    out.first = text_of(member(json, "column"), "a name");
    if (json.contains("to")) out.last = text_of(json["to"], "a name");
    out.quoted = is_true(json, "quoted");
  }
  out.quoted |= !is_plain_name(out.first) || (!out.last.empty() && !is_plain_name(out.last));
  return out;
}
std::vector<ColumnItem> items_of(const In& json) {
  std::vector<ColumnItem> out;
  for (const In& item : list_of(json, "a list of columns")) out.push_back(item_of(item));
  return out;
}

Term term_of(const In& json) {
  Term out;
  if (json.is_number()) {
    out.coefficient = json.get<double>();
    return out;
  }
  if (json.is_string()) {  // 126 and "glucose" are short for themselves
    out.kind = Term::Kind::column;
    out.items = {item_of(json)};
    return out;
  }
  if (!json.is_object()) refuse(json, "a number, a column, or a term");
  only(json, {"number", "percent", "date", "text", "column", "sum", "times", "over"});
  if (json.contains("times")) out.coefficient = number_of(json["times"]);
  if (json.contains("over")) out.divisor = item_of(json["over"]);
  if (json.contains("number")) {
    out.coefficient *= number_of(json["number"]);
  } else if (json.contains("percent")) {
    out.kind = Term::Kind::percent;
    out.coefficient *= number_of(json["percent"]);
  } else if (json.contains("date")) {
    out.kind = Term::Kind::date;
    out.text = text_of(json["date"], "a date");
    if (!parse_date(out.text)) refuse(json["date"], "a date such as \"2024-03-01\"");
    if (std::fabs(out.coefficient) != 1) refuse(json["times"], "1 or -1 beside a date");
    out.text = format_date(*parse_date(out.text));
  } else if (json.contains("text")) {
    out.kind = Term::Kind::text;
    out.text = text_of(json["text"], "a text");
  } else if (json.contains("column")) {
    out.kind = Term::Kind::column;
    out.items = {item_of(json["column"])};
  } else {
    out.kind = Term::Kind::sum;
    out.items = items_of(member(json, "sum"));
  }
  return out;
}
Linear linear_of(const In& json) {
  if (!json.is_array()) return {term_of(json)};
  Linear out;
  for (const In& term : list_of(json, "terms")) out.push_back(term_of(term));
  return out;
}

Relation relation_of(const In& json) {
  const std::string text = text_of(json, "a relation such as \">=\"");
  for (const Relation relation :
       {Relation::less, Relation::at_most, Relation::equal, Relation::at_least, Relation::greater, Relation::unequal})
    if (word(relation) == text) return relation;
  refuse(json, "one of <, <=, =, >=, >, !=");
}

std::uint32_t count_of(const In& json) {
  if (!json.is_number_unsigned() || json.get<std::uint64_t>() > 1'000'000) refuse(json, "a whole number");
  return json.get<std::uint32_t>();
}

Condition condition_of(const In& json, int depth) {
  if (depth > kDeepest) throw JsonMistake("the condition is nested too deeply");
  if (!json.is_object()) refuse(json, "a condition");
  Condition out;
  const auto parts = [&](const In& list) {
    for (const In& part : list_of(list, "a list of conditions")) out.parts.push_back(condition_of(part, depth + 1));
  };
  const auto has = [&](const char* key) { return json.contains(key); };
  if (has("compare")) {
    only(json, {"compare", "by"});
    out.kind = Condition::Kind::compare;
    for (const In& operand : list_of(json["compare"], "what is compared")) out.operands.push_back(linear_of(operand));
    const In& by = member(json, "by");
    if (by.is_string()) out.relations = {relation_of(by)};
    if (!by.is_string())
      for (const In& relation : list_of(by, "relations")) out.relations.push_back(relation_of(relation));
    if (out.operands.size() != out.relations.size() + 1)
      throw JsonMistake(
          fmt::format("{} things are compared by {} relations", out.operands.size(), out.relations.size()));
  } else if (has("between")) {
    only(json, {"between", "low", "high"});
    out.kind = Condition::Kind::between;
    out.operands = {linear_of(json["between"]), linear_of(member(json, "low")), linear_of(member(json, "high"))};
  } else if (has("in")) {
    only(json, {"in", "column"});
    out.kind = Condition::Kind::within;
    out.items = {item_of(member(json, "column"))};
    for (const In& word : list_of(json["in"], "a list of categories"))
      out.words.push_back(word.is_number() ? format_number(word.get<double>()) : text_of(word, "a category"));
  } else if (has("missing") || has("name") || has("more") || has("less")) {
    const char* key = has("missing") ? "missing" : has("name") ? "name" : has("more") ? "more" : "less";
    only(json, {key});
    out.kind = has("missing") ? Condition::Kind::missing
               : has("name")  ? Condition::Kind::name
               : has("more")  ? Condition::Kind::more
                              : Condition::Kind::less;
    out.items = {item_of(json[key])};
  } else if (has("and") || has("or")) {
    only(json, {has("and") ? "and" : "or"});
    out.kind = has("and") ? Condition::Kind::all : Condition::Kind::any;
    parts(has("and") ? json["and"] : json["or"]);
    if (out.parts.size() == 1) return std::move(out.parts[0]);
  } else if (has("not")) {
    only(json, {"not"});
    out.kind = Condition::Kind::negation;
    out.parts.push_back(condition_of(json["not"], depth + 1));
  } else if (has("at_least")) {
    only(json, {"at_least", "of"});
    out.kind = Condition::Kind::at_least;
    out.count = count_of(json["at_least"]);
    parts(member(json, "of"));
  } else if (has("count")) {
    only(json, {"count", "is", "number"});
    out.kind = Condition::Kind::count;
    parts(json["count"]);
    out.relations = {relation_of(member(json, "is"))};
    out.count = count_of(member(json, "number"));
  } else {
    for (const char* function : {"absent", "present", "any", "all", "none"})
      if (has(function)) {
        only(json, {function});
        out.kind = Condition::Kind::columns;
        out.words = {function};
        out.items = items_of(json[function]);
        return out;
      }
    throw JsonMistake(
        "a condition is one of compare, between, in, missing, name, more, less, and, or, not, at_least, count, "
        "absent, present, any, all, none");
  }
  return out;
}

double end_of(const In& json, const char* key, double open) {
  return !json.contains(key) || json[key].is_null() ? open : number_of(json[key]);
}

Consequent consequent_of(const In& then) {
  Consequent out;
  if (then.is_object() && (then.contains("compare") || then.contains("between"))) {  // of a label that is a number
    out.number = condition_of(then, 0);
    const Linear& label = out.number->operands[0];
    if (label.size() != 1 || label[0].kind != Term::Kind::column) refuse(then, "the label's name first");
    out.name = label[0].items[0].first;
    out.quoted = label[0].items[0].quoted;
    return out;
  }
  const In& says = then.is_object() ? member(then, "class") : then;  // "yes" is short for {"class": "yes"}
  if (then.is_object()) {
    only(then, {"class", "quoted", "not"});
    out.quoted = is_true(then, "quoted");
    out.negated = is_true(then, "not");
  }
  if (says.is_number_integer() && std::abs(says.get<double>()) == 1)
    out.sign = says.get<double>() > 0 ? 1 : -1;
  else
    out.name = says.is_number() ? format_number(says.get<double>())
               : out.quoted     ? text_of(says, "a class")
                                : canonical_label(text_of(says, "a class"));
  if (out.sign == 0 && !parse_number(out.name)) out.quoted |= !is_plain_name(out.name);
  return out;
}

Statement statement_of(const In& json) {
  Statement out;
  if (!json.is_object()) refuse(json, "a statement");
  if (json.contains("before"))
    for (const In& line : json["before"]) out.before.push_back(text_of(line, "a comment"));
  if (json.contains("after")) out.after = text_of(json["after"], "a comment");
  if (json.contains("define")) {
    only(json, {"define", "condition", "before", "after"});
    out.what = DefineStatement{text_of(json["define"], "a name"), condition_of(member(json, "condition"), 0)};
  } else if (json.contains("domain")) {
    only(json, {"domain", "low", "high", "written", "before", "after"});
    DomainStatement domain{items_of(json["domain"]), end_of(json, "low", -kInfinity), end_of(json, "high", kInfinity)};
    const std::string written =
        json.contains("written") ? text_of(json["written"], "number, date or percent") : "number";
    if (written != "number" && written != "date" && written != "percent")
      refuse(json["written"], "number, date or percent");
    domain.written = kind_of(written);
    out.what = std::move(domain);
  } else if (json.contains("integer")) {
    only(json, {"integer", "before", "after"});
    out.what = IntegerStatement{items_of(json["integer"])};
  } else if (json.contains("class")) {
    only(json, {"class", "value", "before", "after"});
    const In& value = member(json, "value");
    out.what = ClassStatement{text_of(json["class"], "a name"),
                              value.is_number() ? format_number(value.get<double>()) : text_of(value, "a label value")};
  } else {
    only(json, {"rule", "if", "then", "sure", "sure_rows", "trust", "margin", "before", "after"});
    RuleStatement rule;
    if (json.contains("rule")) rule.id = text_of(json["rule"], "a name");
    rule.condition = condition_of(member(json, "if"), 0);
    rule.consequent = consequent_of(member(json, "then"));
    if (json.contains("sure")) rule.sure = Sure{number_of(json["sure"]), {}};
    if (rule.sure && json.contains("sure_rows")) rule.sure->rows = number_of(json["sure_rows"]);
    if (json.contains("trust")) rule.trust = number_of(json["trust"]);
    if (json.contains("margin")) rule.margin = number_of(json["margin"]);
    out.what = std::move(rule);
  }
  return out;
}

}  // namespace

std::string rules_to_json(const RuleFile& file) {
  Json statements = Json::array();
  for (const Statement& statement : file.statements) {
    Json entry = std::visit(ToJson(), statement.what);
    if (!statement.before.empty()) entry["before"] = statement.before;
    if (!statement.after.empty()) entry["after"] = statement.after;
    statements.push_back(std::move(entry));
  }
  Json out{{"format", kFormat}, {"version", 1}, {"statements", statements}};
  if (!file.end.empty()) out["end"] = file.end;
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

RuleFile rules_from_json(const std::string& text, const std::string& source) {
  RuleFile read;
  std::size_t number = 0;
  try {
    const In json = parse_strictly(text);
    if (text_of(member(json, "format"), "\"postil rules\"") != kFormat) refuse(json["format"], "\"postil rules\"");
    if (member(json, "version") != 1) refuse(json["version"], "1: a later program may understand it");
    only(json, {"format", "version", "statements", "end"});
    const In& statements = member(json, "statements");
    if (!statements.is_array()) refuse(statements, "a list of statements");
    for (const In& statement : statements) {
      ++number;
      read.statements.push_back(statement_of(statement));
    }
    number = 0;
    if (json.contains("end"))
      for (const In& line : json["end"]) read.end.push_back(text_of(line, "a comment"));
  } catch (const nlohmann::json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    fail_in_form(source, static_cast<std::uint64_t>(1 + std::count(text.begin(), end, '\n')), "this is no JSON");
  } catch (const nlohmann::json::out_of_range&) {
    fail_in_form(source, 0, "a number is out of range");
  } catch (const nlohmann::json::exception& error) {
    fail_in_form(source, 0, number > 0 ? fmt::format("statement {}: {}", number, error.what()) : error.what());
  }
  const std::string printed = print_rules(read);
  RuleFile out = rules_of(printed, source);
  if (out.statements != read.statements) {
    std::size_t k = 0;
    while (k < out.statements.size() && k < read.statements.size() && out.statements[k] == read.statements[k]) ++k;
    fail_in_form(source, 0, fmt::format("statement {} says what the language cannot", k + 1));
  }
  return out;
}

}  // namespace postil
