#include "server/jobs/plan_cap.h"

#include "server/jobs/limits.h"

namespace hone::server {

double plan_cap_ms(const package::ModelPlan& plan, const PlanTiming& timing) {
  double flops = 0;
  for (const package::PlanStep& step : plan.steps) flops += step.flops;
  // Of what runs again a known number of times.
  for (const package::PlanLoop& loop : plan.loops)
    for (int i = loop.first; i < loop.last; i++)
      if (i == loop.first || plan.launches[static_cast<size_t>(i)].step != plan.launches[static_cast<size_t>(i - 1)].step)
        flops += static_cast<double>(loop.trips) * plan.steps[static_cast<size_t>(plan.launches[static_cast<size_t>(i)].step)].flops;
  const double launches_ms = timing.launches ? kPlanCapMs : 0;
  const double timed_ms = timing.repeats > 0 ? kPlanCapPerTimedMs * timing.ms_max : 0;
  return kPlanCapMs + kPlanCapMsPerKernel * static_cast<double>(plan.kernels.size()) + flops / (kPlanGflopsMin * 1e6) + launches_ms + timed_ms;
}

}  // namespace hone::server
