// recipe.cpp: what a user wishes and what the data show, made into a fresh model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "advice/printer.hpp"
#include "advice/problems.hpp"
#include "core/failures.hpp"
#include "postil/text.hpp"
#include "postil/train.hpp"

namespace postil {
namespace {

// The classes that rules name. `labels`: those known; where they stand under the name that a rule file gives a class, that is it.
std::vector<std::string> classes_in(const std::optional<RuleFile>& rules, const std::vector<std::string>& labels,
                                    LabelKind kind) {
  if (!rules) return {};
  const bool any = std::any_of(rules->statements.begin(), rules->statements.end(), [](const Statement& statement) {
    const auto* rule = std::get_if<RuleStatement>(&statement.what);
    return rule != nullptr && rule->consequent.sign == 0 && !rule->consequent.number;
  });
  if (!any) return {};
  std::vector<std::string> out = schema_of_rules(*rules).label.classes;
  for (std::string& name : out) name = canonical_label(name, kind);
  const auto known = [&](const std::string& name) {
    return std::find(labels.begin(), labels.end(), name) != labels.end();
  };
  for (const Statement& statement : rules->statements)
    if (const auto* named = std::get_if<ClassStatement>(&statement.what))
      if (known(named->name) && !known(canonical_label(named->value, kind)))
        std::erase(out, canonical_label(named->value, kind));
  if (kind == LabelKind::truth)
    std::erase_if(out, [](const std::string& name) { return name != "True" && name != "False"; });
  return out;
}

// Where there is only one class so far, the opposite is made up.
std::vector<std::string> with_opposite(std::vector<std::string> classes) {
  if (classes.size() == 1)
    classes.push_back(classes[0] == "1"       ? "0"
                      : classes[0] == "True"  ? "False"
                      : classes[0] == "False" ? "True"
                                              : "not " + classes[0]);
  return classes;
}

// All classes there will be, in order. Where more are to come, those that rules name are known beforehand.
std::vector<std::string> settled_classes(const LabelWishes& wishes, const Table& table,
                                         const std::optional<RuleFile>& rules) {
  std::vector<std::string> classes = table.labels;
  if (wishes.more_to_come) {  // those that are named beforehand may come
    for (std::string& name : classes_in(rules, table.labels, wishes.kind)) classes.push_back(std::move(name));
    if (!wishes.positive.empty()) classes.push_back(canonical_label(wishes.positive, wishes.kind));
    for (const auto& [name, weight] : wishes.weights) classes.push_back(canonical_label(name, wishes.kind));
  }
  if (!wishes.classes.empty()) {
    classes.clear();
    for (const std::string& name : wishes.classes) {
      classes.push_back(canonical_label(name, wishes.kind));
      if (name.empty()) throw ParamError(Text(Option{"classes"}, ": a class without a name"));
      if (std::count(classes.begin(), classes.end(), classes.back()) > 1)
        throw ParamError({.code = Code::duplicate,
                          .subject = {"class", shown(classes.back())},
                          .message = Text(Option{"classes"}, " names ", in_quotes(classes.back()), " twice")});
    }
    for (const std::string& label : table.labels)
      if (std::find(classes.begin(), classes.end(), label) == classes.end())
        throw DataError({.code = Code::unknown_class,
                         .place = {table.source},
                         .subject = {"class", shown(label)},
                         .message = Text("found class ", in_quotes(label), ", but ", Option{"classes"},
                                         " names only: ", joined(classes)),
                         .found = shown(label),
                         .expected = joined(classes)});
  }
  const bool no_labels = classes.empty();
  if (no_labels && rules)
    for (const std::string& name : schema_of_rules(*rules).label.classes)
      classes.push_back(canonical_label(name, wishes.kind));
  classes = ordered_classes(std::move(classes));
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (rules && (no_labels || wishes.more_to_come)) classes = ordered_classes(with_opposite(std::move(classes)));
  if (classes.empty())
    throw DataError({table.source, 0, 0}, fmt::format("there is no labelled row to learn from: column {} is empty",
                                                      in_quotes(table.label_name)));
  if (classes.size() == 1 && !wishes.more_to_come)
    throw DataError(one_class(classes[0], table.label_name, {table.source}));
  return classes;
}

// What to say of the first rule about a number, should the label hold texts. The word behind "=" was perhaps meant as a class.
std::optional<Failure> claim_of_a_number(const RuleFile& rules) {
  for (const Statement& statement : rules.statements) {
    const auto* rule = std::get_if<RuleStatement>(&statement.what);
    if (rule == nullptr || !rule->consequent.number) continue;
    const Condition& number = *rule->consequent.number;
    std::string word = "CLASS";
    if (number.kind == Condition::Kind::compare && number.relations[0] == Relation::equal &&
        number.operands[1].size() == 1) {
      const Term& term = number.operands[1][0];
      if (term.kind == Term::Kind::column) word = word_text(term.items[0].first);
      if (term.kind == Term::Kind::text) word = word_text(term.text);
    }
    return failure_of({.spot = rule->consequent.spot,
                       .message = fmt::format("the rule says a number of {}", in_quotes(rule->consequent.name)),
                       .code = Code::unsupported,
                       .found = rule->consequent.name,
                       .expected = "=> and a class",
                       .remedy = fmt::format("to name a class, write => {}", word)},
                      rules);
  }
  return std::nullopt;
}

// The number of a column that has no name: f7 is 7.
std::optional<std::uint32_t> sparse_column(const std::string& name) {
  if (name.size() < 2 || name.size() > 9 || name[0] != 'f' || name[1] == '0' ||
      name.find_first_not_of("0123456789", 1) != std::string::npos)
    return std::nullopt;
  return static_cast<std::uint32_t>(std::stoul(name.substr(1)));
}

std::size_t find_class(const Table& table, const Label& label, const std::string& name, const char* option) {
  const std::string wanted = canonical_label(name, label.kind);
  const auto found = std::find(label.classes.begin(), label.classes.end(), wanted);
  if (found == label.classes.end())
    throw DataError(unknown(Code::unknown_class, "class", wanted,
                            Text(Option{option}, ": there is no class ", in_quotes(wanted)), label.classes,
                            {table.source}));
  return static_cast<std::size_t>(found - label.classes.begin());
}

// n / (classes n_c), as scikit-learn weighs them; a class not seen counts 1.
std::vector<double> balanced_weights(const Label& label, const Survey& survey, const Table& table) {
  std::vector<double> counts(label.classes.size()), weights(label.classes.size(), 1);
  double total = 0;
  for (std::size_t code = 0; code < survey.label_counts().size(); ++code) {
    const auto count = static_cast<double>(survey.label_counts()[code]);
    counts[find_class(table, label, table.labels[code], "classes")] += count;
    total += count;
  }
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] > 0) weights[c] = total / (static_cast<double>(counts.size()) * counts[c]);
  return weights;
}

}  // namespace

