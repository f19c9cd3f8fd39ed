// resolve.cpp: what conditions mean.
//
//   present, all   and of x >= 1        absent, none   and of x <= 0        any   or of x >= 1
//   column = word  the category's indicator is 1;  in {...}  one of several is
//   not            De Morgan's laws; of a comparison the opposite one
#include "resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "column_range.hpp"
#include "postil/text.hpp"
#include "problems.hpp"

namespace postil {
namespace {

constexpr std::size_t kMostLevels = 100;  // of definitions that stand on others

}  // namespace

std::uint32_t Resolver::condition(const Condition& condition) {
  open_.clear();
  levels_ = 0;
  return resolve(condition, false);
}

void Resolver::definition(const DefineStatement& statement, Spot spot) {
  open_.clear();
  levels_ = 0;
  defined({statement.name, "", false, spot}, statement.condition, false);
}

LinearFunction Resolver::function(const Linear& linear) const {
  Sum sum;
  for (const Term& term : linear)
    if (term.divisor) fail_at(term.divisor->spot, "what a rule says of a number cannot be divided by a column");
  add(linear, 1, sum);
  LinearFunction out{{}, sum.constant};
  bool finite = std::isfinite(out.constant);
  for (const auto& [feature, coefficient] : sum.terms) {
    finite = finite && std::isfinite(coefficient);
    if (coefficient != 0) out.terms.emplace_back(feature, coefficient);
  }
  if (!finite) fail_at(linear[0].spot, "the numbers are out of range");
  return out;
}

std::uint32_t Resolver::resolve(const Condition& c, bool negated) {
  std::vector<std::uint32_t> parts;
  switch (c.kind) {
    case Condition::Kind::compare:
      for (std::size_t k = 0; k < c.relations.size(); ++k)
        parts.push_back(comparison(c.operands[k], c.relations[k], c.operands[k + 1], negated));
      return joined(Kind::all, negated, std::move(parts));
    case Condition::Kind::between:
      parts.push_back(comparison(c.operands[0], Relation::at_least, c.operands[1], negated));
      parts.push_back(comparison(c.operands[0], Relation::at_most, c.operands[2], negated));
      return joined(Kind::all, negated, std::move(parts));
    case Condition::Kind::within: return within(c.items[0], c.words, negated);
    case Condition::Kind::columns: return columns(c, negated);
    case Condition::Kind::missing: return missing(c.items[0], negated);
    case Condition::Kind::name: return name(c.items[0], negated);
    case Condition::Kind::negation: return resolve(c.parts[0], !negated);
    case Condition::Kind::all:
    case Condition::Kind::any:
      for (const Condition& part : c.parts) parts.push_back(resolve(part, negated));
      return joined(c.kind == Condition::Kind::all ? Kind::all : Kind::any, negated, std::move(parts));
    case Condition::Kind::at_least: return at_least(c, c.count, negated);
    case Condition::Kind::count: return count(c, negated);
    case Condition::Kind::more:
    case Condition::Kind::less: fail_at(c.spot, "a direction is the whole condition of a rule");
  }
  return 0;
}

std::uint32_t Resolver::joined(Kind kind, bool negated, std::vector<std::uint32_t> parts) {
  return list_.join((kind == Kind::all) != negated ? Kind::all : Kind::any, std::move(parts));
}

std::uint32_t Resolver::row(const std::map<std::uint32_t, double>& terms, double bound, bool strict, bool equality) {
  AdviceRow out{{}, bound, strict, equality};
  for (const auto& [feature, coefficient] : terms)
    if (coefficient != 0) out.terms.emplace_back(feature, coefficient);
  return list_.add({.row = std::move(out)});
}

// x >= 1, or x <= 0.
std::uint32_t Resolver::literal(std::uint32_t feature, bool one, bool negated) {
  const double sign = one != negated ? -1 : 1;
  return row({{feature, sign}}, one ? sign : 0, negated);
}

// ---- comparisons ----

bool Resolver::is_category_column(const Linear& operand) const {
  if (operand.size() != 1 || operand[0].kind != Term::Kind::column || operand[0].coefficient != 1) return false;
  const std::optional<Scope::Place> found = scope_.find_column(operand[0].items[0].first);
  return found && scope_.categorical(*found);
}

std::uint32_t Resolver::comparison(const Linear& left, Relation relation, const Linear& right, bool negated) {
  const bool left_categories = is_category_column(left);
  if (left_categories || is_category_column(right)) {
    const Linear& named = left_categories ? left : right;
    const Linear& word = left_categories ? right : left;
    if (relation != Relation::equal && relation != Relation::unequal)
      fail_at(named[0].spot, fmt::format("column {} holds categories: they can be = or !=, not compared in size",
                                         in_quotes(named[0].items[0].first)));
    std::string category;
    if (word.size() == 1 && word[0].kind == Term::Kind::text)
      category = word[0].text;
    else if (word.size() == 1 && word[0].kind == Term::Kind::column && !word[0].items[0].quoted &&
             word[0].coefficient == 1)
      category = word[0].items[0].first;
    else if (word.size() == 1 && word[0].kind == Term::Kind::number)
      category = format_number(word[0].coefficient);
    else if (word.size() == 1 && word[0].kind == Term::Kind::date)
      category = word[0].text;
    else if (word.size() == 1 && word[0].kind == Term::Kind::percent)
      category = format_number(word[0].coefficient) + "%";
    else
      fail_at(word[0].spot,
              fmt::format("expected a category of {}; those that are not one plain word stand in \"double quotes\"",
                          in_quotes(named[0].items[0].first)));
    return within(named[0].items[0], {category}, negated != (relation == Relation::unequal));
  }
  Sum sum;
  if (const ColumnItem* divisor =
          divisor_of(left, right)) {  // both sides times what they are divided by, which is positive
    add_times(*divisor, left, 1, sum);
    add_times(*divisor, right, -1, sum);
  } else {
    add(left, 1, sum);
    add(right, -1, sum);
  }
  check_written(left, right, sum);
  const std::map<std::uint32_t, double>& terms = sum.terms;
  const double constant = sum.constant;
  if (std::none_of(terms.begin(), terms.end(), [](const auto& term) { return term.second != 0; }))
    fail_at(left[0].spot, "the comparison is about no column");
  for (const auto& [feature, coefficient] : terms)
    if (!std::isfinite(coefficient)) fail_at(left[0].spot, "the numbers are out of range");
  if (!std::isfinite(constant)) fail_at(left[0].spot, "the numbers are out of range");
  std::map<std::uint32_t, double> turned;
  for (const auto& [feature, coefficient] : terms) turned[feature] = -coefficient;
  const double bound = constant == 0 ? 0 : -constant, minus = constant;  // terms <= bound; turned <= minus
  std::vector<std::uint32_t> parts;  // of a column that cancels out, the value must be known all the same
  for (const auto& [feature, coefficient] : terms)
    if (coefficient == 0 && !scope_.schema().sparse())
      parts.push_back(list_.add({.kind = Kind::known, .feature = feature}));
  const bool equality = relation == Relation::equal || relation == Relation::unequal;
  const bool below = relation == Relation::less || relation == Relation::at_most;
  const bool strict = (relation == Relation::less || relation == Relation::greater) != negated;
  if (equality && (relation == Relation::equal) == negated)
    parts.push_back(list_.join(Kind::any, {row(terms, bound, true), row(turned, minus, true)}));
  else
    parts.push_back(equality || below != negated ? row(terms, bound, strict && !equality, equality)
                                                 : row(turned, minus, strict));
  return list_.join(Kind::all, std::move(parts));
}

// The column that a comparison's terms are divided by, if there is one.
const ColumnItem* Resolver::divisor_of(const Linear& left, const Linear& right) const {
  const ColumnItem* out = nullptr;
  for (const Linear* side : {&left, &right})
    for (const Term& term : *side) {
      if (!term.divisor) continue;
      if (out != nullptr && out->first != term.divisor->first)
        fail_at(term.divisor->spot, "a comparison can be divided by one column only");
      out = &*term.divisor;
    }
  if (out != nullptr && !scope_.is_positive(scope_.number_feature(out->first, out->spot)))
    fail_at(out->spot,
            fmt::format("column {0} may be 0 or negative; if it is always positive, say so in a line of its own "
                        "(domain {0} in [1, inf]), or multiply: x > 2*{0} in place of x/{0} > 2",
                        out->first));
  return out;
}

// Dates are compared with dates, and percentages stand beside columns of percentages.
void Resolver::check_written(const Linear& left, const Linear& right, const Sum& sum) const {
  if (std::any_of(sum.terms.begin(), sum.terms.end(), [&](const auto& term) { return !scope_.written(term.first); }))
    return;  // of a column that nothing is known of, it may be right
  for (const Linear* side : {&left, &right})
    for (const Term& term : *side)
      if (term.kind == Term::Kind::percent)
        for (const auto& [feature, coefficient] : sum.terms)
          if (scope_.written(feature) != postil::Kind::percent)
            fail_at(term.spot, fmt::format("column {} holds plain numbers: as it has them, {} or {}",
                                           in_quotes(scope_.schema().feature_name(feature)),
                                           format_number(std::fabs(term.coefficient)),
                                           format_number(std::fabs(term.coefficient) / 100)));
  if (std::fabs(sum.dates) < 1e-9) return;
  for (const auto& [feature, coefficient] : sum.terms)
    if (scope_.written(feature) == postil::Kind::date)
      fail_at(left[0].spot, fmt::format("column {} holds dates: compare it with a date such as 2024-03-01, or the "
                                        "difference of two with a number of days",
                                        in_quotes(scope_.schema().feature_name(feature))));
  fail_at(left[0].spot,
          fmt::format("column {} holds no dates", in_quotes(scope_.schema().feature_name(sum.terms.begin()->first))));
}

void Resolver::add_times(const ColumnItem& divisor, const Linear& linear, double sign, Sum& to) const {
  const std::uint32_t by = scope_.number_feature(divisor.first, divisor.spot);
  for (const Term& term : linear) {
    if (term.divisor)
      add({term}, sign, to);
    else if (term.kind == Term::Kind::number)
      to.terms[by] += sign * term.coefficient;
    else
      fail_at(term.spot, fmt::format("in a comparison that divides by {}, all other terms must be numbers",
                                     in_quotes(divisor.first)));
  }
}

void Resolver::add(const Linear& linear, double sign, Sum& to) const {
  const auto add_column = [&](std::uint32_t feature, double coefficient) {
    to.terms[feature] += coefficient;
    if (scope_.written(feature) == postil::Kind::date) to.dates += coefficient;
  };
  for (const Term& term : linear) {
    const double coefficient = sign * term.coefficient;
    switch (term.kind) {
      case Term::Kind::number:
      case Term::Kind::percent: to.constant += coefficient; break;
      case Term::Kind::date:
        to.constant += coefficient * parse_date(term.text).value_or(0);
        to.dates += coefficient;
        break;
      case Term::Kind::text:
        fail_at(term.spot, fmt::format("found the text {}, expected a number or a column", in_quotes(term.text)));
      case Term::Kind::column:
        add_column(scope_.number_feature(term.items[0].first, term.items[0].spot), coefficient);
        break;
      case Term::Kind::sum:
        for (const std::uint32_t feature : scope_.features_of(term.items)) add_column(feature, coefficient);
        break;
    }
  }
}

std::uint32_t Resolver::within(const ColumnItem& item, const std::vector<std::string>& words, bool negated) {
  std::vector<std::uint32_t> parts;
  if (!scope_.categorical(scope_.need_column(item.first, item.spot))) {  // numbers in braces
    for (const std::string& word : words) {
      Term left, right;
      left.kind = Term::Kind::column;
      left.items = {item};
      left.spot = right.spot = item.spot;
      if (const std::optional<double> number = parse_number(word)) {
        right.coefficient = *number;
      } else if (const std::optional<double> percent = parse_percent(word)) {
        right.coefficient = *percent;
        right.kind = Term::Kind::percent;
      } else if (parse_date(word)) {
        right.text = word;
        right.kind = Term::Kind::date;
      } else {
        fail_at(item.spot, fmt::format("column {} holds numbers, not categories such as {}", in_quotes(item.first),
                                       in_quotes(word)));
      }
      parts.push_back(comparison({left}, Relation::equal, {right}, negated));
    }
    return joined(Kind::any, negated, std::move(parts));
  }
  const std::vector<std::uint32_t> features = scope_.categories(item, words);
  if (!negated) {  // their sum, which one missing value makes unknown as a whole
    std::map<std::uint32_t, double> terms;
    for (const std::uint32_t feature : features) terms[feature] = -1;
    return row(terms, -1, false);
  }
  for (const std::uint32_t feature : features) parts.push_back(row({{feature, 1}}, 0, false));
  return list_.join(Kind::all, std::move(parts));
}

std::uint32_t Resolver::missing(const ColumnItem& item, bool negated) {
  const Scope::Place place = scope_.need_column(item.first, item.spot);
  if (scope_.schema().sparse())
    fail_at(item.spot,
            fmt::format("in rows of numbered features nothing is missing: what is not there is 0; write {} = 0",
                        item.first));
  return list_.add({.kind = negated ? Kind::known : Kind::missing, .feature = place.feature});
}

// ---- columns of 0 and 1, and definitions ----

std::uint32_t Resolver::columns(const Condition& c, bool negated) {
  const std::string& word = c.words[0];
  const bool one = word != "absent" && word != "none";
  std::vector<std::uint32_t> parts;
  for (const std::uint32_t feature : scope_.features_of(c.items)) parts.push_back(literal(feature, one, negated));
  return joined(word == "any" ? Kind::any : Kind::all, negated, std::move(parts));
}

std::uint32_t Resolver::name(const ColumnItem& item, bool negated) {
  if (!item.quoted && item.last.empty())
    if (const Condition* found = scope_.definition(item.first)) {
      const Defined& meaning = defined(item, *found, negated);
      levels_ = std::max(levels_, meaning.levels);
      return meaning.place;
    }
  const Scope::Place place = scope_.need_column(item.first, item.spot);
  if (!scope_.can_be_yes_no(place))
    fail_at(
        item.spot,
        fmt::format(
            "column {} is no yes/no column: expected a comparison such as {} >= 1{}", in_quotes(item.first), item.first,
            scope_.schema().sparse() ? fmt::format("; or state: integer {0}, domain {0} in [0, 1]", item.first) : ""));
  return negated ? row({{place.feature, 1}}, 0, false) : row({{place.feature, -1}}, -1, false);
}

// What a definition means, found once for all that use it.
const Resolver::Defined& Resolver::defined(const ColumnItem& item, const Condition& condition, bool negated) {
  const auto key = std::pair(item.first, negated);
  if (const auto known = defined_.find(key); known != defined_.end()) return known->second;
  if (const auto known = failed_.find(key); known != failed_.end()) fail_at(known->second);
  try {
    return defined_.emplace(key, define(item, condition, negated)).first->second;
  } catch (const RuleMistake& mistake) {  // told once
    failed_.emplace(key, mistake.problem);
    throw;
  }
}

Resolver::Defined Resolver::define(const ColumnItem& item, const Condition& condition, bool negated) {
  if (!open_.insert(item.first).second)
    fail_at(item.spot, fmt::format("the definition of {} needs itself", in_quotes(item.first)));
  const auto too_deep = [&] {
    fail_at({.spot = item.spot,
             .message = fmt::format("definitions are nested more than {} levels deep at {}", kMostLevels,
                                    in_quotes(item.first)),
             .code = Code::too_many,
             .expected = fmt::format("at most {} levels", kMostLevels)});
  };
  if (open_.size() > kMostLevels) too_deep();
  const std::size_t levels = std::exchange(levels_, 0);
  Defined out;
  out.place = resolve(condition, negated);
  out.levels = std::exchange(levels_, levels) + 1;
  if (out.levels > kMostLevels) too_deep();
  open_.erase(item.first);
  return out;
}

std::uint32_t Resolver::at_least(const Condition& c, std::uint32_t count, bool negated) {
  std::vector<std::uint32_t> parts;
  for (const Condition& part : c.parts) {
    if (part.kind != Condition::Kind::name || part.items[0].last.empty()) {
      parts.push_back(resolve(part, negated));
      continue;
    }
    for (const std::string& column : names_of(part.items[0]))
      parts.push_back(name({column, "", part.items[0].quoted, part.items[0].spot}, negated));
  }
  const auto n = static_cast<std::uint32_t>(parts.size());
  if (count > n) fail_at(c.spot, fmt::format("at least {} of only {} conditions", count, n));
  if (negated) count = n - count + 1;
  if (count == 1 || count == n) return list_.join(count == 1 ? Kind::any : Kind::all, std::move(parts));
  return list_.add({.kind = Kind::at_least, .parts = std::move(parts), .count = count});
}

// How many hold lies between two numbers: at least the one, and not at least one more than the other.
std::uint32_t Resolver::count(const Condition& c, bool negated) {
  std::size_t n = 0;
  for (const Condition& part : c.parts) n += part.kind == Condition::Kind::name ? names_of(part.items[0]).size() : 1;
  const Relation relation = c.relations[0];
  std::int64_t low = 0, high = static_cast<std::int64_t>(n);
  if (relation == Relation::at_least || relation == Relation::equal || relation == Relation::unequal) low = c.count;
  if (relation == Relation::greater) low = std::int64_t{c.count} + 1;
  if (relation == Relation::at_most || relation == Relation::equal || relation == Relation::unequal) high = c.count;
  if (relation == Relation::less) high = std::int64_t{c.count} - 1;
  if (low > static_cast<std::int64_t>(n) || high < 0 || (low == 0 && high >= static_cast<std::int64_t>(n)))
    fail_at(c.spot, fmt::format("with {} conditions this comparison is always true or never true", n));
  const bool outside = negated != (relation == Relation::unequal);
  std::vector<std::uint32_t> parts;
  if (low > 0) parts.push_back(at_least(c, static_cast<std::uint32_t>(low), outside));
  if (high < static_cast<std::int64_t>(n)) parts.push_back(at_least(c, static_cast<std::uint32_t>(high + 1), !outside));
  return joined(Kind::all, outside, std::move(parts));
}

}  // namespace postil
