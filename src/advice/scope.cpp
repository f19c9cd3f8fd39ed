#include "scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "column_range.hpp"
#include "core/math.hpp"
#include "lexer.hpp"
#include "postil/error.hpp"
#include "postil/text.hpp"
#include "problems.hpp"

namespace postil {
namespace {

std::vector<std::string> first_few(const std::vector<std::string>& names) {
  std::vector<std::string> out(names.begin(),
                               names.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(names.size(), 8)));
  if (names.size() > 8) out.emplace_back("...");
  return out;
}

bool is_whole(Kind kind) { return kind == Kind::integer || kind == Kind::binary; }

}  // namespace

Scope::Scope(const RuleFile& file, const Schema& schema, const CompileOptions& options)
    : file_(file), schema_(schema), options_(options) {
  for (std::uint32_t j = 0; j < schema.columns.size(); ++j) {
    const Column& column = schema.columns[j];
    places_.emplace(column.name, Place{j, column.features.empty() ? 0 : column.features[0]});
    names_.push_back(column.name);
  }
  written_.assign(schema.features, Kind::number);
  for (const Column& column : schema.columns)
    if (!column.categorical() && !column.features.empty()) {
      const bool told = column.promised.kind || column.seen.rows() > 0 || column.written() != Kind::number;
      written_[column.features[0]] = told ? std::optional(column.written()) : std::nullopt;
    }
}

// ---- statements ----

void Scope::take(const Statement& statement) {
  if (const auto* name = std::get_if<ClassStatement>(&statement.what)) take_class(*name, statement.spot);
  if (const auto* define = std::get_if<DefineStatement>(&statement.what)) {
    if (find_column(define->name))
      fail_at(statement.spot,
              fmt::format("{} is a column; a definition needs a name of its own", in_quotes(define->name)));
    definitions_[define->name] = &define->condition;
  }
  if (const auto* domain = std::get_if<DomainStatement>(&statement.what)) {
    for (const ColumnItem& item : domain->items) expect_written(item, domain->written);
    for (const std::uint32_t feature : features_of(domain->items)) domains_[feature] = {domain->low, domain->high};
  }
  if (const auto* integer = std::get_if<IntegerStatement>(&statement.what))
    for (const std::uint32_t feature : features_of(integer->items)) stated_whole_.insert(feature);
}

void Scope::take_class(const ClassStatement& statement, Spot spot) {
  const std::vector<std::string>& known = schema_.label.classes;
  const std::optional<std::uint32_t> value = class_called(statement.value), name = class_called(statement.name);
  if (name && !value) return;  // labels stand under this name here
  if (!value)
    fail_at(spot, fmt::format("unknown class {}; known: {}", in_quotes(statement.value), joined(first_few(known))));
  if (name && name != value)
    fail_at(spot, fmt::format("{} is a class of its own and cannot be a name for {}", in_quotes(statement.name),
                              in_quotes(statement.value)));
  class_names_[statement.name] = statement.value;
}

// By its name, or by another spelling of it: "1.0" is 1, and where labels are truth values 1 is True.
std::optional<std::uint32_t> Scope::class_called(const std::string& value) const {
  const Label& label = schema_.label;
  const auto find = [&](const std::string& name) -> std::optional<std::uint32_t> {
    const auto found = std::find(label.classes.begin(), label.classes.end(), name);
    if (found == label.classes.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - label.classes.begin());
  };
  std::optional<std::uint32_t> found = find(value);
  if (!found) found = find(canonical_label(value));
  if (!found && label.kind == LabelKind::truth)
    found = value == "1" || value == "true" ? find("True") : value == "0" || value == "false" ? find("False") : found;
  return found;
}

// What is promised of each feature bounds its rules; what rows have shown only tells how to put them.
void Scope::finish() {
  box_.low.assign(schema_.features, -kInfinity);
  box_.high.assign(schema_.features, kInfinity);
  promised_whole_.assign(schema_.features, 0);
  whole_.assign(schema_.features, 0);
  seen_binary_.assign(schema_.features, 0);
  for (const Column& column : schema_.columns)
    for (std::size_t k = 0; k < column.features.size(); ++k) {
      const std::uint32_t feature = column.features[k];
      const bool indicator = column.categorical() || k > 0;
      box_.low[feature] = indicator ? 0 : column.promised.low;
      box_.high[feature] = indicator ? 1 : column.promised.high;
      promised_whole_[feature] = indicator || (column.promised.kind && is_whole(*column.promised.kind));
      whole_[feature] = promised_whole_[feature] != 0 || (!column.promised.kind && is_whole(column.seen.kind));
      seen_binary_[feature] = !indicator && column.kind() == Kind::binary;
    }
  for (std::size_t f = 0; f < schema_.kinds.size(); ++f) {
    whole_[f] = is_whole(schema_.kinds[f]);
    seen_binary_[f] = schema_.kinds[f] == Kind::binary;
  }
  if (schema_.sparse())  // columns without names have no promises but those of the rules (promise_yes_no)
    for (const Column& column : schema_of_rules(file_).columns) {
      const std::optional<Place> place = find_column(column.name);
      if (column.promised.kind != Kind::binary || !place) continue;
      const std::uint32_t f = place->feature;
      if (f < schema_.kinds.size() && seen_binary_[f] == 0) continue;
      box_.low[f] = 0;
      box_.high[f] = 1;
      promised_whole_[f] = whole_[f] = 1;
    }
  for (const std::uint32_t stated : stated_whole_) promised_whole_[stated] = whole_[stated] = 1;
  for (std::uint32_t f = 0; f < schema_.features; ++f)
    if (promised_whole_[f] != 0) box_.whole.push_back(f);
  for (const auto& [stated, range] : domains_) {
    box_.low[stated] = range.first;
    box_.high[stated] = range.second;
  }
}

