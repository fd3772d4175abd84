// Operators that move elements, and reductions over dimensions.
#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/movement.h"
#include "codegen/te/ops/reductions.h"
#include "codegen/te/ops/reshape.h"
#include "codegen/te/ops/rotation.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/window.h"

namespace hone::graph {

using te::Sym;
using te::Tensor;

Emitted emit_transpose(const OpCall& call) {
  std::vector<int64_t> order = call.integers("perm");
  if (order.empty())
    for (size_t d = call.value(0).shape.size(); d-- > 0;) order.push_back(static_cast<int64_t>(d));
  return one_output(te::transpose(call.b, call.tensor(0, "X"), order));
}

Emitted emit_concat(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 1), call.value(0).shape.size()));
  std::vector<Tensor> parts;
  for (size_t i = 0; i < call.node.inputs.size(); i++) parts.push_back(call.tensor(i, "X"));
  return one_output(te::concat(call.b, parts, axis));
}

Emitted emit_slice(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  HONE_ASSIGN(starts, integers_of(call, "starts", 1));
  HONE_ASSIGN(ends, integers_of(call, "ends", 2));
  HONE_ASSIGN(named, integers_of(call, "axes", 3));
  HONE_ASSIGN(steps, integers_of(call, "steps", 4));
  if (named.empty())
    for (size_t i = 0; i < starts.size(); i++) named.push_back(static_cast<int64_t>(i));
  HONE_ASSIGN(axes, axes_in(named, shape.size()));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return bad_node("starts, ends, axes and steps differ in length");
  te::Slice s{std::vector<int64_t>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1), shape};
  for (size_t i = 0; i < axes.size(); i++) {
    const size_t d = static_cast<size_t>(axes[i]);
    const int64_t extent = shape[d], step = steps[i];
    if (step == 0) return bad_node("a step of 0");
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
    const auto place = [&](int64_t v) { return std::clamp(v < 0 ? v + extent : v, low, high); };
    const int64_t begin = std::max<int64_t>(place(starts[i]), 0), end = place(ends[i]);
    const int64_t distance = step > 0 ? end - begin : begin - end;
    const int64_t stride = step == INT64_MIN ? te::kExtentMax : std::min(std::abs(step), te::kExtentMax);
    s.begin[d] = begin;
    s.step[d] = step > 0 ? stride : -stride;
    s.shape[d] = extent == 0 || distance <= 0 ? 0 : (distance + stride - 1) / stride;
  }
  return std::vector<Tensor>{te::slice(call.b, call.tensor(0, "X"), s)};
}

Emitted emit_split(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 0), shape.size()));
  HONE_ASSIGN(extents, integers_of(call, "split", 1));
  const auto count = static_cast<int64_t>(call.node.outputs.size());
  const int64_t extent = shape[static_cast<size_t>(axis)];
  const int64_t parts = call.integer("num_outputs", count);
  if (parts != count) return bad_node(cat("its attribute num_outputs is ", parts, " and it has ", count, " outputs"));
  if (extents.empty() && call.has_attribute("num_outputs")) {  // from opset 18 on the last part may be smaller
    const int64_t part = (extent + count - 1) / count;
    extents.assign(static_cast<size_t>(count), part);
    extents.back() = extent - part * (count - 1);
  } else if (extents.empty()) {
    if (extent % count != 0) return bad_node(cat("extent ", extent, " does not split into ", count, " equal parts"));
    extents.assign(static_cast<size_t>(count), extent / count);
  }
  int64_t begin = 0;
  for (int64_t e : extents) begin += std::clamp<int64_t>(e, -1, te::kExtentMax);
  if (static_cast<int64_t>(extents.size()) != count || begin != extent || *std::min_element(extents.begin(), extents.end()) < 0)
    return bad_node(cat("the parts do not add up to the extent ", extent));
  const Tensor x = call.tensor(0, "X");
  std::vector<Tensor> out;
  begin = 0;
  for (size_t i = 0; i < extents.size(); i++) {
    te::Slice s{std::vector<int64_t>(shape.size(), 0), std::vector<int64_t>(shape.size(), 1), shape};
    s.begin[static_cast<size_t>(axis)] = begin;
    s.shape[static_cast<size_t>(axis)] = extents[i];
    begin += extents[i];
    out.push_back(call.node.outputs[i] == kNoValue ? nullptr : te::slice(call.b, x, s));
  }
  return out;
}

