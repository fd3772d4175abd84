// What changed in ONNX's operators after opset 17, on models as exporters write them.
#include <gtest/gtest.h>

#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

using Numbers = std::vector<double>;

// The model's outputs for x = 0, 1, 2, …, through all passes.
std::vector<Numbers> outputs_of(const std::string& bytes) {
  auto graph = graph_from_onnx(bytes, {});
  EXPECT_TRUE(graph.ok()) << (graph.ok() ? "" : graph.error().message);
  if (!graph.ok()) return {};
  const Status prepared = prepare_graph(*graph, {.verify = true});
  EXPECT_TRUE(prepared.ok()) << (prepared.ok() ? "" : prepared.error().message);
  if (!prepared.ok()) return {};
  ValueMap inputs;
  for (ValueId id : graph->inputs)
    for (int64_t i = 0; i < ir::element_count(graph->value(id).shape); i++)
      inputs[id].push_back(static_cast<double>(i));
  auto results = evaluate_graph(*graph, inputs);
  EXPECT_TRUE(results.ok()) << (results.ok() ? "" : results.error().message);
  return results.ok() ? *results : std::vector<Numbers>{};
}

std::string first_task(const std::string& bytes) {
  const auto tasks = tasks_from_onnx(bytes);
  EXPECT_TRUE(tasks.ok()) << (tasks.ok() ? "" : tasks.error().message);
  return tasks.ok() ? cat(tasks->tasks.size(), " ", tasks->tasks[0].name) : "";
}

// Given axes as an input (from opset 18 on) and as an attribute, when reduced, then the results are the same; without axes and with
// noop_with_empty_axes each element is reduced alone.
TEST(Opsets, AxesOfReductions) {
  const std::string x = input("x", dim(2) + dim(3)), y = output("y");
  const Numbers means = {1, 4};
  EXPECT_EQ(outputs_of(model_bytes(x + integers("a", {-1}) + node("ReduceMean", {"x", "a"}, "y") + y, 18)),
            std::vector<Numbers>{means});
  EXPECT_EQ(outputs_of(model_bytes(
                x + node("ReduceMean", {"x"}, "y", "attribute { name: 'axes' type: INTS ints: [-1] } ") + y, 17)),
            std::vector<Numbers>{means});
  EXPECT_EQ(
      outputs_of(model_bytes(x + node("ReduceSumSquare", {"x"}, "y", with_integer("noop_with_empty_axes", 1)) + y, 18)),
      (std::vector<Numbers>{{0, 1, 4, 9, 16, 25}}));
}

// Given a layer normalisation in pieces, as opset 18 has them, when prepared, then it is one task.
TEST(Opsets, StandardizationInPieces) {
  const std::string model = input("x", dim(2) + dim(3) + dim(5)) + weights("e", {1}, 2) + node("Abs", {"e"}, "p") +
                            integers("a", {-1}) + node("ReduceMean", {"x", "a"}, "m") + node("Sub", {"x", "m"}, "d") +
                            node("Mul", {"d", "d"}, "q") + node("ReduceMean", {"q", "a"}, "v") +
                            node("Add", {"v", "p"}, "s") + node("Sqrt", {"s"}, "r") + node("Div", {"d", "r"}, "y") +
                            output("y");
  EXPECT_EQ(first_task(model_bytes(model, 18)).substr(0, 13), "1 standardize");
}

// Given a number of parts, when the extent does not split evenly, then the last part is smaller; a number that differs from the outputs is
// refused.
TEST(Opsets, PartsOfASplit) {
  const auto split = [](int64_t parts) {
    return model_bytes(input("x", dim(7)) + "node { op_type: 'Split' input: 'x' output: 'a' output: 'b' output: 'c' " +
                           with_integer("num_outputs", parts) + "} " + output("a") + output("b") + output("c"),
                       18);
  };
  EXPECT_EQ(outputs_of(split(3)), (std::vector<Numbers>{{0, 1, 2}, {3, 4, 5}, {6}}));
  EXPECT_SAYS(message_of(split(2), ErrorCode::kBadModel), "num_outputs is 2 and it has 3 outputs");
}

