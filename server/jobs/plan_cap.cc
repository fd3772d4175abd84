#include "server/jobs/plan_cap.h"

#include <algorithm>
#include <vector>

#include "server/jobs/limits.h"

namespace hone::server {

namespace {

// How often a launch runs, as far as it is known: what a condition repeats counts once.
double runs_of(const package::ModelPlan& plan, int launch) {
  double runs = 1;
  for (const package::PlanLoop& loop : plan.loops)
    if (!loop.condition && loop.first <= launch && launch < loop.last) runs *= static_cast<double>(loop.trips);
  return runs;
}

double flops_of(const package::ModelPlan& plan) {
  std::vector<double> runs(plan.steps.size(), 1);
  if (!plan.loops.empty())
    for (size_t i = 0; i < plan.launches.size(); i++) runs[static_cast<size_t>(plan.launches[i].step)] = runs_of(plan, static_cast<int>(i));
  double flops = 0;
  for (size_t i = 0; i < plan.steps.size(); i++) flops += runs[i] * plan.steps[i].flops;
  return flops;
}

}  // namespace

double plan_cap_ms(const package::ModelPlan& plan, const PlanTiming& timing) {
  const double launches_ms = timing.launches ? kPlanCapMs : 0;
  const double timed_ms = timing.repeats > 0 ? kPlanCapPerTimedMs * timing.ms_max : 0;
  const double cap_ms = kPlanCapMs + kPlanCapMsPerKernel * static_cast<double>(plan.kernels.size()) + flops_of(plan) / (kPlanGflopsMin * 1e6) + launches_ms + timed_ms;
  return std::min(cap_ms, kPlanCapMsMax);
}

}  // namespace hone::server
