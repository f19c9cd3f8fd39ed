// advice_file.cpp: compiled rules in a model file. Loading restores them and solves nothing.
//
// Conditions are lists of whole numbers, each node after its parts, with coefficients and bounds in a list of their own:
//   comparison       0, flags (1 strict, 2 equality), number of terms, feature of each; coefficients, bound
//   missing, known   1 or 2, feature
//   all, any         3 or 4, number of parts, place of each
//   at least         5, how many, number of parts, place of each
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/math.hpp"
#include "core/strict_json.hpp"
#include "file_state.hpp"
#include "model_parts.hpp"

namespace postil {
namespace {

using Json = nlohmann::json;
using Node = Conditions::Node;

constexpr double kMostSureRows = 1e9;
constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint32_t>::max();

class ListWriter {
 public:
  void whole(std::uint64_t number) { wholes_.push_back(number); }
  void number(double value) { numbers_.push_back(value); }
  void row(const AdviceRow& row) {
    whole((row.strict ? 1 : 0) + (row.equality ? 2 : 0));
    whole(row.terms.size());
    for (const auto& [feature, coefficient] : row.terms) {
      whole(feature);
      number(coefficient);
    }
    number(row.bound);
  }
  void function(const LinearFunction& function) {
    whole(function.terms.size());
    for (const auto& [feature, coefficient] : function.terms) {
      whole(feature);
      number(coefficient);
    }
    number(function.constant);
  }
  void claim(const std::optional<Claim>& claim) {  // 0: none; 1, and 2 if it has a low end, 4 a high one, 8 strict
    whole(!claim ? 0 : 1 + (claim->low ? 2 : 0) + (claim->high ? 4 : 0) + (claim->strict ? 8 : 0));
    if (!claim) return;
    for (const std::optional<LinearFunction>* end : {&claim->low, &claim->high})
      if (*end) function(**end);
  }
  void node(const Node& node) {
    whole(static_cast<std::uint64_t>(node.kind));
    if (node.kind == Node::Kind::row) return row(node.row);
    if (node.kind == Node::Kind::missing || node.kind == Node::Kind::known) return whole(node.feature);
    if (node.kind == Node::Kind::at_least) whole(node.count);
    whole(node.parts.size());
    for (const std::uint32_t part : node.parts) whole(part);
  }
  void put(TensorFile& file, const std::string& name) {
    file.tensors[name] = std::move(wholes_);
    file.tensors[name + "_numbers"] = std::move(numbers_);
  }

 private:
  std::vector<std::uint64_t> wholes_;
  std::vector<double> numbers_;
};

class ListReader {
 public:
  ListReader(const FileReader& state, const std::string& name, const Schema& schema, const std::string& file)
      : wholes_(state.find<std::uint64_t>(name)),
        numbers_(state.find<double>(name + "_numbers")),
        schema_(schema),
        file_(file) {}

  [[noreturn]] void fail(const char* what) const {
    throw ModelError({file_, 0, 0}, fmt::format("its compiled rules are damaged: {}", what));
  }
  std::uint64_t whole() {
    if (next_whole_ == wholes_.size()) fail("they end too early");
    return wholes_[next_whole_++];
  }
  std::uint32_t below(std::uint64_t limit, const char* what) {
    const std::uint64_t number = whole();
    if (number >= limit) fail(what);
    return static_cast<std::uint32_t>(number);
  }
  double number() {
    if (next_number_ == numbers_.size()) fail("they end too early");
    if (!std::isfinite(numbers_[next_number_])) fail("a number is not finite");
    return numbers_[next_number_++];
  }
  std::size_t count() {  // of what follows, a number each at least
    const std::uint64_t count = whole();
    if (count > wholes_.size() - next_whole_ + 1) fail("they end too early");
    return count;
  }
  std::vector<std::pair<std::uint32_t, double>> terms() {
    std::vector<std::pair<std::uint32_t, double>> out;
    for (std::size_t left = count(); left > 0; --left) {
      const std::uint32_t feature = below(schema_.features, "a comparison is about no feature of the model");
      if (!out.empty() && feature <= out.back().first) fail("a comparison's features are in no order");
      out.emplace_back(feature, number());
    }
    return out;
  }
  AdviceRow row() {
    AdviceRow out;
    const std::uint32_t flags = below(4, "a comparison is of no known kind");
    out.strict = (flags & 1) != 0;
    out.equality = (flags & 2) != 0;
    out.terms = terms();
    out.bound = number();
    return out;
  }
  LinearFunction function() {
    LinearFunction out;
    out.terms = terms();
    out.constant = number();
    return out;
  }
  std::optional<Claim> claim() {
    const std::uint32_t flags = below(16, "what a rule says is of no known kind");
    if ((flags & 1) == 0) return std::nullopt;
    Claim out;
    if ((flags & 2) != 0) out.low = function();
    if ((flags & 4) != 0) out.high = function();
    out.strict = (flags & 8) != 0;
    return out;
  }
  Node node(std::size_t before) {
    Node out;
    out.kind = static_cast<Node::Kind>(below(6, "a condition is of no known kind"));
    if (out.kind == Node::Kind::row) {
      out.row = row();
      if (out.row.terms.empty()) fail("a comparison is about nothing");
      return out;
    }
    if (out.kind == Node::Kind::missing || out.kind == Node::Kind::known) {
      out.feature = below(schema_.features, "a condition is about no feature of the model");
      return out;
    }
    if (out.kind == Node::Kind::at_least) out.count = below(kMostCount, "a count is impossible");
    for (std::size_t left = count(); left > 0; --left)
      out.parts.push_back(below(before, "a condition is part of what comes before it"));
    if (out.parts.empty() && out.kind != Node::Kind::any) fail("a condition is made of nothing");
    return out;
  }
  std::uint32_t class_number() {
    return below(std::max<std::size_t>(schema_.label.classes.size(), 1),
                 "it speaks of a class that the model does not know");
  }
  [[nodiscard]] bool at_end() const { return next_whole_ == wholes_.size(); }
  void end() const {
    if (next_whole_ != wholes_.size() || next_number_ != numbers_.size()) fail("there is more than belongs to them");
  }

