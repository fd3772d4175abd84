// What the service does with a client's model beside planning it: reads it, and computes its reference. Both take what the model makes of them, so the service has them done by a child
// (ChildModels); tests and fuzzers do them in their own process.
#pragma once
#include <vector>

#include "base/cancel.h"
#include "codegen/graph/graph.h"
#include "schema/generated/protocol.h"
#include "server/child/shared_memory.h"

namespace hone::server {

struct ModelRequest {
  const protocol::JobRequest& job;
  const SharedMemory& payload;  // the job's: an ONNX model, and what the options of a run or bench say of the bytes behind it
  int64_t layers_max = target::kRenderTargets;  // as Graph's
};

// What a model's reference takes beside reading the model.
struct ReferenceEffort {
  double memory_bytes = 0;  // which the job has taken of its service's budget; 0: it has taken none
  double processor_s = 0;   // on a slow processor
};

// Any thread.
class Models {
 public:
  virtual ~Models() = default;
  // As prepare_graph leaves it, for the job's target. Its constants are parts of the payload where the file has them so. Inputs that the request gives as constants are constants.
  // Fails: as run_request, graph_from_onnx, bind_inputs and prepare_graph; cancelled.
  virtual Result<graph::Graph> graph(const ModelRequest& request, const CancelToken* cancel) = 0;
  // The outputs of a job that runs a model, of the inputs that it gives and of those made up for the rest (generate_inputs).
  // Fails: as graph and reference_run.
  virtual Result<std::vector<graph::ConstantTensor>> reference(const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel) = 0;
};

class LocalModels : public Models {
 public:
  Result<graph::Graph> graph(const ModelRequest& request, const CancelToken* cancel) override;
  Result<std::vector<graph::ConstantTensor>> reference(const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel) override;
};

}  // namespace hone::server
