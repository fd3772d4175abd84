// Where the nodes of a model run.
#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"
#include "codegen/graph/placements.h"

namespace hone::graph {
namespace {

// Given a product with a bias and an activation, a view of a view, nodes of constants, a node that hands its input on, one that nobody reads, and a layer that stands for many, when placed, then each is where it runs.
TEST(Placements, OfEveryKind) {
  const std::string model = model_bytes(
      input("x", dim(2) + dim(4)) + weights("w", {4, 6}, 1) + weights("b", {6}, 2) + integers("shape", {3, 4}) + weights("lw", {1, 16, 4}, 3) + weights("lr", {1, 16, 4}, 4) +
          node("MatMul", {"x", "w"}, "product") + node("Add", {"product", "b"}, "sum", "name: 'bias' ") + node("Relu", {"sum"}, "active") + node("Reshape", {"active", "shape"}, "wide") +
          node("Exp", {"b"}, "known") + node("Add", {"active", "known"}, "y") + node("Identity", {"wide"}, "same") + node("Neg", {"x"}, "nobody") + integers("axis", {1}) +
          node("Unsqueeze", {"same", "axis"}, "sequence") + node("LSTM", {"sequence", "lw", "lr"}, "z") + output("y") + output("z"),
      14);
  auto graph = graph_from_onnx(model, {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(prepare_graph(*graph, {.verify = true}).ok());
  const auto steps = steps_of(*graph);
  ASSERT_TRUE(steps.ok());
  const std::vector<Placement> places = place_nodes(*graph, *steps);
  std::string text;
  for (size_t i = 0; i < places.size(); i++) text += cat(graph->model_nodes[i].name, " ", place_name(places[i].place), " ", places[i].steps.size() > 1 ? "many" : cat(places[i].steps.size()), "\n");
  EXPECT_EQ(text,
            "product kernel 1\nbias kernel 1\nactive kernel 1\nwide merged 0\nknown constant 0\ny kernel 1\nsame merged 0\nnobody unread 0\nsequence view 0\nz kernel many\n");
}

}  // namespace
}  // namespace hone::graph
