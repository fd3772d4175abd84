#include "tuner/measure/simulated_gpu.h"

#include <algorithm>
#include <cmath>

#include "codegen/lower/launches_ahead.h"
#include "codegen/lower/pipeline.h"
#include "tuner/features/loop_facts.h"

namespace hone::tuner {

namespace {

constexpr double kElementBytes = 4;
constexpr double kScatteredMax = 8;       // how many transactions a vector's worth of lanes far from each other costs
constexpr double kRegistersAtLeast = 24;  // of a thread: indices and constants

double product(const ir::Dims& d) {
  return static_cast<double>(d[0]) * static_cast<double>(d[1]) * static_cast<double>(d[2]);
}

// Bytes that a thread's requests move through the memory system per element: neighbouring threads that read the same element share it, those
// that read far from each other get a transaction of their own.
double coalescing(const SimulatedGpu& gpu, const LoopAccess& a, double block_threads_x) {
  const double stride = std::abs(a.stride_thread);
  if (stride == 0) return std::max(gpu.broadcast_share, 1 / block_threads_x);
  return std::clamp(stride / std::max(a.lanes, 1.0), 1.0, kScatteredMax);
}

struct Traffic {
  double memory_bytes = 0, cache_bytes = 0, instructions = 0;
};

Traffic traffic_of(const SimulatedGpu& gpu, const LoopFacts& f) {
  const double blocks = product(f.grid), threads = blocks * product(f.threads);
  double footprint_bytes = 0;
  for (const LoopAccess& a : f.accesses) footprint_bytes += a.footprint_block * kElementBytes;
  const bool fits = footprint_bytes <= gpu.cache_bytes;
  Traffic t;
  for (const LoopAccess& a : f.accesses) {
    const double requested =
        a.instructions * a.lanes * kElementBytes * coalescing(gpu, a, static_cast<double>(f.threads[0])) * threads;
    const double distinct = a.footprint_block * kElementBytes * blocks;
    t.instructions += a.instructions;
    t.cache_bytes += requested;
    t.memory_bytes += fits ? std::min(requested, distinct) : requested;
  }
  return t;
}

// The share of the device's speed that so many resident threads reach.
double occupancy_of(const SimulatedGpu& gpu, const LoopFacts& f) {
  const double blocks = product(f.grid), block = product(f.threads);
  const double registers = kRegistersAtLeast + f.register_elements;
  double resident = std::min(gpu.threads_per_core_max, gpu.registers_per_core / registers);
  if (f.workgroup_bytes > 0)
    resident = std::min(resident, block * std::floor(static_cast<double>(gpu.target.limits.workgroup_bytes_max) * 2 /
                                                     f.workgroup_bytes));
  const double blocks_per_core = std::max(1.0, std::floor(resident / block));
  const double busy_cores = std::min(gpu.cores, blocks);
  const double threads = std::min(blocks_per_core, std::ceil(blocks / gpu.cores)) * block;
  const double spilled = std::min(1.0, resident / block);  // a block that does not fit runs from memory
  return busy_cores / gpu.cores * std::min(1.0, threads / gpu.threads_to_hide) * spilled;
}

double launch_us(const SimulatedGpu& gpu, const LoopFacts& f) {
  const double blocks = product(f.grid), threads = blocks * product(f.threads);
  const Traffic t = traffic_of(gpu, f);
  const double workgroup_accesses = f.workgroup_loads + f.workgroup_stores;
  const double pace_us = std::max(
      {f.flops * threads / gpu.flops_per_us,
       (f.operations + t.instructions + workgroup_accesses) * threads / gpu.instructions_per_us,
       t.memory_bytes / gpu.memory_bytes_per_us, gpu.cache_bytes > 0 ? t.cache_bytes / gpu.cache_bytes_per_us : 0,
       workgroup_accesses * kElementBytes * threads / gpu.workgroup_bytes_per_us});
  const double barriers_us = f.barriers * gpu.barrier_us * blocks / std::min(gpu.cores, blocks);
  return pace_us / std::max(occupancy_of(gpu, f), 1e-6) + barriers_us + gpu.launch_us;
}

}  // namespace

SimulatedGpu gpu_without_cache() {
  SimulatedGpu gpu{.name = "without_cache", .target = target::webgpu_default()};
  gpu.target.l1_bytes = 0;  // its estimate is told, too
  gpu.memory_bytes_per_us = 5e4;
  gpu.barrier_us = 0.01;
  return gpu;
}

SimulatedGpu gpu_with_cache() {
  SimulatedGpu gpu{.name = "with_cache", .target = target::webgpu_default()};
  gpu.cores = 4;
  gpu.threads_per_core_max = 384;
  gpu.threads_to_hide = 128;
  gpu.registers_per_core = 32768;
  gpu.flops_per_us = 3e5;
  gpu.instructions_per_us = 1e5;
  gpu.memory_bytes_per_us = 2e4;
  gpu.cache_bytes_per_us = 4e5;
  gpu.cache_bytes = 65536;
  gpu.workgroup_bytes_per_us = 2e4;
  gpu.barrier_us = 10;
  gpu.launch_us = 40;
  return gpu;
}

SimulatedGpu gpu_with_subgroups() {
  SimulatedGpu gpu = gpu_without_cache();
  gpu.name = "with_subgroups";
  gpu.target.subgroup_size = 32;
  gpu.broadcast_share = 1;
  gpu.workgroup_bytes_per_us = 1e5;
  gpu.barrier_us = 1;
  return gpu;
}

Result<double> simulated_us(const SimulatedGpu& gpu, const te::Task& task, const schedule::Trace& trace) {
  HONE_ASSIGN(kernel, lower::lower_to_loops(task, trace, gpu.target));
  kernel = lower::without_launches_ahead(task, std::move(kernel), gpu.target);
  double us = 0;
  for (const ir::Launch& launch : kernel.launches) us += launch_us(gpu, read_loops(launch));
  return us;
}

}  // namespace hone::tuner
