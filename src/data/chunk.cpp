#include "chunk.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/failures.hpp"
#include "postil/text.hpp"

namespace postil {

std::pair<std::uint32_t, bool> TextTable::insert(std::string_view text) {
  if (last_ < texts_.size() && texts_[last_] == text) return {last_, false};
  auto found = numbers_.find(text);
  const bool is_new = found == numbers_.end();
  if (is_new) {
    found = numbers_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size())).first;
    texts_.emplace_back(text);
  }
  last_ = found->second;
  return {last_, is_new};
}

void TextTable::clear() {
  numbers_.clear();
  texts_.clear();
}

void ChunkColumn::decide_for_text(BlockData& data) {
  type = TableColumn::Type::text;
  for (const auto& [place, text] : undecided) data.values[place] = texts.insert(text).first;
}

void ParsedChunk::clear(std::size_t column_count) {
  data.clear();
  columns.resize(column_count);
  for (ChunkColumn& column : columns) {
    column.type = TableColumn::Type::unknown;
    column.written = Kind::number;
    column.line = column.column = 0;
    column.texts.clear();
    column.undecided.clear();
  }
  labels.clear();
  lines = 0;
  failure.reset();
}

std::optional<Failure> text_problem(std::string_view text) {
  if (is_not_finite(text)) return not_expected(Code::not_a_number, text, "a finite value");
  if (!valid_utf8(text))
    return Failure{.code = Code::bad_encoding,
                   .message = Text("found ", in_quotes(text), ", which is not valid UTF-8"),
                   .found = shown(text),
                   .expected = "UTF-8"};
  return std::nullopt;
}

bool has_decimal_comma(std::string_view cell) {
  std::string with_point(cell);
  std::replace(with_point.begin(), with_point.end(), ',', '.');
  return with_point != cell && parse_number(with_point).has_value();
}

Failure not_a_number(std::string_view cell, const std::string& column, bool inferred, Kind written,
                     bool decimal_comma) {
  if (is_not_finite(cell)) {
    Failure failure = not_expected(Code::not_a_number, cell, "a finite number");
    if (inferred) failure.remedy = Text(Option{"na", column, std::string(cell)}, " makes it missing");
    return failure;
  }
  if (written == Kind::number && (decimal_comma ? parse_number(cell).has_value() : has_decimal_comma(cell))) {
    Failure failure = not_expected(Code::not_a_number, cell,
                                   decimal_comma ? "a number with a decimal comma" : "a number with a decimal point");
    failure.remedy = Text(Option{"decimal", "", decimal_comma ? "point" : "comma"}, " reads the file with decimal ",
                          decimal_comma ? "points" : "commas");
    return failure;
  }
  Failure failure = not_expected(Code::not_a_number, cell,
                                 written == Kind::date      ? "a date such as 2024-03-01"
                                 : written == Kind::percent ? "a percentage such as 12.5%"
                                                            : "a number");
  if (inferred) failure.remedy = Text(Option{"kind", column, "categorical"}, " reads all its cells as text");
  return failure;
}

Failure number_among_texts(const std::string& column, Kind written) {
  const std::string found = written == Kind::date ? "a date" : written == Kind::percent ? "a percentage" : "a number";
  return {.code = Code::unexpected_number,
          .message = fmt::format("found {} in a column of text", found),
          .found = found,
          .expected = "text",
          .remedy = Text(Option{"kind", column, "categorical"}, " reads all its cells as text")};
}

Failure too_many_texts(const std::string& column) {
  return {.code = Code::too_many,
          .message = fmt::format("more than {} different texts", kMostCategories),
          .expected = fmt::format("at most {}", kMostCategories),
          .remedy = Text(Option{"ignore", "", column}, " leaves the column out")};
}

Failure too_many_labels() {
  return {.code = Code::too_many,
          .subject = {"label"},
          .message = fmt::format("more than {} different labels", kMostClasses),
          .expected = fmt::format("at most {}", kMostClasses),
          .remedy = Text(Option{"task", "", "regression"}, " is for labels that are numbers")};
}

Failure of_column(Failure failure, const std::string& column) {
  failure.subject = {"column", column};
  failure.message = Text("column ", in_quotes(column), ": ", failure.message);
  return failure;
}

}  // namespace postil
