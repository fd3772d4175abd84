#include "codegen/graph/model_bytes.h"

#include <algorithm>

namespace hone::graph {
namespace {

int64_t times(int64_t a, int64_t b) {
  int64_t out;
  return __builtin_mul_overflow(a, b, &out) ? INT64_MAX : out;
}
int64_t plus(int64_t a, int64_t b) {
  int64_t out;
  return __builtin_add_overflow(a, b, &out) ? INT64_MAX : out;
}

int64_t bytes_of(const Value& value) {
  return value.shape_known ? times(ir::element_count(value.shape), ir::size_bytes(value.dtype)) : 0;
}

std::vector<bool> used_values(const Graph& graph) {
  std::vector<bool> used = marks_of(graph, graph.inputs);
  for (ValueId id : graph.outputs) used[static_cast<size_t>(id)] = true;
  for (const Node& node : graph.nodes)
    for (const auto* list : {&node.inputs, &node.outputs})
      for (ValueId id : *list)
        if (id != kNoValue) used[static_cast<size_t>(id)] = true;
  return used;
}

}  // namespace

ModelBytes count_bytes(const Graph& graph) {
  ModelBytes out;
  for (ValueId id : graph.inputs) out.inputs = plus(out.inputs, bytes_of(graph.value(id)));
  const std::vector<bool> used = used_values(graph);
  for (size_t i = 0; i < graph.values.size(); i++) {
    const Value& value = graph.values[i];
    if (value.constant && value.bytes) out.constants = plus(out.constants, static_cast<int64_t>(value.bytes->size()));
    if (!used[i]) continue;
    out.largest = std::max(out.largest, bytes_of(value));
    out.values = plus(out.values, bytes_of(value));
  }
  return out;
}

}  // namespace hone::graph
