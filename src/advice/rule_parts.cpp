#include "rule_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "postil/error.hpp"
#include "postil/rule_edits.hpp"
#include "postil/text.hpp"
#include "problems.hpp"
#include "resolve.hpp"
#include "scope.hpp"

namespace postil {
namespace {

using Definitions = std::map<std::string, const Condition*>;

Definitions definitions_of(const RuleFile& file) {
  Definitions out;
  for (const Statement& statement : file.statements)
    if (const auto* define = std::get_if<DefineStatement>(&statement.what)) out[define->name] = &define->condition;
  return out;
}

const Condition* definition_of(const Condition& condition, const Definitions& definitions) {
  if (condition.kind != Condition::Kind::name || condition.items[0].quoted || !condition.items[0].last.empty())
    return nullptr;
  const auto found = definitions.find(condition.items[0].first);
  return found == definitions.end() ? nullptr : found->second;
}

// f(condition, path) of a condition and all it is made of.
template <class F>
void for_each_part(const Condition& condition, const Definitions& definitions, ConditionPath& path, const F& f) {
  constexpr std::size_t kMostSteps = 200;  // definitions may need themselves
  if (path.size() > kMostSteps) return;
  f(condition, path);
  const auto enter = [&](const Condition& part, std::uint32_t place) {
    path.push_back(place);
    for_each_part(part, definitions, path, f);
    path.pop_back();
  };
  if (const Condition* meant = definition_of(condition, definitions)) enter(*meant, kMeaning);
  for (std::uint32_t k = 0; k < condition.parts.size(); ++k) enter(condition.parts[k], k);
}

// The comparison of two of its operands, alone.
std::optional<Condition> single_comparison(const Condition& condition, std::uint32_t relation) {
  Condition out;
  out.kind = Condition::Kind::compare;
  out.spot = condition.spot;
  if (condition.kind == Condition::Kind::between) {
    out.operands = {condition.operands[0], condition.operands[relation + 1]};
    out.relations = {relation == 0 ? Relation::at_least : Relation::at_most};
  } else {
    out.operands = {condition.operands[relation], condition.operands[relation + 1]};
    out.relations = {condition.relations[relation]};
  }
  if (out.relations[0] == Relation::equal || out.relations[0] == Relation::unequal) return std::nullopt;
  return out;
}

// The number that an operand is, and how it is written.
std::optional<std::pair<double, Kind>> number_of(const Linear& operand) {
  if (operand.size() != 1 || operand[0].divisor) return std::nullopt;
  const Term& term = operand[0];
  switch (term.kind) {
    case Term::Kind::number: return std::pair(term.coefficient, Kind::number);
    case Term::Kind::percent: return std::pair(term.coefficient, Kind::percent);
    case Term::Kind::date: return std::pair(term.coefficient * parse_date(term.text).value_or(0), Kind::date);
    default: return std::nullopt;
  }
}

void set_number(Linear& operand, double number) {
  Term& term = operand[0];
  if (term.kind == Term::Kind::date)
    term.text = format_date(number);
  else
    term.coefficient = number;
}

Condition negated(Condition condition) {
  Condition out;
  out.kind = Condition::Kind::negation;
  out.spot = condition.spot;
  out.parts.push_back(std::move(condition));
  return out;
}

// Finds conditions among those compiled.
class Finder {
 public:
  Finder(const RuleFile& file, const Schema& schema, const Advice& advice)
      : scope_(file, schema, options_), advice_(advice), index_(advice.conditions) {
    for (const Statement& statement : file.statements) scope_.take(statement);
    scope_.finish();
  }

  // Its place among the nodes that rule `rule` is made of, or kNowhere.
  std::uint32_t place(const Condition& condition, std::uint32_t rule) {
    Conditions own;
    const std::uint32_t at = resolved(condition, own);
    if (at == Conditions::kNowhere) return at;
    const std::uint32_t place = index_.places_of(own)[at];
    return place != Conditions::kNowhere && nodes_of(rule)[place] ? place : Conditions::kNowhere;
  }
  // A comparison that is one row; none: it is something else.
  std::optional<AdviceRow> row(const Condition& condition) {
    Conditions own;
    const std::uint32_t at = resolved(condition, own);
    if (at == Conditions::kNowhere || own.nodes[at].kind != Conditions::Node::Kind::row) return std::nullopt;
    return own.nodes[at].row;
  }

 private:
  std::uint32_t resolved(const Condition& condition, Conditions& to) {
    try {
      return Resolver(scope_, to).condition(condition);
    } catch (const RuleMistake&) {
      return Conditions::kNowhere;
    }
  }
  const std::vector<bool>& nodes_of(std::uint32_t rule) {
    std::vector<bool>& out = nodes_[rule];
    if (!out.empty()) return out;
    out.resize(advice_.conditions.nodes.size());
    out[advice_.rules[rule].condition] = true;
    for (std::uint32_t k = advice_.rules[rule].condition + 1; k-- > 0;)
      if (out[k])
        for (const std::uint32_t part : advice_.conditions.nodes[k].parts) out[part] = true;
    return out;
  }

