// Operators that compute each element from the elements at the same place, and views.
#include <algorithm>
#include <limits>

#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/normalization.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/scalar_functions.h"

namespace hone::graph {

using te::Operand;
using te::Sym;
using te::Tensor;

bool dtype_of_onnx(int64_t type, ir::DType* out) {
  static constexpr struct {
    int64_t type;
    ir::DType dtype;
  } kTypes[] = {{1, ir::DType::kF32},  {2, ir::DType::kU8},   {3, ir::DType::kI8},   {4, ir::DType::kU16},
                {5, ir::DType::kI16},  {6, ir::DType::kI32},  {7, ir::DType::kI64},  {9, ir::DType::kBool},
                {10, ir::DType::kF16}, {11, ir::DType::kF64}, {12, ir::DType::kU32}, {13, ir::DType::kU64},
                {16, ir::DType::kBF16}, {17, ir::DType::kF8E4M3FN}, {18, ir::DType::kF8E4M3FNUZ},
                {19, ir::DType::kF8E5M2}, {20, ir::DType::kF8E5M2FNUZ}, {21, ir::DType::kU4}, {22, ir::DType::kI4},
                {23, ir::DType::kF4E2M1}, {24, ir::DType::kF8E8M0}, {25, ir::DType::kU2}, {26, ir::DType::kI2}};
  for (const auto& entry : kTypes)
    if (entry.type == type) {
      *out = entry.dtype;
      return true;
    }
  return false;
}

std::string onnx_type_name(int64_t type) {
  static constexpr const char* kNames[] = {"undefined",      "float",    "uint8",        "int8",           "uint16",
                                           "int16",          "int32",    "int64",        "string",         "bool",
                                           "float16",        "double",   "uint32",       "uint64",         "complex64",
                                           "complex128",     "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2",
                                           "float8e5m2fnuz", "uint4",    "int4",         "float4e2m1",
                                           "float8e8m0",     "uint2",    "int2",         "float6e2m3",
                                           "float6e3m2"};
  const auto count = static_cast<int64_t>(std::size(kNames));
  return type >= 0 && type < count ? kNames[type] : cat("number ", type);
}

Status same_types(const Operand& a, const Operand& b) {
  if (a.dtype == b.dtype) return ok_status();
  return bad_node(cat("operands have types ", ir::dtype_name(a.dtype), " and ", ir::dtype_name(b.dtype)));
}

Result<std::vector<Operand>> binary_operands(const OpCall& call) {
  std::vector<Operand> out = {call.operand(0, "A"), call.operand(1, "R")};
  const int64_t rank = static_cast<int64_t>(out[0].shape.size());
  const bool per_channel = call.node.op == "PRelu" && rank > 1 && out[1].shape.size() == 1;
  if (call.graph.opset < 7 && out[1].tensor && (per_channel || call.has_attribute("axis"))) {
    HONE_ASSIGN(axis, axis_in(call.integer("axis", per_channel ? 1 : 0), out[0].shape.size()));
    Shape shape = out[1].shape;
    while (static_cast<int64_t>(shape.size()) + axis < rank) shape.push_back(1);
    HONE_ASSIGN(aligned, te::reshape(call.b, out[1].tensor, shape));
    out[1] = Operand::of(aligned);
  }
  if (call.node.op != "Pow") HONE_TRY(same_types(out[0], out[1]));
  return out;
}

Emitted emit_batch_normalization(const OpCall& call) {
  if (call.integer("training_mode", 0) != 0)
    return Error{ErrorCode::kUnsupported, "normalisation with the batch's own statistics (training) is not supported"};
  if (call.integer("spatial", 1) == 0) return Error{ErrorCode::kUnsupported, "spatial = 0 is not supported"};
  const Tensor x = call.tensor(0, "X");
  te::BatchStatistics s;
  s.scale = call.tensor(1, "scale");
  s.bias = call.tensor(2, "B");
  s.mean = call.tensor(3, "mean");
  s.variance = call.tensor(4, "variance");
  s.epsilon = call.number("epsilon", 1e-5);
  return one_output(te::batch_normalization(call.b, x, s));
}

namespace {

// Devices hold 32 bits of a number: a result may need the others.
Status check_bits(ir::DType dtype) {
  if (ir::size_bytes(dtype) <= 4) return ok_status();
  return Error{ErrorCode::kUnsupported, cat("its result may need all bits of ", ir::dtype_name(dtype), ", of which hone computes 32")};
}

}  // namespace

Emitted emit_bit_shift(const OpCall& call) {
  const std::string direction = call.text("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") return bad_node(cat("its direction is '", direction, "'; expected LEFT or RIGHT"));
  HONE_ASSIGN(operands, binary_operands(call));
  HONE_TRY(check_bits(operands[0].dtype));
  const auto shift = direction == "LEFT" ? te::shifted_left : te::shifted_right;
  return one_output(te::elementwise(call.b, "bit_shift", operands, [&](const std::vector<Sym>& v) { return shift(v[0], v[1]); }));
}

Emitted emit_bitwise_complement(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  if (ir::is_unsigned(x->dtype)) HONE_TRY(check_bits(x->dtype));
  return std::vector<Tensor>{te::unary(call.b, "bitwise_complement", x, te::bitwise_complement)};
}

namespace {

// The type that an attribute names. Fails: unsupported.
Result<ir::DType> named_type(const OpCall& call) {
  ir::DType dtype;
  if (dtype_of_onnx(call.integer("to", 0), &dtype)) return dtype;
  return Error{ErrorCode::kUnsupported, cat("the element type ", onnx_type_name(call.integer("to", 0)), " of its attribute 'to' is not supported")};
}

// How a float that the type does not have becomes one that it has. Fails: bad_model.
Result<te::Narrowing> narrowing_of(const OpCall& call) {
  const std::string mode = call.text("round_mode", "up");
  te::Narrowing out{call.integer("saturate", 1) != 0};
  if (mode == "up") return out;
  out.rounding = mode == "down" ? te::Narrowing::kDown : te::Narrowing::kNearest;
  if (mode == "down" || mode == "nearest") return out;
  return bad_node(cat("its round_mode is '", mode, "'; expected up, down or nearest"));
}

Emitted cast_to(const OpCall& call, ir::DType dtype) {
  HONE_ASSIGN(narrowing, narrowing_of(call));
  return std::vector<Tensor>{
      te::unary(call.b, "cast", call.tensor(0, "X"), [&](Sym x) { return te::converted(dtype, x, narrowing); })};
}

}  // namespace

Emitted emit_cast(const OpCall& call) {
  HONE_ASSIGN(dtype, named_type(call));
  return cast_to(call, dtype);
}

Emitted emit_cast_like(const OpCall& call) { return cast_to(call, call.value(1).dtype); }

namespace {

bool is_whole(ir::DType d) { return ir::is_int(d) || d == ir::DType::kBool; }

}  // namespace

Emitted emit_bit_cast(const OpCall& call) {
  HONE_ASSIGN(to, named_type(call));
  const Tensor x = call.tensor(0, "X");
  if (ir::size_bits(x->dtype) != ir::size_bits(to))
    return bad_node(cat("its types ", ir::dtype_name(x->dtype), " and ", ir::dtype_name(to), " have different numbers of bits"));
  const bool same = x->dtype == to || (is_whole(x->dtype) && is_whole(to));
  if (!same && ir::size_bits(to) != 32)
    return Error{ErrorCode::kUnsupported, cat("the bits of ", ir::dtype_name(x->dtype), " as ", ir::dtype_name(to), " are not supported; hone knows those of f32")};
  if (x->dtype != to) HONE_TRY(check_bits(to));
  return std::vector<Tensor>{te::unary(call.b, "bit_cast", x, [&](Sym v) { return same ? te::converted(to, v) : te::bits(to, v); })};
}

Emitted emit_gelu(const OpCall& call) {
  const std::string how = call.text("approximate", "none");
  const bool by_tanh = how == "tanh";
  if (!by_tanh && how != "none") return Error{ErrorCode::kUnsupported, cat("the approximation '", how, "' is not supported")};
  return std::vector<Tensor>{te::unary(call.b, "gelu", call.tensor(0, "X"), by_tanh ? te::gelu_by_tanh : te::gelu)};
}

Emitted emit_is_infinite(const OpCall& call) {
  const bool positive = call.integer("detect_positive", 1) != 0, negative = call.integer("detect_negative", 1) != 0;
  return std::vector<Tensor>{te::unary(call.b, "is_infinite", call.tensor(0, "X"), [&](Sym x) { return te::is_infinite(x, positive, negative); })};
}

Emitted emit_mod(const OpCall& call) {
  HONE_ASSIGN(operands, binary_operands(call));
  const bool as_dividend = call.integer("fmod", 0) != 0;
  return one_output(te::elementwise(call.b, "mod", operands, [&](const std::vector<Sym>& v) {
    return as_dividend ? te::remainder_of_dividend(v[0], v[1]) : te::remainder_of_divisor(v[0], v[1]);
  }));
}

Emitted emit_gated_swish(const OpCall& call) {
  const std::vector<Operand> operands = {Operand::of(call.tensor(0, "gate")), Operand::of(call.tensor(1, "X"))};
  HONE_TRY(same_types(operands[0], operands[1]));
  if (operands[0].shape != operands[1].shape) return bad_node("its inputs must have the same shape");
  const double alpha = call.number("alpha", 1);
  return one_output(te::elementwise(call.b, "gated_swish", operands, [alpha](const std::vector<Sym>& v) { return te::swish(v[0], alpha) * v[1]; }));
}

Emitted emit_shrink(const OpCall& call) {
  const double lambda = call.number("lambd", 0.5), bias = call.number("bias", 0);
  return std::vector<Tensor>{
      te::unary(call.b, "shrink", call.tensor(0, "X"), [&](Sym x) { return te::shrink(x, lambda, bias); })};
}

Emitted emit_clip(const OpCall& call) {
  std::vector<Operand> operands = {Operand::of(call.tensor(0, "X"))};
  const ir::DType dtype = operands[0].dtype;
  bool has_low = false;
  if (call.graph.opset < 11) {
    operands.push_back(Operand::of(dtype, std::max(call.number("min", -std::numeric_limits<float>::max()),
                                                   te::fold_identity(te::Fold::kMax, dtype))));
    operands.push_back(Operand::of(dtype, std::min(call.number("max", std::numeric_limits<float>::max()),
                                                   te::fold_identity(te::Fold::kMin, dtype))));
    has_low = true;
  } else {
    for (size_t i = 1; i <= 2; i++) {
      if (!call.has_input(i)) continue;
      if (call.value(i).dtype != dtype || ir::element_count(call.value(i).shape) != 1)
        return bad_node("its bounds must be scalars of the input's type");
      operands.push_back(call.operand(i, i == 1 ? "low" : "high"));
      has_low = has_low || i == 1;
    }
  }
  return one_output(te::elementwise(call.b, "clip", operands, [&](const std::vector<Sym>& v) {
    Sym out = v[0];
    for (size_t i = 1; i < v.size(); i++) out = i == 1 && has_low ? te::max(out, v[i]) : te::min(out, v[i]);
    return out;
  }));
}

Emitted emit_dropout(const OpCall& call) {
  if (call.has_input(2)) {
    const auto training = call.scalar(2);
    if (!training || *training != 0) return Error{ErrorCode::kUnsupported, "training mode is not supported"};
  }
  const Tensor x = call.tensor(0, "X");
  const Tensor y = te::unary(call.b, "identity", x, [](Sym v) { return v; });
  if (call.node.outputs.size() < 2) return std::vector<Tensor>{y};
  // The mask: nothing is dropped. Up to opset 9 it has the input's type.
  const ir::DType dtype = call.graph.opset < 10 ? x->dtype : ir::DType::kBool;
  return std::vector<Tensor>{y, te::unary(call.b, "mask", x, [&](Sym) { return call.b.constant(dtype, 1); })};
}

Emitted emit_where(const OpCall& call) {
  std::vector<Operand> operands = {call.operand(0, "condition"), call.operand(1, "A"), call.operand(2, "R")};
  if (operands[0].dtype != ir::DType::kBool || operands[1].dtype != operands[2].dtype)
    return bad_node("expected a bool and two values of one type");
  return one_output(te::elementwise(call.b, "where", operands,
                                    [](const std::vector<Sym>& v) { return te::select(v[0], v[1], v[2]); }));
}

// ---- views

Emitted emit_flatten(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  const int64_t rank = static_cast<int64_t>(shape.size());
  int64_t axis = call.integer("axis", 1);
  if (axis < -rank || axis > rank) return bad_node(cat("axis ", axis, " is out of range for rank ", rank));
  if (axis < 0) axis += rank;
  Shape flat = {1, 1};
  for (int64_t d = 0; d < rank; d++) flat[d < axis ? 0 : 1] *= shape[static_cast<size_t>(d)];
  return one_output(te::reshape(call.b, call.tensor(0, "X"), flat));
}

Emitted emit_reshape(const OpCall& call) {
  HONE_ASSIGN(wanted, call.integers(size_t{1}));
  const Shape& shape = call.value(0).shape;
  const bool zero_is_zero = call.integer("allowzero", 0) != 0;
  int64_t known = 1;
  int free = -1;
  for (size_t d = 0; d < wanted.size(); d++) {
    if (wanted[d] == 0 && !zero_is_zero) {
      if (d >= shape.size()) return bad_node("a 0 in the new shape copies a dimension that the input does not have");
      wanted[d] = shape[d];
    }
    if (wanted[d] == -1) {
      if (free >= 0) return bad_node("the new shape has two dimensions of -1");
      free = static_cast<int>(d);
      continue;
    }
    if (wanted[d] < 0 || wanted[d] > te::kExtentMax)
      return bad_node(cat("the new shape has a dimension of ", wanted[d]));
    known = std::min(known * wanted[d], te::kExtentMax + 1);
  }
  if (free >= 0) {
    const int64_t elements = ir::element_count(shape);
    if (known == 0 || elements % known != 0)
      return bad_node(cat("a tensor of shape ", te::shape_text(shape), " does not fit the new shape"));
    wanted[static_cast<size_t>(free)] = elements / known;
  } else if (known > te::kExtentMax) {
    return bad_node("the new shape has too many elements");
  }
  return one_output(te::reshape(call.b, call.tensor(0, "X"), wanted));
}

Emitted emit_squeeze(const OpCall& call) {
  HONE_ASSIGN(axes, integers_of(call, "axes", 1));
  const Shape& shape = call.value(0).shape;
  std::vector<bool> drop(shape.size(), false);
  for (size_t d = 0; d < shape.size(); d++) drop[d] = axes.empty() && shape[d] == 1;
  for (int64_t a : axes) {
    HONE_ASSIGN(axis, axis_in(a, shape.size()));
    if (shape[static_cast<size_t>(axis)] != 1)
      return bad_node(cat("axis ", a, " has extent ", shape[static_cast<size_t>(axis)], ", not 1"));
    drop[static_cast<size_t>(axis)] = true;
  }
  Shape out;
  for (size_t d = 0; d < shape.size(); d++)
    if (!drop[d]) out.push_back(shape[d]);
  return one_output(te::reshape(call.b, call.tensor(0, "X"), out));
}

Emitted emit_unsqueeze(const OpCall& call) {
  HONE_ASSIGN(axes, integers_of(call, "axes", 1));
  const Shape& shape = call.value(0).shape;
  const int64_t rank = static_cast<int64_t>(shape.size() + axes.size());
  std::vector<bool> added(static_cast<size_t>(rank), false);
  for (int64_t a : axes) {
    HONE_ASSIGN(axis, axis_in(a, static_cast<size_t>(rank)));
    if (added[static_cast<size_t>(axis)]) return bad_node(cat("axis ", a, " is named twice"));
    added[static_cast<size_t>(axis)] = true;
  }
  Shape out;
  size_t next = 0;
  for (int64_t d = 0; d < rank; d++) out.push_back(added[static_cast<size_t>(d)] ? 1 : shape[next++]);
  return one_output(te::reshape(call.b, call.tensor(0, "X"), out));
}

}  // namespace hone::graph
