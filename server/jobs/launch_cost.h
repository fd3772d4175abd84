// What a kernel costs a model: its own time, and what each of its launches costs beside (target::Target::launch_us).
#pragma once
#include <optional>
#include <vector>

#include "codegen/emit/kernel_source.h"
#include "codegen/target/target.h"
#include "codegen/te/task.h"
#include "tuner/records/store.h"

namespace hone::server {

inline constexpr size_t kCompiledMax = 32;  // schedules of one task, for a choice

int launches_of_run(const emit::KernelSource& source);  // those ahead run once

// latency_us: of all its launches. Every kernel has one launch: the further ones are counted.
double in_model_us(double latency_us, const emit::KernelSource& source, double launch_us);

struct BestInModel {
  tuner::KnownTrial trial;
  emit::KernelSource source;
};

// The candidate that costs a model least. Few are compiled: only those whose own time leaves them a chance. What does not compile is passed over: a
// browser may have had features that this one lacks. nullopt where none is ok and compiles.
std::optional<BestInModel> best_in_model(const std::vector<tuner::KnownTrial>& trials, const te::Task& task,
                                         const target::Target& target);

}  // namespace hone::server
