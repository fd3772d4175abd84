#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/passes.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

struct Choice {
  Shape shape;
  int64_t axis, count, largest;
};

Graph choosing(const Choice& c) {
  Graph graph;
  NodeWriter nodes(graph);
  graph.inputs = {graph.add_value({"x", DType::kF32, c.shape, true})};
  graph.outputs = nodes.add_all("TopK", {graph.inputs[0], nodes.list({c.count})}, {{"axis", c.axis}, {"largest", c.largest}}, 2);
  EXPECT_TRUE(infer_shapes(graph).ok());
  return graph;
}

std::vector<std::vector<double>> results(const Graph& graph) {
  ValueMap inputs;
  const int64_t count = ir::element_count(graph.value(graph.inputs[0]).shape);
  // Of 40 numbers, so that many are equal.
  for (int64_t i = 0; i < count; i++) inputs[graph.inputs[0]].push_back(std::floor(40 * uniform_at(7, static_cast<uint64_t>(i))));
  const auto out = evaluate_graph(graph, inputs);
  EXPECT_TRUE(out.ok()) << out.error().message;
  return *out;
}

// Given few of many elements that are asked for, along any dimension, in numbers that segments divide and in others, the largest or the smallest, when the pass has run, then they come from segments, and
// they and their places are those of the operator.
TEST(NarrowChoices, ChoosesAmongTheBestOfSegments) {
  for (const Choice& c : {Choice{{1, 1100}, 1, 3, 1}, Choice{{2, 1280}, -1, 7, 0}, Choice{{1100, 2}, 0, 5, 1}, Choice{{1, 2500, 2}, 1, 150, 0}}) {
    Graph graph = choosing(c);
    const auto wanted = results(graph);
    narrow_choices(graph);
    EXPECT_TRUE(infer_shapes(graph).ok());
    EXPECT_TRUE(verify_graph(graph, GraphStage::kShaped).ok());
    EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return n.op == "TopK"; }), 2) << print_graph(graph);
    EXPECT_EQ(results(graph), wanted) << print_graph(graph);
  }
}

// Given most of many elements that are asked for, or all, and more than may be compared with each other, when the pass has run, then segments are put in order and merged, and elements and places are those of the operator, equal ones in their order.
TEST(NarrowChoices, MergesWhatIsPutInOrder) {
  for (const Choice& c : {Choice{{1, 1100}, 1, 1100, 1}, Choice{{2, 1280}, -1, 700, 0}, Choice{{1025, 2}, 0, 1025, 1}, Choice{{1, 2048, 1}, 1, 2048, 0}}) {
    Graph graph = choosing(c);
    const auto wanted = results(graph);
    narrow_choices(graph, 1 << 20);
    EXPECT_TRUE(infer_shapes(graph).ok());
    EXPECT_TRUE(verify_graph(graph, GraphStage::kShaped).ok());
    EXPECT_GE(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return n.op == "hone.MergeRuns"; }), 3) << print_graph(graph);
    EXPECT_EQ(results(graph), wanted) << print_graph(graph);
  }
}

// Given few elements, when the pass has run, then the operator stays what it is.
TEST(NarrowChoices, LeavesOthersAlone) {
  for (const Choice& c : {Choice{{1, 1024}, 1, 3, 1}, Choice{{1, 4000}, 1, 4000, 1}, Choice{{1, 4000}, 1, 0, 1}}) {
    Graph graph = choosing(c);
    const std::string before = print_graph(graph);
    narrow_choices(graph);
    EXPECT_EQ(print_graph(graph), before);
  }
}

}  // namespace
}  // namespace hone::graph
