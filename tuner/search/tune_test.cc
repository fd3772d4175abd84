#include "tuner/search/tune_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include "base/cat.h"
#include "tuner/search/limits.h"

namespace hone::tuner {
namespace {

class TuneTest : public testing::Test, protected TuneWorld {};

TEST_F(TuneTest, FindsTheValleyAndReportsIt) {
  // Given a device with one best point that waits for a second candidate before it answers the first, when a task is tuned, then yardstick,
  // first legal seed and a better best are reported and stored.
  outstanding_first_ = 2;
  auto report = run(valley);
  ASSERT_TRUE(report.ok()) << report.error().message;
  const TaskReport& task = report->tasks[0];
  EXPECT_EQ(task.trials, 48);
  EXPECT_EQ(task.trials_new, 48);
  EXPECT_DOUBLE_EQ(task.naive_ms, (std::pow(9000 - 377, 2) + 100) / 1000);
  EXPECT_DOUBLE_EQ(task.seed_ms, (77 * 77 + 100) / 1000.0)
      << "the seed 13 does not build, so 300 is the first legal one";
  EXPECT_LT(task.best_ms, task.seed_ms / 3);
  EXPECT_GE(task.errors.at("illegal_schedule"), 1);
  EXPECT_EQ(progress_.last.errors, task.errors) << "the last word of the run and the report agree";
  EXPECT_FALSE(task.pairwise_accuracy.has_value()) << "nothing was predicted";
  EXPECT_GT(task.trials_to_95, 0);
  EXPECT_LE(task.trials_to_95, 48);
  EXPECT_DOUBLE_EQ(model_ms_before(*report), 3 * task.seed_ms);
  EXPECT_LE(outstanding_max_, 4) << "never above the runner's capacity";
  auto best = store_->best_for(task_.id, "device-a");
  ASSERT_TRUE(best.ok() && best->has_value());
  EXPECT_EQ((*best)->source_hash, task.best_source);
  EXPECT_EQ((*best)->sample_count, options_.samples_recheck) << "the best is measured again with more samples";
  EXPECT_EQ(progress_.last.trials_new, 48);
}

TEST_F(TuneTest, RecordsRememberPredictionsAndFeatures) {
  // Given a strategy that predicts and a plan that describes, when tuned, then every trial has its schedule's features, and each proposal its
  // prediction, which yardstick and seeds lack.
  options_.feature_version = 3;
  planner_ = [inner = planner()](const te::Task& task) -> Result<Plan> {
    HONE_ASSIGN(plan, inner(task));
    plan.strategy = std::make_unique<Predicting>(std::move(plan.strategy));
    plan.describe = [](const schedule::Trace& trace) { return std::vector{static_cast<float>(number_of(trace))}; };
    return std::move(plan);
  };
  auto report = run(valley);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->tasks[0].pairwise_accuracy, 1) << "the predictions are what is measured";
  EXPECT_GT(progress_.predicted, 40) << "and are told as they come";
  int proposals = 0;
  ASSERT_TRUE(store_
                  ->list({},
                         [&proposals](const Record& r) {
                           auto number = static_cast<float>(r.source_hash.lo);
                           EXPECT_TRUE(r.features == std::vector{number} || r.source_hash.lo == 3) << number;
                           EXPECT_EQ(r.feature_version, 3);
                           EXPECT_EQ(r.predicted_us > 0, r.origin == Origin::kSearch) << number;
                           proposals += r.origin == Origin::kSearch;
                           return ok_status();
                         })
                  .ok());
  EXPECT_GT(proposals, 40);
}

TEST_F(TuneTest, SameSeedSameSearch) {
  // Given the same seed and an empty store, when tuned twice on a device that answers out of order, then the same candidates are measured.
  std::set<std::pair<int64_t, int>> runs[2];
  for (int i : {0, 1}) {
    reopen(cat("run", i, ".db"));
    ASSERT_TRUE(run(valley).ok());
    runs[i] = {measured_.begin(), measured_.end()};
  }
  EXPECT_EQ(runs[0], runs[1]);
}

TEST_F(TuneTest, MeasuresASourceOnce) {
  // Given two traces with one source, when a space of ten points is exhausted, then each source is measured once and the search ends.
  auto report = run(valley, 10);
  ASSERT_TRUE(report.ok());
  std::map<int64_t, int> first_attempts;
  for (auto [number, attempt] : measured_) first_attempts[number] += attempt == 0;
  for (auto [number, count] : first_attempts) EXPECT_EQ(count, 1) << number;
  EXPECT_EQ(stored().count(2), 0u);
  EXPECT_EQ(report->tasks[0].trials, 10) << "1, 3…10 and the seed 300";
}

TEST_F(TuneTest, ResumesWhereItStopped) {
  // Given a run that was cancelled half way, when the command is repeated, then nothing known is measured again and the trials add up.
  progress_.on_each = [this](const TuneProgress& p) {
    if (p.trials_new == 20) cancel_.cancel();
  };
  auto first = run(valley);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->cancelled);
  auto before = stored();
  EXPECT_GE(before.size(), 20u);
  EXPECT_LT(before.size(), 48u);
  reopen();
  progress_.on_each = nullptr;
  CancelToken fresh;
  ScriptedRunner runner(valley);
  WorkerPool pool(2);
  auto second = tune({{&task_, 3}}, planner(), builder_, runner, *store_, options_, pool, progress_, fresh);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->tasks[0].trials, 48);
  EXPECT_EQ(second->tasks[0].trials_new, 48 - (static_cast<int>(before.size()) - 1))
      << "one stored source is the yardstick";
  for (auto [number, attempt] : runner.measured())
    EXPECT_TRUE(attempt > 0 || before.count(static_cast<uint64_t>(number)) == 0) << number;
  EXPECT_FALSE(second->cancelled);
  ScriptedRunner third_runner(valley);
  auto third = tune({{&task_, 3}}, planner(), builder_, third_runner, *store_, options_, pool, progress_, fresh);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third_runner.measured().size(), 0u) << "a finished search is answered from the records";
  EXPECT_EQ(third->tasks[0].best_ms, second->tasks[0].best_ms);
}

