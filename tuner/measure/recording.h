// Recording: a declared sub-space of one task, measured whole on one device, as a file that stands in for the device (tests/replay).
//
// The file is JSON: "op" and "space" declare what was measured (decision → its words), "naive" and each of "kernels" is
// [source hash, outcome, latency µs, samples, reference kernel µs, creation ms], "candidates" maps the words of the declared decisions, in
// order of their keys, to a place in "kernels": choices that give the same source share one measurement. Immutable; any thread.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/result.h"

namespace hone::tuner {

struct RecordedKernel {
  Hash source;
  ErrorCode outcome = ErrorCode::kInternal;
  double latency_us = 0;  // median of `samples`; 0 unless ok
  int samples = 0;
  double reference_us = 0;  // of the agent's fixed kernel, measured beside it
  double create_ms = 0;
};

struct Recording {
  using Words = std::map<std::string, std::vector<std::string>>;  // decision → the values that were measured

  std::string op;
  Words space;
  std::string device_json = "{}";  // the fingerprint
  RecordedKernel naive;
  std::vector<RecordedKernel> kernels;
  std::map<std::string, size_t> candidates;

  // The words of the declared decisions in a trace's sketch; "" when one is missing.
  std::string words_of(std::string_view sketch) const;
  // nullptr: not in the recording.
  const RecordedKernel* find(std::string_view sketch) const;
  double best_us() const;  // of all kernels; 0 if none has a time

  // Only "op" and "space" need be there: a declaration is a recording without measurements. Fails: parse_error.
  static Result<Recording> parse(std::string_view json);
  std::string to_json() const;
};

// Fails: io_error, parse_error, with the path.
Result<Recording> load_recording(const std::string& path);

}  // namespace hone::tuner
