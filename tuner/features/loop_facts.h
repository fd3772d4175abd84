// LoopFacts: what one thread of a launch does, counted from its loops.
#pragma once
#include <cstdint>
#include <vector>

#include "codegen/ir/stmt.h"

namespace hone::tuner {

// One load or store of an argument or a global temporary, over all iterations of one thread.
struct LoopAccess {
  ir::Buffer buffer = nullptr;
  bool store = false;
  double elements = 0;      // scalars touched, repetitions included
  double instructions = 0;  // after sharing what unrolled copies have in common, and vectors where lanes are contiguous
  double lanes = 1;         // scalars per instruction
  double stride_thread = 0;  // elements between neighbouring threads; kIrregular where that is no constant
  double stride_inner = 0;   // elements per iteration of the innermost serial loop
  double footprint_thread = 0, footprint_block = 0;  // distinct elements, estimated
  double reuse_blocks = 1;                           // blocks that touch the same element
};
inline constexpr double kIrregular = 1 << 20;

struct LoopFacts {
  ir::Dims grid{1, 1, 1}, threads{1, 1, 1};
  // Per thread; vector operations count once in `operations`, by lane in `flops`.
  double flops = 0, operations = 0, special = 0, divisions = 0, selects = 0;
  double statements = 0;          // after unrolling
  double stores = 0, masked = 0;  // dynamic stores of any kind, and those under a condition
  double serial_trips = 1;        // iterations of the serial loops around the busiest statement
  double inner_extent = 1;        // of the innermost of them
  double barriers = 0;
  double workgroup_bytes = 0, register_elements = 0;
  double workgroup_loads = 0, workgroup_stores = 0, register_loads = 0;
  std::vector<LoopAccess> accesses;
};

LoopFacts read_loops(const ir::Launch& launch);

}  // namespace hone::tuner
