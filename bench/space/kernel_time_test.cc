#include "bench/space/kernel_time.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "bench/space/workgroup_walk.h"
#include "codegen/graph/import.h"
#include "codegen/ir/parser.h"
#include "tuner/space/space.h"

namespace hone::bench {
namespace {

ir::Kernel kernel_of(const std::string& text) {
  auto kernel = ir::parse_kernel(text);
  CHECK(kernel.ok(), kernel.error().message);
  return std::move(*kernel);
}

LaunchTime time_of(const Hardware& gpu, const std::string& text) { return launch_time(gpu, kernel_of(text).launches[0]); }

Hardware gpu_named(const std::string& name) {
  for (const Hardware& gpu : hardware_gpus())
    if (gpu.name == name) return gpu;
  CHECK(false, name);
  return {};
}

WorkgroupCounts counts_of(const ir::Kernel& kernel, double l1_bytes) {
  return walk_workgroup(gpu_named("rtx_4070"), kernel.launches[0], {0, 0, 0}, l1_bytes);
}

// 4 MiB are copied; `place` is where thread tx of workgroup bx reads.
std::string copy_from(const std::string& place) {
  return cat("arg A: f32[1048576]\nout C: f32[1048576]\nlaunch grid(bx: 4096) threads(tx: 256)\n  C[bx * 256 + tx] = A[", place, "]\n");
}

TEST(KernelTime, NeighboursThatReadNeighboursAreFaster) {
  // Given copies in which neighbouring threads read neighbouring words, or words a row apart, when judged, then each core asks L2 for
  // several times as much in the second, and where L2 is small the second takes longer.
  const std::string near = copy_from("bx * 256 + tx"), far = copy_from("tx * 4096 + bx");
  for (const Hardware& gpu : hardware_gpus()) EXPECT_GT(time_of(gpu, far).l2_core_us, 3 * time_of(gpu, near).l2_core_us) << gpu.name;
  EXPECT_GT(time_of(gpu_named("adreno_740"), far).us, 1.5 * time_of(gpu_named("adreno_740"), near).us);
}

// Products of 16 × 16 results a workgroup over k = 1024, operands read directly.
constexpr const char* kDirectProduct = R"(arg A: f32[1048576]
arg B: f32[1048576]
out C: f32[1048576]
launch grid(bx: 64, by: 64) threads(tx: 16, ty: 16)
  alloc c: f32[1]
  c[0] = 0.0
  for k in 0..1024
    c[0] = mad(A[by * 16384 + ty * 1024 + k], B[k * 1024 + bx * 16 + tx], c[0])
  C[by * 16384 + ty * 1024 + bx * 16 + tx] = c[0]
)";
// The same, 16 steps of k at a time from workgroup memory.
constexpr const char* kStagedProduct = R"(arg A: f32[1048576]
arg B: f32[1048576]
out C: f32[1048576]
launch grid(bx: 64, by: 64) threads(tx: 16, ty: 16)
  alloc a: f32[256] workgroup
  alloc b: f32[256] workgroup
  alloc c: f32[1]
  c[0] = 0.0
  for k in 0..64
    a[ty * 16 + tx] = A[by * 16384 + ty * 1024 + k * 16 + tx]
    b[ty * 16 + tx] = B[k * 16384 + ty * 1024 + bx * 16 + tx]
    barrier
    for i in 0..16
      c[0] = mad(a[ty * 16 + i], b[i * 16 + tx], c[0])
    barrier
  C[by * 16384 + ty * 1024 + bx * 16 + tx] = c[0]
)";

TEST(KernelTime, AStagedTileIsFasterWhereTheCacheIsSmall) {
  // Given a product that reads its operands directly and one that stages them, when judged on a GPU with 4 KiB of cache, then the staged
  // one is faster, and loads less from L2 on it.
  const Hardware gpu = gpu_named("adreno_740");
  const LaunchTime direct = time_of(gpu, kDirectProduct), staged = time_of(gpu, kStagedProduct);
  EXPECT_LT(staged.us, direct.us);
  EXPECT_LT(staged.l2_core_us, 0.5 * direct.l2_core_us);
}

