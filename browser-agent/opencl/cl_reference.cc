#include "browser-agent/opencl/cl_reference.h"

#include <algorithm>
#include <limits>

namespace hone::agent {

namespace {

constexpr const char* kReferenceCode = R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void run_kernel(__global float4* restrict result) {
  float4 a = (float4)((float)get_global_id(0) * 1e-6f);
  float4 b = a + 0.25f;
  for (int i = 0; i < 64; i++) {
    a = a * 0.999f + b;
    b = b * 0.998f + 0.001f;
    a = a * 0.997f - b;
    b = b * 0.996f + 0.002f;
  }
  result[get_global_id(0)] = a + b;
})";
constexpr int64_t kGroups = 32, kBytes = kGroups * 64 * 16;
constexpr int64_t kReferenceRowNs = 1'000'000, kReferenceRepeatsMax = 1000;

}  // namespace

Result<std::unique_ptr<ClReference>> ClReference::create(const ClDevice& device) {
  std::unique_ptr<ClReference> reference(new ClReference(device));
  HONE_ASSIGN(program, ClProgram::build(device, kReferenceCode));
  HONE_ASSIGN(result, ClBuffer::make(device, kBytes, 0));
  HONE_ASSIGN(launch, ClLaunch::create(device, program, {{result, true, kBytes}}, {kGroups}));
  reference->row_.push_back(std::move(launch));
  HONE_TRY(reference->run_ns(1));  // cold
  for (int step = 0; step < 3; step++) {
    HONE_ASSIGN(once_ns, reference->run_ns(1));
    reference->repeats_ = std::clamp<int64_t>(kReferenceRowNs / std::max<int64_t>(1, once_ns), 1, kReferenceRepeatsMax);
  }
  return reference;
}

Result<int64_t> ClReference::run_ns(int runs) const {
  int64_t fastest_ns = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < runs; i++) {
    HONE_ASSIGN(ns, agent::run_ns(device_, row_, 0, repeats_ * static_cast<int64_t>(row_.size())));
    fastest_ns = std::min(fastest_ns, ns);
  }
  return fastest_ns / repeats_;
}

}  // namespace hone::agent
