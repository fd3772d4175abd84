#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/passes.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

struct Case {
  const char* op;
  Shape x, indices, updates;
  const char* join;
  int64_t axis = 0;
  DType dtype = DType::kF32;
  bool known = false;  // are the indices?
};

// Numbers whose sums and products no order of joining changes; as indices such from both ends and beyond them, many of them equal.
std::vector<double> numbers(size_t input, const Shape& shape, int64_t extent) {
  std::vector<double> out;
  for (int64_t i = 0; i < ir::element_count(shape); i++) {
    const double drawn = uniform_at(11 + input, static_cast<uint64_t>(i));
    out.push_back(input == 1 ? std::floor((2.2 * drawn - 1.1) * static_cast<double>(extent)) : drawn < 0.5 ? -1 : 1 + std::floor(2 * drawn));
  }
  return out;
}

int64_t extent_of(const Case& c) { return c.x[static_cast<size_t>(c.axis < 0 ? c.axis + static_cast<int64_t>(c.x.size()) : c.axis)]; }

Graph scattering(const Case& c) {
  Graph graph;
  NodeWriter nodes(graph);
  const ValueId x = graph.add_value({"x", c.dtype, c.x, true}), updates = graph.add_value({"updates", c.dtype, c.updates, true});
  const ValueId indices = c.known ? nodes.constant(DType::kI64, c.indices, numbers(1, c.indices, extent_of(c))) : graph.add_value({"indices", DType::kI64, c.indices, true});
  graph.inputs = {x, updates};
  if (!c.known) graph.inputs.push_back(indices);
  Attributes attributes{{"reduction", std::string(c.join)}};
  if (std::string_view(c.op) != "ScatterND") attributes["axis"] = c.axis;
  graph.outputs = {nodes.add(c.op, {x, indices, updates}, attributes)};
  EXPECT_TRUE(infer_shapes(graph).ok());
  return graph;
}

std::vector<double> results(const Graph& graph, int64_t extent) {
  ValueMap inputs;
  for (ValueId id : graph.inputs) inputs[id] = numbers(graph.value(id).name == "indices" ? 1 : graph.value(id).name == "x" ? 0 : 2, graph.value(id).shape, extent);
  const auto out = evaluate_graph(graph, inputs);
  EXPECT_TRUE(out.ok()) << out.error().message;
  return out.ok() ? (*out)[0] : std::vector<double>{};
}

// Given scatters of many updates, of elements along any axis and of rows named by tuples, joined in each way, their indices known or not, when the pass has run, then the updates are put in order and the results are the operator's.
TEST(OrderUpdates, GivesWhatTheOperatorGives) {
  const std::vector<Case> cases = {
      {"ScatterElements", {210, 2}, {110, 2}, {110, 2}, "none", 0},
      {"ScatterElements", {3, 150}, {3, 100}, {3, 100}, "add", -1},
      {"ScatterElements", {2, 150, 2}, {2, 80, 2}, {2, 80, 2}, "max", 1},
      {"ScatterND", {70, 60, 1}, {13, 40, 2}, {13, 40, 1}, "none"},
      {"ScatterND", {70, 5, 6}, {210, 1}, {210, 5, 6}, "add"},
      {"ScatterND", {150, 2}, {150, 1}, {150, 2}, "min"},
      {"ScatterND", {30, 20}, {710, 2}, {710}, "mul"},
      {"ScatterElements", {500}, {90}, {90}, "add", 0, DType::kI64},
      {"ScatterND", {70, 5, 6}, {210, 1}, {210, 5, 6}, "add", 0, DType::kF32, true},
      {"ScatterElements", {2, 150, 2}, {2, 80, 2}, {2, 80, 2}, "none", 1, DType::kF32, true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(cat(c.op, " ", c.join, " ", c.x.size()));
    Graph graph = scattering(c);
    const int64_t extent = extent_of(c);
    const std::vector<double> wanted = results(graph, extent);
    order_updates(graph, 1000);
    EXPECT_TRUE(verify_graph(graph, GraphStage::kShaped).ok()) << print_graph(graph);
    EXPECT_EQ(std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& n) { return n.op == "hone.FindLast"; }), 1) << print_graph(graph);
    EXPECT_EQ(results(graph, extent), wanted) << print_graph(graph);
  }
}

// Given few updates, or updates to a part of the other dimensions, when the pass has run, then the operator stays what it is.
TEST(OrderUpdates, LeavesOthersAlone) {
  for (const Case& c : {Case{"ScatterElements", {1000, 1000}, {16, 1000}, {16, 1000}, "none"}, Case{"ScatterElements", {3000, 4}, {2000, 3}, {2000, 3}, "none"}, Case{"ScatterND", {100, 7}, {100, 1}, {100, 7}, "add"}}) {
    Graph graph = scattering(c);
    const std::string before = print_graph(graph);
    order_updates(graph);
    EXPECT_EQ(print_graph(graph), before);
  }
}

}  // namespace
}  // namespace hone::graph
