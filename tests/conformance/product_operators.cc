// Products of matrices and sliding windows.
#include <algorithm>

#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

// ---- products of matrices

// A number of rows or columns beside a depth; few beside a deep one.
int64_t side(Draw& d) {
  return d.role() == Role::kEmpty && d.below(3) == 0 ? 0 : d.extent(d.role() == Role::kDeep ? 8 : 17);
}

Graph matmul(std::string_view op, Draw& d) {
  const int64_t m = side(d), n = side(d), k = d.depth();
  const int64_t form = d.below(6);
  const DType dtype = d.below(5) ? DType::kF32 : DType::kI32;
  if (form == 0) return OneNode(op).input({k}, dtype).input({k, n}, dtype);
  if (form == 1) return OneNode(op).input({m, k}, dtype).input({k}, dtype);
  if (form == 2) return OneNode(op).input({m, k}, dtype).weights({k, n}, dtype);
  if (form == 3) return OneNode(op).input({m, k}, dtype).input({k, n}, dtype);
  Shape a = {d.extent(3), d.extent(3)}, b = d.broadcast_to(a);
  if (d.coin()) std::swap(a, b);
  a.insert(a.end(), {m, k});
  b.insert(b.end(), {k, n});
  return OneNode(op).input(a, dtype).input(b, dtype);
}

DType small(Draw& d) { return d.coin() ? DType::kI8 : DType::kU8; }

// Zero points: none, a number, one for all, one per row or column.
void zero_point(OneNode& node, DType dtype, int64_t each, Draw& d) {
  const int64_t form = d.below(5);
  if (form == 0) node.no_input();
  else if (form == 1) node.constant(dtype, {}, {d.any_of({0.0, 3.0, 127.0})});
  else if (form == 2) node.input({1}, dtype);
  else if (form == 3) node.weights({each}, dtype);
  else node.input({}, dtype);
}

Graph matmul_integer(std::string_view op, Draw& d) {
  const int64_t m = side(d), n = side(d), k = d.depth();
  const DType left = small(d), right = small(d);
  OneNode node(op);
  if (d.below(4) == 0) {
    const int64_t batch = d.extent(3);
    node.input({batch, m, k}, left).input(d.coin() ? Shape{batch, k, n} : Shape{1, k, n}, right);
  } else {
    node.input({m, k}, left);
    d.coin() ? node.weights({k, n}, right) : node.input({k, n}, right);
  }
  zero_point(node, left, m, d);
  zero_point(node, right, n, d);
  return node;
}

// A scale, one for all or one for each of n, with its zero point. Scales that make no results half way between two numbers.
void quantized_factor(OneNode& node, DType dtype, int64_t n, Draw& d) {
  const bool each = n > 1 && d.coin();
  each ? node.weights({n}) : node.constant(DType::kF32, {}, {d.any_of({0.0713, 0.131, 0.297})});
  each ? node.input({n}, dtype) : node.constant(dtype, {}, {d.any_of({0.0, 3.0})});
}

Graph quantized_matmul(std::string_view op, Draw& d) {
  const int64_t m = side(d), n = side(d), k = d.depth();
  const DType left = small(d), right = small(d);
  OneNode node(op, 21);
  node.input({m, k}, left);
  quantized_factor(node, left, m, d);
  d.coin() ? node.weights({k, n}, right) : node.input({k, n}, right);
  quantized_factor(node, right, n, d);
  quantized_factor(node, small(d), 1, d);
  return node;
}

Graph gemm(std::string_view op, Draw& d) {
  const int64_t m = side(d), n = side(d), k = d.depth();
  const bool a_turned = d.coin(), b_turned = d.coin();
  OneNode node(op);
  node.input(a_turned ? Shape{k, m} : Shape{m, k}).set("transA", a_turned).set("transB", b_turned);
  const Shape b = b_turned ? Shape{n, k} : Shape{k, n};
  d.coin() ? node.weights(b) : node.input(b);
  if (d.below(4)) node.input(d.broadcast_to({m, n}));
  if (d.coin()) node.set("alpha", d.real(0.5, 2));
  if (d.coin()) node.set("beta", d.any_of({0.0, 0.5, 2.0}));
  return node;
}

// ---- sliding windows

struct Sliding {
  Shape spatial;
  Integers kernel, strides, dilations, pads;
};

