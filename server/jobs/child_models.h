// ChildModels: each piece of work on a model in a child process of its own, so that a model that ends the process that reads it, or takes what there is, ends its job alone.
//
// The child is this program, started anew (model_child.h). It has the payload as shared memory, and answers in shared memory: weights that the file holds as they are are copied by nobody,
// others once. Its limits: memory, beside what the program itself takes, as the job has taken of the budget, and as much more as the budget has to spare (limits.h); time of the processor,
// by what the model's size and arithmetic account for, and ten times that of the clock. It ends with the job that is cancelled, and with this process.
//
// In this process, with the graph that came back: it is checked for form (graph_from_bytes); passes that fuse it and lay it out, tasks, plans and kernels are made here. The child has done so before, up to
// the tasks; plans and kernels are made of these, whose size is bounded (codegen/graph/limits.h). References of single tasks, for tuning, are computed by the workers, within the same
// bounds, in memory that is counted, and hear a cancel.
#pragma once
#include <chrono>
#include <string>

#include "server/jobs/limits.h"
#include "server/jobs/memory_budget.h"
#include "server/jobs/model_messages.h"
#include "server/jobs/models.h"

namespace hone::server {

class ChildModels : public Models {
 public:
  struct Config {
    std::string program;  // one that hands kModelChildVerb to run_model_child
    double processor_s = kModelChildS;  // for any model
    double clock_per_processor = kModelChildClockPerProcessor;
  };
  // The budget outlives it.
  ChildModels(Config config, MemoryBudget& memory) : config_(std::move(config)), memory_(memory) {}

  // Beside what Models says: limit_exceeded where it took too long, out_of_memory where it had too little, internal where the child crashed or answered with what is no answer; io_error
  // where there is no child. The child is cancelled within 20 ms.
  Result<graph::Graph> graph(const ModelRequest& request, const CancelToken* cancel) override;
  Result<std::vector<graph::ConstantTensor>> reference(const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel) override;

 private:
  Result<graph::Graph> ask(ModelWork work, const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel);
  Result<SharedMemory> answer_to(const ChildRequest& asked, const SharedMemory& payload, const CancelToken* cancel) const;

  const Config config_;
  MemoryBudget& memory_;
};

}  // namespace hone::server
