#include "server/jobs/tune_job.h"

#include <algorithm>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/json_text.h"
#include "base/log.h"
#include "codegen/emit/llvm/reference.h"
#include "server/agents/device_target.h"
#include "server/compile/compile_builder.h"
#include "server/compile/limits.h"
#include "server/jobs/compiler_version.h"
#include "server/jobs/known_first.h"
#include "server/jobs/limits.h"
#include "tuner/features/features.h"
#include "tuner/search/task_scheduler.h"

namespace hone::server {

namespace {

// Each worker computes one reference at a time; its outputs are kept.
int64_t reference_need(const JobTasks& tasks, int workers) {
  int64_t largest = 0, all = 0, kept = 0;
  for (const te::Task& task : tasks.tasks) {
    const int64_t bytes = emit::reference_bytes(task);
    largest = std::max(largest, bytes);
    all += bytes;
    for (te::Tensor output : task.program.outputs) kept += ir::element_count(output->shape) * int64_t{sizeof(float)};
  }
  return std::min(all, workers * largest) + std::min(kept, static_cast<int64_t>(kExpectedBytesMax));
}

constexpr const char* kOwnUser = "hone";  // who does what the service does of itself

}  // namespace

Result<JobResult> TuneJob::work() {
  HONE_ASSIGN(settings, tune_settings(request_.job));
  settings_ = settings;
  const bool model = request_.job.source.model_name.has_value();
  send_progress(in_phase(protocol::JobPhase::kPreparing, model ? "reading the model" : "reading the operator"));
  HONE_ASSIGN(import_memory, take_import_memory());
  auto usual = read_tasks(target::kRenderTargets, *prepare_cancel_);
  if (!usual.ok()) return usual.error();
  HONE_ASSIGN(memory, context_.memory.take(static_cast<double>(reference_need(**usual, context_.workers.threads())),
                                           "the references of its tasks"));
  // The runner keeps alive those that fit the device.
  const auto tasks = std::make_shared<std::shared_ptr<const JobTasks>>(std::move(*usual));
  HONE_ASSIGN(device, wait_for_device([this, tasks](const protocol::DeviceInfo& info) {
                if (!runner_)
                  runner_ = RunnerGroup::make({info.device_key, context_.reattach_ms, tasks}, context_.reactor,
                                              context_.expected, context_.workers);
                return runner_->add(info);
              }, devices_min()));
  ask_for_more(device, devices_wanted() - devices_min(),
               [runner = runner_](const protocol::DeviceInfo& info) { return runner->add(info); });
  Result<nlohmann::json> result = guarded([&] { return search(*tasks, device); });
  runner_->close();
  if (!result.ok()) return result.error();
  const bool cancelled = (*result)["cancelled"].get<bool>();
  return JobResult{std::move(*result), "", cancelled};
}

Result<std::shared_ptr<const JobTasks>> TuneJob::read_tasks(int64_t layers_max, const CancelToken& cancel) const {
  auto tasks = context_.tasks({request_.job, payload_, layers_max}, &cancel);
  return tasks.ok() ? tasks : why_not_prepared(tasks.error());
}

uint32_t TuneJob::devices_min() const { return std::clamp(request_.job.devices_min.value_or(1), 1u, kJobDevicesMax); }
uint32_t TuneJob::devices_wanted() const {
  return std::clamp(request_.job.devices.value_or(1), devices_min(), kJobDevicesMax);
}

// A model's values lie as a fragment of the device can write them. It was read once in the job's time, which the wait for the device may have
// outlasted.
Status TuneJob::fit(std::shared_ptr<const JobTasks>& tasks, const target::Target& target) {
  const int64_t layers_max = target.limits.render_targets_max;
  if (layers_max >= target::kRenderTargets) return ok_status();
  HONE_ASSIGN(fitting, read_tasks(layers_max, cancel_));
  tasks = std::move(fitting);
  return ok_status();
}

Result<nlohmann::json> TuneJob::search(std::shared_ptr<const JobTasks>& read, const protocol::DeviceInfo& device) {
  HONE_ASSIGN(target, target_of(device.fingerprint));
  HONE_TRY(fit(read, target));
  const JobTasks& tasks = *read;
  const std::vector<tuner::WeightedTask> weighted = tasks.weighted();
  for (size_t i : tuner::entry_order(weighted)) runner_->prepare_ahead(*weighted[i].task);
  CompileBuilder builder(target, context_.compile);
  const auto known_first = std::make_shared<KnownFirst>(runner_, context_.store, context_.under_way, context_.workers);
  LeasedStore store(context_.store, fences_,
                    [runner = runner_, known_first, &counts = context_.counts](const Hash& task, const Hash& source, int attempt) {
                      ++counts.results_settled;
                      runner->committed(task, source, attempt);
                      known_first->settled(task, source);
                    });
  tuner::TuneOptions options;
  options.trials_per_task =
      request_.job.trials == 0 ? kTrialsDefault : static_cast<int>(std::min<uint32_t>(request_.job.trials, kTrialsMax));
  options.samples = settings_.samples;
  options.cache = settings_.cache;
  options.model_bytes = model_bytes(tasks);
  options.rounds_in_flight = 1 + static_cast<int>(devices_wanted());
  options.time_s_max = request_.job.time_s;
  options.time_s_spent = spent_s();
  options.job_id = request_.id;
  options.target = request_.job.target;
  options.fingerprint_json = json_line(protocol::to_json(device.fingerprint));
  options.compiler_version = kCompilerVersion;
  options.feature_version = tuner::kFeatureVersion;
  auto report = tuner::tune(weighted, context_.planner(target, request_.job.seed, settings_.strategy), builder,
                            *known_first, store, options, context_.workers, *this, cancel_);
  known_first->close();
  if (!report.ok()) return report.error();
  if (Status checked = guarded([&] { return check(*read, *report, builder, store, options); }); !checked.ok())
    log_warn(cat("the winners are not checked: ", checked.error().message), {{"job", request_.id}});
  return with_stats(*report, builder.timings());
}

Status TuneJob::check(const JobTasks& tasks, const tuner::TuneReport& report, tuner::Builder& builder, tuner::RecordStore& own,
                      const tuner::TuneOptions& options) {
  const double left_s = options.time_s_max > 0 ? options.time_s_max - spent_s() : kCheckS;
  if (report.cancelled || left_s <= 0) return ok_status();
  const std::string device_key = runner_->device_key();
  HONE_ASSIGN(winners, unconfirmed_winners(context_.store, device_key, tasks.weighted(), report, options.cache));
  if (winners.empty()) return ok_status();
  const auto checker = RunnerGroup::make({device_key, context_.reattach_ms, runner_}, context_.reactor, context_.expected, context_.workers);
  if (!spare_device(device_key, runner_->enrolments(), [checker](const protocol::DeviceInfo& info) { return checker->add(info); }))
    return ok_status();
  send_progress(in_phase(protocol::JobPhase::kMeasuring, "another device of the class measures the fastest kernels once more"));
  LeasedStore store(context_.store, fences_, [checker](const Hash& task, const Hash& source, int attempt) {
    checker->committed(task, source, attempt);
  });
  const Status checked = check_winners(winners, builder, {{*runner_, own}, {*checker, store}}, options, std::min(left_s, kCheckS), cancel_);
  checker->close();
  HONE_TRY(checked);
  HONE_ASSIGN(biased, doubt_biased(context_.store, device_key));
  for (const tuner::Bias& one : biased) quarantine(one);
  return ok_status();
}

void TuneJob::quarantine(const tuner::Bias& bias) {
  const std::string reason = text_of(bias);
  log_warn(cat("a device is taken out of service: ", reason), {{"agent", bias.agent}, {"device", bias.device}});
  context_.reactor.post([&tracker = context_.tracker, audit = context_.audit, bias, reason] {
    tracker.manage({.device_id = bias.device, .action = protocol::DeviceAction::kQuarantine, .reason = reason}, kOwnUser,
                   [audit, bias, reason](const Result<protocol::DeviceManaged>& managed) {
                     if (managed.ok() && audit)
                       audit->tell("device_quarantined", {{"device", bias.device}, {"agent", bias.agent}, {"reason", reason}, {"user", kOwnUser}});
                   });
  });
}

nlohmann::json TuneJob::with_stats(const tuner::TuneReport& report, const Timings& builds) const {
  nlohmann::json result = nlohmann::json::parse(json_line(tuner::to_json(report)));
  double encode_ms = runner_->encode_timings().median_ms();
  const int devices = runner_->devices_used();
  const double device_s = runner_->device_ms() / 1000 / std::max(1, devices);
  result["stats"] = {{"devices", devices},
                     {"device_work_share", report.wall_s > 0 ? device_s / report.wall_s : 0},
                     {"server_ms_per_candidate_median", builds.median_ms() + encode_ms},
                     {"build_ms_median", builds.median_ms()},
                     {"encode_ms_median", encode_ms},
                     {"candidates_built", builds.count()}};
  return result;
}

void TuneJob::on_progress(const tuner::TuneProgress& progress) {
  pace_.note(progress.elapsed_s, progress.trials_new);
  bool last = progress.trials >= progress.trials_planned;
  double now_ms = context_.reactor.now_ms();
  if (!last && progress.waits_for.empty() && now_ms - progress_sent_ms_ < kProgressEveryMs) return;
  progress_sent_ms_ = now_ms;

  protocol::JobProgress frame =
      in_phase(progress.device_is_away ? protocol::JobPhase::kWaitingForDevice : protocol::JobPhase::kMeasuring);
  if (!progress.waits_for.empty()) {
    frame.waits_for = progress.waits_for;
    frame.waited_s = progress.waited_s;
  }
  frame.task = progress.task ? progress.task->name : "";
  frame.tasks_done = static_cast<uint32_t>(progress.tasks_measured);
  frame.tasks_total = static_cast<uint32_t>(progress.tasks);
  frame.trials_done = static_cast<uint32_t>(progress.trials);
  frame.trials_total = static_cast<uint32_t>(progress.trials_planned);
  frame.best_us = progress.best_us;
  if (progress.naive_us > 0) frame.naive_us = progress.naive_us;
  if (progress.latency_us > 0) frame.measured_us = progress.latency_us;
  if (progress.predicted_us > 0) frame.predicted_us = progress.predicted_us;
  if (!progress.errors.empty()) frame.errors.emplace(progress.errors.begin(), progress.errors.end());
  frame.trials_per_second = pace_.trials_per_second();
  frame.left_s = pace_.left_s(progress.trials_planned - progress.trials, request_.job.time_s);
  frame.message = progress.message.substr(0, 400);
  progress.waits_for.empty() ? send_progress(std::move(frame)) : send_waiting(std::move(frame));
}

}  // namespace hone::server
