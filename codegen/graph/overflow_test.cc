// Whole numbers of 64 bits: models that cannot leave 32 stay as they are, others tell; and a result is that of 64 bits, or none.
#include "codegen/graph/overflow.h"

#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"
#include "codegen/graph/op_table.h"
#include "codegen/graph/pass_graphs.h"
#include "codegen/te/evaluate.h"

namespace hone::graph {
namespace {

const std::string kIds = input("ids", dim(6), 7);  // int64: 1 … 6

std::string results(const std::string& nodes) { return results_of(model_bytes(nodes)); }
std::string refusal(const std::string& nodes) { return message_of(model_bytes(nodes), ErrorCode::kLimitExceeded); }

Graph prepared(const std::string& nodes) {
  auto graph = graph_from_onnx(model_bytes(nodes), {});
  CHECK(graph.ok(), graph.error().message);
  const Status ready = prepare_graph(*graph, {.verify = true});
  CHECK(ready.ok(), ready.error().message);
  return std::move(*graph);
}

// Given models of ids, places, counts and masks, when prepared, then nothing is watched, and no output is added.
TEST(Overflow, NothingIsWatchedWhereNothingCanLeave) {
  const std::string table = weights("table", {100, 4}, 1), pad = integers("pad", {1}), zero = integers("zero", {0}), hundred = integers("hundred", {100});
  const std::string models[] = {
      kIds + table + node("Gather", {"table", "ids"}, "y") + output("y"),
      kIds + pad + node("Equal", {"ids", "pad"}, "is") + node("Cast", {"is"}, "whole", with_integer("to", 7)) + zero + node("CumSum", {"whole", "zero"}, "sum") + node("Add", {"sum", "pad"}, "y") + output("y"),
      input("x", dim(6)) + node("ArgMax", {"x"}, "at", with_integer("axis", 0)) + hundred + node("Mul", {"at", "hundred"}, "y") + output("y"),
      input("x", dim(6)) + node("NonZero", {"x"}, "at") + hundred + node("Mul", {"at", "hundred"}, "y") + output("y"),
      kIds + node("Cast", {"ids"}, "f", with_integer("to", 1)) + node("Neg", {"f"}, "y") + output("y"),
      kIds + hundred + node("Mod", {"ids", "hundred"}, "rest") + node("Div", {"ids", "hundred"}, "whole") + node("Add", {"rest", "whole"}, "y") + output("y"),
      kIds + input("x", dim(6)) + node("ScatterElements", {"x", "ids", "x"}, "y") + output("y"),
      input("x", dim(6), 6) + node("Add", {"x", "x"}, "y") + output("y"),
  };
  for (const std::string& model : models) {
    const Graph graph = prepared(model);
    EXPECT_TRUE(graph.watched.empty()) << print_graph(graph);
    for (const Node& node : graph.nodes) EXPECT_NE(node.op, "hone.Overflow");
  }
}

// Given sums of ids that are small and large, when they run, then the small ones come out and nothing else does, and of the large ones the first is named.
TEST(Overflow, TheFirstIsNamed) {
  const auto model = [](int64_t factor, int64_t term) {
    return kIds + integers("factor", {factor}) + integers("term", {term}) + node("Mul", {"ids", "factor"}, "product") + node("Add", {"product", "term"}, "sum") + node("Sub", {"sum", "ids"}, "y") + output("y");
  };
  EXPECT_EQ(results(model(2, 3)), "y=4,5,6,7,8,9,");
  EXPECT_EQ(results(model(2, 2147483635)), "y=2147483636,2147483637,2147483638,2147483639,2147483640,2147483641,");
  EXPECT_SAYS(results(model(2, 2147483636)), "the value 'sum' left 32 bits");
  EXPECT_SAYS(results(model(357913942, 0)), "the value 'product' left 32 bits");
  EXPECT_SAYS(results(model(357913941, 2)), "the value 'sum' left 32 bits");
}

// Given a result whose size only a run tells, when it may also leave 32 bits, then both are told behind the model's own outputs.
TEST(Overflow, BesideLengths) {
  const std::string model = kIds + integers("three", {3}) + node("Sub", {"ids", "three"}, "z") + node("NonZero", {"z"}, "places") + node("Mul", {"ids", "ids"}, "y") + output("places") + output("y");
  const Graph graph = prepared(model);
  ASSERT_EQ(graph.outputs.size(), 4u);
  EXPECT_EQ(graph.hidden_outputs, 2u);
  EXPECT_EQ(graph.watched, (std::vector<std::string>{"y", "z"}));
  EXPECT_EQ(results(model), "places=0,1,3,4,5, y=1,4,9,16,25,36,");
}

// Given constants beyond 32 bits, when they are read whole, then the model is refused; when they bound a number, then they are as good as none.
TEST(Overflow, OfConstants) {
  const std::string hash = integers("hash", {6364136223846793005, 1442695040888963407, 1, 2, 3, 4});
  EXPECT_SAYS(refusal(kIds + hash + node("Mul", {"ids", "hash"}, "y") + output("y")), "the constant 'hash' of i64 has elements beyond 32 bits");
  const std::string one = "initializer { name: 'large' data_type: 7 int64_data: 1099511627776 } ";
  EXPECT_SAYS(results(kIds + one + node("Mul", {"ids", "large"}, "y") + output("y")), "the value 'y' left 32 bits");
  const std::string ends = "initializer { name: 'low' data_type: 7 int64_data: -9223372036854775808 } initializer { name: 'high' data_type: 7 int64_data: 4 } ";
  EXPECT_EQ(results(kIds + ends + node("Clip", {"ids", "low", "high"}, "y") + output("y")), "y=1,2,3,4,4,4,");
}

// Given constants that doubles do not have, when the model computes with them ahead, then nothing that follows from them is rounded: it is refused.
TEST(Overflow, OfConstantsThatAreFolded) {
  const std::string two = integers("a", {6364136223846793005}) + integers("b", {1000}) + node("Mod", {"a", "b"}, "m") + node("Add", {"ids", "m"}, "y") + output("y");
  EXPECT_SAYS(refusal(kIds + two), "the constant 'a' of i64 has elements beyond 32 bits");
  const std::string made = integers("a", {4294967296}) + integers("b", {1073741824}) + integers("c", {7}) + node("Mul", {"a", "b"}, "ab") + node("Mod", {"ab", "c"}, "m") + node("Add", {"ids", "m"}, "y") + output("y");
  EXPECT_SAYS(results(kIds + made), "the value 'ab' left 32 bits");
}

// Given more nodes than are told apart, when one of the last leaves 32 bits, then the first of those that are not is named.
TEST(Overflow, OfManyNodes) {
  std::string nodes;
  for (int i = 0; i < 1030; i++) nodes += node("Add", {i == 0 ? "ids" : cat("v", i - 1), "ids"}, i == 1029 ? "y" : cat("v", i));
  const Graph graph = prepared(kIds + nodes + output("y"));
  ASSERT_EQ(graph.watched.size(), 1024u);
  EXPECT_EQ(graph.watched[1023], "v0");
  EXPECT_EQ(graph.watched[0], "v1023");
}

// ---- random graphs

class RandomWholes {
 public:
  explicit RandomWholes(uint64_t seed) : rng_(seed) {
    g.graph.opset = 18;
    values_ = {g.input("x", {3, 4}, DType::kI64), g.input("y", {3, 4}, DType::kI64)};
    for (int i = 0; i < 5; i++) values_.push_back(step());
    for (size_t i = values_.size() - 2; i < values_.size(); i++) g.output(values_[i]);
    drop_dead_nodes(g.graph);
  }
  PassGraph g;

