#include <cmath>
#include <map>

#include "codegen/graph/matcher.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

constexpr int kBetweenMax = 4;  // nodes that only move elements, between a factor and its product

class ProductScaler {
 public:
  explicit ProductScaler(Graph& graph) : graph_(graph), m_(graph), producers_(producers_of(graph)) {}

  void run() {
    for (int i = 0; i < m_.nodes(); i++)
      if (joins_activations(m_.node(i))) try_at(i);
    if (behind_.empty()) return;
    std::vector<Node> nodes;
    for (int i = 0; i < m_.nodes(); i++) {
      nodes.push_back(std::move(graph_.nodes[static_cast<size_t>(i)]));
      if (const auto it = behind_.find(i); it != behind_.end()) nodes.push_back(std::move(it->second));
    }
    graph_.nodes = std::move(nodes);
  }

 private:
  // A product with weights takes its factors into them, or is one of many that share a task.
  bool joins_activations(const Node& node) const {
    return node.op == "MatMul" && m_.value(node.outputs[0]).dtype == DType::kF32 && !m_.value(node.inputs[0]).constant && !m_.value(node.inputs[1]).constant;
  }
  bool only_moves(const Node& node) const {
    const OpEntry* entry = find_op(node.op);
    return node.op == "Transpose" || (entry && entry->kind == OpKind::kView && !is_own(node.op));
  }
  // The operand that a Mul or a Div by a number leaves as wide as it is, and the number.
  std::optional<Product> scaled(const Node& node) const;
  double take_factor(int reader, size_t input, int between);
  void try_at(int product);
  double meant(int product, double factor) const;

  Graph& graph_;
  Matcher m_;
  const std::vector<int> producers_;
  std::map<int, Node> behind_;  // by the product
};

std::optional<Product> ProductScaler::scaled(const Node& node) const {
  if (node.op != "Mul" && node.op != "Div") return std::nullopt;
  for (size_t i = 0; i < 2; i++) {
    const auto number = m_.number(node.inputs[i]);
    const ValueId x = node.inputs[1 - i];
    if (!number || (node.op == "Div" && i == 0) || m_.value(x).shape != m_.value(node.outputs[0]).shape) continue;
    return Product{node.op == "Div" ? 1 / *number : *number, {x}};
  }
  return std::nullopt;
}

// What the operand is multiplied with, and is not any more.
double ProductScaler::take_factor(int reader, size_t input, int between) {
  const ValueId id = m_.node(reader).inputs[input];
  const int maker = m_.is_read_times(id, 1) ? producers_[static_cast<size_t>(id)] : -1;
  if (maker < 0) return 1;
  if (only_moves(m_.node(maker))) return between < kBetweenMax ? take_factor(maker, 0, between + 1) : 1;
  const auto factor = scaled(m_.node(maker));
  if (!factor || !std::isnormal(factor->factor)) return 1;
  graph_.nodes[static_cast<size_t>(reader)].inputs[input] = factor->values[0];
  return factor->factor;
}

// 1 / √k where two roots were meant to be that.
double ProductScaler::meant(int product, double factor) const {
  const Shape& shape = m_.value(m_.node(product).inputs[0]).shape;
  const double whole = shape.empty() || shape.back() == 0 ? factor : 1 / std::sqrt(double(shape.back()));
  return is_near(factor, whole, DType::kF32) ? whole : factor;
}

void ProductScaler::try_at(int product) {
  const double factor = take_factor(product, 0, 0) * take_factor(product, 1, 0);
  if (factor == 1) return;
  Node& node = graph_.nodes[static_cast<size_t>(product)];
  const ValueId scaled = node.outputs[0];
  const Value value = graph_.value(scaled);
  node.outputs[0] = graph_.add_value({value.name + ".product", value.dtype, value.shape, true});
  const ValueId number = NodeWriter(graph_).constant(value.dtype, {}, {meant(product, factor)});
  Node& behind = behind_[product] = Node{"", "Mul", {node.outputs[0], number}, {scaled}};
  behind.model_node = node.model_node;
}

}  // namespace

void scale_products(Graph& graph) { ProductScaler(graph).run(); }

}  // namespace hone::graph
