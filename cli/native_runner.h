// Where the program lies that compiles and runs native kernels (browser-agent/native/main.cc).
#pragma once
#include <string>

#include "base/result.h"

namespace hone::cli {

// HONE_NATIVE_RUNNER if set, else the first of <dir of the binary>/{hone_native_runner, ../libexec/hone/hone_native_runner}. Fails:
// not_found, with the remedy.
Result<std::string> find_native_runner();

}  // namespace hone::cli
