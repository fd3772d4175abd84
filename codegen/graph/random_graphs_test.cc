// Random small graphs of what passes look for: each pass, and leaving each out, keeps their results.
#include <gtest/gtest.h>

#include "codegen/graph/pass_graphs.h"
#include "codegen/graph/prepare_graph.h"

namespace hone::graph {
namespace {

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : rng_(seed) {
    values_ = {g.input("x", {2, 3, 4}), g.input("y", {2, 3, 4})};
    for (int i = 0; i < 12; i++) values_.push_back(step(any()));
    for (size_t i = values_.size() - 3; i < values_.size(); i++) g.output(values_[i]);
    drop_dead_nodes(g.graph);
  }
  PassGraph g;

 private:
  size_t below(size_t n) { return static_cast<size_t>(rng_.next() % n); }
  ValueId any() { return values_[below(values_.size())]; }
  const Shape& shape(ValueId id) const { return g.graph.value(id).shape; }
  // Another value of this shape, or a vector along its last dimension, or a number.
  ValueId fitting(ValueId x) {
    for (int i = 0; i < 4; i++)
      if (const ValueId other = any(); shape(other) == shape(x)) return other;
    constexpr double kNumbers[] = {0, -0.0, 1, 2, 0.5, 3};
    return below(2) ? g.number(kNumbers[below(6)]) : g.weights(cat("w", g.graph.values.size()), {shape(x).back()});
  }
  ValueId turned(ValueId x) {
    std::vector<int64_t> order{0, 1, 2};
    if (shape(x).size() != 3) return g.op("Transpose", {x});
    constexpr int64_t kOrders[][3] = {{2, 0, 1}, {1, 2, 0}, {0, 2, 1}, {0, 1, 2}};
    for (size_t d = 0, k = below(4); d < 3; d++) order[d] = kOrders[k][d];
    return g.transpose(x, order);
  }
  ValueId gelu(ValueId x) {
    const ValueId gate = g.op("Add", {g.op("Erf", {g.op("Div", {x, g.number(std::sqrt(2.0))})}), g.number(1)});
    return g.op("Mul", {g.op("Mul", {x, gate}), g.number(0.5)});
  }
  ValueId standardized(ValueId x) {
    const Attributes last{{"axes", std::vector<int64_t>{-1}}};
    const ValueId d = g.op("Sub", {x, g.op("ReduceMean", {x}, last)});
    const ValueId spread = g.op("Add", {g.op("ReduceMean", {g.op("Mul", {d, d})}, last), g.number(0.1)});
    return g.op("Div", {d, g.op("Sqrt", {spread})});
  }
  // x · xᵀ of scaled matrices.
  ValueId product(ValueId x) {
    std::vector<int64_t> order{1, 0};
    if (shape(x).size() == 3) order = {0, 2, 1};
    return g.op("MatMul", {g.op("Mul", {x, g.number(0.5)}), g.transpose(g.op("Div", {x, g.number(3)}), order)});
  }
  ValueId step(ValueId x) {
    switch (below(11)) {
      case 0: case 1: case 2: return turned(x);
      case 3: return g.op("Add", {x, fitting(x)});
      case 4: return g.op("Mul", {fitting(x), x});
      case 5: return g.op(below(2) ? "Sigmoid" : "Neg", {x});
      case 6: return ir::element_count(shape(x)) != 24 ? turned(x) : g.reshape(x, below(2) ? std::vector<int64_t>{4, 6} : std::vector<int64_t>{2, 3, 4});
      case 7: return gelu(x);
      case 8: return standardized(x);
      case 9: return product(x);
      default: return g.op("Div", {x, g.number(below(2) ? 4 : 3)});
    }
  }

  Rng rng_;
  std::vector<ValueId> values_;
};

// Given random graphs, when each pass changes them, then their results stay.
TEST(RandomGraphs, EachPassKeepsResults) {
  for (uint64_t seed = 0; seed < 100; seed++)
    for (const auto pass : {simplify_algebra, scale_products, eliminate_transposes, recognise_standardization, recognise_gelu, split_attention}) after_pass(RandomGraph(seed).g, pass);
}

// Given random graphs, when they are prepared with all passes and with one left out, then their results stay.
TEST(RandomGraphs, LeavingAPassOutKeepsResults) {
  for (uint64_t seed = 0; seed < 40; seed++) {
    const Graph before = RandomGraph(hash_mix(7, seed)).g.graph;
    std::vector<PassNames> choices{{}};
    for (std::string_view name : optional_passes()) choices.push_back({std::string(name)});
    for (const PassNames& without : choices) {
      Graph after = before;
      ASSERT_TRUE(prepare_graph(after, {.verify = true, .without = without}).ok());
      EXPECT_EQ(difference_of(before, after, seed), "");
    }
  }
}

}  // namespace
}  // namespace hone::graph