  // Numbers of any size that 32 bits have, small ones as often as large ones.
  std::vector<double> numbers() {
    std::vector<double> out;
    const uint64_t bits = rng_.below(33);
    for (int i = 0; i < 12; i++) out.push_back(static_cast<double>(static_cast<int64_t>(rng_.below(uint64_t{1} << bits)) - (int64_t{1} << bits) / 2));
    return out;
  }

 private:
  ValueId any() { return values_[rng_.below(values_.size())]; }
  ValueId whole(double value) { return g.number(value, DType::kI64); }
  ValueId cast(ValueId x, int64_t type) { return g.op("Cast", {x}, {{"to", type}}); }
  ValueId reduced(std::string_view op) { return g.op(op, {any()}, {{"axes", std::vector<int64_t>{static_cast<int64_t>(rng_.below(2))}}}); }
  ValueId step() {
    constexpr const char* kPairs[] = {"Add", "Sub", "Mul", "Div", "Mod", "Min", "Max", "BitwiseAnd", "BitwiseOr", "BitwiseXor"};
    constexpr const char* kReductions[] = {"ReduceProd", "ReduceL1", "ReduceSumSquare", "ReduceMean", "ReduceMax"};
    constexpr double kNumbers[] = {2, -1, 3, 1000, 65536, 2147483647, 0x1p40};
    const auto power = static_cast<double>(rng_.below(4));
    switch (rng_.below(12)) {
      case 0: return g.op(rng_.below(2) ? "Neg" : "Abs", {any()});
      case 1: return g.op("Where", {g.op("Less", {any(), any()}), any(), any()});
      case 2: return g.op("Pow", {any(), rng_.below(2) ? whole(power) : any()});
      case 3: return g.op("CumSum", {any(), whole(static_cast<double>(rng_.below(2)))});
      case 4: return g.op("MatMul", {g.op("MatMul", {any(), g.transpose(any(), {1, 0})}), any()});
      case 5: return g.op("Max", {reduced(kReductions[rng_.below(5)]), any()});
      case 6: return cast(g.op("Mul", {cast(any(), 6), cast(any(), 6)}), 7);
      case 7: return g.op(kPairs[rng_.below(7)], {any(), whole(kNumbers[rng_.below(7)])});
      case 8: return g.op("Clip", {any(), whole(-1000), whole(1000)});
      default: return g.op(kPairs[rng_.below(10)], {any(), any()});
    }
  }

