#include <algorithm>
#include <numeric>

#include "codegen/graph/limits.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/passes.h"
#include "codegen/graph/transposed_region.h"

namespace hone::graph {
namespace {

// Dimensions of one element are in no order.
bool moves_elements(const Shape& shape, const AxisOrder& order) {
  AxisOrder moved;
  for (int64_t axis : order)
    if (shape[static_cast<size_t>(axis)] != 1) moved.push_back(axis);
  return !std::is_sorted(moved.begin(), moved.end());
}

// Each Transpose behind another reads what that one reads, and vanishes where nothing is moved.
class Composing {
 public:
  explicit Composing(Graph& graph) : graph_(graph), producers_(producers_of(graph)), leaves_(marks_of(graph, graph.outputs)), stands_for_(graph.values.size()) {
    std::iota(stands_for_.begin(), stands_for_.end(), 0);
  }

  void run() {
    for (Node& node : graph_.nodes) {
      for (ValueId& id : node.inputs)
        if (id != kNoValue) id = stands_for_[static_cast<size_t>(id)];
      if (node.op == "Transpose") compose(node);
    }
  }

 private:
  void compose(Node& node) {
    AxisOrder order = order_of(graph_, node);
    const int before = producers_[static_cast<size_t>(node.inputs[0])];
    if (before >= 0 && graph_.nodes[static_cast<size_t>(before)].op == "Transpose") {
      const Node& first = graph_.nodes[static_cast<size_t>(before)];
      order = composed(order_of(graph_, first), order);
      node.inputs[0] = first.inputs[0];
      node.attributes["perm"] = order;
    }
    if (is_identity(order)) vanish(node);
    else if (!moves_elements(graph_.value(node.inputs[0]).shape, order)) reshape(node);
  }

  // What the graph hands out keeps a node, which joins the kernel of what it reads.
  void vanish(Node& node) {
    if (!leaves_[static_cast<size_t>(node.outputs[0])]) {
      stands_for_[static_cast<size_t>(node.outputs[0])] = node.inputs[0];
      return;
    }
    node.op = "Identity";
    node.attributes.clear();
  }

  void reshape(Node& node) {
    const Shape shape = graph_.value(node.outputs[0]).shape;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
    node.op = "Reshape";
    node.inputs.push_back(NodeWriter(graph_).list(shape));
    node.attributes.clear();
  }

  Graph& graph_;
  const std::vector<int> producers_;
  const std::vector<bool> leaves_;
  std::vector<ValueId> stands_for_;  // what is read in a value's stead
};

// Regions where fewer Transposes are left than there were are written; a node is in one at most.
class Moving {
 public:
  explicit Moving(Graph& graph) : graph_(graph), uses_{producers_of(graph), consumers_of(graph), marks_of(graph, graph.outputs)} {}

  bool run() {
    for (int i = 0; i < static_cast<int>(graph_.nodes.size()); i++)
      if (graph_.nodes[static_cast<size_t>(i)].op == "Transpose" && !seen_.count(i)) try_from(i);
    if (behind_.empty()) return false;
    std::vector<Node> nodes;
    for (size_t i = 0; i < graph_.nodes.size(); i++) {
      nodes.push_back(std::move(graph_.nodes[i]));
      if (const auto it = behind_.find(static_cast<int>(i)); it != behind_.end()) nodes.push_back(std::move(it->second));
    }
    graph_.nodes = std::move(nodes);
    return true;
  }

 private:
  void try_from(int transpose) {
    TransposedRegion region(graph_, uses_, transpose, elements_left_);
    seen_.insert(region.sources().begin(), region.sources().end());
    if (region.gain() > 0) region.write(behind_);
    else region.discard();
  }

  Graph& graph_;
  const TransposedRegion::Uses uses_;
  int64_t elements_left_ = kFoldElementsMax;  // of constants, which a model may name often
  std::set<int> seen_;            // Transposes
  std::map<int, Node> behind_;    // Transposes by the node that they stand behind
};

}  // namespace

void eliminate_transposes(Graph& graph) {
  Composing(graph).run();
  drop_dead_nodes(graph);
  if (!Moving(graph).run()) return;
  Composing(graph).run();
}

}  // namespace hone::graph
