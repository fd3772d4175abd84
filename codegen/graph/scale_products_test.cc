#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"

namespace hone::graph {
namespace {

// Given queries and keys that are each multiplied with a root, one before it is turned, when scaled, then the product is multiplied with the whole.
TEST(ScaleProducts, RootsOnBothSides) {
  PassGraph g;
  const ValueId root = g.number(std::sqrt(0.125));
  const ValueId q = g.op("Mul", {g.input("q", {2, 3, 64}), root}), k = g.op("Mul", {root, g.input("k", {2, 5, 64})});
  g.output(g.op("MatMul", {q, g.transpose(k, {0, 2, 1})}));
  const Graph after = after_pass(g, scale_products);
  EXPECT_EQ(print_graph(after),
            "input q:f32[2,3,64]\n"
            "input k:f32[2,5,64]\n"
            "v3:f32[2,64,5] = Transpose(k:f32[2,5,64]) perm=[0,2,1]\n"
            "v4.product:f32[2,3,5] = MatMul(q:f32[2,3,64], v3:f32[2,64,5])\n"
            "v4:f32[2,3,5] = Mul(v4.product:f32[2,3,5], constant#8!:f32[])\n"
            "output v4:f32[2,3,5]\n");
  const Value& factor = after.value(after.nodes[2].inputs[1]);
  EXPECT_EQ(to_doubles({factor.dtype, factor.shape, factor.bytes})[0], 0.125);
}

// Given operands that are divided, or whose scaled form is read elsewhere, or weights, when looked at, then only the first is taken.
TEST(ScaleProducts, WhatIsTaken) {
  const auto left_of = [](const std::function<ValueId(PassGraph&, ValueId x, ValueId y)>& piece) {
    PassGraph g;
    const ValueId x = g.input("x", {4, 4}), y = g.input("y", {4, 4});
    g.output(piece(g, x, y));
    return ops_of(after_pass(g, scale_products));
  };
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x, ValueId y) { return g.op("MatMul", {g.op("Div", {x, g.number(3)}), y}); }), "MatMul Mul");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x, ValueId y) { return g.op("MatMul", {g.op("Div", {g.number(3), x}), y}); }), "Div MatMul");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x, ValueId y) { return g.op("MatMul", {g.op("Mul", {x, g.number(0)}), y}); }), "Mul MatMul");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x, ValueId) { return g.op("MatMul", {g.op("Mul", {x, g.number(3)}), g.weights("w", {4, 4})}); }), "Mul MatMul");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x, ValueId y) {
              const ValueId scaled = g.op("Mul", {x, g.number(3)});
              return g.op("Add", {g.op("MatMul", {scaled, y}), scaled});
            }),
            "Mul MatMul Add");
}

}  // namespace
}  // namespace hone::graph