void Scope::move_to(Advice& advice) const {
  advice.box = box_;
  for (const auto& [stated, range] : domains_) advice.stated.push_back(stated);
  advice.integers.assign(stated_whole_.begin(), stated_whole_.end());
  for (const Column& column : schema_.columns)
    if (column.categorical())
      advice.one_of.emplace_back(column.features.begin(),
                                 column.features.begin() + static_cast<std::ptrdiff_t>(column.values()));
}

// ---- features ----

bool Scope::zero_one(std::uint32_t feature, Trust trust) const {
  return (promised_whole_[feature] != 0 && box_.low[feature] >= 0 && box_.high[feature] <= 1) ||
         (trust == Trust::rows && seen_binary_[feature] != 0 && std::isinf(box_.low[feature]) &&
          std::isinf(box_.high[feature]));
}

FeatureFacts Scope::facts(Trust trust) const {
  FeatureFacts out;
  out.whole = trust == Trust::rows ? whole_ : promised_whole_;
  out.count.assign(schema_.features, 0);
  out.switch_.assign(schema_.features, FeatureFacts::kNone);
  out.missing.assign(schema_.features, FeatureFacts::kNone);
  for (std::uint32_t f = 0; f < schema_.features; ++f) {
    out.count[f] = out.whole[f] != 0 && box_.low[f] >= 0 ? 1 : 0;
    if (zero_one(f, trust)) out.switch_[f] = f;
  }
  const auto never_negative = [&](std::uint32_t f, const Moments& seen) {
    if (trust == Trust::rows && out.whole[f] != 0 && seen.count > 0 && seen.low >= 0) out.count[f] = 1;
  };
  for (std::uint32_t f = 0; f < schema_.seen.size(); ++f) never_negative(f, schema_.seen[f]);
  for (const Column& column : schema_.columns) {
    if (column.features.empty()) continue;
    const std::uint32_t first = column.features[0];
    if (!column.categorical()) never_negative(first, column.seen.numbers);
    if (column.features.size() > column.values()) out.missing[first] = column.features.back();
    for (std::size_t k = 0; column.categorical() && k < column.values(); ++k) out.switch_[column.features[k]] = first;
  }
  return out;
}

bool Scope::can_be_yes_no(const Place& place) const {
  if (categorical(place)) return false;
  if (zero_one(place.feature, Trust::rows) || options_.more_to_come) return true;
  if (schema_.sparse() || domains_.contains(place.feature)) return false;
  return column(place).seen.rows() == 0 && !column(place).promised.kind;
}

// ---- columns ----

