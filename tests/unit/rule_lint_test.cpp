// What an editor is told of a text of rules, also of one that is being typed.
#include <algorithm>

#include "support.hpp"

namespace postil {
namespace {

Schema patient() {
  Schema schema;
  for (const char* name : {"glucose", "plasma glucose", "smoker"}) {
    Column& column = schema.columns.emplace_back();
    column.name = name;
    column.promised.kind = Kind::number;
  }
  schema.columns.back().promised = {Kind::binary, 0, 1};
  Column& column = schema.columns.emplace_back();
  column.name = "color";
  column.promised.kind = Kind::categorical;
  column.categories = {"blue", "dark red", "green"};
  schema.number_features();
  schema.label.name = "sick";
  schema.label.classes = {"no", "yes"};
  schema.label.positive = 1;
  return schema;
}

// "column:glucose sign:>= ..." of one line.
std::string words(const std::string& line) {
  const Schema schema = patient();
  std::string out;
  for (const RuleWord& w : lint_rules(line, &schema).words)
    out += fmt::format("{}{}:{}", out.empty() ? "" : " ", word(w.kind), line.substr(w.spot.column - 1, w.length));
  return out;
}

std::string completions(const std::string& line) {
  const Schema schema = patient();
  std::string out;
  const Spot end{1, static_cast<std::uint32_t>(line.size() + 1)};
  for (const RuleLint::Completion& c : lint_rules(line, &schema, end).completions) out += c.text + " ";
  return out;
}

TEST(RuleLint, TellsWhatEachWordIs) {
  EXPECT_EQ(words("risk [sure = 80%]: glucose >= 126 and smoker => yes  # why"),
            "rule:risk sign:[ keyword:sure sign:= number:80 sign:% sign:] sign:: column:glucose sign:>= number:126 "
            "keyword:and column:smoker sign:=> class:yes comment:# why");
  EXPECT_EQ(words("if color is not green or bmj > 3 then not no"),
            "keyword:if column:color keyword:is keyword:not category:green keyword:or unknown:bmj sign:> number:3 "
            "keyword:then keyword:not class:no");
  EXPECT_EQ(words("define sweet = any(smoker)"),
            "keyword:define definition:sweet sign:= function:any sign:( column:smoker sign:)");
  EXPECT_EQ(words("`plasma glucose` is missing => yes"),
            "column:`plasma glucose` keyword:is keyword:missing sign:=> class:yes");
  EXPECT_EQ(words("color in {blue, green} => \"yes\""),
            "column:color keyword:in sign:{ category:blue sign:, category:green sign:} sign:=> class:\"yes\"");
}

TEST(RuleLint, TellsAllProblemsWithTheirRange) {
  const Schema schema = patient();
  const RuleLint found = lint_rules("bmj > 3 => yes\nglucose >= => yes\ncolor = red => maybe\n", &schema);
  ASSERT_EQ(found.problems.size(), 3U);
  EXPECT_EQ(found.problems[0].length, 3U);
  EXPECT_NE(found.problems[0].message.find("unknown column 'bmj'"), std::string::npos);
  EXPECT_EQ(found.problems[1].spot.line, 2U);
  EXPECT_EQ(found.problems[1].spot.column, 12U);
  EXPECT_EQ(found.problems[1].length, 2U);
  EXPECT_NE(found.problems[2].message.find("unknown class 'maybe'"), std::string::npos) << found.problems[2].message;
}

TEST(RuleLint, TellsWhatCouldComeNext) {
  EXPECT_EQ(completions("glu"), "glucose ");
  EXPECT_EQ(completions("glucose > 3 and s"), "smoker sum( ");
  EXPECT_EQ(completions("glucose > 3 => "), "no yes ");
  EXPECT_EQ(completions("if smoker then y"), "yes ");
  EXPECT_EQ(completions("color = "), "blue \"dark red\" green ");
  EXPECT_EQ(completions("color in {blue, d"), "\"dark red\" ");
  EXPECT_EQ(completions("color is not g"), "green ");
  EXPECT_EQ(completions("color is "), "missing known blue \"dark red\" green ");
  EXPECT_EQ(completions("more g"), "glucose ");
  EXPECT_EQ(completions("r: more glucose "), "=> ");
  EXPECT_EQ(completions("r [su"), "sure ");
  EXPECT_EQ(completions("r [sure = 80%, "), "sure trust margin ");
  EXPECT_EQ(completions("class ill = "), "no yes ");
  EXPECT_EQ(completions("smoker => yes unless gl"), "glucose ");
  EXPECT_EQ(completions("smoker => yes  # gl"), "");
  const std::string all = completions("");
  EXPECT_NE(all.find("`plasma glucose`"), std::string::npos);
  EXPECT_NE(all.find("unless"), std::string::npos);
}

TEST(RuleLint, NeverFailsWhateverIsTyped) {
  const std::string text =
      "risk [sure = 80%]: glucose >= 126 and (color in {blue, \"x\"} or smoker) => yes unless smoker\n";
  const Schema schema = patient();
  for (std::size_t k = 0; k <= text.size(); ++k) {
    const RuleLint found = lint_rules(text.substr(0, k), &schema, Spot{1, static_cast<std::uint32_t>(k + 1)});
    EXPECT_LE(found.words.size(), k);
    (void)lint_rules(text.substr(k), nullptr, Spot{1, 1});
  }
}

}  // namespace
}  // namespace postil
