// The rule language: what is understood, what is answered, what it becomes.
#include <cmath>
#include <limits>

#include "support.hpp"

namespace postil {
namespace {

Column column(const std::string& name, Kind kind) {
  Column out;
  out.name = name;
  out.promised.kind = kind;
  if (kind == Kind::binary) {
    out.promised.low = 0;
    out.promised.high = 1;
  }
  if (kind == Kind::categorical) out.categories = {"blue", "green", "red"};
  return out;
}

// glucose, bmi (numbers), age (integer), smoker, s_1 .. s_4 (0/1), color (3 categories); classes no, yes.
Schema patient() {
  Schema schema;
  schema.columns = {column("glucose", Kind::number), column("bmi", Kind::number), column("age", Kind::integer),
                    column("smoker", Kind::binary)};
  for (int k = 1; k <= 4; ++k) schema.columns.push_back(column(fmt::format("s_{}", k), Kind::binary));
  schema.columns.push_back(column("color", Kind::categorical));
  schema.number_features();
  schema.label.name = "sick";
  schema.label.classes = {"no", "yes"};
  schema.label.positive = 1;
  return schema;
}

Advice compiled(const std::string& text, const Schema& schema = patient(), const CompileOptions& options = {}) {
  ParsedRules parsed = parse_rules(text, "t.rules");
  for (const RuleProblem& problem : parsed.problems) ADD_FAILURE() << describe(problem, parsed.file);
  return compile_rules(parsed.file, schema, options);
}

// "glucose<=3" for each row of each set, sets separated by " | ".
std::string shape(const Advice& advice, const Schema& schema = patient()) {
  std::string text;
  for (const AdviceSet& set : advice.sets) {
    if (!text.empty()) text += " | ";
    text += set.z > 0 ? "+" : "-";
    for (const AdviceRow& row : set.rows) {
      text += " ";
      for (const auto& [feature, coefficient] : row.terms)
        text += fmt::format("{:+}{}", coefficient, schema.feature_name(feature));
      text += fmt::format("{}{}", row.equality ? "=" : row.strict ? "<" : "<=", row.bound);
    }
  }
  return text;
}

std::string shape(const std::string& text) { return shape(compiled(text)); }

// All messages, as the user sees them.
std::string messages(const std::string& text, const Schema& schema = patient()) {
  ParsedRules parsed = parse_rules(text, "t.rules");
  if (!parsed.problems.empty()) {
    std::string out;
    for (const RuleProblem& problem : parsed.problems) out += describe(problem, parsed.file) + "\n";
    return out;
  }
  return test::message_of([&] { compile_rules(parsed.file, schema); }) + "\n";
}

TEST(Rules, Comparisons) {
  EXPECT_EQ(shape("bmi >= 30 => yes"), "+ -1bmi<=-30");
  EXPECT_EQ(shape("bmi <= 30 => no"), "- +1bmi<=30");
  EXPECT_EQ(shape("bmi < 30 => not yes"), "- +1bmi<30");
  EXPECT_EQ(shape("30 > bmi => +1"), "+ +1bmi<30");
  EXPECT_EQ(shape("bmi = 30 => -1"), "- +1bmi=30");
  EXPECT_EQ(shape("bmi = 30 => +"), "+ +1bmi=30");
  EXPECT_EQ(shape("bmi != 30 => yes"), "+ +1bmi<30 | + -1bmi<-30");
  EXPECT_EQ(shape("25 <= bmi < 30 => yes"), "+ -1bmi<=-25 +1bmi<30");
  EXPECT_EQ(shape("bmi between 25 and 30 => yes"), "+ -1bmi<=-25 +1bmi<=30");
  EXPECT_EQ(shape("bmi in [25, 30] => yes"), "+ -1bmi<=-25 +1bmi<=30");
  EXPECT_EQ(shape("2*bmi + 1 >= glucose - 3 => yes"), "+ +1glucose-2bmi<=4");
  EXPECT_EQ(shape("0.5*bmi + -1.5*glucose >= -0.5 => yes"), "+ +1.5glucose-0.5bmi<=0.5");
  EXPECT_EQ(shape("glucose / 2 - -bmi * 3 <= 1e2 => yes"), "+ +0.5glucose+3bmi<=100");
  EXPECT_EQ(shape("bmi ≥ 30 ∧ glucose ≤ 2 ⇒ yes"), "+ -1bmi<=-30 +1glucose<=2");
}

TEST(Rules, WholeNumbersMakeStrictComparisonsTheNextOne) {
  EXPECT_EQ(shape("age > 1 => yes"), "+ -1age<=-2");
  EXPECT_EQ(shape("age < 1 => yes"), "+ +1age<=0");
  EXPECT_EQ(shape("age > 1.5 => yes"), "+ -1age<=-2");
  EXPECT_EQ(shape("2*age + smoker < 7 => yes"), "+ +2age+1smoker<=6");
  EXPECT_EQ(shape("0.5*age < 7 => yes"), "+ +0.5age<7");
  EXPECT_EQ(shape("integer bmi\nbmi > 30 => yes"), "+ -1bmi<=-31");
  EXPECT_EQ(shape("age >= 1.5 => yes"), "+ -1age<=-2");
}

TEST(Rules, ColumnsOfZeroAndOne) {
  EXPECT_EQ(shape("absent(s_1..s_3) => yes"), "+ +1s_1<=0 +1s_2<=0 +1s_3<=0");
  EXPECT_EQ(shape("none(s_3..s_1) => yes"), "+ +1s_3<=0 +1s_2<=0 +1s_1<=0");
  EXPECT_EQ(shape("present(s_1, s_3) => yes"), "+ -1s_1<=-1 -1s_3<=-1");
  EXPECT_EQ(shape("all(s_1, s_3) => yes"), "+ -1s_1<=-1 -1s_3<=-1");
  EXPECT_EQ(shape("any(s_1..s_2, s_4) => yes"), "+ -1s_1-1s_2-1s_4<=-1");
  EXPECT_EQ(shape("sum(s_1..s_4) <= 1 => yes"), "+ +1s_1+1s_2+1s_3+1s_4<=1");
  EXPECT_EQ(shape("sum(s_1..s_2) > 2*smoker => yes"), "+ +2smoker-1s_1-1s_2<=-1");
  EXPECT_EQ(shape("smoker and bmi > 3 => yes"), "+ -1smoker<=-1 -1bmi<-3");
  EXPECT_EQ(shape("not smoker => yes"), "+ +1smoker<=0");
  EXPECT_EQ(shape("not absent(s_1, s_2) => yes"), "+ -1s_1-1s_2<=-1");
  EXPECT_EQ(shape("not any(s_1, s_2) => yes"), "+ +1s_1<=0 +1s_2<=0");
  EXPECT_EQ(shape("not present(s_1..s_3) => yes"), "+ +1s_1+1s_2+1s_3<=2");
}

TEST(Rules, Categories) {
  EXPECT_EQ(shape("color = red => yes"), "+ -1color=red<=-1");
  EXPECT_EQ(shape("red = color => yes"), "+ -1color=red<=-1");
  EXPECT_EQ(shape("color = \"red\" => yes"), "+ -1color=red<=-1");
  EXPECT_EQ(shape("color != red => yes"), "+ +1color=red<=0");
  EXPECT_EQ(shape("color in {red, blue} => yes"), "+ -1color=blue-1color=red<=-1");
  EXPECT_EQ(shape("not color in {red, blue} => yes"), "+ +1color=red<=0 +1color=blue<=0");
  EXPECT_EQ(shape("age in {3, -4} => yes"), "+ +1age=3 | + +1age=-4");
}

TEST(Rules, OrMakesSeveralSets) {
  EXPECT_EQ(shape("bmi > 1 or glucose > 2 => yes"), "+ -1bmi<-1 | + -1glucose<-2");
  EXPECT_EQ(shape("(bmi > 1 or glucose > 2) and smoker => yes"),
            "+ -1bmi<-1 -1smoker<=-1 | + -1glucose<-2 -1smoker<=-1");
  EXPECT_EQ(shape("not (bmi > 1 and glucose > 2) => yes"), "+ +1bmi<=1 | + +1glucose<=2");
  EXPECT_EQ(shape("not (bmi > 1 or glucose > 2) => yes"), "+ +1bmi<=1 +1glucose<=2");
  EXPECT_EQ(shape("bmi > 1 and bmi > 1 => yes"), "+ -1bmi<-1");
  EXPECT_EQ(shape("bmi < 1 and (bmi > 2 or smoker) => yes"), "+ +1bmi<1 -1smoker<=-1");  // an empty branch is dropped
  EXPECT_EQ(compiled("bmi < 1 and (bmi > 2 or smoker) => yes").rules[0].dropped, 1U);
}

TEST(Rules, AtLeast) {
  EXPECT_EQ(shape("at least 2 of (s_1, s_2, not s_3) => yes"), "+ -1s_1-1s_2+1s_3<=-1");
  EXPECT_EQ(shape("at least 2 of (s_1..s_4) => yes"), "+ -1s_1-1s_2-1s_3-1s_4<=-2");
  EXPECT_EQ(shape("not at least 2 of (s_1..s_3) => yes"), "+ +1s_1+1s_2+1s_3<=1");
  EXPECT_EQ(shape("at least 2 of (bmi > 1, glucose > 2, age >= 3) => yes"),
            "+ -1bmi<-1 -1glucose<-2 | + -1bmi<-1 -1age<=-3 | + -1glucose<-2 -1age<=-3");
}

TEST(Rules, DefinitionsClassesOptionsAndContinuedLines) {
  const Advice advice = compiled(
      "class ill = yes   # a name\n"
      "define heavy = bmi >= 30\n"
      "define risky = heavy and\n"
      "    # in between\n"
      "    (smoker or age > 60)\n"
      "\n"
      "low [trust = 0.5, margin = 2]: not heavy => not ill\n"
      "risky => ill\n");
  ASSERT_EQ(advice.rules.size(), 2U);
  EXPECT_EQ(advice.rules[0].id, "low");
  EXPECT_EQ(advice.rules[0].trust, 0.5);
  EXPECT_EQ(advice.rules[0].margin, 2);
  EXPECT_FALSE(advice.rules[0].positive);
  EXPECT_EQ(advice.rules[1].id, "line 8");
  EXPECT_EQ(shape(advice), "- +1bmi<30 | + -1bmi<=-30 -1smoker<=-1 | + -1bmi<=-30 -1age<=-61");
}

TEST(Rules, DomainsAreABoxBesideTheSets) {
  const Advice advice = compiled("domain bmi, age in [0, 100]\ndomain glucose in [-inf, 5]\nbmi > 3 => yes\n");
  EXPECT_EQ(advice.box.low[1], 0);
  EXPECT_EQ(advice.box.high[2], 100);
  EXPECT_EQ(advice.box.low[0], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(advice.box.high[0], 5);
  EXPECT_EQ(advice.box.high[3], 1);  // binary columns have theirs
  EXPECT_EQ(advice.one_of, (std::vector<std::vector<std::uint32_t>>{{8, 9, 10}}));
  EXPECT_EQ(shape(advice), "+ -1bmi<-3");
}

TEST(Rules, ManyClasses) {
  Schema schema = patient();
  schema.label.classes = {"a", "b", "c"};
  schema.label.positive = 2;
  const Advice plain = compiled("bmi > 1 => a\nbmi < 0 => not b\n", schema);
  ASSERT_EQ(plain.sets.size(), 2U);
  EXPECT_EQ(plain.sets[0].class_number, 0U);
  EXPECT_EQ(plain.sets[1].class_number, 1U);
  EXPECT_EQ(plain.sets[1].z, -1);
  const Advice exclusive = compiled("bmi > 1 => a\nbmi < 0 => not b\n", schema, {.exclusive = true});
  ASSERT_EQ(exclusive.sets.size(), 4U);
  EXPECT_EQ(exclusive.sets[1].class_number, 1U);
  EXPECT_EQ(exclusive.sets[1].z, -1);
  EXPECT_NE(messages("bmi > 1 => +1", schema).find("+1 and -1 are for two classes"), std::string::npos);
}

TEST(Rules, AnonymousColumns) {
  Schema schema;
  schema.form = Columns::sparse;
  schema.features = 9;
  schema.label.classes = {"-1", "1"};
  schema.label.positive = 1;
  EXPECT_EQ(shape(compiled("3*f6 + 5*f8 >= 2 and f9 <= -3 => +1", schema), schema), "+ -3f6-5f8<=-2 +1f9<=-3");
  EXPECT_NE(messages("f10 > 1 => 1", schema).find("the data have f1 to f9"), std::string::npos);
}

TEST(Rules, ScalingMovesTheRegionAlong) {
  Scaling scaling{{100, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {50, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1}};
  const AdviceSet set = compiled("2*glucose - bmi <= 4 => yes").sets[0].in(scaling);
  EXPECT_EQ(set.rows[0].terms, (std::vector<std::pair<std::uint32_t, double>>{{0, 100}, {1, -5}}));
  EXPECT_EQ(set.rows[0].bound, 4 - 2 * 100 + 30);
}

// ---- messages, word for word ----

TEST(RuleMessages, OfTheParser) {
  EXPECT_EQ(messages("bmi >= => yes\n"),
            "t.rules:1:8: found '=>', expected a number, a column or a condition\n  bmi >= => yes\n         ^\n");
  EXPECT_EQ(messages("bmi >= 30 yes\n"),
            "t.rules:1:11: found 'yes', expected 'and', 'or' or '=> class'\n  bmi >= 30 yes\n            ^\n");
  EXPECT_EQ(messages("bmi >= 30 =>\n"),
            "t.rules:1:13: found the end of the line, expected a class\n  bmi >= 30 =>\n              ^\n");
  EXPECT_EQ(messages("(bmi >= 30 => yes\n"),
            "t.rules:1:12: found '=>', expected 'and', 'or' or ')'\n  (bmi >= 30 => yes\n             ^\n");
  EXPECT_EQ(messages("x [trust = -1]: bmi > 3 => yes"),
            "t.rules:1:12: trust is -1, expected a number above 0 and at most 10\n  x [trust = -1]: bmi > 3 => yes\n  "
            "           ^\n");
  EXPECT_EQ(messages("bmi * glucose > 3 => yes"),
            "t.rules:1:7: a product of columns is not linear\n  bmi * glucose > 3 => yes\n        ^\n");
  EXPECT_EQ(messages("`bmi > 3 => yes"),
            "t.rules:1:1: the name that begins here is not closed\n  `bmi > 3 => yes\n  ^\n");
  EXPECT_EQ(messages("bmi > 3 => yes junk"),
            "t.rules:1:16: found 'junk', expected the end of the line\n  bmi > 3 => yes junk\n                 ^\n");
  EXPECT_EQ(messages("domain bmi in [3, 1]"),
            "t.rules:1:16: the domain from 3 to 1 is empty\n  domain bmi in [3, 1]\n                 ^\n");
  EXPECT_EQ(
      messages("at least 0 of (smoker) => yes"),
      "t.rules:1:10: found '0', expected a whole number of 1 or more\n  at least 0 of (smoker) => yes\n           ^\n");
  EXPECT_EQ(messages("ü ∧ bmi > 3 ⇒ yes § x"),
            "t.rules:1:19: found '§', expected the end of the line\n  ü ∧ bmi > 3 ⇒ yes § x\n                    ^\n");
}

TEST(RuleMessages, SeveralInOneRun) {
  const std::string text = messages("bmi > => yes\nfine: bmi > 1 => yes\nglucose 3 => yes\nfine: bmi > 2 => yes\n");
  EXPECT_NE(text.find("t.rules:1:7:"), std::string::npos) << text;
  EXPECT_NE(text.find("t.rules:3:9:"), std::string::npos) << text;
  EXPECT_NE(text.find("t.rules:4:1: the rule 'fine' appears twice"), std::string::npos) << text;
}

TEST(RuleMessages, OfTheCompiler) {
  EXPECT_EQ(messages("bmj >= 30 => yes\nsmoker => maybe\n"),
            "t.rules:1:1: unknown column 'bmj'; did you mean 'bmi'?\n  bmj >= 30 => yes\n  ^\n"
            "t.rules:2:11: unknown class 'maybe'; known: no, yes. If it is another name for one of them, add a line: "
            "class maybe = VALUE, with one of them for VALUE\n  smoker => maybe\n            ^\n");
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(messages(text).find(part), std::string::npos) << messages(text);
  };
  says("color > 3 => yes", "column 'color' holds categories: they can be = or !=");
  says("color = rad => yes", "column 'color' has no category 'rad'; did you mean 'red'?");
  says("color + 1 > 3 => yes", "column 'color' holds categories, not numbers");
  says("bmi => yes", "column 'bmi' is no yes/no column");
  says("sick > 3 => yes", "'sick' is the label");
  says("s_1..s_9 => yes", "expected");
  says("absent(s_1..s_9) => yes", "unknown column 's_5'");
  says("absent(s_1..x_9) => yes", "differ only in the number at their end");
  says("absent(s_1, s_1) => yes", "stands twice");
  says("bmi > 3 and bmi < 2 => yes", "no point of the domain satisfies rule 'line 1'");
  says("define a = b\ndefine b = a\na => yes", "needs itself");
  says("define bmi = smoker", "is a column");
  says("define q = q", "needs itself");  // though no rule uses it
  says("class a = maybe", "unknown class 'maybe'; known: no, yes");
  says("class yes = no", "'yes' is a class of its own");
  says("age = 1.5 => yes", "no point of the domain");
  says("age >= 1.2 and age <= 1.8 => yes", "no point of the domain");
  says("color = red and color = blue => yes", "no point of the domain");
  says("color = dark-blue => yes", "stand in \"double quotes\"");
  says("at least 3 of (smoker, s_1) => yes", "at least 3 of only 2 conditions");
  says("3 > 2 => yes", "is about no column");
  says("bmi > \"x\" => yes", "found the text 'x'");
  std::string chain = "at least 9 of (bmi > 1", explosion = "at least 9 of (bmi + glucose > 1";
  for (int k = 2; k < 30; ++k) chain += fmt::format(", bmi > {}", k);
  for (int k = 2; k < 30; ++k) explosion += fmt::format(", bmi + {}*glucose > {}", k, k);
  const Advice one = compile_rules(parse_rules(chain + ") => yes", "t").file, patient());
  ASSERT_EQ(one.sets.size(), 1U);  // bmi > 9
  EXPECT_EQ(one.sets[0].rows, (std::vector<AdviceRow>{{{{1, -1.0}}, -9, true, false}}));
  std::vector<std::string> notes;  // the rule as written is not refused
  const Advice many = compile_rules(parse_rules(explosion + ") => yes", "t").file, patient(), {}, &notes);
  EXPECT_TRUE(many.rules[0].cut);
  EXPECT_LE(many.sets.size(), 1000U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("is applied, counted and checked as written"), std::string::npos) << notes[0];
}

TEST(Rules, CanonicalText) {
  const auto canonical = [](const std::string& text) { return print_rules(parse_rules(text, "t").file); };
  EXPECT_EQ(canonical("# top\n\n\n  x : bmi>=30 AND(glucose<2 or smoker)=>yes # why\nclass a=+\n"),
            "# top\n\nx: bmi >= 30 and (glucose < 2 or smoker) => yes  # why\nclass a = \"1\"\n");
  EXPECT_EQ(canonical("not(a and b)or not c=>\"x y\""), "not (a and b) or not c => \"x y\"\n");
  EXPECT_EQ(canonical("a>1 and (b>2 and c>3) => -1"), "a > 1 and (b > 2 and c > 3) => -1\n");
  EXPECT_EQ(canonical("`p-37` = c and 3 <= `and` < 5 => `odd``name`"),
            "`p-37` = c and 3 <= `and` < 5 => \"odd`name\"\n");
  EXPECT_EQ(canonical("- 2*x + -1*y - 3 >= .5 => a"), "-2*x - y - 3 >= 0.5 => a\n");
  EXPECT_EQ(canonical("domain x_1 .. x_3,y in [ 0,inf ]"), "domain x_1..x_3, y in [0, inf]\n");
}

// ---- checks ----

std::string pairs(const std::vector<RulePair>& found, const Advice& advice) {
  std::string text;
  for (const RulePair& pair : found) text += advice.rules[pair.a].id + "/" + advice.rules[pair.b].id + " ";
  return text;
}

TEST(RuleCheck, ConflictsAreSharedPoints) {
  const auto conflicts = [](const std::string& text) {
    const Advice advice = compiled(text);
    const RuleCheck check = check_rules(advice);
    for (const RulePair& pair : check.conflicts) {  // the witness satisfies both, as written
      std::vector<double> x(advice.box.low.size());
      for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::isfinite(advice.box.low[j]) ? advice.box.low[j] : 0;
      for (const auto& [feature, value] : witness(advice, pair)) x[feature] = value;
      EXPECT_TRUE(advice.conditions.holds(advice.rules[pair.a].condition, x) &&
                  advice.conditions.holds(advice.rules[pair.b].condition, x))
          << text;
    }
    return pairs(check.conflicts, advice);
  };
  EXPECT_EQ(conflicts("a: bmi >= 3 => yes\nb: bmi <= 4 => no"), "a/b ");
  EXPECT_EQ(conflicts("a: bmi >= 3 => yes\nb: bmi < 3 => no"), "");
  EXPECT_EQ(conflicts("a: bmi >= 3 => yes\nb: bmi <= 3 => no"), "a/b ");
  EXPECT_EQ(conflicts("a: bmi > 3 => yes\nb: bmi <= 3 => no"), "");
  EXPECT_EQ(conflicts("a: age > 1 => yes\nb: age < 2 => no"), "");  // whole numbers
  EXPECT_EQ(conflicts("a: bmi > 1 => yes\nb: bmi < 2 => no"), "a/b ");
  EXPECT_EQ(conflicts("a: color = red => yes\nb: color = blue => no"), "");  // one category at a time
  EXPECT_EQ(conflicts("a: color = red => yes\nb: color in {red, blue} => no"), "a/b ");
  EXPECT_EQ(conflicts("a: any(s_1..s_2) => yes\nb: absent(s_1) => no"), "a/b ");
  EXPECT_EQ(conflicts("a: any(s_1..s_2) => yes\nb: absent(s_1..s_2) => no"), "");
  EXPECT_EQ(conflicts("a: bmi + glucose >= 3 => yes\nb: bmi - glucose >= 1 and bmi <= 1.9 => no"), "");
  EXPECT_EQ(conflicts("a: bmi + glucose >= 3 => yes\nb: bmi - glucose >= 1 and bmi <= 2.1 => no"), "a/b ");
  EXPECT_EQ(conflicts("a: bmi + glucose > 3 => yes\nb: bmi - glucose >= 1 and bmi <= 2 => no"), "");  // touch at (2, 1)
  EXPECT_EQ(conflicts("a: bmi > 3 => yes\nb: glucose > 1 => yes"), "");
}

TEST(RuleCheck, ImpliedRules) {
  const auto implied = [](const std::string& text) {
    const Advice advice = compiled(text);
    return pairs(check_rules(advice).implied, advice);
  };
  EXPECT_EQ(implied("a: bmi >= 3 => yes\nb: bmi >= 4 => yes"), "b/a ");
  EXPECT_EQ(implied("a: bmi >= 3 => yes\nb: bmi >= 4 => no"), "");
  EXPECT_EQ(implied("a: bmi > 3 => yes\nb: bmi >= 3 => yes"), "a/b ");
  EXPECT_EQ(implied("a: bmi >= 3 => yes\nb: bmi >= 3 => yes"), "b/a ");  // the same: the later one
  EXPECT_EQ(implied("a: bmi >= 3 or glucose > 1 => yes\nb: glucose > 2 and smoker => yes"), "b/a ");
  EXPECT_EQ(implied("a: bmi + glucose >= 3 => yes\nb: bmi >= 2 and glucose >= 1 => yes"), "b/a ");
  EXPECT_EQ(implied("a: bmi + glucose >= 3 => yes\nb: bmi >= 2 and glucose >= 0.9 => yes"), "");
  EXPECT_EQ(implied("a: any(s_1..s_3) => yes\nb: s_2 => yes"), "b/a ");
}

TEST(RuleCheck, OneHyperplaneForAll) {
  const auto core = [](const std::string& text) -> std::string {
    const Advice advice = compiled(text);
    const RuleCheck check = check_rules(advice);
    if (check.satisfiable.size() != 1) return "?";
    std::string names = check.satisfiable[0].yes ? "yes" : "";
    for (const std::uint32_t rule : check.satisfiable[0].core) names += advice.rules[rule].id;
    return names;
  };
  EXPECT_EQ(core("a: bmi >= 3 => yes\nb: bmi <= 2 => no"), "yes");
  EXPECT_EQ(core("a: bmi >= 3 => yes\nb: bmi <= 4 => no"), "ab");
  // Between two yes there is a no: three rules, no two of which disagree.
  EXPECT_EQ(core("a: bmi <= 1 => yes\nb: 2 <= bmi <= 3 => no\nc: bmi >= 4 => yes"), "abc");
}

TEST(RuleCheck, EmptyBranchesOfOneHotColumns) {
  EXPECT_EQ(compiled("(color = red or smoker) and (color = blue or s_1) => yes").sets.size(), 1U);
  const Advice advice = compiled("(color = red or bmi > 1) and (color = blue or age > 3) => yes");
  EXPECT_EQ(advice.sets.size(), 4U);            // red and blue at once is kept for learners ...
  EXPECT_EQ(check_rules(advice).empty[0], 1U);  // ... and told
}

// ---- certificates ----

TEST(Certificates, AreCheckedProofsOrCounterexamples) {
  Random random(3);
  int obeyed = 0, broken = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const double t = random.normal(), g = random.normal();
    const Advice advice = compiled(fmt::format(
        "domain bmi, glucose, age in [-5, 5]\nr: bmi - {}*glucose >= {} and age + bmi <= 2 and color = red => {}", g, t,
        trial % 2 == 0 ? "yes" : "no"));
    std::vector<double> w(advice.box.low.size());
    for (double& v : w) v = random.normal();
    if (trial % 3 == 0) w[0] = w[2] = 0;
    const double bias = 4 * random.normal();
    const AdviceSet& set = advice.sets[0];
    const Certificate c = certify(set, advice.box, advice.one_of, w, bias);
    const auto score = [&](const std::vector<double>& x) {
      double sum = bias;
      for (std::size_t j = 0; j < x.size(); ++j) sum += w[j] * x[j];
      return set.z * sum;
    };
    if (!c.obeyed) {
      ++broken;
      std::vector<double> x(advice.box.low.size());
      for (const auto& [feature, value] : c.counterexample) x[feature] = value;
      for (std::size_t j = 0; j < x.size(); ++j) {
        EXPECT_GE(x[j], advice.box.low[j] - 1e-7);
        EXPECT_LE(x[j], advice.box.high[j] + 1e-7);
      }
      for (const AdviceRow& row : set.rows) {
        double sum = 0;
        for (const auto& [feature, coefficient] : row.terms) sum += coefficient * x[feature];
        EXPECT_LE(sum, row.bound + 1e-7);
      }
      EXPECT_LT(score(x), 1e-9);
      continue;
    }
    ++obeyed;
    // The proof, multiplied out here: z w + D'u + p - q + groups = 0 and what it bounds.
    std::vector<double> rest(advice.box.low.size());
    double proven = set.z * bias;
    for (std::size_t j = 0; j < rest.size(); ++j) rest[j] = set.z * w[j];
    for (std::size_t k = 0; k < set.rows.size(); ++k) {
      EXPECT_GE(c.u[k], 0);
      proven -= c.u[k] * set.rows[k].bound;
      for (const auto& [feature, coefficient] : set.rows[k].terms) rest[feature] += c.u[k] * coefficient;
    }
    ASSERT_EQ(c.groups.size(), 1U);
    proven -= c.groups[0];
    for (const std::uint32_t feature : advice.one_of[0]) rest[feature] += c.groups[0];
    for (const auto& [feature, p] : c.high) {
      rest[feature] += p;
      proven -= p * advice.box.high[feature];
    }
    for (const auto& [feature, q] : c.low) {
      rest[feature] -= q;
      proven += q * advice.box.low[feature];
    }
    for (const double value : rest) EXPECT_NEAR(value, 0, 1e-9);
    EXPECT_NEAR(proven, c.proven, 1e-9);
    EXPECT_GE(c.proven, -1e-5);
    EXPECT_NEAR(c.proven, c.worst, 1e-6 * (1 + std::fabs(c.worst)));
    for (int k = 0; k < 200; ++k) {  // random points of the region
      std::vector<double> x(advice.box.low.size());
      for (std::size_t j = 0; j < 3; ++j) x[j] = 10 * random.uniform() - 5;
      for (std::size_t j = 3; j < 8; ++j) x[j] = random.uniform();
      x[10] = 1;
      if (advice.conditions.holds(advice.rules[0].condition, x)) {
        EXPECT_GE(score(x), c.proven - 1e-9);
      }
    }
  }
  EXPECT_GT(obeyed, 20);
  EXPECT_GT(broken, 20);
}

TEST(Certificates, UnboundedRegionsHaveCounterexamplesToo) {
  const Advice advice = compiled("r: bmi >= 30 => yes");
  std::vector<double> w(advice.box.low.size());
  w[0] = 1;  // glucose may be anything
  w[1] = 1;
  const Certificate c = certify(advice.sets[0], advice.box, advice.one_of, w, 0);
  EXPECT_FALSE(c.obeyed);
  EXPECT_LT(c.counterexample.at(0) + c.counterexample.at(1), 0);
  w[0] = 0;
  EXPECT_TRUE(certify(advice.sets[0], advice.box, advice.one_of, w, -29).obeyed);
  EXPECT_FALSE(certify(advice.sets[0], advice.box, advice.one_of, w, -31).obeyed);
}

TEST(Rules, WithoutDataTheyNameTheirColumns) {
  const RuleFile file =
      parse_rules("domain x_1..x_3 in [0, 4]\ncolor = red and any(s, t) and 2*y <= 3 => a\ncolor = blue => b\n", "t")
          .file;
  const Schema schema = schema_of_rules(file);
  EXPECT_EQ(schema.feature_names(),
            (std::vector<std::string>{"x_1", "x_2", "x_3", "color=blue", "color=red", "s", "t", "y"}));
  EXPECT_EQ(schema.label.classes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(compile_rules(file, schema).sets.size(), 2U);
}

}  // namespace
}  // namespace postil
