// sql.cpp: rules as a CASE expression of SQL.
//
// NULL stands for a missing value, and and, or, not of unknown are SQL's own, so that a rule holds in a database exactly where it
// holds here. `at least k of` has no word in SQL: it counts conditions that are true, negations having moved into them.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "advice/column_range.hpp"
#include "forms.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::size_t kLongest = 10'000'000;  // characters: definitions are written out wherever they are used

std::string identifier(std::string_view name) {
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}
std::string literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}
std::string date_literal(const std::string& text) {
  const bool time = text.find('T') != std::string::npos;
  std::string plain = text;
  if (time) plain[plain.find('T')] = ' ';
  return (time ? "TIMESTAMP " : "DATE ") + literal(plain);
}

std::string_view sql_sign(Relation relation) { return relation == Relation::unequal ? "<>" : word(relation); }
Relation opposite(Relation relation) {
  switch (relation) {
    case Relation::less: return Relation::at_least;
    case Relation::at_most: return Relation::greater;
    case Relation::equal: return Relation::unequal;
    case Relation::at_least: return Relation::less;
    case Relation::greater: return Relation::at_most;
    case Relation::unequal: return Relation::equal;
  }
  return relation;
}

class SqlWriter {
 public:
  explicit SqlWriter(const RuleFile& file) : file_(file) {
    const Schema schema = schema_of_rules(file);
    for (const Column& column : schema.columns)
      if (column.categorical()) categorical_.insert(column.name);
    classes_ = schema.label.classes;
    for (const Statement& statement : file.statements) {
      if (const auto* define = std::get_if<DefineStatement>(&statement.what))
        definitions_[define->name] = &define->condition;
      if (const auto* name = std::get_if<ClassStatement>(&statement.what)) names_[name->name] = name->value;
    }
  }

  WrittenRules run() {
    std::string whens;
    std::size_t rules = 0;
    for (const Statement& statement : file_.statements) {
      const auto* rule = std::get_if<RuleStatement>(&statement.what);
      if (rule == nullptr) continue;
      const std::string id = rule->id.empty() ? fmt::format("line {}", statement.spot.line) : rule->id;
      const bool direction = rule->condition.direction();
      const std::optional<std::string> says =
          direction || rule->consequent.number ? std::nullopt : class_of(rule->consequent);
      if (!says) {
        out_.notes.push_back(fmt::format("rule {} is left out: {}", in_quotes(id),
                                         direction ? "a direction holds on no row"
                                         : rule->consequent.number
                                             ? "it says how large a number is, which is no value"
                                             : "it only says what a row is not, or +1 or -1 without a class"));
        continue;
      }
      whens +=
          fmt::format("  WHEN {} THEN {} -- {}\n", condition(rule->condition, false), literal(*says), one_line(id));
      ++rules;
      if (whens.size() > kLongest) too_long(statement.spot);
    }
    if (whens.empty()) fail_in_form(file_.source, 0, "there is no rule that SQL could say");
    if (rules > 1) out_.notes.emplace_back("CASE takes the first rule that holds; here they vote. NULL: none holds");
    out_.text = "CASE\n" + whens + "END\n";
    return std::move(out_);
  }

 private:
  [[noreturn]] void too_long(Spot spot) const {
    fail_in_form(file_.source, spot.line, "the rules are too long for one expression");
  }
  static std::string one_line(std::string text) {
    for (char& c : text)
      if (c == '\n' || c == '\r') c = ' ';
    return text;
  }

  // The class that a rule says, as the data have it.
  [[nodiscard]] std::optional<std::string> class_of(const Consequent& says) const {
    if (says.sign != 0) {
      if (classes_.size() != 2) return std::nullopt;
      return classes_[(says.sign > 0) != says.negated ? 1 : 0];
    }
    std::string name = says.name;
    if (const auto found = names_.find(name); found != names_.end() && !says.quoted) name = found->second;
    if (!says.negated) return name;
    if (classes_.size() != 2) return std::nullopt;
    return classes_[name == classes_[0] ? 1 : 0];
  }

  std::string column(const ColumnItem& item) const { return identifier(item.first); }
  std::vector<std::string> names(const std::vector<ColumnItem>& items) const {
    std::vector<std::string> out;
    for (const ColumnItem& item : items)
      for (const std::string& name : expanded(item)) out.push_back(identifier(name));
    return out;
  }
  std::vector<std::string> expanded(const ColumnItem& item) const {
    try {
      return names_of(item);
    } catch (const RuleMistake& mistake) {
      fail_in_form(file_.source, item.spot.line, mistake.problem.message.plain());
    }
  }

  std::string linear(const Linear& terms) const {
    std::string out;
    for (const Term& term : terms) {
      const bool negative = std::signbit(term.coefficient);
      out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
      const double size = std::fabs(term.coefficient);
      const std::string factor = size == 1 ? "" : format_number(size) + " * ";
      std::string text;
      switch (term.kind) {
        case Term::Kind::number:
        case Term::Kind::percent: text = format_number(size); break;
        case Term::Kind::date: text = date_literal(term.text); break;
        case Term::Kind::text: text = literal(term.text); break;
        case Term::Kind::column: text = factor + column(term.items[0]); break;
        case Term::Kind::sum: text = factor + "(" + joined(names(term.items), " + ") + ")"; break;
      }
      out += term.divisor ? fmt::format("1.0 * {} / {}", text, column(*term.divisor)) : text;
    }
    return out;
  }

  // One side of a comparison with a column of categories: its word.
  std::string side(const Linear& own, const Linear& other) const {
    const bool word = other.size() == 1 && other[0].kind == Term::Kind::column && own.size() == 1 &&
                      categorical_.contains(other[0].items[0].first);
    if (word && own[0].kind == Term::Kind::column && !own[0].items[0].quoted) return literal(own[0].items[0].first);
    if (word && own[0].kind == Term::Kind::number) return literal(format_number(own[0].coefficient));
    return linear(own);
  }

