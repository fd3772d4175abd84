// cancel_job: cancels a job of a service and waits for its end.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/service_url.h"
#include "schema/generated/protocol.h"

namespace hone::cli {

struct JobEnd {
  protocol::JobState state = protocol::JobState::kCancelled;
  ErrorCode outcome = ErrorCode::kCancelled;
  std::string message;
};
// How the job ended: cancelled, or as it had before. Fails: not_found, unauthorized, timeout, and as a connection does.
Result<JobEnd> cancel_job(const ServiceUrl& url, const std::string& job);

}  // namespace hone::cli
