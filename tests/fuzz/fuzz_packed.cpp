// Any bytes as gzip, zstd, xz or bzip2: unpacked, or refused as damaged. The first byte says what stands in front of them.
#include "data/source.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace postil;
  if (size == 0) return 0;
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  constexpr std::string_view kFirst[] = {"",
                                         "\x1f\x8b",
                                         "\x28\xb5\x2f\xfd",
                                         {"\xfd"
                                          "7zXZ\0",
                                          6},
                                         "BZh91AY&SY"};
  bytes.insert(0, kFirst[data[0] % std::size(kFirst)]);
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
