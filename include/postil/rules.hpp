// The rule language: text to a tree and back. Grammar: docs/rules.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "postil/error.hpp"

namespace postil {

struct Spot {  // in the text, from 1; columns count characters
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  bool operator==(const Spot&) const { return true; }  // where a thing stands is no part of what it is
};

// A column, or those between two by number: a_1..a_9.
struct ColumnItem {
  std::string first, last;  // last empty: one column
  bool quoted = false;      // in backquotes: surely a column
  Spot spot;
  bool operator==(const ColumnItem&) const = default;
};

// coefficient, or coefficient times a column or a sum of columns; or a text in quotes.
struct Term {
  enum class Kind : std::uint8_t { number, column, sum, text };
  Kind kind = Kind::number;
  double coefficient = 1;
  std::vector<ColumnItem> items;  // column: one; sum: all
  std::string text;
  Spot spot;
  bool operator==(const Term&) const = default;
};
using Linear = std::vector<Term>;  // their sum

enum class Relation : std::uint8_t { less, at_most, equal, at_least, greater, unequal };

struct Condition {
  enum class Kind : std::uint8_t {
    compare,   // operands joined by relations: 3 <= x < 5
    between,   // operands: x, low, high; both ends belong to it
    within,    // items: a column; words: its categories
    columns,   // word(items): absent, present, any, all, none
    name,      // items: a definition or a column of 0 and 1; in a list also a range of columns
    all,       // parts, and
    any,       // parts, or
    negation,  // parts: one
    at_least,  // `count` of parts
  };
  Kind kind = Kind::name;
  std::vector<Linear> operands;
  std::vector<Relation> relations;
  std::vector<ColumnItem> items;
  std::vector<std::string> words;
  std::vector<Condition> parts;
  std::uint32_t count = 0;
  Spot spot;
  bool operator==(const Condition&) const = default;
};

// What follows the arrow: a class by its name or value, or +1 and -1 for the positive and negative one; perhaps `not`.
struct Consequent {
  bool negated = false;
  int sign = 0;      // +1, -1; 0: by name
  std::string name;  // as compared: a label value or a name given by `class`
  bool quoted = false;
  Spot spot;
  bool operator==(const Consequent&) const = default;
};

struct ClassStatement {  // class diabetes = 1
  std::string name, value;
  bool operator==(const ClassStatement&) const = default;
};
struct DomainStatement {  // domain a_1..a_9 in [0, 1]
  std::vector<ColumnItem> items;
  double low = 0, high = 0;  // may be infinite
  bool operator==(const DomainStatement&) const = default;
};
struct IntegerStatement {  // integer a, b
  std::vector<ColumnItem> items;
  bool operator==(const IntegerStatement&) const = default;
};
struct DefineStatement {  // define obese = bmi >= 30
  std::string name;
  Condition condition;
  bool operator==(const DefineStatement&) const = default;
};
struct RuleStatement {  // id [trust = 0.5, margin = 1]: condition => class
  std::string id;       // may be empty
  std::optional<double> trust, margin;
  Condition condition;
  Consequent consequent;
  std::string text;  // as typed, on one line, without comments
  bool operator==(const RuleStatement& other) const {
    return id == other.id && trust == other.trust && margin == other.margin && condition == other.condition &&
           consequent == other.consequent;
  }
};

struct Statement {
  std::variant<ClassStatement, DomainStatement, IntegerStatement, DefineStatement, RuleStatement> what;
  std::vector<std::string> before;  // comments above it, each on a line of its own; "" for a blank line
  std::string after;                // a comment behind it
  Spot spot;
  bool operator==(const Statement&) const = default;
};

struct RuleFile {
  std::string source;  // its name, for messages
  std::string text;
  std::vector<Statement> statements;
  std::vector<std::string> end;  // comments behind the last statement
};

// A mistake, or something the author should know.
struct RuleProblem {
  Spot spot;
  Text message;
  Code code = Code::bad_syntax;
  Subject subject = {};
  std::string found = {}, expected = {};
  Text remedy = {};
};
// "file:line:column: message", the line and a caret under the place.
std::string describe(const RuleProblem& problem, const RuleFile& file);

struct ParsedRules {
  RuleFile file;
  std::vector<RuleProblem> problems;  // mistakes; the statements they are in are left out
};
ParsedRules parse_rules(std::string text, std::string source);
ParsedRules load_rules(const std::string& path);  // "-": standard input. Throws DataError
RuleFile without_problems(ParsedRules parsed);    // throws ParseError with all problems
RuleFile read_rules(const std::string& path);     // load_rules and without_problems

// The canonical text; parsing it gives the same tree.
std::string print_rules(const RuleFile& file);
std::string print(const Condition& condition);
std::string print(const RuleStatement& rule);

}  // namespace postil
