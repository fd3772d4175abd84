// TuneJob: one `tune` from request to report, on a thread of its own. Imports the source, waits for a device, searches, reports.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "codegen/target/target.h"
#include "schema/generated/protocol.h"
#include "server/agents/session_desk.h"
#include "server/jobs/device_lease.h"
#include "server/jobs/job_tasks.h"
#include "tuner/search/tune.h"

namespace hone::server {

// What jobs of one service share. All outlives the jobs.
struct JobContext {
  Reactor& reactor;
  tracker::Client& tracker;
  SessionDesk& desk;
  WorkerPool& workers;
  ExpectedOutputs& expected;
  tuner::RecordStore& store;
  std::function<tuner::Planner(const target::Target&, uint64_t seed)> planner;
  double reattach_ms;
};

class TuneJob : private tuner::ProgressSink {
 public:
  struct Request {
    std::string id, user;
    protocol::JobRequest job;
    std::string model_bytes;
  };
  // On the network thread; on_end is the last call, once.
  struct Events {
    std::function<void(protocol::JobProgress)> on_progress;
    std::function<void(Result<nlohmann::json>)> on_end;
  };
  TuneJob(Request request, const JobContext& context, Events events);
  ~TuneJob() override;  // after on_end

  void cancel();  // network thread; on_end follows
  const std::string& id() const { return request_.id; }

 private:
  void run();
  Result<nlohmann::json> work();
  Result<protocol::DeviceInfo> wait_for_device(std::shared_ptr<const JobTasks> tasks);
  Result<nlohmann::json> search(const JobTasks& tasks, const protocol::DeviceInfo& device);
  nlohmann::json with_stats(const tuner::TuneReport& report, const Timings& builds) const;
  void on_progress(const tuner::TuneProgress& progress) override;
  void send_progress(protocol::JobProgress progress);
  void put_job(const std::string& state, const std::string& message);

  const Request request_;
  const JobContext context_;
  const Events events_;
  tuner::CancelToken cancel_;
  std::shared_ptr<Fence> fence_ = std::make_shared<Fence>(0);
  std::shared_ptr<DeviceLease> lease_;   // started and stopped on the network thread
  std::shared_ptr<AgentRunner> runner_;  // set before the device is known to the job's thread

  // The job's thread.
  std::string device_key_;
  int64_t started_unix_ms_ = 0;
  double progress_sent_ms_ = -1e9;
  std::deque<std::pair<double, int>> recent_;  // time in s, trials so far: for the rate of late
  std::thread thread_;                         // last: it uses all of the above
};

}  // namespace hone::server