TEST(KernelTime, WorkgroupMemoryBehindTheCacheTakesTheCachesTime) {
  // Given a staged product on a GPU whose workgroup memory is ordinary memory, when judged as it is and as if that memory were its own,
  // then only as it is L1 serves the staged operands, too, and the banks none.
  const Hardware gpu = gpu_named("mali_g715");
  Hardware own = gpu;
  own.workgroup_in_memory = false;
  EXPECT_GT(time_of(gpu, kStagedProduct).l1_us, 2 * time_of(own, kStagedProduct).l1_us);
  EXPECT_EQ(time_of(gpu, kStagedProduct).workgroup_us, 0);
  EXPECT_GT(time_of(own, kStagedProduct).workgroup_us, 0);
}

std::string sums_in(int registers) {
  std::string text = "arg A: f32[65536]\nout C: f32[65536]\nlaunch grid(bx: 256) threads(tx: 256)\n";
  for (int i = 0; i < registers; ++i) text += cat("  alloc c", i, ": f32[1]\n  c", i, "[0] = A[tx + ", i, "]\n");
  for (int i = 0; i < registers; ++i) text += cat("  C[bx * 256 + tx] = c", i, "[0]\n");
  return text;
}

TEST(KernelTime, ThreadsThatTakeMoreRegistersAreFewer) {
  // Given kernels whose threads keep 8, 64 and 200 words, when judged on each GPU, then a core holds ever fewer workgroups of them.
  for (const Hardware& gpu : hardware_gpus()) {
    const double few = time_of(gpu, sums_in(8)).workgroups_core, many = time_of(gpu, sums_in(64)).workgroups_core;
    EXPECT_LT(many, few) << gpu.name;
    EXPECT_LE(time_of(gpu, sums_in(200)).workgroups_core, many) << gpu.name;
  }
}

TEST(KernelTime, WhatSpillsIsFetchedFromL1) {
  // Given a kernel of 100 words a thread, when judged on GPUs whose threads have 255 and 64, then only on the second more than its own
  // loads and stores move between core and L1.
  const auto own_us = [](Hardware gpu) {
    gpu.registers_thread_max = 255;
    return time_of(gpu, sums_in(100)).l1_us;
  };
  const Hardware roomy = gpu_named("rtx_4070"), narrow = gpu_named("mali_g715");
  EXPECT_EQ(time_of(roomy, sums_in(100)).l1_us, own_us(roomy));
  EXPECT_GT(time_of(narrow, sums_in(100)).l1_us, 1.05 * own_us(narrow));
}

std::string staged_reads(int apart) {
  return cat("out C: f32[65536]\nlaunch grid(bx: 256) threads(tx: 256)\n  alloc a: f32[8448] workgroup\n  a[tx] = 1.0\n  barrier\n",
             "  C[bx * 256 + tx] = a[tx * ", apart, "]\n");
}

TEST(KernelTime, ThreadsThatMeetInABankWait) {
  // Given reads of workgroup memory one word, 33 words and 32 words apart, when counted, then those 32 words apart take 32 times as long as
  // either.
  const auto clocks = [](int apart) {
    const ir::Kernel kernel = kernel_of(staged_reads(apart));
    return counts_of(kernel, 65536).workgroup_clocks - 8;  // less the stores, of one clock for each of eight warps
  };
  EXPECT_EQ(clocks(1), 8);
  EXPECT_EQ(clocks(33), 8);
  EXPECT_EQ(clocks(32), 8 * 32);
}

TEST(KernelTime, AWarpThatIsNotFullTakesAsLong) {
  // Given the same work in workgroups of 8 threads and of 64, when judged on a GPU with warps of 64, then the arithmetic of the first takes
  // eight times as long.
  const auto products_us = [](int threads) {
    const std::string text = cat("out C: f32[262144]\nlaunch grid(bx: ", 262144 / threads, ") threads(tx: ", threads, ")\n",
                                 "  alloc c: f32[1]\n  c[0] = 0.0\n  for k in 0..100\n    c[0] = mad(c[0], c[0], 1.0)\n",
                                 "  C[bx * ", threads, " + tx] = c[0]\n");
    return time_of(gpu_named("adreno_740"), text).products_us;
  };
  EXPECT_NEAR(products_us(8) / products_us(64), 8, 0.1);
}

