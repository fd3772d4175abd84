#include "codegen/graph/evaluate_graph.h"

#include "base/cat.h"
#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/te/evaluate.h"

namespace hone::graph {
namespace {

// The elements of a value that is an input, a constant, or computed before.
Result<std::vector<double>> read(const Graph& graph, const ValueMap& known, ValueId id) {
  const auto it = known.find(id);
  if (it != known.end()) return it->second;
  const Value& v = graph.value(id);
  if (v.constant && v.bytes) return to_doubles({v.dtype, v.shape, v.bytes});
  return Error{ErrorCode::kInvalidArgument,
               cat("the value '", v.name, "' has no contents; expected an input of this name")};
}

}  // namespace

Result<std::vector<std::vector<double>>> evaluate_graph(const Graph& graph, const ValueMap& inputs) {
  const Layouts layouts = choose_layouts(graph);
  ValueMap known = inputs;
  const GroupTasks tasks(graph, layouts);
  HONE_ASSIGN(groups, fuse(graph, layouts));
  for (const Group& group : groups) {
    HONE_ASSIGN(made, tasks.of(group));
    HONE_TRY(te::verify_te(made.task.program));
    std::vector<std::vector<double>> arguments;
    for (ValueId id : made.inputs) {
      HONE_ASSIGN(values, read(graph, known, id));
      arguments.push_back(std::move(values));
    }
    auto results = te::evaluate(made.task.program, arguments);
    for (size_t i = 0; i < results.size(); i++) known[made.outputs[i]] = std::move(results[i]);
  }
  std::vector<std::vector<double>> out;
  for (ValueId id : graph.outputs) {
    HONE_ASSIGN(values, read(graph, known, id));
    out.push_back(std::move(values));
  }
  return out;
}

}  // namespace hone::graph
