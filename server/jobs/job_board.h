// JobBoard: the running jobs. Network thread only.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/audit_log.h"
#include "server/jobs/job.h"

namespace hone::server {

class JobBoard {
 public:
  // context.reactor is where the jobs' events come from.
  // Where `audit` is, it hears of each job that begins, is cancelled or ends, and outlives the board.
  explicit JobBoard(JobContext context, AuditLog* audit = nullptr) : context_(std::move(context)), audit_(audit) {}
  ~JobBoard();  // no job runs any more

  // The new job's id. Its events start after this returned. Fails: busy when too many run or after drain(), unsupported for a kind of job that is not
  // built yet, invalid_argument for a request that names no source.
  Result<std::string> submit(protocol::JobRequest request, std::string user, SharedBytes payload, Job::Events events);
  // on_end of the job follows, with kCancelled. Fails: not_found. `why`: "its client went away".
  Status cancel(const std::string& id, std::string_view why);
  void cancel_all(std::string_view why);
  void drain() { draining_ = true; }  // no new job begins; those that run go on
  size_t running() const { return jobs_.size(); }

 private:
  void tell(std::string_view event, std::initializer_list<AuditLog::Field> fields);

  const JobContext context_;
  AuditLog* const audit_;
  bool draining_ = false;
  std::map<std::string, std::unique_ptr<Job>> jobs_;
};

}  // namespace hone::server
