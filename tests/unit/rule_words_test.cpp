// What experts write and what people who try the language type: understood, or answered with what to write instead.
#include "support.hpp"

namespace postil {
namespace {

Schema patient() {
  Schema schema;
  for (const char* name : {"glucose", "bmi", "age"}) {
    Column& column = schema.columns.emplace_back();
    column.name = name;
    column.promised.kind = Kind::number;
  }
  for (const char* name : {"smoker", "s_1", "s_2", "s_3"}) {
    Column& column = schema.columns.emplace_back();
    column.name = name;
    column.promised = {Kind::binary, 0, 1};
  }
  for (const char* name : {"day", "seen", "rate"}) {
    Column& column = schema.columns.emplace_back();
    column.name = name;
    column.promised.kind = name[0] == 'r' ? Kind::percent : Kind::date;
  }
  Column& column = schema.columns.emplace_back();
  column.name = "color";
  column.promised.kind = Kind::categorical;
  column.categories = {"10th", "blue", "green", "red"};
  schema.number_features();
  schema.label.name = "sick";
  schema.label.classes = {"0", "1"};
  schema.label.positive = 1;
  return schema;
}

TEST(RuleWords, OtherWaysToSayIt) {
  const auto canonical = [](const std::string& text) {
    const ParsedRules parsed = parse_rules(text, "t");
    for (const RuleProblem& problem : parsed.problems) ADD_FAILURE() << describe(problem, parsed.file);
    const std::string out = print_rules(parsed.file);
    EXPECT_TRUE(parse_rules(out, "t").file.statements == parsed.file.statements) << out;
    return out.substr(0, out.size() - 1);
  };
  EXPECT_EQ(canonical("#\n#two\n#\n#\n\n# three\nbmi >= 30 => yes"), "# two\n\n# three\nbmi >= 30 => yes");
  EXPECT_EQ(canonical("if bmi >= 30 then yes"), "bmi >= 30 => yes");
  EXPECT_EQ(canonical("r: IF bmi >= 30 AND NOT smoker THEN not yes"), "r: bmi >= 30 and not smoker => not yes");
  EXPECT_EQ(canonical("if (bmi >= 30) => yes"), "bmi >= 30 => yes");
  EXPECT_EQ(canonical("day >= 2024-03-01 and rate < 5% => yes"), "day >= 2024-03-01 and rate < 5% => yes");
  EXPECT_EQ(canonical("day - 2024-03-01T06:00 > -1 => yes"), "day - 2024-03-01T06:00 > -1 => yes");
  EXPECT_EQ(canonical("day in {2024-03-01, 2024-03-02T00:00} => yes"), "day in {2024-03-01, 2024-03-02} => yes");
  EXPECT_EQ(canonical("rate in {5%, 12.50%} => yes"), "rate in {5%, 12.5%} => yes");
  EXPECT_EQ(canonical("domain day in [2020-01-01, inf]"), "domain day in [2020-01-01, inf]");
  EXPECT_EQ(canonical("domain rate in [0%, 100%]"), "domain rate in [0%, 100%]");
  EXPECT_EQ(canonical("bmi > 1,234,567.5 => yes"), "bmi > 1234567.5 => yes");
  EXPECT_EQ(canonical("bmi in [1,200] => yes"), "bmi between 1 and 200 => yes") << "a list";
  EXPECT_EQ(canonical("d [trust = 2]: More bmi -> not yes"), "d [trust = 2]: more bmi => not yes");
  EXPECT_EQ(canonical("less `plasma glucose` => yes"), "less `plasma glucose` => yes");
  EXPECT_EQ(canonical("more > 3 and less is known => yes"), "more > 3 and less is known => yes");  // columns
  EXPECT_EQ(canonical("if > 3 => yes"), "if > 3 => yes");  // a column of that name
  EXPECT_EQ(canonical("bmi >= 30 -> yes"), "bmi >= 30 => yes");
  EXPECT_EQ(canonical("bmi >= 30 unless smoker => yes"), "bmi >= 30 and not smoker => yes");
  EXPECT_EQ(canonical("bmi >= 30 => yes unless smoker or s_1"), "bmi >= 30 and not (smoker or s_1) => yes");
  EXPECT_EQ(canonical("if bmi > 3 unless smoker then yes"), "bmi > 3 and not smoker => yes");
  EXPECT_EQ(canonical("color not in {red, blue} => no"), "color not in {red, blue} => no");
  EXPECT_EQ(canonical("not color in {red} => no"), "color not in {red} => no");
  EXPECT_EQ(canonical("color is not in {red} => no"), "color not in {red} => no");
  EXPECT_EQ(canonical("color is red or color is not blue => no"), "color = red or color != blue => no");
  EXPECT_EQ(canonical("bmi not between 20 and 30 => no"), "not bmi between 20 and 30 => no");
  EXPECT_EQ(canonical("! smoker & bmi == 3 | s_1 && s_2 => no"), "not smoker and bmi = 3 or s_1 and s_2 => no");
  EXPECT_EQ(canonical("count(smoker, s_1..s_3, bmi > 3) > 2 => yes"), "count(smoker, s_1..s_3, bmi > 3) > 2 => yes");
  EXPECT_EQ(canonical("bmi is missing or missing(age) => no"), "bmi is missing or age is missing => no");
  EXPECT_EQ(canonical("bmi is not missing and known(age) => no"), "bmi is known and age is known => no");
  EXPECT_EQ(canonical("bmi is null => no"), "bmi is missing => no");
  EXPECT_EQ(canonical("3*glucose / age > 2 => yes"), "3*glucose/age > 2 => yes");
  EXPECT_EQ(canonical("r [sure = 80% of 20]: smoker => yes"), "r [sure = 80% of 20]: smoker => yes");
  EXPECT_EQ(canonical("[sure = 0.8, trust = 2]: smoker => yes"), "[sure = 80%, trust = 2]: smoker => yes");
}

TEST(RuleWords, WhatPeopleTyped) {
  const auto says = [](const std::string& text, const std::string& part) {
    const std::string message = test::message_of([&] {
      ParsedRules parsed = parse_rules(text, "t");
      (void)compile_rules(parsed.file, patient(), {.mistakes = parsed.problems});
    });
    EXPECT_NE(message.find(part), std::string::npos) << text << "\nsaid " << message;
  };
  says("glucose > 50% => 1", "column 'glucose' holds plain numbers: as it has them, 50 or 0.5");
  says("glucose > 1,20 => 1", "found ','");
  says("glucose > 1,234,56 => 1", "found ','");
  says("glucose > 1234,567 => 1", "found '1234,567', expected a number such as 1234.5 or 1,234.5");
  says("glucose > 2024-03-01 => 1", "column 'glucose' holds no dates");
  says("day > 2024-02-30 => 1", "found '2024-02-30', expected a date such as 2024-03-01");
  says("day > 5 => 1", "column 'day' holds dates: compare it with a date such as 2024-03-01");
  says("day + seen > 2024-03-01 => 1", "column 'day' holds dates");
  says("day - seen > 2024-03-01 => 1", "column 'day' holds dates");
  says("2*day > 2024-03-01 => 1", "column 'day' holds dates");
  says("day in {3, 4} => 1", "column 'day' holds dates");
  says("domain day in [0, 1]\nbmi > 3 => 1", "column 'day' holds dates: write 2024-03-01 in place of a number");
  says("domain bmi in [0%, 1%]\nbmi > 3 => 1", "column 'bmi' holds plain numbers: write them without %");
  says("domain bmi in [2020-01-01, inf]\nbmi > 3 => 1", "column 'bmi' holds no dates");
  says("glucose > 3 => 1;", "every rule has a line of its own");
  says("my-rule: glucose > 126 => 1", "the name of a rule is one word");
  says("0.8: glucose > 126 => 1", "to say how often the rule is right, write [sure = 0.8]:");
  says("glucose > 126 => >50K", "stand in \"double quotes\"");
  says("color = 10th => 1", "texts that begin with a digit stand in \"double quotes\"");
  says("glucose > 126 => diabetes",
       "unknown class 'diabetes'; known: 0, 1. If it is another name for one of them, add a line: class diabetes = "
       "VALUE, with one of them for VALUE");
  says("r [trust = 80]: smoker => 1",
       "trust is 80, expected a number above 0 and at most 10; to say how often the rule is right, write sure = 80%");
  says("r [sure = 80]: smoker => 1", "sure is 80, expected 80%");
  says("r [sure = 120%]: smoker => 1", "expected a percentage from 0% to 100%");
  says("r [sure = 80%, sure = 2%]: smoker => 1", "sure is given twice");
  says("r [trust = 2 of 3]: smoker => 1", "found 'of', expected ',' or ']'");
  says("if glucose > 126 => 1 then", "found 'then', expected the end of the line");
  says("if glucose > 126 and => 1", "found '=>'");
  says("glucose / bmi > 2 => 1",
       "column bmi may be 0 or negative; if it is always positive, say so in a line of its own (domain bmi in [1, "
       "inf])");
  says("domain bmi in [1, inf]\nglucose / bmi + age > 2 => 1",
       "in a comparison that divides by 'bmi', all other terms must be numbers");
  says("domain bmi, age in [1, inf]\nglucose / bmi > 2/age => 1", "divided by one column only");
  says("count(smoker, s_1) >= 3 => 1", "with 2 conditions this comparison is always true or never true");
  says("count(smoker, s_1) >= 0 => 1", "with 2 conditions this comparison is always true or never true");
  says("count(smoker, s_1) => 1", "expected a comparison such as >= 2");
  says("color is => 1", "found '=>'");
  says("more color => 1", "column 'color' holds categories, not numbers");
  says("more weight => 1", "unknown column 'weight'");
  says("r [sure = 80%]: more bmi => 1", "a direction has no sure");
  says("more bmi and age => 1", "a direction is about one column and has no other condition");
  says("more bmi, age => 1", "a direction is about one column and has no other condition");
  says("more s_1..s_3 => 1", "a direction is about one column: write a rule for each");
  says("bmi > 3 and more age => 1", "found 'age'");
}

TEST(RuleWords, DirectionsHaveASignAndNoRegion) {
  const Advice advice = compile_rules(
      parse_rules("a: more bmi => 1\nb: less bmi => 1\nc: more age => 0\nd: less age => not 0\n", "t").file, patient());
  EXPECT_TRUE(advice.sets.empty());
  const double signs[] = {1, -1, -1, -1};
  for (std::size_t r = 0; r < 4; ++r) {
    ASSERT_TRUE(advice.rules[r].direction);
    EXPECT_EQ(advice.rules[r].direction->z, signs[r]);
    EXPECT_FALSE(advice.conditions.holds(advice.rules[r].condition, std::vector<double>(patient().features)));
  }
  const TaskAdvice task = advice_for(advice, patient(), {1});
  EXPECT_TRUE(task.rules.empty());  // they do not vote
  EXPECT_EQ(task.directions.size(), 4U);
  EXPECT_EQ(task.features.size(), 2U);
  const RuleCheck check = check_rules(advice);
  ASSERT_EQ(check.opposed.size(), 1U);
  EXPECT_EQ(check.opposed[0].b, 1U);
  ASSERT_EQ(check.implied.size(), 1U);
  EXPECT_EQ(check.implied[0].a, 3U);
}

TEST(RuleWords, DirectionsAgainstRules) {
  const auto satisfiable = [](const char* text) {
    const RuleCheck check = check_rules(compile_rules(parse_rules(text, "t").file, patient()));
    return check.satisfiable.at(0).yes;
  };
  const std::string rules = "r: bmi >= 40 => 1\ns: bmi <= 20 => 0\n";
  EXPECT_TRUE(satisfiable((rules + "d: more bmi => 1\ne: less age => 1\n").c_str()));
  EXPECT_FALSE(satisfiable((rules + "d: less bmi => 1\n").c_str()));
}

TEST(RuleWords, QuotientsOfPositiveColumnsAreLinear) {
  const Schema schema = patient();
  const Advice advice =
      compile_rules(parse_rules("domain age in [1, inf]\nr: 2 < glucose / age <= 3 => 1\n", "t").file, schema);
  std::vector<double> x(schema.features);
  for (const double age : {1.0, 2.0, 40.0})
    for (const double ratio : {1.9, 2.0, 2.5, 3.0, 3.5}) {
      x[0] = ratio * age;
      x[2] = age;
      EXPECT_EQ(advice.conditions.holds(advice.rules[0].condition, x), ratio > 2 && ratio <= 3) << ratio << " " << age;
    }
  EXPECT_EQ(advice.sets.size(), 1U);
}

TEST(RuleWords, DatesAreDaysAndTheirDifferencesToo) {
  const Schema schema = patient();
  const Advice advice = compile_rules(
      parse_rules("a: day > 2024-02-28 => 1\nb: day - seen >= 2 => 1\nc: rate <= 12.5% => 1\n", "t").file, schema);
  std::vector<double> x(schema.features);
  const std::uint32_t day = 7, seen = 8, rate = 9;
  ASSERT_EQ(schema.feature_name(day), "day");
  const auto holds = [&](std::size_t rule) { return advice.conditions.holds(advice.rules[rule].condition, x); };
  x[day] = *parse_date("2024-02-29");
  x[seen] = *parse_date("2024-02-27");
  x[rate] = 12.5;
  EXPECT_TRUE(holds(0) && holds(1) && holds(2));
  x[day] = *parse_date("2024-02-28");
  x[rate] = 12.6;
  EXPECT_FALSE(holds(0) || holds(1) || holds(2));
}

TEST(RuleWords, HowSureIsKept) {
  const Advice advice =
      compile_rules(parse_rules("r [sure = 80% of 20]: smoker => 1\nq: s_1 => 0\n", "t").file, patient());
  ASSERT_TRUE(advice.rules[0].sure && advice.rules[0].sure->rows);
  EXPECT_EQ(advice.rules[0].sure->rate, 0.8);
  EXPECT_EQ(*advice.rules[0].sure->rows, 20);
  EXPECT_FALSE(advice.rules[1].sure);
  const TaskAdvice task = advice_for(advice, patient(), {1});
  ASSERT_EQ(task.rules.size(), 2U);
  EXPECT_EQ(task.rules[0].z, 1);
  EXPECT_EQ(task.rules[1].z, -1);
}

TEST(RuleWords, WhatHoldsEverywhereHasNoRegion) {
  const Advice advice =
      compile_rules(parse_rules("r: bmi is known => 1\nq: bmi is missing => 0\n", "t").file, patient());
  EXPECT_TRUE(advice.sets.empty());
  EXPECT_TRUE(advice.rules[0].cut && advice.rules[1].cut);
  EXPECT_TRUE(advice.conditions.holds(advice.rules[0].condition, std::vector<double>(patient().features)));
}

TEST(RuleWords, MillionsOfParenthesesAreAnswered) {
  for (const char* part : {"(", "not ", "if ", "count(", "at least 2 of ("}) {
    std::string text;
    for (int k = 0; k < 1'000'000; ++k) text += part;
    const ParsedRules parsed = parse_rules(text + "smoker => 1\n", "t");
    ASSERT_EQ(parsed.problems.size(), 1U) << part;
  }
}

TEST(RuleWords, TheNameOfAClassDoesNothingWhereLabelsHoldIt) {
  const auto class_of = [](std::vector<std::string> classes, LabelKind kind, const std::string& rules) {
    Schema schema = patient();
    schema.label.classes = std::move(classes);
    schema.label.kind = kind;
    const Advice advice = compile_rules(without_problems(parse_rules(rules, "t")), schema);
    return (advice.rules.at(0).positive ? 1 : -1) * (advice.rules.at(0).class_number == 1 ? 1 : -1);
  };
  const std::string rules = "class sick = 1\nclass well = 0\nglucose > 126 => sick";
  EXPECT_EQ(class_of({"0", "1"}, LabelKind::unknown, rules), 1);
  EXPECT_EQ(class_of({"sick", "well"}, LabelKind::text, rules), -1);
  EXPECT_EQ(class_of({"well", "sick"}, LabelKind::text, rules), 1);
  EXPECT_THROW(class_of({"1", "sick"}, LabelKind::unknown, rules), ParseError);  // both: which is meant?
  EXPECT_EQ(class_of({"False", "True"}, LabelKind::truth, "glucose > 126 => 1"), 1);
  EXPECT_EQ(class_of({"False", "True"}, LabelKind::truth, "glucose > 126 => false"), -1);
  EXPECT_THROW(class_of({"False", "True"}, LabelKind::text, "glucose > 126 => 1"), ParseError);
  EXPECT_EQ(class_of({"01", "1"}, LabelKind::text, "glucose > 126 => \"01\""), -1);
  EXPECT_EQ(class_of({"01", "1"}, LabelKind::text, "glucose > 126 => 1"), 1);
  EXPECT_EQ(class_of({"0", "1"}, LabelKind::unknown, "glucose > 126 => \"1.0\""), 1);
}

}  // namespace
}  // namespace postil
