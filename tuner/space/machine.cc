#include "tuner/space/machine.h"

namespace hone::tuner {

namespace {

// Software runs a subgroup as one vector of a processor: 4 lanes (SwiftShader) or 8 (lavapipe).
constexpr int64_t kSubgroupOfHardware = 16;

// Software adapters by the lanes of their subgroups (docs/notes/software_adapters.md): SwiftShader has 4, lavapipe 8; of one that tells none loads,
// loops and barriers are the geometric means of both. What a thread and a workgroup more take is SwiftShader's: lavapipe's scatters too much to be told. The rates are
// of two cores, where the agent has measured none: they weigh work against launches alone.
SerialMachine software(int64_t subgroup) {
  if (subgroup == 4) return {.lanes = 4, .vector_load = 5.5, .scalar_load = 3, .loop = 2, .barrier = 48, .thread = 9, .workgroup = 150, .multiply_adds_per_us = 1000};
  if (subgroup == 8) return {.lanes = 8, .vector_load = 19, .scalar_load = 9, .loop = 4, .barrier = 3, .thread = 9, .workgroup = 150, .multiply_adds_per_us = 7000};
  return {.lanes = 4, .vector_load = 9.5, .scalar_load = 5, .loop = 2.5, .barrier = 12, .thread = 9, .workgroup = 150, .multiply_adds_per_us = 2500};
}

// Texels of four f32 numbers at a quarter of the rate of texels of four bytes: of an Intel UHD 630, 6.6 a nanosecond (24 units at 1.1 GHz), in which it
// computes 53 multiply-adds of four lanes (24 units, 8 lanes, 1.1 GHz). A fragment begins with its coordinates and ends with its targets: as
// long as two texels, an estimate, and so is a loop's step.
SerialMachine fragments() {
  return {.lanes = 4, .vector_load = 8, .scalar_load = 8, .loop = 1, .thread = 16, .multiply_adds_per_us = 2500};
}

// Of the cores of laptops and phones: per clock two loads, two vector operations, a multiplication and an addition being two where they are not fused, and
// four of whole numbers; a shuffle; 32 bytes from the second cache, 32 KiB in eight ways in the first; addresses of 64 pages translated at once, of others
// in 7 clocks (Intel Optimization Reference Manual, 2.5 and 2.6; Fog, Instruction tables and Microarchitecture: Skylake, Zen 2). An iteration of the parallel loop divides its index twice, 20 to 26 clocks each (Fog). A tile's 10 clocks, for its addresses, are an
// estimate, and so is 3 GHz.
SerialMachine core(const target::Target& target) {
  return {.lanes = 1, .lanes_of_vector = static_cast<double>(target.lanes.back()), .vector_load = 0.5, .scalar_load = 0.5, .pick = 1, .selection = 1, .loop = 1, .thread = 10, .workgroup = 40,
          .line = 2, .cache_bytes = 32 << 10, .cache_ways = 8, .page = 7, .pages_kept = 64, .vectors_max = static_cast<double>(target.limits.live_vectors_max), .multiply_adds_per_us = 3000};
}

}  // namespace

SerialMachine serial_machine(const target::Target& target) {
  SerialMachine machine = target::on_cores(target.kind) ? core(target) : target::on_textures(target.kind) ? fragments() : software(target.subgroup_size);
  if (target.subgroup_size > 1) machine.lanes = static_cast<double>(target.subgroup_size);
  // Two operations, four lanes.
  if (target.arithmetic_gflops > 0) machine.multiply_adds_per_us = target.arithmetic_gflops * 1e3 / 8;
  return machine;
}

bool is_unknown(const target::Target& target) {
  return !target::on_cores(target.kind) && !target::on_textures(target.kind) && target.subgroup_size == 0;
}

bool runs_side_by_side(const target::Target& target) {
  return !target::on_cores(target.kind) && !target::on_textures(target.kind) && target.subgroup_size >= kSubgroupOfHardware;
}

// Of 336 copies Chromium's software GPU makes no shader before its watchdog ends the device; for 49, a 7×7 window under a tile, Firefox's software GPU compiles
// for more than 10 s, which costs its agent, and in Chromium the faster of two such kernels took 2.7 times the fastest one's time.
int64_t copied_loops_max(const target::Target& target) {
  constexpr int64_t kMax = 128, kMaxOfSoftware = 32;
  return target.kind == target::Kind::kWebGpu && !runs_side_by_side(target) ? kMaxOfSoftware : kMax;
}

double subgroup_of(const target::Target& target) { return target.subgroup_size > 1 ? static_cast<double>(target.subgroup_size) : 32; }

}  // namespace hone::tuner
