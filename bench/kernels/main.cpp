// The kernels, and the question whether gather instructions would help the sparse dot product.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "core/kernels.hpp"
#include "postil/random.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

struct Data {
  std::vector<std::uint32_t> index;
  std::vector<double> value, w;
  explicit Data(std::size_t count, std::size_t features) : w(features, 0.5) {
    postil::Random random(1);
    for (std::size_t k = 0; k < count; ++k) {
      index.push_back(static_cast<std::uint32_t>(random.below(features)));
      value.push_back(random.normal());
    }
    std::sort(index.begin(), index.end());
  }
};

void dense_dot(benchmark::State& state) {
  const Data data(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(0)));
  const postil::Row row{.values = data.value.data(), .count = static_cast<std::uint32_t>(data.value.size())};
  for (auto _ : state) benchmark::DoNotOptimize(postil::dot(row, data.w.data()));
}
BENCHMARK(dense_dot)->Arg(54)->Arg(1000);

void sparse_dot(benchmark::State& state) {
  const Data data(77, static_cast<std::size_t>(state.range(0)));
  const postil::Row row{.indices = data.index.data(), .values = data.value.data(), .count = 77};
  for (auto _ : state) benchmark::DoNotOptimize(postil::dot(row, data.w.data()));
}
BENCHMARK(sparse_dot)->Arg(50'000)->Arg(1'000'000);

#if defined(__x86_64__)
// The same sums in the same order, products by gather; only measured, not used.
__attribute__((target("avx2"))) double gather_dot(const std::uint32_t* index, const double* x, const double* w,
                                                  std::size_t n) {
  double sum = 0;
  std::size_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const __m256d all = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    const __m256d gathered = _mm256_mask_i32gather_pd(
        _mm256_setzero_pd(), w, _mm_loadu_si128(reinterpret_cast<const __m128i*>(index + k)), all, 8);
    alignas(32) double product[4];
    _mm256_store_pd(product, _mm256_mul_pd(gathered, _mm256_loadu_pd(x + k)));
    for (const double p : product) sum += p;
  }
  for (; k < n; ++k) sum += x[k] * w[index[k]];
  return sum;
}
void sparse_dot_by_gather(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx2")) {
    state.SkipWithError("no AVX2 here");
    return;
  }
  const Data data(77, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(gather_dot(data.index.data(), data.value.data(), data.w.data(), 77));
}
BENCHMARK(sparse_dot_by_gather)->Arg(50'000)->Arg(1'000'000);
#endif

void sparse_axpy(benchmark::State& state) {
  Data data(77, static_cast<std::size_t>(state.range(0)));
  const postil::Row row{.indices = data.index.data(), .values = data.value.data(), .count = 77};
  for (auto _ : state) postil::axpy(1e-9, row, data.w.data());
}
BENCHMARK(sparse_axpy)->Arg(50'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
