// What a CPU lacks is removed here, so that the emitter only emits.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

/// For now only checks what the emitter can store.
/// Fails: kUnsupported for buffers of f16 and bf16.
Result<ir::Kernel> raise_cpu(const ir::Kernel& kernel);

}  // namespace hone::emit
