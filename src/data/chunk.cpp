#include "chunk.hpp"

#include <fmt/format.h>

#include "core/number.hpp"
#include "core/text.hpp"

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

void ParsedChunk::clear(std::size_t column_count) {
  data.clear();
  columns.resize(column_count);
  for (ChunkColumn& column : columns) {
    column.type = TableColumn::Type::unknown;
    column.line = column.column = 0;
    column.texts.clear();
  }
  labels.clear();
  lines = 0;
  failure.reset();
}

std::string text_problem(std::string_view text) {
  if (is_not_finite(text)) return fmt::format("found {}, expected a finite value", in_quotes(text));
  if (!valid_utf8(text)) return fmt::format("found {}, which is not valid UTF-8", in_quotes(text));
  return {};
}

std::string too_many_labels() {
  return fmt::format("more than {} different labels; --task regression is for labels that are numbers", kMostClasses);
}

}  // namespace postil
