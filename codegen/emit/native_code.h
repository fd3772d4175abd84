// NativeCode: kernels compiled ahead of time for one level of instruction sets, in one ELF object.
#pragma once
#include <string>
#include <vector>

#include "codegen/emit/kernel_source.h"

namespace hone::emit {

// A function of the object, `void symbol(void* const* args, int64_t begin, int64_t end)`. args: a pointer per binding, in order, to that buffer;
// where scratch_bytes is not 0, one more: that many bytes, aligned to 16, that no other call uses at the time. Runs iterations begin … end-1 of
// `extent`, in any split over threads. Buffers as in emit_wasm.h.
struct NativeLaunch {
  std::string symbol;
  int64_t extent = 1;
  std::vector<Binding> bindings;
  int64_t scratch_bytes = 0;
};

struct NativeKernelCode {
  std::vector<Binding> arguments;      // as emit_native tells them
  std::vector<NativeLaunch> launches;  // one after the other
  std::vector<Temp> temps;
};

struct NativeCode {
  std::string object;
  std::vector<NativeKernelCode> kernels;  // in the order in which they were given
};

}  // namespace hone::emit
