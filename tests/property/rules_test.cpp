// Laws of the rule language over random rules: what is compiled is what was written, and printing loses nothing.
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "advice/rule_truth.hpp"
#include "postil/rule_forms.hpp"
#include "support.hpp"

namespace postil {
namespace {

// A raw row by column name: numbers (NaN: missing), and a category's name ("" for none of the known, "?" for missing).
struct Raw {
  std::map<std::string, double> numbers;
  std::string color;
};

// Three values, as in SQL.
enum class Truth : std::uint8_t { no, unknown, yes };
Truth as_truth(bool yes) { return yes ? Truth::yes : Truth::no; }

// Conditions evaluated straight from the tree, without features, rows or sets: the meaning in docs/rules.md.
class Meaning {
 public:
  Meaning(const Raw& raw, const std::map<std::string, Condition>& definitions) : raw_(raw), definitions_(definitions) {}

  bool holds(const Condition& c) const { return of(c) == Truth::yes; }
  Truth of(const Condition& c) const {
    using Kind = Condition::Kind;
    switch (c.kind) {
      case Kind::compare: {
        Truth out = Truth::yes;
        for (std::size_t k = 0; k < c.relations.size(); ++k)
          out = std::min(out, compare(c.operands[k], c.relations[k], c.operands[k + 1]));
        return out;
      }
      case Kind::between:
        return std::min(in_order(value(c.operands[1]), value(c.operands[0])),
                        in_order(value(c.operands[0]), value(c.operands[2])));
      case Kind::within:
        return raw_.color == "?" ? Truth::unknown
                                 : as_truth(std::count(c.words.begin(), c.words.end(), raw_.color) > 0);
      case Kind::columns: {
        Truth most = Truth::no, least = Truth::yes;
        const bool zeros = c.words[0] == "absent" || c.words[0] == "none";
        for (const std::string& name : columns(c.items)) {
          const double x = raw_.numbers.at(name);
          const Truth one = std::isnan(x) ? Truth::unknown : as_truth(zeros ? x <= 0 : x >= 1);
          most = std::max(most, one);
          least = std::min(least, one);
        }
        return c.words[0] == "any" ? most : least;
      }
      case Kind::name: {
        const auto defined = definitions_.find(c.items[0].first);
        if (defined != definitions_.end()) return of(defined->second);
        const double x = raw_.numbers.at(c.items[0].first);
        return std::isnan(x) ? Truth::unknown : as_truth(x == 1);
      }
      case Kind::negation: {
        const Truth of_part = of(c.parts[0]);
        return of_part == Truth::unknown ? of_part : as_truth(of_part == Truth::no);
      }
      case Kind::all: {
        Truth out = Truth::yes;
        for (const Condition& part : c.parts) out = std::min(out, of(part));
        return out;
      }
      case Kind::any: {
        Truth out = Truth::no;
        for (const Condition& part : c.parts) out = std::max(out, of(part));
        return out;
      }
      case Kind::at_least: {
        std::uint32_t surely = 0, perhaps = 0;
        for (const Truth part : listed(c.parts)) {
          surely += part == Truth::yes ? 1 : 0;
          perhaps += part != Truth::no ? 1 : 0;
        }
        return surely >= c.count ? Truth::yes : perhaps >= c.count ? Truth::unknown : Truth::no;
      }
      case Kind::count: {  // true or false if it is for every number from those that surely hold to those that may
        std::uint32_t surely = 0, perhaps = 0;
        for (const Truth part : listed(c.parts)) {
          surely += part == Truth::yes ? 1 : 0;
          perhaps += part != Truth::no ? 1 : 0;
        }
        bool ever = false, always = true;
        for (std::uint32_t k = surely; k <= perhaps; ++k) {
          const bool here = related(k, c.relations[0], c.count);
          ever |= here;
          always &= here;
        }
        return always ? Truth::yes : ever ? Truth::unknown : Truth::no;
      }
      case Kind::more:
      case Kind::less: return Truth::no;
      case Kind::missing:
        return as_truth(c.items[0].first == "color" ? raw_.color == "?"
                                                    : std::isnan(raw_.numbers.at(c.items[0].first)));
    }
    return Truth::no;
  }

