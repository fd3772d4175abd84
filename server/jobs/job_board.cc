#include "server/jobs/job_board.h"

#include "base/cat.h"
#include "base/check.h"
#include "base/hash.h"
#include "server/jobs/bench_job.h"
#include "server/jobs/compare_job.h"
#include "server/jobs/limits.h"
#include "server/jobs/run_job.h"
#include "server/jobs/tune_job.h"

#include <random>

namespace hone::server {

namespace {

std::string new_job_id(std::string_view kind) {
  std::random_device device;
  uint64_t bits = (static_cast<uint64_t>(device()) << 32) | device();
  return cat(kind, "-", Hash{bits, bits}.hex().substr(0, 12));
}

ErrorCode outcome_of(const Result<JobResult>& result) {
  if (!result.ok()) return result.error().code;
  return result->cancelled ? ErrorCode::kCancelled : ErrorCode::kOk;
}

}  // namespace

JobBoard::~JobBoard() { CHECK(jobs_.empty(), "a job outlives the service"); }

Result<std::string> JobBoard::submit(protocol::JobRequest request, std::string user, SharedBytes payload,
                                     Job::Events events) {
  if (request.kind == protocol::JobKind::kVerify)
    return Error{ErrorCode::kUnsupported,
                 "jobs of the kind verify are not supported; tune, run, bench and compare are"};
  if (draining_)
    return Error{ErrorCode::kBusy, "the service stops and takes no new jobs; repeat the command when it is back"};
  if (jobs_.size() >= kJobsMax)
    return Error{ErrorCode::kBusy, cat("the service runs ", jobs_.size(), " jobs already; repeat when one has ended")};
  std::string id = new_job_id(protocol::to_name(request.kind));
  auto on_end = [this, id, user, told = std::move(events.on_end)](Result<JobResult> result) {
    jobs_.erase(id);
    ++context_.counts.ended[outcome_of(result)];
    tell("job_ended", {{"job", id}, {"user", user}, {"outcome", std::string(error_name(outcome_of(result)))}});
    told(std::move(result));
  };
  const protocol::JobKind kind = request.kind;
  const std::string what = request.source.op.value_or("a model"), target = request.target;
  Job::Request all{id, user, std::move(request), std::move(payload)};
  Job::Events told{std::move(events.on_progress), std::move(on_end)};
  std::unique_ptr<Job>& job = jobs_[id];
  if (kind == protocol::JobKind::kTune) job = std::make_unique<TuneJob>(std::move(all), context_, std::move(told));
  else if (kind == protocol::JobKind::kBench)
    job = std::make_unique<BenchJob>(std::move(all), context_, std::move(told));
  else if (kind == protocol::JobKind::kCompare)
    job = std::make_unique<CompareJob>(std::move(all), context_, std::move(told));
  else job = std::make_unique<RunJob>(std::move(all), context_, std::move(told));
  if (Status started = job->start(); !started.ok()) {
    jobs_.erase(id);
    return started.error();
  }
  tell("job_submitted", {{"job", id}, {"user", user}, {"source", what}, {"target", target}});
  return id;
}

Status JobBoard::cancel(const std::string& id, std::string_view why) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) return Error{ErrorCode::kNotFound, cat("no job ", id, " is running")};
  tell("job_cancelled", {{"job", id}, {"why", std::string(why)}});
  found->second->cancel();
  return ok_status();
}

void JobBoard::cancel_all(std::string_view why) {
  for (auto& [id, job] : jobs_) {
    tell("job_cancelled", {{"job", id}, {"why", std::string(why)}});
    job->cancel();
  }
}

void JobBoard::tell(std::string_view event, std::initializer_list<AuditLog::Field> fields) {
  if (audit_) audit_->tell(event, fields);
}

}  // namespace hone::server
