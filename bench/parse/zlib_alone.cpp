// The floor for compressed input: zlib unpacking the file into one buffer that nobody reads.
#include <zlib.h>

#include <stdexcept>
#include <vector>

#include "parse.hpp"

namespace bench {

std::uint64_t inflate_alone(const std::string& path) {
  const gzFile file = ::gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path);
  ::gzbuffer(file, 128 * 1024);
  std::vector<char> buffer(512 * 1024);
  std::uint64_t bytes = 0;
  for (int got = 0; (got = ::gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()))) > 0;)
    bytes += static_cast<std::uint64_t>(got);
  ::gzclose(file);
  return bytes;
}

}  // namespace bench
