// The plans of a package: for each kind of kernels that browsers run one per class of devices that the records know, and portable ones; of native
// code one per level of instruction sets.
#pragma once
#include <string>
#include <vector>

#include "base/cancel.h"
#include "codegen/package/package_files.h"
#include "tuner/records/store.h"

namespace hone::cli {

struct PlansWanted {
  std::vector<target::Kind> kinds;
  std::vector<std::string> devices;  // keys; empty: all that a task of the model is tuned for
  uint64_t seed = 1;
  double tolerance = 0;     // 0: the tasks' own
  std::string native_name;  // what the symbols of native code begin with
};

// What a model's tasks have on one target.
struct PlannedFor {
  std::string made_for;
  std::string target;
  int tuned = 0, seed = 0, naive = 0;  // tasks
  int launches = 0;
  double recorded_ms = 0;  // of one run by the records; 0: some task has no time there
};

struct PackagePlans {
  std::vector<package::PackagedPlan> plans;  // portable ones last
  std::vector<package::NativePlan> native;   // one for each of target::cpu_levels, where native code is wanted
  std::vector<PlannedFor> about;             // of each plan, then of each native one
};

// graph: prepared. store: null where there are no records. Fails: as plan_model, with the target, and native_object; invalid_argument for a device that runs none
// of the kinds; cancelled.
Result<PackagePlans> package_plans(const graph::Graph& graph, tuner::RecordStore* store, const PlansWanted& wanted,
                                   const CancelToken* cancel = nullptr);

}  // namespace hone::cli
