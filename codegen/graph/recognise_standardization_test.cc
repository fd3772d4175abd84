#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"

namespace hone::graph {
namespace {

using Piece = std::function<ValueId(PassGraph&, ValueId)>;

// What is left of x → piece.
std::string left_of(const Piece& piece) {
  PassGraph g;
  g.output(piece(g, g.input("x", {2, 3, 8})));
  return ops_of(after_pass(g, recognise_standardization));
}

ValueId mean(PassGraph& g, ValueId x, int64_t axis = -1) { return g.op("ReduceMean", {x}, {{"axes", std::vector<int64_t>{axis}}}); }
ValueId spread(PassGraph& g, ValueId d, int64_t axis = -1) { return g.op("Add", {mean(g, g.op("Pow", {d, g.number(2)}), axis), g.number(1e-5)}); }
ValueId root(PassGraph& g, ValueId x) { return g.op("Sqrt", {x}); }
ValueId inverse(PassGraph& g, ValueId x) { return g.op("Reciprocal", {x}); }
ValueId affine(PassGraph& g, ValueId x) { return g.op("Add", {g.op("Mul", {x, g.weights("scale", {8})}), g.weights("bias", {8})}); }

// Given the spellings of a division by the deviation, when recognised, then each is one node.
TEST(RecogniseStandardization, Spellings) {
  const auto with = [](const std::function<ValueId(PassGraph&, ValueId d, ValueId s)>& divided) {
    return left_of([&](PassGraph& g, ValueId x) {
      const ValueId d = g.op("Sub", {x, mean(g, x)});
      return divided(g, d, spread(g, d));
    });
  };
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return g.op("Div", {d, root(g, s)}); }), "MeanVarianceNormalization");
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return g.op("Div", {d, g.op("Pow", {s, g.number(0.5)})}); }), "MeanVarianceNormalization");
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return g.op("Mul", {d, inverse(g, root(g, s))}); }), "MeanVarianceNormalization");
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return g.op("Mul", {g.op("Div", {g.number(1), root(g, s)}), d}); }), "MeanVarianceNormalization");
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return g.op("Mul", {d, g.op("Pow", {s, g.number(-0.5)})}); }), "MeanVarianceNormalization");
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return affine(g, g.op("Div", {d, root(g, s)})); }), "LayerNormalization");
  EXPECT_EQ(with([](PassGraph& g, ValueId d, ValueId s) { return g.op("Mul", {g.weights("scale", {8}), g.op("Div", {d, root(g, s)})}); }), "LayerNormalization");
}

// Given differences that are computed once for the square and once for the quotient, when recognised, then they are one node.
TEST(RecogniseStandardization, DifferencesApart) {
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) {
              const ValueId m = mean(g, x), s = spread(g, g.op("Sub", {x, m}));
              return g.op("Div", {g.op("Sub", {x, m}), root(g, s)});
            }),
            "MeanVarianceNormalization");
}

// Given a layer normalisation as TensorFlow writes it, when recognised, then it is one node.
TEST(RecogniseStandardization, ScaledFirst) {
  PassGraph g;
  const ValueId x = g.input("x", {2, 3, 8}), m = mean(g, x), s = spread(g, g.op("Sub", {x, m}));
  const ValueId factor = g.op("Mul", {inverse(g, root(g, s)), g.weights("scale", {8})});
  g.output(g.op("Add", {g.op("Mul", {x, factor}), g.op("Sub", {g.weights("bias", {8}), g.op("Mul", {m, factor})})}));
  EXPECT_EQ(print_graph(after_pass(g, recognise_standardization)),
            "input x:f32[2,3,8]\n"
            "v12:f32[2,3,8] = LayerNormalization(x:f32[2,3,8], scale!:f32[8], bias!:f32[8]) axis=2 epsilon=0.000010\n"
            "output v12:f32[2,3,8]\n");
}

// Given a root mean square as language models have it, when recognised, then it is one node.
TEST(RecogniseStandardization, RootMeanSquare) {
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Mul", {g.weights("scale", {8}), g.op("Mul", {x, inverse(g, root(g, spread(g, x)))})}); }), "RMSNormalization");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Mul", {g.op("Div", {x, root(g, spread(g, x))}), g.weights("scale", {8})}); }), "RMSNormalization");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Mul", {g.op("Mul", {x, g.op("Pow", {spread(g, x), g.number(-0.5)})}), g.weights("scale", {8})}); }), "RMSNormalization");
}

// Given what is nearly one, when looked at, then it stays: other axes, parameters of other shapes, an inner value that is read elsewhere.
TEST(RecogniseStandardization, OthersStay) {
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) {
              const ValueId d = g.op("Sub", {x, mean(g, x)});
              return g.op("Div", {d, root(g, spread(g, d, 1))});
            }),
            "ReduceMean Sub Pow ReduceMean Add Sqrt Div");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) {
              const ValueId d = g.op("Sub", {x, mean(g, x, 1)});
              return affine(g, g.op("Div", {d, root(g, spread(g, d, 1))}));
            }),
            "MeanVarianceNormalization Mul Add");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) {
              const ValueId d = g.op("Sub", {x, mean(g, x)}), s = spread(g, d);
              return g.op("Add", {g.op("Div", {d, root(g, s)}), s});
            }),
            "ReduceMean Sub Pow ReduceMean Add Sqrt Div Add");
  EXPECT_EQ(left_of([](PassGraph& g, ValueId x) { return g.op("Div", {x, root(g, spread(g, x))}); }), "Pow ReduceMean Add Sqrt Div");
}

}  // namespace
}  // namespace hone::graph
