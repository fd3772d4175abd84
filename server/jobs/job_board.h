// JobBoard: the running jobs. Network thread only.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "server/jobs/job.h"

namespace hone::server {

class JobBoard {
 public:
  // context.reactor is where the jobs' events come from.
  explicit JobBoard(JobContext context) : context_(std::move(context)) {}
  ~JobBoard();  // no job runs any more

  // The new job's id. Its events start after this returned. Fails: busy when too many run, unsupported for a kind of job that is not
  // built yet, invalid_argument for a request that names no source.
  Result<std::string> submit(protocol::JobRequest request, std::string user, SharedMemory payload, Job::Events events);
  // on_end of the job follows, with kCancelled. Fails: not_found.
  Status cancel(const std::string& id);
  void cancel_all();
  size_t running() const { return jobs_.size(); }

 private:
  const JobContext context_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;
};

}  // namespace hone::server
