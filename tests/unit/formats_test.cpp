// JSON lines and ARFF: what is accepted, and what is said of what is not.
#include <cmath>
#include <nlohmann/json.hpp>

#include "support.hpp"

namespace postil {
namespace {

using test::read_all;
using Rows = std::vector<std::vector<double>>;
const double kNan = std::nan("");

ReadOptions of(Format format) {
  ReadOptions options;
  options.format = format;
  return options;
}

// The columns' names, each with its texts.
std::string columns_of(const Table& table) {
  std::string out;
  for (const TableColumn& column : table.columns) {
    out += out.empty() ? "" : " ";
    out += column.name;
    for (std::size_t i = 0; i < column.texts.size(); ++i) out += (i == 0 ? ":" : "|") + column.texts[i];
  }
  return out;
}

struct Equal {
  Rows rows;
  friend bool operator==(const Rows& a, const Equal& b) {
    if (a.size() != b.rows.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].size() != b.rows[i].size()) return false;
      for (std::size_t j = 0; j < a[i].size(); ++j)
        if (a[i][j] != b.rows[i][j] && !(std::isnan(a[i][j]) && std::isnan(b.rows[i][j]))) return false;
    }
    return true;
  }
};

TEST(Formats, AreKnownByNameAndByContent) {
  EXPECT_EQ(format_of_name("a/b.jsonl"), Format::jsonl);
  EXPECT_EQ(format_of_name("b.ndjson.gz"), Format::jsonl);
  EXPECT_EQ(format_of_name("iris.arff.xz"), Format::arff);
  EXPECT_EQ(format_of("ndjson"), Format::jsonl);
  const auto columns = [](const char* text) { return columns_of(read_all(text).table); };
  EXPECT_EQ(columns("\xef\xbb\xbf\n {\"a\": 1, \"label\": 2}\n"), "a");
  EXPECT_EQ(columns("% Iris\n\n@RELATION iris\n@attribute b real\n@attribute c {x,y}\n@data\n1,x\n"), "b");
  EXPECT_EQ(columns("{a},label\n1,x\n"), "{a}") << "a name in braces is no JSON";
}

// ---- JSON lines ----

TEST(JsonLines, ObjectsWithinObjectsMissingKeysAndNull) {
  const auto read = read_all(
      "{\"age\": 50, \"lab\": {\"glucose\": 126.5, \"more\": {\"b\": \"x\"}}, \"label\": \"ill\"}\r\n"
      "\n"
      "{\"label\": \"well\", \"age\": null, \"late\": -2e-3}\n"
      "{\"lab\": {}, \"lab\": {\"glucose\": NaN}, \"age\": 7, \"label\": null}",
      of(Format::jsonl));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(columns_of(read.table), "age lab.glucose lab.more.b:x late");
  EXPECT_EQ(read.rows, (Equal{{{50, 126.5, 0, kNan}, {kNan, kNan, kNan, -0.002}, {7, kNan, kNan, kNan}}}));
  EXPECT_EQ(read.table.labels, (std::vector<std::string>{"ill", "well"}));
  EXPECT_TRUE(std::isnan(read.labels[2]));
  EXPECT_EQ(read.lines, (std::vector<std::uint64_t>{1, 3, 4}));
}

TEST(JsonLines, TextsStayTexts) {
  const auto read = read_all(
      "{\"zip\": \"01234\", \"yes\": true, \"note\": \"a \\\"b\\\",\\n\\u00e9\", \"label\": \"1\"}\n"
      "{\"zip\": \"1234\", \"yes\": false, \"note\": \"\", \"label\": \"01\"}\n",
      of(Format::jsonl));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(columns_of(read.table), "zip:01234|1234 yes:true|false note:a \"b\", é");
}

TEST(JsonLines, NumbersAreReadDigitByDigit) {
  for (const char* number :
       {"0.1", "123456789012345678", "2.2250738585072011e-308", "9007199254740993", "1E+2", "-0.0"})
    EXPECT_EQ(read_all(fmt::format("{{\"a\": {}, \"label\": 1}}\n", number), of(Format::jsonl)).rows,
              (Rows{{std::strtod(number, nullptr)}}))
        << number;
}

struct Bad {
  const char* text;
  const char* message;
};
void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.text; }