  Rng rng_;
  std::vector<ValueId> values_;
};

// All values of the graph, whole numbers in 64 bits.
ValueMap exact_values(const Graph& graph, ValueMap values) {
  for (const Node& node : graph.nodes) {
    te::Builder b;
    std::vector<std::vector<double>> inputs;
    const OpCall call(b, graph, node, [&](ValueId id, std::string_view name) {
      const Value& v = graph.value(id);
      inputs.push_back(v.constant ? to_doubles({v.dtype, v.shape, v.bytes}) : values.at(id));
      return b.input(name, v.dtype, v.shape);
    });
    const auto made = emit_op(call);
    CHECK(made.ok(), made.error().message);
    b.output((*made)[0]);
    values[node.outputs[0]] = te::evaluate(b.program(), inputs)[0];
  }
  return values;
}

bool is_within(const Graph& graph, const ValueMap& values) {
  for (const auto& [id, numbers] : values)
    for (double v : numbers)
      if (graph.value(id).dtype == DType::kI64 && (v < -2147483648.0 || v > 2147483647.0)) return false;
  return true;
}

// Given random graphs of arithmetic in 64 bits, when they run in 32, then each gives what 64 bits give, or says which value has left; few say so without need.
TEST(Overflow, RandomGraphsAreRightOrRefused) {
  int right = 0, refused = 0, needless = 0;
  for (uint64_t seed = 0; seed < 400; seed++) {
    RandomWholes random(seed);
    const Graph& before = random.g.graph;
    Graph after = before;
    if (const Status ready = prepare_graph(after, {.verify = true}); !ready.ok()) {
      EXPECT_EQ(ready.error().code, ErrorCode::kLimitExceeded) << ready.error().message;
      continue;
    }
    const ValueMap inputs{{before.inputs[0], random.numbers()}, {before.inputs[1], random.numbers()}};
    const ValueMap exact = exact_values(before, inputs);
    const auto found = evaluate_graph(after, inputs);
    ASSERT_TRUE(found.ok()) << found.error().message;
    std::vector<ConstantTensor> all;
    for (size_t i = 0; i < found->size(); i++) all.push_back(from_doubles(after.value(after.outputs[i]).dtype, after.value(after.outputs[i]).shape, (*found)[i]));
    const auto own = own_outputs(after, std::move(all));
    if (!own.ok()) {
      refused++;
      needless += is_within(before, exact);
      continue;
    }
    right++;
    for (size_t i = 0; i < own->size(); i++) ASSERT_EQ(to_doubles((*own)[i]), exact.at(before.outputs[i])) << "seed " << seed << ": " << print_graph(before);
  }
  EXPECT_GT(right, 100);
  EXPECT_GT(refused, 50);
  EXPECT_LT(needless, refused / 20);
}

}  // namespace
}  // namespace hone::graph
