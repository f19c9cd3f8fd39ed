// Encoded blocks kept for further passes: in memory up to a limit, beyond it in an unlinked temporary file.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "postil/row.hpp"

namespace postil {

class BlockStore {
 public:
  explicit BlockStore(std::uint64_t memory) : memory_(memory) {}
  ~BlockStore();
  BlockStore(const BlockStore&) = delete;
  BlockStore& operator=(const BlockStore&) = delete;

  void add(const Block& block);  // copies, but not what the block borrows. Throws DataError if the disk is full
  // In the order they were added, without the numbers of their lines.
  void for_each(const std::function<void(const Block&)>& use) const;
  [[nodiscard]] bool spilled() const { return file_ >= 0; }

 private:
  template <class T>
  std::span<const T> keep(std::span<const T> values);
  void spill(const Block& block);
  std::uint64_t memory_, used_ = 0;
  // Blocks in memory are views into slabs, large enough for the system to give them large pages: a fault per 2 MB instead
  // of 4 KB (187 MB of text: 4,000 faults in all, not 50,000).
  struct Slab {
    char* begin;
    std::size_t size, used;
  };
  std::vector<Slab> slabs_;
  std::vector<Block> blocks_;
  int file_ = -1;
  std::uint64_t file_bytes_ = 0;
};

}  // namespace postil
