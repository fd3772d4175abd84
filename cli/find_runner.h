// Where the programs lie that run kernels without a browser (browser-agent/native/main.cc, browser-agent/opengl/main.cc).
#pragma once
#include <string>
#include <string_view>

#include "base/result.h"

namespace hone::cli {

// target: "native" or "opengl". HONE_NATIVE_RUNNER or HONE_OPENGL_RUNNER if set, else the first of
// <dir of the binary>/{hone_<target>_runner, ../libexec/hone/hone_<target>_runner}. Fails: not_found, with the remedy.
Result<std::string> find_runner(std::string_view target);

}  // namespace hone::cli
