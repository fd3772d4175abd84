// Operators that compute each element from the elements at the same place.
#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

Graph function(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5)); }
Graph of_numbers(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5), d.number()); }
Graph of_bools(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5), DType::kBool); }
Graph of_anything(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5), d.any_type()); }

// The second operand broadcasts to the first or the first to the second; up to opset 6 it may be aligned by an attribute.
Graph pair(std::string_view op, Draw& d, DType dtype) {
  const Shape whole = d.shape(0, 5), part = d.broadcast_to(whole);
  if (d.below(4) == 0 && dtype != DType::kBool)
    return OneNode(op).input(whole, dtype).constant(dtype, {}, {d.any_of({0.5, 2.0, 3.0, 7.0})});
  if (d.below(4) == 0 && whole.size() > 1)
    return OneNode(op, 6).input(whole, dtype).input({whole[1]}, dtype).set("axis", 1).set("broadcast", 1);
  const bool swapped = d.coin();
  return OneNode(op).input(swapped ? part : whole, dtype).input(swapped ? whole : part, dtype);
}
Graph number_pair(std::string_view op, Draw& d) { return pair(op, d, d.number()); }
Graph bool_pair(std::string_view op, Draw& d) { return pair(op, d, DType::kBool); }

DType whole(Draw& d) { return d.any_of({DType::kI32, DType::kU32, DType::kU8, DType::kI8, DType::kI16, DType::kU16}); }
Graph whole_pair(std::string_view op, Draw& d) { return pair(op, d, whole(d)); }
Graph whole_number(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5), whole(d)); }

// ONNX's numbers of types of as many bits.
Graph bit_cast(std::string_view op, Draw& d) {
  const bool words = d.coin();
  const DType from = words ? d.any_of({DType::kF32, DType::kI32, DType::kU32}) : d.any_of({DType::kI8, DType::kU8});
  return OneNode(op, 26).input(d.shape(0, 5), from).set("to", words ? d.any_of({1, 6, 12}) : d.any_of({2, 3}));
}

// By every count that a type has, and by some beyond it.
Graph bit_shift(std::string_view op, Draw& d) {
  const Shape x = d.shape(0, 4);
  const DType dtype = whole(d);
  OneNode node(op, 28);
  node.input(x, dtype).set("direction", d.any_of({"LEFT", "RIGHT"}));
  return d.coin() ? node.constant(dtype, {}, {static_cast<double>(d.below(40))}) : node.input(x, dtype);
}

Graph infinite(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 5)).set("detect_positive", d.coin()).set("detect_negative", d.below(3) > 0); }

Graph several(std::string_view op, Draw& d) {
  const Shape whole = d.shape(0, 5);
  const DType dtype = op == "Mean" ? DType::kF32 : d.number();
  OneNode node(op);
  const int64_t whole_at = d.below(3), count = whole_at + d.between(1, 2);
  for (int64_t i = 0; i < count; ++i) node.input(i == whole_at ? whole : d.broadcast_to(whole), dtype);
  return node;
}

Graph remainder(std::string_view op, Draw& d) {
  const DType dtype = d.number();
  Graph graph = pair(op, d, dtype);
  if (dtype == DType::kF32 || d.coin()) graph.nodes[0].attributes["fmod"] = int64_t{1};
  return graph;
}

Graph power(std::string_view op, Draw& d) {
  const Shape whole = d.shape(0, 4);
  if (d.coin())
    return OneNode(op).input(whole).constant(DType::kF32, {}, {d.any_of({0.5, 1.0, 2.0, 3.0, 4.0, -1.0, 2.5, 0.0})});
  return OneNode(op).input(whole).input(d.broadcast_to(whole), d.coin() ? DType::kF32 : DType::kI32);
}

template <const char*... Names>
Graph with_numbers(std::string_view op, Draw& d) {
  OneNode node(op);
  node.input(d.shape(0, 5));
  for (const char* name : {Names...})
    if (d.below(3)) node.set(name, d.real(0.1, 2));
  return node;
}
constexpr char kAlpha[] = "alpha", kBeta[] = "beta", kGamma[] = "gamma", kLambda[] = "lambd", kBias[] = "bias";

Graph gate(std::string_view op, Draw& d) {
  const Shape x = d.shape(0, 5);
  OneNode node(op, 28);
  node.input(x).input(x);
  return d.coin() ? node : node.set("alpha", d.real(0.1, 2));
}

