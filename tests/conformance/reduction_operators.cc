// Reductions over dimensions, and what is made of them.
#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

Graph reduction(std::string_view op, Draw& d, DType dtype) {
  const Shape x = d.shape(0, 5);
  OneNode node(op);
  node.input(x, dtype).set("keepdims", d.coin());
  if (x.empty() || d.below(4) == 0) return node.set("noop_with_empty_axes", d.below(4) == 0);
  Integers axes = d.axes(static_cast<int64_t>(x.size()));
  if (d.coin()) axes[0] -= static_cast<int64_t>(x.size());
  return d.coin() ? node.integers(axes) : node.set("axes", axes);
}
Graph of_reals(std::string_view op, Draw& d) { return reduction(op, d, DType::kF32); }
Graph of_numbers_reduced(std::string_view op, Draw& d) { return reduction(op, d, d.number()); }

Graph extreme_place(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  return OneNode(op)
      .input(x, d.number())
      .set("axis", d.axis(x))
      .set("keepdims", d.coin())
      .set("select_last_index", d.coin());
}

// Up to opset 12 over everything from the axis on.
Graph along_axis(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  OneNode node(op, d.below(3) ? 13 : 11);
  node.input(x);
  return d.below(4) ? node.set("axis", d.axis(x)) : x.size() > 1 ? node : node.set("axis", 0);
}

Graph layer_normalization(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  const int64_t rank = static_cast<int64_t>(x.size()), axis = d.axis(x);
  const Shape rest(x.begin() + (axis < 0 ? axis + rank : axis), x.end());
  const bool is_centered = op == "LayerNormalization";
  OneNode node(op, is_centered ? 18 : 23);
  node.input(x).input(rest).set("axis", axis);
  if (!is_centered) return node;
  if (d.coin()) node.weights(rest);
  return node.with_outputs(static_cast<size_t>(d.between(1, 3)));
}

// Up to opset 20 the parameters are the groups', then the channels'.
Graph group_normalization(std::string_view op, Draw& d) {
  Shape x = d.shape(3, 5);
  const int64_t groups = d.between(1, 3);
  const int opset = d.coin() ? 21 : 18;
  x[1] = groups * std::clamp<int64_t>(x[1], 1, 4);
  const Shape parameters{opset < 21 ? groups : x[1]};
  return OneNode(op, opset).input(x).weights(parameters).input(parameters).set("num_groups", groups);
}

Graph instance_normalization(std::string_view op, Draw& d) {
  const Shape x = d.shape(3, 5);
  return OneNode(op).input(x).weights({x[1]}).input({x[1]});
}

Graph local_response(std::string_view op, Draw& d) {
  OneNode node(op);
  node.input(d.shape(3, 5)).set("size", d.any_of({1, 2, 3, 5})).set("alpha", d.real(0.01, 0.5));
  return d.coin() ? node : node.set("beta", 0.5).set("bias", 2.0);
}

Graph mean_variance(std::string_view op, Draw& d) {
  const Shape x = d.shape(4, 5);
  OneNode node(op);
  node.input(x);
  return d.coin() ? node : node.set("axes", d.axes(static_cast<int64_t>(x.size())));
}

Graph dynamic_quantize(std::string_view op, Draw& d) { return OneNode(op).input(d.shape(0, 4)).with_outputs(3); }

Graph unit_length(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 5);
  return OneNode(op).input(x).set("axis", d.axis(x)).set("p", d.between(1, 2));
}

}  // namespace

std::vector<Operator> reduction_operators() {
  return {
      {"ArgMax", extreme_place, kExact, kOrdered},
      {"ArgMin", extreme_place, kExact, kOrdered},
      {"DynamicQuantizeLinear", dynamic_quantize, kRounded, kOrdered},
      {"GroupNormalization", group_normalization},
      {"Hardmax", along_axis, kExact, kOrdered},
      {"InstanceNormalization", instance_normalization},
      {"LRN", local_response},
      {"LayerNormalization", layer_normalization},
      {"LogSoftmax", along_axis},
      {"LpNormalization", unit_length},
      {"MeanVarianceNormalization", mean_variance},
      {"RMSNormalization", layer_normalization},
      {"ReduceL1", of_numbers_reduced},
      {"ReduceL2", of_reals},
      {"ReduceLogSum", of_reals, kRounded, kAll, 0.5, 2},
      {"ReduceLogSumExp", of_reals},
      {"ReduceMax", of_numbers_reduced, kExact},
      {"ReduceMean", of_reals},
      {"ReduceMin", of_numbers_reduced, kExact},
      {"ReduceProd", of_numbers_reduced, kRounded, kAll, 0.9, 1.1},
      {"ReduceSum", of_numbers_reduced},
      {"ReduceSumSquare", of_numbers_reduced},
      {"Softmax", along_axis},
  };
}

}  // namespace hone::conformance
