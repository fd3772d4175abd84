// If, Loop and Scan, written out when the model is read.
#include <gtest/gtest.h>

#include <set>

#include "codegen/graph/loops.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

std::string if_model(const std::string& before, const std::string& then_body, const std::string& else_body) {
  return model_bytes(input("x", dim(2)) + before +
                     node("If", {"c"}, "y", with_graph("then_branch", then_body) + with_graph("else_branch", else_body)) + output("y"));
}
const std::string kThen = node("Neg", {"x"}, "t") + output("t"), kElse = node("Sprocket", {"x"}, "e") + output("e");

// Given an If whose condition is a constant, or follows from a shape, when imported, then the branch that runs stands in its place, reads names of the
// graph around it, and the other one may have anything; where the condition is an input's, one sentence says what to do.
TEST(Flow, IfTakesItsBranch) {
  EXPECT_EQ(results_of(if_model(truth("c", true), kThen, kElse)), "y=-1,-2,");
  EXPECT_EQ(results_of(if_model(truth("c", false), kElse, kThen)), "y=-1,-2,");
  const std::string two = scalar("two", 2) + node("Size", {"x"}, "s") + node("Equal", {"s", "two"}, "c");
  EXPECT_EQ(results_of(if_model(two, kThen, kElse)), "y=-1,-2,");
  EXPECT_EQ(results_of(if_model(truth("c", true), output("x"), kElse)), "y=1,2,");
  EXPECT_SAYS(results_of(if_model(truth("c", false), kThen, kElse)), "operator Sprocket");
  EXPECT_SAYS(results_of(if_model("input { name: 'c' " + tensor_type("", 9) + " } ", kThen, kElse)),
              "the If node that makes 'y': its condition 'c' is computed from the model's inputs");
  EXPECT_SAYS(results_of(model_bytes(truth("c", true) + node("If", {"c"}, "y") + output("y"))), "has no graph 'then_branch'");
}

// a, which is carried, doubles on each trip; each trip's number is collected beside it.
const std::string kBody = bare_input("i") + bare_input("going") + bare_input("a") + node("Add", {"a", "a"}, "b") + node("Identity", {"going"}, "still") +
                          node("Cast", {"i"}, "n", with_integer("to", 1)) + node("Add", {"a", "n"}, "sum");
const std::string kOutputs = output("still") + output("b") + output("sum");
std::string loop_model(const std::string& constants, const std::vector<std::string>& inputs, const std::string& body) {
  return model_bytes(input("x", dim(2)) + constants + node("Loop", inputs, "y", "output: 'z' " + with_graph("body", body)) + output("y") + output("z"));
}

// Given loops whose trips are a number, or whose condition ends them, when imported, then all trips are written out, values are carried from one to the
// next, and what is collected is stacked.
TEST(Flow, LoopRunsItsTrips) {
  EXPECT_EQ(results_of(loop_model(scalar("m", 3) + truth("c", true), {"m", "c", "x"}, kBody + kOutputs)), "y=8,16, z=1,2,3,5,6,10,");
  EXPECT_EQ(results_of(loop_model(scalar("m", 1), {"m", "", "x"}, kBody + kOutputs)), "y=2,4, z=1,2,");
  EXPECT_EQ(results_of(loop_model(scalar("m", 9) + truth("c", false), {"m", "c", "x"},
                                  kBody + output("still") + output("b") + cat("output { name: 'sum' ", tensor_type(dim(2)), " } "))),
            "y=1,2, z=");
  const std::string until = scalar("two", 2) + node("Less", {"i", "two"}, "soon") + output("soon") + output("b") + output("sum");
  EXPECT_EQ(results_of(loop_model(truth("c", true), {"", "c", "x"}, kBody + until)), "y=8,16, z=1,2,3,5,6,10,");
}

