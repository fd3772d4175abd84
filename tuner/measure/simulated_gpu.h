// SimulatedGpu: an analytic device: what a kernel takes follows from its loops and some numbers, which can be those of very different GPUs.
// A roofline with occupancy (Williams et al. 2009; Hong and Kim 2009 for the hiding of latency): the slowest of arithmetic, issue, memory, cache
// and workgroup memory sets the pace. It is there to test the search and its space, not to predict any real device.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone::tuner {

struct SimulatedGpu {
  std::string name;
  target::Target target;
  double cores = 16;  // each runs the threads of some workgroups
  double threads_per_core_max = 1024;
  double threads_to_hide = 512;       // per core, from which latency no longer shows
  double registers_per_core = 65536;  // f32
  double flops_per_us = 2e6;          // all cores; a multiply-add is two
  double instructions_per_us = 1e6;   // scalar or vector, all cores
  double memory_bytes_per_us = 2e5;
  double cache_bytes_per_us = 1e6;
  double cache_bytes = 0;  // per core: footprints of a workgroup up to this size are read from memory once; 0: no cache
  // What one of the threads that read the same element costs, relative to reading one of its own.
  double broadcast_share = 1.0 / 32;
  double workgroup_bytes_per_us = 4e6;
  double barrier_us = 0.05;  // of one workgroup
  double launch_us = 5;
};

// GPUs on which different kernels win.
// A desktop GPU whose loads of storage buffers are not cached: workgroup memory pays.
SimulatedGpu gpu_without_cache();
// A mobile GPU: workgroup memory is ordinary memory, barriers are dear, loads are cached.
SimulatedGpu gpu_with_cache();
// Small caches and workgroup memory, subgroups of 32 that exchange at the speed of registers.
SimulatedGpu gpu_with_subgroups();

// The time of a task under a schedule. Fails as lower_to_loops does.
Result<double> simulated_us(const SimulatedGpu& gpu, const te::Task& task, const schedule::Trace& trace);

}  // namespace hone::tuner
