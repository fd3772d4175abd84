// What a handler throws ends what it was called for, never the process: libraries throw on what nobody foresaw, and memory may be short.
#pragma once
#include <functional>

#include "base/result.h"

namespace hone::net {

// Runs `work`. Where it throws: what it threw, logged, as kOutOfMemory or kInternal.
Status guarded(const std::function<void()>& work);

}  // namespace hone::net
