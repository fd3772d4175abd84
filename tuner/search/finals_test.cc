// How a search decides which of its leaders is the best.
#include <gtest/gtest.h>

#include <algorithm>

#include "tuner/search/tune_fixture.h"

namespace hone::tuner {
namespace {

class Finals : public ::testing::Test, protected TuneWorld {
 protected:
  // A record of an earlier run, at a moment when the agent's reference kernel took so long.
  void remember(int64_t number, double us, double reference_us) {
    store_->insert({.task_id = task_.id,
                    .device_key = "device-a",
                    .source_hash = {5, static_cast<uint64_t>(number)},
                    .trace_json = schedule::trace_to_json(trace_of(number)),
                    .origin = Origin::kSearch,
                    .outcome = ErrorCode::kOk,
                    .samples_us = std::vector<double>(9, us),
                    .latency_us_median = us,
                    .reference_us = reference_us});
  }
  void remember_usual_speed() {
    ASSERT_TRUE(store_->put_task({task_.id, task_.name, "text", 32}).ok());
    ASSERT_TRUE(store_->put_device({"device-a", "webgpu", "{}"}).ok());
    for (int64_t number = 500; number < 540; ++number) remember(number, 200 + static_cast<double>(number), 1000);
  }
  int measured(int64_t number) const {
    return static_cast<int>(
        std::count_if(measured_.begin(), measured_.end(), [=](const auto& m) { return m.first == number; }));
  }
};

// Given eight schedules within a tenth of each other, of which the fastest had bad luck when it was first timed, when tuned, then all of them are
// timed again in turns, those that stay behind fewer times, and the fastest is the best.
TEST_F(Finals, BadLuckCostsNobodyThePlace) {
  const auto true_us = [](int64_t number) {
    return number < 300 ? 400.0 : 100 + static_cast<double>(number - 300) / 2;
  };
  planner_ = [](const te::Task&) -> Result<Plan> {
    std::vector<schedule::Trace> seeds;
    for (int64_t number = 300; number < 312; ++number) seeds.push_back(trace_of(number));
    return Plan{trace_of(9000), seeds, std::make_unique<NumberStrategy>(1, 200)};
  };
  options_.trials_per_task = 12;
  const auto report = run([&](int64_t number, const MeasureInput& input) {
    return timed(number == 300 && !input.in_turns ? 103.4 : true_us(number), input);
  });
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->tasks[0].best_source.lo, 300u);
  EXPECT_DOUBLE_EQ(report->tasks[0].best_ms, 0.1);
  EXPECT_GT(measured(300), measured(307));
  EXPECT_EQ(measured(311), 1) << "the ninth fastest is none of the eight";
}

// Given a record whose device was 1.8 times as slow as usual then, which would be the fastest at its usual speed, when tuned, then it is timed again
// before anything is called the best.
TEST_F(Finals, WhatASlowDeviceSaidIsMeasuredAgain) {
  remember_usual_speed();
  remember(377, 180, 1800);
  remember(378, 130, 1000);
  ASSERT_TRUE(store_->flush().ok());
  const auto report = run(valley);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->tasks[0].best_source.lo, 377u);
  EXPECT_DOUBLE_EQ(report->tasks[0].best_ms, 0.1);
  EXPECT_GE(measured(377), 1);
  EXPECT_GE(measured(378), 1) << "beside its rival of before";
}

}  // namespace
}  // namespace hone::tuner
