// sql.cpp: a model as a query.
//
// The steps follow one another in common table expressions, each of which adds columns: rules that hold, their vote, the parts of a
// mixture, scores; the last adds the prediction. NULL stands for a missing value. Columns are called by the table's alias, since
// SQLite takes "name" for a text where there is no such column, and constants have an exponent, which makes them doubles
// everywhere. Sums are cut into groups, since engines limit how deeply expressions are nested.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "advice/conditions.hpp"
#include "formula.hpp"
#include "postil/error.hpp"
#include "postil/export.hpp"
#include "postil/probabilities.hpp"
#include "postil/text.hpp"

namespace postil {
namespace {

constexpr std::size_t kLongest = 10'000'000;  // characters
constexpr std::size_t kMostClasses = 100;

std::string quoted(std::string_view name, char mark) {
  std::string out(1, mark);
  for (const char c : name) out += c == mark ? std::string(2, mark) : std::string(1, c);
  return out + mark;
}
std::string identifier(std::string_view name) { return quoted(name, '"'); }
std::string literal(std::string_view text) { return quoted(text, '\''); }
std::string field(std::string_view name) { return "d." + identifier(name); }

std::string constant(double value) {
  std::string out = fmt::format("{}", value);
  if (out.find('e') == std::string::npos) out += "e0";
  return out;
}

// a + b + ..., in groups.
std::string sum(std::vector<std::string> terms) {
  constexpr std::size_t kGroup = 200;
  if (terms.empty()) return constant(0);
  const char* between = "\n    + ";
  while (terms.size() > kGroup) {
    std::vector<std::string> groups;
    for (std::size_t k = 0; k < terms.size(); k += kGroup) {
      const auto begin = terms.begin() + static_cast<std::ptrdiff_t>(k),
                 end = terms.begin() + static_cast<std::ptrdiff_t>(std::min(terms.size(), k + kGroup));
      groups.push_back("(" + joined(std::vector<std::string>(begin, end), between) + ")");
    }
    terms = std::move(groups);
  }
  return joined(terms, between);
}
std::string times(double weight, const std::string& value) { return constant(weight) + " * " + value; }
// Of a short expression.
std::string clipped(const std::string& value, double limit) {
  return fmt::format("CASE WHEN {0} > {1} THEN {1} WHEN {0} < {2} THEN {2} ELSE {0} END", value, constant(limit),
                     constant(-limit));
}
std::string sigmoid_of(const std::string& value) { return fmt::format("1e0 / (1e0 + EXP(-({})))", value); }

class SqlModel {
 public:
  explicit SqlModel(const Model& model) : model_(model), schema_(model.schema()) {}

  std::string run(const std::string& table) {
    std::optional<std::vector<ScoreFormula>> formulas = formulas_of(model_, "SQL");
    if (!formulas)
      cannot_hold("SQL cannot hold a kernel machine",
                  "linear learners, advised and rules work; ONNX can hold this one");
    if (model_.one_against_one())
      cannot_hold("SQL cannot hold a model that sets classes one against one",
                  "learners that set each class against the rest work; ONNX can hold this one");
    if (model_.outputs() > kMostClasses)
      cannot_hold(fmt::format("SQL would compare {} classes with each other; the maximum is {}", model_.outputs(),
                              kMostClasses),
                  "ONNX can hold this model");
    take_names();
    formulas_ = std::move(*formulas);
    from_ = joined_parts(table);
    rules();
    const std::vector<std::string> scores = mixtures(parts());
    answers(scores);
    return text_;
  }

 private:
  // ---- steps ----

  struct Made {
    std::string name, expression;
  };
  // Columns that the next step adds to what there is.
  void step(const std::vector<Made>& columns, bool last = false) {
    if (columns.empty()) return;
    std::string select = "SELECT d.*";
    for (const Made& column : columns) {
      select += fmt::format(",\n    {} AS {}", column.expression, identifier(column.name));
      if (select.size() + text_.size() > kLongest)
        cannot_hold(fmt::format("the SQL would be longer than {} million characters", kLongest / 1'000'000),
                    "train with fewer columns or rules");
    }
    select += "\n  FROM " + from_ + " AS d";
    if (last) {
      text_ += (steps_ == 0 ? "" : "\n") + select + "\n";
      return;
    }
    from_ = fmt::format("postil_{}", ++steps_);
    text_ += fmt::format("{}{} AS (\n  {}\n)", steps_ == 1 ? "WITH " : ",\n", from_, select);
  }
  static std::string joined_parts(const std::string& table) {
    std::vector<std::string> parts;
    for (const std::string& part : split(table, '.')) parts.push_back(identifier(part));
    return joined(parts, ".");
  }