TEST_F(TuneTest, TimesOfAnotherStateOfTheCachesAreMeasuredAgainWhereTheyLead) {
  // Given a search whose candidates were measured hot, when the same is tuned as in a model, then its three fastest are in the first round,
  // whatever their hot times were, and records say in which state each was taken; the same once more measures nothing.
  const auto script = [this](int64_t number, const MeasureInput& input) {
    MeasureResult result = valley(number, input);
    result.cache = input.cache;
    EXPECT_EQ(input.cache, options_.cache);
    EXPECT_EQ(input.model_bytes, options_.model_bytes);
    return result;
  };
  ASSERT_TRUE(run(script).ok());
  std::vector<std::pair<double, Hash>> hot;
  for (const KnownTrial& trial : *store_->known_trials(task_.id, ScriptedRunner(script, 1).device_key()))
    if (trial.candidate && trial.latency_us > 0) hot.push_back({trial.latency_us, trial.source_hash});
  std::sort(hot.begin(), hot.end());
  ASSERT_GT(hot.size(), 10u);
  options_.cache = CacheState::kModel;
  options_.model_bytes = 1 << 20;
  ASSERT_TRUE(run(script).ok());
  constexpr size_t kFirstRound = 3 + 3 + 1;  // with the seeds and the yardstick
  ASSERT_GT(measured_.size(), kFirstRound);
  std::set<uint64_t> first;
  for (size_t i = 0; i < kFirstRound; ++i) first.insert(static_cast<uint64_t>(measured_[i].first));
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(first.count(hot[i].second.lo)) << hot[i].second.lo;
  EXPECT_EQ((*store_->best_for(task_.id, ScriptedRunner(script, 1).device_key()))->cache, CacheState::kModel);
  ASSERT_TRUE(run(script).ok());
  EXPECT_TRUE(measured_.empty());
}

