#include "server/jobs/job.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/number_text.h"
#include "base/printable_text.h"
#include "server/jobs/limits.h"

namespace hone::server {

namespace {

int64_t unix_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What such a request waits for, of a job that has no device yet.
std::string awaited(const tracker::LeaseRequest& request, const tracker::Missing& missing) {
  const std::string which = request.selector.empty() ? "" : cat(" that fits '", request.selector, "'");
  return missing.why.empty() ? which : cat(which, ", for ", std::lround(request.wait.count() / 1000.0), " s: ", missing.why);
}

}  // namespace

Job::Job(Request request, const JobContext& context, Events events)
    : request_{std::move(request.id), std::move(request.user), std::move(request.job), nullptr}, context_(context), events_(std::move(events)), received_(std::move(request.payload)) {}

Job::~Job() {
  if (thread_.joinable()) thread_.join();
}

Status Job::start() {
  if (request_.job.time_s > 0) {
    const double left_s = std::max(0.0, request_.job.time_s - request_.job.time_spent_s.value_or(0));
    context_.reactor.after(left_s * 1000, [token = prepare_cancel_] { token->cancel(); });
  }
  return guarded([this] {
    thread_ = std::thread([this] { run(); });
    return ok_status();
  });
}

void Job::cancel() {
  cancel_.cancel();
  prepare_cancel_->cancel();
  for (const auto& lease : leases_) lease->stop_waiting();
  on_cancel();
}

void Job::run() {
  started_unix_ms_ = unix_ms();
  started_ms_ = context_.reactor.now_ms();
  // Where this cannot be stored, no measurement can.
  const Status begun = put_job("running", "");
  Result<JobResult> result = begun.ok() ? guarded([this]() -> Result<JobResult> {
    HONE_TRY(take_payload());
    return work();
  }) : begun.error();
  // It travels in one frame, whatever names it quotes.
  if (!result.ok()) result = Error{result.error().code, shortened(result.error().message)};
  if (begun.ok()) put_end(result);
  context_.reactor.post([this, result = std::move(result)]() mutable {
    for (const auto& lease : leases_) lease->stop();
    // The callback may destroy this job.
    auto on_end = events_.on_end;
    on_end(std::move(result));
  });
}

Status Job::take_payload() {
  HONE_ASSIGN(taken, SharedMemory::of(received_ ? *received_ : std::string_view()));
  payload_ = std::move(taken);
  received_.reset();
  return ok_status();
}

double Job::spent_s() const {
  const double here_ms = context_.reactor.now_ms() - started_ms_ - device_wait_ms_;
  return request_.job.time_spent_s.value_or(0) + here_ms / 1000;
}

Error Job::why_not_prepared(const Error& error) const {
  if (error.code != ErrorCode::kCancelled || cancel_.cancelled()) return error;
  return {ErrorCode::kTimeout,
          cat("the time limit of ", given_text(request_.job.time_s),
              " s was reached before the first measurement; give more with --time, or a smaller model")};
}

Result<MemoryBudget::Share> Job::take_import_memory() {
  return context_.memory.take(kImportCopies * static_cast<double>(payload_.bytes()->size()), "reading the model");
}

tracker::LeaseRequest Job::lease_request(double wait_s) const {
  return {.selector = request_.job.selector,
          .target = request_.job.target,
          .job = request_.id,
          .user = request_.user,
          .priority = request_.job.priority.value_or(0),
          .user_devices_max = request_.user_devices_max,
          .wait = std::chrono::milliseconds(static_cast<int64_t>(wait_s * 1000))};
}

void Job::start_leases(DeviceLease::Config config, size_t count) {
  context_.reactor.post([this, count, config = std::move(config)]() mutable {
    std::vector<std::shared_ptr<DeviceLease>> together;
    for (; together.size() < count; config.on_first = [](const Result<protocol::DeviceInfo>&) {})
      together.push_back(std::make_shared<DeviceLease>(config, context_.tracker, context_.desk, fences_));
    leases_.insert(leases_.end(), together.begin(), together.end());
    DeviceLease::start_together(together);
    if (cancel_.cancelled())
      for (const auto& lease : together) lease->stop_waiting();
  });
}

void Job::ask_for_more(const protocol::DeviceInfo& device, uint32_t count, MakeUser make_user) {
  tracker::LeaseRequest more = lease_request(kMoreDevicesWaitS);
  more.device_key = device.device_key;
  more.priority -= 1;
  for (uint32_t i = 0; i < count; ++i)
    start_leases({.request = more,
                  .reacquire_ms = context_.reattach_ms,
                  .make_user = make_user,
                  .on_first = [](const Result<protocol::DeviceInfo>&) {},
                  .keeps_asking = true});
}

std::optional<protocol::DeviceInfo> Job::spare_device(const std::string& device_key, std::vector<std::string> not_of, MakeUser make_user) {
  auto found = std::make_shared<std::promise<Result<protocol::DeviceInfo>>>();
  tracker::LeaseRequest request = lease_request(0);
  request.selector.clear();
  request.device_key = device_key;
  request.not_of = std::move(not_of);
  // The thread of the job waits meanwhile: it is there when the answer comes.
  context_.reactor.post([this, found, request = std::move(request), make_user = std::move(make_user)]() mutable {
    context_.tracker.why_none(request, [this, found, request, make_user](const tracker::Missing& missing) {
      if (!missing.why.empty()) return found->set_value(Error{ErrorCode::kNoDevice, missing.why});
      start_leases({.request = request,
                    .reacquire_ms = 0,
                    .make_user = make_user,
                    .on_first = [found](Result<protocol::DeviceInfo> info) { found->set_value(std::move(info)); }});
    });
  });
  Result<protocol::DeviceInfo> device = found->get_future().get();
  return device.ok() ? std::optional(std::move(*device)) : std::nullopt;
}

Result<protocol::DeviceInfo> Job::wait_for_device(MakeUser make_user, size_t count) {
  auto found = std::make_shared<std::promise<Result<protocol::DeviceInfo>>>();
  double wait_s = request_.job.device_wait_s.value_or(kDeviceWaitDefaultS);
  context_.reactor.post([this, count, request = lease_request(wait_s)]() mutable {
    request.count = count;
    const std::string what = count == 1 ? "a device" : cat(count, " devices of one class at once");
    auto waiting = in_phase(protocol::JobPhase::kWaitingForDevice, cat("waiting for ", what));
    context_.tracker.why_none(request, [request, waiting, on_progress = events_.on_progress](const tracker::Missing& missing) {
      protocol::JobProgress progress = waiting;
      progress.message += awaited(request, missing);
      // Nobody has to bring another one.
      if (missing.one_fits) progress.waits_for = cat("a device", awaited(request, missing));
      on_progress(std::move(progress));
    });
  });
  start_leases({.request = lease_request(wait_s),
                .reacquire_ms = context_.reattach_ms,
                .make_user = std::move(make_user),
                .on_first = [found](Result<protocol::DeviceInfo> info) { found->set_value(std::move(info)); }},
               count);
  const double asked_ms = context_.reactor.now_ms();
  Result<protocol::DeviceInfo> device = found->get_future().get();
  device_wait_ms_ += context_.reactor.now_ms() - asked_ms;
  if (device.ok()) {
    device_key_ = device->device_key;
    device_id_ = device->device_id;
    (void)put_job("running", "");
  }
  return device;
}

protocol::JobProgress Job::in_phase(protocol::JobPhase phase, std::string message) const {
  protocol::JobProgress progress;
  progress.job = request_.id;
  progress.phase = phase;
  progress.message = std::move(message);
  return progress;
}

void Job::send_progress(protocol::JobProgress progress) {
  context_.reactor.post([this, progress = std::move(progress)]() mutable { events_.on_progress(std::move(progress)); });
}

void Job::send_waiting(protocol::JobProgress progress) {
  // The answer may come after the job's end.
  context_.reactor.post([this, device = device_id_, progress = std::move(progress)] {
    context_.tracker.why_not_ready(device, [progress, on_progress = events_.on_progress](const std::string& why) {
      protocol::JobProgress told = progress;
      if (!why.empty()) told.waits_for = cat("the device: ", why);
      on_progress(std::move(told));
    });
  });
}

void Job::put_end(const Result<JobResult>& result) {
  if (result.ok()) (void)put_job(result->cancelled ? "cancelled" : "done", "");
  else (void)put_job(result.error().code == ErrorCode::kCancelled ? "cancelled" : "failed", result.error().message);
}

Status Job::put_job(const std::string& state, const std::string& message) {
  tuner::JobInfo info;
  info.id = request_.id;
  info.kind = protocol::to_name(request_.job.kind);
  info.state = state;
  info.device_key = device_key_;
  info.request_json = json_line(protocol::to_json(request_.job));
  info.message = message;
  info.started_unix_ms = started_unix_ms_;
  info.ended_unix_ms = state == "running" ? 0 : unix_ms();
  Status stored = context_.store.put_job(info);
  if (!stored.ok()) log_error(cat("the job's state is not stored: ", stored.error().message), {{"job", request_.id}});
  return stored;
}

}  // namespace hone::server
