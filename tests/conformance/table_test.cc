#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/graph/op_table.h"
#include "tests/conformance/subject.h"

namespace hone::conformance {
namespace {

// Given the importer's operators, when each is looked for among those with random shapes, then none is missing, twice there or unknown.
TEST(Table, HasEveryOperatorOnce) {
  std::set<std::string_view> named;
  for (const Operator& op : all_operators()) {
    EXPECT_TRUE(named.insert(op.op).second) << op.op << " is there twice";
    EXPECT_NE(graph::find_op(op.op), nullptr) << op.op << " is no operator of the importer";
  }
  for (std::string_view op : graph::supported_ops())
    EXPECT_TRUE(named.count(op)) << "operator " << op << " has no random shapes";
}

bool has_extent(const graph::Graph& graph, int64_t extent) {
  return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](graph::ValueId id) {
    const graph::Shape& shape = graph.value(id).shape;
    return std::find(shape.begin(), shape.end(), extent) != shape.end();
  });
}

int with_extent(const Operator& op, int64_t extent) {
  int found = 0;
  for (int number = 0; number < kCases; ++number) found += has_extent(model_of(op, number), extent);
  return found;
}

// Given an operator's cases, when their inputs are looked at, then some have an axis of extent 1 and some have one of extent 0; Range and
// ConstantOfShape have no inputs.
TEST(Table, CasesHaveUnitAndEmptyAxes) {
  for (const Operator& op : all_operators()) {
    if (model_of(op, 0).inputs.empty()) continue;
    EXPECT_GT(with_extent(op, 1), 0) << op.op;
    EXPECT_GT(with_extent(op, 0), 0) << op.op;
  }
}

// Given the cases of a product or a window with a deep sum, when their first operand is looked at, then it has the elements for one.
TEST(Table, SumsAreLong) {
  for (const Operator& op : product_operators()) {
    const graph::Graph graph = model_of(op, 2);
    EXPECT_GE(ir::element_count(graph.value(graph.inputs[0]).shape), op.op.starts_with("Global") ? 1024 : 2048)
        << op.op;
  }
}

}  // namespace
}  // namespace hone::conformance
