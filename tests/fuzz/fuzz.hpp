// What the fuzzers share.
#pragma once

#include <zlib.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "postil/postil.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace postil::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

// Most changed files of tensors would fail at the checksum: puts the right one in, so that the rest is reached too.
inline std::string with_checksum(std::string bytes) {
  constexpr std::string_view kKey = "\"checksum\":\"";
  const std::size_t place = bytes.find(kKey);
  if (place == std::string::npos || place + kKey.size() + 8 > bytes.size()) return bytes;
  bytes.replace(place + kKey.size(), 8, "00000000");
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08lx",
                ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  return bytes.replace(place + kKey.size(), 8, digits);
}

struct Rows {
  std::vector<double> numbers;  // per row: label, then index and value of each entry
  bool failed = false;
};

// Reads everything, surveys it and encodes it, as training does. Only postil::Error may be thrown.
inline Rows read(const std::string& text, const ReadOptions& options) {
  Rows rows;
  try {
    Reader reader = Reader::from_memory(text, options);
    Survey survey(reader.table(), Scale::standard, options.wishes);
    std::vector<Block> blocks;
    for (Block block; reader.next(block); block = Block()) {
      for (std::size_t i = 0; i < block.rows(); ++i) {
        const Row row = block.row(i);
        rows.numbers.push_back(block.labels().empty() ? 0 : block.labels()[i]);
        for (std::size_t k = 0; k < row.count; ++k) {
          rows.numbers.push_back(row.index(k));
          rows.numbers.push_back(row.value(k));
        }
      }
      if (reader.table().width < 10'000) survey.add(block);
      blocks.push_back(std::move(block));
    }
    if (reader.table().width >= 10'000) return rows;
    Schema schema = survey.finish();
    schema.label.classes = ordered_classes(reader.table().labels);
    Encoder encoder(schema, reader.table());
    for (Block& block : blocks) {
      block = encoder.encode(std::move(block));
      for (std::size_t i = 0; i < block.rows(); ++i)
        for (std::size_t k = 0; k < block.row(i).count; ++k) require(block.row(i).index(k) < schema.features);
    }
  } catch (const Error&) {
    rows.failed = true;
  }
  return rows;
}

inline bool same(const Rows& a, const Rows& b) {
  if (a.failed != b.failed) return false;
  if (a.failed) return true;
  if (a.numbers.size() != b.numbers.size()) return false;
  for (std::size_t i = 0; i < a.numbers.size(); ++i)
    if (a.numbers[i] != b.numbers[i] && !(std::isnan(a.numbers[i]) && std::isnan(b.numbers[i]))) return false;
  return true;
}

// No bytes may crash a reader, and the size of the chunks must not matter.
inline void check_reader(const std::uint8_t* data, std::size_t size, Format format) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ReadOptions options;
  options.format = format;
  options.chunk_bytes = size + 64;  // all at once
  const Rows whole = read(text, options);
  options.chunk_bytes = 1 + size / 3;
  require(same(read(text, options), whole));
}

}  // namespace postil::fuzz
