// ChildModels: each piece of work on a model in a child process of its own, so that a model that ends the process that reads it, or takes what there is, ends its job alone.
//
// The child's limits (child_run.h): memory, beside what the program itself takes, as the job has taken of the budget, and as much more as the budget has to spare (limits.h); time of the
// processor, by what the model's size and arithmetic account for, and ten times that of the clock. Weights that the file holds as they are are copied by nobody, others once.
//
// In this process, with the graph that came back: it is checked for form (graph_from_bytes); passes that fuse it and lay it out, tasks, plans and kernels are made here. The child has done so before, up to
// the tasks; plans and kernels are made of these, whose size is bounded (codegen/graph/limits.h). References of single tasks, for tuning, are other children's (child_references.h).
#pragma once
#include "server/jobs/child_run.h"
#include "server/jobs/memory_budget.h"
#include "server/jobs/models.h"

namespace hone::server {

class ChildModels : public Models {
 public:
  // The budget outlives it.
  ChildModels(ChildConfig config, MemoryBudget& memory) : config_(std::move(config)), memory_(memory) {}

  // Beside what Models says: as run_in_child; internal where the child answered with what is no answer.
  Result<graph::Graph> graph(const ModelRequest& request, const CancelToken* cancel) override;
  Result<std::vector<graph::ConstantTensor>> reference(const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel) override;

 private:
  Result<graph::Graph> ask(ModelWork work, const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel);

  const ChildConfig config_;
  MemoryBudget& memory_;
};

}  // namespace hone::server