TEST_F(TuneTest, FailuresAreDataAndRetriedOnlyWhereThatHelps) {
  // Given candidates that fail in each way, when tuned, then final outcomes are tried once, timeouts twice, and none of them gets a time.
  auto report = run([](int64_t number, const MeasureInput& input) {
    switch (number % 5) {
      case 0:
        return MeasureResult{.outcome = ErrorCode::kWrongOutput};
      case 1:
        return MeasureResult{.outcome = ErrorCode::kTimeout};
      case 2:
        return MeasureResult{.outcome = input.attempt == 0 ? ErrorCode::kDeviceLost : ErrorCode::kOk,
                             .samples_us = {500},
                             .latency_us_median = 500};
      default:
        return valley(number, input);
    }
  });
  ASSERT_TRUE(report.ok());
  auto known = store_->known_trials(task_.id, "device-a");
  ASSERT_TRUE(known.ok());
  int timeouts = 0, wrong = 0, lost = 0;
  for (const KnownTrial& trial : *known) {
    uint64_t kind = trial.source_hash.lo % 5;
    if (kind == 0) wrong += trial.attempts == 1 && trial.final && trial.latency_us == 0;
    if (kind == 1) timeouts += trial.attempts == 2 && trial.final && trial.latency_us == 0;
    if (kind == 2) lost += trial.attempts >= 2 && trial.outcome == ErrorCode::kOk;
  }
  EXPECT_GT(wrong, 1);
  EXPECT_GT(timeouts, 1);
  EXPECT_GT(lost, 1);
  EXPECT_EQ(report->tasks[0].errors.at("timeout"), timeouts);
  EXPECT_EQ(report->tasks[0].seed_ms, 0.1 + 374 * 374 / 1000.0) << "300 gives a wrong output, so the seed is 3";
}

TEST_F(TuneTest, TheWatchdogIsToldWhatAKernelMayTake) {
  // Given a search, when its candidates are measured, then those of the search come with the yardstick's time, and those that are measured
  // again with their own.
  std::mutex mutex;
  int searched = 0, repeated = 0;
  auto report = run([&](int64_t number, const MeasureInput& input) {
    std::lock_guard lock(mutex);
    const double own_us = valley(number, input).latency_us_median;
    const bool recheck = input.samples_wanted > 3;
    if (recheck && number != 9000) repeated += input.predicted_us == own_us;
    if (input.best_so_far_us > 0) searched += input.predicted_us == std::pow(9000.0 - 377, 2) + 100;
    return valley(number, input);
  });
  ASSERT_TRUE(report.ok());
  EXPECT_GE(repeated, 3);
  EXPECT_GE(searched, 1);
}

TEST_F(TuneTest, FinalistsAreSubmittedInOneGo) {
  // Given two tasks whose rounds overlap, when their fastest candidates are measured again, then those of one task are submitted one after
  // the other, and only when the runner has room for all of them.
  te::Task other = small_task("other", 32);
  ScriptedRunner runner(valley);
  WorkerPool pool(2);
  ASSERT_TRUE(
      tune({{&task_, 1}, {&other, 1}}, planner(), builder_, runner, *store_, options_, pool, progress_, cancel_).ok());
  auto submitted = runner.submitted();
  int heats = 0;
  for (auto first = submitted.begin(); first != submitted.end();) {
    auto last =
        std::find_if(first, submitted.end(), [&](const auto& s) { return s.task != first->task || !s.in_turns; });
    if (!first->in_turns) {
      ++first;
      continue;
    }
    ++heats;
    EXPECT_LE(first->outstanding + (last - first), runner.capacity());
    EXPECT_GE(last - first, 2);
    first = last;
  }
  EXPECT_GE(heats, 2);
}

TEST_F(TuneTest, NoTaskIsSlowerThanItsSeed) {
  // Given a device where the first sample of each candidate lies but the recheck is honest, when tuned, then best is not above seed.
  auto report = run([](int64_t number, const MeasureInput& input) {
    bool recheck = input.samples_wanted > 3;
    return timed(number == 300 ? 100 : recheck ? 200 : 90 + static_cast<double>(number % 7), input);
  });
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report->tasks[0].best_ms, report->tasks[0].seed_ms);
}

TEST_F(TuneTest, ATimeOfAQuieterMomentDoesNotWin) {
  // Given a device that is half as fast when leaders are measured again, and unstable for some of them, when tuned, then none of these is best
  // for its time of before, neither in the report nor in the store.
  auto report = run([](int64_t number, const MeasureInput& input) {
    const bool recheck = input.samples_wanted > 3;
    MeasureResult result = timed((90 + static_cast<double>(number % 7)) * (recheck ? 2 : 1), input);
    if (recheck && number % 7 < 3) result.outcome = ErrorCode::kUnstable;
    return result;
  });
  ASSERT_TRUE(report.ok());
  const TaskReport& task = report->tasks[0];
  EXPECT_GE(task.best_ms, 0.180);
  EXPECT_LE(task.best_ms, task.seed_ms);
  auto best = store_->best_for(task_.id, "device-a");
  ASSERT_TRUE(best.ok() && best->has_value());
  EXPECT_EQ((*best)->source_hash, task.best_source);
  EXPECT_DOUBLE_EQ((*best)->latency_us, task.best_ms * 1000);
}

