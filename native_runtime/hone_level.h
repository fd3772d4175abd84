// Which instruction sets this processor has.
#pragma once

#if !defined(__ELF__)
#error "the kernels are ELF objects: link them on Linux"
#endif

#if defined(__x86_64__)
static int hone_has_x86_64_v2(void) {
  __builtin_cpu_init();
  return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

static int hone_has_x86_64_v3(void) {
  return hone_has_x86_64_v2() && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}

static int hone_has_x86_64_v4(void) {
  return hone_has_x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#elif defined(__aarch64__)
static int hone_has_aarch64(void) { return 1; }
#else
#error "this model has kernels for x86-64 and AArch64 alone"
#endif
