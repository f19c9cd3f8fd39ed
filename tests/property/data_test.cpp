// Laws that hold for random inputs.
#include <gtest/gtest.h>
// These two after gtest:
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "data/chunk.hpp"
#include "data/tokens.hpp"
#include "postil/text.hpp"
#include "support.hpp"

namespace postil {
namespace {

// Texts that look like numbers: mostly valid, of every length.
rc::Gen<std::string> number_text() {
  return rc::gen::apply(
      [](int form, std::uint64_t a, std::uint64_t b, int digits, int exponent) {
        const std::string whole = std::to_string(a % static_cast<std::uint64_t>(std::pow(10, digits % 20)));
        const std::string part = std::to_string(b).substr(0, static_cast<std::size_t>(digits) % 21);
        const char* sign[] = {"", "-", "+", ""};
        switch (form % 6) {
          case 0: return sign[form % 4] + whole;
          case 1: return sign[form % 4] + whole + "." + part;
          case 2: return sign[form % 4] + std::string(".") + part;
          case 3: return sign[form % 4] + whole + "." + part + "e" + std::to_string(exponent % 320);
          case 4: return sign[form % 4] + std::string("0.") + part.substr(0, 5);
          default: return sign[form % 4] + whole + ".";
        }
      },
      rc::gen::inRange(0, 1000), rc::gen::arbitrary<std::uint64_t>(), rc::gen::arbitrary<std::uint64_t>(),
      rc::gen::inRange(1, 40), rc::gen::inRange(-400, 400));
}

// An independent reading: the C library's.
std::optional<double> by_strtod(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value;
}

RC_GTEST_PROP(Numbers, AllReadersGiveTheNearestDouble, ()) {
  const std::string text = *number_text();
  const std::optional<double> expected = by_strtod(text), careful = parse_number(text);
  RC_ASSERT(expected.has_value() == careful.has_value());
  if (expected) RC_ASSERT(std::bit_cast<std::uint64_t>(*expected) == std::bit_cast<std::uint64_t>(*careful));
  const std::string padded = text + " " + std::string(kScanPadding, '\0');
  double value = 0;
  if (scan_number(padded.data(), value) == padded.data() + text.size())
    RC_ASSERT(expected && std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(*expected));
  if (read_short_number(padded.data(), text.size(), value))
    RC_ASSERT(expected && std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(*expected));
}

RC_GTEST_PROP(Numbers, FormattedNumbersReadBack, (double value)) {
  RC_PRE(std::isfinite(value));
  RC_ASSERT(parse_number(format_number(value)) == value);
}

RC_GTEST_PROP(Tokens, AreTheSeparators, (const std::string& noise, bool spaces)) {
  std::string text;
  for (const char c : noise) text += "ab12:.,;\n \t"[static_cast<unsigned char>(c) % 11];
  const Separators separators{spaces ? ':' : ',', spaces};
  Tokens tokens;
  tokens.find(text.data(), text.size(), separators);
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < text.size(); ++i)
    if (text[i] == separators.mark || (spaces ? text[i] == ' ' || text[i] == '\t' || text[i] == '\n' : text[i] == '\n'))
      expected.push_back(i);
  RC_ASSERT(std::vector<std::uint32_t>(tokens.data(), tokens.end()) == expected);
  std::string block(64, 'x');
  for (std::size_t i = 0; i < 64 && i < text.size(); ++i) block[i] = text[i];
  RC_ASSERT(separators.at(block.data()) == separators.portable_at(block.data()));
}

// Pieces of text that exercise every branch of the readers; not always valid.
rc::Gen<std::string> data_text(bool csv) {
  static const std::vector<std::string> csv_pieces{"1",  "2.5",      "-3e2",  ",",           ",",    ",", "\n",
                                                   "\n", "\"",       "\"a\"", "x",           "?",    " ", "\r\n",
                                                   "#",  "\"b\nc\"", "NA",    "12345678901", "0.125"};
  static const std::vector<std::string> libsvm_pieces{
      "1", " ", " 1:",     " 2:0.5",          " 3:-1", "\n", "\n1",    "\n-1", "\r\n",
      "#", "?", " 10:1e3", " 99:0.123456789", ":",     "\t", " qid:3", "5",    "."};
  return rc::gen::map(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1000)),
                      [csv](const std::vector<int>& picks) {
                        std::string text = csv ? "a,b,label\n" : "";
                        const std::vector<std::string>& pieces = csv ? csv_pieces : libsvm_pieces;
                        for (const int pick : picks) text += pieces[static_cast<std::size_t>(pick) % pieces.size()];
                        return text;
                      });
}

// Rows in the usual form, with an odd one now and then.
rc::Gen<std::string> tidy_text(bool csv) {
  return rc::gen::map(
      rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 100'000)), [csv](const std::vector<int>& numbers) {
        std::string text = csv ? "a,b,label\n" : "";
        for (const int n : numbers) {
          const char* label = n % 3 == 0 ? "1" : "-1";
          text += csv ? fmt::format("{},{},{}\n", n * 0.25, n % 17 == 0 ? "\"7\"" : std::to_string(n - 5000), label)
                      : fmt::format("{} 1:{} {}:{}\n", label, n * 0.25, n % 100 + 2, n - 5000);
          if (n % 41 == 0) text += "# comment\n\n";
          if (n % 97 == 0) text += csv ? "NA,\"1\",\"a\nb\"\r\n" : "1 7:1   8:1 # x\r\n";
        }
        return text;
      });
}

