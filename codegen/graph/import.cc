#include "codegen/graph/import.h"

#include <fstream>
#include <iterator>

#include "base/cat.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/spec.h"

namespace hone::graph {
namespace {

Result<ModelTasks> tasks_of_graph(Graph graph, const ImportOptions& options) {
  HONE_TRY(prepare_graph(graph, {.cancel = options.cancel, .verify = options.verify, .without = options.without_passes}));
  return extract_tasks(graph, options.stored_types, options.cancel);
}

constexpr std::string_view kModelSuffix = ".onnx";

Result<std::string> read_file(std::string_view path) {
  std::ifstream file(std::string(path), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad())
    return Error{ErrorCode::kIoError, cat("cannot read '", path, "'; expected the path of an ONNX file")};
  return bytes;
}

Result<ModelTasks> tasks_of_onnx(const SharedBytes& file, const ImportOptions& options) {
  HONE_ASSIGN(graph, graph_from_onnx(file, options));
  graph.medium = options.medium;
  graph.layers_max = options.layers_max;
  return tasks_of_graph(std::move(graph), options);
}

Result<ModelTasks> tasks_of_spec(std::string_view spec, const ImportOptions& options) {
  if (spec.size() >= kModelSuffix.size() && spec.substr(spec.size() - kModelSuffix.size()) == kModelSuffix) {
    HONE_ASSIGN(bytes, read_file(spec));
    return tasks_from_onnx(bytes, options);
  }
  HONE_ASSIGN(graph, graph_from_spec(spec));
  return tasks_of_graph(std::move(graph), options);
}

}  // namespace

Result<ModelTasks> tasks_from_onnx(std::string_view bytes, const ImportOptions& options) {
  return tasks_of_onnx(shared_part(nullptr, bytes), options);  // tasks hold no weights
}

Result<te::Task> task_from_spec(std::string_view spec, const ImportOptions& options) {
  auto tasks = tasks_of_spec(spec, options);
  if (!tasks.ok()) {
    const std::string& message = tasks.error().message;
    return Error{tasks.error().code,
                 message.rfind("op SPEC", 0) == 0 ? message : cat("op SPEC '", spec, "': ", message)};
  }
  if (tasks->tasks.size() != 1)
    return Error{ErrorCode::kInvalidArgument,
                 cat("op SPEC '", spec, "' gives ", tasks->tasks.size(), " tasks; expected one node")};
  return std::move(tasks->tasks[0]);
}

}  // namespace hone::graph
