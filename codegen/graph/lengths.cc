#include "codegen/graph/lengths.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/cat.h"
#include "codegen/graph/op_table.h"
#include "codegen/ir/mutator.h"

namespace hone::graph {
namespace {

using Lengths = std::vector<ValueId>;  // by dimension

bool has_lengths(const Graph& graph, ValueId id) { return id != kNoValue && !graph.value(id).lengths.empty(); }

// Follows lengths through a definition, Compute by Compute.
class LengthFlow {
 public:
  LengthFlow(const Graph& graph, const Defined& defined) : graph_(graph) {
    for (size_t i = 0; i < defined.read.size(); i++) {
      const ValueId id = defined.read[i];
      if (has_lengths(graph, id)) lengths_[defined.program.inputs[i]] = graph.value(id).lengths;
    }
  }

  Status run(const te::Program& program) {
    for (const te::Compute& compute : program.computes) HONE_TRY(run(compute));
    return ok_status();
  }
  Lengths of(te::Tensor tensor) const {
    const auto it = lengths_.find(tensor);
    return it == lengths_.end() ? Lengths() : it->second;
  }

 private:
  Status run(const te::Compute& compute) {
    Lengths made(compute.axes.size(), kNoValue);
    Status status = ok_status();
    ir::NodeSet seen;
    const auto visit = [&](ir::Expr e) {
      if (status.ok() && e->kind == ir::ExprKind::kLoad) status = add_load(compute, e, made);
    };
    for (const auto* parts : {&compute.value, &compute.finish})
      for (ir::Expr e : *parts) ir::for_each_node(e, seen, visit);
    HONE_TRY(status);
    if (std::all_of(made.begin(), made.end(), [](ValueId id) { return id == kNoValue; })) return ok_status();
    for (te::Tensor output : compute.outputs) lengths_[output] = made;
    return ok_status();
  }

  // The dimension is read element by element, in its order: by an axis of the result of the same size.
  Status add_load(const te::Compute& compute, ir::Expr load, Lengths& made) const {
    const auto it = lengths_.find(load->buffer);
    if (it == lengths_.end()) return ok_status();
    for (size_t d = 0; d < it->second.size(); d++) {
      const ValueId length = it->second[d];
      if (length == kNoValue) continue;
      const auto axis = std::find_if(compute.axes.begin(), compute.axes.end(), [&](const te::Axis& a) { return a.var == load->args[d]; });
      if (axis == compute.axes.end() || axis->extent != load->buffer->shape[d]) return joined(*load->buffer, d);
      ValueId& mine = made[static_cast<size_t>(axis - compute.axes.begin())];
      if (mine != kNoValue && mine != length) return Error{ErrorCode::kUnsupported, "reads two tensors whose sizes only a run tells, element by element"};
      mine = length;
    }
    return ok_status();
  }

  static Error joined(const ir::BufferNode& tensor, size_t dimension) {
    return {ErrorCode::kUnsupported, cat("joins or moves elements along dimension ", dimension, " of '", tensor.name, "', whose size only a run tells (at most ", tensor.shape[dimension],
                                         "); hone keeps such a dimension as it is: export the model up to there")};
  }

