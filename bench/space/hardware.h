// Hardware: what vendors and measurements publish of real GPUs, as data for a simulation (kernel_time.h). The tuner's features, its own
// simulated GPU and its experts' choices know nothing of these numbers, so schedules that win here win for reasons of the hardware.
//
// A core is what keeps a workgroup: a streaming multiprocessor, a shader core, a shader processor. A warp is a subgroup. Per clock: of one
// core, unless it says otherwise. Registers and words have 32 bits.
#pragma once
#include <string>
#include <vector>

#include "codegen/target/target.h"

namespace hone::bench {

struct Hardware {
  std::string name, vendor;
  target::Target target;  // what its browser offers
  int64_t cores = 1;
  double clock_mhz = 1000;
  int64_t warp_threads = 32;
  // Operations of single threads, per clock.
  double products_clock = 128;  // multiply-adds and what else the floating pipes do
  double integers_clock = 64;
  double specials_clock = 16;  // exponentials, roots, reciprocals
  double exchanges_clock = 32;  // between the lanes of a subgroup
  double warps_issued_clock = 4;
  // Memory, from the core outwards.
  int64_t registers_core = 65536;
  int64_t registers_thread_max = 255;  // from there on they spill
  int64_t registers_step = 8;          // in which they are given
  int64_t threads_core_max = 1536;
  int64_t workgroups_core_max = 24;
  int64_t workgroup_bytes_core = 65536;
  double workgroup_words_clock = 32;  // banks, each of a word
  bool workgroup_in_l1 = false;       // L1 is what workgroup memory leaves of l1_bytes
  bool workgroup_in_memory = false;   // it is ordinary memory behind L1
  int64_t l1_bytes = 65536;
  double l1_bytes_clock = 128;
  double l2_core_bytes_clock = 64;  // what one core gets from L2
  int64_t l2_bytes = 1 << 20;       // the last cache before DRAM that the GPU fills
  double l2_bytes_clock = 1024;     // of all cores
  double dram_gb_s = 100;
  // From issue to use.
  double alu_clocks = 4, workgroup_clocks = 30, l1_clocks = 40, l2_clocks = 250, dram_clocks = 600;
  double barrier_clocks = 30;  // beside the wait for the slowest warp
};

// A desktop GPU, a laptop's, and those of two phones: 32, 32, 64 and 16 threads to a warp.
std::vector<Hardware> hardware_gpus();

}  // namespace hone::bench