TEST(KernelTime, CoresThatHaveNoWorkgroupAreIdle) {
  // Given launches of 2, 46 and 47 equal workgroups, when judged on a GPU with 46 cores, then the first two keep their busiest core equally
  // long, and the third twice as long.
  const auto busiest_us = [](int blocks) {
    const std::string text = cat("out C: f32[65536]\nlaunch grid(bx: ", blocks, ") threads(tx: 64)\n  C[bx * 64 + tx] = 1.0\n");
    return time_of(gpu_named("rtx_4070"), text).integers_us;
  };
  EXPECT_GT(busiest_us(2), 0);
  EXPECT_DOUBLE_EQ(busiest_us(46), busiest_us(2));
  EXPECT_DOUBLE_EQ(busiest_us(47), 2 * busiest_us(46));
}

// A warp reads 128 bytes in each of 2000 steps, `times` over.
std::string sweeps(int times) {
  return cat("arg A: f32[64000]\nout C: f32[32]\nlaunch grid(1) threads(tx: 32)\n  alloc c: f32[1]\n  c[0] = 0.0\n  for r in 0..", times,
             "\n    for k in 0..2000\n      c[0] = c[0] + A[k * 32 + tx]\n  C[tx] = c[0]\n");
}

TEST(WorkgroupWalk, AStepStandsForThoseLeftOut) {
  // Given a loop of 2000 steps that read 4 sectors each, of which only a few are walked, when counted, then all 8000 sectors come from L2,
  // and the warp waits 2000 times.
  const ir::Kernel kernel = kernel_of(sweeps(1));
  const WorkgroupCounts counts = counts_of(kernel, 65536);
  EXPECT_NEAR(counts.l2_sectors, 8000 + 4, 1e-6);  // 4 stored
  EXPECT_NEAR(counts.waits_l2, 2000, 1e-6);
}

TEST(WorkgroupWalk, WhatTheCacheHoldsIsLoadedOnce) {
  // Given three sweeps over 250 KiB, when counted with a cache of 512 KiB and one of 128 KiB, then the first is filled once and the second
  // by each sweep.
  const ir::Kernel kernel = kernel_of(sweeps(3));
  EXPECT_NEAR(counts_of(kernel, 512 << 10).l2_sectors, 8000 + 4, 1e-6);
  EXPECT_NEAR(counts_of(kernel, 128 << 10).l2_sectors, 3 * 8000 + 4, 1e-6);
}

TEST(WorkgroupWalk, WorkgroupsThatShareAnOperandAreFound) {
  // Given a product whose grid is 64 by 64, when 64 workgroups of a row are at work, then they read one part of A, and 64 of B.
  const ir::Kernel kernel = kernel_of(kDirectProduct);
  const WorkgroupCounts counts = counts_of(kernel, 65536);
  const auto share = [&](size_t arg) { return share_of_own(kernel.launches[0], counts.index.at(kernel.args[arg]), 64); };
  EXPECT_DOUBLE_EQ(share(0), 1.0 / 64);
  EXPECT_DOUBLE_EQ(share(1), 1);
}

TEST(KernelTime, AProductReachesAPlausibleShareOfThePeak) {
  // Given a large product and the expert's choices for it, when judged on each GPU, then the best takes at least what its peak allows.
  auto task = graph::task_from_spec("matmul:512x512x512");
  for (const Hardware& gpu : hardware_gpus()) {
    const double peak_us = task->flops / (2 * gpu.products_clock * static_cast<double>(gpu.cores) * gpu.clock_mhz);
    double best_us = 1e9;
    for (const schedule::Trace& seed : tuner::Space::derive(*task, gpu.target)->seeds()) {
      const auto us = kernel_us(gpu, *task, seed);
      ASSERT_TRUE(us.ok());
      EXPECT_EQ(*us, *kernel_us(gpu, *task, seed)) << "the same schedule, the same time";
      best_us = std::min(best_us, *us);
    }
    EXPECT_GE(best_us, peak_us) << gpu.name;
  }
}

}  // namespace
}  // namespace hone::bench
