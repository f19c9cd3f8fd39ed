// schema_of_rules.cpp: columns and classes that rules name, where there are no data to ask.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "column_range.hpp"
#include "postil/rules.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

class Names {
 public:
  explicit Names(const RuleFile& file) {
    for (const Statement& statement : file.statements)
      if (const auto* define = std::get_if<DefineStatement>(&statement.what)) definitions_.insert(define->name);
    for (const Statement& statement : file.statements) std::visit(*this, statement.what);
    schema_.label.name = number_claimed(file).value_or("label");
    if (!number_claimed(file)) {
      schema_.label.classes = ordered_classes(classes_);
      if (schema_.label.classes.empty()) schema_.label.classes = {"-1", "1"};
      schema_.label.positive = static_cast<std::uint32_t>(schema_.label.classes.size() - 1);
    }
    for (Column& column : schema_.columns) {
      column.categories = ordered_classes(column.categories);
      if (column.promised.kind == Kind::binary && compared_.contains(column.name)) column.promised.kind.reset();
      if (stated_integer_.contains(column.name)) column.promised.kind = Kind::integer;
      if (column.promised.kind != Kind::binary) continue;
      column.promised.low = 0;
      column.promised.high = 1;
    }
    schema_.number_features();
  }
  Schema take() { return std::move(schema_); }

  void operator()(const ClassStatement& s) {
    class_names_[s.name] = s.value;
    add_class(s.value);
  }
  void operator()(const DomainStatement& s) { see(s.items, s.written, &compared_); }
  void operator()(const IntegerStatement& s) { see(s.items, Kind::integer, &stated_integer_); }
  void operator()(const DefineStatement& s) { see(s.condition); }
  void operator()(const RuleStatement& s) {
    see(s.condition);
    if (s.consequent.number)
      for (std::size_t k = 1; k < s.consequent.number->operands.size(); ++k)
        see_numbers({s.consequent.number->operands[k]}, Kind::number);
    std::string name = s.consequent.name;
    if (const auto found = class_names_.find(name); found != class_names_.end() && !s.consequent.quoted)
      name = found->second;
    if (s.consequent.sign == 0) add_class(name);
  }

 private:
  void add_class(const std::string& name) {
    if (seen_classes_.insert(name).second) classes_.push_back(name);
  }
  Column& see(const std::string& name, Kind kind) {
    const auto [place, is_new] = places_.emplace(name, schema_.columns.size());
    if (is_new) {
      schema_.columns.emplace_back();
      schema_.columns.back().name = name;
    }
    Column& column = schema_.columns[place->second];
    const Kind before = column.kind();
    if (before == Kind::number || (before == Kind::integer && kind == Kind::binary)) {
      column.promised.kind.reset();
      if (kind != Kind::number) column.promised.kind = kind;
    }
    return column;
  }
  void see(const std::vector<ColumnItem>& items, Kind kind, std::set<std::string>* also = nullptr) {
    for (const ColumnItem& item : items) {
      try {
        for (const std::string& name : names_of(item)) {
          see(name, kind);
          if (also != nullptr) also->insert(name);
        }
      } catch (const RuleMistake&) {  // told when the rules are compiled
        see(item.first, kind);
      }
    }
  }
  void see_category(const ColumnItem& item, const std::string& word) {
    Column& column = see(item.first, Kind::categorical);
    if (column.categorical() && seen_categories_.emplace(item.first, word).second) column.categories.push_back(word);
  }
  static std::optional<Kind> kind_of_number(const std::string& word) {
    if (parse_number(word)) return Kind::number;
    if (parse_date(word)) return Kind::date;
    return parse_percent(word) ? std::optional(Kind::percent) : std::nullopt;
  }
  static const ColumnItem* single(const Linear& linear) {
    return linear.size() == 1 && linear[0].kind == Term::Kind::column && linear[0].coefficient == 1
               ? &linear[0].items[0]
               : nullptr;
  }
  void see(const Condition& c) {
    for (const Condition& part : c.parts) see(part);
    if (c.kind == Condition::Kind::columns) see(c.items, Kind::binary);
    if (c.kind == Condition::Kind::missing) see(c.items, Kind::number);
    if (c.direction()) see(c.items, Kind::number, &compared_);
    if (c.kind == Condition::Kind::name && !definitions_.contains(c.items[0].first)) see(c.items, Kind::binary);
    if (c.kind == Condition::Kind::within)
      for (const std::string& word : c.words) {
        if (const std::optional<Kind> kind = kind_of_number(word))
          see({c.items[0]}, *kind, &compared_);
        else
          see_category(c.items[0], word);
      }
    // name = word: a category
    if (c.kind == Condition::Kind::compare && c.operands.size() == 2 &&
        (c.relations[0] == Relation::equal || c.relations[0] == Relation::unequal)) {
      const ColumnItem* column = single(c.operands[0]);
      const ColumnItem* word = single(c.operands[1]);
      if (column != nullptr && word != nullptr && !word->quoted) {
        see_category(*column, word->first);
        return;
      }
      if (column != nullptr && c.operands[1].size() == 1 && c.operands[1][0].kind == Term::Kind::text) {
        see_category(*column, c.operands[1][0].text);
        return;
      }
    }
    Kind kind = Kind::number;  // a date or percentage tells it of the columns beside it
    for (const Linear& operand : c.operands)
      for (const Term& term : operand) {
        if (term.kind == Term::Kind::date) kind = Kind::date;
        if (term.kind == Term::Kind::percent) kind = Kind::percent;
      }
    see_numbers(c.operands, kind);
  }
  void see_numbers(const std::vector<Linear>& operands, Kind kind) {
    for (const Linear& operand : operands)
      for (const Term& term : operand) {
        if (term.kind == Term::Kind::column || term.kind == Term::Kind::sum) see(term.items, kind, &compared_);
        if (term.divisor) see({*term.divisor}, Kind::number, &compared_);
      }
  }

  Schema schema_;
  std::map<std::string, std::size_t> places_;
  std::set<std::string> definitions_;
  std::set<std::string> compared_, stated_integer_;  // columns of numbers, not of yes/no answers
  std::map<std::string, std::string> class_names_;
  std::vector<std::string> classes_;
  std::set<std::string> seen_classes_;
  std::set<std::pair<std::string, std::string>> seen_categories_;  // of a column
};

}  // namespace

Schema schema_of_rules(const RuleFile& file) { return Names(file).take(); }

std::optional<std::string> number_claimed(const RuleFile& file) {
  for (const Statement& statement : file.statements)
    if (const auto* rule = std::get_if<RuleStatement>(&statement.what); rule != nullptr && rule->consequent.number)
      return rule->consequent.name;
  return std::nullopt;
}

std::map<std::string, std::vector<std::string>> categories_in(const RuleFile& file) {
  std::map<std::string, std::vector<std::string>> out;
  for (const Column& column : schema_of_rules(file).columns)
    if (column.categorical()) out[column.name] = column.categories;
  return out;
}

void promise_yes_no(Schema& schema, const RuleFile& file) {
  std::set<std::string> used;
  for (const Column& column : schema_of_rules(file).columns)
    if (column.promised.kind == Kind::binary) used.insert(column.name);
  for (Column& column : schema.columns)
    if (!column.promised.kind && used.contains(column.name) &&
        (column.seen.rows() == 0 || column.seen.kind == Kind::binary))
      column.promised = {Kind::binary, 0, 1};
}

}  // namespace postil
