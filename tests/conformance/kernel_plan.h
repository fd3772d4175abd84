// Kernels side by side as one plan for an agent: each with arguments of its own, all run by one frame.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/generated/protocol.h"
#include "server/compile/blob_store.h"
#include "tests/conformance/subject.h"

namespace hone::conformance {

struct PlannedKernel {
  std::string name;  // for people: subject and schedule
  std::shared_ptr<const Subject> subject;
  emit::KernelSource source;
};

struct KernelPlan {
  protocol::Execute frame;
  std::vector<server::BlobPtr> blobs;  // held while the agent may fetch them
};

// Outputs begin as the agent's poison, which it looks for afterwards; where a layout has pads, which nobody need write, as other NaN.
KernelPlan plan_of(std::span<const PlannedKernel> kernels, server::BlobStore& blobs);

// What is wrong with each kernel, given the outputs of the plan; "" if nothing is.
std::vector<std::string> faults_of(std::span<const PlannedKernel> kernels, std::string_view outputs);

}  // namespace hone::conformance
