// Products of matrices and sliding windows.
#include <algorithm>

#include "base/cat.h"
#include "codegen/graph/op_arguments.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/einsum.h"
#include "codegen/te/ops/matrix.h"
#include "codegen/te/ops/pool.h"

namespace hone::graph {
namespace {

using te::Tensor;

// Pads that make positions = ⌈extent / stride⌉; an odd one goes to the end (upper) or to the begin.
void pad_to_same(te::Window& window, const Shape& spatial, bool upper) {
  const size_t rank = spatial.size();
  if (window.stride.empty()) window.stride.assign(rank, 1);
  window.pad_begin.assign(rank, 0);
  window.pad_end.assign(rank, 0);
  for (size_t i = 0; i < rank && i < window.kernel.size() && i < window.stride.size(); i++) {
    if (window.stride[i] < 1) continue;  // refused later, with its own message
    const int64_t dilation = i < window.dilation.size() ? window.dilation[i] : 1;
    const int64_t positions = (spatial[i] + window.stride[i] - 1) / window.stride[i];
    const int64_t total = std::max<int64_t>(0, (positions - 1) * window.stride[i] + (window.kernel[i] - 1) * dilation + 1 - spatial[i]);
    (upper ? window.pad_begin : window.pad_end)[i] = total / 2;
    (upper ? window.pad_end : window.pad_begin)[i] = total - total / 2;
  }
}

Result<te::Window> window_of(const OpCall& call, const Shape& kernel) {
  if (call.value(0).shape.size() < 3)
    return Error{ErrorCode::kBadModel, cat("its input of shape ", te::shape_text(call.value(0).shape), " has no spatial dimensions")};
  te::Window window;
  window.kernel = kernel;
  window.stride = call.integers("strides");
  window.dilation = call.integers("dilations");
  for (const auto* list : {&window.kernel, &window.stride, &window.dilation})
    for (int64_t v : *list)
      if (v < 1 || v > te::kWindowMax) return Error{ErrorCode::kBadModel, cat("kernel, stride or dilation ", v, " is out of range")};
  const Shape spatial(call.value(0).shape.begin() + 2, call.value(0).shape.end());
  const std::string auto_pad = call.text("auto_pad", "NOTSET");
  if (auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER") {
    pad_to_same(window, spatial, auto_pad == "SAME_UPPER");
  } else if (auto_pad == "NOTSET") {
    const std::vector<int64_t> pads = call.integers("pads");
    if (!pads.empty() && pads.size() != 2 * spatial.size())
      return Error{ErrorCode::kBadModel, cat("has ", pads.size(), " pads; expected ", 2 * spatial.size())};
    const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2);
    window.pad_begin.assign(pads.begin(), middle);
    window.pad_end.assign(middle, pads.end());
  } else if (auto_pad != "VALID") {
    return Error{ErrorCode::kBadModel, cat("auto_pad '", auto_pad, "' is not defined")};
  }
  return window;
}

// " s1 p1 d2": one number where all dimensions agree, else joined by x. Stride and pad are always said.
std::string window_text(const te::Window& window) {
  const auto list = [](const std::vector<int64_t>& v, int64_t otherwise) {
    if (v.empty()) return std::to_string(otherwise);
    return std::all_of(v.begin(), v.end(), [&](int64_t x) { return x == v[0]; }) ? std::to_string(v[0]) : te::shape_text(v);
  };
  std::vector<int64_t> pads = window.pad_begin;
  pads.insert(pads.end(), window.pad_end.begin(), window.pad_end.end());
  std::string out = cat(" s", list(window.stride, 1), " p", list(pads, 0));
  if (list(window.dilation, 1) != "1") out += cat(" d", list(window.dilation, 1));
  return out;
}

Shape kernel_of_weights(const OpCall& call) {
  const Shape& w = call.value(second_factor(call)).shape;
  return w.size() < 2 ? Shape{} : Shape(w.begin() + 2, w.end());
}

// The window of a convolution, whose kernel is that of its weights.
Result<te::Window> window_of_weights(const OpCall& call) {
  HONE_ASSIGN(window, window_of(call, kernel_of_weights(call)));
  const std::vector<int64_t> said = call.integers("kernel_shape");
  if (!said.empty() && said != window.kernel)
    return bad_node(cat("kernel_shape ", te::shape_text(said), " differs from its weights ", te::shape_text(call.value(second_factor(call)).shape)));
  return window;
}

Result<te::PoolParams> pool_params(const OpCall& call) {
  te::PoolParams params;
  HONE_ASSIGN(window, window_of(call, call.integers("kernel_shape")));
  params.window = std::move(window);
  params.ceil_mode = call.integer("ceil_mode", 0) != 0;
  params.count_include_pad = call.integer("count_include_pad", 0) != 0;
  return params;
}

struct GemmExtents {
  int64_t m = 0, n = 0, k = 0;
};
GemmExtents gemm_extents(const OpCall& call) {
  const Shape &a = call.value(0).shape, &b = call.value(1).shape;
  if (a.size() != 2 || b.size() != 2) return {};
  const bool ta = call.integer("transA", 0) != 0, tb = call.integer("transB", 0) != 0;
  return {a[ta ? 1 : 0], b[tb ? 0 : 1], a[ta ? 0 : 1]};
}

}  // namespace

