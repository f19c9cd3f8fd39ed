// SHA-256 of files, to say which file a report is about.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace postil {

class Sha256 {  // FIPS 180-4
 public:
  void add(std::string_view bytes);
  [[nodiscard]] std::string hex() const;  // of all bytes so far

 private:
  void take(const unsigned char* block);
  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};
  std::uint64_t bytes_ = 0;
};

std::string sha256_of_file(const std::string& path);  // throws DataError

}  // namespace postil