Emitted emit_pad(const OpCall& call) {
  HONE_ASSIGN(pads, integers_of(call, "pads", 1));
  const size_t rank = call.value(0).shape.size();
  HONE_ASSIGN(named, call.integers(size_t{3}));
  HONE_ASSIGN(axes, distinct_axes(named, rank));
  if (pads.size() != 2 * axes.size()) return bad_node(cat("has ", pads.size(), " pads; expected ", 2 * axes.size()));
  te::PadParams params;
  params.begin.assign(rank, 0);
  params.end.assign(rank, 0);
  for (size_t i = 0; i < axes.size(); i++) {
    params.begin[static_cast<size_t>(axes[i])] = pads[i];
    params.end[static_cast<size_t>(axes[i])] = pads[axes.size() + i];
  }
  const std::string mode = call.text("mode", "constant");
  if (mode == "edge") params.border = te::Border::kEdge;
  else if (mode == "reflect") params.border = te::Border::kReflect;
  else if (mode == "wrap") params.border = te::Border::kWrap;
  else if (mode != "constant") return Error{ErrorCode::kUnsupported, cat("mode '", mode, "' is not supported")};
  params.fill = call.number("value", 0);
  if (call.has_input(2)) {
    HONE_ASSIGN(fill, call.numbers(2));
    if (fill.size() != 1) return bad_node("expected one number to fill with");
    params.fill = fill[0];
  }
  return one_output(te::pad(call.b, call.tensor(0, "X"), params));
}

Emitted emit_expand(const OpCall& call) {
  HONE_ASSIGN(shape, call.integers(size_t{1}));
  if (std::any_of(shape.begin(), shape.end(), [](int64_t e) { return e < 0 || e > te::kExtentMax; })) return bad_node("the new shape is out of range");
  return one_output(te::expand(call.b, call.tensor(0, "X"), shape));
}

Emitted emit_gather(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 0), call.value(0).shape.size()));
  const Tensor x = call.tensor(0, "X"), indices = call.tensor(1, "indices");
  return one_output(te::gather(call.b, x, indices, axis));
}

Emitted emit_gather_elements(const OpCall& call) {
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 0), call.value(0).shape.size()));
  const Tensor x = call.tensor(0, "X"), indices = call.tensor(1, "indices");
  return one_output(te::gather_elements(call.b, x, indices, axis));
}

Emitted emit_gather_tuples(const OpCall& call) {
  const Tensor x = call.tensor(0, "X"), indices = call.tensor(1, "indices");
  return one_output(te::gather_tuples(call.b, x, indices, call.integer("batch_dims", 0)));
}

Emitted emit_center_crop_pad(const OpCall& call) {
  HONE_ASSIGN(wanted, call.integers(size_t{1}));
  Shape shape = call.value(0).shape;
  std::vector<int64_t> named = call.integers("axes");
  for (size_t d = 0; named.size() < shape.size() && !call.has_attribute("axes"); d++) named.push_back(static_cast<int64_t>(d));
  HONE_ASSIGN(axes, axes_in(named, shape.size()));
  if (wanted.size() != axes.size()) return bad_node(cat("its shape names ", wanted.size(), " extents for ", axes.size(), " axes"));
  for (size_t i = 0; i < axes.size(); i++) {
    HONE_TRY(check_range("shape", wanted[i], 0, te::kExtentMax));
    shape[static_cast<size_t>(axes[i])] = wanted[i];
  }
  return one_output(te::centered(call.b, call.tensor(0, "X"), shape));
}

Emitted emit_reverse_sequence(const OpCall& call) {
  const size_t rank = call.value(0).shape.size();
  HONE_ASSIGN(time, axis_in(call.integer("time_axis", 0), rank));
  HONE_ASSIGN(batch, axis_in(call.integer("batch_axis", 1), rank));
  const Tensor x = call.tensor(0, "X"), lengths = call.tensor(1, "lengths");
  return one_output(te::reverse_starts(call.b, x, lengths, time, batch));
}

