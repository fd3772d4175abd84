#include <algorithm>

#include "base/cat.h"
#include "browser-agent/native/answer.h"
#include "browser-agent/opencl/cl_device.h"
#include "browser-agent/opencl/cl_error.h"
#include "codegen/emit/opencl/emit_opencl.h"

namespace hone::agent {

namespace {

constexpr int64_t kQueuedMax = 1 << 14;  // drivers keep each launch until it has run
constexpr size_t kLogBytesMax = 4096;

Error misfit(std::string message) { return {ErrorCode::kValidationError, std::move(message)}; }

std::string build_log(cl_program program, cl_device_id device) {
  size_t bytes = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  log = log.substr(0, log.find('\0'));
  return log.substr(0, kLogBytesMax);
}

// Events of the first and the last launch of a run.
class Span {
 public:
  ~Span() {
    for (cl_event event : {first, last})
      if (event) clReleaseEvent(event);
  }
  // 0 where the driver tells no time.
  int64_t ns() const {
    cl_ulong begin = 0, end = 0;
    const auto read = [](cl_event event, cl_profiling_info what, cl_ulong& time) {
      return event && clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) == CL_SUCCESS;
    };
    if (!read(first, CL_PROFILING_COMMAND_START, begin)) return 0;
    if (!read(last ? last : first, CL_PROFILING_COMMAND_END, end) || end <= begin) return 0;
    return static_cast<int64_t>(std::min<cl_ulong>(end - begin, INT64_MAX));
  }
  cl_event first = nullptr, last = nullptr;
};

}  // namespace

Result<std::shared_ptr<const ClProgram>> ClProgram::build(const ClDevice& device, const std::string& code) {
  const char* text = code.c_str();
  const size_t bytes = code.size();
  cl_int result = CL_SUCCESS;
  const cl_program id = clCreateProgramWithSource(device.context(), 1, &text, &bytes, &result);
  HONE_TRY(cl_status(result, "clCreateProgramWithSource"));
  std::shared_ptr<const ClProgram> program(new ClProgram(id));
  const cl_device_id on = device.id();
  result = clBuildProgram(id, 1, &on, device.build_options().c_str(), nullptr, nullptr);
  if (result == CL_BUILD_PROGRAM_FAILURE)
    return Error{ErrorCode::kCompileError, cat("the driver refuses the kernel: ", build_log(id, on))};
  HONE_TRY(cl_status(result, "clBuildProgram"));
  return program;
}

ClProgram::~ClProgram() { clReleaseProgram(id_); }

Result<std::unique_ptr<ClLaunch>> ClLaunch::create(const ClDevice& device, std::shared_ptr<const ClProgram> program,
                                                   std::vector<ClBinding> bindings, const std::vector<int64_t>& grid) {
  std::unique_ptr<ClLaunch> launch(new ClLaunch(device, std::move(program)));
  cl_int code = CL_SUCCESS;
  launch->kernel_ = clCreateKernel(launch->program_->id(), emit::kOpenClEntry, &code);
  if (code != CL_SUCCESS) return misfit(cat("the program has no kernel ", emit::kOpenClEntry));
  HONE_TRY(launch->bind(std::move(bindings)));
  HONE_TRY(launch->measure(grid));
  return launch;
}

ClLaunch::~ClLaunch() {
  if (kernel_) clReleaseKernel(kernel_);
}

Status ClLaunch::bind(std::vector<ClBinding> bindings) {
  cl_uint arguments = 0;
  HONE_TRY(cl_status(clGetKernelInfo(kernel_, CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr),
                     "clGetKernelInfo"));
  if (bindings.size() != arguments)
    return misfit(cat("the kernel takes ", arguments, " buffers, ", bindings.size(), " are given"));
  for (size_t i = 0; i < bindings.size(); i++) {
    const ClBinding& one = bindings[i];
    if (one.bytes > one.buffer->bytes())
      return misfit(cat("binding ", i, " declares ", one.bytes, " bytes, its buffer has ", one.buffer->bytes()));
    const auto same = [&](const ClBinding& b) { return b.buffer == one.buffer; };
    if (one.writes && std::count_if(bindings.begin(), bindings.end(), same) > 1)
      return misfit(cat("binding ", i, " is written, and its buffer is bound twice"));
    const cl_mem memory = one.buffer->memory();
    HONE_TRY(cl_status(clSetKernelArg(kernel_, static_cast<cl_uint>(i), sizeof memory, &memory), "clSetKernelArg"));
  }
  bindings_ = std::move(bindings);
  return ok_status();
}

// The work-group's size stands in the program.
Status ClLaunch::measure(const std::vector<int64_t>& grid) {
  HONE_TRY(cl_status(clGetKernelWorkGroupInfo(kernel_, device_.id(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof local_,
                                              local_, nullptr),
                     "clGetKernelWorkGroupInfo"));
  for (size_t d = 0; d < 3; d++) {
    const int64_t groups = d < grid.size() ? grid[d] : 1;
    if (local_[d] == 0 || groups < 1 || groups > INT32_MAX / static_cast<int64_t>(local_[d]))
      return misfit(cat("a launch of ", groups, " work-groups of ", local_[d], " along dimension ", d, " is none"));
    global_[d] = local_[d] * static_cast<size_t>(groups);
  }
  return ok_status();
}

Status ClLaunch::enqueue(cl_event* done) const {
  return cl_status(clEnqueueNDRangeKernel(device_.queue(), kernel_, 3, nullptr, global_, local_, 0, nullptr, done),
                   "clEnqueueNDRangeKernel");
}

Status ClLaunch::enqueue_group() const {
  return cl_status(clEnqueueNDRangeKernel(device_.queue(), kernel_, 3, nullptr, local_, local_, 0, nullptr, nullptr),
                   "clEnqueueNDRangeKernel");
}

Result<int64_t> run_ns(const ClDevice& device, const ClRow& row, size_t first, int64_t launches) {
  HONE_TRY(device.finish());  // uploads
  const auto started = native::SteadyClock::now();
  Span span;
  for (int64_t i = 0; i < launches; i++) {
    cl_event* const event = i == 0 ? &span.first : i + 1 == launches ? &span.last : nullptr;
    HONE_TRY(row[(first + static_cast<size_t>(i)) % row.size()]->enqueue(event));
    if (i % kQueuedMax == kQueuedMax - 1) HONE_TRY(device.finish());
  }
  HONE_TRY(device.finish());
  const int64_t passed_ns = native::ns(native::SteadyClock::now() - started), told_ns = span.ns();
  return told_ns > 0 && told_ns < passed_ns ? told_ns : passed_ns;
}

}  // namespace hone::agent
