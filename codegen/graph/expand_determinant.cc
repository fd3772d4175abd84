// A determinant is a node for each column.
#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {

Result<int64_t> determinant_steps(const OpCall& call) {
  const Shape& x = call.value(0).shape;
  if (x.size() < 2 || x[x.size() - 1] != x[x.size() - 2]) return bad_node(cat("matrices of shape ", te::shape_text(x), " have no determinant"));
  return x.back();
}

Expanded expand_determinant(NodeWriter& nodes, const OpCall& call) {
  HONE_ASSIGN(size, determinant_steps(call));
  const Shape x = call.value(0).shape, batch(x.begin(), x.end() - 2);
  const int64_t count = ir::element_count(batch);
  ValueId rest = nodes.reshaped(call.id(0), {count, size, size});
  ValueId product = nodes.add("ConstantOfShape", {nodes.list({count})}, {{"value", from_doubles(call.value(0).dtype, {1}, {1})}});
  for (int64_t m = size; m > 0; m--) {
    const std::vector<ValueId> made = nodes.add_all("hone.EliminateStep", {rest, product}, {}, 2);
    rest = made[0];
    product = made[1];
  }
  return std::vector<ValueId>{nodes.reshaped(product, {batch.begin(), batch.end()})};
}

}  // namespace hone::graph
