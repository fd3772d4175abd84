#include "codegen/graph/infer_shapes.h"

#include "base/cat.h"
#include "codegen/graph/check_shape.h"
#include "codegen/graph/lengths.h"
#include "codegen/graph/op_table.h"

namespace hone::graph {
namespace {

// Of everything that the definition computes: what lies between inputs and outputs is addressed like them.
Status check_computes(const te::Program& program, const std::string& what) {
  for (const te::Compute& c : program.computes)
    for (te::Tensor t : c.outputs) HONE_TRY(check_shape(t->shape, cat(what, ": its result ", t->name)));
  return ok_status();
}

Status set_outputs(Graph& graph, const Node& node, const std::vector<te::Tensor>& made) {
  for (size_t i = 0; i < node.outputs.size(); i++) {
    if (node.outputs[i] == kNoValue) continue;
    Value& value = graph.value(node.outputs[i]);
    if (i >= made.size() || !made[i])
      return Error{ErrorCode::kUnsupported, cat(node_text(graph, node), ": its output '", value.name,
                                                "' is read, and hone does not compute it; export the model without it")};
    value.dtype = made[i]->dtype;
    value.shape = made[i]->shape;
    value.shape_known = true;
  }
  return ok_status();
}

}  // namespace

Status infer_node(Graph& graph, const Node& node) {
  for (ValueId id : node.inputs)
    if (id != kNoValue && !graph.value(id).shape_known)
      return Error{ErrorCode::kBadModel, cat(node_text(graph, node), " reads '", graph.value(id).name, "', which nothing defines")};
  te::Builder builder;
  std::vector<ValueId> read;
  const OpCall call(builder, graph, node, [&](ValueId id, std::string_view name) {
    read.push_back(id);
    return builder.input(name, graph.value(id).dtype, graph.value(id).shape);
  });
  HONE_ASSIGN(made, emit_op(call));
  HONE_TRY(check_computes(builder.program(), node_text(graph, node)));
  HONE_TRY(set_outputs(graph, node, made));
  const Status lengths = infer_lengths(graph, node, {builder.program(), std::move(read), std::move(made)});
  return lengths.ok() ? lengths : Status(Error{lengths.error().code, cat(node_text(graph, node), ": ", lengths.error().message)});
}

Status infer_shapes(Graph& graph) {
  for (const Node& node : graph.nodes) HONE_TRY(infer_node(graph, node));
  return ok_status();
}

}  // namespace hone::graph
