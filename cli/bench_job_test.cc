// Jobs that time a model, by the whole service in this process, with an agent that follows a script.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cli/relu_model.h"
#include "cli/service_world.h"

namespace hone::cli {
namespace {

protocol::JobRequest request_of(protocol::JobKind kind) {
  return {.kind = kind, .source = {.model_name = "m.onnx"}, .target = "webgpu", .trials = 4, .seed = 1};
}

struct BenchWorld : World {
  // Each run takes 2 ms, 1 ms of it in kernels, unless `fails` has the frame's number, from 0.
  explicit BenchWorld(std::set<size_t> fails = {}) {
    add_agent({.measure = always_good(), .execute = [this, fails](const protocol::Execute& frame) {
                 frames.push_back(frame);
                 protocol::Executed done{.create_ms = 5, .first_ms = 3};
                 if (fails.count(frames.size() - 1)) {
                   done.error = protocol::Failure{.code = ErrorCode::kTimeout, .message = "the model did not end"};
                   return done;
                 }
                 done.run_ms.assign(frame.repeats, 2);
                 done.kernel_ms.assign(frame.repeats, 1);
                 if (frame.time_launches.value_or(false)) done.launch_us.emplace(frame.launches.size(), 10);
                 return done;
               }});
  }
  // Times the model with all schedules, each five times.
  void bench(double time_s = 5) {
    protocol::JobRequest request = request_of(protocol::JobKind::kBench);
    request.options = nlohmann::json{
        {"repeats", 5}, {"schedules", {"best", "seed", "naive"}}, {"time_s", time_s}, {"launches", true}};
    finish(request);
  }
  void tune() { finish(request_of(protocol::JobKind::kTune)); }
  void finish(const protocol::JobRequest& request) {
    submit(request, kReluModel);
    CHECK(run_until([&] { return ended(); }), "the job does not end");
  }
  std::vector<protocol::Execute> frames;
};

std::string kernel_of(const protocol::Execute& frame) { return frame.kernels.at(0).sha256; }

TEST(BenchJob, TheSchedulesTakeTurns) {
  // Given a device without records, when a model is timed with all schedules, then they are executed in turns of which the second is reversed, each
  // has the runs that were asked for, and the device times the launches once.
  BenchWorld w;
  w.bench();
  ASSERT_TRUE(w.result) << w.failed->message;
  ASSERT_EQ(w.frames.size(), 6u);
  EXPECT_NE(kernel_of(w.frames[0]), kernel_of(w.frames[2]));
  for (size_t i = 0; i < 3; i++) {
    EXPECT_EQ(kernel_of(w.frames[i]), kernel_of(w.frames[5 - i]));
    EXPECT_EQ(w.frames[i].repeats + w.frames[5 - i].repeats, 5u);
    EXPECT_EQ(w.frames[i].timed_ms_max, 2500);
    EXPECT_FALSE(w.frames[i].time_launches);
    EXPECT_EQ(w.frames[5 - i].time_launches, true);
  }
  const auto& variants = (*w.result)["variants"];
  ASSERT_EQ(variants.size(), 3u);
  EXPECT_EQ(variants[0]["schedule"], "best");
  EXPECT_EQ(variants[2]["schedule"], "naive");
  EXPECT_EQ(variants[0]["schedules"], (nlohmann::json{{"tuned", 0}, {"seed", 1}, {"naive", 0}}));
  EXPECT_EQ(variants[2]["schedules"], (nlohmann::json{{"tuned", 0}, {"seed", 0}, {"naive", 1}}));
  for (const auto& variant : variants) {
    EXPECT_EQ(variant["skipped"], nullptr);
    EXPECT_EQ(variant["run_ms"].size(), 5u);
    EXPECT_EQ(variant["model_ms_p90"], 2);
    EXPECT_EQ(variant["host_share"], 0.5);
    EXPECT_EQ(variant["tasks"][0]["measured"], true);
    EXPECT_EQ(variant["tasks"][0]["us"], 10);
  }
}

TEST(BenchJob, WhatTheRecordsExpectToTakeTooLongIsLeftOut) {
  // Given records by which each kernel takes 100 µs, when the model is timed for 10 µs, then the best alone is run, its task counts as tuned by its
  // trials, and of the others it is said why they are not.
  BenchWorld w;
  w.tune();
  ASSERT_TRUE(w.result) << w.failed->message;
  const int trials = (*w.result)["tasks"][0]["trials"];
  w.bench(0.00001);
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ(w.frames.size(), 2u);
  const auto& variants = (*w.result)["variants"];
  EXPECT_EQ(variants[0]["schedules"]["tuned"], 1);
  EXPECT_EQ(variants[0]["trials"], trials);
  EXPECT_GT(variants[0]["run_ms"].size(), 0u);
  EXPECT_EQ(variants[2]["run_ms"].size(), 0u);
  EXPECT_EQ(variants[2]["skipped"], "one run takes about 100 µs, the time is 10.0 µs; give more with --time");
  EXPECT_EQ(variants[2]["tasks"][0]["us"], 100);
  EXPECT_EQ(variants[2]["tasks"][0]["measured"], false);
}

TEST(BenchJob, WhatHasUsedItsTimeIsNotRunAgain) {
  // Given a device without records on which a run takes 2 ms, when the model is timed for 3 ms with two runs each, then both turns are taken; for
  // 1 ms, the second is not.
  for (const auto& [time_s, turns] : std::map<double, size_t>{{0.003, 2}, {0.001, 1}}) {
    BenchWorld w;
    protocol::JobRequest request = request_of(protocol::JobKind::kBench);
    request.options = nlohmann::json{{"repeats", 2}, {"schedules", {"seed"}}, {"time_s", time_s}};
    w.finish(request);
    ASSERT_TRUE(w.result) << w.failed->message;
    EXPECT_EQ(w.frames.size(), turns);
    EXPECT_EQ((*w.result)["variants"][0]["run_ms"].size(), turns);
  }
}

TEST(BenchJob, AScheduleThatFailsCostsTheOthersNothing) {
  // Given a device on which the plain schedule does not end, when all are timed, then the others have their times, and of it there is the reason.
  BenchWorld w({2});
  w.bench();
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ(w.frames.size(), 5u);
  const auto& variants = (*w.result)["variants"];
  EXPECT_EQ(variants[0]["run_ms"].size(), 5u);
  EXPECT_EQ(variants[1]["run_ms"].size(), 5u);
  EXPECT_EQ(variants[2]["run_ms"].size(), 0u);
  EXPECT_NE(variants[2]["skipped"].get<std::string>().find("the model did not end"), std::string::npos);
}

TEST(BenchJob, WhereTheBestFailsTheJobDoes) {
  // Given a device on which the best schedule does not end, when all are timed, then the job fails with that reason.
  BenchWorld w({0});
  w.bench();
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kTimeout);
}

TEST(BenchJob, ARunTakesOneKindOfSchedules) {
  // Given a run with two kinds of schedules, when it is submitted, then it is refused; with the plain one, it runs with that.
  BenchWorld w;
  protocol::JobRequest request = request_of(protocol::JobKind::kRun);
  request.options = nlohmann::json{{"schedules", {"best", "naive"}}};
  w.finish(request);
  ASSERT_TRUE(w.failed);
  EXPECT_EQ(w.failed->code, ErrorCode::kInvalidArgument);
  request.options = nlohmann::json{{"schedules", {"naive"}}};
  w.finish(request);
  ASSERT_TRUE(w.result) << w.failed->message;
  EXPECT_EQ((*w.result)["schedules"]["naive"], 1);
}

}  // namespace
}  // namespace hone::cli
