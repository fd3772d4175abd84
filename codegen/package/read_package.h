// From the files of a package back to plans, for a service that runs them on its devices. Its files are untrusted: everything is checked here.
#pragma once
#include "codegen/package/archive.h"
#include "codegen/package/model_plan.h"
#include "schema/generated/manifest.h"

namespace hone::package {

struct OpenPackage {
  protocol::Manifest manifest;
  graph::Graph graph;                        // inputs, outputs and weights; no nodes
  std::vector<graph::ValueId> weights;       // per weight of the manifest
  Files files;
};

// Fails: bad_model with what is missing, altered or inconsistent; version_mismatch.
Result<OpenPackage> open_package(Files files);
// A plan of manifest.plans; all its launches are one step. Fails: bad_model.
Result<ModelPlan> read_plan(const OpenPackage& package, size_t plan);

}  // namespace hone::package
