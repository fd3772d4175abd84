// Models that are long, wide or costly: what is refused, what is cut into pieces, and that all of it can be cancelled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/cat.h"
#include "codegen/graph/choose_layouts.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/import.h"
#include "codegen/graph/limits.h"
#include "codegen/graph/model_bytes.h"
#include "codegen/graph/model_steps.h"
#include "codegen/graph/passes.h"

namespace hone::graph {
namespace {

class Model {
 public:
  ValueId input(Shape shape, DType dtype = DType::kF32) {
    const ValueId id = graph.add_value({cat("x", graph.values.size()), dtype, std::move(shape), true});
    graph.inputs.push_back(id);
    return id;
  }
  ValueId constant(Shape shape, double value, DType dtype = DType::kF32) {
    std::vector<double> values(static_cast<size_t>(ir::element_count(shape)), value);
    const ConstantTensor tensor = from_doubles(dtype, shape, values);
    return graph.add_value({cat("w", graph.values.size()), dtype, std::move(shape), true, true, tensor.bytes});
  }
  ValueId setting(std::vector<double> values) {
    const ConstantTensor tensor = from_doubles(DType::kI64, {static_cast<int64_t>(values.size())}, values);
    return graph.add_value({cat("w", graph.values.size()), DType::kI64, tensor.shape, true, true, tensor.bytes});
  }
  ValueId node(const std::string& op, std::vector<ValueId> inputs,
               std::map<std::string, Attribute, std::less<>> attributes = {}) {
    const ValueId out = graph.add_value({cat("v", graph.values.size())});
    graph.nodes.push_back({"", op, std::move(inputs), {out}, std::move(attributes)});
    return out;
  }
  Graph graph;
};

Model chain(const std::string& op, int length) {
  Model m;
  ValueId at = m.input({8});
  for (int i = 0; i < length; i++) at = m.node(op, {at});
  m.graph.outputs = {at};
  return m;
}

std::vector<double> joined(std::string_view op, const std::vector<double>& all) {
  if (op == "Concat") return all;
  if (op == "Sum") return {std::accumulate(all.begin(), all.end(), 0.0)};
  return {op == "Max" ? *std::max_element(all.begin(), all.end()) : *std::min_element(all.begin(), all.end())};
}

TEST(SplitVariadic, JoinsManyInputsAsOneNodeWould) {
  // Given nodes that join 100 inputs of numbers of their own, when they are split, then no node reads more than seven, and the results are
  // those of all inputs in their order.
  for (const char* op : {"Sum", "Max", "Min", "Concat"}) {
    Model m;
    std::vector<ValueId> inputs;
    ValueMap values;
    std::vector<double> all;
    for (int i = 0; i < 100; i++) {
      inputs.push_back(m.input({1}));
      all.push_back(i * 37 % 101);
      values[inputs.back()] = {all.back()};
    }
    m.graph.outputs = {m.node(op, inputs, {{"axis", int64_t{0}}})};
    ASSERT_TRUE(prepare_graph(m.graph, {.verify = true}).ok());
    for (const Node& node : m.graph.nodes) EXPECT_LE(node.inputs.size(), 7u) << op;
    const auto results = evaluate_graph(m.graph, values);
    ASSERT_TRUE(results.ok()) << results.error().message;
    EXPECT_EQ((*results)[0], joined(op, all)) << op;
  }
}

TEST(SplitVariadic, KeepsWhatOneKernelBinds) {
  // Given a node of seven inputs and one of eight, when they are split, then the first stays one node and the second becomes two.
  for (size_t count : {7u, 8u}) {
    Model m;
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < count; i++) inputs.push_back(m.input({2}));
    m.graph.outputs = {m.node("Sum", inputs)};
    split_variadic(m.graph);
    EXPECT_EQ(m.graph.nodes.size(), count - 6);
  }
}

TEST(Arity, IsLimitedWhereNoTreeIsMade) {
  // Given a Mean and a Split at the limit of inputs and outputs, when imported, then they are accepted, and one more is refused by name.
  for (size_t count : {kArityMax, kArityMax + 1}) {
    Model mean, split;
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < count; i++) inputs.push_back(mean.input({2}));
    mean.graph.outputs = {mean.node("Mean", inputs)};
    split.graph.outputs = {split.node("Split", {split.input({static_cast<int64_t>(count)})})};
    for (size_t i = 1; i < count; i++) {
      split.graph.outputs.push_back(split.graph.add_value({cat("part", i)}));
      split.graph.nodes[0].outputs.push_back(split.graph.outputs.back());
    }
    for (Graph* graph : {&mean.graph, &split.graph}) {
      const Status status = prepare_graph(*graph, {.verify = true});
      EXPECT_EQ(status.ok(), count == kArityMax);
      if (!status.ok()) { EXPECT_EQ(status.error().code, ErrorCode::kLimitExceeded); }
      if (!status.ok()) {
        EXPECT_NE(status.error().message.find("has 257"), std::string::npos) << status.error().message;
      }
    }
  }
}

