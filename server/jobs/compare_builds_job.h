// CompareBuildsJob: two builds of one model, each a package, on one device: in blocks of quads, each block on a device that was opened for it, until it is known which is
// faster (stats/comparison.h). The payload is the old build and behind it the new one; which plan of a package a device runs is chosen as for a run.
#pragma once
#include <optional>
#include <vector>

#include "server/jobs/run_job.h"
#include "stats/comparison.h"

namespace hone::server {

// The result: {"job", "device", "target", "model", "comparison": of the new build with the old one, as in CompareJob, and its "blocks", "p_value", "standard_error" (or null) and "reference_ratio": what the agent's
// reference kernel seems to differ by from itself over the same blocks, "old_ms", "new_ms": each sample of one run, in the order in which they were taken, "by_device_clock", "old_plan", "new_plan":
// what the plans were made for, "max_error": between both builds' outputs, of their range, "create_ms": of the old build in each block, "device_changes" where there were some}.
class CompareBuildsJob : public RunJob {
 public:
  using RunJob::RunJob;

 private:
  struct Build {
    graph::Graph graph;
    package::Tensors inputs;
    package::ModelPlan plan;
    std::string made_for;
  };
  struct Found {
    std::optional<stats::Comparison> comparison;
    std::vector<double> old_ms, new_ms, create_ms, log_ratios;
    bool by_device_clock = false;
    double max_error = 0;
  };
  Result<JobResult> with_model(ModelOnDevice& model) override;
  Result<Build> new_build(const ModelOnDevice& model, size_t old_bytes);
  Result<protocol::Execute> frame_of(const ModelOnDevice& model, const Planned& old_build, const Build& new_build);
  // Begins anew where another device comes in the first one's place.
  Status take_blocks(ModelOnDevice& model, const Planned& old_build, const Build& new_build, protocol::Execute& frame);
  Status take_block(const protocol::Execute& frame, const PlanRunner::Answer& answer);
  Status begin();
  Status check_outputs(const ModelOnDevice& model, const Planned& old_build, const Build& new_build, std::string_view outputs);
  bool is_known() const;
  std::string told() const;
  nlohmann::json to_json(const ModelOnDevice& model, const Planned& old_build, const Build& new_build) const;

  // The job's thread.
  protocol::CompareBuildsOptions options_;
  std::vector<MemoryBudget::Share> shares_;
  Found found_;
};

}  // namespace hone::server
