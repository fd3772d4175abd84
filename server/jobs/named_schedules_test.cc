#include "server/jobs/named_schedules.h"

#include <gtest/gtest.h>

#include "codegen/compile.h"
#include "codegen/graph/import.h"

namespace hone::server {
namespace {

class NamedSchedules : public ::testing::Test {
 protected:
  NamedSchedules() {
    seeds_ = planner_(task_)->seeds;
    for (size_t i = 0; i < 2; ++i) known_.push_back(trial_of(seeds_[i], 100 - static_cast<double>(i)));
  }
  tuner::KnownTrial trial_of(const schedule::Trace& trace, double us) const {
    return {.source_hash = compile_kernel(task_, trace, target_)->hash,
            .trace_json = schedule::trace_to_json(trace),
            .outcome = ErrorCode::kOk,
            .latency_us = us,
            .attempts = 2,
            .candidate = true};
  }
  Result<std::vector<NamedSchedule>> named(const std::vector<std::string>& names) const {
    return named_schedules(names, task_, known_, planner_, target_);
  }
  const te::Task task_ = graph::task_from_spec("matmul:64x64x64").value();
  const target::Target target_ = target::wasm_default();
  const tuner::Planner planner_ = tuner::space_planner(target_, 1);
  std::vector<schedule::Trace> seeds_;
  std::vector<tuner::KnownTrial> known_;
};

// Given two records, when schedules are named in each way, then each name means its source, in the order of the names; one source that has two names
// comes once, and what the records know gets its next attempt.
TEST_F(NamedSchedules, EachNameMeansItsSource) {
  const std::string first = known_[0].source_hash.hex();
  const auto all = named({"naive", "best", first.substr(0, 12), "seed"});
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 3u);
  EXPECT_EQ((*all)[0].name, "naive");
  EXPECT_EQ((*all)[0].attempt, 0);
  EXPECT_EQ((*all)[1].name, "best");
  EXPECT_EQ((*all)[1].source.hash, known_[1].source_hash);
  EXPECT_EQ((*all)[1].attempt, 2);
  EXPECT_EQ((*all)[2].name, first.substr(0, 12) + ", seed");
}

// Given names that mean nothing or too much, when asked for, then it is said which.
TEST_F(NamedSchedules, WhatIsNotThereIsSaid) {
  EXPECT_EQ(named({"ffffffffffff"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(named({""}).error().code, ErrorCode::kInvalidArgument);
  known_.clear();
  EXPECT_EQ(named({"best"}).error().code, ErrorCode::kNotFound);
  EXPECT_NE(named({"best"}).error().message.find("hone tune"), std::string::npos);
}

}  // namespace
}  // namespace hone::server
