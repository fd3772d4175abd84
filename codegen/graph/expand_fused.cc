// Fused operators of com.microsoft that are no attention: sums and functions behind products, normalisations of sums, weights of few bits.
#include <algorithm>
#include <limits>

#include "base/cat.h"
#include "codegen/graph/expand_composed.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"

namespace hone::graph {
namespace {

using Floats = std::numeric_limits<float>;

DType type_of_input(const OpCall& call) { return call.value(0).dtype; }

// The attributes that the node has of these.
Attributes kept(const OpCall& call, std::initializer_list<std::string_view> names) {
  Attributes out;
  for (std::string_view name : names)
    if (const auto it = call.node.attributes.find(name); it != call.node.attributes.end()) out.emplace(it->first, it->second);
  return out;
}

ValueId added(NodeWriter& nodes, ValueId x, ValueId y) { return y == kNoValue ? x : nodes.add("Add", {x, y}); }

// The function that the attribute "activation" names, with its parameters in their order. Fails: unsupported.
Expanded activated(NodeWriter& nodes, const OpCall& call, ValueId x, const std::vector<double>& parameters) {
  const std::string f = call.text("activation", "");
  const auto parameter = [&](size_t i, double otherwise) { return i < parameters.size() ? parameters[i] : otherwise; };
  if (f.empty()) return std::vector<ValueId>{x};
  if (f == "Relu" || f == "Tanh" || f == "Sigmoid" || f == "Softplus" || f == "Softsign") return std::vector<ValueId>{nodes.add(f, {x})};
  if (f == "LeakyRelu") return std::vector<ValueId>{nodes.add(f, {x}, {{"alpha", parameter(0, 0.01)}})};
  if (f == "HardSigmoid") return std::vector<ValueId>{nodes.add(f, {x}, {{"alpha", parameter(0, 0.2)}, {"beta", parameter(1, 0.5)}})};
  if (f == "Clip") return std::vector<ValueId>{nodes.add(f, {x, nodes.number(type_of_input(call), parameter(0, Floats::lowest())), nodes.number(type_of_input(call), parameter(1, Floats::max()))})};
  return Error{ErrorCode::kUnsupported, cat("the activation '", f, "' is not supported")};
}

}  // namespace

Expanded expand_gelu(NodeWriter& nodes, const OpCall& call) { return std::vector<ValueId>{nodes.add("Gelu", {call.id(0)})}; }

Expanded expand_bias_gelu(NodeWriter& nodes, const OpCall& call) { return std::vector<ValueId>{nodes.add("Gelu", {added(nodes, call.id(0), call.id(1))})}; }

Expanded expand_fast_gelu(NodeWriter& nodes, const OpCall& call) {
  return std::vector<ValueId>{nodes.add("Gelu", {added(nodes, call.id(0), call.id(1))}, {{"approximate", std::string("tanh")}})};
}

Expanded expand_quick_gelu(NodeWriter& nodes, const OpCall& call) { return std::vector<ValueId>{nodes.add("Swish", {call.id(0)}, {{"alpha", call.number("alpha", 1.702)}})}; }

Expanded expand_fused_conv(NodeWriter& nodes, const OpCall& call) {
  const std::vector<double> parameters = call.numbers("activation_params");
  call.text("activation", "");
  const ValueId y = nodes.add("Conv", {call.id(0), call.id(1), call.id(2)}, kept(call, {"auto_pad", "dilations", "group", "kernel_shape", "pads", "strides"}));
  return activated(nodes, call, added(nodes, y, call.id(3)), parameters);
}

Expanded expand_fused_gemm(NodeWriter& nodes, const OpCall& call) {
  const std::vector<double> parameters{call.number("activation_alpha", call.text("activation", "") == "LeakyRelu" ? 0.01 : 0.2), call.number("activation_beta", 0.5)};
  const ValueId y = nodes.add("Gemm", {call.id(0), call.id(1), call.id(2)}, kept(call, {"alpha", "beta", "transA", "transB"}));
  return activated(nodes, call, y, parameters);
}

namespace {

// An operand of FusedMatMul: its matrices transposed, and its dimensions in another order.
Result<ValueId> operand(NodeWriter& nodes, const OpCall& call, size_t i, bool transposed, bool batch) {
  const size_t rank = call.value(i).shape.size();
  std::vector<int64_t> order;
  for (size_t d = 0; d < rank; d++) order.push_back(static_cast<int64_t>(d));
  if (batch && rank < 3) return bad_node("transBatchA and transBatchB need operands of rank 3 and more");
  // The first dimension goes behind the other ones of the batch.
  if (batch) std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
  if (transposed && rank >= 2) std::swap(order[rank - 1], order[rank - 2]);
  return !batch && (!transposed || rank < 2) ? call.node.inputs[i] : nodes.transposed(call.node.inputs[i], order);
}

}  // namespace

Expanded expand_fused_matmul(NodeWriter& nodes, const OpCall& call) {
  const double alpha = call.number("alpha", 1);
  HONE_ASSIGN(a, operand(nodes, call, 0, call.integer("transA", 0) != 0, call.integer("transBatchA", 0) != 0));
  HONE_ASSIGN(b, operand(nodes, call, 1, call.integer("transB", 0) != 0, call.integer("transBatchB", 0) != 0));
  const ValueId y = nodes.add("MatMul", {a, b});
  return std::vector<ValueId>{alpha == 1 ? y : nodes.add("Mul", {y, nodes.number(type_of_input(call), alpha)})};
}

Expanded expand_simplified_norm(NodeWriter& nodes, const OpCall& call) {
  return std::vector<ValueId>{nodes.add("RMSNormalization", {call.id(0), call.id(1)}, kept(call, {"axis", "epsilon"}))};
}

// The sum of the first two inputs and a bias, which is handed out, too, normalised.
Expanded expand_skip_norm(NodeWriter& nodes, const OpCall& call) {
  const bool simplified = call.node.op == "com.microsoft.SkipSimplifiedLayerNormalization";
  const Attributes attributes{{"epsilon", call.number("epsilon", 1e-12)}, {"axis", int64_t{-1}}};
  const ValueId sum = added(nodes, nodes.add("Add", {call.id(0), call.id(1)}), call.id(simplified ? 3 : 4));
  if (simplified) return std::vector<ValueId>{nodes.add("RMSNormalization", {sum, call.id(2)}, attributes), kNoValue, kNoValue, sum};
  return std::vector<ValueId>{nodes.add("LayerNormalization", {sum, call.id(2), call.id(3)}, attributes), kNoValue, kNoValue, sum};
}

Expanded expand_embedding(NodeWriter& nodes, const OpCall& call) {
  const Shape ids = call.value(0).shape;
  if (ids.size() != 2 || call.has_input(1) != call.has_input(4)) return bad_node("expected ids of rank 2, and segments with their embedding or neither");
  const ValueId positions = call.has_input(8) ? call.id(8) : nodes.range(ids[1]);
  ValueId sum = nodes.add("Add", {nodes.add("Gather", {call.id(2), call.id(0)}), nodes.add("Gather", {call.id(3), positions})});
  if (call.has_input(1)) sum = nodes.add("Add", {sum, nodes.add("Gather", {call.id(4), call.id(1)})});
  const Attributes attributes{{"epsilon", call.number("epsilon", 1e-12)}, {"axis", int64_t{-1}}};
  call.integer("mask_index_type", 0);
  // How many ids of each row count.
  const ValueId mask = call.has_input(7) ? nodes.add("ReduceSum", {call.id(7), nodes.list({1})}, {{"keepdims", int64_t{0}}}) : nodes.zeros(DType::kI32, {ids[0]});
  return std::vector<ValueId>{nodes.add("LayerNormalization", {sum, call.id(5), call.id(6)}, attributes), mask, sum};
}

// Weights of few bits become floats; then it is a product.
Expanded expand_packed_matmul(NodeWriter& nodes, const OpCall& call) {
  if (call.has_input(4)) return Error{ErrorCode::kUnsupported, "groups in another order (g_idx) are not supported"};
  const Attributes attributes = kept(call, {"K", "N", "bits", "block_size"});
  for (std::string_view name : {"accuracy_level", "weight_prepacked"}) call.integer(name, 0);
  if (call.integer("weight_prepacked", 0) != 0) return Error{ErrorCode::kUnsupported, "weights that are packed for one device (weight_prepacked) are not supported"};
  const ValueId weights = nodes.add("hone.UnpackedBlocks", {call.id(1), call.id(2), call.id(3)}, attributes);
  return std::vector<ValueId>{added(nodes, nodes.add("MatMul", {call.id(0), weights}), call.id(5))};
}

// ---- quantised numbers

Expanded expand_linear_dequantize(NodeWriter& nodes, const OpCall& call) {
  return std::vector<ValueId>{nodes.add("DequantizeLinear", {call.id(0), call.id(1), call.id(2)}, kept(call, {"axis"}))};
}

Expanded expand_linear_quantize(NodeWriter& nodes, const OpCall& call) {
  return std::vector<ValueId>{nodes.add("QuantizeLinear", {call.id(0), call.id(1), call.id(2)}, kept(call, {"axis"}))};
}

namespace {

// What the input at `first`, with scale and zero point behind it, stands for.
ValueId dequantized(NodeWriter& nodes, const OpCall& call, size_t first) { return nodes.add("DequantizeLinear", {call.id(first), call.id(first + 1), call.id(first + 2)}); }
ValueId quantized(NodeWriter& nodes, const OpCall& call, ValueId x, size_t scale) {
  const ValueId zero = call.id(scale + 1);
  return nodes.add("QuantizeLinear", {x, call.id(scale), zero == kNoValue ? nodes.number(DType::kU8, 0) : zero});
}

}  // namespace

Expanded expand_quantized_binary(NodeWriter& nodes, const OpCall& call) {
  const std::string_view op = call.node.op == "com.microsoft.QLinearAdd" ? "Add" : "Mul";
  const ValueId y = nodes.add(op, {dequantized(nodes, call, 0), dequantized(nodes, call, 3)});
  return std::vector<ValueId>{quantized(nodes, call, y, 6)};
}

Expanded expand_quantized_unary(NodeWriter& nodes, const OpCall& call) {
  const std::string op = call.node.op.substr(std::string_view("com.microsoft.QLinear").size());
  if (call.integer("channels_last", 0) != 0) return Error{ErrorCode::kUnsupported, "channels in the last dimension (channels_last) are not supported"};
  const Attributes attributes = kept(call, {"alpha", "auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"});
  return std::vector<ValueId>{quantized(nodes, call, nodes.add(op, {dequantized(nodes, call, 0)}, attributes), 3)};
}

Expanded expand_quantized_concat(NodeWriter& nodes, const OpCall& call) {
  if ((call.node.inputs.size() - 2) % 3 != 0) return bad_node(cat("has ", call.node.inputs.size(), " inputs; expected two, and three for each part"));
  std::vector<ValueId> parts;
  for (size_t i = 2; i < call.node.inputs.size(); i += 3) parts.push_back(dequantized(nodes, call, i));
  const ValueId y = nodes.joined(std::move(parts), call.integer("axis", 1));
  return std::vector<ValueId>{nodes.add("QuantizeLinear", {y, call.id(0), call.id(1)})};
}

// The product of whole numbers, times both scales.
Expanded expand_integer_matmul(NodeWriter& nodes, const OpCall& call) {
  const ValueId product = nodes.add("MatMulInteger", {call.id(0), call.id(1), call.id(4), call.id(5)});
  const ValueId y = nodes.add("Cast", {product}, {{"to", int64_t{1}}});
  return std::vector<ValueId>{added(nodes, nodes.add("Mul", {y, nodes.add("Mul", {call.id(2), call.id(3)})}), call.id(6))};
}

}  // namespace hone::graph