Emitted emit_rotary_embedding(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  const int64_t heads = call.integer("num_heads", 0), named = call.integer("rotary_embedding_dim", 0);
  if (shape.size() < 3 || (shape.size() == 3 && (heads < 1 || shape[2] % heads != 0)))
    return bad_node(cat("its num_heads of ", heads, " does not divide an input of shape ", te::shape_text(shape)));
  te::Rotation rotation{.head = shape.size() == 3 ? shape[2] / heads : shape.back(), .interleaved = call.integer("interleaved", 0) != 0};
  rotation.rotated = named == 0 ? rotation.head : named;
  const Tensor x = call.tensor(0, "X");
  rotation.cosines = call.tensor(1, "cosines");
  rotation.sines = call.tensor(2, "sines");
  if (call.has_input(3)) rotation.positions = call.tensor(3, "positions");
  return one_output(te::rotate(call.b, x, rotation));
}

Emitted emit_triangle(const OpCall& call) {
  HONE_ASSIGN(diagonal, call.integers(size_t{1}));
  return one_output(te::triangle(call.b, call.tensor(0, "X"), {call.integer("upper", 1) != 0, diagonal.empty() ? 0 : diagonal[0]}));
}

// Ones on a diagonal of zeros, by the input's shape alone.
Emitted emit_diagonal(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  if (shape.size() != 2) return bad_node(cat("its input has shape ", te::shape_text(shape), "; expected a matrix"));
  ir::DType dtype = call.value(0).dtype;
  if (call.has_attribute("dtype") && !dtype_of_onnx(call.integer("dtype", 0), &dtype))
    return Error{ErrorCode::kUnsupported, cat("the element type ", onnx_type_name(call.integer("dtype", 0)), " of its attribute 'dtype' is not supported")};
  const int64_t diagonal = std::clamp<int64_t>(call.integer("k", 0), -shape[0], shape[1]);
  const std::vector<te::Axis> axes = call.b.axes({}, shape);
  const Sym row = call.b.sym(axes[0]) + double(diagonal), column = call.b.sym(axes[1]);
  return std::vector<Tensor>{call.b.map("diagonal", axes, te::select(row == column, call.b.constant(dtype, 1), call.b.constant(dtype, 0)))};
}

Emitted emit_one_hot(const OpCall& call) {
  HONE_ASSIGN(depth, call.numbers(1));
  HONE_ASSIGN(values, call.numbers(2));
  if (depth.size() != 1 || values.size() != 2 || !(depth[0] >= 0 && depth[0] <= double(te::kExtentMax))) return bad_node("depth or values are out of range");
  HONE_ASSIGN(axis, axis_in(call.integer("axis", -1), call.value(0).shape.size() + 1));
  return std::vector<Tensor>{te::one_hot(call.b, call.tensor(0, "indices"), {axis, static_cast<int64_t>(depth[0]), call.value(2).dtype, values[1], values[0]})};
}

Emitted emit_tile(const OpCall& call) {
  HONE_ASSIGN(times, call.integers(size_t{1}));
  if (times.size() != call.value(0).shape.size() || std::any_of(times.begin(), times.end(), [](int64_t t) { return t < 0 || t > te::kExtentMax; }))
    return bad_node("expected one repetition per dimension");
  double elements = static_cast<double>(ir::element_count(call.value(0).shape));
  for (int64_t t : times) elements *= static_cast<double>(t);
  if (elements > static_cast<double>(te::kExtentMax)) return Error{ErrorCode::kUnsupported, "its output has too many elements"};
  return std::vector<Tensor>{te::tile(call.b, call.tensor(0, "X"), times)};
}

namespace {

// A tensor of rank 1 whose elements are known numbers: a chain of selects.
Tensor listed(te::Builder& b, ir::DType dtype, const std::vector<int64_t>& values) {
  const te::Axis axis = b.axis("i", static_cast<int64_t>(values.size()));
  Sym value = b.constant(dtype, values.empty() ? 0 : static_cast<double>(values.back()));
  for (size_t i = values.size(); i-- > 1;)
    value = te::select(b.sym(axis) < static_cast<double>(i), b.constant(dtype, static_cast<double>(values[i - 1])), value);
  return b.map("shape", {axis}, value);
}

}  // namespace

Emitted emit_shape(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto place = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  const int64_t start = place(call.integer("start", 0)), end = std::max(place(call.integer("end", rank)), start);
  return std::vector<Tensor>{listed(call.b, ir::DType::kI64, {shape.begin() + start, shape.begin() + end})};
}

Emitted emit_size(const OpCall& call) {
  return std::vector<Tensor>{call.b.map("size", {}, call.b.constant(ir::DType::kI64, static_cast<double>(ir::element_count(call.value(0).shape))))};
}

