// Small graphs for tests of passes, and what is asked of each: its text before and after, and the same results.
#pragma once
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/cat.h"
#include "base/check.h"
#include "base/rng.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/node_writer.h"
#include "codegen/graph/passes.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {

// Nodes get their shapes as they are added.
class PassGraph {
 public:
  ValueId input(std::string name, Shape shape, DType dtype = DType::kF32) {
    graph.inputs.push_back(graph.add_value({std::move(name), dtype, std::move(shape), true}));
    return graph.inputs.back();
  }
  ValueId constant(std::string name, Shape shape, const std::vector<double>& numbers, DType dtype = DType::kF32) {
    const SharedBytes bytes = from_doubles(dtype, shape, numbers).bytes;
    return graph.add_value({std::move(name), dtype, std::move(shape), true, true, bytes});
  }
  ValueId number(double value, DType dtype = DType::kF32) { return constant(cat("n", graph.values.size()), {}, {value}, dtype); }
  ValueId list(const std::vector<int64_t>& numbers) {
    return constant(cat("l", graph.values.size()), {static_cast<int64_t>(numbers.size())}, {numbers.begin(), numbers.end()}, DType::kI64);
  }
  // Random numbers between −1 and 1.
  ValueId weights(std::string name, Shape shape) {
    std::vector<double> numbers;
    for (int64_t i = 0; i < ir::element_count(shape); i++) numbers.push_back(uniform_at(graph.values.size(), static_cast<uint64_t>(i)));
    return constant(std::move(name), std::move(shape), numbers);
  }
  ValueId op(std::string_view name, std::vector<ValueId> inputs, Attributes attributes = {}) {
    Node node{"", std::string(name), std::move(inputs), {graph.add_value({cat("v", ++made_)})}};
    node.attributes = std::move(attributes);
    graph.nodes.push_back(node);
    const Status inferred = infer_node(graph, node);
    CHECK(inferred.ok(), inferred.error().message);
    return node.outputs[0];
  }
  ValueId transpose(ValueId x, std::vector<int64_t> order) { return op("Transpose", {x}, {{"perm", std::move(order)}}); }
  ValueId reshape(ValueId x, const std::vector<int64_t>& shape) { return op("Reshape", {x, list(shape)}); }
  void output(ValueId id) { graph.outputs.push_back(id); }

  Graph graph;

 private:
  int made_ = 0;
};

// "Transpose Mul Transpose"
inline std::string ops_of(const Graph& graph) {
  std::string out;
  for (const Node& node : graph.nodes) out += cat(out.empty() ? "" : " ", node.op);
  return out;
}

inline std::vector<std::vector<double>> results_on_random(const Graph& graph, uint64_t seed) {
  ValueMap inputs;
  for (ValueId id : graph.inputs) {
    std::vector<double>& numbers = inputs[id];
    for (int64_t i = 0; i < ir::element_count(graph.value(id).shape); i++) numbers.push_back(2 * uniform_at(hash_mix(seed, static_cast<uint64_t>(id)), static_cast<uint64_t>(i)));
  }
  const auto results = evaluate_graph(graph, inputs);
  CHECK(results.ok(), results.error().message);
  return *results;
}

// What differs between the results of both on random inputs, beyond how f32 rounds the numbers of the pieces; "" for nothing.
inline std::string difference_of(const Graph& one, const Graph& other, uint64_t seed = 1) {
  const auto expected = results_on_random(one, seed), found = results_on_random(other, seed);
  const std::string graphs = cat(print_graph(one), "\n", print_graph(other));
  for (size_t i = 0; i < expected.size(); i++) {
    if (expected[i].size() != found[i].size()) return cat("output ", i, " has another size: ", graphs);
    for (size_t k = 0; k < expected[i].size(); k++) {
      const double want = expected[i][k], got = found[i][k];
      if (want == got || (std::isnan(want) && std::isnan(got)) || std::fabs(want - got) <= 1e-5 * std::max(1.0, std::fabs(want))) continue;
      return cat("element ", k, " of output ", i, " is ", got, ", not ", want, ": ", graphs);
    }
  }
  return "";
}

// The graph behind the pass. What is no graph, or gives other results, ends the test.
inline Graph after_pass(const Graph& before, void (*pass)(Graph&)) {
  Graph after = before;
  pass(after);
  drop_dead_nodes(after);
  const Status verified = verify_graph(after, GraphStage::kShaped);
  CHECK(verified.ok(), cat(verified.error().message, "\n", print_graph(after)));
  const std::string difference = difference_of(before, after);
  CHECK(difference.empty(), difference);
  return after;
}
inline Graph after_pass(const PassGraph& before, void (*pass)(Graph&)) { return after_pass(before.graph, pass); }

}  // namespace hone::graph
