// compile.cpp: rules and a schema to polyhedra (docs/mathematics.md A7).
//
//   >=             negates a row;  strict rows are their closure, except on whole numbers, where > 1 is >= 2
//   =              one row with a free multiplier;  != gives two branches
//   or             several sets: the condition's disjunctive normal form
//   absent         one row per column, x <= 0;   any  sum >= 1, one row;   all, present  one row per column, x >= 1
//   column = word  the category's indicator >= 1
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "column_range.hpp"
#include "normal_form.hpp"
#include "postil/error.hpp"
#include "postil/rules.hpp"
#include "postil/text.hpp"
#include "problems.hpp"
#include "region.hpp"

namespace postil {

namespace {

constexpr std::size_t kMostLevels = 100;             // of definitions that stand on others
constexpr std::size_t kMostComparisons = 1'000'000;  // that definitions bring, each time they are used

[[noreturn]] void fail(Spot spot, std::string message) { fail_at(spot, std::move(message)); }

struct ColumnPlace {
  std::uint32_t column = 0, feature = 0;  // its first feature
};

class Compiler {
 public:
  Compiler(const RuleFile& file, const Schema& schema, const CompileOptions& options)
      : file_(file), schema_(schema), options_(options) {
    for (std::uint32_t j = 0; j < schema.columns.size(); ++j) {
      const Column& column = schema.columns[j];
      places_.emplace(column.name, ColumnPlace{j, column.features.empty() ? 0 : column.features[0]});
      names_.push_back(column.name);
    }
  }

  Advice run(std::vector<std::string>* notes) {
    for (const Statement& statement : file_.statements) attempt([&] { take_statement(statement); });
    make_box();
    for (const Statement& statement : file_.statements)
      if (const auto* define = std::get_if<DefineStatement>(&statement.what))  // also those that no rule uses
        attempt([&] {
          begin_condition();
          defined({define->name, "", false, statement.spot}, define->condition, false);
        });
    for (const Statement& statement : file_.statements)
      if (const auto* rule = std::get_if<RuleStatement>(&statement.what))
        attempt([&] { take_rule(*rule, statement.spot); });
    problems_.insert(problems_.end(), options_.mistakes.begin(), options_.mistakes.end());
    std::stable_sort(problems_.begin(), problems_.end(), [](const RuleProblem& a, const RuleProblem& b) {
      return std::pair(a.spot.line, a.spot.column) < std::pair(b.spot.line, b.spot.column);
    });
    problems_.erase(std::unique(problems_.begin(), problems_.end(),
                                [](const RuleProblem& a, const RuleProblem& b) {
                                  return a.spot.line == b.spot.line && a.spot.column == b.spot.column &&
                                         a.message == b.message;
                                }),
                    problems_.end());
    throw_problems(problems_, file_);
    if (notes != nullptr) *notes = std::move(notes_);
    return std::move(out_);
  }

 private:
  struct Defined {  // what a definition means
    Formula formula;
    std::size_t levels = 0, comparisons = 0;
  };
  template <class Work>
  void attempt(const Work& work) {
    try {
      work();
    } catch (const RuleMistake& stop) {
      problems_.push_back(stop.problem);
    }
  }

  // ---- names ----

