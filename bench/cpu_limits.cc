// What this machine's CPU gives: its multiply-adds, and OpenBLAS' product of matrices. bench/native.mjs asks; one command a line, one number
// a line in answer:
//   peak THREADS          f32 multiply-adds out of registers, in GFLOP/s (the best of some short runs)
//   sgemm M K N RUNS      ms of one product, row-major, the mean of RUNS; threads: OPENBLAS_NUM_THREADS
#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kChains =
    12;  // accumulators: more than the latency of a multiply-add times the two that begin in a cycle
constexpr int64_t kSteps = 20'000'000;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// x = x·m + a, in chains that do not wait for one another.
[[gnu::target("avx512f")]] float wide(int64_t steps) {
  __m512 x[kChains], m = _mm512_set1_ps(0.999f), a = _mm512_set1_ps(0.001f);
  for (int c = 0; c < kChains; ++c) x[c] = _mm512_set1_ps(static_cast<float>(c));
  for (int64_t i = 0; i < steps; ++i)
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) x[c] = _mm512_fmadd_ps(x[c], m, a);
  __m512 sum = x[0];
  for (int c = 1; c < kChains; ++c) sum = _mm512_add_ps(sum, x[c]);
  return _mm512_cvtss_f32(sum);
}
[[gnu::target("avx2,fma")]] float half(int64_t steps) {
  __m256 x[kChains], m = _mm256_set1_ps(0.999f), a = _mm256_set1_ps(0.001f);
  for (int c = 0; c < kChains; ++c) x[c] = _mm256_set1_ps(static_cast<float>(c));
  for (int64_t i = 0; i < steps; ++i)
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) x[c] = _mm256_fmadd_ps(x[c], m, a);
  __m256 sum = x[0];
  for (int c = 1; c < kChains; ++c) sum = _mm256_add_ps(sum, x[c]);
  return _mm256_cvtss_f32(sum);
}

double peak_gflops(int threads) {
  const bool has_wide = __builtin_cpu_supports("avx512f");
  const double flops = 2.0 * (has_wide ? 16 : 8) * kChains * static_cast<double>(kSteps) * threads;
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const auto begin = Clock::now();
    std::vector<std::thread> others;
    volatile float sink = 0;
    for (int t = 0; t < threads; ++t) others.emplace_back([&] { sink = has_wide ? wide(kSteps) : half(kSteps); });
    for (std::thread& one : others) one.join();
    best = std::max(best, flops / seconds_since(begin) / 1e9);
  }
  return best;
}

// cblas.h: order, whether A and B are transposed, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc.
using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);

Sgemm find_sgemm() {
  void* library = dlopen("libopenblas.so.0", RTLD_NOW);
  return library ? reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm")) : nullptr;
}

double sgemm_ms(Sgemm sgemm, int m, int k, int n, int runs) {
  constexpr int kRowMajor = 101, kAsItIs = 111;
  std::vector<float> a(static_cast<size_t>(m) * k, 0.5f), b(static_cast<size_t>(k) * n, 0.25f),
      c(static_cast<size_t>(m) * n);
  const auto multiply = [&] {
    sgemm(kRowMajor, kAsItIs, kAsItIs, m, n, k, 1, a.data(), k, b.data(), n, 0, c.data(), n);
  };
  multiply();
  const auto begin = Clock::now();
  for (int i = 0; i < runs; ++i) multiply();
  return seconds_since(begin) * 1000 / runs;
}

}  // namespace

int main() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::fputs("cpu_limits: this CPU has no AVX2 with multiply-add; its limits are not measured\n", stderr);
    return 1;
  }
  const Sgemm sgemm = find_sgemm();
  if (!sgemm) {
    std::fputs("cpu_limits: libopenblas.so.0 was not found; run: apt-get install libopenblas0-pthread\n", stderr);
    return 1;
  }
  for (std::string command; std::cin >> command;) {
    int m = 0, k = 0, n = 0, runs = 0;
    if (command == "peak" && std::cin >> m) std::cout << peak_gflops(m) << std::endl;
    else if (command == "sgemm" && std::cin >> m >> k >> n >> runs)
      std::cout << sgemm_ms(sgemm, m, k, n, runs) << std::endl;
    else return 2;
  }
}
