// What the device is, as the agent tells the service.
#pragma once
#include <nlohmann/json.hpp>

#include "browser-agent/opencl/cl_device.h"

namespace hone::agent {

// {"vendor", "name", "platform", "driver", "kind": gpu, accelerator or cpu, "features": the extensions, "limits": by OpenCL's names without
// CL_DEVICE_, "clock_step_ns"}.
nlohmann::json describe_cl(const ClDevice& device);

}  // namespace hone::agent
