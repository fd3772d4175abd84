// Loops whose trips a run counts.
#include <gtest/gtest.h>

#include "codegen/graph/loops.h"
#include "codegen/graph/model_steps.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

std::string real(const std::string& name, double value) { return cat("initializer { name: '", name, "' data_type: 1 float_data: ", value, " } "); }
std::string most(const std::string& of, const std::string& result) { return node("ReduceMax", {of}, result, with_integer("keepdims", 0)); }

// a, which is carried, doubles on each trip until it is `bound`; the trip's number is added to it beside.
std::string doubling(double bound, const std::string& outputs) {
  return bare_input("i") + bare_input("going") + bare_input("a") + node("Add", {"a", "a"}, "b") + node("Cast", {"i"}, "n", with_integer("to", 1)) + node("Add", {"a", "n"}, "sum") + real("bound", bound) +
         most("b", "top") + node("Less", {"top", "bound"}, "on") + outputs;
}
std::string loop(const std::vector<std::string>& inputs, const std::string& results, const std::string& body) { return cat("node { op_type: 'Loop' ", [&] {
  std::string out;
  for (const std::string& name : inputs) out += cat("input: '", name, "' ");
  return out;
}(), results, with_graph("body", body), " } "); }
const std::string kCarried = output("on") + output("b"), kCollected = kCarried + output("sum");

std::string results(const std::string& graph) { return results_of(model_bytes(input("x", dim(2)) + graph)); }

// Given a loop without a number of trips whose condition a run tells, when run, then it goes on until the condition ends it; also where there is none.
TEST(Repeat, RunsWhileItsConditionHolds) {
  EXPECT_EQ(results(loop({"", "", "x"}, "output: 'y'", doubling(10, kCarried)) + output("y")), "y=8,16,");
  EXPECT_EQ(results(loop({"", "", "x"}, "output: 'y'", doubling(1, kCarried)) + output("y")), "y=2,4,");
  const std::string at_once = real("none", 0) + most("x", "top") + node("Less", {"top", "none"}, "c");
  EXPECT_EQ(results(at_once + loop({"", "c", "x"}, "output: 'y'", doubling(10, kCarried)) + output("y")), "y=1,2,");
}

// Given a number of trips that a run tells, or one too large to be written out, when run, then as many trips run, and rows of those alone are collected.
TEST(Repeat, RunsAsOftenAsARunSays) {
  const std::string count = input("m", "", 7) + scalar("two", 2) + node("Add", {"m", "two"}, "three") + scalar("one", 1) + node("Sub", {"m", "one"}, "none");
  EXPECT_EQ(results(count + loop({"three", "", "x"}, "output: 'y'", doubling(100, kCarried)) + output("y")), "y=8,16,");
  EXPECT_EQ(results(count + loop({"none", "", "x"}, "output: 'y'", doubling(100, kCarried)) + output("y")), "y=1,2,");
  EXPECT_EQ(results(count + loop({"three", "", "x"}, "output: 'y'", doubling(3, kCarried)) + output("y")), "y=2,4,");
  EXPECT_EQ(results(scalar("many", 40000) + loop({"many", "", "x"}, "output: 'y' output: 'z'", doubling(10, kCollected)) + output("y") + output("z")), "y=8,16, z=1,2,3,5,6,10,");
}

