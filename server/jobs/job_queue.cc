#include "server/jobs/job_queue.h"

#include <algorithm>
#include <tuple>

#include "base/cat.h"
#include "base/guarded.h"
#include "base/log.h"
#include "server/jobs/limits.h"
#include "server/jobs/submission_rows.h"

namespace hone::server {

namespace {

using protocol::JobState;

std::string name_of(JobState state) { return std::string(protocol::to_name(state)); }

}  // namespace

void JobQueue::Later::operator()(std::function<void()> work) const {
  reactor->post([alive = alive, work = std::move(work)] {
    if (!alive.expired()) work();
  });
}

// ---- From an earlier process ----

void JobQueue::resume(tuner::JobStore::Loaded loaded, bool resumes) {
  next_place_ = loaded.next_place;
  for (tuner::Submission& row : loaded.open) {
    if (!row.detached) {
      close_row(std::move(row), JobState::kLost, {ErrorCode::kIoError, "the service ended before the job did; repeat the command: a search goes on from the records"});
    } else if (resumes && row.state == name_of(JobState::kRunning) && row.starts >= kJobStartsMax) {
      const Error why{ErrorCode::kInternal, cat("the service ended ", row.starts, " times while this job ran, and does not begin it again; submit it again if that had another reason")};
      close_row(std::move(row), JobState::kFailed, why);
    } else if (resumes) {
      if (!row.model_sha256.empty()) config_.models.keep_known(row.model_sha256);
      row.state = name_of(JobState::kQueued);
      Open& open = open_[row.id];
      open.row = std::move(row);
      open.stage = Stage::kQueued;
    }
  }
  if (resumes) config_.models.remove_unknown();
  // Once the loop turns: a service that cannot listen has begun none.
  later()([this] { begin_some(); });
}

void JobQueue::close_row(tuner::Submission row, JobState state, const Error& why) {
  end_row(row, state, why);
  log_warn(cat("the job ", row.id, " of ", row.user, " is ", row.state, ": ", row.message), {{"job", row.id}});
  count_end(row);
  config_.store.put(std::move(row), [](const Status& stored) {
    if (!stored.ok()) log_error(cat("a job's end is not stored: ", stored.error().message));
  });
}

// ---- Submission ----

Status JobQueue::may_submit(const Request& request) const {
  const auto busy = [](const std::string& why) { return Error{ErrorCode::kBusy, why}; };
  if (request.job.kind == protocol::JobKind::kVerify)
    return Error{ErrorCode::kUnsupported, "jobs of the kind verify are not supported; tune, run, bench and compare are"};
  HONE_TRY(within_quota(request));
  if (draining_) return busy("the service stops and takes no new jobs; repeat the command when it is back");
  if (!request.detached) {
    const size_t running = count_if([](const Open& open) { return open.stage != Stage::kQueued; });
    return running < kJobsMax ? ok_status() : Status(busy(cat("the service runs ", running, " jobs already; repeat when one has ended")));
  }
  if (request.job.kind != protocol::JobKind::kTune)
    return Error{ErrorCode::kUnsupported, "found a detached job that is no search; only hone tune goes on without its client"};
  const size_t own = count_if([&](const Open& open) { return open.row.detached && open.row.user == request.user; });
  if (own >= kQueuedPerUserMax)
    return Error{ErrorCode::kLimitExceeded, cat(request.user, " has ", own, " detached jobs that have not ended, which is the most of one user; wait for some, or cancel some: hone jobs cancel ID")};
  if (const size_t all = count_if([](const Open& open) { return open.row.detached; }); all >= kQueuedMax)
    return busy(cat("the service has ", all, " detached jobs that have not ended, and takes no more; repeat when some have"));
  if (const size_t storing = count_if([](const Open& open) { return open.stores_model; }); storing >= kStoringMax)
    return busy(cat("the service stores the models of ", storing, " jobs at this moment; repeat the command"));
  return ok_status();
}

Status JobQueue::within_quota(const Request& request) const {
  const protocol::Quota& quota = request.quota;
  size_t jobs = 1, bytes = request.payload ? request.payload->size() : 0;
  for (const auto& [id, open] : open_) {
    if (open.row.user != request.user) continue;
    ++jobs;
    bytes += static_cast<size_t>(std::max<int64_t>(0, open.row.payload_bytes));
  }
  const auto beyond = [&](const std::string& what) {
    return Error{ErrorCode::kLimitExceeded, cat("with this job ", request.user, " would have ", what, "; wait for some jobs, or cancel some (hone jobs cancel ID)")};
  };
  if (quota.jobs_max > 0 && jobs > quota.jobs_max) return beyond(cat(jobs, " jobs, and may have ", quota.jobs_max));
  if (quota.bytes_max > 0 && bytes > quota.bytes_max) return beyond(cat("models and inputs of ", bytes, " bytes, and may have ", quota.bytes_max));
  return ok_status();
}

void JobQueue::submit(Request request, Job::Events events, Accepted accepted) {
  if (const Status may = may_submit(request); !may.ok()) return accepted(may.error());
  tuner::Submission row = submission_of(request.job, request.user, request.detached);
  if (row.request_json.size() > kQueuedRequestBytesMax)
    return accepted(Error{ErrorCode::kLimitExceeded, cat("the request has ", row.request_json.size(), " bytes; a detached job's has ", kQueuedRequestBytesMax, " at most")});
  row.id = new_job_id(row.kind);
  row.payload_bytes = request.payload ? static_cast<int64_t>(request.payload->size()) : 0;
  row.user_devices_max = static_cast<int64_t>(request.quota.devices_max);
  row.place = next_place_++;
  const std::string id = row.id;
  Open& open = open_[id];
  open.row = std::move(row);
  open.accepted = std::move(accepted);
  if (request.detached && request.payload && !request.payload->empty()) return store_model(open, std::move(request.payload));
  if (!request.detached) {
    // It begins as it is stored.
    open.payload = std::move(request.payload);
    open.job = std::move(request.job);
    open.followers[next_follower()] = std::move(events);
    open.row.state = name_of(JobState::kRunning);
    open.row.starts = 1;
    open.row.started_unix_ms = open.row.submitted_unix_ms;
  }
  put(open, [this, id](const Status& status) { on_stored(id, status); });
}

// The worker lets go of it: to free a gigabyte takes the network thread too long.
void JobQueue::store_model(Open& open, SharedBytes model) {
  open.stores_model = true;
  config_.workers.post([to = later(), this, &models = config_.models, id = open.row.id, model = std::move(model)]() mutable {
    const auto kept = guarded([&] { return models.keep(*model); });
    model.reset();
    to([this, id, kept] {
      Open& open = open_.at(id);
      open.stores_model = false;
      if (!kept.ok()) return on_stored(id, kept.error());
      open.row.model_sha256 = *kept;
      put(open, [this, id](const Status& status) { on_stored(id, status); });
    });
  });
}

void JobQueue::put(Open& open, std::function<void(const Status&)> then) {
  const bool tells = std::exchange(open.told_state, open.row.state) != open.row.state;
  config_.store.put(open.row, [this, to = later(), tells, row = tells ? open.row : tuner::Submission(), then = std::move(then)](const Status& status) {
    to([this, tells, row, then, status] {
      if (tells && status.ok()) tell_watchers(row);
      then(status);
    });
  });
}

void JobQueue::on_stored(const std::string& id, const Status& status) {
  Open& open = open_.at(id);
  const Accepted accepted = std::exchange(open.accepted, nullptr);
  if (!status.ok()) {
    forget(id);
    return accepted(status.error());
  }
  open.stage = open.row.detached ? Stage::kQueued : Stage::kBeginning;
  tell("job_submitted", {{"job", id}, {"user", open.row.user}, {"source", open.row.source}, {"target", open.row.target}});
  accepted(id);
  if (!open.row.detached) return on_begun(id, ok_status());
  if (!open.cancelled_because.empty()) return end(open, Error{ErrorCode::kCancelled, "the job was cancelled"});
  begin_some();
}

void JobQueue::forget(const std::string& id) {
  const auto node = open_.extract(id);
  if (const std::string& model = node.mapped().row.model_sha256; !model.empty())
    config_.workers.post([&models = config_.models, model] { models.drop(model); });
}

// ---- Beginning ----

void JobQueue::begin_some() {
  if (draining_) return;
  while (Open* open = next_to_begin()) begin(*open);
}

// The most urgent; then one of the user who has the fewest running; then the oldest. Half of the places are for jobs that somebody waits for.
JobQueue::Open* JobQueue::next_to_begin() {
  std::map<std::string, size_t> running;
  size_t all = 0, detached = 0;
  for (const auto& [id, open] : open_) {
    if (open.stage == Stage::kQueued) continue;
    ++all;
    if (open.row.detached && open.stage != Stage::kStoring) ++detached, ++running[open.row.user];
  }
  if (all >= kJobsMax || detached >= kDetachedRunningMax) return nullptr;
  Open* best = nullptr;
  const auto rank = [&running](const Open& open) { return std::tuple(-open.row.priority, running[open.row.user], open.row.place); };
  for (auto& [id, open] : open_)
    if (open.stage == Stage::kQueued && (!best || rank(open) < rank(*best))) best = &open;
  return best;
}

void JobQueue::begin(Open& open) {
  open.stage = Stage::kBeginning;
  open.row.state = name_of(JobState::kRunning);
  ++open.row.starts;
  open.row.started_unix_ms = unix_ms_now();
  open.latest.reset();
  open.told_ms = 0;
  put(open, [this, id = open.row.id](const Status& status) { on_begun(id, status); });
}

void JobQueue::on_begun(const std::string& id, const Status& status) {
  Open& open = open_.at(id);
  if (!open.cancelled_because.empty()) return end(open, Error{ErrorCode::kCancelled, "the job was cancelled"});
  if (open.row.detached && (stopping_ || !status.ok())) return put_back(open);
  if (stopping_) return end(open, Error{ErrorCode::kCancelled, "the service stops"});
  if (open.row.model_sha256.empty()) return run(id, std::exchange(open.payload, nullptr));
  config_.workers.post([to = later(), this, &models = config_.models, id, sha256 = open.row.model_sha256] {
    to([this, id, payload = guarded([&] { return models.read(sha256); })] { run(id, payload); });
  });
}

void JobQueue::run(const std::string& id, const Result<SharedBytes>& payload) {
  Open& open = open_.at(id);
  if (!open.cancelled_because.empty()) return end(open, Error{ErrorCode::kCancelled, "the job was cancelled"});
  if (stopping_ && open.row.detached) return put_back(open);
  auto job = open.job ? Result<protocol::JobRequest>(*std::exchange(open.job, std::nullopt)) : request_of(open.row);
  if (!payload.ok() || !job.ok()) return end(open, payload.ok() ? job.error() : payload.error());
  open.stage = Stage::kRunning;
  const Status started = config_.board.start({id, open.row.user, std::move(*job), *payload, static_cast<size_t>(std::max<int64_t>(0, open.row.user_devices_max))},
                                             {.on_progress = [this, id](const protocol::JobProgress& progress) { on_progress(id, progress); },
                                              .on_end = [this, id](Result<JobResult> result) { on_end(id, std::move(result)); }});
  if (!started.ok()) end(open, started.error());
}

// It did not end the process: that start does not count. What cannot be stored now is tried again, or stands as running in the store, which resumes it as well.
void JobQueue::put_back(Open& open) {
  open.row.state = name_of(JobState::kQueued);
  --open.row.starts;
  open.stage = Stage::kEnding;
  put(open, [this, id = open.row.id](const Status& status) {
    open_.at(id).stage = Stage::kQueued;
    if (stopping_ || std::exchange(retries_, true)) return;
    if (!status.ok()) log_warn(cat("jobs wait, because nothing can be stored: ", status.error().message));
    config_.reactor.after(kBeginAgainMs, [this] {
      retries_ = false;
      begin_some();
    });
  });
}

// ---- Until its end ----

void JobQueue::on_progress(const std::string& id, const protocol::JobProgress& progress) {
  const auto found = open_.find(id);
  if (found == open_.end() || found->second.stage != Stage::kRunning) return;  // what the tracker was asked for it came after its end
  Open& open = found->second;
  const double now_ms = config_.reactor.now_ms(), before_ms = std::exchange(open.told_ms, now_ms);
  const bool waited = open.latest && open.latest->phase == protocol::JobPhase::kWaitingForDevice;
  if (before_ms > 0 && !waited) open.row.spent_s += (now_ms - before_ms) / 1000;
  if (open.row.detached && open.row.spent_s >= open.spent_stored_s + kSpentStoredEveryS) {
    open.spent_stored_s = open.row.spent_s;
    put(open, [](const Status&) {});
  }
  open.latest = progress;
  for (const auto& [number, events] : open.followers) events.on_progress(progress);
}

void JobQueue::on_end(const std::string& id, Result<JobResult> result) {
  Open& open = open_.at(id);
  if (stopping_ && open.row.detached && open.cancelled_because.empty() && (!result.ok() || result->cancelled)) return put_back(open);
  end(open, std::move(result));
}

void JobQueue::end(Open& open, Result<JobResult> result) {
  open.stage = Stage::kEnding;
  end_row(open.row, result);
  count_end(open.row);
  put(open, [this, id = open.row.id, result = std::make_shared<Result<JobResult>>(std::move(result))](const Status& stored) {
    if (!stored.ok()) log_error(cat("the job's end is not stored: ", stored.error().message), {{"job", id}});
    const auto followers = std::move(open_.at(id).followers);
    forget(id);
    for (const auto& [number, events] : followers) events.on_end(*result);
    begin_some();
  });
}

void JobQueue::count_end(const tuner::Submission& row) {
  const ErrorCode outcome = row.outcome.value_or(ErrorCode::kInternal);
  ++config_.counts.ended[outcome];
  tell("job_ended", {{"job", row.id}, {"user", row.user}, {"outcome", std::string(error_name(outcome))}});
}

// ---- The end of the service ----

void JobQueue::stop() {
  draining_ = stopping_ = true;
  for (auto& [id, open] : open_) {
    if (open.stage != Stage::kRunning) continue;
    if (!open.row.detached) tell("job_cancelled", {{"job", id}, {"why", "the service stops"}});
    config_.board.cancel(id);
  }
}

bool JobQueue::is_idle() const { return queued() == open_.size(); }
size_t JobQueue::queued() const {
  return count_if([](const Open& open) { return open.stage == Stage::kQueued; });
}

size_t JobQueue::count_if(const std::function<bool(const Open&)>& is) const {
  return static_cast<size_t>(std::count_if(open_.begin(), open_.end(), [&is](const auto& entry) { return is(entry.second); }));
}

void JobQueue::tell(std::string_view event, std::initializer_list<AuditLog::Field> fields) {
  if (config_.audit) config_.audit->tell(event, fields);
}

}  // namespace hone::server
