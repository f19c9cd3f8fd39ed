// Any bytes as gzip or zstd: unpacked, or refused as damaged. The first byte says what stands in front of them.
#include "data/source.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 3 == 1) bytes.insert(0, "\x1f\x8b");
  if (data[0] % 3 == 2) bytes.insert(0, "\x28\xb5\x2f\xfd");
  try {
    const std::unique_ptr<ByteSource> source = memory_source(bytes);
    std::vector<char> room(1 + data[0] * 16);
    std::uint64_t total = 0;
    for (std::size_t got = room.size(); got == room.size() && total < 1 << 20; total += got)
      got = source->read(room.data(), room.size());
  } catch (const Error&) {
  }
  return 0;
}
