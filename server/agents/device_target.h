// What a connected device can do, as the compiler's Target.
#pragma once
#include "codegen/target/target.h"
#include "schema/generated/protocol.h"

namespace hone::server {

// Limits the fingerprint does not give keep the values that every device of the kind guarantees. Fails: unsupported for a kind that
// the compiler has no emitter for.
Result<target::Target> target_of(const protocol::Fingerprint& fingerprint);

}  // namespace hone::server
