#include "server/jobs/tune_job.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "base/cat.h"
#include "server/agents/device_target.h"
#include "server/compile/compile_builder.h"
#include "server/jobs/limits.h"
#include "tuner/features/features.h"

namespace hone::server {

namespace {

constexpr const char* kCompilerVersion = "hone " HONE_VERSION;

int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

protocol::JobProgress in_phase(const std::string& job, protocol::JobPhase phase, std::string message = "") {
  protocol::JobProgress progress;
  progress.job = job;
  progress.phase = phase;
  progress.message = std::move(message);
  return progress;
}

}  // namespace

TuneJob::TuneJob(Request request, const JobContext& context, Events events)
    : request_(std::move(request)), context_(context), events_(std::move(events)), thread_([this] { run(); }) {}

TuneJob::~TuneJob() { thread_.join(); }

void TuneJob::cancel() {
  cancel_.cancel();
  if (lease_) lease_->stop_waiting();
}

void TuneJob::run() {
  started_unix_ms_ = unix_ms();
  Result<nlohmann::json> result = work();
  if (result.ok()) put_job("done", "");
  else put_job(result.error().code == ErrorCode::kCancelled ? "cancelled" : "failed", result.error().message);
  context_.reactor.post([this, result = std::move(result)]() mutable {
    if (lease_) lease_->stop();
    // The callback may destroy this job.
    auto on_end = events_.on_end;
    on_end(std::move(result));
  });
}

Result<nlohmann::json> TuneJob::work() {
  put_job("running", "");
  send_progress(in_phase(request_.id, protocol::JobPhase::kPreparing, "reading the source"));
  HONE_ASSIGN(tasks, job_tasks(request_.job, request_.model_bytes));
  send_progress(in_phase(request_.id, protocol::JobPhase::kWaitingForDevice, "waiting for a device"));
  HONE_ASSIGN(device, wait_for_device(tasks));
  device_key_ = device.device_key;
  put_job("running", "");
  Result<nlohmann::json> result = search(*tasks, device);
  runner_->close();
  return result;
}

Result<protocol::DeviceInfo> TuneJob::wait_for_device(std::shared_ptr<const JobTasks> tasks) {
  auto found = std::make_shared<std::promise<Result<protocol::DeviceInfo>>>();
  std::future<Result<protocol::DeviceInfo>> device = found->get_future();
  double wait_s = request_.job.device_wait_s.value_or(kDeviceWaitDefaultS);
  tracker::LeaseRequest lease{.selector = request_.job.selector,
                              .target = request_.job.target,
                              .job = request_.id,
                              .user = request_.user,
                              .priority = request_.job.priority.value_or(0),
                              .wait = std::chrono::milliseconds(static_cast<int64_t>(wait_s * 1000))};
  auto make_runner = [this, tasks](const protocol::DeviceInfo& info) {
    runner_ = AgentRunner::make({info.device_key, context_.reattach_ms, tasks}, context_.reactor, context_.expected,
                                context_.workers);
    return runner_;
  };
  DeviceLease::Config config{
      .request = std::move(lease),
      .reacquire_ms = context_.reattach_ms,
      .make_runner = make_runner,
      .on_first = [found](Result<protocol::DeviceInfo> info) { found->set_value(std::move(info)); }};
  context_.reactor.post([this, config = std::move(config)]() mutable {
    lease_ = std::make_shared<DeviceLease>(std::move(config), context_.tracker, context_.desk, fence_);
    lease_->start();
    if (cancel_.cancelled()) lease_->stop_waiting();
  });
  return device.get();
}

Result<nlohmann::json> TuneJob::search(const JobTasks& tasks, const protocol::DeviceInfo& device) {
  HONE_ASSIGN(target, target_of(device.fingerprint));
  for (const te::Task& task : tasks.tasks) runner_->prepare_ahead(task);
  CompileBuilder builder(target);
  LeasedStore store(context_.store, fence_, [runner = runner_](const Hash& task, const Hash& source, int attempt) {
    runner->committed(task, source, attempt);
  });
  tuner::TuneOptions options;
  options.trials_per_task =
      request_.job.trials == 0 ? kTrialsDefault : static_cast<int>(std::min<uint32_t>(request_.job.trials, kTrialsMax));
  options.time_s_max = request_.job.time_s;
  options.job_id = request_.id;
  options.target = request_.job.target;
  options.fingerprint_json = protocol::to_json(device.fingerprint).dump();
  options.compiler_version = kCompilerVersion;
  options.feature_version = tuner::kFeatureVersion;
  auto report = tuner::tune(tasks.weighted(), context_.planner(target, request_.job.seed), builder, *runner_, store,
                            options, context_.workers, *this, cancel_);
  if (!report.ok()) return report.error();
  if (report->cancelled) return Error{ErrorCode::kCancelled, report->stopped_because};
  return with_stats(*report, builder.timings());
}

nlohmann::json TuneJob::with_stats(const tuner::TuneReport& report, const Timings& builds) const {
  nlohmann::json result = nlohmann::json::parse(tuner::to_json(report).dump());
  double encode_ms = runner_->encode_timings().median_ms();
  result["stats"] = {{"device_work_share", report.wall_s > 0 ? runner_->device_ms() / 1000 / report.wall_s : 0},
                     {"server_ms_per_candidate_median", builds.median_ms() + encode_ms},
                     {"build_ms_median", builds.median_ms()},
                     {"encode_ms_median", encode_ms},
                     {"candidates_built", builds.count()}};
  return result;
}

void TuneJob::on_progress(const tuner::TuneProgress& progress) {
  recent_.emplace_back(progress.elapsed_s, progress.trials_new);
  while (recent_.size() > 2 && progress.elapsed_s - recent_.front().first > kRateWindowS) recent_.pop_front();
  bool last = progress.trials >= progress.trials_planned;
  double now_ms = context_.reactor.now_ms();
  if (!last && now_ms - progress_sent_ms_ < kProgressEveryMs) return;
  progress_sent_ms_ = now_ms;

  protocol::JobProgress frame = in_phase(request_.id, protocol::JobPhase::kMeasuring);
  frame.task = progress.task ? progress.task->name : "";
  frame.tasks_done = static_cast<uint32_t>(progress.tasks_done);
  frame.tasks_total = static_cast<uint32_t>(progress.tasks);
  frame.trials_done = static_cast<uint32_t>(progress.trials);
  frame.trials_total = static_cast<uint32_t>(progress.trials_planned);
  frame.best_us = progress.best_us;
  double span_s = recent_.back().first - recent_.front().first;
  frame.trials_per_second = span_s > 0 ? (recent_.back().second - recent_.front().second) / span_s : 0;
  double left = frame.trials_per_second > 0 ? (progress.trials_planned - progress.trials) / frame.trials_per_second : 0;
  double time_left = request_.job.time_s > 0 ? std::max(0.0, request_.job.time_s - progress.elapsed_s) : left;
  frame.left_s = request_.job.time_s > 0 && left > 0 ? std::min(left, time_left) : time_left;
  frame.message = progress.message.substr(0, 400);
  send_progress(std::move(frame));
}

void TuneJob::send_progress(protocol::JobProgress progress) {
  context_.reactor.post([this, progress = std::move(progress)]() mutable { events_.on_progress(std::move(progress)); });
}

void TuneJob::put_job(const std::string& state, const std::string& message) {
  tuner::JobInfo info;
  info.id = request_.id;
  info.kind = "tune";
  info.state = state;
  info.device_key = device_key_;
  info.request_json = protocol::to_json(request_.job).dump();
  info.message = message;
  info.started_unix_ms = started_unix_ms_;
  info.ended_unix_ms = state == "running" ? 0 : unix_ms();
  if (Status stored = context_.store.put_job(info); !stored.ok())
    spdlog::error("the job's state is not stored: {}", stored.error().message);
}

}  // namespace hone::server
