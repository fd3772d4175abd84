// Sizes that only a run tells: who hands them on, who is refused, and how results are cut.
#include <gtest/gtest.h>

#include "codegen/graph/lengths.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

const std::string kX = input("x", dim(6));

// The places where x − 3 is not 0, and what reads them.
std::string kept(const std::string& nodes) {
  const std::string three = "initializer { name: 'three' data_type: 1 dims: 1 float_data: 3 } ";
  return model_bytes(kX + three + node("Sub", {"x", "three"}, "z") + node("NonZero", {"z"}, "places") + nodes + output("y"));
}

// Given x = 1 … 6, when the places where x − 3 is not 0 are asked for and looked up, then five elements come out, whatever hands them on.
TEST(Lengths, AreHandedOn) {
  EXPECT_EQ(results_of(kept(node("Identity", {"places"}, "y"))), "y=0,1,3,4,5,");
  const std::string flat = integers("axis", {0}) + node("Squeeze", {"places", "axis"}, "flat");
  EXPECT_EQ(results_of(kept(flat + node("Gather", {"x", "flat"}, "y"))), "y=1,2,4,5,6,");
  EXPECT_EQ(results_of(kept(flat + node("Gather", {"x", "flat"}, "kept") + node("Exp", {"kept"}, "e") + node("Log", {"e"}, "l") + node("Mul", {"l", "kept"}, "y"))), "y=1,4,16,25,36,");
  EXPECT_EQ(results_of(kept(flat + node("Transpose", {"places"}, "t") + node("Identity", {"t"}, "y"))), "y=0,1,3,4,5,");
  EXPECT_EQ(results_of(kept(flat + node("Concat", {"places", "places"}, "y", with_integer("axis", 0)))), "y=0,1,3,4,5,0,1,3,4,5,");
}

// Given the same places, when elements are joined along them, moved, or counted, then it is refused in a sentence with the node.
TEST(Lengths, AreNotJoined) {
  const std::string sum = message_of(kept(node("ReduceSum", {"places"}, "y", "name: 'sum' ")), ErrorCode::kUnsupported);
  EXPECT_SAYS(sum, "node 'sum' (ReduceSum): joins or moves elements along dimension 1 of ");
  EXPECT_SAYS(sum, "whose size only a run tells (at most 6)");
  const std::string shape = message_of(kept(node("Shape", {"places"}, "y", "name: 'size' ")), ErrorCode::kUnsupported);
  EXPECT_SAYS(shape, "node 'size' (Shape): asks for the size of 'places', which only a run tells");
  const std::string beside = message_of(kept(node("Concat", {"places", "places"}, "y", with_integer("axis", 1))), ErrorCode::kUnsupported);
  EXPECT_SAYS(beside, "the Concat node that makes 'y': joins or moves elements along dimension 1");
  const std::string part = message_of(kept(integers("from", {0}) + integers("to", {2}) + integers("axis", {1}) + node("Slice", {"places", "from", "to", "axis"}, "y")), ErrorCode::kUnsupported);
  EXPECT_SAYS(part, "the Slice node that makes 'y': joins or moves elements along dimension 1");
  const std::string two = message_of(kept(node("NonZero", {"x"}, "others") + node("Add", {"places", "others"}, "y")), ErrorCode::kUnsupported);
  EXPECT_SAYS(two, "the Add node that makes 'y': reads two tensors whose sizes only a run tells, element by element");
}

