// What a CPU lacks is removed here, so that the emitter only emits.
#pragma once
#include "base/result.h"
#include "codegen/ir/stmt.h"

namespace hone::emit {

/// exp, log, tanh and erf of f32 become arithmetic, of vectors and scalars alike (function_expansion.h); pow with a small whole literal
/// exponent becomes products. Fails: kUnsupported for buffers of f16 and bf16.
Result<ir::Kernel> raise_cpu(const ir::Kernel& kernel);

}  // namespace hone::emit
