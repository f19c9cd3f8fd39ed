// The fast form of parse_number for data files: eight digits at a time, no tables, no branches on the number of digits.
//
// A number of at most 19 digits, of which the value is below 2^53 and at most 22 stand behind the point, is m / 10^k
// with both parts exact in a double, so one division gives the nearest double (Clinger 1990). The rest goes to
// fast_float.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace postil {

// Bytes that may be read beyond the end of a text given to these functions; they must not be digits.
inline constexpr std::size_t kScanPadding = 16;

// The number spelt by eight digits, each byte xor '0', the first digit in the lowest byte.
inline std::uint64_t eight_digits(std::uint64_t v) {
  v = v * 10 + (v >> 8);
  constexpr std::uint64_t kMask = 0x000000FF000000FFU;
  return (((v & kMask) * 0x000F424000000064U) + (((v >> 16) & kMask) * 0x0000271000000001U)) >> 32;
}

struct EightBytes {
  std::uint64_t digits;  // each byte xor '0'
  unsigned count;        // how many of them, from the first, are digits

  explicit EightBytes(const char* p) {
    std::memcpy(&digits, p, 8);
    digits ^= 0x3030303030303030U;
    const std::uint64_t other = ((digits + 0x7676767676767676U) | digits) & 0x8080808080808080U;
    count = static_cast<unsigned>(std::countr_zero(other)) >> 3;
  }
  // The number that the first n digits spell; 1 <= n <= 8.
  [[nodiscard]] std::uint64_t value(unsigned n) const {
    return eight_digits(digits << (64 - 8 * n));  // zeros first, the last digit in the top byte
  }
};

inline constexpr double kPowersOfTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                          1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t kWholePowersOfTen[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

// Reads the number at p into value and returns the place behind it, or null if it is not of the short form above (it
// may still be a number: ask parse_number). Signs are accepted.
inline const char* scan_number(const char* p, double& value) {
  const bool negative = *p == '-';
  p += static_cast<int>(negative) | static_cast<int>(*p == '+');  // no branch: signs are hard to predict
  std::uint64_t mantissa = 0;
  unsigned digits = 0;
  // Before the point: usually one or two digits.
  while (static_cast<unsigned char>(*p - '0') < 10) {
    mantissa = mantissa * 10 + static_cast<unsigned char>(*p++ - '0');
    ++digits;
  }
  unsigned behind = 0;
  if (*p == '.') {
    ++p;
    for (;;) {
      const EightBytes word(p);
      if (word.count == 0) break;
      if (digits + word.count > 19) return nullptr;
      mantissa = mantissa * kWholePowersOfTen[word.count] + word.value(word.count);
      digits += word.count;
      behind += word.count;
      p += word.count;
      if (word.count < 8) break;
    }
  }
  if (digits == 0 || digits > 19 || (*p | 0x20) == 'e' || mantissa > (1ULL << 53)) return nullptr;
  const auto exact = static_cast<double>(mantissa);
  const double magnitude = behind == 0 ? exact : exact / kPowersOfTen[behind];
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | static_cast<std::uint64_t>(negative) << 63);
  return p;
}

}  // namespace postil
