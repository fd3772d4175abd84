#include "server/jobs/run_job.h"

#include <algorithm>
#include <cmath>
#include <future>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/printable_text.h"
#include "codegen/graph/model_bytes.h"
#include "codegen/graph/overflow.h"
#include "codegen/package/compare.h"
#include "server/agents/device_target.h"
#include "server/agents/frames.h"
#include "server/jobs/limits.h"
#include "server/jobs/placements_json.h"
#include "server/jobs/plan_frame.h"

namespace hone::server {

namespace {

Result<nlohmann::json> check_json(const std::vector<graph::ConstantTensor>& outputs,
                                  const std::vector<graph::ConstantTensor>& references) {
  if (references.size() != outputs.size())
    return Error{ErrorCode::kInternal, cat("the reference has ", references.size(), " outputs, the model ", outputs.size(), "; please report it with the model")};
  nlohmann::json each = nlohmann::json::array();
  double worst = 0;
  for (size_t i = 0; i < outputs.size(); i++) {
    // JSON knows no infinity.
    const double error = std::min(package::relative_error(outputs[i], references[i]), kErrorMax);
    each.push_back(error);
    worst = std::max(worst, error);
  }
  return nlohmann::json{{"max_error", worst}, {"error_max", package::kModelErrorMax}, {"outputs", std::move(each)}};
}

int64_t output_bytes(const graph::Graph& graph) {
  int64_t bytes = 0;
  for (graph::ValueId id : graph.outputs)
    bytes += ir::element_count(graph.value(id).shape) * ir::size_bytes(graph.value(id).dtype);
  return bytes;
}

// [bytes] that a run takes of this host, at most: inputs as tensors, as packed, and as blobs; constants as packed and as blobs, for each of the
// schedules; outputs as they come, in the answer, and as tensors. The reference keeps every value, and computes in f64: at most nine times a
// value's bytes, and what its child and LLVM take.
double host_need(const graph::Graph& graph, const RunRequest& request) {
  const graph::ModelBytes bytes = graph::count_bytes(graph);
  return 3.0 * static_cast<double>(bytes.inputs) +
         2.0 * static_cast<double>(request.schedules.size()) * static_cast<double>(bytes.constants) +
         3.0 * static_cast<double>(output_bytes(graph)) +
         (request.check ? 9.0 * static_cast<double>(bytes.values) + static_cast<double>(kModelChildBytesMin) : 0);
}

ReferenceEffort reference_effort(const graph::Graph& graph, const RunRequest& request, const package::ModelPlan& plan) {
  double flops = 0;
  for (const package::PlanStep& step : plan.steps) flops += step.flops;
  return {.memory_bytes = host_need(graph, request),
          .processor_s = kReferenceSPerStep * static_cast<double>(plan.steps.size()) + 1e-9 * flops / kReferenceGflopsMin};
}

// An agent answers in one frame, and so does the service.
Status check_answer_size(const graph::Graph& graph) {
  const int64_t bytes = output_bytes(graph);
  if (bytes <= static_cast<int64_t>(protocol::kFrameBytesMax - protocol::kHeaderBytesMax)) return ok_status();
  return Error{ErrorCode::kLimitExceeded,
               cat("the model's outputs have ", bytes, " bytes; one answer carries at most ",
                   protocol::kFrameBytesMax - protocol::kHeaderBytesMax, "; take smaller shapes")};
}

constexpr size_t kPlacementsBytesMax = protocol::kHeaderBytesMax / 2;  // as JSON: the rest of an answer's header is for what else it says

// What a device computes in another way than the model says.
nlohmann::json notes_on(const graph::Graph& graph) {
  nlohmann::json notes = nlohmann::json::array();
  const auto is_double = [&](graph::ValueId id) { return id != graph::kNoValue && graph.value(id).dtype == ir::DType::kF64; };
  if (std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const graph::Node& node) { return std::any_of(node.outputs.begin(), node.outputs.end(), is_double); }))
    notes.push_back("the model computes in float64, the device in float32");
  return notes;
}

std::vector<std::string> step_names(const package::ModelPlan& plan) {
  std::vector<std::string> names;
  for (const package::PlanStep& step : plan.steps) names.push_back(step.name);
  return names;
}

nlohmann::json memory_json(const package::PlanMemory& memory) {
  return {{"input_bytes", memory.port_bytes},
          {"constant_bytes", memory.constant_bytes},
          {"pool_bytes", memory.pool_bytes},
          {"pool_bytes_min", memory.pool_bytes_min},
          {"pool_bytes_unshared", memory.pool_bytes_unshared}};
}

}  // namespace

nlohmann::json RunJob::to_json(const Planned& planned) {
  nlohmann::json schedules = {{"tuned", 0}, {"seed", 0}, {"naive", 0}};
  if (planned.head)
    schedules["tuned"] = planned.head->tuned, schedules["seed"] = planned.head->tasks - planned.head->tuned;
  else
    for (const auto& [id, kernel] : planned.kernels) schedules[kernel.origin] = schedules[kernel.origin].get<int>() + 1;
  if (planned.older_browser > 0) schedules["older_browser"] = planned.older_browser;
  return {{"schedules", std::move(schedules)},           {"steps", planned.plan.steps.size()},
          {"kernels", planned.plan.kernels.size()},      {"launches", planned.plan.launches.size()},
          {"host_nodes", planned.plan.on_upload.size()}, {"nodes", node_counts(planned.plan.placements)}, {"memory", memory_json(planned.plan.memory)}};
}

