// Models with functions of their own.
#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

// `functions`: the bodies of FunctionProtos.
std::string with_functions(const std::string& graph, const std::vector<std::string>& functions) {
  std::string rest;
  for (const std::string& body : functions) rest += cat("functions { domain: 'own' ", body, " } ");
  return whole_model(cat("ir_version: 8 opset_import { version: 13 } opset_import { domain: 'own' version: 1 } graph { name: 'g' ", graph,
                         " } ", rest));
}
std::string call(const std::string& function, const std::vector<std::string>& inputs, const std::string& result,
                 const std::string& rest = "") {
  return node(function, inputs, result, cat("domain: 'own' ", rest));
}

const std::string kTwice = "name: 'Twice' input: 'a' output: 'b' " + node("Add", {"a", "a"}, "b");

// Given a function that is called twice and one that calls it, when imported, then each call stands for the function's nodes, and what the model
// hands out has its own names.
TEST(Functions, AreReplacedByTheirNodes) {
  const std::string four = "name: 'Four' input: 'a' output: 'b' " + call("Twice", {"a"}, "t") + call("Twice", {"t"}, "b");
  EXPECT_EQ(results_of(with_functions(input("x", dim(2)) + call("Four", {"x"}, "y") + call("Twice", {"y"}, "z") + output("y") + output("z"),
                                      {kTwice, four})),
            "y=4,8, z=8,16,");
}

// Given a function whose output is its input, another that has one result twice, and one that returns a constant, when imported, then each
// output has its value.
TEST(Functions, OutputsThatAreNoNodesOfTheirOwn) {
  const std::string same = "name: 'Same' input: 'a' output: 'a' ";
  const std::string pair = "name: 'Pair' input: 'a' output: 'b' output: 'b' " + node("Add", {"a", "a"}, "b");
  const std::string seven = "name: 'Seven' output: 'k' " + node("Constant", {}, "k", "attribute { name: 'value_float' type: FLOAT f: 7 } ");
  EXPECT_EQ(results_of(with_functions(input("x", dim(2)) + call("Same", {"x"}, "y") + call("Pair", {"x"}, "p", "output: 'q' ") +
                                          call("Seven", {}, "k") + output("y") + output("p") + output("q") + output("k"),
                                      {same, pair, seven})),
            "y=1,2, p=2,4, q=2,4, k=7,");
}

// Given a function whose node takes an attribute from the call, when called with it, without it, and by another function that hands its own on,
// then the node has what was given, or none; outside of a function there is nothing that it could take.
TEST(Functions, AttributesOfTheCall) {
  const std::string leak = "input: 'a' output: 'b' attribute: 'slope' " +
                           node("Neg", {"a"}, "n") + node("LeakyRelu", {"n"}, "b", "attribute { name: 'alpha' type: FLOAT ref_attr_name: 'slope' } ");
  const std::string outer = "name: 'Outer' input: 'a' output: 'b' attribute: 's' " +
                            call("Leak", {"a"}, "b", "attribute { name: 'slope' type: FLOAT ref_attr_name: 's' } ");
  const std::string half = "attribute { name: 'slope' type: FLOAT f: 0.5 } ", s = "attribute { name: 's' type: FLOAT f: 0.25 } ";
  const std::string model = input("x", dim(2)) + call("Leak", {"x"}, "y", half) + call("Leak", {"x"}, "z") + call("Outer", {"x"}, "w", s) +
                            output("y") + output("z") + output("w");
  EXPECT_EQ(results_of(with_functions(model, {"name: 'Leak' " + leak, outer})), "y=-0.5,-1, z=-0.01,-0.02, w=-0.25,-0.5,");
  EXPECT_SAYS(results_of(whole_model("ir_version: 8 opset_import { version: 13 } graph { " + input("x", dim(2)) +
                                     node("LeakyRelu", {"x"}, "y", "attribute { name: 'alpha' type: FLOAT ref_attr_name: 'slope' } ") + output("y") + " }")),
              "stands in none");
}

// Given a function with an input that the call leaves out, when imported, then its node lacks the input, too.
TEST(Functions, InputsThatAreLeftOut) {
  const std::string clip = "name: 'Cut' input: 'a' input: 'low' input: 'high' output: 'b' " + node("Clip", {"a", "low", "high"}, "b");
  const std::string model = input("x", dim(2)) + "initializer { name: 'k' data_type: 1 float_data: 1.5 } " + call("Cut", {"x", "", "k"}, "y") +
                            call("Cut", {"x", "k"}, "z") + output("y") + output("z");
  EXPECT_EQ(results_of(with_functions(model, {clip})), "y=1,1.5, z=1.5,2,");
}

// Given functions that call themselves, or each other, or are called with more than they have, or double their nodes 40 times, when imported, then one
// sentence refuses each, soon.
TEST(Functions, ThatHaveNoEnd) {
  const std::string x = input("x", dim(2)), y = output("y");
  const auto of = [](const std::string& name, const std::string& callee) {
    return cat("name: '", name, "' input: 'a' output: 'b' ", call(callee, {"a"}, "b"));
  };
  EXPECT_SAYS(results_of(with_functions(x + call("A", {"x"}, "y") + y, {of("A", "A")})), "calls itself");
  EXPECT_SAYS(results_of(with_functions(x + call("A", {"x"}, "y") + y, {of("A", "B"), of("B", "A")})), "calls itself");
  EXPECT_SAYS(results_of(with_functions(x + call("Twice", {"x", "x"}, "y") + y, {kTwice})), "has 2 inputs");
  std::vector<std::string> doubled{"name: 'F0' input: 'a' output: 'b' " + node("Relu", {"a"}, "b")}, deep = doubled;
  for (int i = 1; i <= 40; i++)
    doubled.push_back(cat("name: 'F", i, "' input: 'a' output: 'b' ", call(cat("F", i - 1), {"a"}, "t"), call(cat("F", i - 1), {"t"}, "b")));
  EXPECT_SAYS(results_of(with_functions(x + call("F40", {"x"}, "y") + y, doubled)), "when they are written out");
  for (int i = 1; i <= 200; i++) deep.push_back(of(cat("F", i), cat("F", i - 1)));
  EXPECT_SAYS(results_of(with_functions(x + call("F200", {"x"}, "y") + y, deep)), "subgraphs deep");
}

// Given a function of another opset, when its operators are those of the model's, then it is taken; where one is another, it is refused.
TEST(Functions, OfAnotherOpset) {
  const std::string opset = "opset_import { version: 11 } input: 'a' output: 'b' ";
  const std::string model = input("x", dim(2)) + call("F", {"x"}, "y") + output("y");
  EXPECT_EQ(results_of(with_functions(model, {"name: 'F' " + opset + node("Elu", {"a"}, "b")})), "y=1,2,");
  EXPECT_SAYS(results_of(with_functions(model, {"name: 'F' " + opset + node("Softmax", {"a"}, "b")})), "means another Softmax");
}

}  // namespace
}  // namespace hone::graph