  [[nodiscard]] bool sparse() const { return schema_.sparse(); }
  [[nodiscard]] const Column& column(const ColumnPlace& place) const { return schema_.columns[place.column]; }
  [[nodiscard]] std::optional<ColumnPlace> find_column(const std::string& name) const {
    if (sparse()) {
      const auto [prefix, digits] = numbered(name);
      if (prefix != "f" || digits.empty() || digits.size() > 9 || digits[0] == '0') return std::nullopt;
      const auto number = static_cast<std::uint32_t>(std::stoul(digits));
      if (number > schema_.features) return std::nullopt;
      return ColumnPlace{0, number - 1};
    }
    const auto found = places_.find(name);
    if (found == places_.end()) return std::nullopt;
    return found->second;
  }
  [[nodiscard]] ColumnPlace need_column(const std::string& name, Spot spot) const {
    if (const std::optional<ColumnPlace> found = find_column(name)) return *found;
    if (name == schema_.label.name && !name.empty())
      fail(spot, fmt::format("{} is the label; a rule's condition is about the other columns", in_quotes(name)));
    if (sparse())
      fail(spot, fmt::format("unknown column {}; the data have f1 to f{}", in_quotes(name), schema_.features));
    std::vector<std::string> known = names_;
    if (names_.size() > 8)  // the nearest of all names, but no list of columns with definitions in it
      for (const auto& [defined, condition] : definitions_) known.push_back(defined);
    fail_at({.spot = spot,
             .message = Text("unknown column ", in_quotes(name)),
             .code = Code::unknown_column,
             .subject = {"column", name},
             .found = name,
             .remedy = did_you_mean(name, known)});
  }
  [[nodiscard]] bool categorical(const ColumnPlace& place) const { return !sparse() && column(place).categorical(); }
  [[nodiscard]] std::uint32_t number_feature(const std::string& name, Spot spot) const {
    const ColumnPlace place = need_column(name, spot);
    if (categorical(place))
      fail(spot, fmt::format("column {} holds categories, not numbers: write {} = category (known: {})",
                             in_quotes(name), name, joined(first_few(column(place).categories))));
    return place.feature;
  }
  static std::vector<std::string> first_few(const std::vector<std::string>& names) {
    std::vector<std::string> out(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 8)));
    if (names.size() > 8) out.emplace_back("...");
    return out;
  }
  std::vector<std::uint32_t> features_of(const std::vector<ColumnItem>& items) const {
    std::vector<std::uint32_t> out;
    for (const ColumnItem& item : items)
      for (const std::string& name : names_of(item)) out.push_back(number_feature(name, item.spot));
    std::vector<std::uint32_t> sorted = out;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      fail(items[0].spot, fmt::format("column {} stands twice in the list", in_quotes(schema_.feature_name(*twice))));
    return out;
  }
  // Features that are 0 or 1, by promise or as far as rows have shown.
  [[nodiscard]] bool zero_one(std::uint32_t feature) const {
    return (promised_whole_[feature] != 0 && out_.box.low[feature] >= 0 && out_.box.high[feature] <= 1) ||
           (seen_binary_[feature] != 0 && std::isinf(out_.box.low[feature]) && std::isinf(out_.box.high[feature]));
  }

  // ---- statements that are no rules ----

