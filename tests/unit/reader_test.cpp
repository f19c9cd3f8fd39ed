// Readers: what is accepted, and what is said of what is not.
#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>

#include "support.hpp"

namespace postil {
namespace {

using test::read_all;
using Rows = std::vector<std::vector<double>>;
const double kNan = std::nan("");

ReadOptions libsvm() {
  ReadOptions options;
  options.format = Format::libsvm;
  return options;
}
ReadOptions csv() {
  ReadOptions options;
  options.format = Format::csv;
  return options;
}

// ---- numbers and missing values as people write them ----

TEST(Text, NumbersWithDecimalCommas) {
  const auto read = [](const char* text) { return with_decimal_point(text).value_or("-"); };
  EXPECT_EQ(read("1,5"), "1.5");
  EXPECT_EQ(read("-1.234,5"), "-1234.5");
  EXPECT_EQ(read("1.234.567"), "1234567");
  EXPECT_EQ(read("12,5 %"), "12.5 %");
  EXPECT_EQ(read("€ 1.000,25"), "€ 1000.25");
  EXPECT_EQ(read("1,5e3"), "1.5e3");
  EXPECT_EQ(read(",5"), ".5");
  for (const char* text :
       {"1.5", "1.23", "12.34.567", "1,2,3", "1,234.5", "1234.567", ".500", "a", "1.5 and 2.5", "1,5,"})
    EXPECT_EQ(read(text), "-") << text;
}

TEST(Text, Money) {
  for (const char* text : {"$1,234.5", "1234.5 €", "£ 1234.5", "+$1234.5", "¥1,234.5"})
    EXPECT_EQ(parse_money(text), 1234.5) << text;
  EXPECT_EQ(parse_money("-$5"), -5);
  EXPECT_EQ(parse_money("$-5"), -5);
  for (const char* text : {"$", "$x", "5", "$$5", "-$-5", "5 dollars", "$1,23"})
    EXPECT_EQ(parse_money(text), std::nullopt) << text;
}

TEST(Csv, WordsForMissingAmongNumbersAndAmongTexts) {
  const auto numbers =
      read_all("a,label\nN/A,x\n1,x\n-,y\n.,y\nNULL,y\n#N/A is what Excel writes\nnAn,x\n#N/A,x\n2,x\n", csv());
  EXPECT_EQ(numbers.error, "");
  ASSERT_EQ(numbers.rows.size(), 8U);
  for (const std::size_t i : {0U, 2U, 3U, 4U, 5U, 6U}) EXPECT_TRUE(std::isnan(numbers.rows[i][0])) << i;
  const auto texts = read_all("a,label\nn/a,x\nred,x\n-,y\nNA,y\nnan,y\n", csv());  // those before the first text too
  EXPECT_EQ(texts.table.columns[0].texts.size(), 3U);
  EXPECT_TRUE(std::isnan(texts.rows[3][0]) && std::isnan(texts.rows[4][0]));
  EXPECT_EQ(texts.table.columns[0].texts[static_cast<std::size_t>(texts.rows[0][0])], "n/a");
  EXPECT_EQ(texts.table.columns[0].texts[static_cast<std::size_t>(texts.rows[2][0])], "-");
}

TEST(Csv, WordsForMissingAcrossChunks) {
  ReadOptions options = csv();
  options.chunk_bytes = 1;  // a row a chunk
  const auto texts = read_all("a,label\nred,x\nN/A,x\n-,y\nred,y\n", options);
  EXPECT_EQ(texts.error, "");
  EXPECT_EQ(texts.table.columns[0].texts, (std::vector<std::string>{"red", "N/A", "-"}));
  EXPECT_EQ(texts.rows, (Rows{{0}, {1}, {2}, {0}}));
  const auto numbers = read_all("a,label\n1,x\nN/A,x\n3,y\n", options);
  EXPECT_TRUE(std::isnan(numbers.rows[1][0]));
}

TEST(Csv, DecimalCommas) {
  const Rows expected{{1.5, 1234.5}, {2, 12}, {0.125, -3}};
  const auto guessed = read_all("a;b;label\n1,5;1.234,5;x\n2;12;y\n0,125;-3;x\n", csv());
  EXPECT_EQ(guessed.error, "");
  EXPECT_EQ(guessed.rows, expected);
  ReadOptions told = csv();
  told.decimal_comma = true;
  EXPECT_EQ(read_all("a,b,label\n\"1,5\",\"1.234,5\",x\n2,12,y\n\"0,125\",-3,x\n", told).rows, expected);
  EXPECT_EQ(read_all("a;b;label\n1,234;1;x\n", told).rows, (Rows{{1.234, 1}}));
  told.decimal_comma = false;
  EXPECT_NE(read_all("a;b;label\n1,5;1;x\n", told).error, "");
  EXPECT_NE(read_all("a;b;label\n1,234;1;x\n", csv()).error, "") << "may be meant as 1234";
}

TEST(Libsvm, ReadsTheUsualForm) {
  const auto result = read_all("+1 1:0.5 3:-2\n-1 2:1e3\n1\n", libsvm());
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.rows, (Rows{{0.5, 0, -2}, {0, 1000}, {}}));
  EXPECT_EQ(result.labels, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(result.table.labels, (std::vector<std::string>{"1", "-1"}));
  EXPECT_EQ(result.lines, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(result.table.width, 3U);
}

TEST(Libsvm, ReadsOddButValidForms) {
  const auto result = read_all("# a comment\n\n  1.0   1:+.5\t2:3 # behind\r\n\ta qid:7 4:1. \n? 1:1\n1 1:1", libsvm());
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.rows, (Rows{{0.5, 3}, {0, 0, 0, 1}, {1}, {1}}));
  EXPECT_EQ(result.lines, (std::vector<std::uint64_t>{3, 4, 5, 6}));
  EXPECT_EQ(result.table.labels, (std::vector<std::string>{"1", "a"}));
  EXPECT_TRUE(std::isnan(result.labels[2]));
}

struct BadInput {
  const char* text;
  const char* message;
};
class BadLibsvm : public testing::TestWithParam<BadInput> {};
TEST_P(BadLibsvm, IsAnsweredWithLineAndColumn) {
  EXPECT_EQ(read_all(GetParam().text, libsvm()).error, GetParam().message);
}
INSTANTIATE_TEST_SUITE_P(
    All, BadLibsvm,
    testing::Values(
        BadInput{"1 1:1\n1 0:1\n", "memory:2:3: found index 0, expected indices from 1"},
        BadInput{"1 2:1 2:1\n", "memory:1:7: found index 2 twice"},
        BadInput{"1 3:1 2:1\n", "memory:1:7: found index 2 after 3, expected increasing indices"},
        BadInput{"1 1:nan\n", "memory:1:5: found 'nan', expected a finite number"},
        BadInput{"1 1:1e999\n", "memory:1:5: found '1e999', expected a finite number"},
        BadInput{"1 1:0x10\n", "memory:1:5: found '0x10', expected a number"},
        BadInput{"1 1:1,5\n", "memory:1:5: found '1,5', expected a number"},
        BadInput{"1 1:\n", "memory:1:5: found '', expected a number"},
        BadInput{"1 a:1\n", "memory:1:3: found 'a:1', expected index:value"},
        BadInput{"1 7\n", "memory:1:3: found '7', expected index:value"},
        BadInput{"1 1 :2\n", "memory:1:3: found '1', expected index:value"},
        BadInput{"1:1 2:1\n", "memory:1:1: found '1:1', expected a label before the first pair"},
        BadInput{"nan 1:1\n", "memory:1:1: label: found 'nan', expected a finite value"},
        BadInput{"\xff 1:1\n", "memory:1:1: label: found '\\xff', which is not valid UTF-8"},
        BadInput{"1 4294967296:1\n", "memory:1:3: found '4294967296:1', expected an index of at most 100000000"},
        BadInput{"1 100000001:1\n", "memory:1:3: found '100000001:1', expected an index of at most 100000000"},
        BadInput{"1 18446744073709551617:1\n",
                 "memory:1:3: found '18446744073709551617:1', expected an index of at most 100000000"},
        BadInput{"1 qid:x 1:1\n", "memory:1:3: found 'qid:x', expected index:value"}));

TEST(Libsvm, RefusesNulBytes) {
  EXPECT_EQ(read_all(std::string("1 1:1\n1 \0:1\n", 12), libsvm()).error,
            "memory:2:3: found a NUL byte, expected text (is the file UTF-16, or not text at all?)");
}

TEST(Csv, ReadsNamesNumbersTextsAndLabels) {
  const auto result = read_all("a,color,label\n1.5,red,yes\n-2,blue,no\n3e2,red,yes\n");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.rows, (Rows{{1.5, 0}, {-2, 1}, {300, 0}}));
  EXPECT_EQ(result.table.columns[1].name, "color");
  EXPECT_EQ(result.table.columns[1].texts, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(result.table.labels, (std::vector<std::string>{"yes", "no"}));
  EXPECT_EQ(result.lines, (std::vector<std::uint64_t>{2, 3, 4}));
}

TEST(Csv, ReadsQuotesNewlinesCrlfBomAndComments) {
  const auto result = read_all(
      "\xef\xbb\xbf# remark \"with\nname,x,class\r\n\"a \"\"b\"\"\nc\" , 1 ,p\r\n# more\r\n\r\n\"d,e\",\"2\",q\r\n");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.table.columns[0].texts, (std::vector<std::string>{"a \"b\"\nc", "d,e"}));
  EXPECT_EQ(result.rows, (Rows{{0, 1}, {1, 2}}));
  EXPECT_EQ(result.lines, (std::vector<std::uint64_t>{3, 7}));
}

TEST(Csv, GuessesDelimiterHeaderAndLabel) {
  EXPECT_EQ(read_all("a;b;c\n1;2;x\n").rows, (Rows{{1, 2}}));
  EXPECT_EQ(read_all("a\tb\tc\n1\t2\tx\n").rows, (Rows{{1, 2}}));
  EXPECT_EQ(read_all("a|b|c\n1|2|x\n").rows, (Rows{{1, 2}}));
  const auto without = read_all("1,2,x\n3,4,y\n");
  EXPECT_EQ(without.rows, (Rows{{1, 2}, {3, 4}}));
  EXPECT_EQ(without.table.columns[1].name, "f2");
  EXPECT_EQ(without.table.label_name, "f3");
  EXPECT_EQ(read_all("Target,b\nx,1\n").table.label_name, "Target");
  ReadOptions options;
  options.header = true;
  EXPECT_EQ(read_all("2010,2011,label\n1,2,x\n", options).table.columns[0].name, "2010");
  EXPECT_EQ(read_all(",b,label\n1,2,x\n").table.columns[0].name, "f1");
}

TEST(Csv, MissingValues) {
  ReadOptions options;
  options.wishes.na[""] = {"-999"};
  options.wishes.na["a"] = {"0", "none"};
  const auto result = read_all("a,b,label\n?,1,x\n,NA,y\n0.0,0,x\nnone,-999.0,y\n5,6,x\n", options);
  EXPECT_EQ(result.error, "");
  const test::ReadResult expected{.rows = {{kNan, 1}, {kNan, kNan}, {kNan, 0}, {kNan, kNan}, {5, 6}},
                                  .labels = {0, 1, 0, 1, 0},
                                  .lines = {2, 3, 4, 5, 6},
                                  .table = {},
                                  .error = ""};
  EXPECT_TRUE(result == expected);
}

TEST(Csv, LabelValues) {
  EXPECT_EQ(read_all("a,label\n1,+1\n1,1.0\n1,-1\n1,+\n1,-\n1,1e0\n").table.labels,
            (std::vector<std::string>{"1", "-1"}));
  EXPECT_EQ(ordered_classes({"10", "b", "9", "a", "-1"}), (std::vector<std::string>{"-1", "9", "10", "a", "b"}));
}

class BadCsv : public testing::TestWithParam<BadInput> {};
TEST_P(BadCsv, IsAnsweredWithLineAndColumn) { EXPECT_EQ(read_all(GetParam().text, csv()).error, GetParam().message); }
INSTANTIATE_TEST_SUITE_P(
    All, BadCsv,
    testing::Values(
        BadInput{"", "memory: the file is empty"},
        BadInput{"# only this\n", "memory: the file holds no rows, only comments or blank lines"},
        BadInput{"a,b,label\n1,2,x\n3,x\n", "memory:3:4: found 2 cells, expected 3"},
        BadInput{"a,b,label\n1,2,x\n3,4,y,5,6\n", "memory:3:6: found 5 cells, expected 3"},
        BadInput{"a,b,label\n1,2\n3,x\n", "memory:2:4: found 2 cells, expected 3"},
        BadInput{
            "a,label\n1,x\nabc,y\n",
            "memory:3:1: column 'a': found 'abc', expected a number; kind a=categorical reads all its cells as text"},
        BadInput{"a,label\n1,x\n0x10,y\n",
                 "memory:3:1: column 'a': found '0x10', expected a number; kind a=categorical reads all its cells as "
                 "text"},
        BadInput{"a;b;label\n1;1.5;x\n1,5;2;y\n",
                 "memory:3:1: column 'a': found '1,5', expected a number with a decimal point; decimal comma reads the "
                 "file with decimal commas"},
        BadInput{
            "a,label\n1,x\n--,y\n",
            "memory:3:1: column 'a': found '--', expected a number; kind a=categorical reads all its cells as text"},
        BadInput{"a,label\n1,x\n+inf,y\n",
                 "memory:3:1: column 'a': found '+inf', expected a finite number; na a=+inf makes it missing"},
        BadInput{
            "a,label\n1,x\n-Infinity,y\n",
            "memory:3:1: column 'a': found '-Infinity', expected a finite number; na a=-Infinity makes it missing"},
        BadInput{"a,label\n1e999,x\n1,y\n", "memory:2:1: column 'a': found '1e999', expected a finite value"},
        BadInput{"a,label\nred,x\nInf,y\n", "memory:3:1: column 'a': found 'Inf', expected a finite value"},
        BadInput{"a,label\nred,x\n7,y\n",
                 "memory:3:1: column 'a': found a number in a column of text; kind a=categorical reads all its "
                 "cells as text"},
        BadInput{"a,label\nr\xff,x\n", "memory:2:1: column 'a': found 'r\\xff', which is not valid UTF-8"},
        BadInput{"a\xff,label\n1,x\n", "memory:1:1: the column name 'a\\xff' is not valid UTF-8"},
        BadInput{"a,a,label\n1,2,x\n", "memory:1:3: the column name 'a' appears twice, in columns 1 and 2"},
        BadInput{"a,label\n1,\"x\n2,y\n", "memory:2:3: a quoted cell begins here and is never closed"},
        BadInput{"a,label\n\"1\"2,x\n",
                 "memory:2:4: found text after a closing quote, expected a delimiter or the end of the line"},
        BadInput{"label\nx\n", "memory: there is no column besides the label 'label'"},
        BadInput{"a,label\n1,inf\n", "memory:2:3: column 'label': found 'inf', expected a finite value"}));

TEST(Csv, OptionsThatNameNoColumn) {
  ReadOptions options;
  options.label.emplace("lable");
  EXPECT_EQ(read_all("a,label\n1,x\n", options).error,
            "memory: label: there is no column 'lable'; did you mean 'label'?");
  options = {};
  options.ignore = {"b"};
  EXPECT_EQ(read_all("a,label\n1,x\n", options).error, "memory: ignore: there is no column 'b'; known: a, label");
}

TEST(Csv, KindsThatWereGiven) {
  ReadOptions options;
  options.wishes.kinds["zip"] = Kind::categorical;
  const auto result = read_all("zip,label\n01234,x\n1234,y\nA,x\n", options);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.table.columns[0].texts, (std::vector<std::string>{"01234", "1234", "A"}));
}

