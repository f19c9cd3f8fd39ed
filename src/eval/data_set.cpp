// data_set.cpp: rows kept in memory, and what of them splits must respect.
#include <fmt/format.h>

#include <unordered_map>

#include "core/failures.hpp"
#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/text.hpp"

namespace postil {

DataSet::DataSet(Source& source, const Progress& progress) { take(source, progress); }

DataSet::DataSet(const std::string& path, const ReadOptions& read, const Progress& progress) {
  Reader reader(path, read);
  for (const std::string& column : read.keep) kept_.emplace_back().column = column;
  take(reader, progress);
}

void DataSet::take(Source& source, const Progress& progress) {
  std::vector<std::unordered_map<std::string, std::uint32_t>> codes(kept_.size());
  for (Block block; source.next(block); block = Block()) {
    for (std::uint32_t i = 0; i < block.rows(); ++i) {
      if (!block.label(i)) continue;
      places_.push_back({static_cast<std::uint32_t>(blocks_.size()), i});
      for (std::size_t k = 0; k < kept_.size(); ++k) {
        const std::string& cell = block.data().kept[i * kept_.size() + k];
        const auto [code, is_new] = codes[k].emplace(cell, static_cast<std::uint32_t>(kept_[k].texts.size()));
        if (is_new) kept_[k].texts.push_back(cell);
        kept_[k].codes.push_back(code->second);
      }
    }
    if (!kept_.empty()) {
      BlockData data = block.release();
      data.kept = {};
      block = Block(std::move(data));
    }
    blocks_.push_back(std::move(block));
    if (progress) progress(places_.size(), source.bytes_read(), source.bytes_total());
  }
  table_ = source.table();
  if (places_.empty())
    throw DataError(
        {.code = Code::missing_label, .place = {table().source}, .message = "there is no labelled row to learn from"});
}

double DataSet::label(std::size_t row) const { return blocks_[places_[row].block].labels()[places_[row].row]; }

std::uint64_t DataSet::line(std::size_t row) const { return blocks_[places_[row].block].line(places_[row].row); }

Block DataSet::select(std::span<const std::uint32_t> rows) const {
  BlockData out;
  if (table().sparse()) out.starts.push_back(0);
  for (const std::uint32_t r : rows) {
    const Block& block = blocks_[places_[r].block];
    const std::uint32_t i = places_[r].row;
    out.append(block.row(i), table().row_width());
    out.labels.push_back(block.labels()[i]);
    out.weights.push_back(block.weight(i));
    out.lines.push_back(block.line(i));
  }
  out.width = table().row_width();
  return Block(std::move(out));
}

const DataSet::Kept& DataSet::kept(const std::string& column) const {
  std::vector<std::string> names;
  for (const Kept& k : kept_) {
    if (k.column == column) return k;
    names.push_back(k.column);
  }
  throw DataError(
      unknown(Code::unknown_column, "column", column, Text("there is no column ", in_quotes(column)), names));
}

void DataSet::group_by(const std::string& column) {
  const Kept& cells = kept(column);
  groups_.clear();
  without_group_ = 0;
  // Cells that only differ in what means "nothing", or in spaces about them, are the same.
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::uint32_t> group_of;
  std::uint32_t none = 0;
  for (const std::string& text : cells.texts) {
    const std::string_view cell = trimmed(text);
    const std::string name(cell == "?" || cell == "NA" ? std::string_view() : cell);
    group_of.push_back(numbers.emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
    if (name.empty()) none = group_of.back() + 1;
  }
  for (const std::uint32_t code : cells.codes) {
    groups_.push_back(group_of[code]);
    without_group_ += group_of[code] + 1 == none ? 1 : 0;
  }
}

void DataSet::order_by(const std::string& column) {
  const Kept& cells = kept(column);
  std::vector<std::optional<double>> numbers, dates;
  for (const std::string& text : cells.texts) {
    numbers.push_back(parse_number(trimmed(text)));
    dates.push_back(parse_date(trimmed(text)));
  }
  const bool by_date = dates[cells.codes[0]].has_value();  // as the first row has it, so must the others
  times_.clear();
  for (std::size_t row = 0; row < cells.codes.size(); ++row) {
    const std::uint32_t code = cells.codes[row];
    const std::optional<double> time = (by_date ? dates : numbers)[code];
    const std::string expected = by_date ? "a date such as 2024-03-01" : "a number, or a date such as 2024-03-01";
    if (!time)
      throw DataError({.code = Code::bad_data,
                       .place = {table_.source, line(row)},
                       .subject = {"column", column},
                       .message = fmt::format("found {} in column {}, by which rows are ordered in time; expected {}",
                                              in_quotes(cells.texts[code]), in_quotes(column), expected),
                       .found = shown(cells.texts[code]),
                       .expected = expected,
                       .remedy = "fill in the cell or remove the row"});
    times_.push_back(*time);
  }
}

}  // namespace postil
