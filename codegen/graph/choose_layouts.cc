#include "codegen/graph/choose_layouts.h"

#include <algorithm>
#include <unordered_set>

#include "codegen/graph/op_table.h"
#include "codegen/graph/texel_layout.h"
#include "codegen/ir/mutator.h"

namespace hone::graph {

ir::Layout layout_of_order(const Shape& shape, const std::vector<int>& order) {
  ir::Layout out;
  int last = -1;
  bool ascending = true;
  for (int axis : order) {
    const int64_t extent = shape[static_cast<size_t>(axis)];
    out.dims.push_back({axis, 1, std::max<int64_t>(extent, 1)});
    if (extent == 1) continue;
    ascending = ascending && axis > last;
    last = axis;
  }
  return ascending ? ir::Layout{} : out;
}

ir::Layout channels_last(const Shape& shape) {
  if (shape.size() < 4 || shape.size() > 5) return {};
  std::vector<int> order = {0};
  for (int i = 2; i < static_cast<int>(shape.size()); i++) order.push_back(i);
  order.push_back(1);
  return layout_of_order(shape, order);
}

namespace {

bool slides_window(const Node& node) {
  for (std::string_view op : {"Conv", "ConvInteger", "ConvTranspose", "MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"})
    if (node.op == op) return true;
  return false;
}

// A matrix under another shape, or turned (heads of attention), lies as it did: the view stays free. Not what a window slides over.
bool views_matrix(const Graph& graph, const std::vector<std::vector<int>>& consumers, const Node& node) {
  const OpEntry* entry = find_op(node.op);
  if (!entry || (entry->kind != OpKind::kView && node.op != "Transpose")) return false;
  const auto& readers = consumers[static_cast<size_t>(node.outputs[0])];
  return std::none_of(readers.begin(), readers.end(), [&](int r) { return slides_window(graph.nodes[static_cast<size_t>(r)]); });
}

}  // namespace

std::vector<bool> choose_layouts(const Graph& graph) {
  const auto consumers = consumers_of(graph);
  std::vector<bool> matrix(graph.values.size(), false);
  for (const Node& node : graph.nodes) {
    if (node.op != "MatMul" && node.op != "MatMulInteger" && node.op != "Gemm") continue;
    for (const auto* list : {&node.inputs, &node.outputs})
      for (ValueId id : *list)
        if (id != kNoValue) matrix[static_cast<size_t>(id)] = true;
  }
  // What is added to, or computed element by element from, a matrix lies as the matrix does: one task must not transpose on the way.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Node& node : graph.nodes) {
      const OpEntry* entry = find_op(node.op);
      if (views_matrix(graph, consumers, node) && matrix[static_cast<size_t>(node.inputs[0])] && !matrix[static_cast<size_t>(node.outputs[0])])
        changed = matrix[static_cast<size_t>(node.outputs[0])] = true;
      if (!entry || entry->kind != OpKind::kElementwise) continue;
      bool any = false;
      for (const auto* list : {&node.inputs, &node.outputs})
        for (ValueId id : *list) any = any || (id != kNoValue && matrix[static_cast<size_t>(id)]);
      if (!any) continue;
      for (const auto* list : {&node.inputs, &node.outputs})
        for (ValueId id : *list)
          if (id != kNoValue && !matrix[static_cast<size_t>(id)]) changed = matrix[static_cast<size_t>(id)] = true;
    }
  }
  std::vector<bool> out;
  for (size_t i = 0; i < graph.values.size(); i++) {
    const size_t rank = graph.values[i].shape.size();
    out.push_back(!matrix[i] && (rank == 4 || rank == 5));
  }
  return out;
}

ir::Layout layout_of(const Graph& graph, ValueId id, const std::vector<bool>& is_channels_last) {
  const Shape& shape = graph.value(id).shape;
  const ir::Layout base = is_channels_last[static_cast<size_t>(id)] ? channels_last(shape) : ir::Layout{};
  if (graph.medium == ir::Medium::kBuffer) return base;
  // What the host uploads need not lie as a kernel writes; without layers it is read faster.
  const bool uploaded = std::find(graph.inputs.begin(), graph.inputs.end(), id) != graph.inputs.end();
  return texel_layout(shape, base, uploaded ? 1 : graph.layers_max);
}

namespace {
// The dimension of the load that each variable indexes; -1 where none does.
int dimension_indexed_by(ir::Expr load, te::Var var) {
  for (size_t d = 0; d < load->args.size(); d++)
    if (ir::uses_var(load->args[d], var)) return static_cast<int>(d);
  return -1;
}
}  // namespace

ir::Layout constant_layout(const te::Program& program, te::Tensor constant, bool channels_inside) {
  for (const te::Compute& c : program.computes) {
    if (!c.reduce || c.axes.empty()) continue;
    ir::Expr load = nullptr;
    for (ir::Expr value : c.value)
      ir::for_each_node(value, [&](ir::Expr e) {
        if (e->kind == ir::ExprKind::kLoad && e->buffer == constant) load = e;
      });
    if (!load) continue;
    const size_t inner_axis = channels_inside && c.axes.size() > 1 ? 1 : c.axes.size() - 1;
    std::vector<int> reduced, order;
    for (const te::Axis& a : c.reduce->axes) {
      const int d = dimension_indexed_by(load, a.var);
      if (d >= 0 && std::find(reduced.begin(), reduced.end(), d) == reduced.end()) reduced.push_back(d);
    }
    const int inner = dimension_indexed_by(load, c.axes[inner_axis].var);
    for (int d = 0; d < static_cast<int>(constant->shape.size()); d++)
      if (d != inner && std::find(reduced.begin(), reduced.end(), d) == reduced.end()) order.push_back(d);
    for (int d : reduced)
      if (d != inner) order.push_back(d);
    if (inner >= 0) order.push_back(inner);
    return layout_of_order(constant->shape, order);
  }
  return channels_inside ? channels_last(constant->shape) : ir::Layout{};
}

}  // namespace hone::graph