TEST(Reader, GuessesTheFormatByContent) {
  EXPECT_EQ(Reader::from_memory("1 1:2\n", {}).format(), Format::libsvm);
  EXPECT_EQ(Reader::from_memory("# x\n\n-1 qid:3 1:2\n", {}).format(), Format::libsvm);
  EXPECT_EQ(Reader::from_memory("1\n-1 2:3\n", {}).format(), Format::libsvm);           // a row of zeros first
  EXPECT_EQ(Reader::from_memory("a,label\n\"x 8:\n\",1\n", {}).format(), Format::csv);  // a cell of two lines
  EXPECT_EQ(Reader::from_memory("a,b\n1,2\n", {}).format(), Format::csv);
  EXPECT_EQ(Reader::from_memory("time of,label\n12:30 x,1\n", {}).format(), Format::csv);
  EXPECT_EQ(format_of_name("x.csv.gz"), Format::csv);
  EXPECT_EQ(format_of_name("x.svm.zst"), Format::libsvm);
  EXPECT_EQ(format_of_name("x.csv.xz"), Format::csv);
  EXPECT_EQ(format_of_name("x.tsv.bz2"), Format::csv);
  EXPECT_EQ(format_of_name("a1a.t"), Format::guess);
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

TEST(Reader, Decompresses) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += fmt::format("{} 1:{} 2:{}\n", i % 2 == 0 ? 1 : -1, i, i * 0.25);
  const auto plain = read_all(text);
  ASSERT_EQ(plain.rows.size(), 5000U);
  EXPECT_TRUE(read_all(gzipped(text)) == plain);
  EXPECT_TRUE(read_all(gzipped(text.substr(0, 1000)) + gzipped(text.substr(1000)) + std::string(100, '\0')) ==
              plain);  // members and padding
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  EXPECT_TRUE(read_all(packed) == plain);
  EXPECT_EQ(read_all(gzipped(text).substr(0, 5000)).error, "memory: the gzip data end too early: the file was cut");
  EXPECT_EQ(read_all(packed.substr(0, packed.size() - 10)).error,
            "memory: the zstd data end too early: the file was cut");
  std::string broken = gzipped(text);
  broken[broken.size() - 6] = static_cast<char>(broken[broken.size() - 6] ^ 1);
  EXPECT_EQ(read_all(broken).error, "memory: damaged gzip data (incorrect data check)");
}

