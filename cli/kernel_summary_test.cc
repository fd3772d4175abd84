#include "cli/kernel_summary.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/ir/parser.h"

namespace hone::cli {
namespace {

// Two workgroups of 8x4 threads, each with 4 sums in two vectors, and a tile of B in workgroup memory.
constexpr const char* kProduct = R"(arg A: f32[1024]
arg B: f32[256]
out C: f32x2[128]
temp T: f32[64]
launch grid(bx: 2) threads(tx: 8, ty: 4) linear t
  alloc Bs: f32[64] workgroup
  alloc acc_0: f32x2[1]
  alloc acc_1: f32x2[1]
  alloc kept: f32[3]
  acc_0[0] = broadcast(0.0, 2)
  acc_1[0] = broadcast(0.0, 2)
  for k in 0..4
    Bs[t] = B[k * 32 + t]
    barrier
    kept[0] = A[k]
    acc_0[0] = mad(broadcast(kept[0], 2), broadcast(Bs[tx], 2), acc_0[0])
    acc_1[0] = mad(broadcast(kept[0], 2), broadcast(Bs[ty], 2), acc_1[0])
    barrier
  C[bx * 64 + t * 2] = acc_0[0]
  C[bx * 64 + t * 2 + 1] = acc_1[0]
)";

TEST(KernelSummary, SaysWhatALaunchAsksOfTheDevice) {
  // Given a launch with workgroup memory, registers and accumulators, when it is summarised, then each is counted, in lines that are comments.
  auto kernel = ir::parse_kernel(kProduct);
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  schedule::Trace trace;
  trace.sketch = "tile: rows=2";
  EXPECT_EQ(kernel_summary(*kernel, trace, "//"),
            "// 1 launch; inputs: 5120 bytes; outputs: 1024 bytes; temporaries: 256 bytes\n"
            "// schedule: tile: rows=2\n"
            "// launch 0: grid 2, 8x4 = 32 threads each; tile: 128 of C per workgroup, 4 per thread; workgroup memory: "
            "256 bytes; "
            "registers: 7 numbers per thread, of which 4 accumulate\n");
}

TEST(KernelSummary, ALaunchOfOneThreadIsAnIterationOfACore) {
  // Given a launch on cores, whose threads have no workgroup, when it is summarised, then the tile is an iteration's.
  auto kernel = ir::parse_kernel(
      "arg A: f32[8]\nout C: f32[8]\nlaunch grid(bx: 4) threads(1)\n  C[bx * 2] = A[bx * 2]\n  C[bx * 2 + 1] = A[bx * "
      "2 + 1]\n");
  ASSERT_TRUE(kernel.ok()) << kernel.error().message;
  EXPECT_EQ(kernel_summary(*kernel, {}, "#"),
            "# 1 launch; inputs: 32 bytes; outputs: 32 bytes\n"
            "# launch 0: grid 4, 1 thread each; tile: 2 of C per thread; workgroup memory: 0 bytes; registers: 0 "
            "numbers per thread, of "
            "which 0 accumulate\n");
}

}  // namespace
}  // namespace hone::cli
