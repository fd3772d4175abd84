// One run of a kernel by OpenCL, in this process.
#pragma once
#include <memory>
#include <string>

#include "browser-agent/native/work_folder.h"
#include "browser-agent/opencl/cl_device.h"
#include "tests/conformance/subject.h"

namespace hone::conformance {

// A device whose driver leaves nothing behind. The first one of a process.
struct OpenCl {
  std::unique_ptr<native::WorkFolder> folder;
  std::unique_ptr<agent::ClDevice> device;
  Arithmetic arithmetic() const;
};
Result<OpenCl> open_opencl();

// "" if the kernel's outputs are as expected and nothing beside its buffers was written. layouts: of the arguments. What nobody writes is NaN.
std::string run_on_cl(const agent::ClDevice& device, const emit::KernelSource& source,
                      const std::vector<ir::Layout>& layouts, const TaskValues& values, size_t input_count);

}  // namespace hone::conformance
