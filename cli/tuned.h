// What hone tune prints at the end of its job, and hone jobs attach of the same.
#pragma once
#include "base/result.h"
#include "cli/exit_code.h"
#include "cli/job_session.h"

namespace hone::cli {

struct TunedView {
  bool json = false;
  bool limited = false;  // the run had a limit of time
};
// And what the process exits with.
ExitCode print_tuned(const Result<JobResult>& result, const TunedView& view);

}  // namespace hone::cli
