#include "codegen/graph/overflow.h"

#include "base/cat.h"
#include "codegen/graph/lengths.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/overflow.h"

namespace hone::graph {

std::string overflow_text(const std::string& value) {
  return cat("the value '", value, "' left 32 bits, in which devices compute whole numbers of 64 (int64 from -2147483648 to 2147483647, uint64 from 0 to 4294967295), and what follows from it would be wrong; "
             "give inputs that keep it smaller, or export the model with floats there");
}

Result<std::vector<ConstantTensor>> own_outputs(const Graph& graph, std::vector<ConstantTensor> outputs) {
  if (!graph.watched.empty()) {
    const double told = to_doubles(outputs.back())[0];
    if (told >= 1) return Error{ErrorCode::kLimitExceeded, overflow_text(graph.watched[std::min(static_cast<size_t>(told), graph.watched.size()) - 1])};
  }
  return cut_to_lengths(graph, std::move(outputs));
}

// The operator that it stands beside writes its definition, and what is told of it follows from that.
Emitted emit_overflow(const OpCall& call) {
  Node node = call.node;
  node.op = call.text("overflow.of", "");
  if (is_own(node.op) && node.op == call.node.op) return bad_node("stands beside itself");
  node.outputs.clear();
  for (int64_t is_made : call.integers("overflow.outputs")) node.outputs.push_back(is_made ? ValueId{0} : kNoValue);
  const std::vector<double> low = call.numbers("overflow.low"), high = call.numbers("overflow.high");
  if (low.size() < node.inputs.size() || high.size() < node.inputs.size()) return bad_node("knows nothing of some of its inputs");
  std::unordered_map<te::Tensor, te::Interval> inputs;
  const size_t first = call.b.program().computes.size();
  const OpCall beside(call.b, call.graph, node, [&](ValueId id, std::string_view name) {
    const auto i = static_cast<size_t>(std::find(node.inputs.begin(), node.inputs.end(), id) - node.inputs.begin());
    const te::Tensor tensor = call.tensor(i, name);
    inputs[tensor] = {low.at(i), high.at(i)};
    return tensor;
  });
  HONE_TRY(emit_op(beside));
  const te::Tensor told = te::overflow(call.b, first, inputs, call.integer("overflow.number", 1));
  if (told) return std::vector<te::Tensor>{told};
  return std::vector<te::Tensor>{call.b.map("leaves", call.b.axes({"any"}, {1}), call.b.constant(DType::kI32, 0))};
}

}  // namespace hone::graph
