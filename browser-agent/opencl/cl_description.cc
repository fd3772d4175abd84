#include "browser-agent/opencl/cl_description.h"

#include <algorithm>
#include <sstream>

#include "base/cat.h"
#include "browser-agent/native/answer.h"

namespace hone::agent {

namespace {

using nlohmann::json;

// device_target.cc reads them.
constexpr std::pair<const char*, cl_device_info> kClLimits[] = {
    {"MAX_WORK_GROUP_SIZE", CL_DEVICE_MAX_WORK_GROUP_SIZE},
    {"LOCAL_MEM_SIZE", CL_DEVICE_LOCAL_MEM_SIZE},
    {"MAX_PARAMETER_SIZE", CL_DEVICE_MAX_PARAMETER_SIZE},
    {"MAX_MEM_ALLOC_SIZE", CL_DEVICE_MAX_MEM_ALLOC_SIZE},
    {"MAX_COMPUTE_UNITS", CL_DEVICE_MAX_COMPUTE_UNITS},
    {"PREFERRED_VECTOR_WIDTH_FLOAT", CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT}};

const char* kind_of(const ClDevice& device) {
  const int64_t type = device.number(CL_DEVICE_TYPE);
  return type & CL_DEVICE_TYPE_GPU ? "gpu" : type & CL_DEVICE_TYPE_CPU ? "cpu" : "accelerator";
}

json limits_of(const ClDevice& device) {
  json limits = json::object();
  for (const auto& [name, what] : kClLimits) limits[name] = device.number(what);
  const std::vector<size_t> items = device.sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (size_t d = 0; d < std::min<size_t>(items.size(), 3); d++)
    limits[cat("MAX_WORK_ITEM_SIZE_", "XYZ"[d])] = items[d];
  return limits;
}

}  // namespace

json describe_cl(const ClDevice& device) {
  json features = json::array();
  std::istringstream extensions(device.text(CL_DEVICE_EXTENSIONS));
  for (std::string name; extensions >> name;) features.push_back(name);
  return {{"vendor", device.text(CL_DEVICE_VENDOR)},
          {"name", device.name()},
          {"platform", device.platform()},
          {"driver", device.text(CL_DRIVER_VERSION)},
          {"kind", kind_of(device)},
          {"features", std::move(features)},
          {"limits", limits_of(device)},
          {"clock_step_ns", std::max(native::clock_step_ns(), device.number(CL_DEVICE_PROFILING_TIMER_RESOLUTION))}};
}

}  // namespace hone::agent
