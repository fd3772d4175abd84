#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"

namespace hone::graph {
namespace {

// What is left of x → op → Relu, so that the node in question is no output.
std::string left_of(const std::function<ValueId(PassGraph&, ValueId)>& piece, DType dtype = DType::kF32) {
  PassGraph g;
  const ValueId x = g.input("x", {2, 3}, dtype);
  g.output(g.op("Abs", {piece(g, x)}));
  return ops_of(after_pass(g, simplify_algebra));
}

// Given nodes that hand every element on, when simplified, then only their reader is left.
TEST(SimplifyAlgebra, NodesThatHandOnVanish) {
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Identity", {x}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Mul", {x, g.number(1)}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Mul", {g.number(1), x}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(1)}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Sub", {x, g.number(0)}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Add", {x, g.number(-0.0)}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Add", {x, g.number(0, DType::kI32)}); }, DType::kI32), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Pow", {x, g.number(1)}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Cast", {x}, {{"to", int64_t{1}}}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Concat", {x}, {{"axis", int64_t{0}}}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Slice", {x, g.list({0, 0}), g.list({2, 3})}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Expand", {x, g.list({1, 3})}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Tile", {x, g.list({1, 1})}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Pad", {x, g.list({0, 0, 0, 0})}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Where", {g.number(1, DType::kBool), x, g.number(7)}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Neg", {g.op("Neg", {x})}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.reshape(x, {2, 3}); }), "Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Squeeze", {g.op("Unsqueeze", {x, g.list({0})}), g.list({0})}); }), "Abs");
}

// Given nodes that are nearly such, when simplified, then they stay: they change the sign of a zero, the shape, the type or the values.
TEST(SimplifyAlgebra, NodesThatChangeSomethingStay) {
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Add", {x, g.number(0)}); }), "Add Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Sub", {x, g.number(-0.0)}); }), "Sub Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Sub", {g.number(0), x}); }), "Sub Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {g.number(1), x}); }), "Div Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Mul", {x, g.constant("one", {1, 1, 1}, {1})}); }), "Mul Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Cast", {x}, {{"to", int64_t{6}}}); }), "Cast Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Slice", {x, g.list({0}), g.list({1})}); }), "Slice Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Expand", {x, g.list({2, 2, 3})}); }), "Expand Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Pad", {x, g.list({1, 0, -1, 0})}); }), "Pad Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Where", {g.number(0, DType::kBool), x, g.number(7)}); }), "Where Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Slice", {x, g.list({-1}), g.list({-4}), g.list({1}), g.list({-1})}); }), "Slice Abs");
}

// Given divisions, when simplified, then those whose inverse is a number of the type are products.
TEST(SimplifyAlgebra, DivisionsByPowersOfTwo) {
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(8)}); }), "Mul Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(-0.25)}); }), "Mul Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(3)}); }), "Div Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(std::ldexp(1, 127))}); }), "Div Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(0)}); }), "Div Abs");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, g.number(8, DType::kI32)}); }, DType::kI32), "Div Abs");
}

// Given views of views, one of which another node reads, when simplified, then the last ones show the source, and the one that is read stays.
TEST(SimplifyAlgebra, ViewsOfViews) {
  PassGraph g;
  const ValueId x = g.input("x", {2, 3, 4});
  const ValueId flat = g.op("Flatten", {x}), wide = g.op("Unsqueeze", {g.reshape(flat, {4, 6}), g.list({1})});
  g.output(wide);
  const ValueId read = g.reshape(x, {3, 8});
  g.output(g.op("Exp", {read}));
  g.output(g.reshape(read, {24}));
  EXPECT_EQ(print_graph(g.graph),
            "input x:f32[2,3,4]\n"
            "v1:f32[2,12] = Flatten(x:f32[2,3,4])\n"
            "v2:f32[4,6] = Reshape(v1:f32[2,12], l2!:i64[2])\n"
            "v3:f32[4,1,6] = Unsqueeze(v2:f32[4,6], l4!:i64[1])\n"
            "v4:f32[3,8] = Reshape(x:f32[2,3,4], l6!:i64[2])\n"
            "v5:f32[3,8] = Exp(v4:f32[3,8])\n"
            "v6:f32[24] = Reshape(v4:f32[3,8], l9!:i64[1])\n"
            "output v3:f32[4,1,6]\n"
            "output v5:f32[3,8]\n"
            "output v6:f32[24]\n");
  EXPECT_EQ(print_graph(after_pass(g, simplify_algebra)),
            "input x:f32[2,3,4]\n"
            "v3:f32[4,1,6] = Reshape(x:f32[2,3,4], constant#12!:i64[3])\n"
            "v4:f32[3,8] = Reshape(x:f32[2,3,4], l6!:i64[2])\n"
            "v5:f32[3,8] = Exp(v4:f32[3,8])\n"
            "v6:f32[24] = Reshape(v4:f32[3,8], l9!:i64[1])\n"
            "output v3:f32[4,1,6]\n"
            "output v5:f32[3,8]\n"
            "output v6:f32[24]\n");
}

// Given results that the graph hands out, when simplified, then their nodes stay, and views of nothing keep their zero.
TEST(SimplifyAlgebra, OutputsAndEmptyViews) {
  PassGraph g;
  const ValueId x = g.input("x", {2, 0, 3});
  g.output(g.op("Mul", {x, g.number(1)}));
  const Attributes zeros{{"allowzero", int64_t{1}}};
  g.output(g.op("Reshape", {g.op("Reshape", {x, g.list({0, 6})}, zeros), g.list({0, 2, 4})}, zeros));
  EXPECT_EQ(ops_of(after_pass(g, simplify_algebra)), "Mul Reshape");
}

}  // namespace
}  // namespace hone::graph
