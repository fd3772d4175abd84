// What a device must have to run a plan, in the words of fingerprints: names of the APIs.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "codegen/package/model_plan.h"
#include "codegen/target/target.h"

namespace hone::package {

struct PlanNeeds {
  std::vector<std::string> features;     // sorted
  std::map<std::string, double> limits;  // those only of which the plan needs more than every device of the kind has
};
// target: what the plan's kernels were made for.
PlanNeeds plan_needs(const ModelPlan& plan, const target::Target& target);

}  // namespace hone::package
