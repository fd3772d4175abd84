// CompareJob: times several schedules of one task on one device, in turns, round after round, so that what slows the device down slows all of them
// down, until it is known which is faster than the first (stats/comparison.h). What was found is also recorded, one attempt for each schedule with the samples of all rounds.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/agents/runner_group.h"
#include "server/jobs/job.h"
#include "server/jobs/named_schedules.h"
#include "stats/comparison.h"

namespace hone::server {

// The result: {"job", "device", "target", "task", "op", "cache", "rounds", "schedules": [{"name", "source", "us_median", "us_rounds": the median of each
// round, "message": "" or why it has no time, "comparison": with the first schedule, of those behind it that both have times: {"verdict": "faster", "slower", "same" or
// "inconclusive", "ratio": of its time and the first one's, "ratio_low", "ratio_high": what it lies between at 99 %, or null, "pairs"}}]}. Times are 0 where there is none.
class CompareJob : public Job {
 public:
  using Job::Job;

 private:
  struct Contestant {
    NamedSchedule schedule;
    std::vector<double> rounds_us, samples_us;
    std::optional<stats::Comparison> with_first;  // none: it is the first, or one of both has failed
    tuner::MeasureResult last;
    bool failed = false;
  };
  Result<JobResult> work() override;
  void on_cancel() override;
  Result<std::vector<Contestant>> contestants(const te::Task& task, const protocol::DeviceInfo& device,
                                              const protocol::CompareOptions& options);
  // So many, or until it is known. Begins anew where another device comes in the first one's place.
  Status run_rounds(const te::Task& task, std::vector<Contestant>& all, std::optional<uint32_t> rounds);
  // In the order of `all`, or in reversed order. False: the times of before and of now are not of one device.
  Result<bool> run_round(const te::Task& task, std::vector<Contestant>& all, bool reversed, int attempt);
  Status begin(std::vector<Contestant>& all);
  static void leave_out_failed(std::vector<Contestant>& all);
  static Status add_block(std::vector<Contestant>& all);
  static std::vector<stats::Verdict> verdicts(const std::vector<Contestant>& all);
  static bool is_decided(const std::vector<Contestant>& all);
  bool same_device(const std::vector<Contestant>& all);
  void take(Contestant& one, tuner::MeasureResult result);
  Status record(const te::Task& task, const std::vector<Contestant>& all, const protocol::DeviceInfo& device);
  nlohmann::json to_json(const te::Task& task, const std::vector<Contestant>& all,
                         const protocol::DeviceInfo& device) const;

  std::shared_ptr<RunnerGroup> runner_;  // set before the device is known to the job's thread

  // The job's thread.
  tuner::CacheState cache_ = tuner::CacheState::kHot;
  int64_t model_bytes_ = 0;
  std::string device_, fingerprint_json_;  // which device took the times so far, and what it said of itself; "" = none has
  int device_changes_ = 0;
};

}  // namespace hone::server
