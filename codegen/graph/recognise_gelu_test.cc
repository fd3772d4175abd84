#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"

namespace hone::graph {
namespace {

constexpr double kHalfRoot = 0.70710678118654752, kRootOfTwoByPi = 0.79788456080286536;

using Piece = std::function<ValueId(PassGraph&, ValueId)>;

// The graph of x, computed, and what is made of it.
PassGraph graph_of(const Piece& piece) {
  PassGraph g;
  g.output(piece(g, g.op("MatMul", {g.input("x", {3, 4}), g.weights("w", {4, 5})})));
  return g;
}
std::string recognised(const Piece& piece) {
  const Graph after = after_pass(graph_of(piece), recognise_gelu);
  const bool is_gelu = ops_of(after) == "MatMul Gelu";
  return is_gelu ? std::get<std::string>(after.nodes[1].attributes.at("approximate")) : ops_of(after);
}

ValueId erf_gate(PassGraph& g, ValueId scaled) { return g.op("Add", {g.op("Erf", {scaled}), g.number(1)}); }

// Given a GELU by erf as exporters write it, when recognised, then it is one node.
TEST(RecogniseGelu, ByErf) {
  // PyTorch, TorchScript
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              return g.op("Mul", {g.op("Mul", {x, erf_gate(g, g.op("Div", {x, g.number(std::sqrt(2.0))}))}), g.number(0.5)});
            }),
            "none");
  // PyTorch, the function of the dynamo exporter
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              return g.op("Mul", {g.op("Mul", {g.number(0.5), x}), erf_gate(g, g.op("Mul", {g.number(kHalfRoot), x}))});
            }),
            "none");
  // tf2onnx
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              const ValueId gate = erf_gate(g, g.op("Mul", {x, g.number(kHalfRoot)}));
              return g.op("Mul", {x, g.op("Mul", {g.number(0.5), gate})});
            }),
            "none");
  // with the half inside of the sum, and with a division by two
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              const ValueId erf = g.op("Erf", {g.op("Mul", {x, g.number(kHalfRoot)})});
              return g.op("Mul", {g.op("Add", {g.number(0.5), g.op("Mul", {erf, g.number(0.5)})}), x});
            }),
            "none");
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              return g.op("Div", {g.op("Mul", {erf_gate(g, g.op("Mul", {x, g.number(kHalfRoot)})), x}), g.number(2)});
            }),
            "none");
}

ValueId tanh_gate(PassGraph& g, ValueId argument) { return g.op("Add", {g.number(1), g.op("Tanh", {argument})}); }

// Given a GELU by tanh as exporters write it, when recognised, then it is one node.
TEST(RecogniseGelu, ByTanh) {
  // Hugging Face, "gelu_new"
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              const ValueId cubic = g.op("Mul", {g.op("Pow", {x, g.number(3)}), g.number(0.044715)});
              const ValueId gate = tanh_gate(g, g.op("Mul", {g.op("Add", {x, cubic}), g.number(kRootOfTwoByPi)}));
              return g.op("Mul", {g.op("Mul", {x, g.number(0.5)}), gate});
            }),
            "tanh");
  // with x · x · x
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              const ValueId cube = g.op("Mul", {g.op("Mul", {x, x}), x});
              const ValueId gate = tanh_gate(g, g.op("Mul", {g.number(kRootOfTwoByPi), g.op("Add", {g.op("Mul", {g.number(0.044715), cube}), x})}));
              return g.op("Mul", {g.number(0.5), g.op("Mul", {x, gate})});
            }),
            "tanh");
  // with x before the sum, as Hugging Face's "gelu_fast"
  EXPECT_EQ(recognised([](PassGraph& g, ValueId x) {
              const ValueId square = g.op("Mul", {g.op("Mul", {x, g.number(0.044715)}), x});
              const ValueId argument = g.op("Mul", {g.op("Mul", {x, g.number(kRootOfTwoByPi)}), g.op("Add", {square, g.number(1)})});
              return g.op("Mul", {g.op("Mul", {g.number(0.5), x}), tanh_gate(g, argument)});
            }),
            "tanh");
}

// Given what is nearly a GELU, when looked at, then it stays: another factor, another x, an inner value that is read elsewhere, or a wider shape.
TEST(RecogniseGelu, OthersStay) {
  const auto stays = [](const Piece& piece) { return recognised(piece).find("Erf") != std::string::npos; };
  EXPECT_TRUE(stays([](PassGraph& g, ValueId x) { return g.op("Mul", {g.op("Mul", {x, erf_gate(g, g.op("Mul", {x, g.number(0.7)}))}), g.number(0.5)}); }));
  EXPECT_TRUE(stays([](PassGraph& g, ValueId x) { return g.op("Mul", {x, erf_gate(g, g.op("Mul", {x, g.number(kHalfRoot)}))}); }));
  EXPECT_TRUE(stays([](PassGraph& g, ValueId x) {
    return g.op("Mul", {g.op("Mul", {g.input("z", {3, 5}), erf_gate(g, g.op("Mul", {x, g.number(kHalfRoot)}))}), g.number(0.5)});
  }));
  EXPECT_TRUE(stays([](PassGraph& g, ValueId x) {
    const ValueId gate = erf_gate(g, g.op("Mul", {x, g.number(kHalfRoot)}));
    return g.op("Sub", {g.op("Mul", {g.op("Mul", {x, gate}), g.number(0.5)}), gate});
  }));
  EXPECT_TRUE(stays([](PassGraph& g, ValueId x) {
    const ValueId gate = erf_gate(g, g.op("Mul", {x, g.number(kHalfRoot)}));
    return g.op("Mul", {g.op("Mul", {x, gate}), g.constant("half", {1, 1, 1}, {0.5})});
  }));
}

}  // namespace
}  // namespace hone::graph