  std::string compare(const Linear& left, Relation relation, const Linear& right, bool negated) const {
    return fmt::format("{} {} {}", side(left, right), sql_sign(negated ? opposite(relation) : relation),
                       side(right, left));
  }

  std::string joined_by(const std::vector<std::string>& parts, bool all) const {
    if (parts.size() == 1) return parts[0];
    std::size_t size = 0;
    for (const std::string& part : parts) size += part.size();
    if (size > kLongest) too_long({});
    return "(" + joined(parts, all ? " AND " : " OR ") + ")";
  }

  std::string condition(const Condition& c, bool negated) {
    if (++depth_ > 300) fail_in_form(file_.source, c.spot.line, "the definitions are nested too deeply");
    std::string out = write(c, negated);
    if (out.size() > kLongest) too_long(c.spot);
    --depth_;
    return out;
  }

  std::string write(const Condition& c, bool negated) {
    std::vector<std::string> parts;
    switch (c.kind) {
      case Condition::Kind::compare:
        for (std::size_t k = 0; k < c.relations.size(); ++k)
          parts.push_back(compare(c.operands[k], c.relations[k], c.operands[k + 1], negated));
        return joined_by(parts, !negated);
      case Condition::Kind::between:
        return fmt::format("{} {}BETWEEN {} AND {}", linear(c.operands[0]), negated ? "NOT " : "",
                           linear(c.operands[1]), linear(c.operands[2]));
      case Condition::Kind::within: {
        for (const std::string& word : c.words)
          parts.push_back(categorical_.contains(c.items[0].first) ? literal(word) : number(word));
        return fmt::format("{} {}IN ({})", column(c.items[0]), negated ? "NOT " : "", joined(parts));
      }
      case Condition::Kind::columns: {
        const bool one = c.words[0] != "absent" && c.words[0] != "none";
        for (const std::string& name : names(c.items))
          parts.push_back(name + (one ? (negated ? " < 1" : " >= 1") : negated ? " > 0" : " <= 0"));
        return joined_by(parts, (c.words[0] != "any") != negated);
      }
      case Condition::Kind::missing: return column(c.items[0]) + (negated ? " IS NOT NULL" : " IS NULL");
      case Condition::Kind::name: {
        const auto found = c.items[0].quoted ? definitions_.end() : definitions_.find(c.items[0].first);
        if (found != definitions_.end()) return condition(*found->second, negated);
        for (const std::string& name : names(c.items)) parts.push_back(name + (negated ? " <= 0" : " >= 1"));
        return joined_by(parts, !negated);
      }
      case Condition::Kind::negation: return condition(c.parts[0], !negated);
      case Condition::Kind::all:
      case Condition::Kind::any:
        for (const Condition& part : c.parts) parts.push_back(condition(part, negated));
        return joined_by(parts, (c.kind == Condition::Kind::all) != negated);
      case Condition::Kind::at_least: return at_least(c, c.count, negated);
      case Condition::Kind::count: return count(c, negated);
      case Condition::Kind::more:
      case Condition::Kind::less: break;
    }
    fail_in_form(file_.source, c.spot.line, "a direction is the whole condition of a rule");
  }

  static std::string number(const std::string& word) {
    if (const std::optional<double> percent = parse_percent(word)) return format_number(*percent);
    if (parse_date(word)) return date_literal(word);
    return parse_number(word) ? word : literal(word);
  }

  // At least k of n; negated: at least n - k + 1 do not hold.
  std::string at_least(const Condition& c, std::size_t count, bool negated) {
    std::vector<std::string> parts;
    for (const Condition& part : c.parts) {
      if (part.kind != Condition::Kind::name || part.items[0].last.empty()) {
        parts.push_back(condition(part, negated));
        continue;
      }
      for (const std::string& name : names(part.items)) parts.push_back(name + (negated ? " <= 0" : " >= 1"));
    }
    const std::size_t all = parts.size(), needed = negated ? (count > all ? 0 : all - count + 1) : count;
    if (needed == 0) return "1 = 1";
    if (needed > all) return "1 = 0";
    for (std::string& part : parts) part = fmt::format("CASE WHEN {} THEN 1 ELSE 0 END", part);
    return fmt::format("({} >= {})", joined(parts, " + "), needed);
  }
  std::string count(const Condition& c, bool negated) {
    const Relation relation = negated ? opposite(c.relations[0]) : c.relations[0];
    const auto least = [&](std::size_t k) { return at_least(c, k, false); };
    const auto most = [&](std::size_t k) { return at_least(c, k + 1, true); };
    switch (relation) {
      case Relation::at_least: return least(c.count);
      case Relation::greater: return least(std::size_t{c.count} + 1);
      case Relation::at_most: return most(c.count);
      case Relation::less: return c.count == 0 ? "1 = 0" : most(c.count - 1);
      case Relation::equal: return fmt::format("({} AND {})", least(c.count), most(c.count));
      case Relation::unequal:
        return c.count == 0 ? least(1) : fmt::format("({} OR {})", least(std::size_t{c.count} + 1), most(c.count - 1));
    }
    return "";
  }

  const RuleFile& file_;
  std::set<std::string> categorical_;
  std::vector<std::string> classes_;
  std::map<std::string, const Condition*> definitions_;
  std::map<std::string, std::string> names_;
  int depth_ = 0;
  WrittenRules out_;
};

}  // namespace

WrittenRules rules_to_sql(const RuleFile& file) { return SqlWriter(file).run(); }

}  // namespace postil
