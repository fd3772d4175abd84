#include "codegen/graph/prepare_graph.h"

#include <gtest/gtest.h>

#include "base/cat.h"
#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/fuse.h"
#include "codegen/graph/spec.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

Graph product() {
  auto graph = graph_from_spec("matmul:4x4x4");
  CHECK(graph.ok(), "the spec gives no graph");
  CHECK(prepare_graph(*graph).ok(), "the graph cannot be prepared");
  return *graph;
}

// Given a graph, when it is prepared with a dump, then each pass hands out the graph's text under its name, in order, the last one's as it is left.
TEST(PrepareGraph, DumpsEachPass) {
  auto graph = graph_from_spec("conv:1x3x8x8,4x3x3x3,pad=1");
  ASSERT_TRUE(graph.ok());
  std::vector<std::string> passes;
  std::string last;
  GraphPassOptions options;
  options.verify = true;
  options.dump = [&](std::string_view pass, const std::string& text) {
    passes.emplace_back(pass);
    last = text;
  };
  ASSERT_TRUE(prepare_graph(*graph, options).ok());
  EXPECT_EQ(passes, (std::vector<std::string>{"drop_dead_nodes", "drop_unread_outputs", "split_variadic", "join_scales", "fold_constants", "hand_out_lengths",
                                              "split_attention", "order_updates", "narrow_choices", "simplify_algebra", "scale_products", "eliminate_transposes", "fold_batch_normalization",
                                              "recognise_standardization", "recognise_gelu", "round_channels", "separate_states", "watch_overflow"}));
  EXPECT_EQ(last, print_graph(*graph));
}

// Given a name that is no pass, or one that must run, when a graph is prepared without it, then it is refused, with all that can be left out.
TEST(PrepareGraph, RefusesToLeaveOutOthers) {
  for (const char* name : {"fold_constants", "nothing"}) {
    auto graph = graph_from_spec("matmul:4x4x4");
    ASSERT_TRUE(graph.ok());
    const Status status = prepare_graph(*graph, {.without = {name}});
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(status.error().message, cat("found the pass '", name, "', which cannot be left out; expected one of split_attention, order_updates, narrow_choices, simplify_algebra, scale_products, eliminate_transposes, "
                                          "fold_batch_normalization, recognise_standardization, recognise_gelu, round_channels"));
  }
}

// Given quantised products whose scales and zero points all come at run time, when prepared, then no task reads and writes more tensors than a kernel
// binds; where the scales are numbers of the model, the graph stays as it is.
TEST(JoinScales, KernelsBindNoMoreThanTheyMay) {
  for (const char* op : {"QLinearConv", "QLinearMatMul"})
    for (bool constant : {false, true}) {
      Graph graph;
      Node node{"", op};
      const bool slides = node.op == "QLinearConv";
      const auto add = [&](DType dtype, Shape shape, bool is_number) {
        Value value{cat("v", graph.values.size()), dtype, shape, true, is_number, is_number ? from_doubles(dtype, shape, {1}).bytes : nullptr};
        node.inputs.push_back(graph.add_value(value));
        if (!is_number) graph.inputs.push_back(node.inputs.back());
      };
      for (int factor = 0; factor < 3; factor++) {
        if (factor < 2) add(DType::kU8, slides ? Shape{2, 2, 3, 3} : Shape{2, 2}, false);
        add(DType::kF32, {}, constant);
        add(DType::kU8, {}, constant);
      }
      if (slides) add(DType::kI32, {2}, false);
      node.outputs = graph.outputs = {graph.add_value({"y"})};
      graph.nodes = {node};
      const Status prepared = prepare_graph(graph, {.verify = true});
      ASSERT_TRUE(prepared.ok()) << prepared.error().message;
      EXPECT_EQ(graph.nodes.size(), constant ? 1u : slides ? 3u : 2u);
      const auto tasks = extract_tasks(graph);
      ASSERT_TRUE(tasks.ok()) << tasks.error().message;
      for (const te::Task& task : tasks->tasks) EXPECT_LE(task.args.size(), kBindingsMax) << task.name;
    }
}

std::string fault_of(const Graph& graph) {
  const Status status = verify_graph(graph, GraphStage::kShaped);
  return status.ok() ? "" : status.error().message;
}

// Given graphs with one thing wrong each, when verified, then the fault is named; what is only wrong behind the shapes passes before them.
TEST(VerifyGraph, NamesFaults) {
  EXPECT_EQ(fault_of(product()), "");
  Graph dangling = product(), twice = product(), unordered = product(), shapeless = product(), cut = product();
  dangling.nodes[0].inputs[0] = 99;
  EXPECT_NE(fault_of(dangling).find("reads value 99"), std::string::npos) << fault_of(dangling);
  twice.nodes.push_back(twice.nodes[0]);
  EXPECT_NE(fault_of(twice).find("a second time"), std::string::npos) << fault_of(twice);
  unordered.nodes.clear();
  EXPECT_NE(fault_of(unordered).find("before it is defined"), std::string::npos) << fault_of(unordered);
  EXPECT_TRUE(verify_graph(unordered, GraphStage::kImported).ok());
  shapeless.value(shapeless.outputs[0]).shape_known = false;
  EXPECT_NE(fault_of(shapeless).find("shape is not known"), std::string::npos) << fault_of(shapeless);
  cut.value(cut.inputs[0]).bytes = shared_bytes("abc");
  EXPECT_NE(fault_of(cut).find("has 3 bytes; its shape takes 64"), std::string::npos) << fault_of(cut);
}

}  // namespace
}  // namespace hone::graph
