// Models built here byte by byte of protobuf's text form, the project's own ResNet-18, and files that are broken in one place each.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/cat.h"
#include "base/rng.h"
#include "codegen/graph/evaluate_graph.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/import.h"
#include "codegen/graph/infer_shapes.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/graph/onnx_import_models.h"

namespace hone::graph {
namespace {

// ---- broken and unsupported files

const std::string kRelu = input("x", dim(2)) + node("Relu", {"x"}, "y") + output("y");

// Given bytes that are no model, when imported, then one sentence says so; the sound model is accepted.
TEST(Import, NoModel) {
  EXPECT_EQ(message_of(model_bytes(kRelu), ErrorCode::kBadModel), "accepted");
  EXPECT_SAYS(message_of("", ErrorCode::kBadModel), "holds no graph");
  EXPECT_SAYS(message_of("this is a text", ErrorCode::kBadModel), "not a complete ONNX model");
  const std::string sound = model_bytes(kRelu + weights("w", {50}, 1));
  EXPECT_SAYS(message_of(sound.substr(0, sound.size() / 2), ErrorCode::kBadModel), "export or download the file again");
}

// Given models with one open size, one without a name, and none / when a name that they lack is bound / then it is refused with those that they have;
// what they leave open is told without importing.
TEST(Import, AnUnknownSizeIsRefused) {
  const auto bind = [](const std::string& dims, const std::string& name) {
    const auto tasks = tasks_from_onnx(model_bytes(input("x", dims) + node("Relu", {"x"}, "y") + output("y")), {.dims = {{name, 3}}});
    return tasks.ok() ? std::string("accepted") : tasks.error().message;
  };
  const std::string batch = "dim { dim_param: 'batch' } ";
  EXPECT_EQ(bind(batch, "batch"), "accepted");
  EXPECT_EQ(bind(batch, "foo"),
            "no size of the model's inputs is called 'foo'; those left open are batch; leave out --dim foo=3");
  EXPECT_EQ(bind("dim { } ", "x.0"), "accepted");
  EXPECT_EQ(bind(dim(2), "batch"),
            "no size of the model's inputs is called 'batch'; all of them are fixed; leave out --dim batch=3");
  EXPECT_EQ(open_dims_of(model_bytes(input("x", batch + dim(2) + "dim { } "))), (std::set<std::string>{"batch", "x.2"}));
  EXPECT_TRUE(open_dims_of("no model").empty());
}

// Given a model cut off at each of its bytes, when imported, then it is refused with a message or (never) accepted with another meaning.
TEST(Import, TruncatedAnywhere) {
  const std::string sound = model_bytes(kRelu + weights("w", {3}, 1));
  for (size_t length = 0; length < sound.size(); length++) {
    const auto tasks = tasks_from_onnx(sound.substr(0, length));
    EXPECT_TRUE(tasks.ok() || !tasks.error().message.empty());
  }
}

// Given a model with bytes changed at random, when imported, then it ends in tasks or an error, never in an abort.
TEST(Import, RandomDamage) {
  const std::string sound =
      model_bytes(input("x", dim(1) + dim(3) + dim(6) + dim(6)) + weights("w", {4, 3, 3, 3}, 1) +
                  node("Conv", {"x", "w"}, "c", "attribute { name: 'pads' type: INTS ints: [1, 1, 1, 1] } ") +
                  node("MaxPool", {"c"}, "p", "attribute { name: 'kernel_shape' type: INTS ints: [2, 2] } ") +
                  node("Flatten", {"p"}, "y") + output("y"));
  Rng rng(1);
  int accepted = 0;
  for (int round = 0; round < 3000; round++) {
    std::string damaged = sound;
    for (uint64_t i = 0; i <= rng.below(3); i++) damaged[rng.below(damaged.size())] = static_cast<char>(rng.below(256));
    const auto tasks = tasks_from_onnx(damaged);
    accepted += tasks.ok();
    if (tasks.ok()) {
      for (const te::Task& t : tasks->tasks) EXPECT_TRUE(te::verify_te(t.program).ok());
    } else {
      EXPECT_FALSE(tasks.error().message.empty());
    }
  }
  EXPECT_GT(accepted, 0);
}

// Given one thing that hone does not support, when imported, then the error names it and the node.
TEST(Import, Unsupported) {
  const std::string x = input("x", dim(2)), y = output("y");
  EXPECT_SAYS(message_of(model_bytes(x + node("Sprocket", {"x"}, "y", "name: 'n1' ") + y), ErrorCode::kUnsupported),
              "operator Sprocket of node 'n1' (Sprocket) is not supported");
  EXPECT_SAYS(
      message_of(model_bytes(x + node("Relu", {"x"}, "y", "domain: 'com.example' ") + y), ErrorCode::kUnsupported),
      "com.example.Relu");
  EXPECT_SAYS(message_of(model_bytes(kRelu, 18), ErrorCode::kUnsupported), "accepted");
  EXPECT_SAYS(message_of(model_bytes(kRelu, 29), ErrorCode::kUnsupported), "opset 29 of ONNX's operators; hone knows opsets 6 to 28");
  EXPECT_SAYS(message_of(model_bytes(input("x", dim(2), 8) + node("Relu", {"x"}, "y") + y), ErrorCode::kUnsupported),
              "input 'x' has element type string");
  EXPECT_SAYS(message_of(model_bytes(x + "initializer { name: 'w' data_type: 1 dims: 2 data_location: EXTERNAL } " +
                                     node("Add", {"x", "w"}, "y") + y),
                         ErrorCode::kUnsupported),
              "save the model as one file: python3");
  EXPECT_SAYS(message_of(model_bytes(input("x", dim(65536) + dim(65536)) + node("Relu", {"x"}, "y") + y),
                         ErrorCode::kUnsupported),
              "32 bits");
}

// Given one inconsistency, when imported, then the error names the value or the node.
TEST(Import, Inconsistent) {
  const std::string x = input("x", dim(2)), y = output("y");
  EXPECT_SAYS(message_of(model_bytes(x + node("Relu", {"z"}, "y") + y), ErrorCode::kBadModel), "reads 'z'");
  EXPECT_SAYS(message_of(model_bytes(x + node("Relu", {"x"}, "y") + node("Abs", {"x"}, "y") + y), ErrorCode::kBadModel),
              "'y' is defined twice");
  EXPECT_SAYS(message_of(model_bytes(x + node("Relu", {"x"}, "z") + y), ErrorCode::kBadModel), "output 'y'");
  EXPECT_SAYS(message_of(model_bytes(x + node("Relu", {"x"}, "y")), ErrorCode::kBadModel), "no outputs");
  EXPECT_SAYS(message_of(model_bytes(x + weights("w", {3}, 1) + node("Add", {"x", "w"}, "y", "name: 'sum' ") + y),
                         ErrorCode::kBadModel),
              "node 'sum' (Add): shapes 2 and 3 do not broadcast");
  EXPECT_SAYS(message_of(model_bytes(x + "initializer { name: 'w' data_type: 1 dims: 2 raw_data: 'abc' } " +
                                     node("Add", {"x", "w"}, "y") + y),
                         ErrorCode::kBadModel),
              "has 3 bytes; expected 8");
  EXPECT_SAYS(message_of(model_bytes(x + node("Add", {"x"}, "y") + y), ErrorCode::kBadModel), "has 1 input; expected 2");
  EXPECT_SAYS(message_of(model_bytes("input { name: 'x' } " + node("Relu", {"x"}, "y") + y), ErrorCode::kUnsupported),
              "not a tensor");
}

// Given dimensions without sizes, when some have no value, then one sentence names all of these, each once, with the options that bind them;
// with values the model is accepted.
TEST(Import, SymbolicDimensions) {
  const std::string bytes =
      model_bytes(input("x", "dim { dim_param: 'batch' } " + dim(3)) + node("Relu", {"x"}, "y") + output("y"));
  EXPECT_SAYS(message_of(bytes, ErrorCode::kBadModel), "add --dim batch=1, or the size you need");
  const auto tasks = tasks_from_onnx(bytes, {{{"batch", 5}}});
  ASSERT_TRUE(tasks.ok()) << tasks.error().message;
  EXPECT_EQ(tasks->tasks[0].name, "relu 5x3");
  EXPECT_SAYS(message_of(bytes, ErrorCode::kBadModel, {{{"batch", -5}}}), "dimension of -5");
  const std::string many = model_bytes(input("x", "dim { dim_param: 'N' } dim { } dim { dim_value: -1 } " + dim(4)) +
                                       input("z", "dim { dim_param: 'N' } dim { dim_param: 'a + b' } ") +
                                       node("Relu", {"x"}, "y") + output("y"));
  EXPECT_SAYS(message_of(many, ErrorCode::kBadModel),
              "leaves 4 sizes open, and hone needs every size when it compiles; add --dim N=1 --dim x.1=1 --dim x.2=1 "
              "--dim 'a + b=1', or the sizes you need: 'N' is dimension 0 of input 'x', "
              "'x.1' is dimension 1 of input 'x' and has no name in the model, ");
  EXPECT_SAYS(message_of(many, ErrorCode::kBadModel, {{{"N", 2}, {"a + b", 3}, {"x.1", 5}}}), "leaves a size open");
  const auto bound = tasks_from_onnx(many, {{{"N", 2}, {"a + b", 3}, {"x.1", 5}, {"x.2", 7}}});
  ASSERT_TRUE(bound.ok()) << bound.error().message;
  EXPECT_EQ(bound->tasks[0].name, "relu 2x5x7x4");
}

// Given a node that hone does not know, when nobody reads what it makes, then the model is accepted; when somebody does, it is refused.
TEST(Import, NodesThatNobodyReads) {
  const std::string x = input("x", dim(2)), y = output("y");
  const std::string chain = x + node("Sprocket", {"x"}, "s") + node("Sprocket", {"s"}, "t");
  EXPECT_EQ(message_of(model_bytes(chain + node("Relu", {"x"}, "y") + y), ErrorCode::kUnsupported), "accepted");
  EXPECT_SAYS(message_of(model_bytes(chain + node("Relu", {"t"}, "y") + y), ErrorCode::kUnsupported), "operator Sprocket");
}

// Given several operators that hone does not know, when imported, then one sentence names the first one's node and all the others.
TEST(Import, AllOperatorsThatAreNotKnown) {
  const std::string model = input("x", dim(2)) + node("Cog", {"x"}, "a") + node("Cog", {"a"}, "b") + node("Axle", {"b"}, "c") +
                            node("Constant", {}, "k", "attribute { name: 'value_float' type: FLOAT f: 1 } ") +
                            node("Wheel", {"c", "k"}, "d", "domain: 'com.example' ") + node("Relu", {"d"}, "y") + output("y");
  EXPECT_SAYS(message_of(model_bytes(model), ErrorCode::kUnsupported),
              "operator Cog of the Cog node that makes 'a' is not supported, and neither are the model's others: Axle, com.example.Wheel; docs/models.md");
}

// Given weights that are graph inputs, too (as files of IR version 3 have them), when imported, then they are constants.
TEST(Import, WeightsListedAsInputs) {
  const auto tasks =
      tasks_from_onnx(model_bytes(input("x", dim(2) + dim(3)) + input("w", dim(3) + dim(4)) + weights("w", {3, 4}, 1) +
                                  node("MatMul", {"x", "w"}, "y") + output("y")));
  ASSERT_TRUE(tasks.ok()) << tasks.error().message;
  EXPECT_EQ(tasks->tasks[0].args[0].role, te::Role::kActivation);
  EXPECT_EQ(tasks->tasks[0].args[1].role, te::Role::kConstant);
}

// ---- passes keep what a model computes

// Evaluates the graph node by node as imported, and again after all passes, on the same random input.
void expect_passes_keep_results(const std::string& bytes, size_t groups_expected) {
  auto plain = graph_from_onnx(bytes, {}), prepared = graph_from_onnx(bytes, {});
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  ASSERT_TRUE(prepare_graph(*prepared, {.verify = true}).ok());
  ValueMap inputs;
  for (ValueId id : plain->inputs) {
    std::vector<double>& values = inputs[id];
    for (int64_t i = 0; i < ir::element_count(plain->value(id).shape); i++)
      values.push_back(uniform_at(9, static_cast<uint64_t>(i)));
  }
  const auto fused = evaluate_graph(*prepared, inputs);
  ASSERT_TRUE(fused.ok()) << fused.error().message;
  const auto tasks = extract_tasks(*prepared);
  ASSERT_TRUE(tasks.ok()) << tasks.error().message;
  double groups = 0;
  for (double w : tasks->weights) groups += w;
  EXPECT_EQ(groups, static_cast<double>(groups_expected));
  // Node by node: every value of the plain graph is an output, so that nothing fuses or folds.
  const std::vector<ValueId> wanted = plain->outputs;
  for (const Node& n : plain->nodes)
    for (ValueId id : n.outputs) plain->outputs.push_back(id);
  Graph& g = *plain;
  ASSERT_TRUE(infer_shapes(g).ok());
  const auto reference = evaluate_graph(g, inputs);
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  for (size_t o = 0; o < wanted.size(); o++) {
    ASSERT_EQ((*fused)[o].size(), (*reference)[o].size());
    for (size_t i = 0; i < (*fused)[o].size(); i++)
      EXPECT_NEAR((*fused)[o][i], (*reference)[o][i], 1e-5 * (1 + std::fabs((*reference)[o][i])));
  }
}

// Given Conv, BatchNormalization, Relu on 3 channels, when all passes run, then one task is left, with 4 channels, and the same results.
TEST(Passes, FoldRoundAndFuse) {
  const std::string bytes =
      model_bytes(input("x", dim(1) + dim(3) + dim(5) + dim(5)) + weights("w", {4, 3, 3, 3}, 1) + weights("b", {4}, 2) +
                  weights("s", {4}, 3) + weights("o", {4}, 4) + weights("m", {4}, 5) + weights("v", {4}, 6) +
                  node("Conv", {"x", "w", "b"}, "c") + node("BatchNormalization", {"c", "s", "o", "m", "v"}, "n") +
                  node("Relu", {"n"}, "y") + output("y"));
  expect_passes_keep_results(bytes, 1);
  const auto tasks = tasks_from_onnx(bytes);
  EXPECT_EQ(tasks->tasks[0].name, "conv 1x4x5x5,4x4x3x3 s1 p0 + relu");
  EXPECT_EQ(tasks->tasks[0].program.inputs.size(), 3u);
}

// A value through a quantisation of its own: `name`.quantized, and back as `name`.near.
std::string quantized(const std::string& name) {
  return node("QuantizeLinear", {name, "scale", "zero"}, name + ".quantized") +
         node("DequantizeLinear", {name + ".quantized", "scale", "zero"}, name + ".near");
}
const std::string kScaling = "initializer { name: 'scale' data_type: 1 float_data: 0.0625 } "
                             "initializer { name: 'zero' data_type: 3 int32_data: 3 } ";

// Given a quantised image, when all passes run, then its channels are rounded as if it were none.
TEST(Passes, RoundQuantised) {
  const std::string bytes =
      model_bytes(input("x", dim(1) + dim(3) + dim(5) + dim(5)) + kScaling + weights("w", {4, 3, 3, 3}, 1) +
                  quantized("x") + node("Conv", {"x.near", "w"}, "y") + output("y"));
  expect_passes_keep_results(bytes, 2);
  EXPECT_EQ(tasks_from_onnx(bytes)->tasks[1].name, "conv 1x4x5x5,4x4x3x3 s1 p0");
}

// Given a quantised image that somebody else reads, too, when all passes run, then it keeps its channels.
TEST(Passes, RoundNothingThatOthersRead) {
  expect_passes_keep_results(
      model_bytes(input("x", dim(1) + dim(3) + dim(5) + dim(5)) + kScaling + weights("w", {4, 3, 3, 3}, 1) +
                  quantized("x") + node("Conv", {"x.near", "w"}, "y") + node("Relu", {"x.near"}, "z") + output("y") +
                  output("z")),
      3);
}

// Given a quantised residual block, when fused, then scales and zero points, which are numbers, take no binding from what joins.
TEST(Passes, QuantisedResidualBlock) {
  expect_passes_keep_results(
      model_bytes(input("x", dim(1) + dim(4) + dim(4) + dim(4)) + input("s", dim(1) + dim(4) + dim(4) + dim(4)) +
                  kScaling + weights("w", {4, 4, 1, 1}, 1) + weights("b", {4}, 2) + node("Conv", {"x", "w", "b"}, "c") +
                  quantized("c") + node("Add", {"c.near", "s"}, "e") + quantized("e") + node("Relu", {"e.near"}, "r") +
                  quantized("r") + node("Neg", {"r.near"}, "y") + output("y")),
      1);
}

// Given a residual block, when fused, then the addition joins one branch and the value with two readers stays outside.
TEST(Passes, ResidualBlock) {
  expect_passes_keep_results(
      model_bytes(input("x", dim(1) + dim(4) + dim(4) + dim(4)) + weights("w", {4, 4, 3, 3}, 1) +
                  weights("u", {4, 4, 1, 1}, 2) + node("Relu", {"x"}, "a") +
                  node("Conv", {"a", "w"}, "c", "attribute { name: 'pads' type: INTS ints: [1, 1, 1, 1] } ") +
                  node("Conv", {"a", "u"}, "d") + node("Add", {"c", "d"}, "e") + node("Relu", {"e"}, "y") +
                  output("y")),
      3);
}

// Given views on channels-last data, when the view permutes nothing it costs no task; when it does, it is one. Where no window slides, nothing lies so.
TEST(Passes, Views) {
  const std::string pool = node("GlobalAveragePool", {"x"}, "p") + weights("w", {4, 2}, 1);
  expect_passes_keep_results(model_bytes(input("x", dim(1) + dim(4) + dim(2) + dim(2)) + pool +
                                         node("Flatten", {"p"}, "f") + node("MatMul", {"f", "w"}, "y") + output("y")),
                             2);
  const auto flattened = [](const std::string& first) {
    return model_bytes(input("x", dim(1) + dim(4) + dim(1) + dim(3)) + weights("w", {12, 2}, 1) + first + node("Flatten", {"p"}, "f") + node("MatMul", {"f", "w"}, "y") + output("y"));
  };
  expect_passes_keep_results(flattened(node("MaxPool", {"x"}, "p", "attribute { name: 'kernel_shape' type: INTS ints: [1, 1] } ")), 3);
  expect_passes_keep_results(flattened(node("Relu", {"x"}, "p")), 2);
}

// Given a value that forks and meets again, when fused, then the branches join its task; a branch that leaves keeps them out.
TEST(Passes, BranchesThatMeet) {
  const std::string start = input("x", dim(2) + dim(3) + dim(4) + dim(4)) + weights("w", {3, 3, 1, 1}, 1) +
                            node("Conv", {"x", "w"}, "c") + node("Sigmoid", {"c"}, "s") + node("Mul", {"c", "s"}, "m") +
                            node("Neg", {"m"}, "y") + output("y");
  expect_passes_keep_results(model_bytes(start), 1);
  expect_passes_keep_results(model_bytes(start + node("Transpose", {"s"}, "t") + output("t")), 4);
}
// Given a layer normalisation in pieces, when prepared, then it is one task with its scale; with other axes for the variance it stays as it is.
TEST(Passes, StandardizationInPieces) {
  const auto model = [](const char* axis) {
    const auto axes = [](std::string_view a) { return cat("attribute { name: 'axes' type: INTS ints: [", a, "] } "); };
    return model_bytes(
        input("x", dim(2) + dim(3) + dim(5)) + weights("g", {5}, 1) + weights("e", {1}, 2) + node("Abs", {"e"}, "p") +
        node("ReduceMean", {"x"}, "m", axes("-1")) + node("Sub", {"x", "m"}, "d") + node("Mul", {"d", "d"}, "q") +
        node("ReduceMean", {"q"}, "v", axes(axis)) + node("Add", {"v", "p"}, "a") + node("Sqrt", {"a"}, "r") +
        node("Div", {"d", "r"}, "n") + node("Mul", {"n", "g"}, "y") + output("y"));
  };
  expect_passes_keep_results(model("-1"), 1);
  const auto other = tasks_from_onnx(model("1"));
  ASSERT_TRUE(other.ok()) << other.error().message;
  EXPECT_GT(other->tasks.size(), 1u);
}
// Given a chain that needs more than 8 buffers, when fused, then it is cut before the ninth.
TEST(Passes, BindingLimit) {
  std::string graph = input("x", dim(1) + dim(6)), value = "x";
  for (int i = 0; i < 10; i++) {
    graph += weights(cat("w", i), {6}, static_cast<uint64_t>(i)) + node("Add", {value, cat("w", i)}, cat("v", i));
    value = cat("v", i);
  }
  const std::string bytes = model_bytes(graph + node("Relu", {value}, "y") + output("y"));
  expect_passes_keep_results(bytes, 2);
  const auto tasks = tasks_from_onnx(bytes);
  for (const te::Task& t : tasks->tasks) EXPECT_LE(t.program.inputs.size() + t.program.outputs.size(), 8u);
}

// Given arithmetic on constants and an Identity, when folded, then neither is left as a task.
TEST(Passes, ConstantSubgraphs) {
  expect_passes_keep_results(model_bytes(input("x", dim(2) + dim(3)) + weights("a", {3}, 1) + weights("b", {3}, 2) +
                                         node("Mul", {"a", "b"}, "c") + node("Identity", {"x"}, "i") +
                                         node("Add", {"i", "c"}, "y") + output("y")),
                             1);
}

// ---- the project's ResNet-18

const ModelTasks& resnet18() {
  static const ModelTasks tasks = [] {
    const auto path = std::filesystem::temp_directory_path() / cat("hone_import_test_", ::getpid(), ".onnx");
    const std::string command = cat(HONE_SOURCE_DIR, "/scripts/gen_model resnet18 --out ", path.string());
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    std::filesystem::remove(path);
    auto result = tasks_from_onnx(bytes);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.ok() ? *result : ModelTasks{};
  }();
  return tasks;
}

// Given the project's ResNet-18, when its tasks are extracted, then they are the known distinct operators with their counts.
TEST(ResNet18, Tasks) {
  std::string text;
  for (size_t i = 0; i < resnet18().tasks.size(); i++)
    text += cat(static_cast<int>(resnet18().weights[i]), " ", resnet18().tasks[i].name, "\n");
  EXPECT_EQ(text,
            "1 conv 1x4x224x224,64x4x7x7 s2 p3 + relu\n"
            "1 max_pool 1x64x112x112 3x3 s2 p1\n"
            "2 conv 1x64x56x56,64x64x3x3 s1 p1 + relu\n"
            "2 conv 1x64x56x56,64x64x3x3 s1 p1 + add + relu\n"
            "1 conv 1x64x56x56,128x64x3x3 s2 p1 + relu\n"
            "1 conv 1x64x56x56,128x64x1x1 s2 p0\n"
            "2 conv 1x128x28x28,128x128x3x3 s1 p1 + add + relu\n"
            "1 conv 1x128x28x28,128x128x3x3 s1 p1 + relu\n"
            "1 conv 1x128x28x28,256x128x3x3 s2 p1 + relu\n"
            "1 conv 1x128x28x28,256x128x1x1 s2 p0\n"
            "2 conv 1x256x14x14,256x256x3x3 s1 p1 + add + relu\n"
            "1 conv 1x256x14x14,256x256x3x3 s1 p1 + relu\n"
            "1 conv 1x256x14x14,512x256x3x3 s2 p1 + relu\n"
            "1 conv 1x256x14x14,512x256x1x1 s2 p0\n"
            "2 conv 1x512x7x7,512x512x3x3 s1 p1 + add + relu\n"
            "1 conv 1x512x7x7,512x512x3x3 s1 p1 + relu\n"
            "1 global_average_pool 1x512x7x7\n"
            "1 gemm 1x1000x512 + bias\n");
}

// Given the project's ResNet-18, when its tasks are extracted, then their programs verify, and the work is that of the paper's network.
TEST(ResNet18, ProgramsAndWork) {
  double flops = 0;
  for (size_t i = 0; i < resnet18().tasks.size(); i++) {
    const te::Task& t = resnet18().tasks[i];
    const Status status = te::verify_te(t.program);
    EXPECT_TRUE(status.ok()) << t.name << ": " << status.error().message;
    EXPECT_EQ(t.args.size(), t.program.inputs.size() + t.program.outputs.size());
    flops += t.flops * resnet18().weights[i];
  }
  EXPECT_NEAR(flops, 3.64e9, 0.02e9);  // 1.8 G multiply-accumulates
}

// Given an op SPEC of one of its shapes, when made a task, then activations and weights lie as in the model.
TEST(ResNet18, SpecHasTheModelsLayouts) {
  const auto spec = task_from_spec("conv:1x256x14x14,512x256x1x1,stride=2");
  ASSERT_TRUE(spec.ok());
  const te::Task& same = resnet18().tasks[13];
  ASSERT_EQ(same.name, "conv 1x256x14x14,512x256x1x1 s2 p0");
  EXPECT_EQ(spec->args[0].layout, same.args[0].layout);
  EXPECT_EQ(spec->args[1].layout, same.args[1].layout);
  EXPECT_EQ(spec->args.back().layout, same.args.back().layout);
}

// Given a path that is missing, or a file of several nodes, when used as a SPEC, then the error says what was expected.
TEST(Spec, Files) {
  const auto missing = task_from_spec("/nowhere/at/all.onnx");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kIoError);
  EXPECT_SAYS(missing.error().message, "cannot read '/nowhere/at/all.onnx'");
  const auto path = std::filesystem::temp_directory_path() / cat("hone_spec_test_", ::getpid(), ".onnx");
  std::ofstream(path, std::ios::binary) << model_bytes(kRelu);
  const auto one = task_from_spec(path.string());
  ASSERT_TRUE(one.ok()) << one.error().message;
  EXPECT_EQ(one->name, "relu 2");
  std::ofstream(path, std::ios::binary) << model_bytes(input("x", dim(2) + dim(2)) + node("MatMul", {"x", "x"}, "a") +
                                                       node("MatMul", {"a", "x"}, "y") + output("y") + output("a"));
  EXPECT_SAYS(task_from_spec(path.string()).error().message, "gives 2 tasks");
  std::filesystem::remove(path);
}

// Given elements of 8 bits, when they are scattered, then they may replace others; what would compute with them is refused.
TEST(Import, SmallFloatsAreMovedAndNotComputedWith) {
  constexpr int kFloat8 = 19;
  const auto scattered = [](const std::string& how) {
    return model_bytes(input("x", dim(3), kFloat8) + input("i", dim(2), 7) + input("u", dim(2), kFloat8) + node("ScatterElements", {"x", "i", "u"}, "y", with_text("reduction", how)) + output("y"), 18);
  };
  EXPECT_EQ(message_of(scattered("none"), ErrorCode::kUnsupported), "accepted");
  EXPECT_SAYS(message_of(scattered("add"), ErrorCode::kUnsupported), "elements of type f8e5m2 are replaced only");
  const std::string image = dim(1) + dim(1) + dim(2) + dim(2);
  EXPECT_SAYS(message_of(model_bytes(input("x", image, kFloat8) + input("g", image) + node("GridSample", {"x", "g"}, "y") + output("y"), 20), ErrorCode::kUnsupported), "has element type f8e5m2");
}

}  // namespace
}  // namespace hone::graph
