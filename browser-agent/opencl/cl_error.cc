#include "browser-agent/opencl/cl_error.h"

#include <CL/cl.h>

#include "base/cat.h"

namespace hone::agent {

namespace {

constexpr cl_int kNvidiaFault = -9999;  // a kernel touched memory that is none

ErrorCode meaning_of(cl_int code) {
  switch (code) {
    case CL_OUT_OF_HOST_MEMORY:
    case CL_OUT_OF_RESOURCES:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE:
      return ErrorCode::kOutOfMemory;
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_COMPILE_PROGRAM_FAILURE:
    case CL_LINK_PROGRAM_FAILURE:
      return ErrorCode::kCompileError;
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_INVALID_CONTEXT:
    case CL_INVALID_COMMAND_QUEUE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
    case kNvidiaFault:
      return ErrorCode::kDeviceLost;
    default:
      return ErrorCode::kValidationError;
  }
}

}  // namespace

Status cl_status(int code, std::string_view call) {
  if (code == CL_SUCCESS) return ok_status();
  return Error{meaning_of(code), cat("OpenCL's ", call, " fails with ", code)};
}

}  // namespace hone::agent
