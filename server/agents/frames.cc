#include "server/agents/frames.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/cat.h"
#include "base/hash.h"
#include "base/median.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "codegen/package/plan_frames.h"
#include "server/agents/limits.h"
#include "tuner/records/limits.h"
#include "tuner/records/soundness.h"

namespace hone::server {

namespace {

// Buffers are whole 16-byte words, because kernels bind them as vectors of four.
uint64_t padded_bytes(uint64_t bytes) { return std::max<uint64_t>(16, (bytes + 15) / 16 * 16); }

protocol::BufferRole role_of(te::Role role) {
  switch (role) {
    case te::Role::kActivation:
      return protocol::BufferRole::kInput;
    case te::Role::kConstant:
      return protocol::BufferRole::kConstant;
    case te::Role::kOutput:
      return protocol::BufferRole::kOutput;
  }
  return protocol::BufferRole::kInput;
}

protocol::Buffer buffer_frame(const te::Task& task, size_t position, size_t set, const Expected& expected) {
  size_t inputs = task.program.inputs.size();
  const te::Tensor& tensor =
      position < inputs ? task.program.inputs[position] : task.program.outputs[position - inputs];
  const te::Arg& arg = task.args[position];
  protocol::Buffer buffer;
  buffer.name = tensor->name;
  buffer.role = role_of(arg.role);
  buffer.dtype = ir::dtype_name(tensor->dtype);
  buffer.shape = tensor->shape;
  buffer.dims = package::dims_frame(arg.layout);
  buffer.pad = arg.layout.pad == ir::Pad::kZero ? protocol::PadKind::kZero : protocol::PadKind::kAny;
  buffer.bytes = padded_bytes(static_cast<uint64_t>(ir::element_count(ir::physical_shape(tensor->shape, arg.layout))) *
                              static_cast<uint64_t>(ir::size_bytes(tensor->dtype)));
  buffer.seed = hash_mix(set == 0 ? emit::task_seed(task) : expected.more_seeds.at(set - 1), position);
  if (position >= inputs) return buffer;
  buffer.low = expected.ranges[position].low;
  buffer.high = expected.ranges[position].high;
  if (expected.ranges[position].step > 0) buffer.step = expected.ranges[position].step;
  return buffer;
}

std::array<uint32_t, 3> dims_frame(const ir::Dims& dims) {
  return {static_cast<uint32_t>(dims[0]), static_cast<uint32_t>(dims[1]), static_cast<uint32_t>(dims[2])};
}

// A module begins with four bytes that no shader's text begins with.
bool is_module(const emit::LaunchSource& source) {
  return source.code.compare(0, 4, std::string_view("\0asm", 4)) == 0;
}

protocol::Binding binding_frame(const emit::Binding& binding) {
  protocol::Binding frame;
  frame.kind = binding.kind == emit::Binding::Kind::kArg ? protocol::BindingKind::kArg : protocol::BindingKind::kTemp;
  frame.position = static_cast<uint32_t>(binding.position);
  frame.writes = binding.writes;
  frame.bytes = static_cast<uint64_t>(binding.bytes);
  if (binding.texture.layers > 0)
    frame.texture = package::texture_frame(binding.texture, emit::texel_type(binding.element));
  return frame;
}

protocol::Launch launch_frame(const emit::LaunchSource& source) {
  protocol::Launch launch;
  if (is_module(source)) launch.module_bytes = static_cast<uint32_t>(source.code.size());
  else launch.code = source.code;
  launch.scratch_bytes = static_cast<uint32_t>(source.scratch_bytes);
  launch.grid = dims_frame(source.grid);
  launch.threads = dims_frame(source.threads);
  if (source.ahead) launch.ahead = true;
  for (const emit::Binding& binding : source.bindings) launch.bindings.push_back(binding_frame(binding));
  return launch;
}

std::optional<std::string> halves_of(const emit::ArgLayout& wanted) {
  if (wanted.stored != ir::DType::kF16) return std::nullopt;
  return std::string(ir::dtype_name(wanted.stored));
}

protocol::Expected outputs_frame(const std::vector<ExpectedOutput>& outputs) {
  protocol::Expected frame;
  for (const ExpectedOutput& output : outputs)
    frame.outputs.push_back({.sha256 = output.blob->sha256,
                             .bytes = output.blob->bytes.size(),
                             .largest = output.largest,
                             .median = output.median});
  return frame;
}

std::vector<protocol::Buffer> buffer_frames(const te::Task& task, size_t set, const Expected& expected) {
  std::vector<protocol::Buffer> frames;
  for (size_t i = 0; i < task.args.size(); ++i) frames.push_back(buffer_frame(task, i, set, expected));
  return frames;
}

}  // namespace

protocol::PrepareTask prepare_frame(const te::Task& task, const Expected& expected, uint64_t id) {
  protocol::PrepareTask frame;
  frame.id = id;
  frame.task = task.id.hex();
  frame.buffers = buffer_frames(task, 0, expected);
  if (expected.sets.size() > 1) frame.more_inputs.emplace();
  for (size_t set = 0; set < expected.sets.size(); set++) {
    if (set == 0) frame.expected = outputs_frame(expected.sets[set]);
    else frame.more_inputs->push_back({.buffers = buffer_frames(task, set, expected), .expected = outputs_frame(expected.sets[set])});
  }
  frame.tolerance = expected.tolerance;
  if (!task.name.empty()) frame.name = shortened(task.name);
  return frame;
}

protocol::Candidate candidate_frame(const tuner::MeasureInput& input) {
  protocol::Candidate candidate;
  candidate.trial = input.trial_id;
  candidate.attempt = static_cast<uint32_t>(input.attempt);
  candidate.best_so_far_us = input.best_so_far_us;
  candidate.predicted_us = input.predicted_us;
  for (const emit::Temp& temp : input.source.temps)
    candidate.temps.push_back(padded_bytes(static_cast<uint64_t>(temp.bytes)));
  for (const emit::LaunchSource& launch : input.source.launches) candidate.launches.push_back(launch_frame(launch));
  for (const emit::ArgLayout& wanted : input.source.layouts)
    candidate.layouts.push_back({.position = static_cast<uint32_t>(wanted.position),
                                 .dims = package::dims_frame(wanted.layout),
                                 .bytes = padded_bytes(static_cast<uint64_t>(wanted.bytes)),
                                 .dtype = halves_of(wanted)});
  return candidate;
}

void append_modules(const tuner::MeasureInput& input, std::string& payload) {
  for (const emit::LaunchSource& launch : input.source.launches)
    if (is_module(launch)) payload += launch.code;
}

namespace {

std::optional<protocol::CacheState> cache_frame(tuner::CacheState state) {
  protocol::CacheState frame{};
  return state != tuner::CacheState::kHot && protocol::from_name(tuner::cache_name(state), frame) ? std::optional(frame)
                                                                                                  : std::nullopt;
}

}  // namespace

protocol::MeasurePolicy measure_policy(const tuner::MeasureInput& input) {
  protocol::MeasurePolicy policy;
  policy.samples = static_cast<uint32_t>(std::clamp(input.samples_wanted, 1, static_cast<int>(kSamplesMax)));
  policy.sample_ms_min = kSampleMsMin;
  policy.quanta_min = kQuantaMin;
  policy.race_factor = kRaceFactor;
  policy.cap_ms = kCandidateCapMs;
  policy.in_turns = input.in_turns;
  policy.cache = cache_frame(input.cache);
  if (input.model_bytes > 0) policy.model_bytes = static_cast<uint64_t>(input.model_bytes);
  if (input.both_caches) policy.both_caches = true;
  return policy;
}

namespace {

bool is_outcome(ErrorCode code) { return code <= ErrorCode::kUnstable || code == ErrorCode::kCancelled; }

double positive_or_zero(double value) { return std::isfinite(value) && value > 0 ? value : 0; }

// What no measurement can have given; ok where nothing speaks against it.
Status check_result(const protocol::CandidateResult& result, const Asked& asked) {
  const auto nonsense = [](const std::string& found) {
    return Error{ErrorCode::kProtocolError, "the agent sent " + found};
  };
  if (!is_outcome(result.outcome)) return nonsense("an outcome that no candidate has");
  if (result.outcome == ErrorCode::kOk && result.samples_us.empty()) return nonsense("an ok without samples");
  if (result.samples_us.size() > static_cast<size_t>(asked.samples))
    return nonsense(cat(result.samples_us.size(), " samples where ", asked.samples, " were asked for"));
  for (double us : result.samples_us) {
    if (!(us > 0 && us <= tuner::kTimeUsMax)) return nonsense(cat("a sample of ", number_text(us), " µs"));
    if (Status possible = tuner::check_possible(asked.target, 0, us); !possible.ok())
      return nonsense(possible.error().message);
  }
  if (!(result.create_ms <= tuner::kTimeUsMax / 1000)) return nonsense(cat("a creation of ", number_text(result.create_ms), " ms"));
  if (const double us = result.other_us.value_or(1); !(us > 0 && us <= tuner::kTimeUsMax))
    return nonsense(cat("a median of ", number_text(us), " µs in the other state of the caches"));
  const double median_us = median(result.samples_us);
  const Status possible = median_us > 0 ? tuner::check_possible(asked.target, asked.flops, median_us) : ok_status();
  return possible.ok() ? ok_status() : Status(nonsense(possible.error().message));
}

// Rivals in turns share their time: a slow one leaves the others fewer samples.
bool lacks_samples(const tuner::MeasureResult& out, const Asked& asked) {
  const bool lost = asked.best_so_far_us > 0 && out.latency_us_median > asked.best_so_far_us;
  const bool took_its_time = asked.in_turns || out.device_ms >= kSamplingMsMax;
  return out.outcome == ErrorCode::kOk && !lost && !took_its_time && 2 * static_cast<int>(out.samples_us.size()) < asked.samples;
}

// One such number makes the whole result one.
void refuse(tuner::MeasureResult& out, ErrorCode outcome, const std::string& why) {
  out.outcome = outcome;
  out.message = why;
  out.samples_us.clear();
  out.latency_us_median = 0;
  out.other_us = out.create_ms = 0;
}

}  // namespace

Asked asked_of(const tuner::MeasureInput& input, const std::string& target) {
  return {.samples = static_cast<int>(measure_policy(input).samples),
          .best_so_far_us = input.best_so_far_us,
          .in_turns = input.in_turns,
          .flops = input.task->flops, .target = target};
}

tuner::MeasureResult measure_result(const protocol::CandidateResult& result, const Asked& asked) {
  tuner::MeasureResult out;
  out.trial_id = result.trial;
  out.attempt = static_cast<int>(result.attempt);
  out.outcome = result.outcome;
  out.message = result.message;
  // Only what is right has a time, whatever the agent sent besides.
  const bool timed = result.outcome == ErrorCode::kOk || result.outcome == ErrorCode::kUnstable;
  if (timed) out.samples_us = result.samples_us;
  out.latency_us_median = median(out.samples_us);
  out.method = result.method;
  out.clock_resolution_ns = positive_or_zero(result.clock_resolution_ns);
  out.repeats = static_cast<int>(std::min<uint32_t>(result.repeats, tuner::kRepeatsMax));
  out.create_ms = positive_or_zero(result.create_ms);
  out.device_ms = positive_or_zero(result.device_ms);
  out.max_error = positive_or_zero(result.max_error);
  out.reference_us = positive_or_zero(result.reference_us);
  out.cache = *tuner::parse_cache(protocol::to_name(result.cache.value_or(protocol::CacheState::kHot)));
  if (timed) out.other_us = positive_or_zero(result.other_us.value_or(0));
  out.fence = static_cast<int64_t>(result.fence);
  if (Status checked = check_result(result, asked); !checked.ok())
    refuse(out, ErrorCode::kProtocolError, checked.error().message);
  else if (lacks_samples(out, asked))
    refuse(out, ErrorCode::kUnstable, cat("the agent sent ", out.samples_us.size(), " samples where ", asked.samples, " were asked for"));
  return out;
}

Error error_of(const protocol::Failure& failure) {
  if (failure.code == ErrorCode::kOk)
    return {ErrorCode::kProtocolError, cat("the agent sent a failure of the code ok: ", failure.message)};
  return {failure.code, failure.message};
}

}  // namespace hone::server
