#include "server/jobs/launch_cost.h"

#include <gtest/gtest.h>

#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "tuner/search/planner.h"

namespace hone::server {
namespace {

emit::KernelSource with_launches(int ahead, int later) {
  emit::KernelSource source;
  for (int i = 0; i < ahead + later; ++i) source.launches.push_back({.ahead = i < ahead});
  return source;
}

TEST(LaunchCost, GivenLaunchesAheadWhenCountedThenThoseOfARunAreCountedAndTheFirstIsFree) {
  EXPECT_EQ(launches_of_run(with_launches(2, 3)), 3);
  EXPECT_EQ(in_model_us(100, with_launches(2, 3), 50), 200);
  EXPECT_EQ(in_model_us(100, with_launches(0, 1), 50), 100);
  EXPECT_EQ(in_model_us(100, with_launches(1, 0), 50), 100);
}

// A convolution and some of its seeds as what was measured.
struct Known {
  explicit Known(double launch_us) { target.launch_us = launch_us; }
  const schedule::Trace& seed_of(int launches) const {
    for (const schedule::Trace& seed : seeds)
      if (launches_of_run(compile_kernel(task, seed, target).value()) == launches) return seed;
    ADD_FAILURE() << "no seed has " << launches << " launches";
    return seeds[0];
  }
  void add(const std::string& trace_json, double latency_us) {
    trials.push_back(
        {.trace_json = trace_json, .outcome = ErrorCode::kOk, .latency_us = latency_us, .candidate = true});
  }
  const te::Task task = graph::task_from_spec("conv:1x16x16x16,16x16x3x3,pad=1,stride=1").value();
  target::Target target = target::webgpu_default();
  const std::vector<schedule::Trace> seeds = tuner::space_planner(target, 1)(task)->seeds;
  std::vector<tuner::KnownTrial> trials;
};

TEST(LaunchCost, GivenAFasterKernelOfMoreLaunchesWhenChosenThenItIsTheBestOnlyWhereLaunchesAreCheap) {
  for (const auto& [launch_us, launches] : {std::pair(20.0, 2), std::pair(40.0, 1)}) {
    Known known(launch_us);
    known.add(schedule::trace_to_json(known.seed_of(1)), 100);
    known.add(schedule::trace_to_json(known.seed_of(2)), 70);
    EXPECT_EQ(launches_of_run(best_in_model(known.trials, known.task, known.target)->source), launches) << launch_us;
  }
}

TEST(LaunchCost, GivenNothingThatIsOkAndCompilesWhenChosenThenThereIsNone) {
  Known known(50);
  EXPECT_FALSE(best_in_model(known.trials, known.task, known.target));
  known.add("[[\"no such step\"]]", 1);
  EXPECT_FALSE(best_in_model(known.trials, known.task, known.target));
  known.add(schedule::trace_to_json(known.seeds[0]), 100);
  EXPECT_EQ(best_in_model(known.trials, known.task, known.target)->trial.latency_us, 100);
  known.trials.erase(known.trials.begin());
  known.trials[0].candidate = false;  // the yardstick
  EXPECT_FALSE(best_in_model(known.trials, known.task, known.target));
}

}  // namespace
}  // namespace hone::server