Emitted emit_einsum(const OpCall& call) {
  std::vector<Tensor> operands;
  for (size_t i = 0; i < call.node.inputs.size(); i++) operands.push_back(call.tensor(i, cat("A", i)));
  return one_output(te::einsum(call.b, call.text("equation", ""), operands));
}

std::string describe_einsum(const OpCall& call) {
  std::string shapes;
  for (size_t i = 0; i < call.node.inputs.size(); i++) shapes += cat(i ? "," : "", te::shape_text(call.value(i).shape));
  return cat(shapes, " ", call.text("equation", ""));
}

Emitted emit_matmul(const OpCall& call) {
  const Tensor a = call.tensor(0, "A"), b = call.tensor(1, "B");
  return one_output(te::matmul(call.b, a, b));
}

std::string describe_matmul(const OpCall& call) {
  const Shape &a = call.value(0).shape, &b = call.value(second_factor(call)).shape;
  if (a.size() < 2 || b.size() < 2) return cat(te::shape_text(a), ",", te::shape_text(b));
  std::string out;
  const auto batch = te::broadcast_shapes({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (batch.ok())
    for (int64_t extent : *batch) out += cat(extent, "x");
  return out + cat(a[a.size() - 2], "x", b[b.size() - 1], "x", a[a.size() - 1]);
}

Emitted emit_gemm(const OpCall& call) {
  if (call.value(0).shape.size() != 2 || call.value(1).shape.size() != 2)
    return Error{ErrorCode::kBadModel, cat("operands ", te::shape_text(call.value(0).shape), " and ", te::shape_text(call.value(1).shape),
                                           " are not matrices")};
  const te::MatmulParams params{call.integer("transA", 0) != 0, call.integer("transB", 0) != 0};
  const double alpha = call.number("alpha", 1), beta = call.number("beta", 1);
  const Tensor a = call.tensor(0, "A"), b = call.tensor(1, "B");
  HONE_ASSIGN(product, te::matmul(call.b, a, b, params));
  const bool has_bias = call.has_input(2) && beta != 0;
  if (!has_bias && alpha == 1) return std::vector<Tensor>{product};
  std::vector<te::Operand> operands = {te::Operand::of(product)};
  if (has_bias) {
    operands.push_back(call.operand(2, "B"));
    HONE_TRY(same_types(operands[0], operands[1]));
  }
  HONE_ASSIGN(sum, te::elementwise(call.b, has_bias ? "bias" : "scale", operands, [&](const std::vector<te::Sym>& v) {
                te::Sym out = alpha == 1 ? v[0] : v[0] * alpha;
                if (has_bias) out = out + (beta == 1 ? v[1] : v[1] * beta);
                return out;
              }));
  if (sum->shape != product->shape)
    return Error{ErrorCode::kBadModel, cat("C of shape ", te::shape_text(call.value(2).shape), " does not broadcast to the product")};
  return std::vector<Tensor>{sum};
}

std::string describe_gemm(const OpCall& call) {
  const GemmExtents e = gemm_extents(call);
  return cat(e.m, "x", e.n, "x", e.k, call.has_input(2) ? " + bias" : "");
}

Result<te::ConvParams> conv_params(const OpCall& call) {
  HONE_ASSIGN(window, window_of_weights(call));
  HONE_ASSIGN(groups, groups_of(call));
  return te::ConvParams{window, groups};
}

Emitted emit_conv(const OpCall& call) {
  HONE_ASSIGN(params, conv_params(call));
  const Tensor x = call.tensor(0, "X"), w = call.tensor(1, "W");
  HONE_ASSIGN(y, te::conv(call.b, x, w, params));
  if (!call.has_input(2)) return std::vector<Tensor>{y};
  return one_output(te::add_channel_bias(call.b, y, call.tensor(2, "B")));
}

namespace {

// What the attributes say of a transposed convolution: pads, or an output shape from which pads follow.
Result<te::ConvTransposeParams> transposed_params(const OpCall& call) {
  te::ConvTransposeParams params;
  HONE_ASSIGN(window, window_of_weights(call));
  const Shape kernel = window.kernel;
  params.window = std::move(window);
  HONE_ASSIGN(groups, groups_of(call));
  params.groups = groups;
  params.output_padding = call.integers("output_padding");
  const Shape spatial(call.value(0).shape.begin() + 2, call.value(0).shape.end());
  const size_t rank = spatial.size();
  const std::string auto_pad = call.text("auto_pad", "NOTSET");
  const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  std::vector<int64_t> wanted = call.integers("output_shape");
  HONE_ASSIGN(complete, te::complete_window(params.window, rank));
  if (wanted.empty() && same)
    for (size_t i = 0; i < rank; i++) wanted.push_back(spatial[i] * complete.stride[i]);
  if (wanted.empty()) return params;
  if (wanted.size() != rank) return Error{ErrorCode::kBadModel, cat("output_shape names ", wanted.size(), " extents; expected ", rank)};
  if (params.output_padding.empty()) params.output_padding.assign(rank, 0);
  for (int64_t extent : wanted) HONE_TRY(check_range("output_shape", extent, 0, te::kExtentMax));
  for (int64_t more : params.output_padding) HONE_TRY(check_range("output_padding", more, 0, te::kWindowMax));
  for (size_t i = 0; i < rank && i < params.output_padding.size(); i++) {
    const int64_t full = complete.stride[i] * (spatial[i] - 1) + (kernel[i] - 1) * complete.dilation[i] + 1 + params.output_padding[i];
    const int64_t total = std::max<int64_t>(0, full - wanted[i]);
    if (full < wanted[i]) params.output_padding[i] += wanted[i] - full;
    (auto_pad == "SAME_UPPER" ? complete.pad_begin : complete.pad_end)[i] = total / 2;
    (auto_pad == "SAME_UPPER" ? complete.pad_end : complete.pad_begin)[i] = total - total / 2;
  }
  params.window = std::move(complete);
  return params;
}

}  // namespace

Emitted emit_conv_transposed(const OpCall& call) {
  HONE_ASSIGN(params, transposed_params(call));
  const Tensor x = call.tensor(0, "X"), w = call.tensor(1, "W");
  HONE_ASSIGN(y, te::conv_transposed(call.b, x, w, params));
  if (!call.has_input(2)) return std::vector<Tensor>{y};
  return one_output(te::add_channel_bias(call.b, y, call.tensor(2, "B")));
}

std::string describe_conv(const OpCall& call) {
  const auto window = window_of(call, kernel_of_weights(call));
  std::string out = cat(te::shape_text(call.value(0).shape), ",", te::shape_text(call.value(second_factor(call)).shape), window.ok() ? window_text(*window) : "");
  if (call.integer("group", 1) != 1) out += cat(" g", call.integer("group", 1));
  return out;
}

Emitted emit_max_pool(const OpCall& call) {
  HONE_ASSIGN(params, pool_params(call));
  const bool column_major = call.integer("storage_order", 0) != 0;
  const Tensor x = call.tensor(0, "X");
  HONE_ASSIGN(y, te::max_pool(call.b, x, params));
  if (!call.wants_output(1)) return std::vector<Tensor>{y};
  HONE_ASSIGN(places, te::max_pool_places(call.b, x, y, params, column_major));
  return std::vector<Tensor>{y, places};
}

Emitted emit_average_pool(const OpCall& call) {
  HONE_ASSIGN(params, pool_params(call));
  return one_output(te::average_pool(call.b, call.tensor(0, "X"), params));
}

std::string describe_input(const OpCall& call) { return te::shape_text(call.value(0).shape); }

std::string describe_pool(const OpCall& call) {
  const auto window = window_of(call, call.integers("kernel_shape"));
  return cat(te::shape_text(call.value(0).shape), " ", te::shape_text(call.integers("kernel_shape")), window.ok() ? window_text(*window) : "");
}

Emitted emit_global_average_pool(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  HONE_ASSIGN(window, te::global_window(x));
  return one_output(te::average_pool(call.b, x, {window}));
}

Emitted emit_length_pool(const OpCall& call) {
  HONE_ASSIGN(params, pool_params(call));
  return one_output(te::length_pool(call.b, call.tensor(0, "X"), params, call.integer("p", 2)));
}

Emitted emit_global_length_pool(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  HONE_ASSIGN(window, te::global_window(x));
  return one_output(te::length_pool(call.b, x, {window}, call.integer("p", 2)));
}

Emitted emit_global_max_pool(const OpCall& call) {
  const Tensor x = call.tensor(0, "X");
  HONE_ASSIGN(window, te::global_window(x));
  return one_output(te::max_pool(call.b, x, {window}));
}

}  // namespace hone::graph