// ONNX's numbers of the element types that are models' alone, and those types.
int64_t small_type(Draw& d) { return d.between(17, 26); }
DType small_float(Draw& d) { return d.any_of({DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ, DType::kF4E2M1}); }
DType small_whole(Draw& d) { return d.any_of({DType::kI4, DType::kU4, DType::kI2, DType::kU2}); }

// Scale and zero point of each block along an axis.
void blocks(OneNode& node, const Shape& x, DType dtype, Draw& d) {
  const int64_t axis = d.between(0, static_cast<int64_t>(x.size()) - 1), size = d.between(1, 5);
  Shape each = x;
  each[static_cast<size_t>(axis)] = (each[static_cast<size_t>(axis)] + size - 1) / size;
  node.weights(each).set("axis", axis).set("block_size", size);
  ir::is_float(dtype) ? node.constant(dtype, {}, {0}) : node.input(each, dtype);
}

// Scale and zero point: numbers, one for all, or one for each position along an axis.
void scaling(OneNode& node, const Shape& x, DType dtype, Draw& d) {
  if (d.coin() || x.empty()) {
    node.constant(DType::kF32, {}, {d.any_of({0.25, 0.1, 1.0, 0.013})});
    if (d.coin()) node.constant(dtype, {}, {d.any_of({0.0, 7.0, 100.0})});
    else node.input({}, dtype);
    return;
  }
  const int64_t axis = d.axis(x), rank = static_cast<int64_t>(x.size());
  const Shape each = {x[static_cast<size_t>(axis < 0 ? axis + rank : axis)]};
  node.weights(each).input(each, dtype).set("axis", axis);
}

Graph quantize(std::string_view op, Draw& d) {
  const Shape x = d.shape(0, 5);
  OneNode node(op);
  node.input(x);
  if (d.below(5) == 0) return node.constant(DType::kF32, {}, {0.25});
  const DType dtype = d.coin() ? d.any_of({DType::kI8, DType::kU8, DType::kI16, DType::kU16}) : d.coin() ? small_whole(d) : small_float(d);
  if (d.coin()) node.set("saturate", 0);
  d.below(3) == 0 && !x.empty() ? blocks(node, x, dtype, d) : scaling(node, x, dtype, d);
  return node;
}

Graph dequantize(std::string_view op, Draw& d) {
  const Shape x = d.shape(0, 5);
  const DType dtype = d.coin() ? d.any_of({DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32}) : d.coin() ? small_whole(d) : small_float(d);
  OneNode node(op);
  node.input(x, dtype);
  if (dtype == DType::kI32) return node.constant(DType::kF32, {}, {0.25});
  d.below(3) == 0 && !x.empty() ? blocks(node, x, dtype, d) : scaling(node, x, dtype, d);
  return node;
}

Graph slope(std::string_view op, Draw& d) {
  const Shape whole = d.shape(0, 5);
  if (d.below(3) == 0 && whole.size() > 1) return OneNode(op, 6).input(whole).input({whole[1]});
  return OneNode(op).input(whole).weights(d.broadcast_to(whole));
}

Graph cast(std::string_view op, Draw& d) {
  const DType from = d.any_of({DType::kF32, DType::kI32, DType::kU32, DType::kBool, DType::kI64, small_whole(d), small_float(d)});
  OneNode node(op, 28);
  node.input(d.shape(0, 5), from);
  if (d.coin()) return node.set("to", d.any_of({1, 6, 7, 9, 11, 12}));
  return node.set("to", small_type(d)).set("saturate", d.coin()).set("round_mode", d.any_of({"up", "down", "nearest"}));
}

Graph cast_like(std::string_view op, Draw& d) {
  return OneNode(op, 25).input(d.shape(0, 5), d.any_type()).input({3}, d.coin() ? d.any_type() : d.coin() ? small_whole(d) : small_float(d));
}

Graph clip(std::string_view op, Draw& d) {
  const Shape shape = d.shape(0, 5);
  const DType dtype = d.number();
  if (d.below(3) == 0) return OneNode(op, 10).input(shape).set("min", -1.5).set("max", 2.0);
  OneNode node(op);
  node.input(shape, dtype);
  if (d.below(3)) node.constant(dtype, {}, {1});
  else if (d.coin()) node.input({}, dtype);
  else node.no_input();
  if (d.coin()) node.constant(dtype, {}, {3});
  return node;
}

