// Operators that put elements where indices say, in order, or behind what comes before them.
#include <algorithm>

#include "tests/conformance/one_node.h"
#include "tests/conformance/operators.h"

namespace hone::conformance {
namespace {

using graph::Graph;
using enum Values;
using enum Match;

// Of `most` elements at most, so that each may look at all.
Shape small_shape(Draw& d, int rank_min, int64_t most = 512) {
  Shape x = d.shape(rank_min, 3);
  while (ir::element_count(x) > most) {
    int64_t& longest = *std::max_element(x.begin(), x.end());
    longest = (longest + 1) / 2;
  }
  return x;
}

const char* join_of(std::string_view, Draw& d) { return d.any_of({"none", "none", "add", "max", "min"}); }

Graph scatter_elements(std::string_view op, Draw& d) {
  const Shape x = small_shape(d, 1);
  Shape at = x;
  const int64_t axis = d.axis(x);
  for (int64_t& extent : at) extent = extent == 0 ? 0 : d.between(1, extent);
  const DType dtype = d.number();
  OneNode node(op, op == "Scatter" ? 10 : 18);
  node.input(x, dtype).input(at, d.any_of({DType::kI64, DType::kI32})).input(at, dtype).set("axis", axis);
  return op == "Scatter" ? node : node.set("reduction", join_of(op, d));
}

Graph scatter_tuples(std::string_view op, Draw& d) {
  const Shape x = small_shape(d, 1);
  const int64_t parts = d.between(1, static_cast<int64_t>(x.size()));
  Shape at = d.coin() ? Shape{d.extent(8)} : Shape{d.extent(3), d.extent(3)};
  if (d.role() == Role::kEmpty && d.coin()) at[0] = 0;
  Shape updates = at;
  updates.insert(updates.end(), x.begin() + parts, x.end());
  at.push_back(parts);
  const DType dtype = d.number();
  return OneNode(op).input(x, dtype).input(at, DType::kI64).input(updates, dtype).set("reduction", join_of(op, d));
}

Graph tensor_scatter(std::string_view op, Draw& d) {
  Shape x = d.shape(2, 4);
  const int64_t axis = d.between(1, static_cast<int64_t>(x.size()) - 1), extent = x[static_cast<size_t>(axis)];
  Shape updates = x;
  updates[static_cast<size_t>(axis)] = extent == 0 ? 0 : d.between(1, extent);
  OneNode node(op, 24);
  node.input(x).input(updates).set("axis", axis).set("mode", d.any_of({"linear", "circular"}));
  return d.coin() ? node : node.input({x[0]}, DType::kI64);
}

Graph top_k(std::string_view op, Draw& d) {
  const Shape x = small_shape(d, 1, 1024);
  const int64_t axis = d.axis(x), extent = x[static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.size()) : axis)];
  return OneNode(op).input(x, d.number()).integers({d.between(0, extent)}).set("axis", axis).set("largest", d.coin()).with_outputs(2);
}

Graph cumulative(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 3);
  OneNode node(op, 26);
  node.input(x, op == "CumSum" ? d.number() : DType::kF32).constant(DType::kI64, {}, {static_cast<double>(d.axis(x))});
  return node.set("exclusive", d.coin()).set("reverse", d.coin());
}

Graph max_unpool(std::string_view op, Draw& d) {
  Shape x = {d.between(1, 2), d.between(1, 3), d.extent(5), d.extent(5)};
  if (d.role() == Role::kEmpty) x[static_cast<size_t>(d.below(2))] = 0;
  if (d.role() == Role::kUnit) x[2] = 1;
  OneNode node(op);
  node.input(x).input(x, DType::kI64).set("kernel_shape", Integers{2, 2}).set("strides", Integers{2, d.between(1, 2)});
  return d.coin() ? node : node.integers({x[0], x[1], x[2] * 2 + 3, x[3] * 2 + 3});
}

Graph counted_grams(std::string_view op, Draw& d) {
  Shape x = d.shape(1, 2);
  const int64_t grams = d.extent(5), longest = d.between(1, 3);
  std::vector<double> pool, lengths;
  for (int64_t i = 0; i < grams * longest; ++i) pool.push_back(static_cast<double>(d.between(-2, 2)));
  for (int64_t i = 0; i < grams; ++i) lengths.push_back(static_cast<double>(d.between(0, longest)));
  OneNode node(op);
  node.input(x, DType::kI64).constant(DType::kI64, {grams, longest}, pool).constant(DType::kI64, {grams}, lengths).weights({grams});
  return node.set("max_skip_count", d.below(3)).set("mode", d.any_of({"TF", "IDF", "TFIDF"}));
}

Graph bounded(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 3);
  return OneNode(op).input(x, d.number()).constant(DType::kI64, {1}, {1}).set("axis", d.below(static_cast<int64_t>(x.size())));
}

Graph distinct_rows(std::string_view op, Draw& d) {
  const int64_t n = d.extent(24);
  return OneNode(op).input({d.role() == Role::kEmpty ? 0 : n, d.between(1, 3)}, d.coin() ? DType::kI64 : DType::kF32).set("sorted", d.coin()).with_outputs(4);
}