void LabelWishes::take_claims(const RuleFile& rules) {
  const std::optional<std::string> claimed = number_claimed(rules);
  if (!claimed) return;
  regression = true;
  name = *claimed;
}

const LearnerInfo& Recipe::info() const {
  const LearnerInfo& found = !learner.empty() ? find_learner(learner)
                             : label.regression
                                 ? default_learner(rules ? DefaultFor::regression_with_rules : DefaultFor::regression)
                                 : default_learner(DefaultFor::examples);
  if (label.regression && found.make_regressor == nullptr) {
    std::vector<std::string> able;
    for (const LearnerInfo* other : learners())
      if (other->make_regressor != nullptr) able.emplace_back(other->name);
    throw ParamError(fmt::format("{} does not do regression; these do: {}", found.name, joined(able)));
  }
  return found;
}

ReadOptions Recipe::reading(ReadOptions read) const {
  read.real_labels = label.regression;
  if (rules && label.regression) read.numbers_claimed = claim_of_a_number(*rules);
  read.most_features = most_features();
  if (!read.label && !label.name.empty()) read.label = label.name;
  return read;
}

Params Recipe::params() const {
  const LearnerInfo& chosen = info();
  std::map<std::string, std::string> given = settings;
  if (label.regression && !chosen.regression_settings.empty())
    given.merge(parse_settings(split(chosen.regression_settings, ' ')));
  if (learner.empty() && !chosen.default_settings.empty())
    given.merge(parse_settings(split(chosen.default_settings, ' ')));
  return {chosen.name, chosen.params, given};
}

void Recipe::check() const {
  const LearnerInfo& chosen = info();
  (label.regression ? chosen.make_regressor : chosen.make)(params());
  if (rules) {
    check_takes_advice(chosen, params());
    if (components > 0)
      throw ParamError(
          {.code = Code::conflict,
           .subject = {"option", "pca"},
           .message = Text(Option{"pca"}, " leaves no columns that rules (", Option{"advice"}, ") could name")});
    return;
  }
  if (const std::optional<std::string> why = why_advice_is_needed(chosen, params()))
    throw ParamError({.code = Code::needs_rules,
                      .subject = {"learner", std::string(chosen.name)},
                      .message = Text(chosen.name, *why, " needs rules: ", Option{"advice"})});
}

