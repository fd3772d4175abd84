// JobBoard: the running jobs. Network thread only.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "server/jobs/job.h"

namespace hone::server {

// "tune-3f0a12c4d5e6": random.
std::string new_job_id(std::string_view kind);

class JobBoard {
 public:
  // context.reactor is where the jobs' events come from.
  explicit JobBoard(JobContext context) : context_(std::move(context)) {}
  ~JobBoard();  // no job runs any more

  // The job's events start after this returned. Fails: internal, when no thread is left; there are no events then.
  Status start(Job::Request request, Job::Events events);
  void cancel(const std::string& id);  // on_end of the job follows, with kCancelled or what is known; nothing where none runs
  size_t running() const { return jobs_.size(); }

 private:
  const JobContext context_;
  std::map<std::string, std::unique_ptr<Job>> jobs_;
};

}  // namespace hone::server