  // Names that are not taken: the engines do not tell capitals from small letters.
  std::string fresh(std::string name) {
    while (!taken_.insert(lower_case(name)).second) name += '_';
    return name;
  }
  void take_names() {
    for (const Column& column : schema_.columns) {
      if (!taken_.insert(lower_case(column.name)).second)
        cannot_hold(
            fmt::format("there are two columns called {} in SQL, where capitals do not count", in_quotes(column.name)),
            "rename one of them and train again");
      if (column.kind() == Kind::date)
        cannot_hold(
            fmt::format("SQL has no common way to count the days of a date, as in column {}", in_quotes(column.name)),
            "train with the number of days in its place; ONNX takes that number, too");
    }
    taken_.insert(lower_case(schema_.label.name));
    for (const std::string& name : schema_.ignored) taken_.insert(lower_case(name));
  }
  // "score", or of several "score CLASS".
  std::string name_of(const std::string& what, std::size_t task) {
    return fresh(formulas_.size() == 1 ? what : what + " " + schema_.label.classes[model_.class_of(task)]);
  }

  // ---- columns ----

  // A column of numbers; NULL where it is missing.
  static std::string number(const Column& column) {
    std::string out = field(column.name);
    for (const double value : numbers_for_missing(column)) out = fmt::format("NULLIF({}, {})", out, constant(value));
    return out;
  }
  // A column of text.
  static std::string text(const Column& column) {
    const bool numbers = std::any_of(column.categories.begin(), column.categories.end(),
                                     [](const std::string& category) { return parse_number(category).has_value(); });
    return numbers ? fmt::format("CAST({} AS VARCHAR)", field(column.name)) : field(column.name);
  }
  static std::string in_list(std::vector<std::string> words) {
    for (std::string& word : words) word = literal(word);
    return "(" + joined(words) + ")";
  }
  static std::string missing(const Column& column) {
    if (!column.categorical()) return number(column) + " IS NULL";
    return fmt::format("({0} IS NULL OR {0} IN {1})", text(column), in_list(words_for_missing(column)));
  }

  // weights'x + bias in raw units.
  std::vector<std::string> linear(const LinearModel& model) const {
    const LinearExplanation raw = model_.explain(model);
    const auto weight = [&](std::uint32_t j) { return j < raw.raw_weights.size() ? raw.raw_weights[j] : 0; };
    std::vector<std::string> terms{constant(raw.raw_bias)};
    for (const double w : raw.raw_weights)
      if (!std::isfinite(w)) cannot_hold("a weight of this model is no finite number");
    if (schema_.sparse())
      for (std::uint32_t j = 0; j < schema_.features; ++j)
        if (weight(j) != 0)
          terms.push_back(times(weight(j), fmt::format("COALESCE({}, 0e0)", field(schema_.feature_name(j)))));
    for (const Column& column : schema_.columns) {
      if (column.categorical()) {
        std::string cases;
        for (std::size_t k = 0; k < column.categories.size(); ++k)
          if (const double w = weight(column.features[k]); w != 0)
            cases += fmt::format(" WHEN {} THEN {}", literal(column.categories[k]), constant(w));
        if (!cases.empty()) terms.push_back(fmt::format("CASE {}{} ELSE 0e0 END", text(column), cases));
      } else if (const double w = weight(column.features[0]); w != 0) {
        const std::optional<double> other = stand_in(column);
        terms.push_back(
            times(w, other ? fmt::format("COALESCE({}, {})", number(column), constant(*other)) : number(column)));
      }
      if (column.missing == Missing::indicator)
        if (const double w = weight(column.features.back()); w != 0)
          terms.push_back(fmt::format("CASE WHEN {} THEN {} ELSE 0e0 END", missing(column), constant(w)));
    }
    return terms;
  }

  // ---- rules ----

