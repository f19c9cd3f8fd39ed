// Bytes from a file or standard input, plain, gzip, zstd, xz or bzip2: told apart by their first bytes, not by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "postil/data.hpp"

namespace postil {

inline constexpr std::string_view kPackedEndings[] = {".gz", ".zst", ".xz", ".bz2"};  // that names of packed files have
inline constexpr std::size_t kBuffer = 128 * 1024;                                    // read or written at once

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `to` with up to n bytes; less only at the end. A live source gives what there is as soon as there is something, and
  // nothing at the end or when told to stop. Throws DataError.
  virtual std::size_t read(char* to, std::size_t n) = 0;
  [[nodiscard]] virtual bool live() const { return false; }
  [[nodiscard]] virtual bool stopped() const { return false; }  // live: it was told to
  [[nodiscard]] virtual std::uint64_t consumed() const = 0;     // bytes taken from the file, compressed or not
  [[nodiscard]] virtual std::uint64_t size() const = 0;         // of the file; 0: not known
};

// Needs: path names a file, or is "-" for standard input.
std::unique_ptr<ByteSource> open_source(const std::string& path);
std::unique_ptr<ByteSource> open_live_source(const std::string& path, LiveInput live);
// The lines of a part of what follows the first `header` bytes. Throws DataError unless it is a plain file.
std::unique_ptr<ByteSource> open_part(const std::string& path, std::uint64_t header, const FilePart& part);
std::unique_ptr<ByteSource> memory_source(std::string bytes);  // for tests and fuzzing

}  // namespace postil
