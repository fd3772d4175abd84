// Signals: transforms, windows, and windows put together again.
#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/elementwise.h"
#include "codegen/te/ops/movement.h"
#include "codegen/te/ops/overlap_add.h"
#include "codegen/te/ops/scalar_functions.h"
#include "codegen/te/ops/spectrum.h"

namespace hone::graph {
using te::Tensor;

Emitted emit_fourier(const OpCall& call) {
  const Shape& shape = call.value(0).shape;
  te::Fourier f{.inverse = call.integer("inverse", 0) != 0, .onesided = call.integer("onesided", 0) != 0};
  const bool axis_is_input = call.graph.opset >= 20;
  HONE_ASSIGN(named, integer_in(call, 2, axis_is_input ? -2 : call.integer("axis", 1)));
  HONE_ASSIGN(axis, axis_in(named, shape.size()));
  f.axis = axis;
  const int64_t extent = shape[static_cast<size_t>(axis)];
  HONE_ASSIGN(length, integer_in(call, 1, f.inverse && f.onesided ? 2 * (extent - 1) : extent));
  f.length = length;
  return one_output(te::fourier(call.b, call.tensor(0, "X"), f));
}

Emitted emit_framed_fourier(const OpCall& call) {
  te::Frames frames{.onesided = call.integer("onesided", 1) != 0};
  HONE_ASSIGN(step, integer_in(call, 1));
  const Shape& shape = call.value(0).shape;
  const int64_t whole = shape.size() == 3 ? shape[1] : 0;
  const int64_t of_window = call.has_input(2) && call.value(2).shape.size() == 1 ? call.value(2).shape[0] : whole;
  HONE_ASSIGN(length, integer_in(call, 3, of_window));
  frames.step = step;
  frames.length = length;
  const Tensor x = call.tensor(0, "X");
  if (call.has_input(2)) frames.window = call.tensor(2, "window");
  return one_output(te::framed_fourier(call.b, x, frames));
}

Emitted emit_cosine_window(const OpCall& call) {
  HONE_ASSIGN(size, integer_in(call, 0));
  HONE_ASSIGN(dtype, type_of(call, "output_datatype", ir::DType::kF32));
  const std::string_view op = call.node.op;
  std::array<double, 3> c{0.5, 0.5, 0};  // Hann's
  if (op == "HammingWindow") c = {25.0 / 46, 21.0 / 46, 0};
  if (op == "BlackmanWindow") c = {0.42, 0.5, 0.08};
  return one_output(te::cosine_window(call.b, dtype, size, call.integer("periodic", 1) != 0, c));
}

Emitted emit_overlap_add(const OpCall& call) {
  HONE_ASSIGN(image, call.integers(size_t{1}));
  HONE_ASSIGN(kernel, call.integers(size_t{2}));
  te::Window window{.kernel = kernel, .stride = call.integers("strides"), .dilation = call.integers("dilations")};
  const std::vector<int64_t> pads = call.integers("pads");
  if (pads.size() % 2 != 0) return bad_node(cat("has ", pads.size(), " pads; expected two for each dimension"));
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
  window.pad_begin.assign(pads.begin(), middle);
  window.pad_end.assign(middle, pads.end());
  for (int64_t extent : image) HONE_TRY(check_range("an extent of image_shape", extent, 1, te::kExtentMax));
  return one_output(te::overlap_add(call.b, call.tensor(0, "X"), image, window));
}

namespace {

// The input behind what it goes on from: zeros, or the past.
Result<Tensor> continued(const OpCall& call, Tensor x, int64_t before) {
  if (call.has_input(3)) {
    const Tensor past = call.tensor(3, "past");
    if (past->shape != Shape{x->shape[0], x->shape[1], before} || past->dtype != x->dtype) return bad_node(cat("a past of shape ", te::shape_text(past->shape), " does not fit; expected ", before, " elements of each channel"));
    return te::concat(call.b, {past, x}, 2);
  }
  te::PadParams zeros{.begin = {0, 0, before}, .end = {0, 0, 0}};
  return te::pad(call.b, x, zeros);
}

}  // namespace

Emitted emit_causal_conv(const OpCall& call) {
  const Tensor x = call.tensor(0, "X"), w = call.tensor(1, "W");
  if (x->shape.size() != 3 || w->shape.size() != 3 || w->shape[2] < 1) return bad_node(cat("an input and weights of shapes ", te::shape_text(x->shape), " and ", te::shape_text(w->shape), " do not fit; expected [n, c, l] and [c, 1, k]"));
  const std::string activation = call.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish") return bad_node(cat("activation '", activation, "' is not defined; expected none, silu or swish"));
  const int64_t before = w->shape[2] - 1;
  HONE_ASSIGN(all, continued(call, x, before));
  HONE_ASSIGN(y, te::conv(call.b, all, w, {.groups = x->shape[1]}));
  if (call.has_input(2)) {
    HONE_ASSIGN(sum, te::add_channel_bias(call.b, y, call.tensor(2, "B")));
    y = sum;
  }
  if (activation != "none") y = te::unary(call.b, "swish", y, [](te::Sym v) { return te::swish(v, 1); });
  const te::Slice last{{0, 0, all->shape[2] - before}, {1, 1, 1}, {x->shape[0], x->shape[1], before}};
  return std::vector<Tensor>{y, te::slice(call.b, all, last)};
}

}  // namespace hone::graph
