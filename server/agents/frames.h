// From the compiler's values to the session's messages.
#pragma once
#include <string>
#include <vector>

#include "codegen/te/task.h"
#include "schema/generated/protocol.h"
#include "server/compile/blob_store.h"
#include "tuner/measure/runner.h"

namespace hone::server {

// The generator's seed of the argument at `position` (inputs, then outputs); the reference fills its inputs with the same.
uint64_t argument_seed(const te::Task& task, size_t position);

// stored: the type of its numbers (emit::texel_type).
protocol::Texture texture_frame(const ir::Texture& texture, ir::DType stored);
protocol::PrepareTask prepare_frame(const te::Task& task, const std::vector<BlobPtr>& expected, uint64_t id);
// A launch whose code is a WebAssembly module says its size only: the bytes travel in the frame's payload (append_modules).
protocol::Candidate candidate_frame(const tuner::MeasureInput& input);
// Adds the candidate's modules, in order of its launches, to the payload of its `measure` frame.
void append_modules(const tuner::MeasureInput& input, std::string& payload);
protocol::MeasurePolicy measure_policy(const tuner::MeasureInput& input);
// Results are untrusted: times that are no times make the outcome kProtocolError; the median is computed here.
tuner::MeasureResult measure_result(const protocol::CandidateResult& result);

}  // namespace hone::server