  // Conditions are true or something else, never negated: so NULL may stand for false.
  const std::string& condition(std::uint32_t number) {
    using Kind = Conditions::Node::Kind;
    if (const auto found = conditions_.find(number); found != conditions_.end()) return found->second;
    const Conditions::Node& node = model_.advice()->conditions.nodes[number];
    std::vector<std::string> parts;
    for (const std::uint32_t part : node.parts) parts.push_back(condition(part));
    std::string out;
    switch (node.kind) {
      case Kind::row: out = compare(node.row); break;
      case Kind::missing:
        out = schema_.sparse() ? "1 = 0" : missing(schema_.columns[origin(node.feature).column]);
        break;
      case Kind::known:
        out = schema_.sparse() ? "1 = 1" : "NOT (" + missing(schema_.columns[origin(node.feature).column]) + ")";
        break;
      case Kind::all: out = parts.empty() ? "1 = 1" : "(" + joined(parts, " AND ") + ")"; break;
      case Kind::any: out = parts.empty() ? "1 = 0" : "(" + joined(parts, " OR ") + ")"; break;
      case Kind::at_least:
        for (std::string& part : parts) part = fmt::format("CASE WHEN {} THEN 1 ELSE 0 END", part);
        out = fmt::format("({} >= {})", sum(parts), node.count);
    }
    if (out.size() > kLongest) cannot_hold("the conditions of the rules are too long for SQL", "write shorter rules");
    return conditions_[number] = out;
  }
  Schema::Origin origin(std::uint32_t feature) {
    if (origins_.empty()) origins_ = schema_.origins();
    return origins_[feature];
  }
  // A raw feature: NULL where it is missing.
  std::string raw(std::uint32_t feature) {
    if (schema_.sparse()) return fmt::format("COALESCE({}, 0e0)", field(schema_.feature_name(feature)));
    const Column& column = schema_.columns[origin(feature).column];
    if (!column.categorical()) return number(column);
    return fmt::format("CASE WHEN {} THEN NULL WHEN {} = {} THEN 1e0 ELSE 0e0 END", missing(column), text(column),
                       literal(column.categories[origin(feature).place]));
  }
  std::string compare(const AdviceRow& row) {
    if (row.terms.empty()) return admits(row, 0) ? "1 = 1" : "1 = 0";
    const auto& [feature, coefficient] = row.terms[0];
    const std::string_view sign = row.equality ? "=" : row.strict ? "<" : "<=";
    if (row.terms.size() == 1 && !schema_.sparse())
      if (const Column& column = schema_.columns[origin(feature).column]; column.categorical()) {
        const bool if_so = admits(row, coefficient), else_too = admits(row, 0);
        const std::string& category = column.categories[origin(feature).place];
        if (if_so && else_too) return "NOT (" + missing(column) + ")";
        if (if_so) return text(column) + " = " + literal(category);
        if (!else_too) return "1 = 0";
        std::vector<std::string> words = words_for_missing(column);
        words.insert(words.begin(), category);
        return text(column) + " NOT IN " + in_list(std::move(words));
      }
    if (row.terms.size() == 1 && coefficient == 1)
      return fmt::format("{} {} {}", raw(feature), sign, constant(row.bound));
    if (row.terms.size() == 1 && coefficient == -1)
      return fmt::format("{} {} {}", raw(feature), row.equality ? "=" : row.strict ? ">" : ">=", constant(-row.bound));
    std::vector<std::string> terms;
    for (const auto& [other, factor] : row.terms) terms.push_back(times(factor, raw(other)));
    return fmt::format("({}) {} {}", sum(terms), sign, constant(row.bound));
  }

  // A column of 0 and 1 for each rule.
  void rules() {
    std::set<std::uint32_t> used;
    for (const ScoreFormula& formula : formulas_) used.insert(formula.rules.begin(), formula.rules.end());
    std::vector<Made> made;
    for (const std::uint32_t rule : used) {
      const CompiledRule& of = model_.advice()->rules[rule];
      rule_[rule] = fresh("rule " + of.id);
      made.push_back({rule_[rule], fmt::format("CASE WHEN {} THEN 1 ELSE 0 END", condition(of.condition))});
    }
    step(made);
    vote();
  }

  // The vote of the rules, and whether any holds.
  void vote() {
    votes_.resize(formulas_.size());
    holding_.resize(formulas_.size());
    std::vector<Made> voices, votes;
    for (std::size_t t = 0; t < formulas_.size(); ++t) {
      const ScoreFormula& formula = formulas_[t];
      if (formula.rules.empty()) continue;
      std::vector<std::string> terms, held;
      for (std::size_t i = 0; i < formula.rules.size(); ++i) {
        held.push_back(field(rule_[formula.rules[i]]));
        terms.push_back(times(formula.voices[i], held.back()));
      }
      const std::string voice = name_of("postil_voices", t);
      holding_[t] = name_of("postil_rules_holding", t);
      votes_[t] = name_of("postil_vote", t);
      voices.push_back({voice, sum(terms)});
      voices.push_back({holding_[t], sum(held)});
      const std::string cut = std::isfinite(formula.limit) ? clipped(field(voice), formula.limit) : field(voice);
      votes.push_back({votes_[t], fmt::format("CASE WHEN {} = 0 THEN {} ELSE {} END",
                                              field(formula.silent_if_cancelled ? voice : holding_[t]),
                                              constant(formula.silent), cut)});
    }
    step(voices);
    step(votes);
  }