std::vector<Group> groups_of(Graph& graph) {
  EXPECT_TRUE(prepare_graph(graph, {.verify = true}).ok());
  return *fuse(graph, choose_layouts(graph));
}

TEST(Groups, HoldABoundedExpression) {
  // Given chains longer than a group, when fused, then each group but the last is full where every node reads its input once, and holds few
  // nodes where each reads it several times.
  Model relus = chain("Relu", 100);
  const std::vector<Group> of_relus = groups_of(relus.graph);
  ASSERT_EQ(of_relus.size(), (100 + kGroupNodesMax - 1) / kGroupNodesMax);
  for (size_t i = 0; i + 1 < of_relus.size(); i++) EXPECT_EQ(of_relus[i].nodes.size(), kGroupNodesMax);
  Model powers;
  ValueId at = powers.input({8});
  const ValueId exponent = powers.input({8});
  for (int i = 0; i < 30; i++) at = powers.node("Pow", {at, exponent});
  powers.graph.outputs = {at};
  for (const Group& group : groups_of(powers.graph)) EXPECT_LE(group.nodes.size(), 4u);
}

TEST(Folding, LeavesWhatIsTooMuchWork) {
  // Given a product of two constants that takes 2³⁶ multiplications, and a small one beside it, when folded, then the first stays a node, the
  // second is a constant, and no time is spent.
  Model m;
  const ValueId shape = m.setting({4096, 4096}), few = m.setting({4, 4});
  const ValueId large = m.node("ConstantOfShape", {shape}), small = m.node("ConstantOfShape", {few});
  m.graph.outputs = {m.node("MatMul", {large, large}), m.node("MatMul", {small, small})};
  ASSERT_TRUE(fold_constants(m.graph).ok());
  EXPECT_FALSE(m.graph.value(m.graph.outputs[0]).constant);
  EXPECT_TRUE(m.graph.value(m.graph.outputs[1]).constant);
}

TEST(Folding, HasABudgetForTheWholeModel) {
  // Given a budget for one of two equal computations of constants, when folded, then the first is a constant and the second stays, while what
  // shapes follow from is still computed.
  Model m;
  const ValueId shape = m.setting({1 << 16});
  for (int i = 0; i < 2; i++) m.graph.outputs.push_back(m.node("Relu", {m.node("ConstantOfShape", {shape})}));
  m.graph.outputs.push_back(
      m.node("Reshape", {m.input({6}), m.node("Cast", {m.setting({2, 3})}, {{"to", int64_t{7}}})}));
  double work = 1 << 19;
  ASSERT_TRUE(fold_constants(m.graph, nullptr, work).ok());
  EXPECT_TRUE(m.graph.value(m.graph.outputs[0]).constant);
  EXPECT_FALSE(m.graph.value(m.graph.outputs[1]).constant);
  EXPECT_EQ(m.graph.value(m.graph.outputs[2]).shape, (Shape{2, 3}));
}

TEST(Cancel, EndsEveryStage) {
  // Given a token that is cancelled, when each stage runs, then it ends with `cancelled`; with a fresh token it is done.
  CancelToken fresh, cancelled;
  cancelled.cancel();
  for (const CancelToken* token : {&fresh, &cancelled}) {
    const bool done = token == &fresh;
    const auto expect = [&](const Status& status) {
      EXPECT_EQ(status.ok(), done);
      if (!status.ok()) { EXPECT_EQ(status.error().code, ErrorCode::kCancelled); }
    };
    Model m = chain("Relu", 10);
    expect(prepare_graph(m.graph, {token}));
    ASSERT_TRUE(prepare_graph(m.graph, {.verify = true}).ok());
    const auto tasks = extract_tasks(m.graph, {}, token);
    expect(tasks.ok() ? ok_status() : Status(tasks.error()));
    const auto steps = steps_of(m.graph, token);
    expect(steps.ok() ? ok_status() : Status(steps.error()));
  }
}