// Given a loop of a known number of trips that is too long to be written out, when prepared, then no condition is asked.
TEST(Repeat, KnownTripsAskNothing) {
  const std::string body = bare_input("i") + bare_input("g") + bare_input("a") + node("Neg", {"a"}, "b") + output("g") + output("b");
  auto graph = graph_from_onnx(model_bytes(input("x", dim(2)) + scalar("m", 131071) + loop({"m", "", "x"}, "output: 'y'", body) + output("y")), {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(prepare_graph(*graph, {.verify = true}).ok());
  const auto steps = steps_of(*graph);
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  ASSERT_EQ(steps->loops.size(), 1u);
  EXPECT_EQ(steps->loops[0].trips, 131071);
  EXPECT_EQ(steps->loops[0].condition, kNoValue);
  EXPECT_EQ(steps->loops[0].last, steps->steps.size());
}

// Given states that change places, and one that follows another, when run, then none reads what this trip has written.
TEST(Repeat, StatesChangePlaces) {
  const std::string swap = bare_input("i") + bare_input("g") + bare_input("p") + bare_input("q") + output("g") + output("q") + output("p");
  const std::string count = input("m", "", 7) + scalar("two", 2) + node("Add", {"m", "two"}, "three") + node("Neg", {"x"}, "w");
  EXPECT_EQ(results(count + loop({"three", "", "x", "w"}, "output: 'y' output: 'z'", swap) + output("y") + output("z")), "y=-1,-2, z=1,2,");
  const std::string sums = bare_input("i") + bare_input("g") + bare_input("p") + bare_input("q") + node("Add", {"p", "q"}, "r") + output("g") + output("q") + output("r");
  EXPECT_EQ(results(count + loop({"three", "", "x", "x"}, "output: 'y' output: 'z'", sums) + output("y") + output("z")), "y=3,6, z=5,10,");
}

// Given a loop in a loop, which begins with a constant, when run, then it begins anew in each trip; what changes in no trip is computed once.
TEST(Repeat, LoopInALoop) {
  // v = 1, doubled until it is beyond the largest of a.
  const std::string inner = bare_input("j") + bare_input("h") + bare_input("v") + node("Add", {"v", "v"}, "v2") + node("Less", {"v2", "limit"}, "more") + output("more") + output("v2");
  const std::string outer = bare_input("i") + bare_input("g") + bare_input("a") + most("a", "limit") + real("one", 1) + loop({"", "", "one"}, "output: 'power'", inner) + node("Exp", {"x"}, "e") +
                            node("Log", {"e"}, "same") + node("Add", {"a", "same"}, "more_of_a") + node("Add", {"more_of_a", "power"}, "b") + real("bound", 12) + most("b", "top") +
                            node("Less", {"top", "bound"}, "on") + output("on") + output("b");
  // a: 1 2; power of 2: 2 → 4 6; of 6: 8 → 13 16.
  const std::string graph = loop({"", "", "x"}, "output: 'y'", outer) + output("y");
  EXPECT_EQ(results(graph), "y=13,16,");
  auto imported = graph_from_onnx(model_bytes(input("x", dim(2)) + graph), {});
  ASSERT_TRUE(imported.ok() && prepare_graph(*imported).ok());
  const auto steps = steps_of(*imported);
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  ASSERT_EQ(steps->loops.size(), 2u);
  EXPECT_LT(steps->loops[0].first, steps->loops[1].first);
  EXPECT_GT(steps->loops[0].last, steps->loops[1].last);
  EXPECT_EQ(std::count_if(steps->steps.begin(), steps->steps.begin() + static_cast<std::ptrdiff_t>(steps->loops[0].first), [](const Step& s) { return s.work.task.name.rfind("exp", 0) == 0; }), 1);
}

// Given whole numbers of 64 bits that grow in a loop, and in a loop in a loop, when run, then what leaves 32 bits is told, though only the last trip does; and nothing is told of how many trips ran.
TEST(Repeat, TellsWhatLeaves32Bits) {
  const auto grown = [](int64_t trips, bool twice) {
    const std::string body = bare_input("i") + bare_input("g") + bare_input("a") + node("Mul", {"a", "k"}, "b") + output("g") + output("b");
    const std::string outer = bare_input("o") + bare_input("go") + bare_input("c") + loop({"n", "", "c"}, "output: 'd'", body) + output("go") + output("d");
    return results_of(model_bytes(input("m", "", 7) + scalar("k", 1000) + scalar("less", trips - 1) + node("Add", {"m", "less"}, "n") + scalar("start", 2) + loop({"n", "", "start"}, "output: 'y'", twice ? outer : body) + output("y")));
  };
  EXPECT_EQ(grown(3, false), "y=2000000000,");
  EXPECT_SAYS(grown(4, false), "left 32 bits");
  EXPECT_EQ(grown(1, true), "y=2000,");
  EXPECT_SAYS(grown(2, true), "left 32 bits");
}

// Given loops that carry other shapes, sequences, or collect without a bound, or that never end, when imported, then one sentence refuses each.
TEST(Repeat, WhatIsRefused) {
  const std::string grows = bare_input("i") + bare_input("g") + bare_input("a") + node("Concat", {"a", "a"}, "b", with_integer("axis", 0)) + most("b", "top") + real("bound", 9) +
                            node("Less", {"top", "bound"}, "on") + output("on") + output("b");
  EXPECT_SAYS(results(loop({"", "", "x"}, "output: 'y'", grows) + output("y")), "carries f32 of shape 2, which is f32 of shape 4 after a trip");
  EXPECT_SAYS(results(loop({"", "", "x"}, "output: 'y' output: 'z'", doubling(10, kCollected)) + output("y") + output("z")), "of each trip, and whether it goes on is computed from the model's inputs");
  const std::string never = bare_input("i") + bare_input("g") + bare_input("a") + node("Neg", {"a"}, "b") + output("g") + output("b");
  EXPECT_SAYS(results(loop({"", "", "x"}, "output: 'y'", never) + output("y")), "when they are written out");
  EXPECT_SAYS(results(cat("node { op_type: 'SequenceConstruct' input: 'x' output: 's' } input { name: 'm' ", tensor_type("", 7), " } ") + loop({"m", "", "s"}, "output: 'y'", never) + output("y")), "carries a sequence");
}

}  // namespace
}  // namespace hone::graph
