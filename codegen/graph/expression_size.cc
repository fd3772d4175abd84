#include "codegen/graph/expression_size.h"

#include <unordered_map>

#include "codegen/graph/op_table.h"

namespace hone::graph {
namespace {

// Nodes of expressions written out, where a load of a tensor counts as the tensor's own expression.
class Sizes {
 public:
  explicit Sizes(std::unordered_map<te::Tensor, double> tensors) : tensors_(std::move(tensors)) {}

  double of(const te::Program& program, te::Tensor result) {
    for (const te::Compute& c : program.computes)
      for (size_t i = 0; i < c.outputs.size(); i++) tensors_[c.outputs[i]] = c.reduce ? 1 : of(c.value[i]);
    return tensors_[result];
  }

 private:
  double of(te::Expr e) {
    if (const auto it = known_.find(e); it != known_.end()) return it->second;
    double size = e->kind == ir::ExprKind::kLoad ? tensors_[e->buffer] : 1;
    for (te::Expr a : e->args) size += of(a);
    return known_[e] = size;
  }

  std::unordered_map<te::Tensor, double> tensors_;
  std::unordered_map<te::Expr, double> known_;
};

}  // namespace

ExpressionSize expression_size(const Graph& graph, const Node& node) {
  te::Builder builder;
  std::unordered_map<ValueId, te::Tensor> inputs;
  const OpCall call(builder, graph, node, [&](ValueId id, std::string_view name) {
    te::Tensor& tensor = inputs[id];
    if (!tensor) tensor = builder.input(name, graph.value(id).dtype, graph.value(id).shape);
    return tensor;
  });
  ExpressionSize out{1, std::vector<double>(node.inputs.size(), 0)};
  const auto made = emit_op(call);
  if (!made.ok() || made->empty() || !(*made)[0]) return out;  // infer_shapes has refused it
  const te::Tensor result = (*made)[0];
  out.own = Sizes({}).of(builder.program(), result);
  for (size_t i = 0; i < node.inputs.size(); i++)
    if (const auto it = inputs.find(node.inputs[i]); it != inputs.end()) {
      out.reads[i] = Sizes({{it->second, 1.0}}).of(builder.program(), result) - out.own;
      inputs.erase(it);  // an input that is named twice is one tensor
    }
  return out;
}

}  // namespace hone::graph
