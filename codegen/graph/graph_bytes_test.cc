#include "codegen/graph/graph_bytes.h"

#include <gtest/gtest.h>

#include "codegen/graph/extract_tasks.h"
#include "codegen/graph/onnx_import_models.h"
#include "codegen/graph/verify_graph.h"

namespace hone::graph {
namespace {

// Weights in the file, folded ones beside it, and each kind of attribute that imported models have.
Graph some_graph(const SharedBytes& file) {
  auto graph = graph_from_onnx(file, {});
  CHECK(graph.ok(), graph.error().message);
  CHECK(prepare_graph(*graph).ok());
  graph->nodes[0].attributes["texts"] = std::vector<std::string>{"a", ""};
  graph->nodes[0].attributes["reals"] = std::vector<double>{0.5, -1};
  graph->nodes[0].attributes["text"] = std::string("t");
  graph->nodes[0].attributes["tensor"] = from_doubles(DType::kF16, {2}, {1, 2});
  return *graph;
}

SharedBytes some_file() {
  return shared_bytes(model_bytes(
      input("x", dim(1) + dim(4) + dim(6) + dim(6)) + "initializer { name: 'w' data_type: 1 dims: [2, 4, 3, 3] raw_data: '" + std::string(288, 'w') + "' } " +
      weights("a", {2, 1, 1}, 1) + weights("b", {2, 1, 1}, 2) + node("Conv", {"x", "w"}, "c", "attribute { name: 'pads' type: INTS ints: [1, 1, 1, 1] } ") +
      node("Add", {"a", "b"}, "s") + node("Mul", {"c", "s"}, "m") + node("LeakyRelu", {"m"}, "y", "attribute { name: 'alpha' type: FLOAT f: 0.25 } ") + output("y")));
}

SharedBytes joined(const std::vector<SharedBytes>& parts) {
  std::string all;
  for (const SharedBytes& part : parts) all += *part;
  return shared_bytes(std::move(all));
}

TEST(GraphBytes, GiveTheSameGraphAndNoCopyOfTheFile) {
  // Given a prepared graph, when it is written and read again, then it is the same, what lay in the file lies there still, and only what was folded is listed.
  const SharedBytes file = some_file();
  const Graph graph = some_graph(file);
  const GraphBytes bytes = graph_to_bytes(graph, *file);
  const SharedBytes contents = joined(bytes.contents);
  const auto read = graph_from_bytes(bytes.structure, file, contents);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(print_graph(*read), print_graph(graph));
  const GraphBytes again = graph_to_bytes(*read, *file);
  EXPECT_EQ(again.structure, bytes.structure);
  EXPECT_EQ(*joined(again.contents), *contents);
  EXPECT_LT(contents->size(), 100u);
  int in_file = 0;
  for (const Value& v : read->values) in_file += v.bytes && v.bytes->data() >= file->data() && v.bytes->data() < file->data() + file->size();
  EXPECT_EQ(in_file, 1) << "the weights of the convolution, in the file's own bytes";
}

TEST(GraphBytes, OfAnybodyAreRefusedOrAGraph) {
  // Given the bytes of a graph, when they are cut off anywhere, go on behind their end, or any one byte is another, then they are refused with parse_error, or are
  // another graph that verify_graph accepts and of which tasks are made or refused.
  const SharedBytes file = some_file();
  const GraphBytes bytes = graph_to_bytes(some_graph(file), *file);
  const SharedBytes contents = joined(bytes.contents);
  const auto judge = [&](const std::string& structure) {
    const auto read = graph_from_bytes(structure, file, contents);
    if (read.ok()) return verify_graph(*read, GraphStage::kShaped).ok() && (extract_tasks(*read).ok() || true);
    return read.error().code == ErrorCode::kParseError && !read.error().message.empty();
  };
  for (size_t size = 0; size < bytes.structure.size(); size++) {
    EXPECT_TRUE(judge(bytes.structure.substr(0, size))) << size;
    EXPECT_FALSE(graph_from_bytes(bytes.structure.substr(0, size), file, contents).ok()) << size;
    for (const char flip : {'\x01', '\x40', '\x80', '\xff'}) {
      std::string other = bytes.structure;
      other[size] = static_cast<char>(other[size] ^ flip);
      EXPECT_TRUE(judge(other)) << size;
    }
  }
  EXPECT_FALSE(graph_from_bytes(bytes.structure + "x", file, contents).ok());
}

TEST(GraphBytes, WithoutWhatTheyReferToAreRefused) {
  // Given the bytes of a graph, when the file or the listed contents are shorter than the writer's, or are not there, then they are refused; with both they are read.
  const SharedBytes file = some_file();
  const GraphBytes bytes = graph_to_bytes(some_graph(file), *file);
  const SharedBytes contents = joined(bytes.contents), none = shared_bytes("");
  EXPECT_TRUE(graph_from_bytes(bytes.structure, file, contents).ok());
  EXPECT_FALSE(graph_from_bytes(bytes.structure, none, contents).ok());
  EXPECT_FALSE(graph_from_bytes(bytes.structure, file, none).ok());
  EXPECT_FALSE(graph_from_bytes(bytes.structure, file, nullptr).ok());
  EXPECT_FALSE(graph_from_bytes(bytes.structure, file, shared_bytes(std::string(contents->substr(1)))).ok());
}

TEST(GraphBytes, AnOutputThatIsNoneIsRefused) {
  // Given a graph that watches a value without an output that tells of it, or with an output far beyond its values, when it is read, then it is refused before anything looks there.
  for (const std::vector<ValueId>& outputs : {std::vector<ValueId>(), std::vector<ValueId>{1 << 30}}) {
    Graph graph;
    graph.outputs = outputs;
    graph.hidden_outputs = 1;
    graph.watched = {"x"};
    const auto read = graph_from_bytes(graph_to_bytes(graph, "").structure, nullptr, nullptr);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kParseError);
  }
}

TEST(GraphBytes, HoldWhatAnOutputIsWithoutANode) {
  // Given a graph of constants that are its outputs, as the results of a run are, when it is written and read again, then they are there.
  Graph graph;
  graph.outputs.push_back(graph.add_value({"y", DType::kF32, {2}, true, true, from_doubles(DType::kF32, {2}, {1, 2}).bytes}));
  const GraphBytes bytes = graph_to_bytes(graph, "");
  const auto read = graph_from_bytes(bytes.structure, nullptr, joined(bytes.contents));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read->value(read->outputs[0]).bytes, *graph.values[0].bytes);
}

}  // namespace
}  // namespace hone::graph
