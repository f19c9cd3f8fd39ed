#include "core/kernels.hpp"

#include "clones.hpp"

namespace postil {
namespace {

constexpr std::size_t kLanes = 8;

// The fixed tree that joins the lanes.
inline double join(const double* s) { return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])); }

// The loop bodies are inlined into each clone below.
template <class Value>
[[gnu::always_inline]] inline double dense_dot(const Value* x, const double* w, std::size_t n) {
  double lane[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += static_cast<double>(x[k + l]) * w[k + l];
  for (std::size_t l = 0; k < n; ++k, ++l) lane[l] += static_cast<double>(x[k]) * w[k];
  return join(lane);
}

template <class Value>
[[gnu::always_inline]] inline double dense_norm(const Value* x, std::size_t n) {
  double lane[kLanes] = {};
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes)
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += static_cast<double>(x[k + l]) * static_cast<double>(x[k + l]);
  for (std::size_t l = 0; k < n; ++k, ++l) lane[l] += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return join(lane);
}

template <class Value>
[[gnu::always_inline]] inline void dense_axpy(double a, const Value* x, double* w, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) w[k] += a * static_cast<double>(x[k]);
}

// What is not finite is not 0 when multiplied by 0.
template <class Value>
inline bool zero_times_all(const Value* x, std::size_t n) {
  Value lane[16] = {};
  std::size_t k = 0;
  for (; k + 16 <= n; k += 16)
    for (std::size_t l = 0; l < 16; ++l) lane[l] += x[k + l] * Value(0);
  for (; k < n; ++k) lane[0] += x[k] * Value(0);
  Value sum = 0;
  for (const Value part : lane) sum += part;
  return sum == Value(0);
}
POSTIL_CLONES bool finite_f64(const double* x, std::size_t n) { return zero_times_all(x, n); }
POSTIL_CLONES bool finite_f32(const float* x, std::size_t n) { return zero_times_all(x, n); }

POSTIL_CLONES IndexSurvey indices_u32(const std::uint32_t* __restrict x, std::size_t n) {
  constexpr std::size_t kTogether = 1 << 16;  // falls of so many fit into 32 bits, lane by lane
  IndexSurvey out;
  if (n > 0) out.largest = x[0];
  for (std::size_t first = 1; first < n; first += kTogether) {
    const std::size_t end = n - first < kTogether ? n : first + kTogether;
    std::uint32_t falls = 0, largest = 0;
    for (std::size_t k = first; k < end; ++k) {
      falls += x[k] <= x[k - 1] ? 1U : 0U;
      largest = x[k] > largest ? x[k] : largest;
    }
    out.falls += falls;
    out.largest = largest > out.largest ? largest : out.largest;
  }
  return out;
}

POSTIL_CLONES double dot_f64(const double* x, const double* w, std::size_t n) { return dense_dot(x, w, n); }
POSTIL_CLONES double dot_f32(const float* x, const double* w, std::size_t n) { return dense_dot(x, w, n); }
POSTIL_CLONES double norm_f64(const double* x, std::size_t n) { return dense_norm(x, n); }
POSTIL_CLONES double norm_f32(const float* x, std::size_t n) { return dense_norm(x, n); }
POSTIL_CLONES void axpy_f64(double a, const double* x, double* w, std::size_t n) { dense_axpy(a, x, w, n); }
POSTIL_CLONES void axpy_f32(double a, const float* x, double* w, std::size_t n) { dense_axpy(a, x, w, n); }

// Sparse rows. Summing from left to right leaves only the loads to run ahead, and those do not gain from gather
// instructions: bench/kernels measures it.
template <class Value>
double sparse_dot(const std::uint32_t* index, const Value* x, const double* w, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(x[k]) * w[index[k]];
  return sum;
}

template <class Value>
double sparse_norm(const Value* x, std::size_t n) {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += static_cast<double>(x[k]) * static_cast<double>(x[k]);
  return sum;
}

template <class Value>
void sparse_axpy(double a, const std::uint32_t* index, const Value* x, double* w, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) w[index[k]] += a * static_cast<double>(x[k]);
}

template <bool Two, bool Norm, class Value>
RowSums sparse_sums(const std::uint32_t* index, const Value* x, const double* v, const double* u, std::size_t n) {
  RowSums sums;
  for (std::size_t k = 0; k < n; ++k) {
    const auto value = static_cast<double>(x[k]);
    sums.v += value * v[index[k]];
    if constexpr (Two) sums.u += value * u[index[k]];
    if constexpr (Norm) sums.xx += value * value;
  }
  return sums;
}

