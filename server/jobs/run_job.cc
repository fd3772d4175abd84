#include "server/jobs/run_job.h"

#include <algorithm>
#include <cmath>
#include <future>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/median.h"
#include "base/printable_text.h"
#include "codegen/compile.h"
#include "codegen/graph/import.h"
#include "codegen/graph/model_bytes.h"
#include "codegen/graph/onnx_import.h"
#include "codegen/package/compare.h"
#include "codegen/package/reference_run.h"
#include "server/agents/device_target.h"
#include "server/agents/frames.h"
#include "server/jobs/limits.h"

namespace hone::server {

namespace {

// The whole: pipelines are made at once but may be many, and a first run on a slow device takes seconds.
double cap_ms_of(size_t kernels, uint32_t repeats) {
  return kPlanCapMs + kPlanCapMsPerKernel * static_cast<double>(kernels) + (repeats > 0 ? kPlanCapMsTimed : 0);
}

protocol::PlanUpload upload_frame(const package::PlanTensor& tensor, const BlobPtr& blob) {
  return {.buffer = static_cast<uint32_t>(tensor.buffer), .sha256 = blob->sha256, .bytes = blob->bytes.size()};
}

protocol::PlanLaunch launch_frame(const package::PlanLaunch& launch) {
  protocol::PlanLaunch out{.kernel = static_cast<uint32_t>(launch.kernel)};
  for (size_t d = 0; d < out.grid.size(); d++) out.grid[d] = static_cast<uint32_t>(launch.grid[d]);
  if (launch.ahead) out.ahead = true;
  for (int buffer : launch.buffers) out.buffers.push_back(static_cast<uint32_t>(buffer));
  for (int64_t bytes : launch.binding_bytes) out.binding_bytes.push_back(static_cast<uint64_t>(bytes));
  return out;
}

std::optional<std::vector<protocol::Texture>> texture_frames(const std::vector<package::PlanTexture>& textures) {
  if (textures.empty()) return std::nullopt;
  std::vector<protocol::Texture> frames;
  for (const package::PlanTexture& texture : textures) frames.push_back(texture_frame(texture.texture, texture.stored));
  return frames;
}

nlohmann::json check_json(const std::vector<graph::ConstantTensor>& outputs,
                          const std::vector<graph::ConstantTensor>& references) {
  nlohmann::json each = nlohmann::json::array();
  double worst = 0;
  for (size_t i = 0; i < outputs.size(); i++) {
    // JSON knows no infinity.
    const double error = std::min(package::relative_error(outputs[i], references[i]), kErrorMax);
    each.push_back(error);
    worst = std::max(worst, error);
  }
  return {{"max_error", worst}, {"error_max", package::kModelErrorMax}, {"outputs", std::move(each)}};
}

void add_times(nlohmann::json& out, const protocol::Executed& executed) {
  out["create_ms"] = executed.create_ms;
  out["first_ms"] = executed.first_ms;
  out["run_ms"] = executed.run_ms;
  out["kernel_ms"] = executed.kernel_ms;
  out["clock_resolution_ns"] = executed.clock_resolution_ns;
  if (executed.run_ms.empty()) return;
  out["model_ms_median"] = median(executed.run_ms);
  if (executed.kernel_ms.empty()) return;
  std::vector<double> shares;
  for (size_t i = 0; i < executed.run_ms.size(); i++)
    shares.push_back(executed.run_ms[i] > 0 ? std::max(0.0, 1 - executed.kernel_ms[i] / executed.run_ms[i]) : 0);
  out["kernel_ms_median"] = median(executed.kernel_ms);
  out["host_share"] = median(std::move(shares));
}

int64_t output_bytes(const graph::Graph& graph) {
  int64_t bytes = 0;
  for (graph::ValueId id : graph.outputs)
    bytes += ir::element_count(graph.value(id).shape) * ir::size_bytes(graph.value(id).dtype);
  return bytes;
}

// [bytes] that a run takes of this host, at most: inputs as tensors, as packed, and as blobs; constants as packed and as blobs; outputs as they
// come, in the answer, and as tensors. The reference keeps every value, and computes in f64: at most nine times a value's bytes.
double host_need(const graph::Graph& graph, bool check) {
  const graph::ModelBytes bytes = graph::count_bytes(graph);
  return 3.0 * static_cast<double>(bytes.inputs) + 2.0 * static_cast<double>(bytes.constants) +
         3.0 * static_cast<double>(output_bytes(graph)) + (check ? 9.0 * static_cast<double>(bytes.values) : 0);
}

// An agent answers in one frame, and so does the service.
Status check_answer_size(const graph::Graph& graph) {
  const int64_t bytes = output_bytes(graph);
  if (bytes <= static_cast<int64_t>(protocol::kFrameBytesMax - protocol::kHeaderBytesMax)) return ok_status();
  return Error{ErrorCode::kLimitExceeded,
               cat("the model's outputs have ", bytes, " bytes; one answer carries at most ",
                   protocol::kFrameBytesMax - protocol::kHeaderBytesMax, "; take smaller shapes")};
}

nlohmann::json memory_json(const package::PlanMemory& memory) {
  return {{"input_bytes", memory.port_bytes},
          {"constant_bytes", memory.constant_bytes},
          {"pool_bytes", memory.pool_bytes},
          {"pool_bytes_min", memory.pool_bytes_min},
          {"pool_bytes_unshared", memory.pool_bytes_unshared}};
}

}  // namespace

void RunJob::on_cancel() {
  if (runner_) runner_->cancel();
}

Result<JobResult> RunJob::work() {
  send_progress(in_phase(protocol::JobPhase::kPreparing, "reading the model"));
  HONE_ASSIGN(import_memory, take_import_memory());
  HONE_ASSIGN(request, run_request(request_.job, request_.payload));
  graph::ImportOptions options;
  options.dims.insert(request_.job.dims.begin(), request_.job.dims.end());
  options.cancel = &cancel_;
  HONE_ASSIGN(graph, graph::graph_from_onnx(request.model, options));
  HONE_ASSIGN(given, bind_inputs(graph, request.inputs));
  HONE_TRY(graph::prepare_graph(graph, &cancel_));
  HONE_ASSIGN(memory, context_.memory.take(host_need(graph, request.check), "the model's values"));
  HONE_TRY(check_answer_size(graph));
  HONE_ASSIGN(device, wait_for_device([this](const protocol::DeviceInfo&) {
                runner_ = PlanRunner::make(context_.reattach_ms, context_.reactor);
                return runner_;
              }));
  Result<JobResult> result = guarded([&] { return run_model(request, device, std::move(graph), std::move(given)); });
  runner_->close();
  return result;
}

Result<JobResult> RunJob::run_model(const RunRequest& request, const protocol::DeviceInfo& device, graph::Graph graph,
                                    package::Tensors inputs) {
  HONE_ASSIGN(target, target_of(device.fingerprint));
  target_ = target;
  graph.medium = target::stored_in(target.kind);
  graph.layers_max = target.limits.render_targets_max;
  planner_ = context_.planner(target_, request_.job.seed, tuner::StrategyKind::kEvolutionary);
  device_key_ = device.device_key;
  send_progress(in_phase(protocol::JobPhase::kPreparing, "compiling the model's kernels"));
  HONE_ASSIGN(plan, package::plan_model(
                        graph, [this](const te::Task& task) { return kernel_of(task); }, &cancel_));
  HONE_TRY(check_buffers(plan));
  generate_inputs(graph, request_.job.seed, inputs);
  HONE_ASSIGN(frame, execute_frame(graph, plan, inputs, request.repeats));
  send_progress(in_phase(protocol::JobPhase::kMeasuring, "the model runs"));
  HONE_ASSIGN(answer, execute(std::move(frame)));

  std::vector<graph::ConstantTensor> outputs;
  std::string_view rest = answer.outputs;
  for (const package::PlanTensor& output : plan.outputs) {
    outputs.push_back(package::unpack_output(graph, output, rest.substr(0, static_cast<size_t>(output.bytes))));
    rest.remove_prefix(static_cast<size_t>(output.bytes));
  }
  JobResult out;
  nlohmann::json fingerprint = protocol::to_json(device.fingerprint);
  fingerprint["key"] = device.device_key;
  out.result = {{"job", request_.id},
                {"device", std::move(fingerprint)},
                {"target", request_.job.target},
                {"model", graph.name},
                {"outputs", nlohmann::json::array()},
                {"schedules", schedules_},
                {"steps", plan.steps.size()},
                {"kernels", plan.kernels.size()},
                {"launches", plan.launches.size()},
                {"host_nodes", plan.on_upload.size()},
                {"memory", memory_json(plan.memory)}};
  for (size_t i = 0; i < outputs.size(); i++) {
    out.result["outputs"].push_back({{"name", graph.value(plan.outputs[i].value).name},
                                     {"dtype", ir::dtype_name(outputs[i].dtype)},
                                     {"shape", outputs[i].shape}});
    out.payload += *outputs[i].bytes;
  }
  add_times(out.result, answer.frame);
  if (request.check) {
    send_progress(in_phase(protocol::JobPhase::kFinishing, "computing the reference"));
    HONE_ASSIGN(references, package::reference_run(graph, inputs, &cancel_));
    out.result["check"] = check_json(outputs, references);
  }
  return out;
}

// The best that is known for this device, else the first expert choice that compiles, else the schedule that is always legal.
Result<emit::KernelSource> RunJob::kernel_of(te::Task task) {
  if (request_.job.tolerance) te::loosen(task, *request_.job.tolerance);
  if (cancel_.cancelled()) return Error{ErrorCode::kCancelled, "the job was cancelled"};
  HONE_ASSIGN(best, context_.store.best_for(task.id, device_key_));
  if (best) {
    auto trace = schedule::trace_from_json(best->trace_json);
    auto source = trace.ok() ? compile_kernel(task, *trace, target_) : Result<emit::KernelSource>(trace.error());
    if (source.ok()) {
      schedules_["tuned"]++;
      return source;
    }
  }
  if (auto plan = planner_(task); plan.ok())
    for (const schedule::Trace& seed : plan->seeds)
      if (auto source = compile_kernel(task, seed, target_); source.ok()) {
        schedules_["seed"]++;
        return source;
      }
  schedules_["naive"]++;
  HONE_ASSIGN(naive, baseline_trace(task, target_));
  return compile_kernel(task, naive, target_);
}

Status RunJob::check_buffers(const package::ModelPlan& plan) const {
  for (int64_t bytes : plan.buffers)
    if (bytes > target_.limits.binding_bytes_max)
      return Error{ErrorCode::kLimitExceeded,
                   cat("the model needs a buffer of ", bytes, " bytes; the device binds at most ",
                       target_.limits.binding_bytes_max, "; take smaller shapes, or another device")};
  return ok_status();
}

Result<protocol::Execute> RunJob::execute_frame(const graph::Graph& graph, const package::ModelPlan& plan,
                                                const package::Tensors& inputs, uint32_t repeats) {
  const auto put = [this](std::string bytes) {
    blobs_.push_back(context_.blobs.put(std::move(bytes)));
    return blobs_.back();
  };
  protocol::Execute frame{.repeats = repeats, .cap_ms = cap_ms_of(plan.kernels.size(), repeats)};
  for (int64_t bytes : plan.buffers) frame.buffers.push_back(static_cast<uint64_t>(bytes));
  frame.textures = texture_frames(plan.textures);
  if (request_.job.source.model_name) frame.model = shortened(*request_.job.source.model_name);
  for (const package::PlanKernel& kernel : plan.kernels) {
    const BlobPtr blob = put(kernel.code);
    frame.kernels.push_back({.sha256 = blob->sha256,
                             .bytes = blob->bytes.size(),
                             .writes = kernel.writes,
                             .scratch_bytes = static_cast<uint32_t>(kernel.scratch_bytes)});
  }
  for (const package::PlanLaunch& launch : plan.launches) frame.launches.push_back(launch_frame(launch));
  for (const package::PlanTensor& constant : plan.constants)
    frame.constants.push_back(upload_frame(constant, put(package::constant_bytes(graph, constant))));
  HONE_ASSIGN(packed, package::pack_inputs(graph, plan, inputs));
  for (size_t i = 0; i < packed.size(); i++)
    frame.inputs.push_back(upload_frame(plan.inputs[i], put(std::move(packed[i]))));
  for (const package::PlanTensor& output : plan.outputs)
    frame.outputs.push_back(
        {.buffer = static_cast<uint32_t>(output.buffer), .bytes = static_cast<uint64_t>(output.bytes)});
  return frame;
}

Result<PlanRunner::Answer> RunJob::execute(protocol::Execute frame) {
  auto done = std::make_shared<std::promise<Result<PlanRunner::Answer>>>();
  runner_->execute(std::move(frame), [done](Result<PlanRunner::Answer> answer) { done->set_value(std::move(answer)); });
  auto answer = done->get_future();
  double there_ms = context_.reactor.now_ms();
  while (answer.wait_for(kTellWaitingEvery) != std::future_status::ready) tell_waiting(&there_ms);
  return answer.get();
}

// there_ms: when the device was there last.
void RunJob::tell_waiting(double* there_ms) {
  const double now_ms = context_.reactor.now_ms();
  const tuner::RunnerWait wait = runner_->waits_for();
  auto progress = in_phase(wait.device_is_away ? protocol::JobPhase::kWaitingForDevice : protocol::JobPhase::kMeasuring,
                           "the model runs");
  if (!wait.device_is_away) *there_ms = now_ms;
  else progress.waits_for = wait.what, progress.waited_s = (now_ms - *there_ms) / 1000;
  send_progress(std::move(progress));
}

}  // namespace hone::server