  const Graph& graph_;
  std::unordered_map<te::Tensor, Lengths> lengths_;
};

// hone.Bounded: its second input is the length of the dimension `axis`.
Lengths bounded(const Graph& graph, const Node& node) {
  const Value& x = graph.value(node.inputs[0]);
  Lengths lengths = x.lengths.empty() ? Lengths(x.shape.size(), kNoValue) : x.lengths;
  lengths.at(static_cast<size_t>(std::get<int64_t>(node.attributes.at("axis")))) = node.inputs[1];
  return lengths;
}

// Along one dimension the first `count` elements.
ConstantTensor cut(const ConstantTensor& x, size_t dimension, int64_t count) {
  const int64_t size = ir::size_bytes(x.dtype);
  int64_t rows = 1, row = size;
  for (size_t d = 0; d < x.shape.size(); d++) (d < dimension ? rows : row) *= x.shape[d];
  ConstantTensor out{x.dtype, x.shape, nullptr};
  out.shape[dimension] = count;
  std::string bytes;
  const int64_t kept = row / std::max<int64_t>(x.shape[dimension], 1) * count;
  for (int64_t r = 0; r < rows; r++) bytes.append(*x.bytes, static_cast<size_t>(r * row), static_cast<size_t>(kept));
  out.bytes = shared_bytes(std::move(bytes));
  return out;
}

}  // namespace

Status infer_lengths(Graph& graph, const Node& node, const Defined& defined) {
  for (ValueId id : node.outputs)
    if (id != kNoValue) graph.value(id).lengths.clear();
  if (node.op == "hone.Bounded") {
    graph.value(node.outputs[0]).lengths = bounded(graph, node);
    return ok_status();
  }
  if (std::none_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return has_lengths(graph, id); })) return ok_status();
  for (ValueId id : node.inputs)
    if (has_lengths(graph, id) && std::find(defined.read.begin(), defined.read.end(), id) == defined.read.end())
      return Error{ErrorCode::kUnsupported, cat("asks for the size of '", graph.value(id).name, "', which only a run tells; export the model up to there")};
  if (find_op(node.op)->kind == OpKind::kState)
    return Error{ErrorCode::kUnsupported, "carries what has a size that only a run tells from trip to trip; hone carries tensors of one size: export the model up to there"};
  LengthFlow flow(graph, defined);
  HONE_TRY(flow.run(defined.program));
  for (size_t i = 0; i < node.outputs.size() && i < defined.made.size(); i++)
    if (node.outputs[i] != kNoValue && defined.made[i]) graph.value(node.outputs[i]).lengths = flow.of(defined.made[i]);
  return ok_status();
}

namespace {

// "boxes.length", or one like it that nobody has.
std::string length_of(std::unordered_set<std::string>& names, std::string name) {
  name += ".length";
  while (!names.insert(name).second) name += "_";
  return name;
}

// Where each of the lengths stands among the outputs.
std::unordered_map<ValueId, size_t> places_of_lengths(const Graph& graph) {
  std::unordered_map<ValueId, size_t> places;
  for (size_t i = graph.outputs.size() - graph.hidden_outputs; i < graph.outputs.size(); i++) places.emplace(graph.outputs[i], i);
  return places;
}

}  // namespace

void hand_out_lengths(Graph& graph) {
  const size_t own = graph.outputs.size() - graph.hidden_outputs;
  graph.outputs.resize(own);
  graph.hidden_outputs = 0;
  if (std::none_of(graph.outputs.begin(), graph.outputs.end(), [&](ValueId id) { return has_lengths(graph, id); })) return;
  std::unordered_set<std::string> names;
  for (const Value& value : graph.values) names.insert(value.name);
  std::unordered_set<ValueId> handed_out;
  for (size_t i = 0; i < own; i++) {
    const Value& output = graph.value(graph.outputs[i]);
    for (ValueId length : output.lengths) {
      if (length == kNoValue || !handed_out.insert(length).second) continue;
      graph.value(length).name = length_of(names, output.name);
      graph.outputs.push_back(length);
    }
  }
  graph.hidden_outputs = graph.outputs.size() - own;
}

std::vector<ConstantTensor> cut_to_lengths(const Graph& graph, std::vector<ConstantTensor> outputs) {
  const size_t own = graph.outputs.size() - graph.hidden_outputs;
  const auto places = places_of_lengths(graph);
  for (size_t i = 0; i < own; i++) {
    const Lengths& lengths = graph.value(graph.outputs[i]).lengths;
    for (size_t d = 0; d < lengths.size(); d++) {
      const auto it = places.find(lengths[d]);
      if (it == places.end()) continue;
      const double count = to_doubles(outputs[it->second])[0];
      outputs[i] = cut(outputs[i], d, static_cast<int64_t>(std::clamp(count, 0.0, double(outputs[i].shape[d]))));
    }
  }
  outputs.resize(own);
  return outputs;
}

}  // namespace hone::graph