Scale Recipe::scale_for(const Table& table) const {
  return scale.value_or(table.sparse() ? Scale::none : Scale::standard);
}

std::uint32_t Recipe::most_features() const {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(memory / kBytesPerWeight, std::numeric_limits<std::uint32_t>::max()));
}

Survey Recipe::survey(const Table& table, ColumnWishes wishes) const {
  if (rules)
    for (auto& [column, categories] : categories_in(*rules)) wishes.categories[column] = categories;
  return {table, scale_for(table), std::move(wishes), rules.has_value()};
}

Schema Recipe::schema(const Survey& survey, const Table& table) const {
  Schema schema = survey.finish();
  if (rules) promise_yes_no(schema, *rules);
  if (rules && label.more_to_come && schema.sparse())  // columns that rules name may come
    for (const Column& column : schema_of_rules(*rules).columns)
      if (const std::optional<std::uint32_t> number = sparse_column(column.name))
        schema.features = std::max(schema.features, *number);
  check_room(schema.features, 1, memory);
  schema.label.name = table.label_name.empty() ? "label" : table.label_name;
  if (schema.label.name == "label" && !label.name.empty()) schema.label.name = label.name;  // it has none of its own
  if (label.regression) return schema;
  schema.label.kind = label.kind;
  schema.label.classes = settled_classes(label, table, rules);
  const std::size_t classes = schema.label.classes.size();
  schema.label.all_known = !label.classes.empty();
  const bool positive_named = !label.positive.empty() && !(classes > 2 && label.more_to_come);
  if (positive_named && classes > 2)
    throw ParamError({.code = Code::unsupported,
                      .subject = {"option", "positive"},
                      .message = Text(Option{"positive"}, fmt::format(" is for two classes; there are {}: {}", classes,
                                                                      joined(schema.label.classes)))});
  schema.label.positive = static_cast<std::uint32_t>(
      !positive_named ? classes - 1 : find_class(table, schema.label, label.positive, "positive"));
  if (label.balanced) schema.label.weights = balanced_weights(schema.label, survey, table);
  if (!label.weights.empty()) schema.label.weights.resize(classes, 1);
  for (const auto& [name, weight] : label.weights)
    schema.label.weights[find_class(table, schema.label, name, "class-weight")] = weight;
  return schema;
}

Model Recipe::begin(const Survey& survey, const Table& table) const { return begin(schema(survey, table)); }

Model Recipe::begin(Schema schema) const {
  const LearnerInfo& chosen = info();
  if (!rules || schema.label.classes.size() == 1) return {std::move(schema), chosen, params(), memory};
  check_takes_advice(chosen, params());
  Advice advice = compile_rules(*rules, schema, {.more_to_come = label.more_to_come});
  for (const std::uint32_t f :
       schema.sparse() || schema.scaling.identity() ? std::vector<std::uint32_t>() : advice.stated) {
    const double low = advice.box.low[f], high = advice.box.high[f];
    const std::vector<Moments> seen = schema.moments({f});
    if (seen[0].count > 0 || !(high > low) || !std::isfinite(low) || !std::isfinite(high)) continue;
    schema.scaling.shift[f] = low / 2 + high / 2;  // before any row: centre and half-width of what is promised
    schema.scaling.scale[f] = high / 2 - low / 2;
  }
  Model model(std::move(schema), chosen, params(), memory);
  model.advise(std::move(advice), rules->text);
  return model;
}

Table columns_to_come(const Recipe& recipe, const ColumnWishes& wishes, const std::vector<std::string>& names,
                      const std::string& label) {
  Table table;
  table.source = recipe.rules->source;
  table.label_name = label;
  const std::vector<Column> named = schema_of_rules(*recipe.rules).columns;
  std::vector<std::string> wanted = names;
  std::map<std::string_view, Kind> kinds;  // of columns that rules compare with words, dates or percentages
  for (const Column& column : named) {
    if (names.empty()) wanted.push_back(column.name);
    kinds[column.name] = column.kind();
  }
  for (const auto& [name, kind] : wishes.kinds) kinds[name] = kind;
  for (const std::string& name : wanted) {
    TableColumn& column = table.columns.emplace_back();
    column.name = name;
    const auto found = kinds.find(name);
    if (found == kinds.end()) continue;
    if (found->second == Kind::categorical) column.type = TableColumn::Type::text;
    column.written = written_as(found->second);
  }
  return table;
}

}  // namespace postil