 private:
  std::vector<Truth> listed(const std::vector<Condition>& parts) const {
    std::vector<Truth> out;
    for (const Condition& part : parts) {
      if (part.kind != Condition::Kind::name || part.items[0].last.empty()) {
        out.push_back(of(part));
        continue;
      }
      for (const std::string& name : columns(part.items)) {
        const double x = raw_.numbers.at(name);
        out.push_back(std::isnan(x) ? Truth::unknown : as_truth(x == 1));
      }
    }
    return out;
  }
  static std::vector<std::string> columns(const std::vector<ColumnItem>& items) {
    std::vector<std::string> out;
    for (const ColumnItem& item : items) {
      if (item.last.empty()) {
        out.push_back(item.first);
        continue;
      }
      for (int k = item.first.back() - '0'; k <= item.last.back() - '0'; ++k) out.push_back(fmt::format("s_{}", k));
    }
    return out;
  }
  double value(const Linear& linear) const {
    double sum = 0;
    for (const Term& term : linear) {
      if (term.kind == Term::Kind::number) sum += term.coefficient;
      if (term.kind == Term::Kind::column) sum += term.coefficient * raw_.numbers.at(term.items[0].first);
      if (term.kind == Term::Kind::sum)
        for (const std::string& name : columns(term.items)) sum += term.coefficient * raw_.numbers.at(name);
    }
    return sum;
  }
  static Truth in_order(double low, double high) {
    return std::isnan(low) || std::isnan(high) ? Truth::unknown : as_truth(low <= high);
  }
  Truth compare(const Linear& left, Relation relation, const Linear& right) const {
    if (left[0].kind == Term::Kind::column && left[0].items[0].first == "color") {
      const std::string word = right[0].kind == Term::Kind::text ? right[0].text : right[0].items[0].first;
      return raw_.color == "?" ? Truth::unknown : as_truth((raw_.color == word) == (relation == Relation::equal));
    }
    const double a = value(left), b = value(right);
    return std::isnan(a) || std::isnan(b) ? Truth::unknown : as_truth(related(a, relation, b));
  }
  static bool related(double a, Relation relation, double b) {
    switch (relation) {
      case Relation::less: return a < b;
      case Relation::at_most: return a <= b;
      case Relation::equal: return a == b;
      case Relation::at_least: return a >= b;
      case Relation::greater: return a > b;
      case Relation::unequal: return a != b;
    }
    return false;
  }
  const Raw& raw_;
  const std::map<std::string, Condition>& definitions_;
};

// Random rules over x, y (numbers), n (integer), s_1 ... s_4 (0/1), color. Numbers are multiples of 1/4, so that sums are
// exact and points lie on boundaries often.
class Writer {
 public:
  explicit Writer(std::uint64_t seed, bool gaps = false) : random_(seed), gaps_(gaps) {}

  std::string condition(int depth) {
    switch (depth == 0 ? random_.below(7) : random_.below(gaps_ ? 14 : 13)) {
      case 0: return linear() + " " + relation() + " " + number();
      case 1: return number() + " <= " + any("x", "y", "n") + " < " + number();
      case 2: return any("x", "n") + " between " + number() + " and " + number();
      case 3:
        return any("color = red", "color != blue", "color in {red, green}", "color = \"green\"",
                   "color not in {red, blue}", "color is red", "color is not green");
      case 4: return any("absent", "present", "any", "all", "none") + any("(s_1..s_3)", "(s_4, s_2)", "(s_1)");
      case 5: return any("s_1", "s_3", "defined");
      case 6: return "sum(s_1..s_4) " + relation() + " " + any("1", "2", "n", "3*s_1");
      case 7: return "not " + atom(depth);
      case 8:
      case 9: return atom(depth) + " and " + atom(depth);
      case 10: return atom(depth) + " or " + atom(depth) + " or " + atom(depth);
      case 11:
        return "count(s_1..s_3, " + condition(depth - 1) + ") " +
               any("> 1", ">= 2", "< 3", "<= 2", "= 2", "!= 1", "= 0");
      case 12:
        return "at least " + any("1", "2") + " of (" + condition(depth - 1) + ", s_2, " + condition(depth - 1) + ")";
      default:
        return any("x is missing", "color is missing", "s_2 is known", "not (y is known)", "color is not missing");
    }
  }
  Raw point() {
    Raw raw;
    for (const char* name : {"x", "y"}) raw.numbers[name] = quarter();
    raw.numbers["n"] = static_cast<double>(random_.below(7)) - 3;
    for (const char* name : {"s_1", "s_2", "s_3", "s_4"}) raw.numbers[name] = static_cast<double>(random_.below(2));
    raw.color = any("red", "green", "blue", "");
    return raw;
  }
  Raw point_with_gaps() {
    Raw raw = point();
    for (auto& [name, value] : raw.numbers)
      if (random_.below(4) == 0) value = std::nan("");
    if (random_.below(4) == 0) raw.color = "?";
    return raw;
  }

