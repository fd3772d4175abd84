// NativeProgram: a plan for CPUs ahead of time, with a place in memory for everything: what the tables of a native export say of one level.
#pragma once
#include <string>
#include <vector>

#include "codegen/emit/native_code.h"
#include "codegen/package/model_plan.h"
#include "codegen/package/weight_store.h"
#include "codegen/target/cpu_level.h"

namespace hone::package {

// A plan whose kernels are those of `code`, one for one.
struct NativePlan {
  ModelPlan plan;  // for target::level_target(level), with Boundary::kPorts
  target::CpuLevel level;
  emit::NativeCode code;
};

struct NativeProgram {
  struct Place {
    uint32_t tensor = 0;  // among the weights, the inputs that the caller gives, or the outputs
    int64_t at = 0;       // bytes, from the beginning of the memory
    ir::Layout layout;
  };
  struct Launch {
    std::string symbol;
    int64_t extent = 1;
    std::vector<int64_t> args;  // where each lies, in bytes; scratch memory is not among them
  };
  struct Loop {
    size_t first = 0, last = 0;      // the launches [first, last)
    int64_t trips = 0;               // negative: a condition says
    int64_t condition = 0;           // where its word lies, in bytes
  };
  target::CpuLevel level;
  std::vector<Launch> launches;
  std::vector<Loop> loops;
  std::vector<Place> weights, inputs, outputs;
  int64_t memory_bytes = 0;   // a multiple of 64, as are the next two
  int64_t scratch_bytes = 0;  // of each thread
  int64_t reach_bytes = 0;    // before the memory, and behind the scratch memory: reads may go there
};

// inputs: of the graph, those that the caller gives. Fails: as WeightStore::add; unsupported for tensors of more dimensions than the C sources know.
Result<NativeProgram> native_program(const graph::Graph& graph, const std::vector<graph::ValueId>& inputs,
                                     const NativePlan& native, WeightStore& weights);

}  // namespace hone::package