// Neither the size of the chunks nor the number of threads changes anything, errors included.
void check_chunks(const std::string& text, Format format) {
  ReadOptions options;
  options.format = format;
  const auto whole = test::read_all(text, options);
  for (const std::size_t chunk : {1, 7, 64}) {
    options.chunk_bytes = chunk;
    options.threads = chunk == 7 ? 3 : 1;
    const auto chunked = test::read_all(text, options);
    if (!(chunked == whole))
      RC_FAIL("chunks of " + std::to_string(chunk) + ": " + chunked.error + " instead of " + whole.error);
    if (whole.error.empty()) RC_ASSERT(chunked.table.labels == whole.table.labels);
  }
}
RC_GTEST_PROP(Reader, CsvDoesNotDependOnChunks, ()) { check_chunks(*tidy_text(true), Format::csv); }
RC_GTEST_PROP(Reader, LibsvmDoesNotDependOnChunks, ()) { check_chunks(*tidy_text(false), Format::libsvm); }
RC_GTEST_PROP(Reader, MessyLibsvmDoesNotDependOnChunks, ()) { check_chunks(*data_text(false), Format::libsvm); }

// Messy CSV: which of several mistakes is found first may depend on chunks, but not whether there is one, nor what is
// read.
RC_GTEST_PROP(Reader, MessyCsvDoesNotDependOnChunks, ()) {
  const std::string text = *data_text(true);
  ReadOptions options;
  options.format = Format::csv;
  const auto whole = test::read_all(text, options);
  options.chunk_bytes = 5;
  const auto chunked = test::read_all(text, options);
  RC_ASSERT(whole.error.empty() == chunked.error.empty());
  if (whole.error.empty()) RC_ASSERT(whole == chunked);
}

struct Sample {
  std::vector<std::vector<double>> rows;
  std::vector<int> labels;
};
rc::Gen<Sample> sample(std::size_t width) {
  return rc::gen::map(rc::gen::container<std::vector<double>>(rc::gen::arbitrary<double>()),
                      [width](const std::vector<double>& numbers) {
                        Sample out;
                        for (std::size_t begin = 0; begin + width <= numbers.size(); begin += width) {
                          std::vector<double>& row = out.rows.emplace_back();
                          for (std::size_t j = 0; j < width; ++j)
                            row.push_back(std::isfinite(numbers[begin + j]) && std::fabs(numbers[begin + j]) > 1e-3
                                              ? numbers[begin + j]
                                              : 0);
                          out.labels.push_back(static_cast<int>(out.rows.size()) % 3);
                        }
                        return out;
                      });
}

std::string written(const Sample& data, std::size_t width, Format format) {
  const test::TemporaryFolder folder;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < width; ++j) names.push_back(fmt::format("f{}", j + 1));
  Writer writer(folder.path("x"), format, names, "label");
  for (std::size_t i = 0; i < data.rows.size(); ++i)
    writer.write({.values = data.rows[i].data(), .count = static_cast<std::uint32_t>(width)},
                 std::to_string(data.labels[i]));
  writer.commit();
  return test::file_text(folder.path("x"));
}

// What is written in either format reads back to the bit, so the two readers agree.
RC_GTEST_PROP(Writer, BothFormatsReadBack, ()) {
  constexpr std::size_t width = 4;
  const Sample data = *sample(width);
  RC_PRE(!data.rows.empty());
  for (const Format format : {Format::csv, Format::libsvm}) {
    ReadOptions options;
    options.format = format;
    auto back = test::read_all(written(data, width, format), options);
    RC_ASSERT(back.error.empty());
    RC_ASSERT(back.rows.size() == data.rows.size());
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      back.rows[i].resize(width);
      RC_ASSERT(back.rows[i] == data.rows[i]);
      RC_ASSERT(back.table.labels[static_cast<std::size_t>(back.labels[i])] == std::to_string(data.labels[i]));
    }
  }
}

RC_GTEST_PROP(CsvCell, ReadsBackWhateverItHolds, (std::string text)) {
  for (char& c : text) c = static_cast<char>(0x20 + static_cast<unsigned char>(c) % 0x5f);
  const std::string cell = "x" + text + "\n\"" + text;  // neither a number nor missing
  const auto back = test::read_all("a,b,label\n" + csv_cell(cell) + ",1,yes\n");
  RC_ASSERT(back.error.empty());
  RC_ASSERT(back.table.columns[0].texts[0] == cell);
}

RC_GTEST_PROP(Moments, AgreeWithTwoPasses, (const std::vector<int>& numbers, std::uint8_t zeros)) {
  RC_PRE(!numbers.empty());
  Moments one, with_zeros;
  std::vector<double> all;
  for (const int n : numbers) {
    one.add(n % 1000 * 0.5);
    all.push_back(n % 1000 * 0.5);
  }
  with_zeros = one;
  with_zeros.add_zeros(zeros);
  all.insert(all.end(), zeros, 0.0);
  double mean = 0, squares = 0;
  for (const double x : all) mean += x / static_cast<double>(all.size());
  for (const double x : all) squares += (x - mean) * (x - mean);
  RC_ASSERT(std::fabs(with_zeros.mean - mean) <= 1e-9 * (1 + std::fabs(mean)));
  RC_ASSERT(std::fabs(with_zeros.squares - squares) <= 1e-9 * (1 + squares));
}

RC_GTEST_PROP(Auc, CountsPairs, (const std::vector<std::pair<int, bool>>& items)) {
  std::vector<double> scores;
  std::vector<bool> positive;
  for (const auto& [score, is_positive] : items) {
    scores.push_back(score % 5);
    positive.push_back(is_positive);
  }
  double wins = 0, pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < scores.size(); ++j)
      if (positive[i] && !positive[j]) {
        ++pairs;
        wins += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
      }
  const std::optional<double> area = area_under_curve(scores, positive);
  RC_ASSERT(area.has_value() == (pairs > 0));
  if (area) RC_ASSERT(std::fabs(*area - wins / pairs) < 1e-12);
}

}  // namespace
}  // namespace postil