TEST_F(TuneTest, ASecondRunMeasuresNothingHoweverManyLeadersFell) {
  // Given a device on which every leader but the seed falls when it is measured again, when tuned twice, then the first run goes on until its
  // best is well founded, and the second has nothing to measure.
  auto falls = [](int64_t number, const MeasureInput& input) {
    bool recheck = input.samples_wanted > 3;
    return timed(number == 300 ? 100 : recheck ? 200 : 90 + static_cast<double>(number % 7), input);
  };
  ASSERT_TRUE(run(falls).ok());
  int measured = 0;
  auto again = run([&](int64_t number, const MeasureInput& input) {
    ++measured;
    return falls(number, input);
  });
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(measured, 0);
  EXPECT_DOUBLE_EQ(again->tasks[0].best_ms, 0.1);
}

TEST_F(TuneTest, SeveralTasksShareTheTime) {
  // Given a heavy and a light task and time for a part of the trials, when tuned, then both are measured and the heavy one has more trials.
  te::Task light = small_task("light", 32);
  double clock_s = 0;
  options_.now_s = [&clock_s] { return clock_s; };
  options_.time_s_max = 240;
  progress_.on_each = [&clock_s](const TuneProgress&) { clock_s += 1; };
  ScriptedRunner runner(valley);
  WorkerPool pool(2);
  options_.trials_per_task = 500;
  auto report =
      tune({{&task_, 5}, {&light, 1}}, planner(), builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->tasks[1].best_ms, 0);
  EXPECT_GT(report->tasks[0].trials, report->tasks[1].trials);
  EXPECT_LT(report->trials, 300);
  EXPECT_EQ(report->stopped_because, "the time limit of 240 s was reached");
}

TEST_F(TuneTest, WhatTheTimeDoesNotReachIsNamed) {
  // Given a heavy task, light ones and little time, when tuned, then the heavy one is measured, the light ones that were not entered are named
  // as not measured, and the model's sums claim nothing.
  std::vector<te::Task> light;
  for (int i = 0; i < 6; ++i) light.push_back(small_task(cat("light", i), 32 << i));
  std::vector<WeightedTask> tasks{{&task_, 10000000}};
  for (const te::Task& task : light) tasks.push_back({&task, 1});
  double clock_s = 0;
  options_.now_s = [&clock_s] { return clock_s; };
  options_.time_s_max = 20;
  progress_.on_each = [&clock_s](const TuneProgress& p) { clock_s += p.waits_for.empty() ? 1 : 0; };
  ScriptedRunner runner(valley);
  WorkerPool pool(2);
  options_.trials_per_task = 500;
  auto report = tune(tasks, planner(), builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report->tasks[0].trials, 8);
  EXPECT_GT(report->tasks[0].best_ms, 0);
  EXPECT_EQ(
      report->stopped_because,
      "the time limit of 20 s was reached; tasks that were not measured: 6 of 7; a longer --time reaches more of them");
  EXPECT_EQ(model_ms_after(*report), 0);
}

TEST_F(TuneTest, TheTimeIsABound) {
  // Given a device that needs a second for each candidate, when the time is over, then nothing more is searched and the search ends in time.
  double clock_s = 0;
  options_.now_s = [&clock_s] { return clock_s; };
  options_.time_s_max = 30;
  options_.time_s_spent = 10;
  std::mutex mutex;
  ScriptedRunner runner([&](int64_t number, const MeasureInput& input) {
    std::lock_guard lock(mutex);
    MeasureResult result = valley(number, input);
    result.device_ms = 1000;
    return result;
  });
  progress_.on_each = [&clock_s](const TuneProgress& p) { clock_s += p.waits_for.empty() ? 1 : 0; };
  WorkerPool pool(2);
  options_.trials_per_task = 500;
  auto report = tune({{&task_, 1}}, planner(), builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok());
  EXPECT_LE(report->wall_s, 20 + runner.capacity())
      << "ten of the thirty seconds were spent before; the clock goes on with each answer";
  EXPECT_GE(report->trials, 8);
  EXPECT_GT(report->tasks[0].best_ms, 0);
  EXPECT_EQ(report->stopped_because, "the time limit of 30 s was reached");
}

