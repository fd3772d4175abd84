// What a driver's error code means.
#pragma once
#include <string_view>

#include "base/result.h"

namespace hone::agent {

// call: the function that returned it, "clFinish". Success is CL_SUCCESS. Fails: out_of_memory; compile_error; device_lost where the queue or
// the context is of no use any more; validation_error for whatever else.
Status cl_status(int code, std::string_view call);

}  // namespace hone::agent