// Windows that fit: the padded input is at least as long as the window reaches.
Sliding sliding(Draw& d) {
  Sliding s;
  const int64_t rank = d.any_of<int64_t>({1, 2, 2, 2, 3}), extent_max = rank == 1 ? 33 : rank == 2 ? 13 : 5;
  for (int64_t i = 0; i < rank; ++i) {
    s.kernel.push_back(d.below(4) ? d.between(1, rank == 3 ? 2 : 4) : 1);
    s.strides.push_back(d.between(1, 3));
    s.dilations.push_back(d.between(1, 3));
  }
  for (int side = 0; side < 2; ++side)
    for (int64_t k : s.kernel) s.pads.push_back(d.coin() ? d.below(k) : 0);
  for (size_t i = 0; i < s.kernel.size(); ++i) {
    const int64_t reach = (s.kernel[i] - 1) * s.dilations[i] + 1 - s.pads[i] - s.pads[i + s.kernel.size()];
    s.spatial.push_back(std::max({reach, int64_t{1}, d.extent(extent_max)}));
  }
  if (d.role() == Role::kEmpty && d.below(3) == 0) s.spatial[0] = 0;
  return s;
}

bool fits_without_pads(const Sliding& s) {
  for (size_t i = 0; i < s.kernel.size(); ++i)
    if ((s.kernel[i] - 1) * s.dilations[i] >= s.spatial[i]) return false;
  return true;
}

void set_window(OneNode& node, Draw& d, const Sliding& s) {
  node.set("strides", s.strides).set("dilations", s.dilations);
  const int64_t form = d.below(4);
  if (form == 0) node.set("auto_pad", d.any_of({"SAME_UPPER", "SAME_LOWER"}));
  else if (form > 1 || d.role() == Role::kPlain || !fits_without_pads(s)) node.set("pads", s.pads);
}

struct Channels {
  int64_t batch, in, out, groups;
};

// Channels per group on both sides; deep: so many that the window's sum is long.
Channels channels(Draw& d, const Sliding& s) {
  Channels c{d.any_of<int64_t>({1, 1, 2, 3}), d.extent(8), d.extent(8), d.any_of<int64_t>({1, 1, 2, 3})};
  if (d.below(4) == 0) c = {1, 1, d.any_of<int64_t>({1, 1, 2}), d.extent(8)};  // depthwise
  if (d.role() == Role::kEmpty) c.batch = s.spatial[0] == 0 ? c.batch : 0;
  if (d.role() == Role::kUnit) (d.coin() ? c.in : c.out) = 1;
  if (d.role() == Role::kDeep) c = {1, d.depth() / ir::element_count(s.kernel) + 1, d.extent(3), 1};
  return c;
}

Shape image(int64_t batch, int64_t channels, const Shape& spatial) {
  Shape out = {batch, channels};
  out.insert(out.end(), spatial.begin(), spatial.end());
  return out;
}

// Of a deep sum few places.
void shrink(Sliding& s, Draw& d) {
  if (d.role() != Role::kDeep) return;
  for (size_t i = 0; i < s.spatial.size(); ++i)
    s.spatial[i] = std::min(s.spatial[i], (s.kernel[i] - 1) * s.dilations[i] + 2);
}

Graph conv(std::string_view op, Draw& d) {
  Sliding s = sliding(d);
  shrink(s, d);
  const Channels c = channels(d, s);
  OneNode node(op);
  node.input(image(c.batch, c.in * c.groups, s.spatial)).set("group", c.groups);
  const Shape w = image(c.out * c.groups, c.in, s.kernel);
  d.below(3) ? node.weights(w) : node.input(w);
  if (d.coin()) node.weights({c.out * c.groups});
  set_window(node, d, s);
  return node;
}

// Products of two with shared, summed and broadcast dimensions, diagonals, and sums of one.
Graph einsum(std::string_view op, Draw& d) {
  const int64_t i = d.extent(8), j = d.extent(8), k = d.depth(), b = d.extent(3);
  switch (d.below(5)) {
    case 0: return OneNode(op).input({i, k}).input({k, j}).set("equation", "ik,kj->ji");
    case 1: return OneNode(op).input({b, i, k}).input({b, j, k}).set("equation", "bik, bjk -> bij");
    case 2: return OneNode(op).input({b, 1, i, k}).input({j, k}).set("equation", "...ik,jk->...ij");
    case 3: return OneNode(op).input({b, i, i}).set("equation", "...ii->...i");
    default: return OneNode(op).input({i, k}).input({k}).set("equation", "ik,k");
  }
}

