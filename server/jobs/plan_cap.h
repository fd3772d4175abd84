// How long a device may take for a model before it counts as hung.
#pragma once
#include <cstdint>

#include "codegen/package/model_plan.h"

namespace hone::server {

// How often a plan is run for its times, and for how long; whether each launch is timed by itself, too.
struct PlanTiming {
  uint32_t repeats = 0;
  double ms_max = 0;
  bool launches = false;
};

// [ms] for making the plan's memory and pipelines, its first run, and what is timed. Of a package's plan the arithmetic is not known, and counts nothing.
double plan_cap_ms(const package::ModelPlan& plan, const PlanTiming& timing);

}  // namespace hone::server
