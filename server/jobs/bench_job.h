// BenchJob: times a whole model on a device with each of the schedules asked for, in turns, so that what drifts hits all alike.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "server/jobs/run_job.h"

namespace hone::server {

// The result: {"job", "device", "target", "model", "variants": [one per schedule, in the order of the request]}. A variant: {"schedule":
// "best", "seed" or "naive", "skipped": null or why it has no times, or fewer, "trials": of its tuned tasks, "schedules" to "memory" and
// "create_ms" to "clock_resolution_ns" as in RunJob, "model_ms_median", "model_ms_p10", "model_ms_p90", "kernel_ms_median", "host_share",
// "tasks"}. Times are 0 and lists empty where there is none; "kernel_ms_median" and "host_share" are null where the device has no clock of its
// own. "tasks" (null where not asked for): [{"task", "op", "schedule": as a key of "schedules", "uses", "launches": of one use, "us": of one use,
// "share": of all uses in the sum, "measured": by the device's clock, else as recorded}], us and share 0 where nothing is known.
class BenchJob : public RunJob {
 public:
  using RunJob::RunJob;

 private:
  struct Variant {
    Planned planned;
    std::optional<protocol::Execute> frame;  // once it was executed
    std::optional<Error> too_slow, skipped;  // by the records; by these, or by what the device said
    protocol::Executed times;  // of all turns; create_ms and first_ms of the first
  };
  Result<JobResult> with_model(ModelOnDevice& model) override;
  static bool wants_turn(const ModelOnDevice& model, const Variant& variant, const PlanTiming& timing);
  Result<std::vector<Variant>> plan_all(const ModelOnDevice& model);
  // Ends early where another device came in the first one's place.
  Status take_turns(ModelOnDevice& model, std::vector<Variant>& variants);
  Status take_turn(ModelOnDevice& model, Variant& variant, int turn, const PlanTiming& timing);
  Status time_once(ModelOnDevice& model, Variant& variant, const PlanTiming& timing);
  bool moved_ = false;
  static nlohmann::json to_json(const Variant& variant, bool launches);
};

}  // namespace hone::server