std::string xz_of(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  out.resize(size);
  return out;
}

std::string bzip2_of(const std::string& text) {
  std::string out(text.size() + 1000, '\0');
  auto size = static_cast<unsigned>(out.size());
  BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(text.data()), static_cast<unsigned>(text.size()), 9, 0,
                           0);
  out.resize(size);
  return out;
}

TEST(Reader, DecompressesXzAndBzip2) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += fmt::format("{} 1:{} 2:{}\n", i % 2 == 0 ? 1 : -1, i, i * 0.25);
  const auto plain = read_all(text);
  for (const auto& [pack, name] : {std::pair(&xz_of, "xz"), std::pair(&bzip2_of, "bzip2")}) {
    const std::string packed = pack(text);
    EXPECT_TRUE(read_all(packed) == plain) << name;
    EXPECT_TRUE(read_all(pack(text.substr(0, 1000)) + pack(text.substr(1000))) == plain)
        << name;  // one after the other
    EXPECT_EQ(read_all(pack("")).error, "memory: the file is empty");
    const std::string cut = fmt::format("memory: the {} data end too early: the file was cut", name);
    EXPECT_EQ(read_all(packed.substr(0, packed.size() - 10)).error, cut);
    EXPECT_EQ(read_all(packed.substr(0, packed.size() / 2)).error, cut);
    std::string broken = packed;
    broken[broken.size() / 2] = static_cast<char>(broken[broken.size() / 2] ^ 1);
    EXPECT_EQ(read_all(broken).error, fmt::format("memory: damaged {} data (corrupt)", name));
  }
  EXPECT_EQ(read_all(xz_of(text) + std::string(100, '\0')).rows.size(), 5000U);  // padding
  lzma_options_lzma large;                                                       // a dictionary of 1 GB
  lzma_lzma_preset(&large, 1);
  large.dict_size = 1U << 30;
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &large}, {LZMA_VLI_UNKNOWN, nullptr}};
  std::string out(1000, '\0');
  std::size_t size = 0;
  ASSERT_EQ(lzma_stream_buffer_encode(const_cast<lzma_filter*>(filters), LZMA_CHECK_CRC32, nullptr,
                                      reinterpret_cast<const std::uint8_t*>("1 1:1\n"), 6,
                                      reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size()),
            LZMA_OK);
  EXPECT_EQ(read_all(out.substr(0, size)).error,
            "memory: unpacking the xz data needs 1024 MB of memory, expected at most 160 MB; pack them with xz -9");
}

