#include "bench/space/hardware.h"

#include <algorithm>

#include "codegen/target/gpu_class.h"

namespace hone::bench {

namespace {

constexpr int64_t kKiB = 1024, kMiB = 1024 * kKiB;

// Limits that Chrome grants on all four: 1024 threads and 32 KiB of workgroup memory (Dawn's tiers; gpuinfo.org).
target::Target browser_target(int64_t subgroup_size) {
  target::Target t = target::webgpu_default();
  t.limits.invocations_max = t.limits.workgroup_size_x_max = t.limits.workgroup_size_y_max = 1024;
  t.limits.workgroup_bytes_max = 32 * kKiB;
  t.subgroup_size = subgroup_size;
  return t;
}

// NVIDIA's white paper on Ada (46 SMs of 128 lanes, 64 of them also for integers, 16 special functions; 2475 MHz; 504 GB/s; 36 MiB of L2;
// 128 KiB of L1 and shared memory per SM), its CUDA guide for compute capability 8.9 (registers, threads, 24 blocks, 100 KiB shared, 32
// lanes shuffled a clock), latencies as Chips and Cheese measured them on an RTX 4090 (L1 13 ns, L2 100 ns, DRAM 230 ns or so). L2's width,
// and a barrier's cost: estimates.
Hardware rtx_4070() {
  Hardware g{.name = "rtx_4070", .vendor = "nvidia", .target = browser_target(32), .cores = 46, .clock_mhz = 2475};
  g.workgroup_bytes_core = 100 * kKiB;
  g.workgroup_in_l1 = true;
  g.l1_bytes = 128 * kKiB;
  g.l2_bytes = 36 * kMiB;
  g.l2_bytes_clock = 1536;
  g.dram_gb_s = 504;
  g.workgroup_clocks = 23;
  g.l1_clocks = 33;
  g.l2_clocks = 260;
  g.dram_clocks = 580;
  return g;
}

// Apple's figures (10 cores, 100 GB/s), Metal's feature tables (32 KiB of threadgroup memory, 1024 threads), and what the metal-benchmarks
// project measured on M1 and M2, which share the core's layout: 128 lanes, integers on all of them, 32 special functions a clock in effect,
// 208 KiB of registers, about 60 KiB of threadgroup memory, 8 KiB of L1. M3 gives its on-chip memory out as it is needed, so that more
// threads fit: estimate, as are L1's 16 KiB, exchanges of 64 lanes a clock, and the latencies. 1398 MHz; the system's cache of 8 MiB stands
// for L2.
Hardware apple_m3() {
  Hardware g{.name = "apple_m3", .vendor = "apple", .target = browser_target(32), .cores = 10, .clock_mhz = 1398};
  g.integers_clock = 128;
  g.specials_clock = 32;
  g.exchanges_clock = 64;
  g.registers_core = 53248;
  g.registers_thread_max = 128;
  g.threads_core_max = 1536;
  g.workgroup_bytes_core = 60 * kKiB;
  g.l1_bytes = 16 * kKiB;
  g.l1_bytes_clock = 64;
  g.l2_core_bytes_clock = 32;
  g.l2_bytes = 8 * kMiB;
  g.l2_bytes_clock = 320;
  g.dram_gb_s = 100;
  g.alu_clocks = 3;
  g.workgroup_clocks = 40;
  g.l1_clocks = 60;
  g.l2_clocks = 220;
  g.dram_clocks = 450;
  return g;
}

// Qualcomm: 1536 lanes at 680 MHz in a Snapdragon 8 Gen 2 (2.1 TFLOPS), 67 GB/s. Chips and Cheese on the 7xx family: shader processors of
// two halves with 128 lanes each, waves of 64 in compute, 1 to 2 KiB of texture cache a half and no other L1, 64 KiB of registers for each
// of the four schedulers, a special function for every 8 lanes, integers at half the rate. Mesa's compiler: 48 registers of four words a
// thread. Vulkan's limits: 32 KiB of workgroup memory. Threads per core, exchanges, L2 of 1 MiB, its width and the latencies: estimates
// from their measurements of the Adreno 730.
Hardware adreno_740() {
  Hardware g{.name = "adreno_740", .vendor = "qualcomm", .target = browser_target(64), .cores = 6, .clock_mhz = 680, .warp_threads = 64};
  g.products_clock = 256;
  g.integers_clock = 128;
  g.specials_clock = 32;
  g.registers_thread_max = 192;
  g.registers_step = 4;
  g.threads_core_max = 2048;
  g.workgroups_core_max = 16;
  g.workgroup_bytes_core = 32 * kKiB;
  g.l1_bytes = 4 * kKiB;
  g.l1_bytes_clock = 64;
  g.l2_core_bytes_clock = 32;
  g.l2_bytes = 1 * kMiB;
  g.l2_bytes_clock = 192;
  g.dram_gb_s = 67;
  g.workgroup_clocks = 40;
  g.l1_clocks = 60;
  g.l2_clocks = 120;
  g.dram_clocks = 300;
  g.barrier_clocks = 40;
  return g;
}

// Arm's guides to Valhall's shader core: warps of 16, 128 multiply-adds a clock in two engines since the G715, all threads at up to 32
// registers and half of them at up to 64, 16 KiB of load and store cache, local memory as ordinary memory behind it. Seven cores at 890 MHz
// and 51 GB/s, as in a Tensor G3. Threads per core (2048), special functions, exchanges, 2 MiB of L2, its width and the latencies:
// estimates.
Hardware mali_g715() {
  Hardware g{.name = "mali_g715", .vendor = "arm", .target = browser_target(16), .cores = 7, .clock_mhz = 890, .warp_threads = 16};
  g.integers_clock = 64;
  g.warps_issued_clock = 8;
  g.registers_thread_max = 64;
  g.registers_step = 32;
  g.threads_core_max = 2048;
  g.workgroups_core_max = 32;
  g.workgroup_bytes_core = 64 * kKiB;
  g.workgroup_in_memory = true;
  g.l1_bytes = 16 * kKiB;
  g.l1_bytes_clock = 64;
  g.l2_core_bytes_clock = 64;
  g.l2_bytes = 2 * kMiB;
  g.l2_bytes_clock = 256;
  g.dram_gb_s = 51;
  g.l1_clocks = 40;
  g.l2_clocks = 120;
  g.dram_clocks = 300;
  g.barrier_clocks = 60;
  return g;
}

}  // namespace

std::vector<Hardware> hardware_gpus() {
  std::vector<Hardware> all{rtx_4070(), apple_m3(), adreno_740(), mali_g715()};
  for (Hardware& gpu : all) {  // what an agent would measure when it connects
    gpu.target.arithmetic_gflops = 2 * gpu.products_clock * static_cast<double>(gpu.cores) * gpu.clock_mhz / 1e3;
    gpu.target.launch_us = target::kLaunchUs;
    target::add_class_facts(gpu.target, gpu.vendor);  // what is known of its kind
  }
  return all;
}

}  // namespace hone::bench
