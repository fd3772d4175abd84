// JobCounts: what the jobs of one service have done since it started, for whoever watches it.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>

#include "base/histogram.h"
#include "base/result.h"
#include "server/compile/compile_builder.h"

namespace hone::server {

// Kernels that searches had compiled. Any thread.
class BuildMeter {
 public:
  Histogram seconds() const {
    const std::lock_guard lock(mutex_);
    return seconds_;
  }
  // The same compiler, with its time taken. The meter outlives it.
  Compile metered(Compile compile) {
    return [this, compile = std::move(compile)](const te::Task& task, const schedule::Trace& trace,
                                                const target::Target& target) {
      const auto begin = std::chrono::steady_clock::now();
      Result<emit::KernelSource> source = compile(task, trace, target);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      const std::lock_guard lock(mutex_);
      seconds_.observe(took.count());
      return source;
    };
  }

 private:
  mutable std::mutex mutex_;
  Histogram seconds_;  // guarded by mutex_
};

struct JobCounts {
  std::map<ErrorCode, uint64_t> ended;       // jobs by outcome: kOk, or why they failed; the network thread's
  std::atomic<uint64_t> results_settled{0};  // of agents: stored, or refused for good, and acknowledged therefore
  BuildMeter builds;
};

}  // namespace hone::server
