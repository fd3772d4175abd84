// TuneJob: one `tune` from request to report. Imports the source, waits for a device, searches, reports.
#pragma once
#include <memory>

#include "server/agents/runner_group.h"
#include "server/jobs/job.h"
#include "server/jobs/pace.h"
#include "server/jobs/tune_settings.h"
#include "server/jobs/winner_check.h"

namespace hone::server {

class TuneJob : public Job, private tuner::ProgressSink {
 public:
  using Job::Job;

 private:
  Result<JobResult> work() override;
  Result<nlohmann::json> search(std::shared_ptr<const JobTasks>& read, const protocol::DeviceInfo& device);
  // The winners are measured once more, by the job's and by another device of the class, if one is idle, and devices whose bias shows by now are taken out of service.
  Status check(const JobTasks& tasks, const tuner::TuneReport& report, tuner::Builder& builder, tuner::RecordStore& own,
               const tuner::TuneOptions& options);
  void quarantine(const tuner::Bias& bias);
  Status fit(std::shared_ptr<const JobTasks>& tasks, const target::Target& target);
  Result<std::shared_ptr<const JobTasks>> read_tasks(int64_t layers_max, const CancelToken& cancel) const;
  uint32_t devices_min() const;  // with which it begins
  uint32_t devices_wanted() const;
  nlohmann::json with_stats(const tuner::TuneReport& report, const Timings& builds) const;
  void on_progress(const tuner::TuneProgress& progress) override;

  TuneSettings settings_;
  std::shared_ptr<RunnerGroup> runner_;  // set before the device is known to the job's thread

  // The job's thread.
  double progress_sent_ms_ = -1e9;
  Pace pace_;
};

}  // namespace hone::server
