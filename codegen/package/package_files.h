// From plans to the files of a package (docs/packages.md): manifest.json, plans, kernels, weights, and what a web project wants to know of them;
// and C11 with objects for native code, beside the same weights.
// Needs no device, and touches no file itself.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "codegen/package/model_plan.h"
#include "codegen/package/native_program.h"
#include "codegen/target/target.h"
#include "schema/generated/manifest.h"

namespace hone::package {

// A plan and the class of devices that it is for.
struct PackagedPlan {
  ModelPlan plan;  // with Boundary::kPorts
  target::Target target;
  std::string made_for;                       // for people
  std::string vendor, architecture, browser;  // of the device that it was tuned on; empty: portable
  uint32_t tuned = 0;                         // tasks that a search has tuned for it
};

struct PackageOptions {
  std::string name;     // of the package; letters, digits and -. Native code has native_name of it
  std::string made_by;  // "hone 0.1.0"
  bool halves = false;  // f32 weights are kept as f16
  // Where the package is for several sizes of the model's open dimensions: those of this part, all of them, of the first part alone, and the part's
  // manifest.
  std::map<std::string, double> dims;
  std::vector<protocol::SizedManifest> sizes;
  std::string manifest_file = "manifest.json";
};

struct PackageFiles {
  protocol::Manifest manifest;               // of what browsers run, and all weights
  std::vector<int64_t> native_memory_bytes;  // of each native plan, on one thread
  std::map<std::string, std::string>
      files;  // by path; what browsers need is among them where `plans` are, and native/… where `native` are
};

// plans: those for devices of their own first. native: those of target::cpu_levels, in their order, or none; its symbols begin with
// native_name(options.name). Fails: as WeightStore::add and native_program; unsupported for a target that no browser runs.
Result<PackageFiles> package_files(const graph::Graph& graph, const std::vector<PackagedPlan>& plans,
                                   const PackageOptions& options, const std::vector<NativePlan>& native = {});

}  // namespace hone::package
