// The inverse of a small symmetric matrix, in plain loops: the same bits on every processor.
#pragma once

#include <cstddef>
#include <vector>

namespace postil {

// Of a symmetric positive matrix of n rows, in its place. Rows whose diagonal is 0 stay out of it.
inline void invert_by_sweeps(std::vector<double>& a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    double* const row = a.data() + k * n;
    const double pivot = row[k];
    if (!(pivot > 0)) continue;
    for (std::size_t i = 0; i < n; ++i) {
      double* const other = a.data() + i * n;
      const double factor = i == k ? 0 : other[k] / pivot;
      if (factor == 0) continue;
      other[k] = 0;
      for (std::size_t j = 0; j < n; ++j) other[j] -= factor * row[j];
      other[k] = -factor;
    }
    row[k] = 1;
    for (std::size_t j = 0; j < n; ++j) row[j] /= pivot;
  }
}

}  // namespace postil
