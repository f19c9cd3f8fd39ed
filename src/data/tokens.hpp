// The first of two stages of reading text fast: where the tokens end. The second stage can then read each number
// knowing its length, so that no number has to wait for the one before it; that is what makes it faster than reading
// byte by byte.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include "postil/row.hpp"
#include "scan_number.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace postil {

// Which of the 64 bytes at p end a token, as bits. Separators are `mark` and, with spaces = true, every byte up to ' ',
// else '\n'.
struct Separators {
  char mark;
  bool spaces;

#if defined(__SSE2__)
  [[gnu::always_inline, nodiscard]] std::uint64_t at(const char* p) const {
    std::uint64_t bits = 0;
    const __m128i marks = _mm_set1_epi8(mark), bound = _mm_set1_epi8(spaces ? ' ' : '\n');
    for (int part = 0; part < 4; ++part) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + part);
      const __m128i blank = spaces ? _mm_cmpeq_epi8(_mm_min_epu8(bytes, bound), bytes) : _mm_cmpeq_epi8(bytes, bound);
      const auto found =
          static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_or_si128(blank, _mm_cmpeq_epi8(bytes, marks))));
      bits |= static_cast<std::uint64_t>(found) << (16 * part);
    }
    return bits;
  }
#else
  [[nodiscard]] std::uint64_t at(const char* p) const { return portable_at(p); }
#endif
  [[nodiscard]] std::uint64_t portable_at(const char* p) const {
    std::uint64_t bits = 0;
    for (int k = 0; k < 64; ++k) {
      const auto byte = static_cast<unsigned char>(p[k]);
      const bool ends = p[k] == mark || (spaces ? byte <= ' ' : byte == '\n');
      bits |= static_cast<std::uint64_t>(ends) << k;
    }
    return bits;
  }
};

// The places of all separators of a piece of text, counted from its beginning.
class Tokens {
 public:
  void find(const char* text, std::size_t size, Separators separators);
  [[nodiscard]] const std::uint32_t* data() const { return places_.data(); }
  [[nodiscard]] const std::uint32_t* end() const { return end_; }  // two more may be read: they hold the text's size

 private:
  Array<std::uint32_t> places_;
  const std::uint32_t* end_ = nullptr;
};

// Nonzero if one of the top n bytes of v (each xor '0') is no digit, the others being zero.
inline std::uint64_t not_digits(std::uint64_t v) { return ((v + 0x7676767676767676U) | v) & 0x8080808080808080U; }

// Reads the n bytes at p as a number, if it is [+-] digits [. digits] with at most 8 digits behind a point that stands
// second, or at most 8 digits and no point. False: ask scan_number.
inline bool read_short_number(const char* p, std::size_t n, double& value) {
  const bool negative = *p == '-';
  p += static_cast<std::size_t>(negative);
  n -= static_cast<std::size_t>(negative);
  const std::size_t whole = n > 1 && p[1] == '.' ? 2 : 0;  // "d." goes first
  const std::size_t digits = n - whole;
  if (digits - 1 >= 8) return false;  // also none at all
  std::uint64_t v = 0;
  std::memcpy(&v, p + whole, 8);
  v = (v ^ 0x3030303030303030U) << (64 - 8 * digits);
  if (not_digits(v) != 0) return false;
  std::uint64_t mantissa = eight_digits(v);
  if (whole != 0) {
    const auto first = static_cast<unsigned char>(*p - '0');
    if (first > 9) return false;
    mantissa += first * kWholePowersOfTen[digits];
  }
  const double magnitude =
      whole == 0 ? static_cast<double>(mantissa) : static_cast<double>(mantissa) / kPowersOfTen[digits];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | static_cast<std::uint64_t>(negative) << 63);
  return true;
}

}  // namespace postil
