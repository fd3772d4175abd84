// The options of a job's request, in the form that the schema gives its kind.
#pragma once
#include "base/cat.h"
#include "base/result.h"
#include "schema/generated/protocol.h"

namespace hone::server {

// Options: protocol::RunOptions or TuneOptions; all of their fields are absent where the request names no options.
// Fails with invalid_argument and the field that has the wrong type or is out of range.
template <class Options>
Result<Options> options_of(const protocol::JobRequest& job) {
  if (!job.options) return Options{};
  auto options = protocol::from_json<Options>(*job.options);
  if (options.ok()) return options;
  return Error{ErrorCode::kInvalidArgument, cat("the job's options: ", options.error().message)};
}

}  // namespace hone::server
