#include "server/jobs/child_models.h"

namespace hone::server {

Result<graph::Graph> ChildModels::ask(ModelWork work, const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel) {
  const int64_t least = effort.memory_bytes > 0 ? 0 : kModelChildBytesMin;
  HONE_ASSIGN(spare, memory_.take_most(least, kModelChildBytesMax, name_of(work)));
  const auto payload_bytes = static_cast<double>(request.payload.bytes()->size());
  const auto memory_bytes = static_cast<int64_t>(kImportCopies * payload_bytes + effort.memory_bytes) + spare.bytes();
  const double more_s = payload_bytes / kModelChildBytesPerS + effort.processor_s;
  const ChildRequest asked{.work = work,
                           .limits = {.memory_bytes = memory_bytes, .written_bytes = memory_bytes, .processor_s = processor_limit_s(config_, more_s)},
                           .layers_max = request.layers_max,
                           .job = request.job};
  HONE_ASSIGN(answer, run_in_child(config_, asked, request.payload, cancel));
  return read_answer(answer.bytes(), request.payload.bytes());
}

Result<graph::Graph> ChildModels::graph(const ModelRequest& request, const CancelToken* cancel) { return ask(ModelWork::kGraph, request, {}, cancel); }

Result<std::vector<graph::ConstantTensor>> ChildModels::reference(const ModelRequest& request, const ReferenceEffort& effort, const CancelToken* cancel) {
  HONE_ASSIGN(outputs, ask(ModelWork::kReference, request, effort, cancel));
  return outputs_of_graph(outputs);
}

}  // namespace hone::server
