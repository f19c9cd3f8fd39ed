// Conditions of the tree with their names resolved and negations moved into the comparisons.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "conditions.hpp"
#include "scope.hpp"

namespace postil {

class Resolver {
 public:
  Resolver(Scope& scope, Conditions& to) : scope_(scope), list_(to) {}

  // All throw RuleMistake.
  std::uint32_t condition(const Condition& condition);         // its place
  std::uint32_t never() { return list_.join(Kind::any, {}); }  // one that no row satisfies
  LinearFunction function(const Linear& linear) const;         // of the columns
  void definition(const DefineStatement& statement,
                  Spot spot);  // so that its mistakes are told, though no rule uses it

 private:
  using Kind = Conditions::Node::Kind;
  struct Defined {  // what a definition means
    std::uint32_t place = 0;
    std::size_t levels = 0;
  };

  std::uint32_t resolve(const Condition& condition, bool negated);
  std::uint32_t joined(Kind kind, bool negated, std::vector<std::uint32_t> parts);
  std::uint32_t row(const std::map<std::uint32_t, double>& terms, double bound, bool strict, bool equality = false);
  std::uint32_t literal(std::uint32_t feature, bool one, bool negated);
  std::uint32_t comparison(const Linear& left, Relation relation, const Linear& right, bool negated);
  [[nodiscard]] const ColumnItem* divisor_of(const Linear& left, const Linear& right) const;
  struct Sum {
    std::map<std::uint32_t, double> terms;
    double constant = 0;
    double dates = 0;  // how many, each with its sign: the difference of two is a number of days
  };
  void add_times(const ColumnItem& divisor, const Linear& linear, double sign, Sum& to) const;
  void add(const Linear& linear, double sign, Sum& to) const;
  void check_written(const Linear& left, const Linear& right, const Sum& sum) const;
  std::uint32_t within(const ColumnItem& item, const std::vector<std::string>& words, bool negated);
  std::uint32_t missing(const ColumnItem& item, bool negated);
  std::uint32_t columns(const Condition& condition, bool negated);
  std::uint32_t name(const ColumnItem& item, bool negated);
  std::uint32_t at_least(const Condition& condition, std::uint32_t count, bool negated);
  std::uint32_t count(const Condition& condition, bool negated);
  [[nodiscard]] bool is_category_column(const Linear& operand) const;
  const Defined& defined(const ColumnItem& item, const Condition& condition, bool negated);
  Defined define(const ColumnItem& item, const Condition& condition, bool negated);

  Scope& scope_;
  ConditionList list_;
  std::map<std::pair<std::string, bool>, Defined> defined_;  // by name, and whether negated
  std::map<std::pair<std::string, bool>, RuleProblem> failed_;
  std::set<std::string> open_;  // definitions being resolved
  std::size_t levels_ = 0;      // of definitions in the condition being resolved
};

}  // namespace postil
