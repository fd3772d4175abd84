#include "server/jobs/models.h"

#include "codegen/graph/onnx_import.h"
#include "codegen/reference/reference_run.h"
#include "server/jobs/model_inputs.h"

namespace hone::server {

namespace {

struct OpenModel {
  graph::Graph graph;
  package::Tensors given;  // inputs, of a run
};

bool runs_a_model(const protocol::JobRequest& job) { return job.kind == protocol::JobKind::kRun || job.kind == protocol::JobKind::kBench; }

graph::ImportOptions options_for(const protocol::JobRequest& job, const std::vector<RunRequest::Input>& inputs, const CancelToken* cancel) {
  graph::ImportOptions options;
  options.dims.insert(job.dims.begin(), job.dims.end());
  options.cancel = cancel;
  for (const RunRequest::Input& input : inputs) {
    options.shapes[input.name] = input.tensor.shape;
    if (input.constant) options.constants[input.name] = input.tensor;
  }
  return options;
}

graph::PassNames left_out(const protocol::JobRequest& job) {
  const std::vector<std::string> names = job.without_passes.value_or(std::vector<std::string>());
  return {names.begin(), names.end()};
}

Result<OpenModel> open_model(const ModelRequest& request, const CancelToken* cancel) {
  RunRequest run{.model = *request.payload.bytes()};
  if (runs_a_model(request.job)) {
    HONE_ASSIGN(said, run_request(request.job, *request.payload.bytes()));
    run = std::move(said);
  }
  HONE_ASSIGN(graph, graph::graph_from_onnx(shared_part(request.payload.bytes(), run.model), options_for(request.job, run.inputs, cancel)));
  if (const auto kind = target::parse_kind(request.job.target)) graph.medium = target::stored_in(*kind);
  graph.layers_max = request.layers_max;
  HONE_ASSIGN(given, bind_inputs(graph, run.inputs));
  HONE_TRY(graph::prepare_graph(graph, {.cancel = cancel, .without = left_out(request.job)}));
  return OpenModel{std::move(graph), std::move(given)};
}

}  // namespace

Result<graph::Graph> LocalModels::graph(const ModelRequest& request, const CancelToken* cancel) {
  HONE_ASSIGN(model, open_model(request, cancel));
  return std::move(model.graph);
}

Result<std::vector<graph::ConstantTensor>> LocalModels::reference(const ModelRequest& request, const ReferenceEffort&, const CancelToken* cancel) {
  HONE_ASSIGN(model, open_model(request, cancel));
  generate_inputs(model.graph, request.job.seed, model.given);
  return reference::reference_run(model.graph, model.given, cancel);
}

}  // namespace hone::server