class BadJsonLines : public testing::TestWithParam<Bad> {};
TEST_P(BadJsonLines, AreAnsweredWithLine) {
  EXPECT_EQ(read_all(GetParam().text, of(Format::jsonl)).error, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    All, BadJsonLines,
    testing::Values(
        Bad{"{\"a\": 1, \"label\": 2}\n{\"a\": 1 \"label\": 2}\n",
            "memory:2: found text that is not valid JSON, expected one JSON object on each line"},
        Bad{"{\"a\": 1, \"label\": 2} {}\n",
            "memory:1: found more text behind an object, expected one JSON object on each line"},
        Bad{"{\"a\": 1,\n \"label\": 2}\n",
            "memory:1: found an object that does not end on its line, expected one JSON object on each line"},
        Bad{"{\"a\": 01, \"label\": 2}\n",
            "memory:1: found text that is not valid JSON, expected one JSON object on each line"},
        Bad{"{\"a\": 1, \"a\": 2, \"label\": 2}\n", "memory:1: the key 'a' stands twice in one object"},
        Bad{"{\"a\": [1], \"label\": 2}\n",
            "memory:1: column 'a': found a list, expected a number, text, true, false or null; ignore a leaves the "
            "column out"},
        Bad{"{\"a\": 1e999, \"label\": 2}\n", "memory:1: column 'a': found '1e999', expected a finite number"},
        Bad{"{\"a\": Infinity, \"label\": 2}\n", "memory:1: column 'a': found 'Infinity', expected a finite number"},
        Bad{"{\"a\": 1, \"label\": 2}\n{\"a\": \"x\", \"label\": 2}\n",
            "memory:2: column 'a': found 'x', expected a number; kind a=categorical reads all its cells as text"},
        Bad{"{\"a\": 1, \"label\": 2}\n{}\n", "memory:2: the object has none of the columns"},
        Bad{"[{\"a\": 1, \"label\": 2}]\n",
            "memory:1: found a list, expected one JSON object on each line; python -m postil.convert reads lists of "
            "objects"},
        Bad{"{\"a\": \"\xff\", \"label\": 2}\n",
            "memory:1: found text that is not valid UTF-8, expected one JSON object on each line"}));

TEST(JsonLines, ASchemaNamesTheColumns) {
  const char* const rows = "{\"a\": 1, \"b\": \"x\", \"label\": 0}\n{\"a\": 2, \"b\": \"y\", \"label\": 1}\n";
  Reader reader = Reader::from_memory(rows, of(Format::jsonl));
  Survey survey(reader.table(), Scale::none, {});
  for (Block block; reader.next(block); block = Block()) survey.add(block);
  const Schema schema = survey.finish();
  ReadOptions options = of(Format::jsonl);
  options.schema = &schema;
  options.use_label = false;
  const auto others = read_all("{\"new\": [3], \"b\": \"y\"}\n{\"a\": 5}\n", options);
  EXPECT_EQ(others.error, "");
  EXPECT_EQ(columns_of(others.table), "a b:y");
  EXPECT_EQ(others.rows, (Equal{{{kNan, 0}, {5, kNan}}}));
}

TEST(JsonLines, RandomTablesAsCsvHasThem) {
  Random draw(7);
  for (int round = 0; round < 200; ++round) {
    std::string csv = "n,t,label\n", json;
    const std::size_t rows = 1 + draw.below(30);
    for (std::size_t i = 0; i < rows; ++i) {
      const double number = std::ldexp(draw.uniform() - 0.5, static_cast<int>(draw.below(80)) - 40);
      std::string text = "t";
      for (std::size_t k = draw.below(6); k > 0; --k) text += "a\",\\;{}"[draw.below(7)];
      const bool no_number = draw.below(4) == 0, no_text = draw.below(4) == 0;
      std::string quoted;
      for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
      csv += fmt::format("{},{},{}\n", no_number ? "" : fmt::format("{}", number), no_text ? "" : "\"" + quoted + "\"",
                         i % 3);
      nlohmann::json object{{"label", i % 3}};
      if (!no_number || i == 0) object["n"] = no_number ? nlohmann::json() : nlohmann::json(number);
      if (!no_text || i == 0) object["t"] = no_text ? nlohmann::json() : nlohmann::json(text);
      json += object.dump() + "\n";
    }
    ReadOptions as_csv = of(Format::csv), as_json = of(Format::jsonl);
    as_csv.label = as_json.label = "label";
    as_csv.wishes.kinds["t"] = as_json.wishes.kinds["t"] = Kind::categorical;
    as_csv.wishes.kinds["n"] = as_json.wishes.kinds["n"] = Kind::number;
    as_json.chunk_bytes = 1 + draw.below(200);
    const auto expected = read_all(csv, as_csv), read = read_all(json, as_json);
    ASSERT_EQ(read.error, "") << json;
    ASSERT_EQ(expected.error, "") << csv;
    ASSERT_EQ(read.rows, Equal{expected.rows}) << json;
    ASSERT_EQ(columns_of(read.table), columns_of(expected.table));
    ASSERT_EQ(read.labels, expected.labels);
  }
}

// ---- ARFF ----

TEST(Arff, DenseRows) {
  const auto read = read_all(
      "% a comment\n@RELATION 'two words'\n\n@Attribute 'body mass' REAL\n@attribute colour {red, 'light blue' , "
      "green}\n"
      "@attribute seen DATE \"yyyy-MM-dd'T'HH:mm:ss\"\n@attribute n integer % a comment\n@attribute note string\n"
      "@attribute class {no,yes}\n@DATA\n"
      "31.5, 'light blue', \"2024-03-01T12:00:00\", 3, 'it\\'s, 5%', yes\n"
      "% another\n?,red,?,-4,?,no\n\t1e2 ,green, '2024-03-02T00:00:00',0,\"?\",? % the last\n",
      of(Format::arff));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(columns_of(read.table), "body mass colour:light blue|red|green seen n note:it's, 5%");
  EXPECT_EQ(read.rows, (Equal{{{31.5, 0, 19783.5, 3, 0}, {kNan, 1, kNan, -4, kNan}, {100, 2, 19784, 0, kNan}}}));
  EXPECT_EQ(read.table.label_name, "class");
  EXPECT_EQ(read.table.labels, (std::vector<std::string>{"yes", "no"}));
  EXPECT_EQ(read.lines, (std::vector<std::uint64_t>{11, 13, 14}));
}

TEST(Arff, SparseRows) {
  const auto read = read_all(
      "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute c numeric\n@attribute class {u,v}\n@data\n"
      "{0 1.5, 3 v}\n{1 y,2 ?}\n{}\n{ 2 -1 , 3 u }\n",
      of(Format::arff));
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(columns_of(read.table), "a b:x|y c");
  EXPECT_EQ(read.rows, (Equal{{{1.5, 0, 0}, {0, 1, kNan}, {0, 0, 0}, {0, 0, -1}}}));
  EXPECT_EQ(read.labels, (std::vector<double>{0, 1, 1, 1}));
}

class BadArff : public testing::TestWithParam<Bad> {};
TEST_P(BadArff, IsAnsweredWithLine) {
  EXPECT_EQ(read_all(GetParam().text, of(Format::arff)).error, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    All, BadArff,
    testing::Values(
        Bad{"@relation r\n@attribute a numeric\n", "memory: found no line with @data, behind which the rows stand"},
        Bad{"@relation r\n@data\n1\n", "memory:2: found @data, expected @attribute lines before it"},
        Bad{"@relation r\n@attribute a colour\n@data\n1\n",
            "memory:2: found 'colour', expected a type: numeric, real, integer, string, date or {values, ...}"},
        Bad{"@relation r\n@attribute a {x,y\n@data\n", "memory:2: found the end of the line, expected ',' or '}'"},
        Bad{"@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\n2\n",
            "memory:6: found 1 values, expected 2"},
        Bad{"@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x,{2}\n",
            "memory:5: found '{2}', expected the end of the row: there are 2 attributes, and weights of rows are not "
            "read"},
        Bad{"@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,z\n",
            "memory:5: column 'c': found 'z', expected one of the declared values: x, y"},
        Bad{"@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\none,x\n",
            "memory:5: column 'a': found 'one', expected a number"},
        Bad{"@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n{1 x, 0 3}\n",
            "memory:5: found '0', expected the number of an attribute, from 2 to 1, in increasing order"},
        Bad{"@relation r\n@attribute a relational\n@data\n",
            "memory:2: found 'relational', expected a type: numeric, real, integer, string, date or {values, ...}"},
        Bad{"@relation r\n@attribute a date MM/dd/yy\n@attribute c {x}\n@data\n",
            "memory:2: column 'a': found dates as 'MM/dd/yy', expected yyyy-MM-dd or yyyy-MM-dd HH:mm:ss; ignore a "
            "leaves the column out"},
        Bad{"@relation r\n@attribute a string\n@attribute c {x}\n@data\n'abc,x\n",
            "memory:5: found a text without its closing quote, expected ' before the end of the line"}));

// The beginning of an archive.
std::string zip_of(const std::string& entry) {
  std::string out("PK\x03\x04\x14", 5);
  out.resize(30);
  out[26] = static_cast<char>(entry.size());
  return out + entry + "content";
}

TEST(Tables, ThatAreNoTextAreNamed) {
  for (const auto& [bytes, name] :
       std::map<std::string, std::string>{{std::string("PAR1\x15\x04", 6), "a Parquet file"},
                                          {zip_of("[Content_Types].xml"), "an Excel file"},
                                          {zip_of("docProps/app.xml"), "an Excel file"},
                                          {zip_of("mimetype"), "an Excel file"},
                                          {std::string("ARROW1\0\0", 8), "an Arrow file"}})
    EXPECT_EQ(
        read_all(bytes).error,
        "memory: this is " + name + ", which the Python package reads; python -m postil.convert memory -o data.jsonl");
  for (const std::string& bytes : {zip_of("patients.csv"), zip_of(""), std::string("PK\x03\x04\x14\0", 6)})
    EXPECT_EQ(read_all(bytes).error, "memory: this is a zip archive; unpack it");
}

}  // namespace
}  // namespace postil
