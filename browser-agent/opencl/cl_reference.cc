#include "browser-agent/opencl/cl_reference.h"

#include <algorithm>
#include <limits>

namespace hone::agent {

namespace {

constexpr const char* kReferenceCode = R"(
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void run_kernel(__global const int* restrict rounds, __global float4* restrict result) {
  float4 a = (float4)((float)get_global_id(0) * 1e-6f);
  float4 b = a + 0.25f;
  for (int i = 0; i < *rounds; i++) {
    a = a * 0.999f + b;
    b = b * 0.998f + 0.001f;
    a = a * 0.997f - b;
    b = b * 0.996f + 0.002f;
  }
  result[get_global_id(0)] = a + b;
})";
constexpr int64_t kGroup = 64, kBytes = ReferenceWork::kThreads * 16;

}  // namespace

Result<std::unique_ptr<ClReference>> ClReference::create(const ClDevice& device) {
  std::unique_ptr<ClReference> reference(new ClReference(device));
  HONE_ASSIGN(program, ClProgram::build(device, kReferenceCode));
  HONE_ASSIGN(result, ClBuffer::make(device, kBytes, 0));
  HONE_ASSIGN(rounds, ClBuffer::make(device, sizeof(int32_t), static_cast<uint32_t>(reference->work_.rounds)));
  reference->rounds_ = rounds;
  HONE_ASSIGN(launch, ClLaunch::create(device, program, {{rounds, false, sizeof(int32_t)}, {result, true, kBytes}}, {ReferenceWork::kThreads / kGroup}));
  reference->row_.push_back(std::move(launch));
  HONE_TRY(reference->row_ns());  // cold
  for (int step = 0; step < 3; step++) HONE_TRY(reference->fit());
  return reference;
}

Status ClReference::fit() {
  HONE_ASSIGN(ns, row_ns());
  work_.fit(ns);
  return rounds_->fill(static_cast<uint32_t>(work_.rounds));
}

Result<int64_t> ClReference::run_ns(int runs) const {
  int64_t fastest_ns = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < runs; i++) {
    HONE_ASSIGN(ns, row_ns());
    fastest_ns = std::min(fastest_ns, ns);
  }
  return work_.first_ns(fastest_ns);
}

Result<int64_t> ClReference::row_ns() const { return agent::run_ns(device_, row_, 0, work_.launches * static_cast<int64_t>(row_.size())); }

}  // namespace hone::agent
