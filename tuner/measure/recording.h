// Recording: a declared sub-space of one task, measured whole on one device, as a file that stands in for the device (tests/replay).
//
// The file is JSON: "op", "target" and "space" declare what was measured (decision → its words). A candidate is written as its choice: one
// character per declared decision, in order of their keys, for the place of its word in the list ('0' to '9', 'a' to 'z'). Each of "kernels" is
// [choices, latency µs, samples, creation ms], or [choices, outcome] where there is no time: choices that give the same source share one
// measurement. "naive" is the yardstick's [latency µs, samples, creation ms]. Immutable; any thread.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"
#include "codegen/target/target.h"

namespace hone::tuner {

struct RecordedKernel {
  Hash source;  // stands for its code: the hash of its first choice
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;  // the median of its attempts, each the least of its samples; 0 unless ok
  int samples = 0;
  double create_ms = 0;
};

struct Recording {
  using Words = std::map<std::string, std::vector<std::string>>;  // decision → the values that were measured

  std::string op;
  target::Kind target = target::Kind::kWebGpu;
  Words space;
  std::string device_json = "{}";  // the fingerprint
  RecordedKernel naive;
  std::vector<RecordedKernel> kernels;
  std::map<std::string, size_t> candidates;  // choice → place in kernels

  // The choice that a trace's sketch names; "" when a declared decision is missing or has another word.
  std::string choice_of(std::string_view sketch) const;
  // nullptr: not in the recording.
  const RecordedKernel* find(std::string_view sketch) const;
  // Appends a kernel with its choices, of which there is one at least.
  void add(const std::vector<std::string>& choices, RecordedKernel kernel);
  double best_us() const;  // of all kernels; 0 if none has a time

  // Only "op", "target" and "space" need be there: a declaration is a recording without measurements. Fails: parse_error.
  static Result<Recording> parse(std::string_view json);
  std::string to_json() const;
};

// Fails: io_error, parse_error, with the path.
Result<Recording> load_recording(const std::string& path);

}  // namespace hone::tuner