template <class Value>
RowSums sparse_sums(const std::uint32_t* index, const Value* x, const double* v, const double* u, std::size_t n,
                    bool norm) {
  if (u == nullptr)
    return norm ? sparse_sums<false, true>(index, x, v, u, n) : sparse_sums<false, false>(index, x, v, u, n);
  return norm ? sparse_sums<true, true>(index, x, v, u, n) : sparse_sums<true, false>(index, x, v, u, n);
}

template <class Value>
void sparse_axpy_two(const std::uint32_t* index, const Value* x, double a, double* v, double b, double* u,
                     std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const auto value = static_cast<double>(x[k]);
    v[index[k]] += a * value;
    u[index[k]] += b * value;
  }
}

// Each number's bit, so that a comparison is a mask on it.
struct Bits {
  std::uint64_t of[64];
  constexpr Bits() : of() {
    for (unsigned i = 0; i < 64; ++i) of[i] = std::uint64_t{1} << i;
  }
};
constexpr Bits kBits;

template <class Test>
[[gnu::always_inline]] inline std::uint64_t bits_of(const double* x, const Test& test) {
  std::uint64_t word = 0;
  for (unsigned i = 0; i < 64; ++i) word |= test(x[i]) ? kBits.of[i] : 0;
  return word;
}
POSTIL_CLONES std::uint64_t bits_less(const double* x, double bound) {
  return bits_of(x, [=](double value) { return value < bound; });
}
POSTIL_CLONES std::uint64_t bits_at_most(const double* x, double bound) {
  return bits_of(x, [=](double value) { return value <= bound; });
}
POSTIL_CLONES std::uint64_t bits_equal(const double* x, double bound) {
  return bits_of(x, [=](double value) { return value == bound; });
}
POSTIL_CLONES std::uint64_t bits_at_least(const double* x, double bound) {
  return bits_of(x, [=](double value) { return value >= bound; });
}
POSTIL_CLONES std::uint64_t bits_greater(const double* x, double bound) {
  return bits_of(x, [=](double value) { return value > bound; });
}

}  // namespace

RowSums row_sums(const Row& x, const double* v, const double* u, bool norm) {
  if (x.dense()) return {dot(x, v), u == nullptr ? 0 : dot(x, u), norm ? squared_norm(x) : 0};
  return x.single ? sparse_sums(x.indices, static_cast<const float*>(x.values), v, u, x.count, norm)
                  : sparse_sums(x.indices, static_cast<const double*>(x.values), v, u, x.count, norm);
}

void axpy_two(const Row& x, double a, double* v, double b, double* u) {
  if (x.dense()) {
    axpy(a, x, v);
    axpy(b, x, u);
  } else if (x.single) {
    sparse_axpy_two(x.indices, static_cast<const float*>(x.values), a, v, b, u, x.count);
  } else {
    sparse_axpy_two(x.indices, static_cast<const double*>(x.values), a, v, b, u, x.count);
  }
}

double dot(const Row& x, const double* w) {
  if (x.single) {
    const auto* values = static_cast<const float*>(x.values);
    return x.dense() ? dot_f32(values, w, x.count) : sparse_dot(x.indices, values, w, x.count);
  }
  const auto* values = static_cast<const double*>(x.values);
  return x.dense() ? dot_f64(values, w, x.count) : sparse_dot(x.indices, values, w, x.count);
}

void axpy(double a, const Row& x, double* w) {
  if (x.single) {
    const auto* values = static_cast<const float*>(x.values);
    if (x.dense())
      axpy_f32(a, values, w, x.count);
    else
      sparse_axpy(a, x.indices, values, w, x.count);
    return;
  }
  const auto* values = static_cast<const double*>(x.values);
  if (x.dense())
    axpy_f64(a, values, w, x.count);
  else
    sparse_axpy(a, x.indices, values, w, x.count);
}

double squared_norm(const Row& x) {
  if (x.single) {
    const auto* values = static_cast<const float*>(x.values);
    return x.dense() ? norm_f32(values, x.count) : sparse_norm(values, x.count);
  }
  const auto* values = static_cast<const double*>(x.values);
  return x.dense() ? norm_f64(values, x.count) : sparse_norm(values, x.count);
}

bool all_finite(const double* x, std::size_t n) { return finite_f64(x, n); }
bool all_finite(const float* x, std::size_t n) { return finite_f32(x, n); }

IndexSurvey survey_indices(const std::uint32_t* indices, std::size_t n) { return indices_u32(indices, n); }

std::uint64_t compare_64(const double* x, Compare how, double bound) {
  switch (how) {
    case Compare::less: return bits_less(x, bound);
    case Compare::at_most: return bits_at_most(x, bound);
    case Compare::equal: return bits_equal(x, bound);
    case Compare::at_least: return bits_at_least(x, bound);
    case Compare::greater: return bits_greater(x, bound);
  }
  return 0;
}

}  // namespace postil
