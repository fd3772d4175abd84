#include "codegen/graph/transposed_region.h"

#include <algorithm>
#include <numeric>

#include "base/cat.h"
#include "codegen/graph/definition_reads.h"
#include "codegen/graph/fuse.h"
#include "codegen/graph/op_table.h"

namespace hone::graph {

AxisOrder order_of(const Graph& graph, const Node& transpose) {
  const auto it = transpose.attributes.find("perm");
  const auto* named = it == transpose.attributes.end() ? nullptr : std::get_if<std::vector<int64_t>>(&it->second);
  if (named && !named->empty()) return *named;
  AxisOrder order(graph.value(transpose.inputs[0]).shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

AxisOrder inverse_of(const AxisOrder& order) {
  AxisOrder out(order.size());
  for (size_t d = 0; d < order.size(); d++) out[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  return out;
}

AxisOrder composed(const AxisOrder& before, const AxisOrder& behind) {
  AxisOrder out;
  for (int64_t axis : behind) out.push_back(before[static_cast<size_t>(axis)]);
  return out;
}

bool is_identity(const AxisOrder& order) {
  for (size_t d = 0; d < order.size(); d++)
    if (order[d] != static_cast<int64_t>(d)) return false;
  return true;
}

namespace {

// The shape before a Transpose of this order, of what has `shape` behind it.
Shape shape_before(const Shape& shape, const AxisOrder& order) {
  Shape out(shape.size());
  for (size_t d = 0; d < order.size(); d++) out[static_cast<size_t>(order[d])] = shape[d];
  return out;
}

// Elements of `shape` as they lie before a Transpose of this order.
std::vector<double> elements_before(const std::vector<double>& elements, const Shape& shape, const AxisOrder& order) {
  const Shape before = shape_before(shape, order);
  std::vector<int64_t> stride(shape.size(), 1), step(shape.size());
  for (size_t d = shape.size(); d-- > 1;) stride[d - 1] = stride[d] * shape[d];
  for (size_t d = 0; d < order.size(); d++) step[static_cast<size_t>(order[d])] = stride[d];
  std::vector<double> out;
  out.reserve(elements.size());
  std::vector<int64_t> at(shape.size(), 0);
  for (size_t i = 0; i < elements.size(); i++) {
    int64_t from = 0;
    for (size_t d = 0; d < at.size(); d++) from += at[d] * step[d];
    out.push_back(elements[static_cast<size_t>(from)]);
    for (size_t d = at.size(); d-- > 0 && ++at[d] == before[d];) at[d] = 0;
  }
  return out;
}

}  // namespace

TransposedRegion::TransposedRegion(Graph& graph, const Uses& uses, int transpose, int64_t& elements_left)
    : graph_(graph), uses_(uses), order_(order_of(graph, graph.nodes[static_cast<size_t>(transpose)])), values_before_(graph.values.size()), elements_left_(elements_left) {
  turned(graph.nodes[static_cast<size_t>(transpose)].outputs[0]);
  grow();
}

bool TransposedRegion::is_source(int i) const {
  return i >= 0 && graph_.nodes[static_cast<size_t>(i)].op == "Transpose" && order_of(graph_, graph_.nodes[static_cast<size_t>(i)]) == order_;
}

void TransposedRegion::read_by(ValueId id) {
  const std::vector<int>& readers = uses_.consumers[static_cast<size_t>(id)];
  if (readers.size() <= kTransposedNodesMax) candidates_.insert(readers.begin(), readers.end());
}

void TransposedRegion::grow() {
  while (!candidates_.empty() && nodes_.size() < kTransposedNodesMax) {
    const int i = *candidates_.begin();
    candidates_.erase(candidates_.begin());
    if (may_try(i)) add(i);
  }
}

// Each once, and no more than a region may have many times over.
bool TransposedRegion::may_try(int i) { return i >= 0 && nodes_.size() < kTransposedNodesMax && tried_.size() < kBindingsMax * kTransposedNodesMax && tried_.insert(i).second; }

// Where the definition says the same of the places that it reads when they are turned.
bool TransposedRegion::add(int i) {
  Node node = graph_.nodes[static_cast<size_t>(i)];
  const OpEntry* entry = find_op(node.op);
  if (!entry || entry->kind != OpKind::kElementwise || node.outputs.size() != 1 || node.outputs[0] == kNoValue) return false;
  const ValueId result = node.outputs[0];
  if (graph_.value(result).shape.size() != order_.size() || !is_pointwise(graph_, node)) return false;
  for (ValueId& id : node.inputs)
    if (id != kNoValue && (id = turned(id)) == kNoValue) return false;
  node.outputs[0] = turned_copy(result);
  if (!is_pointwise(graph_, node)) return false;
  turned_[result] = node.outputs[0];
  nodes_.emplace(i, std::move(node));
  read_by(result);
  return true;
}

ValueId TransposedRegion::turned(ValueId id) {
  if (const auto it = turned_.find(id); it != turned_.end()) return it->second;
  if (graph_.value(id).constant) return turned_constant(id);
  const int maker = static_cast<size_t>(id) < uses_.producers.size() ? uses_.producers[static_cast<size_t>(id)] : -1;
  if (!is_source(maker)) {
    if (above_ == kTransposedDepthMax || !may_try(maker)) return kNoValue;
    above_++;
    const bool added = add(maker);
    above_--;
    return added ? turned_.at(id) : kNoValue;
  }
  sources_.insert(maker);
  read_by(id);
  return turned_[id] = graph_.nodes[static_cast<size_t>(maker)].inputs[0];
}

ValueId TransposedRegion::turned_constant(ValueId id) {
  Value value = graph_.value(id);
  const int64_t elements = ir::element_count(value.shape);
  if (value.shape.size() > order_.size()) return kNoValue;
  if (elements == 1) return id;
  if (!value.bytes || elements > elements_left_) return kNoValue;
  elements_left_ -= elements;
  value.shape.insert(value.shape.begin(), order_.size() - value.shape.size(), 1);
  const std::vector<double> numbers = elements_before(to_doubles({value.dtype, value.shape, value.bytes}), value.shape, order_);
  value.name = cat(value.name, ".turned");
  value.shape = shape_before(value.shape, order_);
  value.bytes = from_doubles(value.dtype, value.shape, numbers).bytes;
  return turned_[id] = graph_.add_value(std::move(value));
}

ValueId TransposedRegion::turned_copy(ValueId id) {
  const Value& value = graph_.value(id);
  return graph_.add_value({cat(value.name, ".turned"), value.dtype, shape_before(value.shape, order_), true});
}

// What the graph hands out is copied instead, unless it is all that is read of a kernel's result.
bool TransposedRegion::vanishes(ValueId from, ValueId to) const {
  return !uses_.leaves[static_cast<size_t>(to)] || (uses_.consumers[static_cast<size_t>(from)].size() == 1 && !uses_.leaves[static_cast<size_t>(from)]);
}

// 1 where a Transpose is left behind the value, less the Transposes behind it that vanish.
int TransposedRegion::left_by(ValueId id) const {
  bool is_left = uses_.leaves[static_cast<size_t>(id)];
  int vanish = 0;
  for (int reader : uses_.consumers[static_cast<size_t>(id)]) {
    if (nodes_.count(reader)) continue;
    const Node& node = graph_.nodes[static_cast<size_t>(reader)];
    const bool turns = node.op == "Transpose";
    is_left = is_left || !turns;
    vanish += turns && is_identity(composed(order_, order_of(graph_, node))) && vanishes(id, node.outputs[0]);
  }
  return (is_left ? 1 : 0) - vanish;
}

int TransposedRegion::gain() const {
  int gain = 0;
  for (int source : sources_) gain += 1 - std::clamp(left_by(graph_.nodes[static_cast<size_t>(source)].outputs[0]), 0, 1);
  for (const auto& [i, node] : nodes_) gain -= left_by(graph_.nodes[static_cast<size_t>(i)].outputs[0]);
  return gain;
}

void TransposedRegion::write(std::map<int, Node>& behind) {
  for (auto& [i, node] : nodes_) {
    Node& written = graph_.nodes[static_cast<size_t>(i)];
    Node transpose{"", "Transpose", {node.outputs[0]}, written.outputs};
    transpose.attributes["perm"] = order_;
    transpose.model_node = written.model_node;
    behind[i] = std::move(transpose);
    written = std::move(node);
  }
}

void TransposedRegion::discard() { graph_.values.resize(values_before_); }

}  // namespace hone::graph
