// From the text of a kernel, which is untrusted, to code of this process.
#pragma once
#include <memory>
#include <string_view>

#include "base/result.h"
#include "codegen/emit/llvm/native_jit.h"

namespace hone::native {

// Parses, verifies (types, scopes, bounds as far as intervals decide them, the host's limits) and compiles. Fails: validation_error for
// text that is no such kernel; unsupported, limit_exceeded as NativeKernel::create; compile_error when LLVM refuses.
Result<std::unique_ptr<emit::NativeKernel>> load_kernel(std::string_view text);

}  // namespace hone::native