// Given pads for some axes, or pads that wrap, when padded, then only those axes grow; an axis that is named twice is refused.
TEST(Opsets, PadsOfSomeAxes) {
  const auto padded = [](const std::vector<int64_t>& pads, const std::vector<int64_t>& axes, const std::string& mode) {
    return model_bytes(input("x", dim(2) + dim(2)) + integers("p", pads) + integers("a", axes) +
                           node("Pad", {"x", "p", "", "a"}, "y", with_text("mode", mode)) + output("y"),
                       19);
  };
  EXPECT_EQ(outputs_of(padded({1, 0}, {-1}, "constant")), (std::vector<Numbers>{{0, 0, 1, 0, 2, 3}}));
  EXPECT_EQ(outputs_of(padded({1, 2}, {1}, "wrap")), (std::vector<Numbers>{{1, 0, 1, 0, 1, 3, 2, 3, 2, 3}}));
  EXPECT_SAYS(message_of(padded({1, 1, 0, 0}, {1, -1}, "constant"), ErrorCode::kBadModel), "an axis is named twice");
  EXPECT_SAYS(message_of(padded({1, 0}, {1}, "mirror"), ErrorCode::kUnsupported), "mode 'mirror' is not supported");
}

// Given sizes for some axes and a policy for the ratio, when resized, then the shape follows the policy; antialiasing is
// refused where it matters.
TEST(Opsets, ResizedAxes) {
  const auto resized = [](const std::string& rest) {
    return model_bytes(
        input("x", dim(1) + dim(1) + dim(4) + dim(6)) + integers("s", {8, 9}) +
            node("Resize", {"x", "", "", "s"}, "y", "attribute { name: 'axes' type: INTS ints: [2, 3] } " + rest) +
            node("Shape", {"y"}, "z") + output("z"),
        18);
  };
  EXPECT_EQ(outputs_of(resized("")), (std::vector<Numbers>{{1, 1, 8, 9}}));
  EXPECT_EQ(outputs_of(resized(with_text("keep_aspect_ratio_policy", "not_larger"))),
            (std::vector<Numbers>{{1, 1, 6, 9}}));
  EXPECT_EQ(outputs_of(resized(with_text("keep_aspect_ratio_policy", "not_smaller"))),
            (std::vector<Numbers>{{1, 1, 8, 12}}));
  EXPECT_SAYS(message_of(resized(with_text("keep_aspect_ratio_policy", "bent")), ErrorCode::kBadModel),
              "is not defined");
  EXPECT_EQ(message_of(resized(with_integer("antialias", 1) + with_text("mode", "linear")), ErrorCode::kUnsupported),
            "accepted");
  const std::string shorter = model_bytes(
      input("x", dim(1) + dim(1) + dim(4) + dim(6)) + integers("s", {1, 1, 4, 3}) +
          node("Resize", {"x", "", "", "s"}, "y", with_integer("antialias", 1) + with_text("mode", "linear")) +
          output("y"),
      18);
  // Width 6 to 3, each result of four neighbours; the filter of the definition before does not widen.
  EXPECT_EQ(message_of(shorter, ErrorCode::kUnsupported), "accepted");
}