TEST(Reader, LongLines) {
  std::string wide = "1";
  for (int i = 1; i <= 1'000'000; ++i) wide += fmt::format(" {}:1", i);
  const auto result = read_all(wide + "\n" + wide + "\n");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.rows.size(), 2U);
  EXPECT_EQ(result.rows[1].size(), 1'000'000U);
  const std::string message = read_all(std::string(10'000'000, 'a') + "\n").error;
  EXPECT_LT(message.size(), 200U) << "a message must not repeat the line";
}

TEST(Reader, BindsToASchemaByName) {
  const Model model = test::train_text("a,b,c,label\n1,2,x,0\n3,4,y,1\n", test::in_file_order());
  ReadOptions options;
  options.schema = &model.schema();
  options.use_label = false;
  const auto result = read_all("extra,c,b,a\nfoo,z,20,10\nbar,x,40,?\n", options);
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.rows[0][0], 10);
  EXPECT_EQ(result.rows[0][1], 20);
  EXPECT_EQ(result.table.columns[2].texts, (std::vector<std::string>{"z", "x"}));
  EXPECT_EQ(read_all("a,c\n1,x\n", options).error,
            "memory:1: the model needs column 'b', which the file does not have");
  EXPECT_EQ(read_all("c\nx\n", options).error,
            "memory:1: the model needs columns 'a', 'b', which the file does not have");
  EXPECT_EQ(read_all("a,b,c\n1,hello,x\n", options).error, "memory:2:3: column 'b': found 'hello', expected a number");
  EXPECT_EQ(read_all("1 1:1\n", options).error,
            "memory: LIBSVM data have no column names, but the model was trained on data that have them");
  options.use_label = true;
  EXPECT_EQ(read_all("a,b,c\n1,2,x\n", options).error, "memory:1: there is no label column 'label'");
  EXPECT_EQ(read_all("a,b,c,d\n1,2,x,y\n", options).error,
            "memory:1: there is no label column 'label'; label d names a column that the model does not use");
}

}  // namespace
}  // namespace postil
