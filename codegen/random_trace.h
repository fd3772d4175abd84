// Random legal traces: what property tests draw from. Proposals that the schedule refuses are dropped, so every step of the result applies.
#pragma once
#include "base/rng.h"
#include "codegen/compile.h"

namespace hone {

schedule::Trace random_legal_trace(const te::Task& task, const target::Target& target, Rng& rng, int steps);

}  // namespace hone