Graph gelu(std::string_view op, Draw& d) {
  return OneNode(op, 20).input(d.shape(0, 5)).set("approximate", d.any_of({"none", "tanh"}));
}

Graph where(std::string_view op, Draw& d) {
  const Shape whole = d.shape(0, 5);
  const DType dtype = d.number();
  const int64_t whole_at = d.below(3);
  OneNode node(op);
  for (int64_t i = 0; i < 3; ++i)
    node.input(i == whole_at ? whole : d.broadcast_to(whole), i == 0 ? DType::kBool : dtype);
  return node;
}

Graph batch_normalization(std::string_view op, Draw& d) {
  const Shape x = d.shape(2, 5);
  OneNode node(op);
  node.input(x).set("epsilon", 1e-3);
  for (int i = 0; i < 4; ++i) d.coin() ? node.weights({x[1]}) : node.input({x[1]});
  return node;
}

}  // namespace

std::vector<Operator> elementwise_operators() {
  return {
      {"Abs", of_numbers, kExact},
      {"Acos", function, kRounded, kAll, -1.5, 1.5},
      {"Acosh", function},
      {"Add", number_pair, kExact},
      {"And", bool_pair},
      {"Asin", function, kRounded, kAll, -1.5, 1.5},
      {"Asinh", function},
      {"Atan", function},
      {"Atanh", function, kRounded, kAll, -1.5, 1.5},
      {"BatchNormalization", batch_normalization, kRounded, kAll, 0.25, 4},
      {"BitCast", bit_cast, kExact},
      {"BitShift", bit_shift, kExact},
      {"BitwiseAnd", whole_pair, kExact},
      {"BitwiseNot", whole_number, kExact},
      {"BitwiseOr", whole_pair, kExact},
      {"BitwiseXor", whole_pair, kExact},
      {"Cast", cast, kExact},
      {"CastLike", cast_like, kExact},
      {"Ceil", function, kExact},
      {"Celu", with_numbers<kAlpha>, kRounded},
      {"Clip", clip, kExact},
      {"Cos", function},
      {"Cosh", function},
      {"DequantizeLinear", dequantize, kExact},
      {"Div", number_pair, kExact},
      {"Dropout", function, kBits},
      {"Elu", with_numbers<kAlpha>},
      {"Equal", number_pair},
      {"Erf", function},
      {"Exp", function},
      {"Floor", function, kExact},
      {"Gelu", gelu},
      {"Greater", number_pair},
      {"GreaterOrEqual", number_pair},
      {"HardSigmoid", with_numbers<kAlpha, kBeta>, kRounded},
      {"HardSwish", function, kRounded},
      {"Identity", of_anything, kBits},
      {"IsInf", infinite},
      {"IsNaN", function},
      {"LeakyRelu", with_numbers<kAlpha>, kExact},
      {"Less", number_pair},
      {"LessOrEqual", number_pair},
      {"Log", function},
      {"Max", several, kExact},
      {"Mean", several},
      {"Min", several, kExact},
      {"Mish", function, kRounded},
      {"Mod", remainder},
      {"Mul", number_pair, kExact},
      {"Neg", of_numbers, kBits},
      {"Not", of_bools},
      {"Or", bool_pair},
      {"PRelu", slope, kExact},
      {"Pow", power},
      {"QuantizeLinear", quantize, kExact},
      {"Reciprocal", function, kExact},
      {"Relu", of_numbers, kExact},
      {"Round", function, kExact},
      {"Selu", with_numbers<kAlpha, kGamma>},
      {"Shrink", with_numbers<kLambda, kBias>, kExact},
      {"Sigmoid", function},
      {"Sign", of_numbers, kExact},
      {"Sin", function},
      {"Sinh", function},
      {"Softplus", function, kRounded},
      {"Softsign", function},
      {"Sqrt", function, kExact},
      {"Sub", number_pair, kExact},
      {"Sum", several},
      {"SwiGLU", gate},
      {"Swish", with_numbers<kAlpha>},
      {"Tan", function},
      {"Tanh", function},
      {"ThresholdedRelu", with_numbers<kAlpha>, kExact},
      {"Where", where, kBits},
      {"Xor", bool_pair},
  };
}

}  // namespace hone::conformance
