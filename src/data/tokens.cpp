#include "tokens.hpp"

#include "core/clones.hpp"

namespace postil {

POSTIL_CLONES void Tokens::find(const char* text, std::size_t size, Separators separators) {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;  // spares the case of no bit
  if (places_.size() < size + 2 * 64) places_.resize(size + 2 * 64);
  std::uint32_t* out = places_.data();
  for (std::size_t begin = 0; begin < size; begin += 64) {
    std::uint64_t bits = 0;
    if (begin + 64 <= size) {
      bits = separators.at(text + begin);
    } else {
      char rest[64] = {};
      std::memcpy(rest, text + begin, size - begin);
      bits = separators.at(rest) & ((std::uint64_t{1} << (size - begin)) - 1);
    }
    // A dozen at once, whether they are there or not (what is too much will be overwritten): numbers are seldom so short that there are more.
    const int count = std::popcount(bits);
    std::uint32_t* to = out;
    do {
      for (int k = 0; k < 12; ++k) {
        *to++ = static_cast<std::uint32_t>(begin) + static_cast<std::uint32_t>(std::countr_zero(bits | kTopBit));
        bits &= bits - 1;
      }
    } while (bits != 0);
    out += count;
  }
  for (int k = 0; k < 8; ++k) out[k] = static_cast<std::uint32_t>(size);  // looking one too far finds the end
}

}  // namespace postil
