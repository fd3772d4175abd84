// From the compiler's values to the session's messages.
#pragma once
#include <string>
#include <vector>

#include "codegen/te/task.h"
#include "schema/generated/protocol.h"
#include "server/compile/expected_outputs.h"
#include "tuner/measure/runner.h"

namespace hone::server {

protocol::PrepareTask prepare_frame(const te::Task& task, const Expected& expected, uint64_t id);
// A launch whose code is a WebAssembly module says its size only: the bytes travel in the frame's payload (append_modules).
protocol::Candidate candidate_frame(const tuner::MeasureInput& input);
// Adds the candidate's modules, in order of its launches, to the payload of its `measure` frame.
void append_modules(const tuner::MeasureInput& input, std::string& payload);
protocol::MeasurePolicy measure_policy(const tuner::MeasureInput& input);
// What a result answers.
struct Asked {
  int samples = 0;
  double best_so_far_us = 0;  // what it raced against; 0 = nothing
  bool in_turns = false;
  double flops = 0;    // of the task
  std::string target;  // of the device
};
Asked asked_of(const tuner::MeasureInput& input, const std::string& target);
// Results are untrusted. An ok with fewer than half of the samples that were asked for, of a candidate that has lost no race and took no time that would
// explain it, is kUnstable and has no samples: it is measured again. More samples than were asked for, and times that are none or that no device of that target can reach, make the outcome
// kProtocolError, with what was found. The median is computed here.
tuner::MeasureResult measure_result(const protocol::CandidateResult& result, const Asked& asked);

// What an agent says went wrong. "ok" is not a failure: it becomes a protocol_error.
Error error_of(const protocol::Failure& failure);

}  // namespace hone::server