TEST_F(TuneTest, AFailureWhileATaskIsEnteredWaitsForAllThatIsOutstanding) {
  // Given a device with results of one task under way, when memory runs out as another task is entered, then the search ends with that, and waits
  // neither for ever nor too little.
  std::vector<te::Task> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(small_task(cat("task", i), 32 << i));
  std::vector<WeightedTask> weighted;
  for (const te::Task& task : tasks) weighted.push_back({&task, 1});
  for (int fails_at = 1; fails_at <= 6; ++fails_at) {
    reopen(cat("fails", fails_at, ".db"));
    int planned = 0;
    Planner plan = [&](const te::Task& task) -> Result<Plan> {
      if (++planned == fails_at) throw std::bad_alloc();
      return planner(40)(task);
    };
    ScriptedRunner runner(valley);
    WorkerPool pool(2);
    auto report = tune(weighted, plan, builder_, runner, *store_, options_, pool, progress_, cancel_);
    ASSERT_FALSE(report.ok()) << fails_at;
    EXPECT_EQ(report.error().code, ErrorCode::kOutOfMemory);
  }
}

TEST_F(TuneTest, ATaskWithoutAScheduleDoesNotHoldUpTheOthers) {
  // Given two tasks of which the compiler refuses one, when tuned, then the other has its trials and the refusal is in the report; alone it is
  // the search's failure.
  te::Task refused = small_task("refused", 1 << 20);
  Planner plan = [&](const te::Task& task) -> Result<Plan> {
    if (&task == &refused) return Error{ErrorCode::kLimitExceeded, "too large for this device"};
    return planner()(task);
  };
  ScriptedRunner runner(valley);
  WorkerPool pool(2);
  auto report = tune({{&refused, 1}, {&task_, 1}}, plan, builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->tasks[0].refusal, "too large for this device");
  EXPECT_EQ(report->tasks[1].trials, 48);
  auto alone = tune({{&refused, 1}}, plan, builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.error().code, ErrorCode::kLimitExceeded);
}

// Takes all and answers nothing until it is cancelled.
class MuteRunner final : public Runner {
 public:
  void submit(MeasureInput input, OnResult on_result) override {
    taken_.push_back({input.trial_id, std::move(on_result)});
  }
  int capacity() const override { return 4; }
  std::string device_key() const override { return "device-a"; }
  void cancel() override {
    for (auto& [trial, on_result] : std::exchange(taken_, {}))
      on_result({.trial_id = trial, .outcome = ErrorCode::kCancelled});
  }

 private:
  std::vector<std::pair<uint64_t, OnResult>> taken_;  // the search's thread
};

TEST_F(TuneTest, ADeviceThatAnswersNothingHoldsTheJobNoLongerThanItsTime) {
  // Given a device that takes candidates and answers none, when the time is over, then the search ends and says so; until then it says what it
  // waits for, and for how long.
  double clock_s = 0;
  options_.now_s = [&clock_s] { return clock_s += 0.25; };
  options_.time_s_max = 10;
  std::string waited_for;
  double waited_s = 0;
  progress_.on_each = [&](const TuneProgress& p) {
    waited_for = p.waits_for;
    waited_s = p.waited_s;
  };
  MuteRunner runner;
  WorkerPool pool(1);
  auto report = tune({{&task_, 1}}, planner(), builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(
      report->stopped_because,
      "the time limit of 10 s was reached; tasks that were not measured: 1 of 1; a longer --time reaches more of them");
  EXPECT_EQ(waited_for, "a kernel");
  EXPECT_GT(waited_s, 5);
}

TEST_F(TuneTest, ACancelIsHeardWhileTasksArePlanned) {
  // Given two tasks, when the search is cancelled while the first is planned, then the second is not, and nothing is measured.
  te::Task second = small_task("second", 32);
  int planned = 0;
  Planner plan = [&](const te::Task& task) -> Result<Plan> {
    ++planned;
    cancel_.cancel();
    return planner()(task);
  };
  ScriptedRunner runner(valley);
  WorkerPool pool(1);
  auto report = tune({{&task_, 1}, {&second, 1}}, plan, builder_, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->cancelled);
  EXPECT_EQ(planned, 1);
  EXPECT_TRUE(runner.measured().empty());
}

TEST_F(TuneTest, AServiceThatCannotMeasureEndsTheSearch) {
  // Given a service that has no memory for a reference, when a candidate is answered with that, then the search ends with it, and nothing
  // is recorded of the candidate.
  auto report = run([](int64_t, const MeasureInput&) {
    return MeasureResult{.ends_search = true, .outcome = ErrorCode::kOutOfMemory, .message = "no memory"};
  });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kOutOfMemory);
  EXPECT_TRUE(stored().empty());
}

