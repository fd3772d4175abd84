#include "server/agents/frames.h"

#include <gtest/gtest.h>

#include "schema/message.h"
#include "server/agents/limits.h"

namespace hone::server {
namespace {

TEST(Frames, BindingsSayTheirTextures) {
  // Given a launch that reads whole numbers from an array of textures and writes one that is no texture, when it becomes a frame, then the
  // first binding says its texture with the format of its element, and the other none.
  tuner::MeasureInput input;
  emit::LaunchSource launch;
  launch.bindings.push_back({.element = "ivec4", .bytes = 256, .texture = {.width = 4, .height = 2, .layers = 2}});
  launch.bindings.push_back({.writes = true, .element = "f32", .bytes = 64});
  input.source.launches.push_back(launch);
  const protocol::Candidate candidate = candidate_frame(input);
  ASSERT_EQ(candidate.launches.size(), 1u);
  const auto& bindings = candidate.launches[0].bindings;
  ASSERT_EQ(bindings.size(), 2u);
  ASSERT_TRUE(bindings[0].texture.has_value());
  EXPECT_EQ(bindings[0].texture->width, 4u);
  EXPECT_EQ(bindings[0].texture->height, 2u);
  EXPECT_EQ(bindings[0].texture->layers, 2u);
  EXPECT_EQ(bindings[0].texture->format, "rgba32i");
  EXPECT_FALSE(bindings[1].texture.has_value());
  EXPECT_TRUE(bindings[1].writes);
}

TEST(Frames, WhatRunsAheadSaysSo) {
  // Given a kernel of which one launch is ahead, when it becomes a frame, then that launch says so, and the other nothing.
  tuner::MeasureInput input;
  input.source.launches = {{.code = "a", .ahead = true}, {.code = "b"}};
  const protocol::Candidate candidate = candidate_frame(input);
  ASSERT_EQ(candidate.launches.size(), 2u);
  EXPECT_EQ(candidate.launches[0].ahead, true);
  EXPECT_FALSE(candidate.launches[1].ahead.has_value());
}

TEST(Frames, AnOutputMayHaveAnotherLayout) {
  // Given a kernel that wants its output in a layout of its own, when it becomes a frame, then the layout travels with the output's position.
  tuner::MeasureInput input;
  emit::ArgLayout wanted{.position = 2, .bytes = 100};
  wanted.layout.dims = {{.axis = 1, .div = 1, .size = 5}, {.axis = 0, .div = 1, .size = 5}};
  input.source.layouts.push_back(wanted);
  const protocol::Candidate candidate = candidate_frame(input);
  ASSERT_EQ(candidate.layouts.size(), 1u);
  EXPECT_EQ(candidate.layouts[0].position, 2u);
  EXPECT_EQ(candidate.layouts[0].dims, (std::vector<std::array<int64_t, 3>>{{1, 1, 5}, {0, 1, 5}}));
  EXPECT_EQ(candidate.layouts[0].bytes, 112u);
  EXPECT_FALSE(candidate.layouts[0].dtype);
  input.source.layouts[0].stored = ir::DType::kF16;
  EXPECT_EQ(candidate_frame(input).layouts[0].dtype, "f16");
}

TEST(Frames, ATaskOfTheMostSetsOfInputsFits) {
  // Given a task with as many sets of inputs as a reference has at most, when it is prepared, then an agent reads the frame.
  te::Task task;
  Expected expected;
  expected.sets.resize(emit::kInputSetsMax);
  expected.more_seeds.assign(emit::kInputSetsMax - 1, 1);
  const std::string text = protocol::encode(prepare_frame(task, expected, 1));
  const auto read = protocol::decode_text<protocol::SessionFromServer>(text, text.size());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(std::get<protocol::PrepareTask>(*read).more_inputs->size(), emit::kInputSetsMax - 1u);
}

TEST(Frames, AnOkWithFewerSamplesThanWereAskedForNeedsAReason) {
  // Given nine samples that were asked for, when an ok has fewer than half of them, then it has no time and is tried again, unless its candidate has lost
  // its race, took all the time that sampling may take, or ran in turns with others; with five it is as it came.
  const auto outcome = [](size_t samples, double device_ms, Asked asked) {
    asked.samples = 9;
    asked.target = "webgpu";
    protocol::CandidateResult result{.outcome = ErrorCode::kOk, .samples_us = std::vector<double>(samples, 100.0)};
    result.device_ms = device_ms;
    const tuner::MeasureResult out = measure_result(result, asked);
    EXPECT_EQ(out.outcome == ErrorCode::kOk, out.latency_us_median > 0);
    return out.outcome;
  };
  EXPECT_EQ(outcome(5, 20, {}), ErrorCode::kOk);
  EXPECT_EQ(outcome(4, 20, {}), ErrorCode::kUnstable);
  EXPECT_EQ(outcome(1, 20, {.best_so_far_us = 200}), ErrorCode::kUnstable) << "it says that it won";
  EXPECT_EQ(outcome(1, 20, {.best_so_far_us = 60}), ErrorCode::kOk);
  EXPECT_EQ(outcome(1, kSamplingMsMax, {}), ErrorCode::kOk);
  EXPECT_EQ(outcome(1, 20, {.in_turns = true}), ErrorCode::kOk);
  EXPECT_EQ(outcome(10, 20, {}), ErrorCode::kProtocolError);
}

TEST(Frames, ATaskSaysItsName) {
  // Given a task with a name, one with a name longer than a frame has room for, and one without, when they are prepared, then the first name is
  // there as it is, of the second its beginning within the schema's limit, and of the third nothing.
  te::Task task;
  task.name = "matmul 512x512x512";
  EXPECT_EQ(prepare_frame(task, {}, 1).name, "matmul 512x512x512");
  task.name = "add 4";
  for (int i = 0; i < 1000; ++i) task.name += " + add";
  const auto frame = prepare_frame(task, {}, 1);
  ASSERT_TRUE(frame.name.has_value());
  EXPECT_EQ(frame.name->substr(0, 12), "add 4 + add ");
  const std::string text = protocol::encode(frame);
  EXPECT_TRUE(protocol::decode_text<protocol::SessionFromServer>(text, text.size()).ok());
  task.name.clear();
  EXPECT_FALSE(prepare_frame(task, {}, 1).name.has_value());
}

}  // namespace
}  // namespace hone::server
