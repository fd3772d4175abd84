// Random legal traces for CPUs.
#pragma once
#include "base/rng.h"
#include "codegen/schedule/trace.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"

namespace hone {

// A random trace, and of each stage that is a launch the first loop that may be one bound to `core`.
schedule::Trace random_core_trace(const te::Task& task, const target::Target& target, Rng& rng);

}  // namespace hone
