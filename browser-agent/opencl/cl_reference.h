// The runner's own small kernel, always the same work on one device, so that its time shows drift and nothing else: a chain of multiply-adds in
// registers, as in opengl/gl_reference.h.
#pragma once
#include "browser-agent/opencl/cl_device.h"

namespace hone::agent {

class ClReference {
 public:
  // Runs it, so that the driver has everything that kernels need.
  static Result<std::unique_ptr<ClReference>> create(const ClDevice& device);
  // Nanoseconds of one run, of the fastest of `runs` rows of about a millisecond: comparable between openings of one device.
  Result<int64_t> run_ns(int runs) const;

 private:
  explicit ClReference(const ClDevice& device) : device_(device) {}

  const ClDevice& device_;
  ClRow row_;
  int64_t repeats_ = 1;
};

}  // namespace hone::agent
