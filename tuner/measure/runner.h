// Builder and Runner: what the search sees of compiler and device. The search never knows a server, a socket or a browser.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "codegen/emit/kernel_source.h"
#include "codegen/schedule/trace.h"
#include "codegen/te/task.h"
#include "tuner/measure/cache_state.h"

namespace hone::tuner {

// Makes kernels from traces. Thread-safe: called from worker threads.
class Builder {
 public:
  virtual ~Builder() = default;
  virtual Result<emit::KernelSource> build(const te::Task& task, const schedule::Trace& trace) = 0;
};

struct MeasureInput {
  uint64_t trial_id = 0;           // the caller's number, echoed in the result
  int attempt = 0;                 // 0 for the first try
  const te::Task* task = nullptr;  // outlives the measurement
  emit::KernelSource source;
  double best_so_far_us = 0;  // 0 = none; a candidate 1.5× behind stops after its first sample
  double predicted_us = 0;    // 0 = unknown; caps the watchdog
  int samples_wanted = 3;
  bool yardstick = false;               // it is measured as the task's yardstick, not as a candidate
  CacheState cache = CacheState::kHot;  // in which its samples are taken, where the device can make it
  bool both_caches = false;             // a few samples in the other state, too
  int64_t model_bytes = 0;              // that a run of its model touches; for CacheState::kModel
  bool in_turns = false;  // its samples alternate with those of the candidates of its task submitted beside it
};

struct MeasureResult {
  uint64_t trial_id = 0;
  int attempt = 0;  // as it was submitted, or a later one where others have measured the trial meanwhile
  bool ends_search =
      false;              // it says nothing of the candidate: what measures cannot go on, whatever the outcome's code
  bool recorded = false;  // the store has it already: another search has measured it
  ErrorCode outcome = ErrorCode::kInternal;  // kOk, or an outcome code of schema/errors.json
  std::string message;                       // the driver's words on failure
  std::vector<double> samples_us;            // one kernel's time per sample, in order of taking
  double latency_us_median = 0;              // 0 unless outcome is kOk (or kUnstable with samples)
  std::string method;                        // "timestamp", "slope"
  double clock_resolution_ns = 0;
  int repeats = 0;                      // kernels per sample
  double create_ms = 0;                 // pipeline creation with the first dispatch
  double device_ms = 0;                 // all of the device's work for this candidate, creation included
  double max_error = 0;                 // the greatest of an element, as te::Accuracy bounds it
  double reference_us = 0;              // the interleaved reference kernel, for drift
  CacheState cache = CacheState::kHot;  // in which the samples were taken
  double other_us = 0;                  // the median in the other state; 0 = not taken
  int64_t fence = 0;                    // of the lease under which it ran; 0 where there is no lease
  std::string lease_id;                 // of that lease
  std::string agent;                    // who measured it, by its public id; empty where nobody knows
  std::string enrolment;                // who vouches for the agent: the id of the token that it had shown; empty where nobody does
  bool trusted = false;                 // that token was a canary's
  std::string device;                   // the one device that measured it, by the id that its agent keeps; empty where nobody knows
  std::string fingerprint_json;         // of the device that it ran on, where there are several; empty: the job's
};

// What keeps a runner from measuring what was submitted.
struct RunnerWait {
  std::string what;             // for people, "the reference outputs"; "" = nothing does
  bool device_is_away = false;  // it may come back
};

// Measures on one device. `submit` queues a candidate and returns; `on_result` is called once per candidate, on the runner's thread,
// in order of completion. `capacity` says how many candidates may be outstanding to keep the device busy. After `cancel` whatever is
// outstanding is answered soon (a result, or kCancelled), and later submits are answered with kCancelled.
class Runner {
 public:
  using OnResult = std::function<void(MeasureResult)>;
  virtual ~Runner() = default;
  virtual void submit(MeasureInput input, OnResult on_result) = 0;
  virtual int capacity() const = 0;
  virtual std::string device_key() const = 0;
  virtual void cancel() {}
  virtual RunnerWait waits_for() const { return {}; }  // thread-safe
};

}  // namespace hone::tuner
