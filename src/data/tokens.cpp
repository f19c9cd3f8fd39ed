#include "tokens.hpp"

#include "core/clones.hpp"

namespace postil {
namespace {

// Writes the places and returns the end of them. Needs: room for one place per byte and a dozen more.
POSTIL_CLONES std::uint32_t* find_places(const char* text, std::size_t size, Separators separators,
                                         std::uint32_t* out) {
  constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;  // spares the case of no bit
  for (std::size_t begin = 0; begin < size; begin += 64) {
    std::uint64_t bits = 0;
    if (begin + 64 <= size) {
      bits = separators.at(text + begin);
    } else {
      char rest[64] = {};
      std::memcpy(rest, text + begin, size - begin);
      bits = separators.at(rest) & ((std::uint64_t{1} << (size - begin)) - 1);
    }
    // A dozen at once, whether they are there or not (what is too much will be overwritten): tokens are seldom so short
    // that there are more.
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
  return out;
}

}  // namespace

void Tokens::find(const char* text, std::size_t size, Separators separators) {
  if (places_.size() < size + 2 * 64) places_.resize(size + 2 * 64);
  std::uint32_t* end = find_places(text, size, separators, places_.data());
  end[0] = end[1] = static_cast<std::uint32_t>(size);
  end_ = end;
}

}  // namespace postil
