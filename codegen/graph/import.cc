#include "codegen/graph/import.h"

#include "base/cat.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/fold_constants.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/spec.h"

namespace hone::graph {
namespace {

// Shapes → folding → clean-up → layouts → fusion → tasks.
Result<ModelTasks> tasks_of_graph(Graph graph) {
  HONE_TRY(fold_constants(graph));
  fold_batch_normalization(graph);
  return extract_tasks(graph);
}

}  // namespace

Result<ModelTasks> tasks_from_onnx(std::string_view bytes, const ImportOptions& options) {
  HONE_ASSIGN(graph, graph_from_onnx(bytes, options));
  return tasks_of_graph(std::move(graph));
}

Result<te::Task> task_from_spec(std::string_view spec) {
  HONE_ASSIGN(graph, graph_from_spec(spec));
  auto tasks = tasks_of_graph(std::move(graph));
  if (!tasks.ok()) return Error{tasks.error().code, cat("op SPEC '", spec, "': ", tasks.error().message)};
  if (tasks->tasks.size() != 1)
    return Error{ErrorCode::kInvalidArgument, cat("op SPEC '", spec, "' gives ", tasks->tasks.size(), " tasks; expected one node")};
  return std::move(tasks->tasks[0]);
}

}  // namespace hone::graph
