// Task: read a file of examples into arrays of row starts, indices, values and labels, and hand them on block by block.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

// What a competitor read: compared before any time counts. The hash covers the bits of every value, index and label.
struct Answer {
  std::uint64_t rows = 0, values = 0, hash = 0;
  bool operator==(const Answer&) const = default;
};

inline void mix(std::uint64_t& hash, std::uint64_t bits) { hash = (hash ^ bits) * 0x9E3779B97F4A7C15U; }

// check: also compute the hash (not timed).
Answer read_postil(const std::string& path, bool csv, unsigned threads, bool check);
Answer read_from_chars(const std::string& path, bool csv, bool check);  // a plain loop over std::from_chars
std::uint64_t inflate_alone(const std::string& path);                   // bytes that zlib unpacks

}  // namespace bench