  CompileOptions options_;
  Scope scope_;
  const Advice& advice_;
  ConditionIndex index_;
  std::map<std::uint32_t, std::vector<bool>> nodes_;  // by rule
};

// The number in one comparison, if it can be moved.
std::optional<ComparedNumber> compared_number(const Condition& condition, std::uint32_t relation, std::uint32_t rule,
                                              Finder& finder) {
  const std::optional<Condition> alone = single_comparison(condition, relation);
  if (!alone) return std::nullopt;
  const std::uint32_t side = number_of(alone->operands[1]) ? 1 : 0;
  const auto number = number_of(alone->operands[side]);
  if (!number) return std::nullopt;
  Condition form = *alone;
  std::uint32_t node = finder.place(form, rule);
  if (node == Conditions::kNowhere) node = finder.place(form = negated(*alone), rule);
  const std::optional<AdviceRow> row = finder.row(form);
  if (node == Conditions::kNowhere || !row) return std::nullopt;
  // How the bound of the row moves with the number.
  const double other = number->first + 1;
  set_number((form.kind == Condition::Kind::negation ? form.parts[0] : form).operands[side], other);
  const std::optional<AdviceRow> moved = finder.row(form);
  if (!moved || moved->terms != row->terms) return std::nullopt;
  ComparedNumber out;
  out.rule = rule;
  out.operand = condition.kind == Condition::Kind::between ? (side == 1 ? relation + 1 : 0) : relation + side;
  out.number = number->first;
  out.written = number->second;
  out.text = print(*alone);
  out.node = node;
  out.sign = moved->bound > row->bound ? 1 : -1;
  out.offset = row->bound - out.sign * out.number;
  out.strict = row->strict;
  return out;
}

}  // namespace

std::vector<const RuleStatement*> rule_statements(const RuleFile& file) {
  std::vector<const RuleStatement*> out;
  for (const Statement& statement : file.statements)
    if (const auto* rule = std::get_if<RuleStatement>(&statement.what)) out.push_back(rule);
  return out;
}

RuleParts parts_of_rules(const RuleFile& file, const Schema& schema, const Advice& advice) {
  RuleParts out;
  const Definitions definitions = definitions_of(file);
  Finder finder(file, schema, advice);
  const std::vector<const RuleStatement*> rules = rule_statements(file);
  for (std::uint32_t r = 0; r < rules.size(); ++r) {
    const Condition& whole = rules[r]->condition;
    if (whole.direction()) continue;
    ConditionPath path;
    for_each_part(whole, definitions, path, [&](const Condition& part, const ConditionPath& at) {
      const bool compares = part.kind == Condition::Kind::compare || part.kind == Condition::Kind::between;
      const std::size_t relations = part.kind == Condition::Kind::between ? 2 : part.relations.size();
      for (std::uint32_t k = 0; compares && k < relations; ++k)
        if (auto number = compared_number(part, k, r, finder)) {
          number->path = at;
          out.numbers.push_back(std::move(*number));
        }
    });
    if (whole.kind != Condition::Kind::all) continue;
    for (std::uint32_t k = 0; k < whole.parts.size(); ++k)
      if (const std::uint32_t node = finder.place(whole.parts[k], r); node != Conditions::kNowhere)
        out.joined.push_back({r, k, print(whole.parts[k]), node});
  }
  return out;
}

namespace {

void move_number(RuleStatement& rule, const RuleEdit& edit, const Definitions& definitions) {
  Condition* at = &rule.condition;
  for (const std::uint32_t step : edit.path) {
    if (step != kMeaning)
      at = &at->parts[step];
    else if (const Condition* meant = definition_of(*at, definitions))  // else it was written out before
      *at = Condition(*meant);
  }
  set_number(at->operands[edit.operand], edit.number);
}

void leave_out(RuleStatement& rule, std::uint32_t part) {
  std::vector<Condition>& parts = rule.condition.parts;
  if (rule.condition.kind != Condition::Kind::all)
    throw ParamError(fmt::format("nothing would be left of rule {}", in_quotes(print(rule))));
  parts.erase(parts.begin() + part);
  if (parts.size() > 1) return;
  Condition last = std::move(parts[0]);
  rule.condition = std::move(last);
}

void join(RuleStatement& rule, Condition condition) {
  if (rule.condition.kind != Condition::Kind::all) {
    Condition all;
    all.kind = Condition::Kind::all;
    all.spot = rule.condition.spot;
    all.parts.push_back(std::move(rule.condition));
    rule.condition = std::move(all);
  }
  rule.condition.parts.push_back(std::move(condition));
}

}  // namespace

RuleFile with_edits(const RuleFile& file, std::span<const RuleEdit> edits) {
  RuleFile out = file;
  const Definitions definitions = definitions_of(file);
  std::vector<RuleStatement*> rules;
  for (Statement& statement : out.statements)
    if (auto* rule = std::get_if<RuleStatement>(&statement.what)) rules.push_back(rule);
  // Numbers first and the last condition left out first, so that places stay right.
  std::vector<const RuleEdit*> in_order;
  for (const RuleEdit& edit : edits) in_order.push_back(&edit);
  std::stable_sort(in_order.begin(), in_order.end(), [](const RuleEdit* a, const RuleEdit* b) {
    return std::pair(a->kind, -std::int64_t{a->part}) < std::pair(b->kind, -std::int64_t{b->part});
  });
  for (const RuleEdit* edit : in_order) {
    RuleStatement& rule = *rules.at(edit->rule);
    switch (edit->kind) {
      case RuleEdit::Kind::move: move_number(rule, *edit, definitions); break;
      case RuleEdit::Kind::drop: leave_out(rule, edit->part); break;
      case RuleEdit::Kind::add: join(rule, *edit->condition); break;
    }
  }
  return without_problems(parse_rules(print_rules(out), file.source));
}

}  // namespace postil