// Given a weight in a loop's graph, when imported, then all trips read one constant.
TEST(Flow, ConstantsOfALoopAreOne) {
  const std::string body = bare_input("i") + bare_input("g") + bare_input("v") + weights("w", {2}, 1) + node("Mul", {"v", "w"}, "r") + output("g") + output("r");
  const auto graph = graph_from_onnx(model_bytes(input("x", dim(2)) + scalar("m", 3) + node("Loop", {"m", "", "x"}, "y", with_graph("body", body)) + output("y")), {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  std::set<ValueId> read;
  for (const Node& node : graph->nodes)
    if (node.op == "Mul") read.insert(node.inputs[1]);
  EXPECT_EQ(read.size(), 1u);
}

// Given an If whose condition a run tells, when imported, then both branches run, and the results of the one that holds come out, in its sizes; branches of other ranks or types are refused with both ways out.
TEST(Flow, IfChoosesAmongBranches) {
  const std::string zero = "initializer { name: 'three' data_type: 1 float_data: 3 } " + node("ReduceMax", {"x"}, "most", with_integer("keepdims", 1));
  const std::string less = zero + node("Less", {"most", "three"}, "c"), more = zero + node("Greater", {"most", "three"}, "c");
  const std::string other = node("Exp", {"x"}, "l") + node("Log", {"l"}, "e") + output("e");
  EXPECT_EQ(results_of(if_model(less, kThen, other)), "y=-1,-2,");
  EXPECT_EQ(results_of(if_model(more, kThen, other)), "y=1,2,");
  EXPECT_EQ(results_of(if_model(more, kThen, output("x"))), "y=1,2,");
  const std::string longer = node("Concat", {"x", "x"}, "e", with_integer("axis", 0)) + output("e");
  EXPECT_EQ(results_of(if_model(less, kThen, longer)), "y=-1,-2,");
  EXPECT_EQ(results_of(if_model(more, kThen, longer)), "y=1,2,1,2,");
  const std::string column = node("Unsqueeze", {"x"}, "e", with_integers("axes", {0})) + output("e");
  EXPECT_SAYS(results_of(if_model(less, kThen, column)), "its condition 'c' is computed from the model's inputs");
  EXPECT_SAYS(results_of(if_model(less, kThen, column)), "the results of both branches where they are alike, but 'If#2/t' and 'If#4/e' are f32 of shape 2 and f32 of shape 1x2");
  EXPECT_SAYS(results_of(if_model(less, kThen, kElse)), "operator Sprocket");
}

// Negates `from` so often that it is a long branch, and adds `from` once more.
std::string long_branch(const std::string& from, int times) {
  std::string text, last = from;
  for (int i = 0; i < times; i++) text += node("Neg", {last}, cat("n", i)), last = cat("n", i);
  return text + node("Add", {last, from}, "e");
}

// Given an If of long branches whose condition a run tells, when imported, then each branch is a loop of one trip or none, which holds its nodes, loops and branches within it too; the results of the
// one that holds come out, in its sizes. Shapes from outside are known within. Sequences are chosen among, and results of other ranks refused, as those of short branches.
TEST(Flow, IfRunsTheBranchThatHolds) {
  const std::string zero = "initializer { name: 'three' data_type: 1 float_data: 3 } " + node("ReduceMax", {"x"}, "most", with_integer("keepdims", 1));
  const std::string less = zero + node("Less", {"most", "three"}, "c"), more = zero + node("Greater", {"most", "three"}, "c");
  const std::string twice = long_branch("x", 130) + output("e"), none = long_branch("x", 131) + output("e");
  EXPECT_EQ(results_of(if_model(less, twice, none)), "y=2,4,");
  EXPECT_EQ(results_of(if_model(more, twice, none)), "y=0,0,");
  EXPECT_EQ(results_of(if_model(less, twice, output("x"))), "y=2,4,");
  EXPECT_EQ(results_of(if_model(more, twice, output("x"))), "y=1,2,");
  const std::string longer = node("Concat", {"x", "x"}, "z", with_integer("axis", 0)) + long_branch("z", 140) + output("e");
  EXPECT_EQ(results_of(if_model(less, twice, longer)), "y=2,4,");
  EXPECT_EQ(results_of(if_model(more, twice, longer)), "y=2,4,2,4,");
  const std::string within = "node { op_type: 'If' input: 'c' output: 'i' " + with_graph("then_branch", twice) + with_graph("else_branch", none) + "} " + node("Sub", {"i", "x"}, "d") + output("d");
  EXPECT_EQ(results_of(if_model(less, within, none)), "y=1,2,");
  EXPECT_EQ(results_of(if_model(more, twice, within)), "y=-1,-2,");
  const std::string column = long_branch("x", 130) + node("Unsqueeze", {"e"}, "u", with_integers("axes", {0})) + output("u");
  EXPECT_SAYS(results_of(if_model(less, twice, column)), "the results of both branches where they are alike");
  const std::string shape = less + node("Shape", {"x"}, "s"), again = long_branch("x", 130) + node("Reshape", {"e", "s"}, "r") + output("r");
  EXPECT_EQ(results_of(if_model(shape, again, none)), "y=2,4,");
  const auto listed = [](const std::string& body, const std::string& other) { return body + node("SequenceConstruct", {"e", other}, "l") + output("l"); };
  const std::string lists = "node { op_type: 'If' input: 'c' output: 'all' " + with_graph("then_branch", listed(long_branch("x", 130), "x")) + with_graph("else_branch", listed(long_branch("x", 131), "x")) + "} ";
  const std::string first = scalar("first", 0) + node("SequenceAt", {"all", "first"}, "y") + output("y");
  EXPECT_EQ(results_of(model_bytes(input("x", dim(2)) + less + lists + first)), "y=2,4,");
  EXPECT_EQ(results_of(model_bytes(input("x", dim(2)) + more + lists + first)), "y=0,0,");
  auto graph = graph_from_onnx(if_model(less, twice, none), {});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  ASSERT_TRUE(prepare_graph(*graph, {.verify = true}).ok());
  const Loops loops = loops_of(*graph);
  EXPECT_EQ(loops.loops.size(), 2u);
  const auto additions = [&](int loop) {
    int count = 0;
    for (size_t i = 0; i < graph->nodes.size(); i++) count += graph->nodes[i].op == "Add" && loops.loop_of[i] == loop;
    return count;
  };
  EXPECT_EQ(additions(-1), 0);
  EXPECT_EQ(additions(0) + additions(1), 2);
}

// Given a loop of at most five trips whose condition a run tells, when imported, then what is carried stays as the last trip left it, and what is collected is as long as trips ran.
TEST(Flow, LoopThatARunEnds) {
  const auto until = [](double bound) {
    return cat("initializer { name: 'bound' data_type: 1 float_data: ", bound, " } ", node("ReduceMax", {"b"}, "most", with_integer("keepdims", 0)), node("Less", {"most", "bound"}, "going_on"), output("going_on"),
               output("b"), output("sum"));
  };
  EXPECT_EQ(results_of(loop_model(scalar("m", 5), {"m", "", "x"}, kBody + until(10))), "y=8,16, z=1,2,3,5,6,10,");
  EXPECT_EQ(results_of(loop_model(scalar("m", 5), {"m", "", "x"}, kBody + until(1))), "y=2,4, z=1,2,");
  EXPECT_EQ(results_of(loop_model(scalar("m", 2), {"m", "", "x"}, kBody + until(100))), "y=4,8, z=1,2,3,5,");
  const std::string at_once = "initializer { name: 'none' data_type: 1 float_data: 0 } " + node("ReduceMax", {"x"}, "top", with_integer("keepdims", 0)) + node("Less", {"top", "none"}, "c");
  EXPECT_EQ(results_of(loop_model(scalar("m", 5) + at_once, {"m", "c", "x"}, kBody + until(10))), "y=1,2, z=");
}

// Given loops that do not end, that collect what no number bounds, or whose graph has other inputs and outputs, when imported, then one
// sentence refuses each.
TEST(Flow, LoopsThatAreRefused) {
  EXPECT_SAYS(results_of(loop_model(scalar("m", int64_t{1} << 40), {"m", "", "x"}, kBody + kOutputs)), "collects has more than 2147483647 elements");
  EXPECT_SAYS(results_of(loop_model("", {"", "", "x"}, kBody + kOutputs)), "when they are written out");
  EXPECT_SAYS(results_of(loop_model(cat("input { name: 'm' ", tensor_type("", 7), " } "), {"m", "", "x"}, kBody + kOutputs)),
              "of each trip, and its number of trips 'm' is computed from the model's inputs; hone needs a number that they do not exceed");
  const std::string until = node("ReduceMax", {"b"}, "most", with_integer("keepdims", 0)) + node("Less", {"most", "most"}, "going_on") +
                            output("going_on") + output("b") + output("sum");
  EXPECT_SAYS(results_of(loop_model("", {"", "", "x"}, kBody + until)), "of each trip, and whether it goes on is computed from the model's inputs");
  const std::string grows = bare_input("i") + bare_input("g") + bare_input("a") + node("ReduceMax", {"a"}, "most", with_integer("keepdims", 0)) + node("Less", {"most", "most"}, "going_on") +
                            node("Concat", {"a", "a"}, "b", with_integer("axis", 0)) + output("going_on") + output("b");
  EXPECT_SAYS(results_of(model_bytes(input("x", dim(2)) + scalar("m", 3) + node("Loop", {"m", "", "x"}, "y", with_graph("body", grows)) + output("y"))), "are f32 of shape 8 and f32 of shape 4");
  EXPECT_SAYS(results_of(loop_model(scalar("m", 3), {"m", "", "x", "x"}, kBody + kOutputs)), "has 3 inputs; expected 4");
  EXPECT_SAYS(results_of(loop_model(scalar("m", 3), {"m", "", "x"}, bare_input("i") + kOutputs)), "has 1 inputs; expected 3");
  EXPECT_SAYS(results_of(loop_model(scalar("m", 3), {"m", "", "x"}, kBody + output("nothing") + output("b") + output("sum"))), "reads 'nothing'");
}

// The sum of all parts up to each.
const std::string kSums = bare_input("s") + bare_input("part") + node("Add", {"s", "part"}, "t") + node("Identity", {"t"}, "u") + output("t") + output("u");
std::string scan_model(const std::string& x, const std::string& initial, const std::string& rest) {
  return model_bytes(x + initial + node("Scan", {"s0", "x"}, "y", "output: 'z' " + with_integer("num_scan_inputs", 1) + with_graph("body", kSums) + rest) +
                     output("y") + output("z"));
}

// Given scans along the first axis, another one, and backwards, when imported, then the parts come in that order, and so do those that are stacked.
TEST(Flow, ScanRunsAlongAnAxis) {
  const std::string x = input("x", dim(2) + dim(3));
  const std::string rows = "initializer { name: 's0' data_type: 1 dims: 3 float_data: [0, 0, 0] } ";
  const std::string columns = "initializer { name: 's0' data_type: 1 dims: 2 float_data: [0, 0] } ";
  EXPECT_EQ(results_of(scan_model(x, rows, "")), "y=5,7,9, z=1,2,3,5,7,9,");
  EXPECT_EQ(results_of(scan_model(x, rows, with_integers("scan_input_directions", {1}))), "y=5,7,9, z=4,5,6,5,7,9,");
  EXPECT_EQ(results_of(scan_model(x, rows, with_integers("scan_output_directions", {1}))), "y=5,7,9, z=5,7,9,1,2,3,");
  EXPECT_EQ(results_of(scan_model(x, columns, with_integers("scan_input_axes", {-1}) + with_integers("scan_output_axes", {1}))),
            "y=6,15, z=1,3,6,4,9,15,");
  EXPECT_SAYS(results_of(scan_model(x, rows, with_integers("scan_input_axes", {2}))), "scans axis 2 of a tensor of rank 2");
  EXPECT_SAYS(results_of(scan_model(x, rows, with_integers("scan_input_axes", {0, 1}))), "has 2 numbers; expected 1");
}

// Given a Loop in the branch of an If in a function, when imported, then each reads the names around it.
TEST(Flow, StandsWithinOthers) {
  const std::string loop = scalar("m", 2) + node("Loop", {"m", "", "a"}, "r",
                                                 with_graph("body", bare_input("i") + bare_input("g") + bare_input("v") + node("Mul", {"v", "a"}, "w") +
                                                                        output("g") + output("w"))) +
                           output("r");
  const std::string choose = node("If", {"always"}, "b", with_graph("then_branch", loop) + with_graph("else_branch", output("a")));
  EXPECT_EQ(results_of(whole_model(cat("ir_version: 8 opset_import { version: 13 } graph { name: 'g' ", input("x", dim(2)),
                                       node("Cube", {"x"}, "y", "domain: 'own' "), node("Cube", {"y"}, "z", "domain: 'own' "), output("y"), output("z"),
                                       " } functions { domain: 'own' name: 'Cube' input: 'a' output: 'b' ",
                                       node("Constant", {}, "always", "attribute { name: 'value' type: TENSOR t { data_type: 9 int32_data: 1 } } "),
                                       choose, " }"))),
            "y=1,8, z=1,512,");
}

// Given a branch that an input of one whole number decides, when it is given with the sizes, then that branch runs, and the number is no input any more; another name, or one
// of an input of more numbers, is refused.
TEST(Flow, InputThatIsOneWholeNumber) {
  const std::string condition = node("Equal", {"sr", "rate"}, "c") + "initializer { name: 'rate' data_type: 7 int64_data: 16000 } ";
  const std::string branch = "node { op_type: 'If' input: 'c' output: 'y' attribute { name: 'then_branch' type: GRAPH g { name: 't' node { op_type: 'Relu' input: 'x' output: 'a' } output { name: 'a' } } } "
                             "attribute { name: 'else_branch' type: GRAPH g { name: 'e' node { op_type: 'Exp' input: 'x' output: 'b' } output { name: 'b' } } } } ";
  const std::string bytes = model_bytes(input("x", dim(2)) + input("sr", "", 7) + condition + branch + output("y"));
  ImportOptions options;
  EXPECT_EQ(message_of(bytes, ErrorCode::kUnsupported, options), "accepted");  // both branches run
  for (const auto& [rate, op] : std::map<int64_t, std::string>{{16000, "Relu"}, {8000, "Exp"}}) {
    options.dims = {{"sr", rate}};
    const auto graph = graph_from_onnx(bytes, options);
    ASSERT_TRUE(graph.ok()) << graph.error().message;
    EXPECT_EQ(graph->inputs.size(), 1u);
    EXPECT_TRUE(std::any_of(graph->nodes.begin(), graph->nodes.end(), [&, name = op](const Node& n) { return n.op == name; })) << rate;
  }
  options.dims = {{"x", 2}};
  EXPECT_SAYS(message_of(bytes, ErrorCode::kBadModel, options), "no size of the model's inputs is called 'x'");
}

}  // namespace
}  // namespace hone::graph
