#include "browser-agent/opencl/cl_device.h"

#include <algorithm>

#include "base/cat.h"
#include "browser-agent/opencl/cl_error.h"

namespace hone::agent {

namespace {

Error no_device(std::string what) { return {ErrorCode::kNoDevice, std::move(what)}; }

std::vector<cl_device_id> devices_of(cl_platform_id platform) {
  cl_uint count = 0;
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) != CL_SUCCESS) return {};
  std::vector<cl_device_id> devices(count);
  if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) != CL_SUCCESS) return {};
  return devices;
}

template <typename T>
T info(cl_device_id device, cl_device_info what) {
  T value{};
  clGetDeviceInfo(device, what, sizeof value, &value, nullptr);
  return value;
}

bool is_usable(cl_device_id device) {
  return info<cl_bool>(device, CL_DEVICE_AVAILABLE) && info<cl_bool>(device, CL_DEVICE_COMPILER_AVAILABLE) &&
         info<cl_bool>(device, CL_DEVICE_ENDIAN_LITTLE);
}

// GPUs before accelerators, these before processors.
int rank_of(cl_device_id device) {
  const auto type = info<cl_device_type>(device, CL_DEVICE_TYPE);
  return type & CL_DEVICE_TYPE_GPU ? 0 : type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

Result<cl_device_id> choose_device() {
  cl_uint count = 0;
  const cl_int found = clGetPlatformIDs(0, nullptr, &count);
  if (found != CL_SUCCESS || count == 0)
    return no_device("no OpenCL driver is installed (the loader finds no platform)");
  std::vector<cl_platform_id> platforms(count);
  clGetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<cl_device_id> usable;
  for (cl_platform_id platform : platforms)
    for (cl_device_id device : devices_of(platform))
      if (is_usable(device)) usable.push_back(device);
  if (usable.empty()) return no_device(cat("none of ", count, " OpenCL platforms has a device with a compiler"));
  return *std::min_element(usable.begin(), usable.end(),
                           [](cl_device_id a, cl_device_id b) { return rank_of(a) < rank_of(b); });
}

}  // namespace

Result<std::unique_ptr<ClDevice>> ClDevice::open() {
  HONE_ASSIGN(id, choose_device());
  std::unique_ptr<ClDevice> device(new ClDevice(id));
  const Status made = device->make_queue();
  if (!made.ok()) return no_device(cat("the device ", device->name(), " gives no queue: ", made.error().message));
  return device;
}

Status ClDevice::make_queue() {
  cl_int code = CL_SUCCESS;
  context_ = clCreateContext(nullptr, 1, &id_, nullptr, nullptr, &code);
  HONE_TRY(cl_status(code, "clCreateContext"));
  queue_ = clCreateCommandQueue(context_, id_, CL_QUEUE_PROFILING_ENABLE, &code);
  return cl_status(code, "clCreateCommandQueue");
}

ClDevice::~ClDevice() {
  if (queue_) clReleaseCommandQueue(queue_);
  if (context_) clReleaseContext(context_);
}

std::string ClDevice::text(cl_device_info what) const {
  size_t bytes = 0;
  if (clGetDeviceInfo(id_, what, 0, nullptr, &bytes) != CL_SUCCESS) return "";
  std::string text(bytes, '\0');
  if (clGetDeviceInfo(id_, what, bytes, text.data(), nullptr) != CL_SUCCESS) return "";
  return text.substr(0, text.find('\0'));
}

int64_t ClDevice::number(cl_device_info what) const {
  size_t bytes = 0;
  if (clGetDeviceInfo(id_, what, 0, nullptr, &bytes) != CL_SUCCESS) return 0;
  const auto clamped = [](uint64_t value) { return static_cast<int64_t>(std::min<uint64_t>(value, INT64_MAX)); };
  return clamped(bytes == sizeof(cl_uint) ? info<cl_uint>(id_, what) : info<cl_ulong>(id_, what));
}

std::vector<size_t> ClDevice::sizes(cl_device_info what) const {
  size_t bytes = 0;
  if (clGetDeviceInfo(id_, what, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<size_t> all(bytes / sizeof(size_t));
  clGetDeviceInfo(id_, what, bytes, all.data(), nullptr);
  return all;
}

std::string ClDevice::platform() const {
  char name[256] = "";
  clGetPlatformInfo(info<cl_platform_id>(id_, CL_DEVICE_PLATFORM), CL_PLATFORM_NAME, sizeof name, name, nullptr);
  return name;
}

std::string ClDevice::build_options() const {
  const bool divides = number(CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
  return cat("-w -cl-std=CL1.2", divides ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

target::Target ClDevice::target() const {
  target::Target target = target::opencl_target(number(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT));
  target::Limits& l = target.limits;
  const std::vector<size_t> items = sizes(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  int64_t* const along[] = {&l.workgroup_size_x_max, &l.workgroup_size_y_max, &l.workgroup_size_z_max};
  for (size_t d = 0; d < std::min(items.size(), std::size(along)); d++) *along[d] = static_cast<int64_t>(items[d]);
  l.invocations_max = std::min<int64_t>(number(CL_DEVICE_MAX_WORK_GROUP_SIZE), 1024);
  l.workgroup_bytes_max = std::min<int64_t>(number(CL_DEVICE_LOCAL_MEM_SIZE), 128 << 10);
  return target;
}

Status ClDevice::finish() const { return cl_status(clFinish(queue_), "clFinish"); }

}  // namespace hone::agent
