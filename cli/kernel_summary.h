// What a kernel asks of its device, in a few lines for people: what `hone compile` prints before the source or the loop IR.
#pragma once
#include <string>
#include <string_view>

#include "codegen/ir/stmt.h"
#include "codegen/schedule/trace.h"

namespace hone::cli {

// `kernel` is lowered to the end, `trace` the schedule behind it. Every line begins with `comment` ("//", "#") and ends with '\n': the number of
// launches and the bytes of the tensors; the schedule in words; then for each launch its grid, its threads, the tile of the output that each thread
// computes, the workgroup memory, and the registers that are declared (values without a name of their own are not counted).
std::string kernel_summary(const ir::Kernel& kernel, const schedule::Trace& trace, std::string_view comment);

}  // namespace hone::cli