 private:
  const std::vector<std::uint64_t>& wholes_;
  const std::vector<double>& numbers_;
  const Schema& schema_;
  const std::string& file_;
  std::size_t next_whole_ = 0, next_number_ = 0;
};

// Features in rising order.
std::vector<std::uint32_t> features_of(const FileReader& state, const char* name, const Schema& schema,
                                       const ListReader& reader) {
  std::vector<std::uint32_t> out;
  for (const std::uint64_t number : state.find<std::uint64_t>(name)) {
    if (number >= schema.features || (!out.empty() && number <= out.back()))
      reader.fail("something is stated about no feature of the model");
    out.push_back(static_cast<std::uint32_t>(number));
  }
  return out;
}

}  // namespace

void put_advice(const Advice& advice, TensorFile& file) {
  Json texts = Json::array();
  ListWriter conditions, rules, sets;
  ListWriter claims;  // of labels that are numbers: of each rule, then the target of each set
  const bool real = std::any_of(advice.rules.begin(), advice.rules.end(),
                                [](const CompiledRule& rule) { return rule.claim.has_value(); });
  std::vector<std::uint64_t> directions;  // of each rule 0, or 2 feature + 1 (its weight is negative) or + 2
  for (const Node& node : advice.conditions.nodes) conditions.node(node);
  for (const CompiledRule& rule : advice.rules) {
    texts.push_back({rule.id, rule.text});
    for (const std::uint64_t number :
         {rule.spot.line, rule.spot.column, rule.class_number, static_cast<std::uint32_t>(rule.positive),
          rule.condition, rule.sets, rule.dropped, static_cast<std::uint32_t>(rule.cut)})
      rules.whole(number);
    directions.push_back(rule.direction ? 2 * std::uint64_t{rule.direction->feature} + (rule.direction->z > 0 ? 2 : 1)
                                        : 0);
    for (const double number :
         {rule.trust, rule.margin, rule.sure ? rule.sure->rate : -1, rule.sure ? rule.sure->rows.value_or(-1) : -1})
      rules.number(number);
  }
  for (const AdviceSet& set : advice.sets) {
    for (const std::uint64_t number : {set.rule, set.class_number, static_cast<std::uint32_t>(set.z > 0)})
      sets.whole(number);
    sets.whole(set.rows.size());
    for (const AdviceRow& row : set.rows) sets.row(row);
  }
  for (const CompiledRule& rule : advice.rules) claims.claim(rule.claim);
  for (const AdviceSet& set : advice.sets) claims.function(set.target);
  FileWriter out(file, "advice.");
  out.text("texts", texts.dump());
  conditions.put(file, "advice.conditions");
  rules.put(file, "advice.rules");
  sets.put(file, "advice.sets");
  file.tensors["advice.directions"] = std::move(directions);
  if (real) claims.put(file, "advice.claims");
  std::vector<std::uint64_t> bounded;
  std::vector<double> low, high;
  for (std::size_t f = 0; f < advice.box.low.size(); ++f) {
    if (std::isinf(advice.box.low[f]) && std::isinf(advice.box.high[f])) continue;
    bounded.push_back(f);
    low.push_back(advice.box.low[f]);
    high.push_back(advice.box.high[f]);
  }
  file.tensors["advice.bounded"] = std::move(bounded);
  file.tensors["advice.whole"] = std::vector<std::uint64_t>(advice.box.whole.begin(), advice.box.whole.end());
  file.tensors["advice.stated"] = std::vector<std::uint64_t>(advice.stated.begin(), advice.stated.end());
  file.tensors["advice.integers"] = std::vector<std::uint64_t>(advice.integers.begin(), advice.integers.end());
  out.tensor("low", low);
  out.tensor("high", high);
}

bool has_advice(const TensorFile& file) { return file.tensors.contains("advice.conditions"); }

Advice get_advice(const TensorFile& file, const Schema& schema, const std::string& name) {
  const FileReader state(file, name, "advice.");
  Advice out;
  ListReader conditions(state, "conditions", schema, name);
  while (!conditions.at_end()) out.conditions.nodes.push_back(conditions.node(out.conditions.nodes.size()));
  conditions.end();
  ListReader rules(state, "rules", schema, name);
  for (const Json& texts : parse_strictly(state.text("texts"))) {
    CompiledRule& rule = out.rules.emplace_back();
    rule.id = texts.at(0).get<std::string>();
    rule.text = texts.at(1).get<std::string>();
    rule.spot = {rules.below(kMostCount, "a line is impossible"), rules.below(kMostCount, "a column is impossible")};
    rule.class_number = rules.class_number();
    rule.positive = rules.below(2, "a rule says neither yes nor no") != 0;
    rule.condition = rules.below(out.conditions.nodes.size(), "a rule has no condition");
    rule.sets = rules.below(kMostCount, "a count is impossible");
    rule.dropped = rules.below(kMostCount, "a count is impossible");
    rule.cut = rules.below(2, "a rule is neither whole nor cut") != 0;
    rule.trust = rules.number();
    rule.margin = rules.number();
    if (!(rule.trust >= 0)) rules.fail("a trust is impossible");
    const double rate = rules.number(), rows = rules.number();
    if (rate > 1 || rows > kMostSureRows) rules.fail("a rule is more than sure");
    if (rate >= 0) rule.sure = {rate, rows < 0 ? std::nullopt : std::optional(rows)};
  }
  rules.end();
  if (file.tensors.contains("advice.directions")) {
    const std::vector<std::uint64_t>& directions = state.find<std::uint64_t>("directions");
    if (directions.size() != out.rules.size()) rules.fail("its directions do not fit");
    for (std::size_t r = 0; r < directions.size(); ++r) {
      if (directions[r] == 0) continue;
      const std::uint64_t feature = (directions[r] - 1) / 2;
      if (feature >= schema.features) rules.fail("a direction is about no feature of the model");
      out.rules[r].direction = {static_cast<std::uint32_t>(feature), directions[r] % 2 == 0 ? 1.0 : -1.0};
    }
  }
  ListReader sets(state, "sets", schema, name);
  while (!sets.at_end()) {
    AdviceSet& set = out.sets.emplace_back();
    set.rule = sets.below(out.rules.size(), "a set belongs to no rule");
    set.class_number = sets.class_number();
    set.z = sets.below(2, "a set says neither yes nor no") != 0 ? 1 : -1;
    for (std::size_t left = sets.count(); left > 0; --left) set.rows.push_back(sets.row());
    if (set.rows.empty()) sets.fail("a set has no comparisons");
  }
  sets.end();
  if (schema.label.real() && !out.rules.empty()) {
    ListReader claims(state, "claims", schema, name);
    for (CompiledRule& rule : out.rules) rule.claim = claims.claim();
    for (AdviceSet& set : out.sets) set.target = claims.function();
    claims.end();
    for (const CompiledRule& rule : out.rules)
      if (!rule.claim) claims.fail("a rule says nothing of the number");
  }
  const std::vector<std::uint32_t> bounded = features_of(state, "bounded", schema, rules);
  const std::vector<double>&low = state.find<double>("low"), &high = state.find<double>("high");
  if (low.size() != bounded.size() || high.size() != bounded.size()) rules.fail("its ranges do not fit");
  out.box.low.assign(schema.features, -kInfinity);
  out.box.high.assign(schema.features, kInfinity);
  for (std::size_t k = 0; k < bounded.size(); ++k) {
    if (std::isnan(low[k]) || std::isnan(high[k])) rules.fail("a range is impossible");
    out.box.low[bounded[k]] = low[k];
    out.box.high[bounded[k]] = high[k];
  }
  out.box.whole = features_of(state, "whole", schema, rules);
  out.stated = features_of(state, "stated", schema, rules);
  out.integers = features_of(state, "integers", schema, rules);
  for (const Column& column : schema.columns)
    if (column.categorical())
      out.one_of.emplace_back(column.features.begin(),
                              column.features.begin() + static_cast<std::ptrdiff_t>(column.categories.size()));
  return out;
}

}  // namespace postil