nlohmann::json RunJob::times_json(const protocol::Executed& executed) {
  return {{"create_ms", executed.create_ms},
          {"first_ms", executed.first_ms},
          {"run_ms", executed.run_ms},
          {"kernel_ms", executed.kernel_ms},
          {"clock_resolution_ns", executed.clock_resolution_ns}};
}

void RunJob::on_cancel() {
  if (runner_) runner_->cancel();
}

Result<JobResult> RunJob::work() {
  send_progress(in_phase(protocol::JobPhase::kPreparing, "reading the model"));
  HONE_ASSIGN(import_memory, take_import_memory());
  HONE_ASSIGN(request, run_request(request_.job, *payload_.bytes()));
  HONE_ASSIGN(graph, open_model(request));
  HONE_ASSIGN(given, bind_inputs(graph, request.inputs));
  HONE_ASSIGN(memory, context_.memory.take(host_need(graph, request), "the model's values"));
  HONE_TRY(check_answer_size(graph));
  HONE_ASSIGN(device, wait_for_device([this](const protocol::DeviceInfo&) {
                runner_ = PlanRunner::make(context_.reattach_ms, context_.reactor);
                return runner_;
              }));
  Result<JobResult> result = guarded([&] { return on_device({request, device, std::move(graph), std::move(given)}); });
  runner_->close();
  return result;
}

Result<graph::Graph> RunJob::open_model(const RunRequest& request) {
  if (request.package) {
    HONE_ASSIGN(files, package::files_of(request.model));
    HONE_ASSIGN(package, package::open_package(std::move(files)));
    package_.emplace(std::move(package));
    return package_->graph;
  }
  return context_.models.graph({request_.job, payload_}, &cancel_);
}

Result<JobResult> RunJob::on_device(ModelOnDevice model) {
  HONE_ASSIGN(target, target_of(model.device.fingerprint));
  target_ = target;
  model.graph.medium = target::stored_in(target.kind);
  model.graph.layers_max = target.limits.render_targets_max;
  chooser_.emplace(&context_.store, context_.planner(target_, request_.job.seed, tuner::StrategyKind::kEvolutionary),
                   target_, model.device.device_key);
  return with_model(model);
}

Result<JobResult> RunJob::with_model(ModelOnDevice& model) {
  HONE_ASSIGN(planned, plan(model, model.request.schedules.front()));
  HONE_TRY(generate(model));
  HONE_ASSIGN(frame, execute_frame(model, planned.plan,
                                   {.repeats = model.request.repeats, .ms_max = 1000 * model.request.time_s}));
  tell_running("the model runs");
  HONE_ASSIGN(answer, execute(std::move(frame)));
  (void)moved(model, answer);

  JobResult out{.result = head_of(model)};
  out.result.update(to_json(planned));
  out.result.update(times_json(answer.frame));
  nlohmann::json notes = notes_on(model.graph);
  HONE_ASSIGN(outputs, outputs_of(model.graph, planned.plan, *answer.outputs));
  out.result["outputs"] = nlohmann::json::array();
  for (size_t i = 0; i < outputs.size(); i++) {
    out.result["outputs"].push_back({{"name", model.graph.value(planned.plan.outputs[i].value).name},
                                     {"dtype", ir::dtype_name(outputs[i].dtype)},
                                     {"shape", outputs[i].shape}});
    out.payload += *outputs[i].bytes;
  }
  if (model.request.placements) {
    nlohmann::json placements = placements_json(model.graph, planned.plan.placements, step_names(planned.plan));
    if (placements.dump().size() <= kPlacementsBytesMax) out.result["placements"] = std::move(placements);
    else notes.push_back(cat("an answer does not carry where ", model.graph.model_nodes.size(), " nodes ran; hone compile --dump graph tells it"));
  }
  if (!notes.empty()) out.result["notes"] = std::move(notes);
  if (model.request.check) {
    runner_->close();  // the device may serve another job meanwhile
    send_progress(in_phase(protocol::JobPhase::kFinishing, "computing the reference"));
    HONE_ASSIGN(references, context_.models.reference({request_.job, payload_, model.graph.layers_max}, reference_effort(model.graph, model.request, planned.plan), &cancel_));
    HONE_ASSIGN(check, check_json(outputs, references));
    out.result["check"] = std::move(check);
  }
  return out;
}

nlohmann::json RunJob::head_of(const ModelOnDevice& model) const {
  nlohmann::json fingerprint = protocol::to_json(model.device.fingerprint);
  fingerprint["key"] = model.device.device_key;
  nlohmann::json head{{"job", request_.id}, {"device", std::move(fingerprint)}, {"target", request_.job.target}, {"model", model.graph.name}};
  if (device_changes_ > 0) head["device_changes"] = device_changes_;
  return head;
}

