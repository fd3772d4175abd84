// The runner's own small kernel, always the same work on one device, so that its time shows drift and nothing else: a chain of multiply-adds in
// registers, as in opengl/gl_reference.h.
#pragma once
#include "browser-agent/native/reference_work.h"
#include "browser-agent/opencl/cl_device.h"

namespace hone::agent {

class ClReference {
 public:
  // Runs it, so that the driver has everything that kernels need.
  static Result<std::unique_ptr<ClReference>> create(const ClDevice& device);
  // Nanoseconds of the first work (native/reference_work.h), by the fastest of `runs` rows of about a millisecond.
  Result<int64_t> run_ns(int runs) const;

 private:
  explicit ClReference(const ClDevice& device) : device_(device) {}

  Result<int64_t> row_ns() const;
  Status fit();

  const ClDevice& device_;
  ClRow row_;
  std::shared_ptr<ClBuffer> rounds_;
  ReferenceWork work_;
};

}  // namespace hone::agent
