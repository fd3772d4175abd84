#include "codegen/graph/choose_layouts.h"

#include <algorithm>

#include "codegen/graph/op_table.h"
#include "codegen/graph/texel_layout.h"
#include "codegen/graph/view_layouts.h"
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
  for (std::string_view op :
       {"Conv", "ConvInteger", "ConvTranspose", "QLinearConv", "MaxPool", "AveragePool", "LpPool", "GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"})
    if (node.op == op) return true;
  return false;
}

bool multiplies_matrices(const Node& node) {
  for (std::string_view op : {"MatMul", "MatMulInteger", "QLinearMatMul", "Einsum", "Gemm"})
    if (node.op == op) return true;
  return false;
}

// Which values are matrices, or computed element by element together with one: what is added to a matrix lies as it does, so that one task
// need not transpose on the way. Each node is spread over once.
class Matrices {
 public:
  explicit Matrices(const Graph& graph)
      : graph_(graph),
        consumers_(consumers_of(graph)),
        producers_(producers_of(graph)),
        marks_(graph.values.size(), false),
        spread_(graph.nodes.size(), false) {}

  std::vector<bool> run() {
    for (const Node& node : graph_.nodes)
      if (multiplies_matrices(node)) mark_all(node);
    while (!fresh_.empty()) {
      const ValueId id = fresh_.back();
      fresh_.pop_back();
      for (int reader : consumers_[static_cast<size_t>(id)]) spread(reader, true);
      if (const int producer = producers_[static_cast<size_t>(id)]; producer >= 0) spread(producer, false);
    }
    return std::move(marks_);
  }

 private:
  void mark(ValueId id) {
    if (id == kNoValue || marks_[static_cast<size_t>(id)]) return;
    marks_[static_cast<size_t>(id)] = true;
    fresh_.push_back(id);
  }
  void mark_all(const Node& node) {
    for (const auto* list : {&node.inputs, &node.outputs})
      for (ValueId id : *list) mark(id);
  }
  // One of the node's values became a matrix; from_input: one that it reads.
  void spread(int index, bool from_input) {
    const Node& node = graph_.nodes[static_cast<size_t>(index)];
    const OpEntry* entry = find_op(node.op);
    if (!entry || spread_[static_cast<size_t>(index)]) return;
    if (entry->kind == OpKind::kElementwise) {
      spread_[static_cast<size_t>(index)] = true;
      mark_all(node);
    } else if (from_input && marks_[static_cast<size_t>(node.inputs[0])] && views_matrix(node, *entry)) {
      spread_[static_cast<size_t>(index)] = true;
      mark(node.outputs[0]);
    }
  }
  // A matrix under another shape, or turned (heads of attention), lies as it did: the view stays free. Not what a window slides over.
  bool views_matrix(const Node& node, const OpEntry& entry) const {
    if (entry.kind != OpKind::kView && node.op != "Transpose") return false;
    const auto& readers = consumers_[static_cast<size_t>(node.outputs[0])];
    return std::none_of(readers.begin(), readers.end(),
                        [&](int r) { return slides_window(graph_.nodes[static_cast<size_t>(r)]); });
  }

  const Graph& graph_;
  const std::vector<std::vector<int>> consumers_;
  const std::vector<int> producers_;
  std::vector<bool> marks_, spread_;  // per value; per node
  std::vector<ValueId> fresh_;        // marked, not spread yet
};

}  // namespace

Layouts choose_layouts(const Graph& graph) {
  const std::vector<bool> matrix = Matrices(graph).run();
  Layouts out;
  out.uploaded = marks_of(graph, graph.inputs);
  const bool has_channels = std::any_of(graph.nodes.begin(), graph.nodes.end(), slides_window);
  for (size_t i = 0; i < graph.values.size(); i++) {
    const size_t rank = graph.values[i].shape.size();
    out.channels_last.push_back(has_channels && !matrix[i] && (rank == 4 || rank == 5));
  }
  // What shares a loop's memory lies alike.
  for (const Node& node : graph.nodes)
    if (find_op(node.op) && find_op(node.op)->kind == OpKind::kState)
      for (ValueId id : node.outputs)
        if (id != kNoValue) out.channels_last[static_cast<size_t>(id)] = false;
  find_views(graph, out);
  return out;
}

ir::Layout layout_of(const Graph& graph, ValueId id, const Layouts& layouts) {
  const Shape& shape = graph.value(id).shape;
  if (const auto turned = layouts.turned.find(id); turned != layouts.turned.end()) return turned->second;
  const ir::Layout base = layouts.channels_last[static_cast<size_t>(id)] ? channels_last(shape) : ir::Layout{};
  if (graph.medium == ir::Medium::kBuffer) return base;
  // What the host uploads need not lie as a kernel writes; without layers it is read faster.
  return texel_layout(shape, base, layouts.uploaded[static_cast<size_t>(id)] ? 1 : graph.layers_max);
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