  // What each part of each question says: an expression for one that stands alone, else columns.
  std::vector<std::vector<std::string>> parts() {
    std::vector<std::vector<std::string>> out;
    std::vector<Made> made;
    for (std::size_t t = 0; t < formulas_.size(); ++t) {
      const ScoreFormula& formula = formulas_[t];
      out.emplace_back();
      for (std::size_t k = 0; k < formula.parts.size(); ++k) {
        const ScoreFormula::Part& part = formula.parts[k];
        std::vector<std::string> terms = linear(part.linear);
        if (formula.rules.empty() && formula.silent_if_cancelled) terms.push_back(constant(formula.silent));
        if (!formula.rules.empty() && part.vote != 0) terms.push_back(times(part.vote, field(votes_[t])));
        if (!formula.rules.empty() && part.claim != 0 && formula.base != 0)
          terms.push_back(fmt::format("CASE WHEN {} > 0 AND {} {} 0 THEN {} ELSE 0e0 END", field(holding_[t]),
                                      field(votes_[t]), formula.base > 0 ? "<" : ">",
                                      constant(-formula.base * part.claim)));
        for (std::size_t i = 0; i < part.rules.size(); ++i)
          if (part.rules[i] != 0) terms.push_back(times(part.rules[i], field(rule_[formula.rules[i]])));
        if (formula.parts.size() == 1) {
          out[t].push_back(sum(terms));
          continue;
        }
        const std::string name = name_of(fmt::format("postil_part_{}", k + 1), t);
        made.push_back({name, sum(terms)});
        out[t].push_back(field(name));
      }
    }
    step(made);
    return out;
  }

  // Columns of scores.
  std::vector<std::string> mixtures(const std::vector<std::vector<std::string>>& parts) {
    constexpr double kFar = 700;
    std::vector<std::string> names;
    std::vector<Made> made;
    for (std::size_t t = 0; t < parts.size(); ++t) {
      names.push_back(name_of(schema_.label.real() ? "prediction" : "score", t));
      if (parts[t].size() == 1) {
        made.push_back({names[t], parts[t][0]});
        continue;
      }
      std::vector<std::string> yes, no;
      for (std::size_t k = 0; k < parts[t].size(); ++k) {
        const std::string part = clipped(parts[t][k], kFar);
        const double share = formulas_[t].parts[k].share;
        yes.push_back(fmt::format("{} / (1e0 + EXP(-({})))", constant(share), part));
        no.push_back(fmt::format("{} / (1e0 + EXP({}))", constant(share), part));
      }
      made.push_back({names[t], fmt::format("LN(({})\n    / ({}))", sum(yes), sum(no))});
    }
    step(made, schema_.label.real());
    return names;
  }

  void answers(const std::vector<std::string>& scores) {
    const Label& label = schema_.label;
    if (label.real()) return;
    const std::string score = field(scores[0]), prediction = fresh("prediction");
    if (scores.size() == 1) {
      const double slope = Probabilities(model_).slope();
      const std::string odds = times(slope, "(" + clipped(score, Probabilities::kFar / slope) + ")");
      step({{fresh("probability"), sigmoid_of(odds)},
            {prediction,
             fmt::format("CASE WHEN {0} >= 0 THEN {1} WHEN {0} < 0 THEN {2} END", score,
                         literal(label.classes[label.positive]), literal(label.classes[1 - label.positive]))}},
           true);
      return;
    }
    std::string cases;
    for (std::size_t k = 0; k < scores.size(); ++k) {  // the first of the largest
      std::vector<std::string> wins;
      for (std::size_t other = 0; other < scores.size(); ++other)
        if (other != k)
          wins.push_back(fmt::format("{} {} {}", field(scores[k]), other < k ? ">" : ">=", field(scores[other])));
      cases +=
          fmt::format("\n      WHEN {} THEN {}", joined(wins, " AND "), literal(label.classes[model_.class_of(k)]));
    }
    step({{prediction, "CASE" + cases + "\n    END"}}, true);
  }

  const Model& model_;
  const Schema& schema_;
  std::vector<ScoreFormula> formulas_;
  std::string text_, from_;
  std::size_t steps_ = 0;
  std::set<std::string> taken_;
  std::vector<Schema::Origin> origins_;
  std::map<std::uint32_t, std::string> conditions_, rule_;
  std::vector<std::string> votes_, holding_;  // columns, by question
};

}  // namespace

std::string to_sql(const Model& model, const std::string& table) { return SqlModel(model).run(table); }

}  // namespace postil
