#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "codegen/graph/definition_reads.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

// Of numbers whose inverse every float type has, too: that of f16 ends with 2¹⁵ and 2⁻¹⁴.
constexpr int kExponentMax = 14;

// ONNX's, whose definitions say a shape; hone's own may say more than that.
bool is_view(const Node& node) {
  const OpEntry* entry = find_op(node.op);
  return entry && entry->kind == OpKind::kView && !is_own(node.op);
}

class Simplifier {
 public:
  explicit Simplifier(Graph& graph)
      : graph_(graph), producers_(producers_of(graph)), consumers_(consumers_of(graph)), leaves_(marks_of(graph, graph.outputs)), stands_for_(graph.values.size()) {
    std::iota(stands_for_.begin(), stands_for_.end(), 0);
  }

  void run() {
    for (Node& node : graph_.nodes) {
      for (ValueId& id : node.inputs)
        if (id != kNoValue) id = stands_for_[static_cast<size_t>(id)];
      if (leave_out(node)) continue;
      join_views(node);
      multiply_instead(node);
    }
  }

 private:
  bool is_leaf(ValueId id) const { return leaves_[static_cast<size_t>(id)]; }
  // What made the value before the pass; null: an input, a constant, or a value of this pass.
  const Node* maker(ValueId id) const {
    const int i = id != kNoValue && static_cast<size_t>(id) < producers_.size() ? producers_[static_cast<size_t>(id)] : -1;
    return i < 0 ? nullptr : &graph_.nodes[static_cast<size_t>(i)];
  }
  bool leave_out(const Node& node);
  std::optional<ValueId> same_as(const Node& node) const;
  std::optional<ValueId> beside_neutral(const Node& node) const;
  bool is_neutral(const Node& node, size_t i) const;
  std::optional<ValueId> undone(const Node& node) const;
  std::optional<ValueId> shown_as_is(const Node& node) const;
  void join_views(Node& node);
  void multiply_instead(Node& node);

  Graph& graph_;
  const std::vector<int> producers_;
  const std::vector<std::vector<int>> consumers_;
  const std::vector<bool> leaves_;
  std::vector<ValueId> stands_for_;  // what is read in a value's stead
};

// Whether the operand changes no bit of the other, of floats: the arena knows those of whole numbers (handed_on). x + 0 makes 0 of −0.
bool Simplifier::is_neutral(const Node& node, size_t i) const {
  const Value& v = graph_.value(node.inputs[i]);
  if (!v.constant || !v.bytes || ir::element_count(v.shape) != 1) return false;
  const double number = to_doubles({v.dtype, v.shape, v.bytes})[0];
  const bool is_second = i == 1;
  if (node.op == "Mul" || (node.op == "Div" && is_second)) return number == 1;
  if (node.op == "Add") return number == 0 && std::signbit(number);
  return node.op == "Sub" && is_second && number == 0 && !std::signbit(number);
}

std::optional<ValueId> Simplifier::beside_neutral(const Node& node) const {
  if (node.inputs.size() != 2 || node.inputs[0] == kNoValue || node.inputs[1] == kNoValue) return std::nullopt;
  for (size_t i = 0; i < 2; i++)
    if (is_neutral(node, i)) return node.inputs[1 - i];
  return std::nullopt;
}

// x, of a negation of a negation.
std::optional<ValueId> Simplifier::undone(const Node& node) const {
  const bool negates = node.op == "Neg" || node.op == "Not";
  const Node* before = negates ? maker(node.inputs[0]) : nullptr;
  return before && before->op == node.op ? std::optional(before->inputs[0]) : std::nullopt;
}

// x, of a view, or of a view of a view, that shows x as it is.
std::optional<ValueId> Simplifier::shown_as_is(const Node& node) const {
  const Shape& shape = graph_.value(node.outputs[0]).shape;
  if (graph_.value(node.inputs[0]).shape == shape) return node.inputs[0];
  const Node* before = maker(node.inputs[0]);
  const bool shows = before && is_view(*before) && graph_.value(before->inputs[0]).shape == shape;
  return shows ? std::optional(before->inputs[0]) : std::nullopt;
}

std::optional<ValueId> Simplifier::same_as(const Node& node) const {
  if (is_view(node)) return shown_as_is(node);
  if (const auto x = beside_neutral(node)) return x;
  if (const auto x = undone(node)) return x;
  return handed_on(graph_, node);
}

bool Simplifier::leave_out(const Node& node) {
  if (node.outputs.size() != 1 || node.outputs[0] == kNoValue || is_leaf(node.outputs[0]) || is_own(node.op)) return false;
  const auto x = same_as(node);
  if (!x) return false;
  const Value &before = graph_.value(*x), &after = graph_.value(node.outputs[0]);
  if (before.shape != after.shape || before.dtype != after.dtype) return false;
  stands_for_[static_cast<size_t>(node.outputs[0])] = *x;
  return true;
}

// A view that is read by nothing else takes no part: elements are shown in the order of what it shows.
void Simplifier::join_views(Node& node) {
  const Node* before = is_view(node) ? maker(node.inputs[0]) : nullptr;
  if (!before || !is_view(*before) || is_leaf(node.inputs[0]) || consumers_[static_cast<size_t>(node.inputs[0])].size() != 1) return;
  const Shape& shape = graph_.value(node.outputs[0]).shape;
  const bool has_none = std::find(shape.begin(), shape.end(), 0) != shape.end();
  const ValueId source = before->inputs[0], wanted = NodeWriter(graph_).list(shape);
  node.op = "Reshape";
  node.inputs = {source, wanted};
  node.attributes.clear();
  if (has_none) node.attributes["allowzero"] = int64_t{1};
}

// x / 2ⁿ is x · 2⁻ⁿ to the last bit: one task for both spellings.
void Simplifier::multiply_instead(Node& node) {
  if (node.op != "Div" || !ir::is_float(graph_.value(node.outputs[0]).dtype)) return;
  const Value divisor = graph_.value(node.inputs[1]);
  if (!divisor.constant || !divisor.bytes || ir::element_count(divisor.shape) != 1) return;
  const double number = to_doubles({divisor.dtype, divisor.shape, divisor.bytes})[0];
  int exponent = 0;
  if (std::frexp(std::fabs(number), &exponent) != 0.5 || std::abs(exponent) > kExponentMax) return;
  node.op = "Mul";
  node.inputs[1] = NodeWriter(graph_).constant(divisor.dtype, divisor.shape, {1 / number});
}

}  // namespace

void simplify_algebra(Graph& graph) { Simplifier(graph).run(); }

}  // namespace hone::graph
