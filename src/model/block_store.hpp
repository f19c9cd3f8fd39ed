// Encoded blocks kept for further passes: in memory up to a limit, beyond it in an unlinked temporary file.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "postil/row.hpp"

namespace postil {

class BlockStore {
 public:
  explicit BlockStore(std::uint64_t memory) : memory_(memory) {}
  ~BlockStore();
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  void add(Block block);  // must own its arrays; throws DataError if the disk is full
  void for_each(const std::function<void(const Block&)>& use) const;  // in the order they were added
  [[nodiscard]] bool spilled() const { return file_ >= 0; }

 private:
  void spill(const Block& block);
  std::uint64_t memory_, used_ = 0;
  std::vector<Block> blocks_;
  int file_ = -1;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace postil
