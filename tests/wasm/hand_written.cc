#include "tests/wasm/hand_written.h"

namespace hone {
namespace {

struct HandWritten {
  const char* name;
  double tolerance;  // relative; 0: every bit
  const char* text;
};

constexpr HandWritten kKernels[] = {
    {"vectors at any place", 0, R"(
arg A: f32[40]
arg B: f32x4[8]
out C: f32[40]
out D: f32x4[8]
launch grid(bx: 8) threads(1)
  let a = A[ramp(bx * 4 + 3, 1, 4)]
  C[ramp(bx * 5, 1, 4)] = a * broadcast(2.0, 4)
  C[bx * 5 + 4] = a.y
  D[bx] = vec(A[bx], A[bx + 1], A[bx + 2], A[bx + 3]) + shuffle(B[bx], a; 7, 0, 4, 2)
)"},
    {"gathers and scatters", 0, R"(
arg A: f32[32]
out C: f32[32]
out D: f32x4[8]
launch grid(bx: 8) threads(1)
  C[ramp(bx, 8, 4)] = A[ramp(31 - bx, -8, 4)]
  D[bx] = vec(A[bx * 3], A[bx * 3 + 1], A[bx], A[bx * 3 + 3])
)"},
    {"masks", 0, R"(
arg A: f32[16]
arg B: f32x4[4]
out C: f32[32]
out D: f32x4[6]
out E: f32[4]
launch grid(bx: 8) threads(1)
  C[bx * 4] = A[bx * 3 - 5 if 2 <= bx and bx < 7]
  C[bx * 4 + 1] = A[bx * 3 - 5 if 2 <= bx and bx < 7 else 4.0]
  C[ramp(bx * 4 + 2, 1, 2)] = vec(0.5, 1.5)
  C[bx * 4 + 3 if bx % 2 == 0] = A[bx]
  if bx < 6
    D[bx] = B[bx - 1 if 1 <= bx and bx < 5 else broadcast(-1.0, 4)]
    D[bx if bx == 3] = broadcast(7.0, 4)
launch grid(1) threads(1)
  let m = vec(true, false, false, true)
  E[ramp(0, 1, 4)] = A[ramp(14, 1, 4) if vec(true, true, false, false) else broadcast(3.0, 4)]
  E[ramp(0, 1, 4) if m] = broadcast(9.0, 4)
)"},
    {"arrays in memory and lanes by number", 0, R"(
arg A: f32[64]
arg B: f32x4[4]
out C: f32[64]
out D: f32[16]
launch grid(bx: 8) threads(1)
  alloc R: f32[8]
  alloc S: f32x4[2] workgroup
  for i in 0..8
    R[7 - i] = A[bx * 8 + i] + 1.0
  for j in 0..2
    S[j] = vec(A[bx * 8 + j], A[bx * 8 + 2 + j], A[bx * 8 + 4 + j], A[bx * 8 + 6 - j])
  for i in 0..8
    C[bx * 8 + i] = R[i] * extract(S[i % 2], i / 2)
launch grid(bx: 4) threads(1)
  for i in 0..4
    D[bx * 4 + i] = extract(B[bx], 3 - i)
)"},
    {"multiplying and adding", 1e-6, R"(
arg A: f32x4[8]
arg B: f64[16]
out C: f32x4[8]
out D: f64[16]
launch grid(bx: 8) threads(1)
  C[bx] = mad(A[bx], broadcast(1.5, 4), max(A[bx], broadcast(0.25, 4)))
  D[ramp(bx * 2, 1, 2)] = mad(B[ramp(bx * 2, 1, 2)], B[ramp(bx * 2, 1, 2)], min(B[ramp(bx * 2, 1, 2)], broadcast(0.0:f64, 2)))
)"},
    {"functions", 2e-6, R"(
arg A: f32[64]
out C: f32[704]
out D: f32x4[16]
launch grid(bx: 64) threads(1)
  let a = A[bx] * 9.0
  C[bx] = exp(a)
  C[bx + 64] = log(abs(a))
  C[bx + 128] = tanh(a)
  C[bx + 192] = erf(a * 0.3)
  C[bx + 256] = sqrt(abs(a)) + rsqrt(abs(a))
  C[bx + 320] = sin(a) + 2.0
  C[bx + 384] = cos(a) + 2.0
  C[bx + 448] = pow(abs(a), 1.7)
  C[bx + 512] = floor(a) + ceil(a) * 100.0
  C[bx + 576] = round(a) + trunc(a) * 100.0
  C[bx + 640] = pow(a, 3.0)
launch grid(bx: 16) threads(1)
  let a = A[ramp(bx * 4, 1, 4)] * broadcast(9.0, 4)
  D[bx] = exp(a) + tanh(a) + erf(a) + log(abs(a)) + floor(a) + round(a) + sin(a) + select(a < broadcast(0.0, 4), a, abs(a))
)"},
    {"functions beyond their range", 2e-6, R"(
arg A: f32[4]
out C: f32[32]
launch grid(1) threads(1)
  for i in 0..4
    let s = select(i == 0, inf, select(i == 1, -inf, select(i == 2, nan, 1.0e-40)))
    let x = s + select(A[i] < 100.0, 0.0, 1.0)
    C[i] = exp(x)
    C[i + 4] = log(x)
    C[i + 8] = tanh(x)
    C[i + 12] = erf(x)
    C[i + 16] = log(0.0 * A[i])
    C[i + 20] = exp(A[i] + 200.0)
    C[i + 24] = exp(A[i] - 200.0)
    C[i + 28] = log(A[i] - 100.0)
)"},
    {"truths and casts", 0, R"(
arg A: f32[16]
arg B: bool[16]
arg K: i32[16]
out C: bool[16]
out D: i8[16]
out E: u32x4[4]
out F: index[16]
out G: i64[16]
launch grid(bx: 16) threads(1)
  C[bx] = (not B[bx] and A[bx] < 0.0) or K[bx] == 3:i32
  D[bx] = i8(A[bx] * 300.0)
  F[bx] = (bx - 9) / 4 + (bx - 9) % 4 * 100 + index(A[bx] * 7.0)
  G[bx] = i64(K[bx]) * i64(1000000007) - i64(A[bx] * 1.0e19)
launch grid(bx: 4) threads(1)
  E[bx] = bitcast(u32x4, A[ramp(bx * 4, 1, 4)]) + u32x4(A[ramp(bx * 4, 1, 4)] * broadcast(3.0e9, 4))
)"},
    {"a barrier of one thread", 0, R"(
out S: i32[4]
launch grid(1) threads(1)
  alloc T: i32[4] workgroup
  for i in 0..4
    T[i] = i32(i)
  barrier
  for i in 0..4
    S[i] = T[3 - i]
)"},
};

}  // namespace

void add_hand_written(WasmCorpus& corpus) {
  target::Target all = target::wasm_default();
  all.has_relaxed_simd = all.has_threads = true;
  for (const HandWritten& kernel : kKernels)
    for (const target::Target& target : {target::wasm_default(), all})
      corpus.add_text(kernel.name, kernel.text, target, kernel.tolerance);
}

}  // namespace hone
