// Which tensors may share memory: those that are never needed at the same time.
#pragma once
#include <cstdint>
#include <vector>

namespace hone::graph {

// A tensor that is written at step `first` and read for the last time at step `last` (inclusive, first ≤ last).
struct Tenant {
  int64_t bytes = 0;
  int first = 0, last = 0;
  int kind = 0;  // only tenants of one kind share
};

struct MemoryPlan {
  std::vector<int> slot_of;         // per tenant
  std::vector<int64_t> slot_bytes;  // of the largest tenant
  int64_t bytes = 0;                // of all slots
  int64_t bytes_min = 0;            // no plan needs less: the most bytes that live at one step
};

// Slots are separate buffers, because WebGPU refuses a launch that reads and writes parts of one buffer; so tenants of one slot follow each
// other in time. Tenants in falling order of size, each into the smallest slot that is free for all of its life ("greedy by size" of
// Pisarchyk and Lee, Efficient Memory Management for Deep Neural Net Inference, 2020, section 4.3): a slot never grows. n·log n.
MemoryPlan plan_memory(const std::vector<Tenant>& tenants);

}  // namespace hone::graph
