// ChildReferences: what a task's kernels must compute, by a child process for each task: a task is what a client's model made it.
//
// The child's limits: memory, as its job has taken of the budget for it, and as much more as the budget has to spare (limits.h); time of the processor, by what the reference's arithmetic
// accounts for. Its answer is checked for form (reference_bytes.h).
#pragma once
#include "codegen/emit/llvm/reference.h"
#include "server/jobs/child_run.h"
#include "server/jobs/memory_budget.h"

namespace hone::server {

class ChildReferences {
 public:
  // The budget outlives it.
  ChildReferences(ChildConfig config, MemoryBudget& memory) : config_(std::move(config)), memory_(memory) {}

  // As emit::reference_outputs with the task's own seed. Any thread. Fails: as it and as run_in_child; internal where the child answered with what is no answer.
  Result<emit::Reference> operator()(const te::Task& task, const CancelToken* cancel) const;

 private:
  ChildConfig config_;
  MemoryBudget& memory_;
};

}  // namespace hone::server