TEST_F(TuneTest, WhatABuildThrowsIsItsResult) {
  // Given a compiler that finds no memory for each candidate but the yardstick, when tuned, then the search ends with a report.
  struct Hungry : Builder {
    Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) override {
      if (number_of(trace) != 9000) throw std::bad_alloc();
      return NumberBuilder().build(task, trace);
    }
  } hungry;
  ScriptedRunner runner(valley);
  WorkerPool pool(2);
  auto report = tune({{&task_, 1}}, planner(40), hungry, runner, *store_, options_, pool, progress_, cancel_);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(runner.measured().size(), 1u);
}

TEST_F(TuneTest, ALostDeviceEndsTheSearchWithASentence) {
  // Given an agent that is gone for good, when tuned, then the search fails with no_device and tells how to go on.
  auto report = run([](int64_t, const MeasureInput&) { return MeasureResult{.outcome = ErrorCode::kAgentGone}; });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kNoDevice);
}

TEST_F(TuneTest, AnAgentThatLeavesUnderTheLastMeasurementsLosesThemAlone) {
  // Given an agent that is gone whenever the fastest candidates are measured again, when tuned, then the search ends with what was found before.
  auto report = run([](int64_t number, const MeasureInput& input) {
    return input.in_turns ? MeasureResult{.outcome = ErrorCode::kAgentGone} : valley(number, input);
  });
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_GT(model_ms_after(*report), 0);
}

TEST_F(TuneTest, AFullDiskEndsTheSearchWithASentence) {
  // Given a database that may not grow, when tuned, then the search stops with disk_full and what was acknowledged is kept.
  constexpr int64_t kPageBytes = 4096, kRoomPages = 8;
  const std::string path = folder_ / "small.db";
  store_ = open_record_store({.where = path}).value();
  store_.reset();
  const auto empty_pages = static_cast<int64_t>(std::filesystem::file_size(path)) / kPageBytes;
  auto store = open_record_store({.where = path, .pages_max = empty_pages + kRoomPages});
  ASSERT_TRUE(store.ok());
  store_ = std::move(*store);
  options_.trials_per_task = 5000;
  options_.compiler_version = std::string(2000, 'v');
  auto report = run(valley, 100000);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().code, ErrorCode::kDiskFull);
  EXPECT_GT(stored().size(), 0u);
}

TEST_F(TuneTest, ReportIsTheObjectOfTheManual) {
  // Given a report, when written as JSON, then it has exactly the manual's keys, and more only where they are documented.
  auto report = run(valley);
  ASSERT_TRUE(report.ok());
  options_.fingerprint_json = R"({"vendor":"x"})";
  nlohmann::ordered_json json = to_json(*report);
  for (const char* key : {"job", "device", "target", "tasks", "trials", "trials_per_second", "wall_s", "model_ms_naive",
                          "model_ms_before", "model_ms_after"})
    EXPECT_TRUE(json.contains(key)) << key;
  for (const char* key : {"id", "op", "shape", "weight", "trials", "errors", "naive_ms", "seed_ms", "best_ms", "gflops",
                          "trials_to_95", "pairwise_accuracy"})
    EXPECT_TRUE(json["tasks"][0].contains(key)) << key;
  EXPECT_EQ(json["device"]["key"], "device-a");
  EXPECT_EQ(json["tasks"][0]["shape"], "16");
}

}  // namespace
}  // namespace hone::tuner
