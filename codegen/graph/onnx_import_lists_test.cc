// Sequences and optionals, which are gone when the model is read.
#include <gtest/gtest.h>

#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

std::string place(const std::string& name, int64_t value) {
  return cat("initializer { name: '", name, "' data_type: 7 int64_data: ", value, " } ");
}
std::string sequence_type(const std::string& dims) { return cat("type { sequence_type { elem_type { tensor_type { elem_type: 1 shape { ", dims, " } } } } } "); }
std::string over(const std::string& nodes, const std::string& outputs) {
  return results_of(model_bytes(input("x", dim(4)) + place("zero", 0) + place("one", 1) + place("last", -1) + place("five", 5) + nodes + outputs, 17));
}
const std::string kPair = node("Neg", {"x"}, "n") + node("SequenceConstruct", {"x", "n"}, "s");

// Given nodes that make sequences, change them and read them, when imported, then the elements are those that the operators say.
TEST(Lists, AreTheirElements) {
  const std::string y = output("y");
  EXPECT_EQ(over(kPair + node("SequenceAt", {"s", "last"}, "y"), y), "y=-1,-2,-3,-4,");
  EXPECT_EQ(over(kPair + node("SequenceInsert", {"s", "n", "zero"}, "t") + node("SequenceAt", {"t", "zero"}, "y"), y), "y=-1,-2,-3,-4,");
  EXPECT_EQ(over(kPair + node("SequenceErase", {"s", "zero"}, "t") + node("SequenceAt", {"t", "zero"}, "y"), y), "y=-1,-2,-3,-4,");
  EXPECT_EQ(over(kPair + node("SequenceErase", {"s"}, "t") + node("ConcatFromSequence", {"t"}, "y", with_integer("axis", 0)), y), "y=1,2,3,4,");
  EXPECT_EQ(over(kPair + node("ConcatFromSequence", {"s"}, "y", with_integer("axis", 1) + with_integer("new_axis", 1)), y), "y=1,-1,2,-2,3,-3,4,-4,");
  EXPECT_EQ(over(node("SequenceEmpty", {}, "e") + node("SequenceInsert", {"e", "x"}, "t") + node("SequenceLength", {"t"}, "y"), y), "y=1,");
  EXPECT_EQ(over(node("SplitToSequence", {"x"}, "t", with_integer("keepdims", 0)) + node("SequenceAt", {"t", "one"}, "y"), y), "y=2,");
  EXPECT_EQ(over(integers("parts", {1, 3}) + node("SplitToSequence", {"x", "parts"}, "t") + node("SequenceAt", {"t", "one"}, "y"), y), "y=2,3,4,");
}

// Given a sequence as an output and as an input, when imported, then each is as many tensors as it has elements, with the input's length from a person.
TEST(Lists, AsInputsAndOutputs) {
  EXPECT_EQ(over(kPair, output("s") + output("n")), "s.0=1,2,3,4, s.1=-1,-2,-3,-4, n=-1,-2,-3,-4,");
  const std::string model = model_bytes(cat("input { name: 'q' ", sequence_type(dim(2)), " } ") + place("one", 1) + node("SequenceAt", {"q", "one"}, "v") +
                                        node("Neg", {"v"}, "y") + output("y"));
  EXPECT_EQ(results_of(model, {.dims = {{"q.length", 2}}}), "y=-1,-2,");
  EXPECT_SAYS(results_of(model), "add --dim q.length=1, or the size you need: 'q.length' is the number of tensors of input 'q'");
  EXPECT_SAYS(results_of(model, {.dims = {{"q.length", 1}}}), "asks for element 1 of a sequence of 1");
}

// Given a graph for each element, when imported, then it runs once for each, with the tensors beside.
TEST(Lists, AreMapped) {
  const std::string body = "input { name: 'a' } input { name: 'b' } " + node("Mul", {"a", "b"}, "c") + output("c");
  EXPECT_EQ(over(kPair + node("SequenceMap", {"s", "n"}, "t", cat("attribute { name: 'body' type: GRAPH g { name: 'each' ", body, " } } ")), output("t")),
            "t.0=-1,-4,-9,-16, t.1=1,4,9,16,");
}

// Given optionals with and without an element, when imported, then what asks is answered, and the element is the tensor.
TEST(Lists, Optionals) {
  const std::string empty = "attribute { name: 'type' type: TYPE_PROTO tp { tensor_type { elem_type: 1 } } } ";
  EXPECT_EQ(over(node("Optional", {"x"}, "o") + node("OptionalHasElement", {"o"}, "h") + node("OptionalGetElement", {"o"}, "g") + node("Neg", {"g"}, "y"),
                 output("h") + output("y")),
            "h=1, y=-1,-2,-3,-4,");
  EXPECT_EQ(over(node("Optional", {}, "o", empty) + node("OptionalHasElement", {"o"}, "h"), output("h")), "h=0,");
  EXPECT_SAYS(over(node("Optional", {}, "o", empty) + node("OptionalGetElement", {"o"}, "y"), output("y")), "has no element");
}

// Given places that are not there, tensors in the place of sequences and the other way round, or an element that inputs choose, when imported, then one
// sentence refuses each.
TEST(Lists, WhatIsRefused) {
  const std::string y = output("y");
  EXPECT_SAYS(over(kPair + node("SequenceAt", {"s", "five"}, "y"), y), "asks for element 5 of a sequence of 2");
  EXPECT_SAYS(over(kPair + node("SequenceInsert", {"s", "x", "five"}, "y"), y), "asks for element 5 of a sequence of 2");
  EXPECT_SAYS(over(node("SequenceAt", {"x", "one"}, "y"), y), "is a tensor; expected a sequence");
  EXPECT_SAYS(over(kPair + node("Neg", {"s"}, "y"), y), "is a sequence; expected a tensor");
  EXPECT_SAYS(over(node("SequenceEmpty", {}, "e") + node("ConcatFromSequence", {"e"}, "y", with_integer("axis", 0)), y), "an empty sequence");
  EXPECT_SAYS(over(kPair + node("ReduceSum", {"x"}, "r", with_integer("keepdims", 0)) + node("SequenceAt", {"s", "r"}, "y"), y), "computed from the model's inputs");
  EXPECT_SAYS(over(integers("parts", {1, 9}) + node("SplitToSequence", {"x", "parts"}, "t") + node("SequenceAt", {"t", "one"}, "y"), y), "a part of 9 elements");
}

}  // namespace
}  // namespace hone::graph