  void take_statement(const Statement& statement) {
    if (const auto* name = std::get_if<ClassStatement>(&statement.what)) take_class(*name, statement.spot);
    if (const auto* define = std::get_if<DefineStatement>(&statement.what)) {
      if (find_column(define->name))
        fail(statement.spot,
             fmt::format("{} is a column; a definition needs a name of its own", in_quotes(define->name)));
      definitions_[define->name] = &define->condition;
    }
    if (const auto* domain = std::get_if<DomainStatement>(&statement.what))
      for (const std::uint32_t feature : features_of(domain->items)) domains_[feature] = {domain->low, domain->high};
    if (const auto* integer = std::get_if<IntegerStatement>(&statement.what))
      for (const std::uint32_t feature : features_of(integer->items)) stated_whole_.insert(feature);
  }
  void take_class(const ClassStatement& s, Spot spot) {
    const std::vector<std::string>& known = schema_.label.classes;
    const auto is_class = [&](const std::string& value) {
      return std::find(known.begin(), known.end(), value) != known.end();
    };
    if (!is_class(s.value))
      fail(spot, fmt::format("unknown class {}; known: {}", in_quotes(s.value), joined(first_few(known))));
    if (s.name != s.value && is_class(s.name))
      fail(spot,
           fmt::format("{} is a class of its own and cannot be a name for {}", in_quotes(s.name), in_quotes(s.value)));
    class_names_[s.name] = s.value;
  }
  // What is promised of each feature bounds its rules; what rows have shown only tells how to put them.
  void make_box() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    out_.box.low.assign(schema_.features, -kInfinity);
    out_.box.high.assign(schema_.features, kInfinity);
    promised_whole_.assign(schema_.features, 0);
    whole_.assign(schema_.features, 0);
    seen_binary_.assign(schema_.features, 0);
    const auto is_whole = [](Kind kind) { return kind == Kind::integer || kind == Kind::binary; };
    for (const Column& column : schema_.columns) {
      if (column.categorical())
        out_.one_of.emplace_back(column.features.begin(),
                                 column.features.begin() + static_cast<std::ptrdiff_t>(column.categories.size()));
      for (std::size_t k = 0; k < column.features.size(); ++k) {
        const std::uint32_t feature = column.features[k];
        const bool indicator = column.categorical() || k > 0;
        out_.box.low[feature] = indicator ? 0 : column.promised.low;
        out_.box.high[feature] = indicator ? 1 : column.promised.high;
        promised_whole_[feature] = indicator || (column.promised.kind && is_whole(*column.promised.kind));
        whole_[feature] = promised_whole_[feature] != 0 || (!column.promised.kind && is_whole(column.seen.kind));
        seen_binary_[feature] = !indicator && column.kind() == Kind::binary;
      }
    }
    for (std::size_t f = 0; f < schema_.kinds.size(); ++f) {
      whole_[f] = is_whole(schema_.kinds[f]);
      seen_binary_[f] = schema_.kinds[f] == Kind::binary;
    }
    if (sparse())  // columns without names have no promises but those of the rules (promise_yes_no)
      for (const Column& column : schema_of_rules(file_).columns) {
        const std::optional<ColumnPlace> place = find_column(column.name);
        if (column.promised.kind != Kind::binary || !place) continue;
        const std::uint32_t f = place->feature;
        if (f < schema_.kinds.size() && seen_binary_[f] == 0) continue;
        out_.box.low[f] = 0;
        out_.box.high[f] = 1;
        promised_whole_[f] = whole_[f] = 1;
      }
    for (const std::uint32_t stated : stated_whole_) {
      out_.integers.push_back(stated);
      promised_whole_[stated] = whole_[stated] = 1;
    }
    for (const auto& [stated, range] : domains_) {
      out_.stated.push_back(stated);
      out_.box.low[stated] = range.first;
      out_.box.high[stated] = range.second;
    }
  }

  // ---- conditions ----

  void begin_condition() {
    open_.clear();
    levels_ = 0;
  }

  Formula resolve(const Condition& c, bool negated) {
    using Kind = Condition::Kind;
    switch (c.kind) {
      case Kind::compare: {
        std::vector<Formula> parts;
        for (std::size_t k = 0; k < c.relations.size(); ++k)
          parts.push_back(comparison(c.operands[k], c.relations[k], c.operands[k + 1], negated));
        return joined_parts(std::move(parts), negated ? Formula::Kind::any : Formula::Kind::all);
      }
      case Kind::between: {
        std::vector<Formula> parts;
        parts.push_back(comparison(c.operands[0], Relation::at_least, c.operands[1], negated));
        parts.push_back(comparison(c.operands[0], Relation::at_most, c.operands[2], negated));
        return joined_parts(std::move(parts), negated ? Formula::Kind::any : Formula::Kind::all);
      }
      case Kind::within: return within(c.items[0], c.words, negated);
      case Kind::columns: return columns(c, negated);
      case Kind::name: return name(c, negated);
      case Kind::negation: return resolve(c.parts[0], !negated);
      case Kind::all:
      case Kind::any: {
        std::vector<Formula> parts;
        for (const Condition& part : c.parts) parts.push_back(resolve(part, negated));
        return joined_parts(std::move(parts),
                            (c.kind == Kind::all) != negated ? Formula::Kind::all : Formula::Kind::any);
      }
      case Kind::at_least: return at_least(c, negated);
    }
    return {};
  }

  static Formula joined_parts(std::vector<Formula> parts, Formula::Kind kind) {
    if (parts.size() == 1) return std::move(parts[0]);
    Formula out;
    out.kind = kind;
    out.parts = std::move(parts);
    return out;
  }
  static Formula row(const std::map<std::uint32_t, double>& terms, double bound, bool strict, bool equality = false) {
    Formula out;
    for (const auto& [feature, coefficient] : terms)
      if (coefficient != 0) out.row.terms.emplace_back(feature, coefficient);
    out.row.bound = bound;
    out.row.strict = strict;
    out.row.equality = equality;
    return out;
  }
  // sum of signs x <= bound
  static Formula row_over(const std::vector<std::uint32_t>& features, double sign, double bound, bool strict = false) {
    std::map<std::uint32_t, double> terms;
    for (const std::uint32_t feature : features) terms[feature] += sign;
    return row(terms, bound, strict);
  }

  // The column of categories that an operand is, if it is one.
  [[nodiscard]] std::optional<ColumnPlace> category_column(const Linear& operand) const {
    if (operand.size() != 1 || operand[0].kind != Term::Kind::column || operand[0].coefficient != 1)
      return std::nullopt;
    const std::optional<ColumnPlace> found = find_column(operand[0].items[0].first);
    if (!found || !categorical(*found)) return std::nullopt;
    return found;
  }

  Formula comparison(const Linear& left, Relation relation, const Linear& right, bool negated) {
    const bool left_categories = category_column(left).has_value();
    if (left_categories || category_column(right)) {
      const Linear& named = left_categories ? left : right;
      const Linear& word = left_categories ? right : left;
      if (relation != Relation::equal && relation != Relation::unequal)
        fail(named[0].spot, fmt::format("column {} holds categories: they can be = or !=, not compared in size",
                                        in_quotes(named[0].items[0].first)));
      std::string category;
      if (word.size() == 1 && word[0].kind == Term::Kind::text)
        category = word[0].text;
      else if (word.size() == 1 && word[0].kind == Term::Kind::column && !word[0].items[0].quoted &&
               word[0].coefficient == 1)
        category = word[0].items[0].first;
      else if (word.size() == 1 && word[0].kind == Term::Kind::number)
        category = format_number(word[0].coefficient);
      else
        fail(word[0].spot,
             fmt::format("expected a category of {}; those that are not one plain word stand in \"double quotes\"",
                         in_quotes(named[0].items[0].first)));
      return within(named[0].items[0], {category}, negated != (relation == Relation::unequal));
    }
    std::map<std::uint32_t, double> terms;
    double constant = 0;
    add(left, 1, terms, constant);
    add(right, -1, terms, constant);
    if (std::none_of(terms.begin(), terms.end(), [](const auto& term) { return term.second != 0; }))
      fail(left[0].spot, "the comparison is about no column");
    for (const auto& [feature, coefficient] : terms)
      if (!std::isfinite(coefficient)) fail(left[0].spot, "the numbers are out of range");
    if (!std::isfinite(constant)) fail(left[0].spot, "the numbers are out of range");
    std::map<std::uint32_t, double> turned;
    for (const auto& [feature, coefficient] : terms) turned[feature] = -coefficient;
    const double bound = constant == 0 ? 0 : -constant, minus = constant;  // terms <= bound; turned <= minus
    if (relation == Relation::equal && !negated) return row(terms, bound, false, true);
    if (relation == Relation::unequal && negated) return row(terms, bound, false, true);
    if (relation == Relation::equal || relation == Relation::unequal) {
      std::vector<Formula> parts;
      parts.push_back(row(terms, bound, true));
      parts.push_back(row(turned, minus, true));
      return joined_parts(std::move(parts), Formula::Kind::any);
    }
    const bool below = relation == Relation::less || relation == Relation::at_most;
    const bool strict = (relation == Relation::less || relation == Relation::greater) != negated;
    return below != negated ? row(terms, bound, strict) : row(turned, minus, strict);
  }

  void add(const Linear& linear, double sign, std::map<std::uint32_t, double>& terms, double& constant) const {
    for (const Term& term : linear) {
      const double coefficient = sign * term.coefficient;
      switch (term.kind) {
        case Term::Kind::number: constant += coefficient; break;
        case Term::Kind::text:
          fail(term.spot, fmt::format("found the text {}, expected a number or a column", in_quotes(term.text)));
        case Term::Kind::column: terms[number_feature(term.items[0].first, term.items[0].spot)] += coefficient; break;
        case Term::Kind::sum:
          for (const std::uint32_t feature : features_of(term.items)) terms[feature] += coefficient;
          break;
      }
    }
  }

  Formula within(const ColumnItem& item, const std::vector<std::string>& words, bool negated) {
    const ColumnPlace place = need_column(item.first, item.spot);
    if (!categorical(place)) {  // numbers in braces
      std::vector<Formula> parts;
      for (const std::string& word : words) {
        const std::optional<double> number = parse_number(word);
        if (!number)
          fail(item.spot, fmt::format("column {} holds numbers, not categories such as {}", in_quotes(item.first),
                                      in_quotes(word)));
        Term left, right;
        left.kind = Term::Kind::column;
        left.items = {item};
        right.coefficient = *number;
        parts.push_back(comparison({left}, Relation::equal, {right}, negated));
      }
      return joined_parts(std::move(parts), negated ? Formula::Kind::all : Formula::Kind::any);
    }
    const std::vector<std::string>& categories = column(place).categories;
    std::unordered_map<std::string_view, std::uint32_t>& feature_of = features_of_categories_[place.column];
    for (std::size_t k = feature_of.size(); k < categories.size(); ++k)
      feature_of.emplace(categories[k], column(place).features[k]);
    std::vector<std::uint32_t> features;
    for (const std::string& word : words) {
      auto found = feature_of.find(word);
      if (found == feature_of.end()) found = feature_of.find(canonical_label(word));
      if (found == feature_of.end())
        fail(item.spot, fmt::format("column {} has no category {}{}", in_quotes(item.first), in_quotes(word),
                                    suggestion(word, categories)));
      features.push_back(found->second);
    }
    return some_of(features, negated);
  }

  // At least one of some 0/1 features is 1, or none is.
  static Formula some_of(const std::vector<std::uint32_t>& features, bool negated) {
    if (!negated) return row_over(features, -1, -1);
    std::vector<Formula> parts;
    parts.reserve(features.size());
    for (const std::uint32_t feature : features) parts.push_back(row_over({feature}, 1, 0));
    return joined_parts(std::move(parts), Formula::Kind::all);
  }

  Formula columns(const Condition& c, bool negated) {
    const std::vector<std::uint32_t> features = features_of(c.items);
    const std::string& word = c.words[0];
    const bool whole = std::all_of(features.begin(), features.end(), [&](std::uint32_t f) { return zero_one(f); });
    if (word == "any") {  // sum >= 1
      if (!negated) return row_over(features, -1, -1);
      if (whole) return some_of(features, true);
      return row_over(features, 1, 1, true);
    }
    const bool absent = word == "absent" || word == "none";
    if (negated && whole)  // at least one is there, or at least one is not: one row, not a branch for each
      return absent ? row_over(features, -1, -1) : row_over(features, 1, static_cast<double>(features.size()) - 1);
    std::vector<Formula> parts;
    parts.reserve(features.size());
    for (const std::uint32_t feature : features)
      parts.push_back(absent ? (negated ? row_over({feature}, -1, 0, true) : row_over({feature}, 1, 0))
                             : (negated ? row_over({feature}, 1, 1, true) : row_over({feature}, -1, -1)));
    return joined_parts(std::move(parts), negated ? Formula::Kind::any : Formula::Kind::all);
  }

  Formula name(const Condition& c, bool negated) {
    const ColumnItem& item = c.items[0];
    if (!item.quoted && item.last.empty()) {
      if (const auto found = definitions_.find(item.first); found != definitions_.end()) {
        const Defined& meaning = defined(item, *found->second, negated);
        comparisons_ += meaning.comparisons;
        if (comparisons_ > kMostComparisons)
          fail_at({.spot = item.spot,
                   .message = fmt::format("after expanding definitions the rules have more than {} comparisons",
                                          kMostComparisons),
                   .code = Code::too_many,
                   .expected = fmt::format("at most {} comparisons", kMostComparisons)});
        levels_ = std::max(levels_, meaning.levels);
        return meaning.formula;
      }
    }
    const ColumnPlace place = need_column(item.first, item.spot);
    if (categorical(place) || !can_be_yes_no(place))
      fail(item.spot,
           fmt::format("column {} is no yes/no column: expected a comparison such as {} >= 1{}", in_quotes(item.first),
                       item.first,
                       sparse() ? fmt::format("; or state: integer {0}, domain {0} in [0, 1]", item.first) : ""));
    return negated ? row_over({place.feature}, 1, 0) : row_over({place.feature}, -1, -1);
  }

  // What a definition means, found once for all that use it.
  const Defined& defined(const ColumnItem& item, const Condition& condition, bool negated) {
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
  Defined define(const ColumnItem& item, const Condition& condition, bool negated) {
    if (!open_.insert(item.first).second)
      fail(item.spot, fmt::format("the definition of {} needs itself", in_quotes(item.first)));
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
    out.formula = resolve(condition, negated);
    out.levels = std::exchange(levels_, levels) + 1;
    if (out.levels > kMostLevels) too_deep();
    out.comparisons = comparisons_in(out.formula);
    open_.erase(item.first);
    return out;
  }
  static std::size_t comparisons_in(const Formula& formula) {
    if (formula.kind == Formula::Kind::row) return 1;
    std::size_t sum = 0;
    for (const Formula& part : formula.parts) sum += comparisons_in(part);
    return sum;
  }

  // A column that may stand alone as a condition: nothing says that it holds other numbers than 0 and 1.
  [[nodiscard]] bool can_be_yes_no(const ColumnPlace& place) const {
    if (zero_one(place.feature) || options_.more_to_come) return true;
    if (sparse() || domains_.contains(place.feature)) return false;
    return column(place).seen.rows() == 0 && !column(place).promised.kind;
  }

  Formula at_least(const Condition& c, bool negated) {
    std::vector<Formula> parts;
    for (const Condition& part : c.parts) {
      if (part.kind != Condition::Kind::name || part.items[0].last.empty()) {
        parts.push_back(resolve(part, negated));
        continue;
      }
      for (const std::string& column : names_of(part.items[0])) {
        Condition one = part;
        one.items[0].first = column;
        one.items[0].last.clear();
        parts.push_back(name(one, negated));
      }
    }
    const auto n = static_cast<std::uint32_t>(parts.size());
    if (c.count > n) fail(c.spot, fmt::format("at least {} of only {} conditions", c.count, n));
    const std::uint32_t count = negated ? n - c.count + 1 : c.count;
    // Literals on 0/1 features add up in one row: sum of x, or of 1 - x, at least count.
    std::map<std::uint32_t, double> terms;
    double bound = -static_cast<double>(count);
    const bool literals = std::all_of(parts.begin(), parts.end(), [&](const Formula& part) {
      if (part.kind != Formula::Kind::row || part.row.terms.size() != 1 || part.row.strict || part.row.equality)
        return false;
      const auto& [feature, sign] = part.row.terms[0];
      if (!zero_one(feature) || !((sign == -1 && part.row.bound == -1) || (sign == 1 && part.row.bound == 0)))
        return false;
      terms[feature] += sign;
      bound += sign == 1 ? 1 : 0;
      return true;
    });
    if (literals && terms.size() == parts.size()) return row(terms, bound, false);
    Formula out;
    out.kind = Formula::Kind::at_least;
    out.parts = std::move(parts);
    out.count = count;
    return out;
  }

  // ---- sets ----

  void take_rule(const RuleStatement& rule, Spot spot) {
    CompiledRule out;
    out.id = rule.id.empty() ? fmt::format("line {}", spot.line) : rule.id;
    out.spot = spot;
    out.text = rule.text;
    out.trust = rule.trust.value_or(1);
    out.margin = rule.margin.value_or(1);
    const auto [class_number, positive] = task_of(rule.consequent);
    out.class_number = class_number;
    out.positive = positive;
    begin_condition();
    out.condition = resolve(rule.condition, false);
    std::vector<Conjunction> conjunctions = normal_form(out.condition, whole_, spot);
    const auto possible = [&](const Conjunction& rows) { return find_point(pointers(rows), out_.box, {}).has_value(); };
    // Whole numbers that rows have shown so far are no promise: they must not make a rule impossible.
    if (std::none_of(conjunctions.begin(), conjunctions.end(), possible))
      conjunctions = normal_form(out.condition, promised_whole_, spot);
    out.sets = static_cast<std::uint32_t>(conjunctions.size());
    const auto number = static_cast<std::uint32_t>(out_.rules.size());
    const std::size_t first = out_.sets.size();
    for (const Conjunction& rows : conjunctions) {
      if (!possible(rows)) {
        ++out.dropped;
        continue;
      }
      out_.sets.push_back({number, class_number, positive ? 1.0 : -1.0, rows});
      if (options_.exclusive && positive && schema_.label.classes.size() > 2)
        for (std::uint32_t other = 0; other < schema_.label.classes.size(); ++other)
          if (other != class_number) out_.sets.push_back({number, other, -1.0, rows});
    }
    const bool meant =
        std::any_of(out_.sets.begin() + static_cast<std::ptrdiff_t>(first), out_.sets.end(),
                    [&](const AdviceSet& set) { return find_point(pointers(set.rows), out_.box, out_.one_of); });
    if (out.dropped == out.sets || !meant)
      fail(spot, fmt::format("no point of the domain satisfies rule {}: its region is empty", in_quotes(out.id)));
    if (out.dropped > 0)
      notes_.push_back(fmt::format("{}:{}: {} of the {} branches of rule {} are empty and dropped", file_.source,
                                   spot.line, out.dropped, out.sets, in_quotes(out.id)));
    out_.rules.push_back(std::move(out));
  }

  // The task's class, and whether the rule says yes to it.
  [[nodiscard]] std::pair<std::uint32_t, bool> task_of(const Consequent& consequent) const {
    const Label& label = schema_.label;
    const auto classes = static_cast<std::uint32_t>(label.classes.size());
    if (label.real()) fail(consequent.spot, "rules are about classes; the label holds numbers");
    std::uint32_t number = 0;
    if (consequent.sign != 0) {
      if (classes != 2)
        fail(consequent.spot,
             fmt::format("+1 and -1 are for two classes; there are {}: {}", classes, joined(first_few(label.classes))));
      number = consequent.sign > 0 ? label.positive : 1 - label.positive;
    } else {
      std::string value = consequent.name;
      if (const auto named = class_names_.find(value); named != class_names_.end() && !consequent.quoted)
        value = named->second;
      const auto found = std::find(label.classes.begin(), label.classes.end(), value);
      if (found == label.classes.end()) {
        std::vector<std::string> known = label.classes;
        for (const auto& [name, meaning] : class_names_) known.push_back(name);
        const std::string near = suggestion(consequent.name, known);
        fail(consequent.spot, fmt::format("unknown class {}{}", in_quotes(value),
                                          near.empty() ? "; known: " + joined(first_few(known)) : near));
      }
      number = static_cast<std::uint32_t>(found - label.classes.begin());
    }
    bool positive = !consequent.negated;
    if (classes == 2 && number != label.positive) {
      number = label.positive;
      positive = !positive;
    }
    return {number, positive};
  }

  const RuleFile& file_;
  const Schema& schema_;
  CompileOptions options_;
  Advice out_;
  std::unordered_map<std::string, ColumnPlace> places_;
  std::vector<std::string> names_;
  std::map<std::uint32_t, std::unordered_map<std::string_view, std::uint32_t>> features_of_categories_;  // by column
  std::map<std::string, std::string> class_names_;
  std::map<std::string, const Condition*> definitions_;
  std::map<std::uint32_t, std::pair<double, double>> domains_;
  std::set<std::uint32_t> stated_whole_;
  std::map<std::pair<std::string, bool>, Defined> defined_;  // by name, and whether negated
  std::map<std::pair<std::string, bool>, RuleProblem> failed_;
  std::set<std::string> open_;   // definitions being resolved
  std::size_t levels_ = 0;       // of definitions in the condition being resolved
  std::size_t comparisons_ = 0;  // that definitions have brought
  std::vector<std::uint8_t> promised_whole_,
      whole_;                              // by feature: whole numbers by promise; or as far as rows have shown
  std::vector<std::uint8_t> seen_binary_;  // only 0 and 1 so far
  std::vector<RuleProblem> problems_;
  std::vector<std::string> notes_;
};

}  // namespace

Advice compile_rules(const RuleFile& file, const Schema& schema, const CompileOptions& options,
                     std::vector<std::string>* notes) {
  return Compiler(file, schema, options).run(notes);
}

}  // namespace postil
