#include "codegen/graph/op_table.h"

#include <algorithm>

#include "base/cat.h"
#include "codegen/te/ops/broadcast.h"
#include "codegen/te/ops/conv.h"
#include "codegen/te/ops/matrix.h"

namespace hone::graph {
namespace {

using Tensors = std::vector<te::Tensor>;
using te::Tensor;

Result<Tensors> one(Result<Tensor> tensor) {
  if (!tensor.ok()) return tensor.error();
  return Tensors{*tensor};
}

// ---- products

Result<Tensors> emit_matmul(const OpCall& call) {
  const Tensor a = call.tensor(0, "A"), b = call.tensor(1, "B");
  return one(te::matmul(call.b, a, b));
}

std::string describe_matmul(const OpCall& call) {
  const Shape &a = call.value(0).shape, &b = call.value(1).shape;
  if (a.size() < 2 || b.size() < 2) return cat(te::shape_text(a), ",", te::shape_text(b));
  std::string out;
  const auto batch = te::broadcast_shapes({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (batch.ok())
    for (int64_t extent : *batch) out += cat(extent, "x");
  return out + cat(a[a.size() - 2], "x", b[b.size() - 1], "x", a[a.size() - 1]);
}

// ---- sliding windows

te::Window window_of(const OpCall& call) {
  te::Window window;
  window.kernel = call.integers("kernel_shape");
  window.stride = call.integers("strides");
  window.dilation = call.integers("dilations");
  const std::vector<int64_t> pads = call.integers("pads");
  window.pad_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2));
  window.pad_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(pads.size() / 2), pads.end());
  return window;
}

// " s1 p1 d2": one number where all dimensions agree, else joined by x; what has its default is left out, but stride and pad are always said.
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

Result<Tensors> emit_conv(const OpCall& call) {
  const te::ConvParams params{window_of(call), call.integer("group", 1)};
  const Tensor x = call.tensor(0, "X"), w = call.tensor(1, "W");
  HONE_ASSIGN(y, te::conv(call.b, x, w, params));
  return Tensors{y};
}

std::string describe_conv(const OpCall& call) {
  std::string out = cat(te::shape_text(call.value(0).shape), ",", te::shape_text(call.value(1).shape), window_text(window_of(call)));
  if (call.integer("group", 1) != 1) out += cat(" g", call.integer("group", 1));
  return out;
}

constexpr OpEntry kOps[] = {
    {"Conv", "conv", OpKind::kReduction, emit_conv, describe_conv},
    {"MatMul", "matmul", OpKind::kReduction, emit_matmul, describe_matmul},
};

}  // namespace

const OpEntry* find_op(std::string_view op) {
  for (const OpEntry& entry : kOps)
    if (entry.op == op) return &entry;
  return nullptr;
}

Result<std::vector<te::Tensor>> emit_op(const OpCall& call) {
  const OpEntry* entry = find_op(call.node.op);
  if (!entry)
    return Error{ErrorCode::kUnsupported, cat("operator ", call.node.op, " of ", node_text(call.graph, call.node), " is not supported")};
  auto result = entry->emit(call);
  if (result.ok()) return result;
  return Error{result.error().code, cat(node_text(call.graph, call.node), ": ", result.error().message)};
}

}  // namespace hone::graph