Emitted emit_constant_of_shape(const OpCall& call) {
  HONE_ASSIGN(shape, call.integers(size_t{0}));
  if (std::any_of(shape.begin(), shape.end(), [](int64_t e) { return e < 0 || e > te::kExtentMax; })) return bad_node("the shape is out of range");
  Sym value = call.b.constant(ir::DType::kF32, 0);
  const auto it = call.node.attributes.find("value");
  if (it != call.node.attributes.end()) {
    const auto* tensor = std::get_if<ConstantTensor>(&it->second);
    if (!tensor || ir::element_count(tensor->shape) != 1) return bad_node("its value must be a tensor of one element");
    value = call.b.constant(tensor->dtype, to_doubles(*tensor)[0]);
  }
  return std::vector<Tensor>{call.b.map("fill", call.b.axes({}, shape), value)};
}

Emitted emit_range(const OpCall& call) {
  double parts[3];
  for (size_t i = 0; i < 3; i++) {
    HONE_ASSIGN(v, call.numbers(i));
    if (v.size() != 1) return bad_node("expected three scalars");
    parts[i] = v[0];
  }
  const double count = parts[2] == 0 ? -1 : std::max(std::ceil((parts[1] - parts[0]) / parts[2]), 0.0);
  if (!(count >= 0 && count <= static_cast<double>(te::kExtentMax))) return bad_node("start, limit and delta give no finite range");
  const te::Axis axis = call.b.axis("i", static_cast<int64_t>(count));
  const ir::DType dtype = call.value(0).dtype;
  if (ir::is_float(dtype) && ir::size_bytes(dtype) == 2 && call.integer("stash_type", 1) != 1)
    return Error{ErrorCode::kUnsupported, cat("sums in the element type ", onnx_type_name(call.integer("stash_type", 1)), " (stash_type) are not supported")};
  return std::vector<Tensor>{call.b.map("range", {axis}, te::cast(dtype, call.b.sym(axis)) * parts[2] + parts[0])};
}

namespace {

// Whether `mode` orders a block's elements behind the channels ("CRD") or before them ("DCR"). Fails: bad_model.
Result<bool> column_row_depth(const OpCall& call) {
  const std::string mode = call.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return bad_node(cat("mode '", mode, "' is not defined"));
  return mode == "CRD";
}

}  // namespace

Emitted emit_depth_to_space(const OpCall& call) {
  const Shape& s = call.value(0).shape;
  const int64_t block = call.integer("blocksize", 0);
  if (s.size() != 4 || block < 1 || block > te::kWindowMax || s[1] % (block * block) != 0) return bad_node("its channels do not split into blocks");
  const int64_t c = s[1] / (block * block);
  HONE_ASSIGN(crd, column_row_depth(call));
  HONE_ASSIGN(parts, te::reshape(call.b, call.tensor(0, "X"), crd ? Shape{s[0], c, block, block, s[2], s[3]} : Shape{s[0], block, block, c, s[2], s[3]}));
  HONE_ASSIGN(turned, te::transpose(call.b, parts, crd ? std::vector<int64_t>{0, 1, 4, 2, 5, 3} : std::vector<int64_t>{0, 3, 4, 1, 5, 2}));
  return one_output(te::reshape(call.b, turned, {s[0], c, s[2] * block, s[3] * block}));
}

Emitted emit_space_to_depth(const OpCall& call) {
  const Shape& s = call.value(0).shape;
  const int64_t block = call.integer("blocksize", 0);
  if (s.size() != 4 || block < 1 || block > te::kWindowMax || s[2] % block != 0 || s[3] % block != 0) return bad_node("its image does not split into blocks");
  HONE_ASSIGN(parts, te::reshape(call.b, call.tensor(0, "X"), {s[0], s[1], s[2] / block, block, s[3] / block, block}));
  HONE_ASSIGN(crd, column_row_depth(call));
  HONE_ASSIGN(turned, te::transpose(call.b, parts, crd ? std::vector<int64_t>{0, 1, 3, 5, 2, 4} : std::vector<int64_t>{0, 3, 5, 1, 2, 4}));
  return one_output(te::reshape(call.b, turned, {s[0], s[1] * block * block, s[2] / block, s[3] / block}));
}

// ---- reductions over dimensions

