// A native kernel between guard pages.
#pragma once
#include <string>
#include <vector>

#include "codegen/emit/llvm/native_jit.h"
#include "tests/wasm/corpus.h"

namespace hone::conformance {

// Runs the kernel with its buffers' ends, then with their beginnings at guard pages (GuardedBuffer); its inputs can only be read. args: as
// stored, inputs then expected outputs. "" if the outputs are as expected and nothing else was written, else what is wrong.
std::string run_guarded(const emit::NativeKernel& native, const std::vector<ir::TensorValue>& args, size_t input_count,
                        const Tolerance& tolerance);

}  // namespace hone::conformance
