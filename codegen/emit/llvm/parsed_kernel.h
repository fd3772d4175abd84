// Kernels as text, for the emitters' tests.
#pragma once
#include <string>

#include "base/check.h"
#include "codegen/ir/parser.h"

namespace hone::emit {

inline ir::Kernel parsed(const std::string& text) {
  auto kernel = ir::parse_kernel(text);
  CHECK(kernel.ok(), kernel.error().message);
  return *kernel;
}

}  // namespace hone::emit
