#include "cli/readiness.h"

#include "base/cat.h"

namespace hone::cli {

Status readiness(const ReadinessOf& service) {
  if (service.stopping)
    return Error{ErrorCode::kBusy,
                 "the service stops: running jobs may end, new ones are refused; ask again when it is back"};
  for (const CommitReading* store : {&service.fleet, &service.records})
    if (store->began && service.now - *store->began > kCommitWait)
      return Error{ErrorCode::kBusy, cat("a commit has not ended for ", std::chrono::duration_cast<std::chrono::seconds>(service.now - *store->began).count(),
                                         " s: another process has locked the database, or the disk does not answer; results wait until it does")};
  const CommitReading& latest = service.fleet.ended > service.records.ended ? service.fleet : service.records;
  if (!latest.failure) return ok_status();
  return Error{latest.failure->code, cat("the latest commit failed: ", latest.failure->message)};
}

}  // namespace hone::cli