TEST(ModelBytes, CountsBeforeAnythingIsAllocated) {
  // Given a model with a huge input, a constant and a small result, when its bytes are counted, then each part is there, and sums beyond 64
  // bits saturate.
  Model m;
  const ValueId x = m.input({1 << 20, 1 << 10});
  const ValueId w = m.constant({1 << 10, 2}, 1);
  m.graph.outputs = {m.node("MatMul", {x, w})};
  ASSERT_TRUE(prepare_graph(m.graph, {.verify = true}).ok());
  const ModelBytes bytes = count_bytes(m.graph);
  const int64_t input = int64_t{4} << 30, constant = 4 << 11, output = 4 << 21;
  EXPECT_EQ(bytes.inputs, input);
  EXPECT_EQ(bytes.constants, constant);
  EXPECT_EQ(bytes.largest, input);
  EXPECT_EQ(bytes.values, input + constant + output);
  Model large;
  large.input({INT64_MAX, 2});
  EXPECT_EQ(count_bytes(large.graph).inputs, INT64_MAX);
  EXPECT_EQ(count_bytes(Graph{}).values, 0);
}

TEST(DropUnread, KeepsWhatIsRead) {
  // Given a normalisation whose running mean nobody reads, and one whose mean is read, when prepared, then the first is accepted and the second
  // refused by their name.
  for (bool is_read : {false, true}) {
    Model m;
    const ValueId y = m.node("BatchNormalization", {m.input({1, 2, 4}), m.input({2}), m.input({2}), m.input({2}), m.input({2})});
    const ValueId mean = m.graph.add_value({"running_mean"});
    m.graph.nodes.back().outputs.push_back(mean);
    m.graph.outputs = {m.node("Neg", {y})};
    if (is_read) m.graph.outputs.push_back(mean);
    const Status status = prepare_graph(m.graph, {.verify = true});
    EXPECT_EQ(status.ok(), !is_read);
    if (!status.ok()) {
      EXPECT_NE(status.error().message.find("running_mean"), std::string::npos) << status.error().message;
    }
    if (status.ok()) { EXPECT_EQ(m.graph.nodes.size(), 2u); }
  }
}

TEST(DropUnread, ADropoutCostsNothing) {
  // Given a Dropout with a mask, when the mask is not read, then no node is left of it; when it is, it is true everywhere.
  for (bool is_read : {false, true}) {
    Model m;
    const ValueId x = m.input({2});
    const ValueId y = m.node("Dropout", {m.node("Relu", {x})}), mask = m.graph.add_value({"mask"});
    m.graph.nodes.back().outputs.push_back(mask);
    m.graph.outputs = {m.node("Neg", {y})};
    if (is_read) m.graph.outputs.push_back(mask);
    ASSERT_TRUE(prepare_graph(m.graph, {.verify = true}).ok());
    EXPECT_EQ(m.graph.nodes.size(), is_read ? 3u : 2u);
    const auto results = evaluate_graph(m.graph, {{x, {1, -1}}});
    ASSERT_TRUE(results.ok()) << results.error().message;
    if (is_read) { EXPECT_EQ((*results)[1], (std::vector<double>{1, 1})); }
  }
}

TEST(DropUnread, KeepsThePlacesOfOthers) {
  // Given a layer normalisation whose mean alone is unread, and a Split of which one part is, when evaluated, then the others are in their
  // places.
  Model m;
  const ValueId x = m.input({1, 4});
  m.node("LayerNormalization", {x, m.constant({4}, 1)});
  const ValueId mean = m.graph.add_value({"mean"}), deviation = m.graph.add_value({"deviation"});
  m.graph.nodes[0].outputs = {m.graph.nodes[0].outputs[0], mean, deviation};
  m.node("Split", {x}, {{"axis", int64_t{1}}});
  const ValueId unread = m.graph.add_value({"unread"}), last = m.graph.add_value({"last"});
  m.graph.nodes[1].outputs = {m.graph.nodes[1].outputs[0], last, unread, m.graph.add_value({"unread2"})};
  m.graph.outputs = {deviation, last};
  ASSERT_TRUE(prepare_graph(m.graph, {.verify = true}).ok());
  const auto results = evaluate_graph(m.graph, {{x, {1, 2, 3, 4}}});
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_NEAR((*results)[0][0], 1 / std::sqrt(1.25), 1e-4);
  EXPECT_EQ((*results)[1], std::vector<double>{2});
}

}  // namespace
}  // namespace hone::graph
