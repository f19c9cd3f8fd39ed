// Random numbers of our own: the standard distributions differ between libraries, these give the same bits everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace postil {

// xoshiro256++ (Blackman and Vigna 2019), its state filled from the seed by splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t bits();                  // 64 random bits
  double uniform();                      // [0, 1), a multiple of 2^-53
  std::uint64_t below(std::uint64_t n);  // 0 ... n-1, each exactly equally likely; needs n > 0
  double normal();                       // mean 0, variance 1 (Marsaglia's polar method)

  template <class T>
  void shuffle(std::span<T> items) {  // Fisher and Yates
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t state_[4];
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace postil
