// Rules: the language, what rules become for a schema, what logic says of them. Grammar: docs/rules.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "postil/error.hpp"
#include "postil/row.hpp"
#include "postil/schema.hpp"

namespace postil {

// ---- The rule language: text to a tree and back. Grammar: docs/rules.md ----

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

// coefficient, or coefficient times a column or a sum of columns; or a text in quotes, a date (of sign `coefficient`), or a
// percentage.
struct Term {
  enum class Kind : std::uint8_t { number, column, sum, text, date, percent };
  Kind kind = Kind::number;
  double coefficient = 1;
  std::vector<ColumnItem> items;  // column: one; sum: all
  std::optional<ColumnItem> divisor = {};
  std::string text;
  Spot spot;
  bool operator==(const Term&) const = default;
};
using Linear = std::vector<Term>;  // their sum

enum class Relation : std::uint8_t { less, at_most, equal, at_least, greater, unequal };
std::string_view word(Relation relation);  // "<", "<=", ...

struct Condition {
  enum class Kind : std::uint8_t {
    compare,   // operands joined by relations: 3 <= x < 5
    between,   // operands: x, low, high; both ends belong to it
    within,    // items: a column; words: its categories
    columns,   // word(items): absent, present, any, all, none
    missing,   // items: a column
    name,      // items: a definition or a column of 0 and 1; in a list also a range of columns
    all,       // parts, and
    any,       // parts, or
    negation,  // parts: one
    at_least,  // `count` of parts
    count,     // how many of parts, relations[0], `count`
    more,      // items: a column; a direction, which is a rule's whole condition
    less,
  };
  Kind kind = Kind::name;
  std::vector<Linear> operands;
  std::vector<Relation> relations;
  std::vector<ColumnItem> items;
  std::vector<std::string> words;
  std::vector<Condition> parts;
  std::uint32_t count = 0;
  Spot spot;
  [[nodiscard]] bool direction() const { return kind == Kind::more || kind == Kind::less; }
  bool operator==(const Condition&) const = default;
};

// What follows the arrow: a class by its name or value, or +1 and -1 for the positive and negative one; perhaps `not`. Or, of a
// label that is a number, a comparison of it: charges >= 20000.
struct Consequent {
  bool negated = false;
  int sign = 0;      // +1, -1; 0: by name
  std::string name;  // as compared: a label value or a name given by `class`; of a number, the label's name
  bool quoted = false;
  std::optional<Condition> number = {};  // compare, with one relation, or between; the first operand is the label
  Spot spot;
  bool operator==(const Consequent&) const = default;
};

struct ClassStatement {  // class diabetes = 1
  std::string name, value;
  bool operator==(const ClassStatement&) const = default;
};
struct DomainStatement {  // domain a_1..a_9 in [0, 1]
  std::vector<ColumnItem> items;
  double low = 0, high = 0;     // may be infinite
  Kind written = Kind::number;  // number, date or percent
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
// sure = 80% of 20: of the rows where a rule holds, four in five are what it says; that counts as much as 20 labelled rows.
struct Sure {
  double rate = 0;             // from 0 to 1
  std::optional<double> rows;  // none: what a learner takes for it
  bool operator==(const Sure&) const = default;
};

struct RuleStatement {  // id [sure = 80%, trust = 0.5, margin = 1]: condition => class
  std::string id;       // may be empty
  std::optional<Sure> sure;
  std::optional<double> trust, margin;  // of the papers' learners
  Condition condition;
  Consequent consequent;
  std::string text;  // as typed, on one line, without comments
  bool operator==(const RuleStatement& other) const {
    return id == other.id && sure == other.sure && trust == other.trust && margin == other.margin &&
           condition == other.condition && consequent == other.consequent;
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
struct RulesText {
  std::string source;  // its name, for messages
  std::string text;    // in whatever form
};
RulesText read_rules_text(const std::string& path);  // "-": standard input. Throws DataError
ParsedRules load_rules(const std::string& path);
RuleFile without_problems(ParsedRules parsed);  // throws ParseError with all problems
RuleFile read_rules(const std::string& path);   // load_rules and without_problems

// The canonical text; parsing it gives the same tree.
std::string print_rules(const RuleFile& file);
std::string print(const Condition& condition);
std::string print(const RuleStatement& rule);

// ---- For editors: what each word of a text is, what is wrong with it, and what could come next ----

struct RuleWord {
  enum class Kind : std::uint8_t {
    keyword,
    function,
    column,
    definition,
    category,
    class_name,
    rule_name,
    number,
    text,
    sign,
    comment,
    unknown  // no column of the schema
  };
  Kind kind = Kind::sign;
  Spot spot;
  std::uint32_t length = 0;  // characters
};
struct RuleLint {
  struct Problem {
    Spot spot;
    std::uint32_t length = 0;
    std::string message;
  };
  struct Completion {
    RuleWord::Kind kind = RuleWord::Kind::keyword;
    std::string text;  // to stand in place of the word that is begun
  };
  std::vector<RuleWord> words;
  std::vector<Problem> problems;
  std::vector<Completion> completions;  // at the cursor
};
// `schema`: null: the columns and classes that the rules name themselves. Never throws because of what the text says.
RuleLint lint_rules(const std::string& text, const Schema* schema, std::optional<Spot> cursor = std::nullopt);
std::string_view word(RuleWord::Kind kind);

// ---- Rules compiled against a schema: what a learner sees of them, and whether they hold on a row ----

// One comparison: terms'x <= bound, in features and raw units; strict: <; equality: =.
struct AdviceRow {
  std::vector<std::pair<std::uint32_t, double>> terms;  // feature and coefficient, by feature
  double bound = 0;
  bool strict = false;
  bool equality = false;
  bool operator==(const AdviceRow&) const = default;
};

// Conditions as written, with their names resolved: comparisons and questions for missing values, joined by and, or, at
// least k of. What several conditions share is there once, before what it is part of.
//
// A comparison with a missing value is unknown, and so may be what it is part of (as in SQL). Negations have moved into the
// comparisons, which three-valued logic allows: then a condition is true if and only if it is with "false" in place of
// "unknown", and nothing needs a third value.
struct Conditions {
  struct Node {
    enum class Kind : std::uint8_t { row, missing, known, all, any, at_least };
    Kind kind = Kind::row;
    AdviceRow row = {};                     // as written: whole numbers are not yet used
    std::uint32_t feature = 0;              // missing, known: the first of a column
    std::vector<std::uint32_t> parts = {};  // places in nodes
    std::uint32_t count = 0;                // at_least
    bool operator==(const Node&) const = default;
  };
  std::vector<Node> nodes;

  // Which nodes are true on a row of raw features (all of them, dense; NaN: missing).
  [[nodiscard]] std::vector<std::uint8_t> truths(std::span<const double> x) const;
  [[nodiscard]] bool holds(std::uint32_t node, std::span<const double> x) const { return truths(x)[node] != 0; }
  // The comparisons and questions that a condition is made of, each once.
  [[nodiscard]] std::vector<const Node*> leaves(std::uint32_t node) const;
  // Of each node of another list, the place of the same condition here, or kNowhere.
  static constexpr std::uint32_t kNowhere = UINT32_MAX;
  [[nodiscard]] std::vector<std::uint32_t> places_of(const Conditions& other) const;
};

// A linear function of a row.
struct LinearFunction {
  std::vector<std::pair<std::uint32_t, double>> terms;  // feature and coefficient, by feature
  double constant = 0;

  [[nodiscard]] double at(const Row& x) const;
  [[nodiscard]] LinearFunction in(const Scaling& scaling) const;  // the same function of a learner's coordinates
  bool operator==(const LinearFunction&) const = default;
};

// What a rule says of a label that is a number: low(x) <= label <= high(x), or < if strict.
struct Claim {
  std::optional<LinearFunction> low, high;
  bool strict = false;

  [[nodiscard]] bool admits(double label, const Row& x) const;  // up to rounding
  [[nodiscard]] Claim in(const Scaling& scaling) const;
  bool operator==(const Claim&) const = default;
};

// A conjunction of comparisons for one class's task: rows x <= d => z * (score - target) >= margin. In raw units for ever.
struct AdviceSet {
  std::uint32_t rule = 0;          // place in Advice::rules
  std::uint32_t class_number = 0;  // the task's class
  double z = 1;
  std::vector<AdviceRow> rows;  // strict ones on whole numbers have become the next whole number
  LinearFunction target = {};   // 0 but for labels that are numbers

  [[nodiscard]] AdviceSet in(const Scaling& scaling) const;  // the same region in a learner's coordinates
};

// more x => class: the score of the class rises with a column, or falls with it. It holds on no row.
struct Direction {
  std::uint32_t feature = 0;
  double z = 1;  // sign of the feature's weight in the task
  bool operator==(const Direction&) const = default;
};

struct CompiledRule {
  std::string id;  // or "line N"
  Spot spot;
  std::string text;
  std::uint32_t class_number = 0;  // of the task
  bool positive = true;            // says yes to it
  std::optional<Sure> sure;
  double trust = 1, margin = 1;
  std::optional<Claim> claim = {};  // of labels that are numbers
  std::optional<Direction> direction = {};
  std::uint32_t condition = 0;  // place in Advice::conditions; of a direction, one that never holds
  std::uint32_t sets = 0;       // conjunctions
  std::uint32_t dropped = 0;    // of those, empty ones that have no set
  bool cut = false;             // it holds in places that none of its sets has: there would be too many

  // Whether the label of a row in these coordinates is what the rule says. Of a class, its number.
  [[nodiscard]] bool agrees(double label, const Row& x, const Scaling& scaling) const;
};

// The promised range of each feature, kept once for all sets.
struct Box {
  std::vector<double> low, high;          // infinite: not known
  std::vector<std::uint32_t> whole = {};  // features that hold whole numbers only, rising
  [[nodiscard]] Box in(const Scaling& scaling) const;
  [[nodiscard]] bool operator==(const Box&) const = default;
};

// Rules compiled against a schema: a value, made when rules are given and kept in the model file.
struct Advice {
  std::vector<CompiledRule> rules;
  Conditions conditions;
  std::vector<AdviceSet> sets;
  Box box;
  std::vector<std::uint32_t> stated;               // features whose domain a statement gives, in order
  std::vector<std::uint32_t> integers;             // features that a statement says are whole numbers, in order
  std::vector<std::vector<std::uint32_t>> one_of;  // features of which at most one is 1: the categories of a column
};

// What one learner of a model decides: this class, against one other or all.
struct Question {
  std::uint32_t class_number = 0;  // place in schema.label.classes
  std::optional<std::uint32_t> against = {};

  // What speaks for a class speaks for (1) or against (-1) the answer "yes"; 0: the class has no part in the question.
  [[nodiscard]] double side_of(std::uint32_t of) const {
    return of == class_number ? 1 : against && of != *against ? 0 : -1;
  }
};

// The advice for one question in a learner's coordinates.
struct TaskAdvice {
  struct Set {
    std::uint32_t rule = 0;
    double z = 1, trust = 1, margin = 1;
    std::vector<AdviceRow> rows;
    std::string name = {};       // of the rule
    LinearFunction target = {};  // z * (score - target) >= margin
    std::uint32_t number = 0;    // in Advice::sets
  };
  std::vector<Set> sets;

  // The sign of a feature's weight.
  struct Sign : Direction {
    std::uint32_t rule = 0;
    double trust = 1;
    std::string name = {};  // of the rule
  };
  std::vector<Sign> directions;

  bool of_numbers = false;  // the label is a number, and sets have targets

  [[nodiscard]] bool empty() const { return sets.empty() && directions.empty(); }  // nothing for a hyperplane

  // A rule as written: whether it holds is told with each row (Row::holds).
  struct Rule {
    std::uint32_t number = 0;  // in Advice::rules
    double z = 1;
    bool own = true;  // false: it speaks for another of several classes, and so against this one
    std::optional<Sure> sure = {};
    std::string text = {};  // as typed
    double trust = 1;
    std::optional<Claim> claim = {};
  };
  std::vector<Rule> rules;  // by number

  // What is known of a feature that the task's rules or a domain statement name.
  struct Feature {
    std::uint32_t number = 0;
    double low = 0, high = 0;            // promised: stated, or 0 to 1; infinite: not known
    double seen_low = 0, seen_high = 0;  // in the rows the schema was made from; infinite: none
    double mean = 0, variance = 1;       // there; without rows those of the promised range, or 0 and 1
    bool stated = false;                 // by a domain statement
    bool yes_no = false;                 // only its ends: 0 and 1 in the units of the data

    [[nodiscard]] double spread() const { return variance > 0 ? std::sqrt(variance) : 1; }
  };
  std::vector<Feature> features;  // by number

  [[nodiscard]] std::size_t place(std::uint32_t feature) const;  // in features
  [[nodiscard]] std::vector<std::uint32_t> numbers() const;      // of the features
  [[nodiscard]] TaskAdvice only(std::size_t set) const;          // one set, and the features that matter to it
  [[nodiscard]] TaskAdvice without_ranges() const;               // as if nothing were known of the features' ranges
};
// Needs: the schema that the rules were compiled for, or one that has grown out of it.
TaskAdvice advice_for(const Advice& advice, const Schema& schema, const Question& question);

struct CompileOptions {
  bool exclusive = false;                        // a rule for one of several classes also speaks against the others
  bool more_to_come = false;                     // the rows seen so far refute nothing: others may follow
  std::vector<RuleProblem> mistakes = {};        // of the parser, to be told together with those found here
  std::vector<RuleProblem>* problems = nullptr;  // takes all mistakes, in place of what would be thrown
};

// Throws ParseError with all mistakes: unknown columns and classes with the nearest known, wrong kinds, rules that no point
// can satisfy. Notes tell what was dropped.
Advice compile_rules(const RuleFile& file, const Schema& schema, const CompileOptions& options = {},
                     std::vector<std::string>* notes = nullptr);

// A schema for rules without data: the columns and classes they name, in the order of their appearance.
Schema schema_of_rules(const RuleFile& file);
// The categories that rules name, by column: a promise that they may come.
std::map<std::string, std::vector<std::string>> categories_in(const RuleFile& file);
// The label that rules say numbers of (charges >= 20000); none: they are about classes.
std::optional<std::string> number_claimed(const RuleFile& file);
// Columns that rules use only as yes/no answers hold 0 and 1, unless the user or the rows say otherwise.
void promise_yes_no(Schema& schema, const RuleFile& file);

// What logic says about rules before any data: contradictions, repetitions, whether one hyperplane can obey them all;
// and whether a trained model does.

// A point in raw units: features that matter and their values.
using RawPoint = std::map<std::uint32_t, double>;
struct NamedValue {
  std::string column;
  std::string text;  // the number, or a category's name; "" for none of the known
  bool category = false;
};
std::vector<NamedValue> named_values(const RawPoint& point, const Schema& schema);

struct RulePair {
  std::uint32_t a = 0, b = 0;          // places in Advice::rules
  std::uint32_t class_number = 0;      // whose task
  std::uint32_t set_a = 0, set_b = 0;  // that meet; places in Advice::sets
};
RawPoint witness(const Advice& advice, const RulePair& pair);  // satisfies both as written
// Whether two rules say what cannot both be, of a row in these coordinates on which both hold.
bool disagree(const CompiledRule& a, const CompiledRule& b, const Row& x, const Scaling& scaling);

struct Satisfiable {
  std::uint32_t class_number = 0;
  bool known = true;                // false: the linear program would be too large
  bool yes = true;                  // one hyperplane obeys all rules of the task with margin 1
  std::vector<std::uint32_t> core;  // if not: rules that cannot be obeyed together; without any one of them they can
};

struct RuleCheck {
  std::vector<RulePair> conflicts;       // opposite advice for one class that meets
  std::vector<RulePair> overlaps;        // advice for two different classes that meets
  std::vector<RulePair> opposed;         // opposite directions of one column, without sets
  std::vector<RulePair> implied;         // wherever a holds, b says the same
  std::vector<std::uint32_t> empty;      // per rule: branches that no point satisfies, one-hot columns counted
  std::vector<Satisfiable> satisfiable;  // per class that has rules
};
using CheckProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
RuleCheck check_rules(const Advice& advice, const CheckProgress& progress = {});

// Whether w'x + b (raw units) obeys one set everywhere in its region and the domain: z * (score - target) >= 0. What follows
// says score for score - target.
struct Certificate {
  bool known = true;  // false: the numbers differ too much in size to decide it
  bool obeyed = false;
  double worst = 0;  // the least z * score in the region; -inf if there is none
  // If obeyed, the proof: u >= 0 (free for equalities), one per row; q, p >= 0 per feature for the domain's ends; and
  // one per group of one-hot features. z w + D'u + p - q + groups = 0, so that z * score >= proven by weak duality.
  std::vector<double> u;
  std::map<std::uint32_t, double> low, high;  // q, p
  std::vector<double> groups;
  double proven = 0;        // z b - d'u - high'p + low'q - groups, recomputed from the numbers above
  double residual = 0;      // largest entry of what should be 0
  RawPoint counterexample;  // if not obeyed
};
Certificate certify(const AdviceSet& set, const Box& box, std::span<const std::vector<std::uint32_t>> one_of,
                    std::span<const double> weights, double bias);

}  // namespace postil