Graph eliminate_step(std::string_view op, Draw& d) {
  const int64_t batch = d.role() == Role::kEmpty ? 0 : d.between(1, 3), m = d.between(1, 9);
  return OneNode(op).input({batch, m, m}).input({batch}).with_outputs(2);
}

Graph places(std::string_view op, Draw& d) {
  const int64_t n = d.role() == Role::kEmpty ? 0 : d.role() == Role::kUnit ? 1 : d.between(1, 600);
  return OneNode(op).input({n}, d.coin() ? DType::kBool : d.number()).with_outputs(2);
}

Graph suppress_step(std::string_view op, Draw& d) {
  const int64_t batch = d.role() == Role::kEmpty ? 0 : d.between(1, 2), boxes = d.between(1, 40);
  OneNode node(op);
  node.input({batch, boxes, 4}).input({batch, d.between(1, 3), boxes});
  if (d.coin()) node.input({1});
  else node.constant(DType::kF32, {}, {0.4});
  return node.set("center_point_box", d.coin()).with_outputs(2);
}

Graph find_last(std::string_view op, Draw& d) {
  Shape keys = small_shape(d, 1);
  if (d.role() == Role::kEmpty) keys[0] = 1;
  const int64_t axis = d.below(static_cast<int64_t>(keys.size()));
  if (keys[static_cast<size_t>(axis)] == 0) keys[static_cast<size_t>(axis)] = 1;
  return OneNode(op).input(keys, DType::kI64).set("axis", axis).set("extent", d.role() == Role::kEmpty ? 0 : d.extent(40)).with_outputs(2);
}

Graph fold_equals(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 3);
  Shape keys = x;
  const int64_t axis = d.below(static_cast<int64_t>(x.size()));
  for (size_t i = 0; i < keys.size(); ++i)
    if (static_cast<int64_t>(i) != axis && d.coin()) keys[i] = 1;
  return OneNode(op).input(x, d.number()).input(keys, DType::kI64).set("axis", axis).set("stride", d.between(1, 9)).set("reduction", d.any_of({"add", "max", "min"}));
}

Graph merge_runs(std::string_view op, Draw& d) {
  const Shape x = d.shape(1, 3);
  return OneNode(op).input(x, d.number()).input(x, DType::kI64).set("axis", d.below(static_cast<int64_t>(x.size()))).set("run", d.between(1, 40)).set("largest", d.coin()).with_outputs(2);
}

Graph row_numbers(std::string_view op, Draw& d) {
  Shape indices = d.shape(1, 2);
  Integers extents;
  for (int64_t i = d.between(1, 3); i > 0; --i) extents.push_back(d.between(1, 4));
  indices.push_back(static_cast<int64_t>(extents.size()));
  return OneNode(op).input(indices, d.any_of({DType::kI64, DType::kI32})).set("extents", extents);
}

// What tells of numbers of 64 bits beyond 32: of elements, sums and products.
Graph overflow(std::string_view op, Draw& d) {
  const std::string of = d.any_of({"Add", "Sub", "Mul", "Div", "Abs", "CumSum", "MatMul", "ReduceL1", "ReduceProd", "ReduceSumSquare"});
  const Shape x = of == "MatMul" ? Shape{d.extent(6), d.extent(40)} : d.shape(1, 3);
  const bool is_pair = of == "Add" || of == "Sub" || of == "Mul" || of == "Div" || of == "MatMul";
  OneNode node(op);
  node.input(x, DType::kI64);
  if (is_pair) node.input(of == "MatMul" ? Shape{x[1], d.extent(6)} : x, DType::kI64);
  if (of == "CumSum") node.constant(DType::kI64, {}, {0});
  const std::vector<double> low(3, -2147483648.0), high(3, 2147483647.0);
  node.set("overflow.low", graph::Attribute(low)).set("overflow.high", graph::Attribute(high)).set("overflow.outputs", Integers{1}).set("overflow.number", 5);
  return node.set("overflow.of", of.c_str());
}

}  // namespace

std::vector<Operator> scatter_operators() {
  return {
      {"CumProd", cumulative, kRounded, kAll, 0.9, 1.1},
      {"CumSum", cumulative},
      {"MaxUnpool", max_unpool},
      {"Scatter", scatter_elements},
      {"ScatterElements", scatter_elements},
      {"ScatterND", scatter_tuples},
      {"TensorScatter", tensor_scatter, kBits},
      {"TopK", top_k, kExact, kOrdered},
      {"hone.Bounded", bounded, kBits},
      {"hone.CountedGrams", counted_grams},
      {"hone.DistinctRows", distinct_rows, kExact, kOrdered},
      {"hone.EliminateStep", eliminate_step, kRounded, kOrdered},
      {"hone.FindLast", find_last, kExact},
      {"hone.FoldEquals", fold_equals},
      {"hone.MergeRuns", merge_runs, kExact, kOrdered},
      {"hone.Overflow", overflow, kExact},
      {"hone.Places", places},
      {"hone.RowNumbers", row_numbers, kExact},
      {"hone.SuppressStep", suppress_step, kExact, kOrdered, 0, 1},
  };
}

}  // namespace hone::conformance