// Given attributes that later opsets added, when they say what hone does, then the node is taken; when they say something else, it is refused.
TEST(Opsets, AddedAttributes) {
  const std::string x = input("x", dim(2)), y = output("y");
  const auto gelu = [&](const std::string& how) {
    return model_bytes(x + node("Gelu", {"x"}, "y", with_text("approximate", how)) + y, 20);
  };
  EXPECT_EQ(message_of(gelu("tanh"), ErrorCode::kUnsupported), "accepted");
  EXPECT_SAYS(message_of(gelu("quick"), ErrorCode::kUnsupported), "approximation 'quick'");
  const auto dequantized = [&](int64_t type) {
    return model_bytes(input("x", dim(3), 2) + weights("s", {1}, 1) +
                           node("DequantizeLinear", {"x", "s"}, "y", with_integer("output_dtype", type)) + y,
                       23);
  };
  EXPECT_EQ(message_of(dequantized(11), ErrorCode::kUnsupported), "accepted");
  auto graph = graph_from_onnx(dequantized(11), {});
  ASSERT_TRUE(graph.ok() && prepare_graph(*graph, {.verify = true}).ok());
  EXPECT_EQ(graph->value(graph->outputs[0]).dtype, DType::kF64);
  EXPECT_SAYS(message_of(dequantized(8), ErrorCode::kUnsupported), "string (output_dtype) is not supported");
  EXPECT_SAYS(message_of(dequantized(17), ErrorCode::kBadModel), "of type f8e4m3fn; expected a float of 16 bits or more");
}

// Given an operator whose definition in the model's opset hone does not implement, when imported, then one sentence names the node, the opset,
// what is known and the command that converts the model.
TEST(Opsets, ADefinitionThatIsNotImplemented) {
  const auto upsampled = [](int opset) {
    return model_bytes(
        input("x", dim(1) + dim(1) + dim(2) + dim(2)) +
            node("Upsample", {"x"}, "y", "name: 'up' attribute { name: 'scales' type: FLOATS floats: [1, 1, 2, 2] } ") +
            output("y"),
        opset);
  };
  EXPECT_EQ(message_of(upsampled(7), ErrorCode::kUnsupported), "accepted");
  EXPECT_SAYS(message_of(upsampled(6), ErrorCode::kUnsupported),
              "node 'up' (Upsample): the model's opset 6 means Upsample as opset 1 defines it, which hone does not "
              "support; it knows the "
              "definitions of opset 7, 9, 10; export the model with another opset, or convert it: python3 -c ");
}

// Given outputs that inference does not need, when nobody reads them, then the model is accepted in each opset; when the model hands one out
// that hone does not compute, it is refused by its name.
TEST(Opsets, OutputsThatNobodyReads) {
  const std::string x = input("x", dim(1) + dim(2) + dim(4) + dim(4)), y = output("y");
  const std::string statistics =
      weights("s", {2}, 1) + weights("b", {2}, 2) + weights("m", {2}, 3) + weights("v", {2}, 4);
  const auto with = [](const std::string& head, const std::string& outputs, const std::string& rest = "") {
    return cat("node { ", head, "output: 'y' ", outputs, rest, "} ");
  };
  const std::string norm = "op_type: 'BatchNormalization' input: 'x' input: 's' input: 'b' input: 'm' input: 'v' ";
  const std::string layer = "op_type: 'LayerNormalization' input: 'x' input: 'w' ";
  for (int opset : {7, 9, 12})
    EXPECT_EQ(
        message_of(
            model_bytes(x + statistics + with(norm, "output: 'c' output: 'd' output: 'e' output: 'f' ") + y, opset),
            ErrorCode::kUnsupported),
        "accepted")
        << opset;
  for (int opset : {14, 15, 28})
    EXPECT_EQ(message_of(model_bytes(x + statistics + with(norm, "output: 'c' output: 'd' ") + y, opset),
                         ErrorCode::kUnsupported),
              "accepted");
  for (int opset : {6, 7, 10, 12, 13, 22})
    EXPECT_EQ(message_of(model_bytes(x + with("op_type: 'Dropout' input: 'x' ", "output: 'c' ") + y, opset),
                         ErrorCode::kUnsupported),
              "accepted");
  EXPECT_SAYS(message_of(model_bytes(x + statistics + with(norm, "output: 'c' output: 'd' ") + y + output("c"), 14), ErrorCode::kUnsupported), "its output 'c' is read");
  EXPECT_EQ(message_of(model_bytes(x + weights("w", {4}, 1) + with(layer, "output: 'c' output: 'd' ") + y, 17),
                       ErrorCode::kUnsupported),
            "accepted");
}

}  // namespace
}  // namespace hone::graph
