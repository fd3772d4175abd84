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
  for (std::string_view op :
       {"Conv", "ConvInteger", "ConvTranspose", "MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"})
    if (node.op == op) return true;
  return false;
}

bool multiplies_matrices(const Node& node) {
  return node.op == "MatMul" || node.op == "MatMulInteger" || node.op == "Gemm";
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

namespace {

// The order of a Transpose, which reverses the axes where it names none; empty where it is none of this many axes: its definition says so.
std::vector<int> order_of(const Node& node, size_t rank) {
  const auto found = node.attributes.find("perm");
  const auto* named = found == node.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&found->second);
  if (named && named->size() != rank) return {};
  std::vector<int> order;
  std::set<int64_t> seen;
  for (size_t i = 0; i < rank; i++) {
    const int64_t axis = named ? (*named)[i] : static_cast<int64_t>(rank - 1 - i);
    if (axis < 0 || axis >= static_cast<int64_t>(rank) || !seen.insert(axis).second) return {};
    order.push_back(static_cast<int>(axis));
  }
  return order;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> out(order.size());
  for (size_t i = 0; i < order.size(); i++) out[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return out;
}

// Finds the Transposes that are views. Vectors run along the innermost dimension, so it must stay where it is.
class Turns {
 public:
  Turns(const Graph& graph, Layouts& layouts)
      : graph_(graph),
        consumers_(consumers_of(graph)),
        producers_(producers_of(graph)),
        is_input_(marks_of(graph, graph.inputs)),
        is_output_(marks_of(graph, graph.outputs)),
        layouts_(layouts) {}

  void run() {
    for (const Node& node : graph_.nodes)
      if (may_be_view(node)) turn(node);
  }

 private:
  bool lies_row_major(ValueId id) const {
    return !layouts_.turned.count(id) &&
           (!layouts_.channels_last[static_cast<size_t>(id)] || channels_last(graph_.value(id).shape).row_major());
  }

  bool may_be_view(const Node& node) const {
    if (node.op != "Transpose" || graph_.value(node.inputs[0]).constant) return false;
    const std::vector<int> order = order_of(node, graph_.value(node.inputs[0]).shape.size());
    return !order.empty() && order.back() == static_cast<int>(order.size()) - 1 && lies_row_major(node.inputs[0]) &&
           lies_row_major(node.outputs[0]);
  }

  // A view of the result stays free where that lies row-major: then what is turned is computed in another order.
  void turn(const Node& node) {
    const ValueId from = node.inputs[0], to = node.outputs[0];
    const std::vector<int> order = order_of(node, graph_.value(from).shape.size());
    layouts_.views.insert(to);
    if (is_read_by_views(to) && is_computed_for(from)) set(from, order);
    else set(to, inverse(order));
  }

  void set(ValueId id, const std::vector<int>& order) {
    const ir::Layout layout = layout_of_order(graph_.value(id).shape, order);
    if (!layout.row_major()) layouts_.turned[id] = layout;
  }

  bool is_view(int node) const {
    const OpEntry* entry = find_op(graph_.nodes[static_cast<size_t>(node)].op);
    return entry && entry->kind == OpKind::kView;
  }

  bool is_read_by_views(ValueId id) const {
    const auto& readers = consumers_[static_cast<size_t>(id)];
    return std::any_of(readers.begin(), readers.end(), [this](int reader) { return is_view(reader); });
  }

  // By a task, and for one reader.
  bool is_computed_for(ValueId id) const {
    const int producer = producers_[static_cast<size_t>(id)];
    return producer >= 0 && !is_view(producer) && graph_.nodes[static_cast<size_t>(producer)].op != "Transpose" &&
           !graph_.nodes[static_cast<size_t>(producer)].at_boundary && !is_input_[static_cast<size_t>(id)] &&
           !is_output_[static_cast<size_t>(id)] && consumers_[static_cast<size_t>(id)].size() == 1;
  }

  const Graph& graph_;
  const std::vector<std::vector<int>> consumers_;
  const std::vector<int> producers_;
  const std::vector<bool> is_input_, is_output_;
  Layouts& layouts_;
};

}  // namespace

Layouts choose_layouts(const Graph& graph) {
  const std::vector<bool> matrix = Matrices(graph).run();
  Layouts out;
  for (size_t i = 0; i < graph.values.size(); i++) {
    const size_t rank = graph.values[i].shape.size();
    out.channels_last.push_back(!matrix[i] && (rank == 4 || rank == 5));
  }
  if (graph.medium == ir::Medium::kBuffer) Turns(graph, out).run();
  return out;
}

ir::Layout layout_of(const Graph& graph, ValueId id, const Layouts& layouts) {
  const Shape& shape = graph.value(id).shape;
  if (const auto turned = layouts.turned.find(id); turned != layouts.turned.end()) return turned->second;
  const ir::Layout base = layouts.channels_last[static_cast<size_t>(id)] ? channels_last(shape) : ir::Layout{};
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
