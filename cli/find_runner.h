// Where the programs lie that run kernels without a browser (main.cc in browser-agent/native, opengl and opencl).
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone::cli {

// target: "native", "opengl" or "opencl". HONE_NATIVE_RUNNER, HONE_OPENGL_RUNNER or HONE_OPENCL_RUNNER if set, else the first of
// <dir of the binary>/{hone_<target>_runner, ../libexec/hone/hone_<target>_runner}. Fails: not_found, with the remedy.
Result<std::string> find_runner(std::string_view target);

}  // namespace hone::cli
