#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"

namespace hone::graph {
namespace {

const std::vector<int64_t> kToLast{0, 2, 3, 1}, kToFirst{0, 3, 1, 2};

// Given transposes behind one another, when eliminated, then they are one, a view, or none; what the graph hands out keeps a node.
TEST(EliminateTransposes, OfTransposes) {
  PassGraph g;
  const ValueId x = g.input("x", {2, 3, 4, 5}), thin = g.input("thin", {2, 1, 4, 1});
  g.output(g.op("Relu", {g.transpose(g.transpose(x, kToLast), kToFirst)}));
  g.output(g.transpose(g.transpose(x, kToLast), kToLast));
  g.output(g.transpose(g.transpose(x, kToLast), kToFirst));
  g.output(g.op("Relu", {g.transpose(thin, kToLast)}));
  g.output(g.op("Relu", {g.op("Transpose", {g.op("Transpose", {x})})}));
  EXPECT_EQ(print_graph(after_pass(g, eliminate_transposes)),
            "input x:f32[2,3,4,5]\n"
            "input thin:f32[2,1,4,1]\n"
            "v3:f32[2,3,4,5] = Relu(x:f32[2,3,4,5])\n"
            "v5:f32[2,5,3,4] = Transpose(x:f32[2,3,4,5]) perm=[0,3,1,2]\n"
            "v7:f32[2,3,4,5] = Identity(x:f32[2,3,4,5])\n"
            "v8:f32[2,4,1,1] = Reshape(thin:f32[2,1,4,1], constant#14!:i64[4])\n"
            "v9:f32[2,4,1,1] = Relu(v8:f32[2,4,1,1])\n"
            "v12:f32[2,3,4,5] = Relu(x:f32[2,3,4,5])\n"
            "output v3:f32[2,3,4,5]\n"
            "output v5:f32[2,5,3,4]\n"
            "output v7:f32[2,3,4,5]\n"
            "output v9:f32[2,4,1,1]\n"
            "output v12:f32[2,3,4,5]\n");
}

// Given a convolution between transposes, as TensorFlow's exporter writes it, with bias, factor and activation of channels last, when eliminated, then the
// elementwise nodes follow the convolution directly.
TEST(EliminateTransposes, AroundConvolutions) {
  PassGraph g;
  const ValueId x = g.input("x", {1, 6, 6, 3});
  const ValueId first = g.op("Conv", {g.transpose(x, kToFirst), g.weights("w", {4, 3, 3, 3})});
  const ValueId last = g.transpose(first, kToLast);
  const ValueId biased = g.op("Add", {last, g.weights("b", {4})});
  const ValueId clipped = g.op("Clip", {g.op("Mul", {biased, g.number(2)}), g.number(0), g.number(6)});
  g.output(g.op("Conv", {g.transpose(clipped, kToFirst), g.weights("u", {2, 4, 1, 1})}));
  EXPECT_EQ(print_graph(after_pass(g, eliminate_transposes)),
            "input x:f32[1,6,6,3]\n"
            "v1:f32[1,3,6,6] = Transpose(x:f32[1,6,6,3]) perm=[0,3,1,2]\n"
            "v2:f32[1,4,4,4] = Conv(v1:f32[1,3,6,6], w!:f32[4,3,3,3])\n"
            "v4.turned:f32[1,4,4,4] = Add(v2:f32[1,4,4,4], b.turned!:f32[1,4,1,1])\n"
            "v5.turned:f32[1,4,4,4] = Mul(v4.turned:f32[1,4,4,4], n7!:f32[])\n"
            "v6.turned:f32[1,4,4,4] = Clip(v5.turned:f32[1,4,4,4], n9!:f32[], n10!:f32[])\n"
            "v8:f32[1,2,4,4] = Conv(v6.turned:f32[1,4,4,4], u!:f32[2,4,1,1])\n"
            "output v8:f32[1,2,4,4]\n");
}

// Given branches that meet, both transposed in the same way, when eliminated, then one transpose is left behind where they meet.
TEST(EliminateTransposes, BranchesThatMeet) {
  PassGraph g;
  const ValueId a = g.transpose(g.input("a", {2, 3, 4}), {2, 0, 1}), b = g.transpose(g.input("b", {2, 3, 4}), {2, 0, 1});
  g.output(g.op("Add", {g.op("Exp", {a}), g.op("Sigmoid", {b})}));
  EXPECT_EQ(print_graph(after_pass(g, eliminate_transposes)),
            "input a:f32[2,3,4]\n"
            "input b:f32[2,3,4]\n"
            "v3.turned:f32[2,3,4] = Exp(a:f32[2,3,4])\n"
            "v4.turned:f32[2,3,4] = Sigmoid(b:f32[2,3,4])\n"
            "v5.turned:f32[2,3,4] = Add(v3.turned:f32[2,3,4], v4.turned:f32[2,3,4])\n"
            "v5:f32[4,2,3] = Transpose(v5.turned:f32[2,3,4]) perm=[2,0,1]\n"
            "output v5:f32[4,2,3]\n");
}

std::string left_of(const std::function<void(PassGraph&)>& write) {
  PassGraph g;
  write(g);
  return ops_of(after_pass(g, eliminate_transposes));
}

// Given transposes whose moving would remove none, when eliminated, then they stay where they are.
TEST(EliminateTransposes, WhereNothingIsGained) {
  EXPECT_EQ(left_of([](PassGraph& g) { g.output(g.op("Relu", {g.transpose(g.input("x", {2, 3}), {1, 0})})); }), "Transpose Relu");
  EXPECT_EQ(left_of([](PassGraph& g) {
              const ValueId x = g.transpose(g.input("x", {2, 3}), {1, 0}), y = g.op("Relu", {x});
              g.output(y);
              g.output(g.transpose(y, {1, 0}));
            }),
            "Transpose Relu Transpose");
  EXPECT_EQ(left_of([](PassGraph& g) {
              const ValueId x = g.transpose(g.input("x", {2, 3}), {1, 0});
              g.output(g.transpose(g.op("Softmax", {x}), {1, 0}));
            }),
            "Transpose Softmax Transpose");
  EXPECT_EQ(left_of([](PassGraph& g) {
              const ValueId x = g.transpose(g.input("x", {2, 3}), {1, 0}), other = g.input("z", {3, 2});
              g.output(g.transpose(g.op("Add", {x, other}), {1, 0}));
            }),
            "Transpose Add Transpose");
}

// Given operators whose parameters lie along an axis that they name, when eliminated, then they are not computed as something else.
TEST(EliminateTransposes, ParametersAlongAnAxis) {
  EXPECT_EQ(left_of([](PassGraph& g) {
              const ValueId x = g.transpose(g.input("x", {3, 2}), {1, 0});
              const ValueId y = g.op("QuantizeLinear", {x, g.constant("s", {3}, {1, 2, 3}), g.constant("z", {3}, {0, 1, 2}, DType::kU8)}, {{"axis", int64_t{1}}});
              g.output(g.transpose(y, {1, 0}));
            }),
            "Transpose QuantizeLinear Transpose");
  EXPECT_EQ(left_of([](PassGraph& g) {
              const ValueId x = g.transpose(g.input("x", {1, 2, 2, 2}), kToLast);
              const ValueId s = g.constant("s", {2}, {1, 2});
              g.output(g.transpose(g.op("BatchNormalization", {x, s, s, s, s}), kToFirst));
            }),
            "Transpose BatchNormalization Transpose");
}

}  // namespace
}  // namespace hone::graph
