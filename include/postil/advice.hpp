// Rules compiled against a schema: what a learner sees of them, and whether they hold on a row.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "postil/rules.hpp"
#include "postil/schema.hpp"

namespace postil {

// One comparison: terms'x <= bound, in features and raw units; strict: <; equality: =.
struct AdviceRow {
  std::vector<std::pair<std::uint32_t, double>> terms;  // feature and coefficient, by feature
  double bound = 0;
  bool strict = false;
  bool equality = false;
  bool operator==(const AdviceRow&) const = default;
};

// A condition as written, with its names resolved: comparisons joined by and, or, at least k of.
struct Formula {
  enum class Kind : std::uint8_t { row, all, any, at_least };
  Kind kind = Kind::row;
  AdviceRow row;  // as written: whole numbers are not yet used
  std::vector<Formula> parts;
  std::uint32_t count = 0;

  // Whether it holds on a row of raw features (all of them, dense), exactly as written. A comparison with NaN does not.
  [[nodiscard]] bool holds(std::span<const double> x) const;
  bool operator==(const Formula&) const = default;
};

// A conjunction of comparisons for one class's task: rows x <= d => z * score >= margin. In raw units for ever.
struct AdviceSet {
  std::uint32_t rule = 0;          // place in Advice::rules
  std::uint32_t class_number = 0;  // the task's class
  double z = 1;
  std::vector<AdviceRow> rows;  // strict ones on whole numbers have become the next whole number

  [[nodiscard]] AdviceSet in(const Scaling& scaling) const;  // the same region in a learner's coordinates
};

struct CompiledRule {
  std::string id;  // or "line N"
  Spot spot;
  std::string text;
  std::uint32_t class_number = 0;  // of the task
  bool positive = true;            // says yes to it
  double trust = 1, margin = 1;
  Formula condition;
  std::uint32_t sets = 0;     // conjunctions
  std::uint32_t dropped = 0;  // of those, empty ones that have no set
};

// The promised range of each feature, kept once for all sets.
struct Box {
  std::vector<double> low, high;  // infinite: not known
  [[nodiscard]] Box in(const Scaling& scaling) const;
  [[nodiscard]] bool operator==(const Box&) const = default;
};

// Rules compiled against a schema: a value, made when rules are given and kept in the model file.
struct Advice {
  std::vector<CompiledRule> rules;
  std::vector<AdviceSet> sets;
  Box box;
  std::vector<std::uint32_t> stated;               // features whose domain a statement gives, in order
  std::vector<std::uint32_t> integers;             // features that a statement says are whole numbers, in order
  std::vector<std::vector<std::uint32_t>> one_of;  // features of which at most one is 1: the categories of a column
};

// The advice for one task in a learner's coordinates.
struct TaskAdvice {
  struct Set {
    std::uint32_t rule = 0;
    double z = 1, trust = 1, margin = 1;
    std::vector<AdviceRow> rows;
    std::string name = {};  // of the rule
  };
  std::vector<Set> sets;

  // What is known of a feature that the task's rules or a domain statement name.
  struct Feature {
    std::uint32_t number = 0;
    double low = 0, high = 0;            // promised: stated, or 0 to 1; infinite: not known
    double seen_low = 0, seen_high = 0;  // in the rows the schema was made from; infinite: none
    double mean = 0, variance = 1;       // there; without rows those of the promised range, or 0 and 1
    bool stated = false;                 // by a domain statement
  };
  std::vector<Feature> features;  // by number

  [[nodiscard]] std::size_t place(std::uint32_t feature) const;  // in features
  [[nodiscard]] std::vector<std::uint32_t> numbers() const;      // of the features
  [[nodiscard]] TaskAdvice only(std::size_t set) const;          // one set, and the features that matter to it
};
// Needs: the schema that the rules were compiled for, or one that has grown out of it.
TaskAdvice advice_for(const Advice& advice, const Schema& schema, std::uint32_t class_number);

struct CompileOptions {
  bool exclusive = false;                  // a rule for one of several classes also speaks against the others
  bool more_to_come = false;               // the rows seen so far refute nothing: others may follow
  std::vector<RuleProblem> mistakes = {};  // of the parser, to be told together with those found here
};

// Throws ParseError with all mistakes: unknown columns and classes with the nearest known, wrong kinds, too many
// conjunctions, rules that no point can satisfy. Notes tell what was dropped.
Advice compile_rules(const RuleFile& file, const Schema& schema, const CompileOptions& options = {},
                     std::vector<std::string>* notes = nullptr);

// A schema for rules without data: the columns and classes they name, in the order of their appearance.
Schema schema_of_rules(const RuleFile& file);
// The categories that rules name, by column: a promise that they may come.
std::map<std::string, std::vector<std::string>> categories_in(const RuleFile& file);
// Columns that rules use only as yes/no answers hold 0 and 1, unless the user or the rows say otherwise.
void promise_yes_no(Schema& schema, const RuleFile& file);

}  // namespace postil