namespace {

Sym squared(Sym x) { return x * x; }

// Of booleans false is the smaller.
te::ReductionRule rule_of_logic(te::Fold fold) {
  return {fold, [](Sym v) { return te::converted(ir::DType::kU8, v); }, [](Sym acc, double) { return te::converted(ir::DType::kBool, acc); }};
}

te::ReductionRule rule_of(std::string_view op, ir::DType dtype) {
  using te::Fold;
  const auto root = [](Sym acc, double) { return te::square_root(acc); };
  const auto log = [](Sym acc, double) { return te::logarithm(acc); };
  if (op == "ReduceMax") return dtype == ir::DType::kBool ? rule_of_logic(Fold::kMax) : te::ReductionRule{Fold::kMax};
  if (op == "ReduceMin") return dtype == ir::DType::kBool ? rule_of_logic(Fold::kMin) : te::ReductionRule{Fold::kMin};
  if (op == "ReduceProd") return {Fold::kProduct};
  if (op == "ReduceL1") return {Fold::kSum, te::absolute};
  if (op == "ReduceL2") return {Fold::kSum, squared, root};
  if (op == "ReduceSumSquare") return {Fold::kSum, squared};
  if (op == "ReduceLogSum") return {Fold::kSum, nullptr, log};
  if (op == "ReduceMean") return {Fold::kSum, nullptr, [](Sym acc, double count) { return acc / count; }};
  return {Fold::kSum};
}

}  // namespace

Emitted emit_reduction(const OpCall& call) {
  HONE_ASSIGN(named, integers_of(call, "axes", 1));
  const size_t rank = call.value(0).shape.size();
  HONE_ASSIGN(axes, axes_in(named, rank));
  const Tensor x = call.tensor(0, "X");
  const te::ReductionRule rule = rule_of(call.node.op, x->dtype);
  if (axes.empty() && call.integer("noop_with_empty_axes", 0) != 0)  // each element alone
    return std::vector<Tensor>{te::unary(call.b, "each", x, [&](Sym v) {
      const Sym value = rule.value ? rule.value(v) : v;
      return rule.finish ? rule.finish(value, 1) : value;
    })};
  if (axes.empty())
    for (size_t d = 0; d < rank; d++) axes.push_back(static_cast<int64_t>(d));
  if (call.node.op == "ReduceLogSumExp") return one_output(te::log_sum_exp(call.b, x, {axes, call.integer("keepdims", 1) != 0}));
  return one_output(te::reduce_over(call.b, "Y", x, {axes, call.integer("keepdims", 1) != 0}, rule));
}

Emitted emit_arg_extreme(const OpCall& call) {
  te::ArgParams params;
  HONE_ASSIGN(axis, axis_in(call.integer("axis", 0), call.value(0).shape.size()));
  params.axis = axis;
  params.keep_dims = call.integer("keepdims", 1) != 0;
  params.smallest = call.node.op == "ArgMin";
  params.last_of_equals = call.integer("select_last_index", 0) != 0;
  return one_output(te::arg_extreme(call.b, call.tensor(0, "X"), params));
}

Emitted emit_hardmax(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  const bool one_axis = call.graph.opset >= 13;
  HONE_ASSIGN(axis, axis_in(call.integer("axis", one_axis ? -1 : 1), shape.size()));
  const Tensor x = call.tensor(0, "X");
  if (one_axis) return one_output(te::hard_choice(call.b, x, axis));
  Shape flat = {1, 1};  // earlier versions: over everything from `axis` on
  for (size_t d = 0; d < shape.size(); d++) flat[static_cast<int64_t>(d) < axis ? 0 : 1] *= shape[d];
  HONE_ASSIGN(matrix, te::reshape(call.b, x, flat));
  HONE_ASSIGN(chosen, te::hard_choice(call.b, matrix, 1));
  return one_output(te::reshape(call.b, chosen, shape));
}

Emitted emit_softmax(const OpCall& call) {
  const size_t rank = call.value(0).shape.size();
  const bool one_axis = call.graph.opset >= 13;
  HONE_ASSIGN(axis, axis_in(call.integer("axis", one_axis ? -1 : 1), rank));
  std::vector<int64_t> axes = {axis};
  if (!one_axis)  // earlier versions: over everything from `axis` on
    for (int64_t d = axis + 1; d < static_cast<int64_t>(rank); d++) axes.push_back(d);
  return one_output(te::softmax(call.b, call.tensor(0, "X"), axes, call.node.op == "LogSoftmax"));
}

}  // namespace hone::graph
