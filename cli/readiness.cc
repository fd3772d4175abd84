#include "cli/readiness.h"

#include "base/cat.h"

namespace hone::cli {

Status readiness(const ReadinessOf& service) {
  if (service.stopping)
    return Error{ErrorCode::kBusy,
                 "the service stops: running jobs may end, new ones are refused; ask again when it is back"};
  const CommitReading& latest = service.fleet.ended > service.records.ended ? service.fleet : service.records;
  if (!latest.failure) return ok_status();
  return Error{latest.failure->code, cat("the latest commit failed: ", latest.failure->message)};
}

}  // namespace hone::cli
