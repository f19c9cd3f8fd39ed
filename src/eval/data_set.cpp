// data_set.cpp: rows kept in memory, and ways to split them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "postil/error.hpp"
#include "postil/evaluate.hpp"
#include "postil/random.hpp"
#include "postil/text.hpp"

namespace postil {

DataSet::DataSet(Source& source, const Progress& progress) { take(source, progress); }

DataSet::DataSet(const std::string& path, const ReadOptions& read, const Progress& progress) {
  Reader reader(path, read);
  take(reader, progress);
}

void DataSet::take(Source& source, const Progress& progress) {
  for (Block block; source.next(block); block = Block()) {
    for (std::uint32_t i = 0; i < block.rows(); ++i)
      if (block.label(i)) places_.push_back({static_cast<std::uint32_t>(blocks_.size()), i});
    blocks_.push_back(std::move(block));
    if (progress) progress(places_.size(), source.bytes_read(), source.bytes_total());
  }
  table_ = source.table();
  if (places_.empty())
    throw DataError(
        {.code = Code::missing_label, .place = {table().source}, .message = "there is no labelled row to learn from"});
}

double DataSet::label(std::size_t row) const { return blocks_[places_[row].block].labels()[places_[row].row]; }

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

namespace {

// The rows of each class in random order; regression has one class of all rows.
std::vector<std::vector<std::uint32_t>> shuffled_classes(const DataSet& data, std::span<const std::uint32_t> rows,
                                                         Random& random) {
  std::vector<std::vector<std::uint32_t>> classes(std::max<std::size_t>(1, data.table().labels.size()));
  for (const std::uint32_t row : rows)
    classes[data.table().labels.empty() ? 0 : static_cast<std::size_t>(data.label(row))].push_back(row);
  for (std::vector<std::uint32_t>& members : classes) random.shuffle(std::span(members));
  return classes;
}

}  // namespace

std::vector<Split> make_folds(const DataSet& data, std::span<const std::uint32_t> rows, std::size_t folds,
                              std::uint64_t seed) {
  if (folds > rows.size())
    throw DataError({.code = Code::out_of_range,
                     .place = {data.table().source},
                     .message = fmt::format("{} folds of only {} labelled rows", folds, rows.size()),
                     .found = fmt::format("{} folds", folds),
                     .expected = fmt::format("at most {}", rows.size())});
  Random random(seed);
  std::vector<std::vector<std::uint32_t>> parts(folds);
  std::size_t next = 0;  // goes on from class to class, so that the folds differ by one row at most
  for (const std::vector<std::uint32_t>& members : shuffled_classes(data, rows, random))
    for (const std::uint32_t row : members) parts[next++ % folds].push_back(row);
  std::vector<Split> splits(folds);
  for (std::size_t f = 0; f < folds; ++f) {
    splits[f].test = parts[f];
    for (std::size_t other = 0; other < folds; ++other)
      if (other != f) splits[f].train.insert(splits[f].train.end(), parts[other].begin(), parts[other].end());
    random.shuffle(std::span(splits[f].train));
  }
  return splits;
}

Split draw_split(const DataSet& data, std::size_t train, bool balanced, std::uint64_t seed) {
  const auto fail = [&](const std::string& message) { throw DataError({data.table().source, 0, 0}, message); };
  if (train >= data.rows())
    fail(fmt::format("{} rows to learn from leave none of the {} labelled ones for the test", train, data.rows()));
  Random random(seed);
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0);
  Split split;
  if (!balanced) {
    random.shuffle(std::span(rows));
    split.train.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(train));
    split.test.assign(rows.begin() + static_cast<std::ptrdiff_t>(train), rows.end());
    return split;
  }
  const std::vector<std::vector<std::uint32_t>> classes = shuffled_classes(data, rows, random);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const std::size_t wanted = train / classes.size() + (c < train % classes.size() ? 1 : 0);
    if (wanted >= classes[c].size())
      fail(fmt::format("class {} has {} rows: too few to learn from {} of them and to test on others",
                       in_quotes(data.table().labels[c]), classes[c].size(), wanted));
    const auto cut = classes[c].begin() + static_cast<std::ptrdiff_t>(wanted);
    split.train.insert(split.train.end(), classes[c].begin(), cut);
    split.test.insert(split.test.end(), cut, classes[c].end());
  }
  random.shuffle(std::span(split.train));
  return split;
}

}  // namespace postil
