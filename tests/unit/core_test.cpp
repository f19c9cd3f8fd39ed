// Errors, texts, numbers, parameters, random numbers, portable mathematics.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/math.hpp"
#include "postil/text.hpp"
#include "support.hpp"

namespace postil {
namespace {

TEST(Error, SaysWhereFirst) {
  EXPECT_STREQ(DataError({"a.csv", 3, 7}, "found x").what(), "a.csv:3:7: found x");
  EXPECT_STREQ(DataError({"a.csv", 0, 0}, "found x").what(), "a.csv: found x");
  EXPECT_STREQ(ParamError("no").what(), "no");
}

// A front end that knows two options.
std::string some_words(const Option& option) {
  return option.name == "kind" ? "-k " + option.key : option.name == "scale" ? "scale=" + option.value : "";
}

TEST(Text, NamesOptionsInTheWordsOfAFrontEnd) {
  const Text text("use ", Option{"kind", "age", "number"}, " or ", std::string("not"));
  EXPECT_EQ(text.plain(), "use kind age=number or not");
  EXPECT_EQ(text.plain(some_words), "use -k age or not");
  EXPECT_EQ(Text(Option{"classes"}).plain(), "classes");
  EXPECT_EQ(Text(Option{"scale", "", "none"}).plain(), "scale none");
  EXPECT_EQ(Text(Option{"set", "start", "advice"}).plain(), "start=advice");
  EXPECT_EQ(Text(Option{"set"}).plain(), "set");
  EXPECT_EQ(Text(Option{"classes"}).plain(some_words), "classes");  // without a word of its own: the neutral one
  EXPECT_TRUE(Text("").empty());
}

TEST(Text, LeavesOutHintsWithoutWords) {
  const Text first("a", Text::hint(" (", Option{"kind", "x"}, ")")), second("b", Text::hint(" (", Option{"top"}, ")"));
  const Text both(first, "; ", second, Text::hint("!"), Text::hint(Option{"row"}), ".");
  EXPECT_EQ(both.plain(), "a (kind x); b (top)!row.");
  EXPECT_EQ(both.plain(some_words), "a (-k x); b!.");
  Text twice = both;
  twice += twice;
  EXPECT_EQ(twice.plain(some_words), "a (-k x); b!.a (-k x); b!.");
}

TEST(Error, IsData) {
  const DataError error({.code = Code::not_a_number,
                         .place = {"a.csv", 3, 7},
                         .subject = {"column", "age"},
                         .message = Text("column 'age': found 'x', expected a number"),
                         .found = "x",
                         .expected = "a number",
                         .remedy = Text(Option{"kind", "age", "categorical"}, " reads it as text"),
                         .details = "\n  below"});
  EXPECT_STREQ(error.what(),
               "a.csv:3:7: column 'age': found 'x', expected a number; kind age=categorical reads it as text\n  below");
  EXPECT_EQ(error.message(),
            "column 'age': found 'x', expected a number; kind age=categorical reads it as text\n  below");
  EXPECT_EQ(error.failure().text().plain(some_words),
            "a.csv:3:7: column 'age': found 'x', expected a number; -k age reads it as text\n  below");
  EXPECT_EQ(error.failure().text().plain([](const Option&) { return std::string(); }),
            "a.csv:3:7: column 'age': found 'x', expected a number\n  below");
  EXPECT_EQ(word(error.code()), "not_a_number");
  EXPECT_EQ(error.failure().subject.name, "age");
}

TEST(Error, HasACodeByItsType) {
  EXPECT_EQ(Error({}, "x").code(), Code::failed);
  EXPECT_EQ(ParamError("x").code(), Code::bad_option);
  EXPECT_EQ(DataError({}, "x").code(), Code::bad_data);
  EXPECT_EQ(ParseError({}, "x").code(), Code::bad_syntax);
  EXPECT_EQ(ModelError({}, "x").code(), Code::damaged_file);
}

TEST(Result, ThrowsTheFailureItself) {
  Result<int> good(3);
  EXPECT_EQ(good.value(), 3);
  Result<int, ParseError> bad(Failure{.code = Code::bad_syntax, .place = {"r", 1, 2}, .message = "oops"});
  EXPECT_FALSE(bad);
  try {
    bad.value();
    FAIL();
  } catch (const ParseError& error) {
    EXPECT_EQ(error.code(), Code::bad_syntax);
    EXPECT_EQ(error.where().column, 2U);
    EXPECT_EQ(error.message(), "oops");
  }
}

TEST(Text, NearestName) {
  const std::vector<std::string> known{"perceptron", "margin-perceptron", "romma", "pa"};
  EXPECT_EQ(nearest_name("percepton", known), "perceptron");
  EXPECT_EQ(nearest_name("Romma", known), "romma");
  EXPECT_EQ(nearest_name("xyz", known), "");
  EXPECT_EQ(suggestion("xyz", known), "; known: perceptron, margin-perceptron, romma, pa");
}

TEST(Text, Utf8) {
  EXPECT_TRUE(valid_utf8("äöü € 𝄞"));
  EXPECT_FALSE(valid_utf8("\xff"));
  EXPECT_FALSE(valid_utf8("\xc0\x80"));          // overlong
  EXPECT_FALSE(valid_utf8("\xed\xa0\x80"));      // surrogate
  EXPECT_FALSE(valid_utf8("\xf4\x90\x80\x80"));  // beyond the last code point
  EXPECT_FALSE(valid_utf8("a\xe2\x82"));         // cut
}

TEST(Text, QuotesForMessages) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(in_quotes("\xff"), "'\\xff'");
  EXPECT_EQ(in_quotes(std::string(50, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(Number, AcceptsDecimalNumbersOnly) {
  for (const char* text :
       {"0", "-0", "+1", "1.", ".5", "1e5", "1E-5", "1e+5", "123456789012345678901234567890", "1e-400"})
    EXPECT_TRUE(parse_number(text)) << text;
  for (const char* text : {"", "+", "-", ".", "e5", "1e", "1e+", "0x10", "1,5", "--", "1 ", " 1", "nan", "inf", "1e999",
                           "+-1", "1.2.3", "1_000", "٣"})
    EXPECT_FALSE(parse_number(text)) << text;
  EXPECT_EQ(parse_number("+1.5"), 1.5);
  EXPECT_EQ(parse_number("-2e3"), -2000);
  for (const char* text : {"nan", "NaN", "-nan", "inf", "INF", "+Infinity", "-inf", "1e999", "-1e999", "NAN(123)"})
    EXPECT_TRUE(is_not_finite(text)) << text;
  for (const char* text : {"info", "nano", "1", "x", ""}) EXPECT_FALSE(is_not_finite(text)) << text;
}

constexpr ParamSpec kSpecs[] = {number_param("C", "", 1, Range::positive, ""), integer_param("k", "", 3, {1, 10}, ""),
                                flag_param("on", false, ""), choice_param("mode", "a", "a|b", ""),
                                number_or_choice_param("bias", "", 1, Range::positive, "none", "")};

TEST(Params, DefaultsAndGivenValues) {
  const Params params("x", kSpecs, {{"k", "4"}, {"on", "true"}, {"bias", "none"}});
  EXPECT_EQ(params.number("C"), 1);
  EXPECT_EQ(params.number("k"), 4);
  EXPECT_TRUE(params.flag("on"));
  EXPECT_EQ(params.choice("mode"), "a");
  EXPECT_TRUE(params.is_word("bias"));
  EXPECT_EQ(Params("x", kSpecs, params.texts()).all(), params.all());
}

TEST(Params, RefuseWithTheAllowedValues) {
  const auto message = [](const char* key, const char* value) {
    return test::message_of([&] { Params("pa", kSpecs, {{key, value}}); });
  };
  EXPECT_EQ(message("CC", "1"), "pa has no parameter 'CC'; did you mean 'C'?");
  EXPECT_EQ(message("C", "0"), "pa: C is '0', expected a number in (0, inf)");
  EXPECT_EQ(message("k", "2.5"), "pa: k is '2.5', expected a whole number in [1, 10]");
  EXPECT_EQ(message("k", "11"), "pa: k is '11', expected a whole number in [1, 10]");
  EXPECT_EQ(message("on", "maybe"), "pa: on is 'maybe', expected true or false");
  EXPECT_EQ(message("mode", "c"), "pa: mode is 'c', expected a or b");
  EXPECT_EQ(message("bias", "nan"), "pa: bias is 'nan', expected a number in (0, inf) or none");
}

// The first outputs for two seeds, computed by an independent program from the published algorithms.
TEST(Random, MatchesThePublishedGenerator) {
  Random zero(0), other(42);
  EXPECT_EQ(zero.bits(), 0x53175d61490b23dfU);
  EXPECT_EQ(zero.bits(), 0x61da6f3dc380d507U);
  EXPECT_EQ(zero.bits(), 0x5c0fdf91ec9a7bfcU);
  EXPECT_EQ(other.bits(), 0xd0764d4f4476689fU);
  EXPECT_EQ(other.bits(), 0x519e4174576f3791U);
  EXPECT_EQ(other.bits(), 0xfbe07cfb0c24ed8cU);
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(7);
  constexpr int n = 200'000;
  double sum = 0, squares = 0, fourth = 0, uniform_sum = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    uniform_sum += u;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
  EXPECT_NEAR(uniform_sum / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
}

TEST(Random, BelowIsUniformAndShuffleIsAPermutation) {
  Random random(3);
  std::vector<int> counts(6), items(100);
  for (int i = 0; i < 60'000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 500);
  std::iota(items.begin(), items.end(), 0);
  random.shuffle(std::span(items));
  EXPECT_FALSE(std::is_sorted(items.begin(), items.end()));
  std::sort(items.begin(), items.end());
  for (int i = 0; i < 100; ++i) EXPECT_EQ(items[i], i);
}

TEST(Math, LogAndExpAgreeWithTheLibrary) {
  Random random(1);
  const auto within = [](double a, double b) {
    return std::fabs(a - b) <= 4 * std::numeric_limits<double>::epsilon() * std::fabs(b);
  };
  for (int i = 0; i < 100'000; ++i) {
    const double x = std::ldexp(1 + random.uniform(), static_cast<int>(random.below(2000)) - 1000);
    ASSERT_TRUE(within(portable_log(x), std::log(x))) << x;
    const double y = (random.uniform() - 0.5) * 1400;
    ASSERT_TRUE(within(portable_exp(y), std::exp(y))) << y;
    const double z = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(60)) - 58);
    ASSERT_TRUE(within(portable_log1p(z), std::log1p(z))) << z;
  }
  EXPECT_EQ(portable_log(1), 0);
  EXPECT_EQ(portable_exp(0), 1);
  EXPECT_EQ(portable_exp(-1000), 0);
  EXPECT_TRUE(std::isinf(portable_exp(1000)));
  EXPECT_TRUE(std::isnan(portable_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(Dates, ReadAndWritten) {
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1969-12-31"), -1);
  EXPECT_EQ(parse_date("2000-02-29"), 11016);
  EXPECT_EQ(parse_date("2024-03-01T12:00"), 19783.5);
  EXPECT_EQ(parse_date("2024-03-01 06:00:00Z"), 19783.25);
  EXPECT_EQ(format_date(19783.5), "2024-03-01T12:00");
  EXPECT_EQ(format_date(19783.999999999999), "2024-03-02");
  EXPECT_EQ(format_date(1e300), format_number(1e300));
  for (const char* text : {"2023-02-29", "2024-3-1", "2024-00-01", "0000-01-01", "2024-03-01T", "2024-03-01T25:00",
                           "2024-03-01T12", "2024-03-01T12:60", "2024-03-01T12:00:60", "2024-03-01T12:00:7", "20240301",
                           "2024-03-01x", "2024-03-011", "", "2024-03", "-024-03-01"})
    EXPECT_FALSE(parse_date(text)) << text;
  for (double days = -719'162; days < 2'932'897; days += 997.37) {  // to a millisecond
    const std::optional<double> back = parse_date(format_date(days));
    ASSERT_TRUE(back);
    EXPECT_NEAR(*back, days, 1e-8);
  }
}

TEST(Dates, PercentagesAndThousands) {
  EXPECT_EQ(parse_percent("12.5%"), 12.5);
  EXPECT_EQ(parse_percent("-3 %"), -3);
  EXPECT_FALSE(parse_percent("%") || parse_percent("12") || parse_percent("1%%"));
  EXPECT_EQ(parse_grouped("1,234,567.25"), 1234567.25);
  EXPECT_EQ(parse_grouped("-1,000"), -1000);
  for (const char* text : {"1,23", "1234,567", ",123", "1,234,", "1,2345", "1,234e", "", "1,,234", "123"})
    EXPECT_FALSE(parse_grouped(text)) << text;
}

}  // namespace
}  // namespace postil