 private:
  template <class... Words>
  std::string any(Words... words) {
    const std::string list[] = {words...};
    return list[random_.below(sizeof...(words))];
  }
  std::string atom(int depth) { return "(" + condition(depth - 1) + ")"; }
  double quarter() { return (static_cast<double>(random_.below(17)) - 8) / 4; }
  std::string number() { return fmt::format("{}", quarter()); }
  std::string relation() { return any("<", "<=", ">", ">=", "=", "!="); }
  std::string linear() {
    return any("x", "-y", "n", "2*x - y", "x + n", "0.5*n - 2*s_1", "x/2 + 1", "0*y + x", "n - y + y");
  }
  Random random_;
  bool gaps_;  // speaks of missing values, which no region can say
};

Schema schema_of_points() {
  Schema schema;
  const auto add = [&](const std::string& name, Kind kind) {
    Column column;
    column.name = name;
    column.promised.kind = kind;
    if (kind == Kind::binary) column.promised.high = 1, column.promised.low = 0;
    if (kind == Kind::categorical) column.categories = {"blue", "green", "red"};
    schema.columns.push_back(column);
    schema.number_features();
  };
  add("x", Kind::number);
  add("color", Kind::categorical);
  add("y", Kind::number);
  add("n", Kind::integer);
  for (const char* name : {"s_1", "s_2", "s_3", "s_4"}) add(name, Kind::binary);
  schema.label.classes = {"a", "b"};
  schema.label.positive = 1;
  return schema;
}

std::vector<double> features_of(const Raw& raw) {
  return {raw.numbers.at("x"),          raw.color == "blue" ? 1.0 : 0, raw.color == "green" ? 1.0 : 0,
          raw.color == "red" ? 1.0 : 0, raw.numbers.at("y"),           raw.numbers.at("n"),
          raw.numbers.at("s_1"),        raw.numbers.at("s_2"),         raw.numbers.at("s_3"),
          raw.numbers.at("s_4")};
}

// Whether x lies in the set; `near` is set if some comparison is too close to tell after rounding.
bool in_set(const AdviceSet& set, const std::vector<double>& x, bool& near) {
  bool in = true;
  for (const AdviceRow& row : set.rows) {
    double sum = 0, size = std::fabs(row.bound);
    for (const auto& [feature, coefficient] : row.terms) {
      sum += coefficient * x[feature];
      size += std::fabs(coefficient * x[feature]);
    }
    near |= sum != row.bound && std::fabs(sum - row.bound) < 1e-9 * (1 + size);
    in &= row.equality ? sum == row.bound : row.strict ? sum < row.bound : sum <= row.bound;
  }
  return in;
}

// A table of such points; a color that the schema does not know is one more text.
Table table_of_points(const Schema& schema) {
  Table table;
  for (const Column& column : schema.columns)
    table.columns.push_back(
        {column.name, column.categorical() ? TableColumn::Type::text : TableColumn::Type::number, {}});
  table.columns[1].texts = {"red", "", "green", "blue"};
  return table;
}

Block block_of(const std::vector<Raw>& rows, const Table& table) {
  BlockData data;
  data.width = static_cast<std::uint32_t>(table.columns.size());
  for (const Raw& raw : rows)
    for (const TableColumn& column : table.columns) {
      const auto place = std::find(column.texts.begin(), column.texts.end(), raw.color) - column.texts.begin();
      data.values.push_back(column.texts.empty() ? raw.numbers.at(column.name)
                            : raw.color == "?"   ? std::nan("")
                                                 : static_cast<double>(place));
    }
  return Block(std::move(data));
}

TEST(RuleProperty, MissingValuesAreUnknown) {
  const Schema schema = schema_of_points();
  const Table table = table_of_points(schema);
  const double missing = std::nan("");
  const auto holds = [&](const std::string& condition, double x, double color) {
    const Advice advice = compile_rules(parse_rules("r: " + condition + " => b\n", "t").file, schema);
    BlockData data;
    data.width = 8;
    data.values.assign({x, color, 2, 1, 0, 0, 1, 1});
    return !RuleTruth(advice, schema, table).of(Block(std::move(data))).on(0).empty();
  };
  EXPECT_FALSE(holds("x > 0", missing, 0));
  EXPECT_FALSE(holds("not (x > 0)", missing, 0));
  EXPECT_FALSE(holds("x != 3", missing, 0));
  EXPECT_TRUE(holds("x > 0 or y > 1", missing, 0));
  EXPECT_FALSE(holds("x > 0 and y > 1", missing, 0));
  EXPECT_TRUE(holds("at least 2 of (x > 0, y > 1, n > 0)", missing, 0));
  EXPECT_FALSE(holds("color = red", 0, missing));
  EXPECT_FALSE(holds("color != red", 0, missing));
  EXPECT_TRUE(holds("color != blue", 0, 0));
  EXPECT_TRUE(holds("color != red", 0, 1));  // a text that is no category
}

TEST(RuleProperty, WhatIsCompiledIsWhatWasWritten) {
  const Schema schema = schema_of_points();
  const Table table = table_of_points(schema);
  int compiled = 0, held = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Writer writer(seed);
    const std::string text = "define defined = x > y\nr: " + writer.condition(2) + " => b\n";
    const ParsedRules parsed = parse_rules(text, "t");
    ASSERT_TRUE(parsed.problems.empty()) << describe(parsed.problems[0], parsed.file);
    const auto& rule = std::get<RuleStatement>(parsed.file.statements[1].what);
    const std::map<std::string, Condition> definitions{
        {"defined", std::get<DefineStatement>(parsed.file.statements[0].what).condition}};
    std::optional<Advice> advice;
    const std::string problem = test::message_of([&] { advice = compile_rules(parsed.file, schema); });
    if (problem.find("region is empty") != std::string::npos) {
      ++empty;  // then no point may satisfy it
    } else {
      ASSERT_EQ(problem, "") << text;
      ++compiled;
    }
    const Scaling scaling{{0.3, 0, 0, 0, -2, 1.7, 0.5, 0.5, 0, 0}, {1.3, 1, 1, 1, 0.01, 3, 0.5, 1, 1, 2}};
    for (int k = 0; k < 60; ++k) {
      const Raw raw = writer.point();
      const bool truth = Meaning(raw, definitions).holds(rule.condition);
      if (!advice) {
        EXPECT_FALSE(truth) << text;
        continue;
      }
      held += truth ? 1 : 0;
      std::vector<double> x = features_of(raw);
      EXPECT_EQ(advice->conditions.holds(advice->rules[0].condition, x), truth) << text;
      EXPECT_EQ(RuleTruth(*advice, schema, table).of(block_of({raw}, table)).on(0).size(), truth ? 1 : 0) << text;
      bool in = false, near = false, scaled_in = false, scaled_near = false;
      for (const AdviceSet& set : advice->sets) in |= in_set(set, x, near);
      EXPECT_EQ(in, truth) << text;
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = (x[j] - scaling.shift[j]) / scaling.scale[j];
      for (const AdviceSet& set : advice->sets) {
        bool exactly_on = false;  // rounding decides on a boundary
        const AdviceSet moved = set.in(scaling);
        for (const AdviceRow& row : moved.rows) {
          double sum = 0;
          for (const auto& [feature, coefficient] : row.terms) sum += coefficient * x[feature];
          exactly_on |= std::fabs(sum - row.bound) < 1e-9 * (1 + std::fabs(row.bound));
        }
        scaled_near |= exactly_on;
        scaled_in |= in_set(moved, x, scaled_near);
      }
      if (!scaled_near) {
        EXPECT_EQ(scaled_in, truth) << text;
      }
    }
  }
  EXPECT_GT(compiled, 1000);
  EXPECT_GT(held, 5000);
  EXPECT_GT(empty, 20);
}

// Many rules and rows at once, with gaps, against the tree one by one.
TEST(RuleProperty, ManyRowsWithMissingValuesAsTheTreeSays) {
  const Schema schema = schema_of_points();
  const Table table = table_of_points(schema);
  std::size_t held = 0, unknown = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Writer writer(seed + 20'000, true);
    std::string text = "define defined = color = red or x + y <= 0\n";
    for (int r = 0; r < 30; ++r) text += fmt::format("r{}: {} => b\n", r, writer.condition(static_cast<int>(seed % 4)));
    RuleFile file = parse_rules(text, "t").file;
    std::optional<Advice> advice;
    while (!advice) {  // without the rules that nothing satisfies
      const std::string problem = test::message_of([&] { advice = compile_rules(file, schema); });
      if (advice) break;
      ASSERT_NE(problem.find("region is empty"), std::string::npos) << problem;
      const std::size_t line = std::stoul(problem.substr(2));
      std::erase_if(file.statements, [&](const Statement& statement) { return statement.spot.line == line; });
    }
    const std::map<std::string, Condition> definitions{
        {"defined", std::get<DefineStatement>(file.statements[0].what).condition}};
    std::vector<Raw> rows;
    for (std::size_t i = 0; i < 1 + seed * 5; ++i) rows.push_back(writer.point_with_gaps());
    const RulesThatHold holds = RuleTruth(*advice, schema, table).of(block_of(rows, table));
    ASSERT_EQ(holds.starts.size(), rows.size() + 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t r = 0; r < advice->rules.size(); ++r) {
        const auto& rule = std::get<RuleStatement>(file.statements[r + 1].what);
        const Truth truth = Meaning(rows[i], definitions).of(rule.condition);
        unknown += truth == Truth::unknown ? 1 : 0;
        if (truth == Truth::yes) expected.push_back(r);
      }
      held += expected.size();
      EXPECT_EQ(std::vector<std::uint32_t>(holds.on(i).begin(), holds.on(i).end()), expected) << text;
    }
  }
  EXPECT_GT(held, 10'000U);
  EXPECT_GT(unknown, 10'000U);
}

// Clauses over 0/1 columns and categories are single rows, exact on every point there is.
TEST(RuleProperty, ClausesAreRowsAndExactOnAllPoints) {
  const Schema schema = schema_of_points();
  std::size_t rules = 0, mixed = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const auto pick = [&](std::initializer_list<const char*> words) {
      return *(words.begin() + random.below(words.size()));
    };
    const auto literal = [&] {
      return fmt::format(
          "{}{}", pick({"", "", "not "}),
          pick({"s_1", "s_2", "s_3", "s_4", "s_1 > 0", "s_2 = 0", "(s_3 >= 0.5)", "color = red", "color != blue",
                "color in {red, green}", "absent(s_1)", "(color = red or color = blue)"}));
    };
    const auto list = [&](const char* between) {
      std::string out = literal();
      for (std::uint64_t k = random.below(4); k > 0; --k) out += between + literal();
      return out;
    };
    const auto clause = [&]() -> std::string {
      switch (random.below(6)) {
        case 0: return literal();
        case 1: return "(" + list(" or ") + ")";
        case 2: return "not (" + list(" and ") + ")";
        case 3:
          return fmt::format("{}at least {} of ({}, {}, {})", pick({"", "not "}), 1 + random.below(3), literal(),
                             literal(), list(", "));
        case 4:
          return fmt::format("{}{}({})", pick({"", "not "}), pick({"any", "all", "none"}),
                             pick({"s_1, s_3", "s_1..s_4", "s_2"}));
        default: return "(any(s_1..s_2) or not (" + list(" and ") + "))";
      }
    };
    std::string text = clause();
    for (std::uint64_t k = random.below(4); k > 0; --k) text += " and " + clause();
    const ParsedRules parsed = parse_rules("r: " + text + " => b\n", "t");
    ASSERT_TRUE(parsed.problems.empty()) << describe(parsed.problems[0], parsed.file);
    std::optional<Advice> advice;
    const std::string problem = test::message_of([&] { advice = compile_rules(parsed.file, schema); });
    if (advice) {
      EXPECT_EQ(advice->rules[0].sets, 1U) << text;
      EXPECT_FALSE(advice->rules[0].cut);
      ++rules;
    } else {
      ASSERT_NE(problem.find("region is empty"), std::string::npos) << problem;
    }
    bool yes = false, no = false;
    for (unsigned point = 0; point < 64; ++point) {
      Raw raw;
      for (const char* name : {"x", "y", "n"}) raw.numbers[name] = 0;
      for (unsigned k = 0; k < 4; ++k) raw.numbers[fmt::format("s_{}", k + 1)] = point >> k & 1U;
      raw.color = std::array{"", "red", "green", "blue"}[point >> 4U];
      const bool truth = Meaning(raw, {}).holds(std::get<RuleStatement>(parsed.file.statements[0].what).condition);
      (truth ? yes : no) = true;
      bool near = false;
      EXPECT_EQ(advice && in_set(advice->sets[0], features_of(raw), near), truth) << text;
    }
    mixed += yes && no ? 1 : 0;
  }
  EXPECT_GT(rules, 1500U);
  EXPECT_GT(mixed, 1200U);
}

TEST(RuleProperty, ParsingWhatIsPrintedGivesTheSame) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    Writer writer(seed + 10'000, true);
    std::string text =
        "# note\n\nclass a = \"+\"\ndomain x, s_1..s_4 in [0, 1]   # range\ninteger n\ndefine defined = ";
    text += writer.condition(3) + "\n";
    for (int k = 0; k < 3; ++k)
      text += fmt::format("{}{} => {}\n",
                          k == 0   ? ""
                          : k == 1 ? "r1: "
                                   : "r2 [sure = 80% of 20, trust = 0.5, margin = 2]: ",
                          writer.condition(3),
                          k == 0   ? "not a"
                          : k == 1 ? "-1"
                                   : "\"odd class\"");
    text +=
        "more x => a\nless `odd name` => not a   # why\nday >= 2024-03-01 and rate in {5%} and x/y > 2 => a\n# end\n";
    const ParsedRules first = parse_rules(text, "t");
    ASSERT_TRUE(first.problems.empty()) << describe(first.problems[0], first.file);
    const RuleFile back = rules_from(RuleForm::json, rules_to(RuleForm::json, first.file).text, "t");
    EXPECT_TRUE(back.statements == first.file.statements && back.end == first.file.end) << text;
    const std::string sql = test::message_of([&] { (void)rules_to(RuleForm::sql, first.file); });
    EXPECT_TRUE(sql.empty() || sql.find("nested too deeply") != std::string::npos) << sql;  // a definition of itself
    EXPECT_FALSE(rules_to(RuleForm::english, first.file).text.empty());
    const std::string printed = print_rules(first.file);
    const ParsedRules second = parse_rules(printed, "t");
    ASSERT_TRUE(second.problems.empty()) << describe(second.problems[0], second.file);
    EXPECT_TRUE(second.file.statements == first.file.statements) << text << "became\n" << printed;
    EXPECT_EQ(print_rules(second.file), printed);
  }
}

}  // namespace
}  // namespace postil
