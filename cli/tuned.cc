#include "cli/tuned.h"

#include "cli/console.h"
#include "cli/report/device_text.h"
#include "cli/tune_report.h"

namespace hone::cli {

ExitCode print_tuned(const Result<JobResult>& result, const TunedView& view) {
  if (!result.ok()) return fail(result.error());
  if (view.json) print_json(in_documented_order(result->result));
  else
    print_text(tune_report_text(result->result) + (view.limited ? naive_hint(result->result) : "") +
               report::measured_on_text(result->result));
  if (result->cut_short) return fail(*result->cut_short);
  if (result->result.value("cancelled", false)) return ExitCode::kInterrupted;
  const std::string missing = tasks_without_time(result->result);
  return missing.empty() ? ExitCode::kDone : fail(Error{ErrorCode::kNotFound, missing});
}

}  // namespace hone::cli