std::optional<Scope::Place> Scope::find_column(const std::string& name) const {
  if (schema_.sparse()) {
    const auto [prefix, digits] = numbered(name);
    if (prefix != "f" || digits.empty() || digits.size() > 9 || digits[0] == '0') return std::nullopt;
    const auto number = static_cast<std::uint32_t>(std::stoul(digits));
    if (number > schema_.features) return std::nullopt;
    return Place{0, number - 1};
  }
  const auto found = places_.find(name);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

Scope::Place Scope::need_column(const std::string& name, Spot spot) const {
  if (const std::optional<Place> found = find_column(name)) return *found;
  if (name == schema_.label.name && !name.empty())
    fail_at(spot, fmt::format("{} is the label; a rule's condition is about the other columns", in_quotes(name)));
  if (schema_.sparse())
    fail_at(spot, fmt::format("unknown column {}; the data have f1 to f{}", in_quotes(name), schema_.features));
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

bool Scope::categorical(const Place& place) const { return !schema_.sparse() && column(place).categorical(); }

std::uint32_t Scope::number_feature(const std::string& name, Spot spot) const {
  const Place place = need_column(name, spot);
  if (categorical(place))
    fail_at(spot,
            fmt::format("column {} holds categories, not numbers; a condition about it is {} = category (known: {})",
                        in_quotes(name), name, joined(first_few(column(place).categories))));
  return place.feature;
}

void Scope::expect_written(const ColumnItem& item, Kind as) const {
  for (const std::string& name : names_of(item)) {
    const std::optional<Kind> own = written_[number_feature(name, item.spot)];
    if (!own || own == as || (own == Kind::percent && as == Kind::number)) continue;
    fail_at(item.spot,
            own == Kind::date
                ? fmt::format("column {} holds dates: write 2024-03-01 in place of a number", in_quotes(name))
            : as == Kind::date ? fmt::format("column {} holds no dates", in_quotes(name))
                               : fmt::format("column {} holds plain numbers: write them without %", in_quotes(name)));
  }
}

std::vector<std::uint32_t> Scope::features_of(const std::vector<ColumnItem>& items) const {
  std::vector<std::uint32_t> out;
  for (const ColumnItem& item : items)
    for (const std::string& name : names_of(item)) out.push_back(number_feature(name, item.spot));
  std::vector<std::uint32_t> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    fail_at(items[0].spot, fmt::format("column {} stands twice in the list", in_quotes(schema_.feature_name(*twice))));
  return out;
}

std::vector<std::uint32_t> Scope::categories(const ColumnItem& item, const std::vector<std::string>& words) {
  const Place place = need_column(item.first, item.spot);
  const std::vector<std::string>& known = column(place).categories;
  std::unordered_map<std::string_view, std::uint32_t>& feature_of = features_of_categories_[place.column];
  for (std::size_t k = feature_of.size(); k < known.size(); ++k)
    feature_of.emplace(known[k], column(place).features[k]);
  std::vector<std::uint32_t> out;
  for (const std::string& word : words) {
    auto found = feature_of.find(word);
    if (found == feature_of.end()) found = feature_of.find(canonical_label(word));
    if (found == feature_of.end())
      fail_at(item.spot, fmt::format("column {} has no category {}{}", in_quotes(item.first), in_quotes(word),
                                     suggestion(word, known)));
    out.push_back(found->second);
  }
  return out;
}

// ---- other names ----

const Condition* Scope::definition(const std::string& name) const {
  const auto found = definitions_.find(name);
  return found == definitions_.end() ? nullptr : found->second;
}

void Scope::check_names_label(const Consequent& consequent) const {
  const std::string& label = schema_.label.name;
  if (consequent.sign == 0 && consequent.name == label) return;
  fail_at({.spot = consequent.spot,
           .message = fmt::format("the label is {}, which holds numbers; found {}", in_quotes(label),
                                  consequent.sign == 0 ? in_quotes(consequent.name) : "a class"),
           .code = Code::unsupported,
           .expected = fmt::format("a comparison such as {} >= 20000", label)});
}

std::pair<std::uint32_t, bool> Scope::task_of(const Consequent& consequent) const {
  const Label& label = schema_.label;
  const auto classes = static_cast<std::uint32_t>(label.classes.size());
  if (consequent.number)
    fail_at({.spot = consequent.spot,
             .message = fmt::format("the rule says a number of {}; the label holds classes: {}",
                                    in_quotes(consequent.name), joined(first_few(label.classes))),
             .code = Code::unsupported,
             .expected = "=> and a class"});
  std::uint32_t number = 0;
  if (consequent.sign != 0) {
    if (classes != 2)
      fail_at(consequent.spot, fmt::format("+1 and -1 are for two classes; there are {}: {}", classes,
                                           joined(first_few(label.classes))));
    number = consequent.sign > 0 ? label.positive : 1 - label.positive;
  } else {
    std::string value = consequent.name;
    if (const auto named = class_names_.find(value); named != class_names_.end() && !consequent.quoted)
      value = named->second;
    const std::optional<std::uint32_t> found = class_called(value);
    if (!found) {
      std::vector<std::string> known = label.classes;
      for (const auto& [name, meaning] : class_names_) known.push_back(name);
      const std::string near = suggestion(consequent.name, known);
      const bool guessed = near.find("did you mean") != std::string::npos;
      fail_at(
          consequent.spot,
          fmt::format(
              "unknown class {}{}{}", in_quotes(value), near.empty() ? "; known: " + joined(first_few(known)) : near,
              guessed ? ""
                      : fmt::format(". If it is another name for one of them, add a line: class {} = VALUE, with one "
                                    "of them for VALUE",
                                    is_plain_name(value) ? value : in_marks(value, '`'))));
    }
    number = *found;
  }
  bool positive = !consequent.negated;
  if (classes == 2 && number != label.positive) {
    number = label.positive;
    positive = !positive;
  }
  return {number, positive};
}

}  // namespace postil
