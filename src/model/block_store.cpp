#include "block_store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

#include "postil/error.hpp"

namespace postil {
namespace {

[[noreturn]] void fail(const char* doing, int error) {
  throw DataError({.code = Code::cannot_write,
                   .message = fmt::format("cannot {} the temporary file for further passes: {} (TMPDIR names its "
                                          "folder)",
                                          doing, std::strerror(error))});
}

void write_all(int file, const void* data, std::size_t bytes) {
  const auto* p = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t wrote = ::write(file, p, bytes);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) fail("write", errno);
    p += wrote;
    bytes -= static_cast<std::size_t>(wrote);
  }
}

void read_all(int file, void* data, std::size_t bytes, std::uint64_t& offset) {
  auto* p = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t got = ::pread(file, p, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read", got < 0 ? errno : EIO);
    p += got;
    bytes -= static_cast<std::size_t>(got);
    offset += static_cast<std::uint64_t>(got);
  }
}

// Calls use(vector) for each array of a block, in one fixed order.
template <class Data, class Use>
void for_each_array(Data& data, const Use& use) {
  use(data.starts);
  use(data.indices);
  use(data.values);
  use(data.labels);
  use(data.weights);
  use(data.rules.starts);
  use(data.rules.rules);
}

}  // namespace

BlockStore::~BlockStore() {
  for (const Slab& slab : slabs_) ::munmap(slab.begin, slab.size);
  if (file_ >= 0) ::close(file_);
}

template <class T>
std::span<const T> BlockStore::keep(std::span<const T> values) {
  constexpr std::size_t kSlab = 32UL << 20;
  const std::size_t bytes = (values.size_bytes() + 63) / 64 * 64;
  if (slabs_.empty() || slabs_.back().size - slabs_.back().used < bytes) {
    const std::size_t size = std::max(kSlab, bytes);
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    ::madvise(memory, size, MADV_HUGEPAGE);
    slabs_.push_back({static_cast<char*>(memory), size, 0});
  }
  Slab& slab = slabs_.back();
  char* to = slab.begin + slab.used;
  if (!values.empty()) std::memcpy(to, values.data(), values.size_bytes());
  slab.used += bytes;
  return {reinterpret_cast<const T*>(to), values.size()};
}

void BlockStore::add(const Block& block) {
  if (block.borrowed()) {
    blocks_.push_back(block.view());
    return;
  }
  used_ += block.bytes();
  if (used_ > memory_) {
    spill(block);
    return;
  }
  const BlockData& data = block.data();
  const auto labels = keep(std::span<const double>(data.labels)), weights = keep(std::span<const double>(data.weights));
  const auto values = keep(std::span<const double>(data.values));
  blocks_.push_back(data.starts.empty() ? Block::borrow_dense(values, data.width, labels)
                                        : Block::borrow_csr(keep(std::span<const std::uint64_t>(data.starts)),
                                                            keep(std::span<const std::uint32_t>(data.indices)), values,
                                                            data.width, labels));
  blocks_.back().borrow_weights(weights);
  blocks_.back().set_rules(data.rules);
}

void BlockStore::spill(const Block& block) {
  if (file_ < 0) {
    const char* folder = std::getenv("TMPDIR");
    std::string name = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/postil.XXXXXX";
    file_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (file_ < 0) fail("create", errno);
    ::unlink(name.c_str());
  }
  const BlockData& data = block.data();
  const std::uint64_t width = data.width;
  write_all(file_, &width, sizeof width);
  file_bytes_ += sizeof width;
  for_each_array(data, [&](const auto& values) {
    const std::uint64_t count = values.size();
    write_all(file_, &count, sizeof count);
    write_all(file_, values.data(), count * sizeof(values[0]));
    file_bytes_ += sizeof count + count * sizeof(values[0]);
  });
}

void BlockStore::for_each(const std::function<void(const Block&)>& use) const {
  for (const Block& block : blocks_) use(block);
  BlockData data;
  for (std::uint64_t offset = 0; offset < file_bytes_;) {
    std::uint64_t width = 0;
    read_all(file_, &width, sizeof width, offset);
    data.width = static_cast<std::uint32_t>(width);
    for_each_array(data, [&](auto& values) {
      std::uint64_t count = 0;
      read_all(file_, &count, sizeof count, offset);
      values.resize(count);
      read_all(file_, values.data(), count * sizeof(values[0]), offset);
    });
    Block block(std::move(data));
    use(block);
    data = block.release();
  }
}

}  // namespace postil
