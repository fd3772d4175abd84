#include "server/jobs/model_messages.h"

#include <gtest/gtest.h>

namespace hone::server {
namespace {

// y = Add(x, w), where w lies in the payload from byte 3 on.
graph::Graph some_graph(const SharedBytes& payload) {
  graph::Graph g;
  const auto x = g.add_value({.name = "x", .shape = {2}, .shape_known = true});
  const auto w = g.add_value({.name = "w", .shape = {2}, .shape_known = true, .constant = true, .bytes = shared_part(payload, payload->substr(3, 8))});
  const auto y = g.add_value({.name = "y", .shape = {2}, .shape_known = true});
  g.inputs = {x};
  g.outputs = {y};
  g.nodes.push_back({.op = "Add", .inputs = {x, w}, .outputs = {y}});
  return g;
}

SharedBytes written(const Result<graph::Graph>& answer, const SharedBytes& payload) {
  auto memory = std::move(make_memory("test")).value();
  EXPECT_TRUE(write_answer(memory.number(), answer, *payload).ok());
  return SharedMemory::seal(std::move(memory))->bytes();
}

TEST(ModelMessages, SayWhatIsAsked) {
  // Given a request, when it is written and read, then it says the same.
  ChildRequest asked{.work = ModelWork::kReference, .limits = {.memory_bytes = int64_t{1} << 40, .written_bytes = 5, .processor_s = 60}, .layers_max = 4};
  asked.job.kind = protocol::JobKind::kRun;
  asked.job.source.model_name = "m.onnx";
  asked.job.dims["N"] = 2;
  asked.job.target = "webgl";
  asked.job.seed = 7;
  asked.job.options = nlohmann::json{{"check", true}};
  const auto read = child_request(to_text(asked));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_text(*read), to_text(asked));
  EXPECT_EQ(read->work, ModelWork::kReference);
  EXPECT_EQ(read->limits.memory_bytes, int64_t{1} << 40);
  EXPECT_EQ(read->job.dims.at("N"), 2);
}

TEST(ModelMessages, AnswerWithAGraphOrAnError) {
  // Given a graph with a weight of the payload, and an error, when each is an answer, then it is read as it was, and the weight is in the payload still.
  const SharedBytes payload = shared_bytes("...01234567...");
  const auto graph = read_answer(written(some_graph(payload), payload), payload);
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  EXPECT_EQ(print_graph(*graph), print_graph(some_graph(payload)));
  EXPECT_EQ(graph->value(1).bytes->data(), payload->data() + 3);
  const auto error = read_answer(written(Error{ErrorCode::kBadModel, "it means nothing"}, payload), payload);
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.error().code, ErrorCode::kBadModel);
  EXPECT_EQ(error.error().message, "it means nothing");
}

TEST(ModelMessages, WhatIsNoAnswerIsABugAndNoMore) {
  // Given an answer of which any byte is another, or the end is missing, when it is read, then it is an error or a graph; text, nothing, and a cancel that nobody asked for are
  // internal errors.
  const SharedBytes payload = shared_bytes("...01234567...");
  const SharedBytes answer = written(some_graph(payload), payload);
  for (size_t i = 0; i < answer->size(); i++) {
    std::string other(*answer);
    other[i] = static_cast<char>(other[i] ^ 0x81);
    const auto flipped = read_answer(shared_bytes(other), payload), cut = read_answer(shared_bytes(std::string(answer->substr(0, i))), payload);
    EXPECT_TRUE(flipped.ok() || !flipped.error().message.empty() || i < 16) << i;
    EXPECT_FALSE(cut.ok()) << i;
  }
  for (const std::string& text : {std::string("this is a text, and longer than a head"), std::string()})
    EXPECT_EQ(read_answer(shared_bytes(text), payload).error().code, ErrorCode::kInternal) << text;
  EXPECT_EQ(read_answer(written(Error{ErrorCode::kCancelled, "so it says"}, payload), payload).error().code, ErrorCode::kInternal);
}

TEST(ModelMessages, OutputsAreConstantsOfAGraph) {
  // Given outputs, when they are made a graph, then they come out of it; an output that a node computes has no elements.
  const SharedBytes payload = shared_bytes("...01234567...");
  const auto outputs = outputs_of_graph(graph_of_outputs({{ir::DType::kF32, {1}, shared_bytes("abcd")}, {ir::DType::kU8, {0}, shared_bytes("")}}));
  ASSERT_TRUE(outputs.ok());
  ASSERT_EQ(outputs->size(), 2u);
  EXPECT_EQ(*(*outputs)[0].bytes, "abcd");
  EXPECT_EQ((*outputs)[1].shape, ir::Shape{0});
  EXPECT_EQ(outputs_of_graph(some_graph(payload)).error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace hone::server
