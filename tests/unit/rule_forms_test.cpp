// Rules from other programs and in other forms.
#include "postil/rule_forms.hpp"

#include "support.hpp"

namespace postil {
namespace {

constexpr const char* kPart = R"(=== Classifier model (full training set) ===

PART decision list
------------------

plas <= 127 AND
mass <= 26.4 AND
preg <= 7: tested_negative (117.0/1.0)

plas > 154 AND
insu <= 110: tested_positive (55.0/8.0)

'blood group' = AB AND
color = 'dark blue': tested_negative (5.0)

: tested_negative (10.0/3.0)

Number of Rules  : 	4


Time taken to build model: 0.05 seconds
)";

TEST(RuleForms, PartLists) {
  EXPECT_EQ(guessed_form(kPart), RuleForm::list);
  EXPECT_EQ(print_rules(rules_from(RuleForm::list, kPart, "part.txt", true)),
            "r1 [sure = 99.15% of 117]: plas <= 127 and mass <= 26.4 and preg <= 7 => tested_negative\n"
            "r2 [sure = 85.45% of 55]: plas > 154 and insu <= 110 => tested_positive\n"
            "r3 [sure = 100% of 5]: `blood group` = AB and color = \"dark blue\" => tested_negative\n"
            "# everything else: tested_negative\n");
}

// The rules of a list hold on the rows that the list itself would give them.
TEST(RuleForms, TheFirstRuleOfAListDecides) {
  std::string text = "PART decision list\n\n";
  for (int k = 0; k < 130; ++k)
    text += fmt::format("x <= {} AND\ny > {}: {} (3.0)\n\n", k, k % 7, k % 3 == 0 ? "a" : "b");
  const RuleFile file = rules_from(RuleForm::list, text + ": b (2.0)\n", "part.txt");
  const Schema schema = schema_of_rules(file);
  const Advice advice = compile_rules(file, schema);
  ASSERT_EQ(advice.rules.size(), 130U);
  for (double x = -1; x < 131; x += 1)
    for (double y = 0; y < 8; y += 1) {
      int first = 0;
      while (first < 130 && !(x <= first && y > first % 7)) ++first;
      const std::vector<std::uint8_t> truths = advice.conditions.truths(std::vector{x, y});
      for (int k = 0; k < 130; ++k) EXPECT_EQ(truths[advice.rules[k].condition] != 0, k == first) << x << " " << y;
    }
}

TEST(RuleForms, JripLists) {
  const std::string text =
      "JRIP rules:\n===========\n\n(plas >= 132) and (mass >= 30) => class=yes (182.0/48.0)\n"
      "(color = red) => class=yes\n => class=no (567.0/106.0)\n\nNumber of Rules : 3\n";
  EXPECT_EQ(guessed_form(text), RuleForm::list);
  EXPECT_EQ(
      print_rules(rules_from(RuleForm::list, text, "jrip.txt", true)),
      "r1 [sure = 73.63% of 182]: plas >= 132 and mass >= 30 => yes\nr2: color = red => yes\n# everything else: no\n");
}

TEST(RuleForms, Tables) {
  const std::string text =
      "rule,column,operator,value,class,sure\nrisk,glucose,>=,126,diabetes,80%\nrisk,bmi,>=,\"1,030.5\",diabetes,\n"
      ",color,in,red|dark blue,not ok,\n,when,<,2024-03-01,ok,0.5\n,x y,is missing,,ok,\n,color,<>,red,\">50K\",\n";
  EXPECT_EQ(guessed_form(text), RuleForm::table);
  EXPECT_EQ(print_rules(rules_from(RuleForm::table, text, "t.csv")),
            "risk [sure = 80%]: glucose >= 126 and bmi >= 1030.5 => diabetes\ncolor in {red, \"dark blue\"} => not ok\n"
            "[sure = 50%]: when < 2024-03-01 => ok\n`x y` is missing => ok\ncolor != red => \">50K\"\n");
}

TEST(RuleForms, WhatIsWrongWithThem) {
  const auto says = [](RuleForm form, const std::string& text, const std::string& part) {
    const std::string message = test::message_of([&] { (void)rules_from(form, text, "file"); });
    EXPECT_NE(message.find(part), std::string::npos) << text << "\nsaid " << message;
  };
  says(RuleForm::table, "", "the table is empty");
  says(RuleForm::table, "column,value,class\na,1,b\n", "there is no column 'operator'");
  says(RuleForm::table, "column,operator,value,class\na,~,1,b\n", "file:2: found operator '~'");
  says(RuleForm::table, "column,operator,value,class\na,<,,b\n", "file:2: the value is missing");
  says(RuleForm::table, "column,operator,value,class\na,<,1\n", "file:2: found 3 cells, expected 4");
  says(RuleForm::table, "rule,column,operator,value,class\nr,a,<,1,x\nr,a,<,1,y\n",
       "file:3: rule 'r' is about two classes");
  says(RuleForm::table, "column,operator,value,class,trust\na,<,1,x,80\n", "file:2: trust is 80");
  says(RuleForm::list, "a <= 3: yes", "expected a list that begins with 'PART decision list'");
  says(RuleForm::list, "PART decision list\n\na <= 3 AND\n", "the last rule is not finished");
  says(RuleForm::list, "PART decision list\n\na 3: yes\n", "file:3: found 'a 3: yes', expected a comparison");
  says(RuleForm::list, "PART decision list\n\na <= 3: yes (x)\n", "file:3: found '(x)', expected (covered/wrong)");
  says(RuleForm::list, "JRIP rules:\n\na >= 3 => class=yes\n",
       "file:3: found 'a >= 3 => class=yes', expected '(condition)'");
  says(RuleForm::json, "{\n\n \"a\" 1}", "file:3: this is no JSON");
  says(RuleForm::json, R"({"format": 1e999})", "a number is out of range");
  says(RuleForm::json, "{}", "'format' is missing");
  const auto json = [](const std::string& statement) {
    return R"({"format": "postil rules", "version": 1, "statements": [)" + statement + "]}";
  };
  says(RuleForm::json, R"({"format": "postil rules", "version": 2, "statements": []})", "found 2, expected 1");
  says(RuleForm::json, json(R"({"if": {"name": "a"}})"), "statement 1: 'then' is missing");
  says(RuleForm::json, json(R"({"if": {"nam": "a"}, "then": "b"})"), "statement 1: a condition is one of compare");
  says(RuleForm::json, json(R"({"if": {"name": "a"}, "then": "b", "surely": 1})"), "'surely' means nothing here");
  says(RuleForm::json, json(R"({"if": {"compare": ["a", 1, 2], "by": "<"}, "then": "b"})"),
       "3 things are compared by 1");
  says(RuleForm::json, json(R"({"if": {"name": "a"}, "then": "b", "trust": 80})"), "trust is 80");
  says(RuleForm::json, json(R"({"if": {"and": [{"more": "a"}, {"name": "c"}]}, "then": "b"})"),
       "what it says is no rule");
  std::string deep = R"({"name": "a"})";
  for (int k = 0; k < 5000; ++k) deep = R"({"not": )" + deep + "}";
  says(RuleForm::json, json(R"({"if": )" + deep + R"(, "then": "b"})"), "nested too deeply");
  EXPECT_EQ(print_rules(rules_from(RuleForm::json,
                                   json(R"({"if": {"compare": ["a b", 1.5], "by": ">="}, "then": ">50K"})"), "f")),
            "`a b` >= 1.5 => \">50K\"\n");
  says(RuleForm::sql, "CASE", "rules cannot be read from sql");
}

TEST(RuleForms, SqlAndEnglish) {
  const RuleFile file = parse_rules(
                            "class sick = 1\n"
                            "define fat = bmi >= 30\n"
                            "r: not (fat or at least 2 of (s_1..s_2, color in {red, \"it's\"})) => 0\n"
                            "q [sure = 80%]: glucose is missing or 2*age - bmi > 3 => sick\n"
                            "more age => sick\n",
                            "t")
                            .file;
  const WrittenRules sql = rules_to(RuleForm::sql, file);
  EXPECT_EQ(
      sql.text,
      "CASE\n"
      "  WHEN (\"bmi\" < 30 AND (CASE WHEN \"s_1\" <= 0 THEN 1 ELSE 0 END + CASE WHEN \"s_2\" <= 0 THEN 1 ELSE 0 END + "
      "CASE WHEN \"color\" NOT IN ('red', 'it''s') THEN 1 ELSE 0 END >= 2)) THEN '0' -- r\n"
      "  WHEN (\"glucose\" IS NULL OR 2 * \"age\" - \"bmi\" > 3) THEN '1' -- q\n"
      "END\n");
  ASSERT_EQ(sql.notes.size(), 2U);
  EXPECT_NE(sql.notes[0].find("a direction holds on no row"), std::string::npos);
  EXPECT_EQ(
      rules_to(RuleForm::english, file).text,
      "sick means that the label is 1.\n"
      "fat means: bmi is at least 30.\n"
      "r: if it is not so that (fat or at least 2 of these are true: s_1 to s_2; color is red or it's), then 0.\n"
      "q: if glucose is missing or 2 times age minus bmi is above 3, then sick. This is right in 80 of 100 cases.\n"
      "The more age, the more likely sick.\n");
  std::string doubling = "define d0 = a >= 1 and b >= 2\n";
  for (int k = 1; k < 40; ++k) doubling += fmt::format("define d{} = d{} or (d{} and c >= {})\n", k, k - 1, k - 1, k);
  EXPECT_NE(test::message_of([&] {
              (void)rules_to(RuleForm::sql, parse_rules(doubling + "d39 => x\n", "t").file);
            }).find("too long"),
            std::string::npos);
}

}  // namespace
}  // namespace postil