Graph conv_integer(std::string_view op, Draw& d) {
  Sliding s = sliding(d);
  shrink(s, d);
  const Channels c = channels(d, s);
  const DType left = small(d), right = small(d);
  OneNode node(op);
  node.input(image(c.batch, c.in * c.groups, s.spatial), left).set("group", c.groups);
  const Shape w = image(c.out * c.groups, c.in, s.kernel);
  d.below(3) ? node.weights(w, right) : node.input(w, right);
  zero_point(node, left, 1, d);
  zero_point(node, right, c.out * c.groups, d);
  set_window(node, d, s);
  return node;
}

Graph quantized_conv(std::string_view op, Draw& d) {
  Sliding s = sliding(d);
  shrink(s, d);
  const Channels c = channels(d, s);
  const DType left = small(d), right = small(d);
  const int64_t out = c.out * c.groups;
  OneNode node(op);
  node.input(image(c.batch, c.in * c.groups, s.spatial), left).set("group", c.groups);
  quantized_factor(node, left, 1, d);
  node.weights(image(out, c.in, s.kernel), right);
  quantized_factor(node, right, out, d);
  quantized_factor(node, small(d), 1, d);
  if (d.coin()) node.weights({out}, DType::kI32);
  set_window(node, d, s);
  return node;
}

Graph conv_transposed(std::string_view op, Draw& d) {
  Sliding s = sliding(d);
  shrink(s, d);
  const Channels c = channels(d, s);
  OneNode node(op);
  node.input(image(c.batch, c.in * c.groups, s.spatial)).set("group", c.groups);
  const Shape w = image(c.in * c.groups, c.out, s.kernel);
  d.below(3) ? node.weights(w) : node.input(w);
  if (d.coin()) node.weights({c.out * c.groups});
  node.set("strides", s.strides).set("dilations", s.dilations);
  if (d.below(4) == 0) return node.set("auto_pad", d.any_of({"SAME_UPPER", "SAME_LOWER"}));
  Integers more;
  for (int64_t stride : s.strides) more.push_back(d.below(stride));
  if (d.coin()) node.set("output_padding", more);
  for (size_t i = 0; i < s.pads.size(); ++i) s.pads[i] = std::min(s.pads[i], (s.kernel[i % s.kernel.size()] - 1) / 2);
  return node.set("pads", s.pads);
}

Graph pool(std::string_view op, Draw& d) {
  Sliding s = sliding(d);
  Shape x = image(d.extent(3), d.extent(8), s.spatial);
  if (d.role() == Role::kEmpty && s.spatial[0] != 0) x[0] = 0;
  if (d.role() == Role::kUnit) x[2] = s.kernel[0] = 1, s.pads[0] = s.pads[s.kernel.size()] = 0;
  if (d.role() == Role::kDeep)
    x = image(1, 2, Shape(s.kernel.size(), s.kernel.size() == 1 ? 2100 : s.kernel.size() == 2 ? 49 : 13));
  if (d.role() == Role::kDeep) s.kernel = Integers(x.begin() + 2, x.end()), s.dilations.assign(s.kernel.size(), 1);
  OneNode node(op);
  node.input(x).set("kernel_shape", s.kernel).set("ceil_mode", d.coin());
  if (op == "AveragePool") node.set("count_include_pad", d.coin());
  if (op == "LpPool") node.set("p", d.between(1, 4));
  set_window(node, d, s);
  if (op != "MaxPool" || d.coin()) return node;
  return node.set("storage_order", d.coin()).with_outputs(2);
}

Graph global_pool(std::string_view op, Draw& d) {
  Shape x = d.shape(3, 5);
  return OneNode(op).input(x);
}

}  // namespace

std::vector<Operator> product_operators() {
  return {
      {"AveragePool", pool},
      {"Conv", conv, kRounded, kAll, -1, 1},
      {"ConvInteger", conv_integer},
      {"ConvTranspose", conv_transposed, kRounded, kAll, -1, 1},
      {"Einsum", einsum, kRounded, kAll, -1, 1},
      {"Gemm", gemm, kRounded, kAll, -1, 1},
      {"GlobalAveragePool", global_pool},
      {"GlobalLpPool", global_pool},
      {"GlobalMaxPool", global_pool, kExact},
      {"LpPool", pool},
      {"MatMul", matmul, kRounded, kAll, -1, 1},
      {"MatMulInteger", matmul_integer},
      {"QLinearConv", quantized_conv},
      {"QLinearMatMul", quantized_matmul},
      {"MaxPool", pool, kExact},
  };
}

}  // namespace hone::conformance
