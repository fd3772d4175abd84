#include "codegen/graph/infer_shapes.h"

#include "base/cat.h"
#include "codegen/graph/op_table.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

Status check_extent(const Graph& graph, const Node& node, const Shape& shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent > 0 && elements > te::kExtentMax / extent)
      return Error{ErrorCode::kUnsupported, cat(node_text(graph, node), ": its output has more than ", te::kExtentMax,
                                                " elements; hone addresses elements with 32 bits")};
    elements *= extent;
  }
  return ok_status();
}

}  // namespace

Status infer_node(Graph& graph, const Node& node) {
  for (ValueId id : node.inputs)
    if (id != kNoValue && !graph.value(id).shape_known)
      return Error{ErrorCode::kBadModel, cat(node_text(graph, node), " reads '", graph.value(id).name, "', which nothing defines")};
  te::Builder builder;
  const OpCall call(builder, graph, node, [&](ValueId id, std::string_view name) {
    return builder.input(name, graph.value(id).dtype, graph.value(id).shape);
  });
  HONE_ASSIGN(outputs, emit_op(call));
  size_t made = 0;
  for (ValueId id : node.outputs) {
    if (id == kNoValue) continue;
    if (made == outputs.size())
      return Error{ErrorCode::kUnsupported, cat(node_text(graph, node), ": output '", graph.value(id).name, "' is not supported")};
    HONE_TRY(check_extent(graph, node, outputs[made]->shape));
    Value& value = graph.value(id);
    value.dtype = outputs[made]->dtype;
    value.shape = outputs[made]->shape;
    value.shape_known = true;
    made++;
  }
  return ok_status();
}

Status infer_shapes(Graph& graph) {
  for (const Node& node : graph.nodes) HONE_TRY(infer_node(graph, node));
  return ok_status();
}

}  // namespace hone::graph