bool RunJob::moved(ModelOnDevice& model, const PlanRunner::Answer& answer) {
  if (answer.device->device_id == model.device.device_id) return false;
  model.device = *answer.device;
  ++device_changes_;
  return true;
}

Status RunJob::generate(ModelOnDevice& model) const {
  generate_inputs(model.graph, request_.job.seed, model.inputs);
  return check_cancel(&cancel_);
}

double RunJob::packed_bytes(const package::ModelPlan& plan) {
  double bytes = 0;
  for (const auto* tensors : {&plan.constants, &plan.inputs})
    for (const package::PlanTensor& tensor : *tensors) bytes += 2.0 * static_cast<double>(tensor.bytes);
  return bytes;
}

// All its launches are one step, of which the records know nothing.
Result<RunJob::Planned> RunJob::packaged_plan(const ModelOnDevice& model) {
  HONE_ASSIGN(chosen, choose_plan(package_->manifest, model.device.fingerprint));
  HONE_ASSIGN(plan, package::read_plan(*package_, chosen));
  HONE_TRY(check_buffers(plan));
  HONE_ASSIGN(packed, context_.memory.take(packed_bytes(plan), "the package's weights as its plan packs them"));
  packed_.emplace(std::move(packed));
  Planned out{.plan = std::move(plan), .head = package_->manifest.plans[chosen]};
  out.kernels[out.plan.steps.front().task].origin = "package";
  return out;
}

Result<RunJob::Planned> RunJob::plan(const ModelOnDevice& model, protocol::ScheduleChoice choice) {
  if (package_) return packaged_plan(model);
  send_progress(in_phase(protocol::JobPhase::kPreparing, "compiling the model's kernels"));
  Planned out{.choice = choice};
  const uint32_t browser_major = model.device.fingerprint.browser_major;
  const auto kernel_of = [&](te::Task task) -> Result<emit::KernelSource> {
    HONE_TRY(check_cancel(&cancel_));
    const Hash id = task.id;
    if (request_.job.tolerance) te::loosen(task, *request_.job.tolerance);
    HONE_ASSIGN(chosen, chooser_->choose(task, choice));
    out.older_browser += chosen.browser_major > 0 && chosen.browser_major < static_cast<int>(browser_major);
    return out.kernels.emplace(id, std::move(chosen)).first->second.source;
  };
  HONE_ASSIGN(plan, package::plan_model(model.graph, kernel_of, &cancel_));
  HONE_TRY(check_buffers(plan));
  out.plan = std::move(plan);
  return out;
}

Status RunJob::check_buffers(const package::ModelPlan& plan) const {
  for (int64_t bytes : plan.buffers)
    if (bytes > target_.limits.binding_bytes_max)
      return Error{ErrorCode::kLimitExceeded,
                   cat("the model needs a buffer of ", bytes, " bytes; the device binds at most ",
                       target_.limits.binding_bytes_max, "; take smaller shapes, or another device")};
  return ok_status();
}

Result<protocol::Execute> RunJob::execute_frame(const ModelOnDevice& model, const package::ModelPlan& plan,
                                                const PlanTiming& timing) {
  protocol::Execute frame;
  set_timing(frame, timing, plan);
  if (request_.job.source.model_name) frame.model = shortened(*request_.job.source.model_name);
  HONE_TRY(fill_plan(frame, model.graph, plan, model.inputs, context_.blobs, blobs_));
  return frame;
}

void RunJob::set_timing(protocol::Execute& frame, const PlanTiming& timing, const package::ModelPlan& plan) {
  frame.repeats = timing.repeats;
  frame.timed_ms_max = timing.ms_max;
  if (timing.launches) frame.time_launches = true;
  frame.cap_ms = plan_cap_ms(plan, timing);
}

Result<PlanRunner::Answer> RunJob::execute(protocol::Execute frame) {
  auto done = std::make_shared<std::promise<Result<PlanRunner::Answer>>>();
  runner_->execute(std::move(frame), [done](Result<PlanRunner::Answer> answer) { done->set_value(std::move(answer)); });
  auto answer = done->get_future();
  double there_ms = context_.reactor.now_ms();
  while (answer.wait_for(kTellWaitingEvery) != std::future_status::ready) tell_waiting(&there_ms);
  return answer.get();
}

void RunJob::tell_running(std::string what) {
  running_ = std::move(what);
  send_progress(in_phase(protocol::JobPhase::kMeasuring, running_));
}

// there_ms: when the device was there last.
void RunJob::tell_waiting(double* there_ms) {
  const double now_ms = context_.reactor.now_ms();
  const tuner::RunnerWait wait = runner_->waits_for();
  auto progress =
      in_phase(wait.device_is_away ? protocol::JobPhase::kWaitingForDevice : protocol::JobPhase::kMeasuring, running_);
  if (!wait.device_is_away) *there_ms = now_ms;
  else progress.waits_for = wait.what, progress.waited_s = (now_ms - *there_ms) / 1000;
  send_waiting(std::move(progress));
}

}  // namespace hone::server
