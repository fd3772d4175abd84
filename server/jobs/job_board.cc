#include "server/jobs/job_board.h"

#include <random>

#include "base/cat.h"
#include "base/check.h"
#include "base/hash.h"
#include "server/jobs/bench_job.h"
#include "server/jobs/compare_builds_job.h"
#include "server/jobs/compare_job.h"
#include "server/jobs/run_job.h"
#include "server/jobs/tune_job.h"

namespace hone::server {

namespace {

std::unique_ptr<Job> make_job(Job::Request request, const JobContext& context, Job::Events events) {
  switch (request.job.kind) {
    case protocol::JobKind::kTune: return std::make_unique<TuneJob>(std::move(request), context, std::move(events));
    case protocol::JobKind::kBench: return std::make_unique<BenchJob>(std::move(request), context, std::move(events));
    case protocol::JobKind::kCompare: return std::make_unique<CompareJob>(std::move(request), context, std::move(events));
    case protocol::JobKind::kCompareBuilds: return std::make_unique<CompareBuildsJob>(std::move(request), context, std::move(events));
    case protocol::JobKind::kRun:
    case protocol::JobKind::kVerify: break;
  }
  return std::make_unique<RunJob>(std::move(request), context, std::move(events));
}

}  // namespace

std::string new_job_id(std::string_view kind) {
  std::random_device device;
  uint64_t bits = (static_cast<uint64_t>(device()) << 32) | device();
  return cat(kind, "-", Hash{bits, bits}.hex().substr(0, 12));
}

JobBoard::~JobBoard() { CHECK(jobs_.empty(), "a job outlives the service"); }

Status JobBoard::start(Job::Request request, Job::Events events) {
  const std::string id = request.id;
  auto on_end = [this, id, told = std::move(events.on_end)](Result<JobResult> result) {
    jobs_.erase(id);
    told(std::move(result));
  };
  std::unique_ptr<Job>& job = jobs_[id];
  job = make_job(std::move(request), context_, {std::move(events.on_progress), std::move(on_end)});
  const Status started = job->start();
  if (!started.ok()) jobs_.erase(id);
  return started;
}

void JobBoard::cancel(const std::string& id) {
  if (const auto found = jobs_.find(id); found != jobs_.end()) found->second->cancel();
}

}  // namespace hone::server
