// A sample of bounded size of rows that come one by one: each has the same chance to be in it. No chance but the rows' number.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/random.hpp"
#include "postil/row.hpp"

namespace postil {

struct RowSample {
  std::size_t most = 0;
  std::vector<Block> rows = {};  // one each
  std::uint64_t seen = 0;

  void take(const Block& block, std::size_t i) {
    ++seen;
    const std::uint64_t place = seen <= most ? rows.size() : Random(seen).below(seen);
    if (place < rows.size())
      rows[place] = Block(block.copied(i, 1));
    else if (rows.size() < most)
      rows.emplace_back(block.copied(i, 1));
  }
};

}  // namespace postil
