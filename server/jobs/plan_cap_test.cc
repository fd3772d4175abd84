#include "server/jobs/plan_cap.h"

#include <gtest/gtest.h>

#include "server/jobs/limits.h"

namespace hone::server {
namespace {

package::ModelPlan plan_of(size_t kernels, double flops) {
  package::ModelPlan plan;
  plan.kernels.resize(kernels);
  plan.steps = {{.flops = flops / 4}, {.flops = 3 * flops / 4}};
  return plan;
}

TEST(PlanCap, GrowsWithPipelinesAndArithmetic) {
  // Given a plan without work, one of ten pipelines, and one of so many operations as the slowest device does in a minute, when their caps are
  // asked, then the first is that of any run, and the others have a pipeline's time for each of the ten, and the minute, more.
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan_of(0, 0), {}), kPlanCapMs);
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan_of(10, 0), {}), kPlanCapMs + 10 * kPlanCapMsPerKernel);
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan_of(0, 60e9 * kPlanGflopsMin), {}), kPlanCapMs + 60000);
}

TEST(PlanCap, CountsWhatLoopsRepeat) {
  // Given a step that runs 3 times in a loop that runs 5 times, and one beside, when the cap is asked, then the step's arithmetic counts 15 times; of 2⁴⁰ trips it is the longest that a
  // browser's timer waits, and what a condition repeats counts once.
  package::ModelPlan plan = plan_of(0, 4e9);
  plan.launches = {{.step = 0}, {.step = 1}};
  plan.loops = {{.first = 1, .last = 2, .trips = 5}, {.first = 1, .last = 2, .trips = 3}};
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan, {}), kPlanCapMs + (1e9 + 15 * 3e9) / (kPlanGflopsMin * 1e6));
  plan.loops[0].trips = int64_t{1} << 40;
  EXPECT_EQ(plan_cap_ms(plan, {}), kPlanCapMsMax);
  plan.loops = {{.first = 1, .last = 2, .condition = 0}};
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan, {}), kPlanCapMs + 4e9 / (kPlanGflopsMin * 1e6));
}

TEST(PlanCap, AUNetOnASoftwareAdapterIsNotHung) {
  // Given a U-Net of 256² (34 pipelines, 110 GFLOP), of which SwiftShader on two busy cores took more than 71 s, when its cap is asked, then it is more
  // than three times that.
  EXPECT_GT(plan_cap_ms(plan_of(34, 110e9), {}), 3 * 71000);
}

TEST(PlanCap, TimedRunsHaveTheirTime) {
  // Given a plan whose runs are timed for 5 s, and its launches as well, when the cap is asked, then it has more of it than without, and timed runs count only
  // where there are some.
  const package::ModelPlan plan = plan_of(1, 1e9);
  const double once_ms = plan_cap_ms(plan, {});
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan, {.ms_max = 5000}), once_ms);
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan, {.repeats = 3, .ms_max = 5000}), once_ms + kPlanCapPerTimedMs * 5000);
  EXPECT_DOUBLE_EQ(plan_cap_ms(plan, {.launches = true}), once_ms + kPlanCapMs);
}

}  // namespace
}  // namespace hone::server
