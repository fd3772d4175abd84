// The LLVM function of one launch, for the host's reference and for the WebAssembly and native targets.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace llvm {
class Module;
}

namespace hone::emit {

struct LaunchConfig {
  int index_bits = 64;  // width of `index` in registers, and of the entry's begin and end: that of a pointer
  // How a Mad of floats rounds. kRelaxed: WebAssembly's relaxed_madd where the type has it, else two roundings.
  enum class Mad : uint8_t { kTwoRoundings, kRelaxed, kFused } mad = Mad::kTwoRoundings;
  // Functions without an instruction of their own. kDouble: in f64, as the interpreter has them. kOwnType: libm's of the type, lane by
  // lane (expf, exp); two bytes wide types through f32.
  enum class Functions : uint8_t { kDouble, kOwnType } functions = Functions::kOwnType;
  // Where arrays lie that are no registers. kStack: in the frame. kArgument: in memory of the caller, behind the last buffer.
  enum class Arrays : uint8_t { kStack, kArgument } arrays = Arrays::kStack;
};

// The iterations that threads may share: of the launch's grid, or of its outermost `core` loop while that still stands; 1 without either.
int64_t shared_iterations(const ir::Launch& launch);

// What a CPU's launch cannot be: threads, or a grid of several dimensions. Fails: unsupported.
Status check_cpu_launch(const ir::Launch& launch);

/// Adds `void name(ptr args, int begin, int end)` to the module: iterations begin … end-1 of the launch's shared ones. args: a pointer per buffer of `buffers`, and with
/// Arrays::kArgument one more, aligned to 16, to memory of this call alone. Buffers are aligned to their scalars and do not overlap.
/// A masked load whose mask is false reads the buffer's first element and drops it, or nothing where there is none.
/// Needs: verify(kernel, kFlat), no vectorize or unroll loop, check_cpu_launch; buffers: all that the launch touches.
/// Returns the bytes of that memory, 0 if none.
int64_t emit_launch(llvm::Module& module, const ir::Kernel& kernel, const ir::Launch& launch,
                    const std::vector<ir::Buffer>& buffers, const std::string& name, const LaunchConfig& config);

}  // namespace hone::emit