// Given two outputs of one length, when handed out, then it stands behind them once, under a name that no value has.
TEST(Lengths, AreOutputsBehindTheModels) {
  auto graph = graph_from_onnx(kept(node("Add", {"places", "places"}, "y") + output("places") + node("Neg", {"x"}, "places.length") + output("places.length")), {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(prepare_graph(*graph, {.verify = true}).ok());
  ASSERT_EQ(graph->outputs.size(), 4u);
  EXPECT_EQ(graph->hidden_outputs, 1u);
  EXPECT_EQ(graph->value(graph->outputs[3]).name, "places.length_");
}

// Given a model of 20,000 outputs whose sizes a run tells, when prepared, then each has a length of its own; more rows than may be compared are refused.
TEST(Lengths, OfManyOutputs) {
  std::string many;
  for (int i = 0; i < 20000; i++) many += node("NonZero", {"x"}, cat("y", i)) + output(cat("y", i));
  auto graph = graph_from_onnx(model_bytes(kX + many), {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(prepare_graph(*graph).ok());
  EXPECT_EQ(graph->hidden_outputs, 20000u);
  const std::string rows = model_bytes(input("x", dim(100000) + dim(2)) + node("Unique", {"x"}, "y", with_integer("axis", 0)) + output("y"));
  EXPECT_SAYS(message_of(rows, ErrorCode::kLimitExceeded), "compares 100000 rows with each other");
}

// Given whole numbers that are more than are compared with each other, 1, 2, 3, 4, 0, 1, …, when the different ones are asked for, by value or in the order of their occurrence, then each has its first place
// and its count, and all know which they are.
TEST(Lengths, OfManyDifferentNumbers) {
  for (const bool sorted : {true, false}) {
    const std::string ids = node("Cast", {"x"}, "whole", with_integer("to", 7)) + integers("five", {5}) + node("Mod", {"whole", "five"}, "ids");
    const std::string from_zero = integers("one", {1}) + node("Sub", {"whole", "one"}, "before") + node("Mod", {"before", "five"}, "occurrence");
    const std::string distinct = "node { op_type: 'Unique' input: 'ids' output: 'y' output: 'first' output: 'inverse' output: 'times' " + with_integer("sorted", sorted) + "} ";
    const std::string off = node("Sub", {"inverse", sorted ? "ids" : "occurrence"}, "off") + node("Abs", {"off"}, "size") + node("ReduceMax", {"size"}, "most", with_integer("keepdims", 0));
    const std::string model = model_bytes(input("x", dim(6600)) + ids + from_zero + distinct + off + output("y") + output("first") + output("times") + output("most"));
    EXPECT_EQ(results_of(model), sorted ? "y=0,1,2,3,4, first=4,0,1,2,3, times=1320,1320,1320,1320,1320, most=0," : "y=1,2,3,4,0, first=0,1,2,3,4, times=1320,1320,1320,1320,1320, most=0,");
  }
}

// Given −1, −0, no number, 0 and 1, few or more than are compared with each other, when the different ones are asked for, then both zeros are one, and what is no number is one behind all
// others, as NumPy has them.
TEST(Lengths, OfDifferentFloats) {
  const std::string constants = "initializer { name: 'c11' data_type: 1 float_data: 11 } initializer { name: 'c5' data_type: 1 float_data: 5 } initializer { name: 'c4' data_type: 1 float_data: 4 } ";
  const std::string around = node("Mod", {"x", "c11"}, "r", with_integer("fmod", 1)) + node("Sub", {"r", "c5"}, "v");  // −5 … 5
  const std::string numbers = node("Div", {"v", "c4"}, "quarter") + node("Round", {"quarter"}, "near") + node("Div", {"v", "v"}, "one") + node("Mul", {"near", "one"}, "ids");
  const std::string distinct = "node { op_type: 'Unique' input: 'ids' output: 'y' output: 'first' output: 'inverse' output: 'times' } ";
  const auto results = [&](int64_t n) {
    const std::string zero = node("Abs", {"y"}, "size");  // of either sign
    return results_of(model_bytes(input("x", dim(n)) + constants + around + numbers + distinct + zero + output("size") + output("first") + output("times")));
  };
  EXPECT_EQ(results(22), "size=1,0,1,nan, first=0,2,7,4, times=6,8,6,2,");
  EXPECT_EQ(results(6600), "size=1,0,1,nan, first=0,2,7,4, times=1800,2400,1800,600,");
}

// Given lengths that are no number of elements, when outputs are cut, then they are taken as the nearest.
TEST(Lengths, OutOfRangeAreTheNearest) {
  Graph graph;
  graph.outputs = {graph.add_value({.name = "y", .shape = {2, 3}}), graph.add_value({.name = "y.length", .dtype = DType::kI64, .shape = {1}})};
  graph.value(0).lengths = {kNoValue, 1};
  graph.hidden_outputs = 1;
  const auto shape_for = [&](double length) {
    return cut_to_lengths(graph, {from_doubles(DType::kF32, {2, 3}, {1, 2, 3, 4, 5, 6}), from_doubles(DType::kI64, {1}, {length})}).at(0);
  };
  EXPECT_EQ(shape_for(-5).shape, (Shape{2, 0}));
  EXPECT_EQ(shape_for(99).shape, (Shape{2, 3}));
  EXPECT_EQ(to_doubles(shape_for(2)), (std::vector<double>{1, 2, 4, 5}));
}

}  // namespace
}  // namespace hone::graph
