// Job: what a person started, from request to result, on a thread of its own. Its kinds (TuneJob, RunJob) say what is done.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/audit_log.h"
#include "codegen/target/target.h"
#include "schema/generated/protocol.h"
#include "server/agents/reactor.h"
#include "server/agents/session_desk.h"
#include "server/compile/compile_builder.h"
#include "server/compile/expected_outputs.h"
#include "server/compile/worker_pool.h"
#include "server/jobs/device_lease.h"
#include "server/jobs/job_counts.h"
#include "server/jobs/job_tasks.h"
#include "server/jobs/memory_budget.h"
#include "server/jobs/models.h"
#include "server/jobs/under_way.h"
#include "tuner/search/planner.h"
#include "tuner/search/tune.h"

namespace hone::server {

// What jobs of one service share. All outlives the jobs.
struct JobContext {
  Reactor& reactor;
  tracker::Client& tracker;
  SessionDesk& desk;
  WorkerPool& workers;
  ExpectedOutputs& expected;
  BlobStore& blobs;
  tuner::RecordStore& store;
  UnderWay& under_way;
  MemoryBudget& memory;
  JobCounts& counts;
  AuditLog* audit = nullptr;  // hears of devices that a job takes out of service
  Models& models;
  tuner::PlannerMaker planner;
  ReadTasks tasks;
  Compile compile;
  double reattach_ms;
};

struct JobResult {
  nlohmann::json result;  // an object whose form follows from the job's kind
  std::string payload;    // what the result says of it; usually nothing
  bool cancelled = false;  // it holds what was known then
};

class Job {
 public:
  struct Request {
    std::string id, user;
    protocol::JobRequest job;
    SharedBytes payload;  // the model, and what job.options says of the bytes behind it
    size_t user_devices_max = 0;  // as LeaseRequest's
  };
  // On the network thread; on_end is the last call, once.
  struct Events {
    std::function<void(protocol::JobProgress)> on_progress;
    std::function<void(Result<JobResult>)> on_end;
  };
  Job(Request request, const JobContext& context, Events events);
  virtual ~Job();  // after on_end
  Job(const Job&) = delete;

  Status
  start();  // once, when the whole object is there: its thread begins. Fails: no thread is left; there is no on_end then
  void cancel();  // network thread; on_end follows

 protected:
  // On the job's thread. Nothing of the derived class is used after it returned.
  virtual Result<JobResult> work() = 0;
  // On the network thread, when the job is cancelled: whatever work() waits for must end.
  virtual void on_cancel() {}

  // For reading the model of the payload: its bytes as they came, as parsed, and as constants of the graph. Fails: out_of_memory.
  Result<MemoryBudget::Share> take_import_memory();

  using MakeUser = std::function<std::shared_ptr<SessionUser>(const protocol::DeviceInfo&)>;
  // Waits for a device, or for `count` of one class all at once, as the request says, and returns the first; `make_user` is called for each on
  // the network thread before this returns.
  Result<protocol::DeviceInfo> wait_for_device(MakeUser make_user, size_t count = 1);
  // A further device of that class that is idle now, whatever the request says of devices, of an agent for which no token of `not_of` vouches; nullopt, at
  // once, where there is none. `make_user` as above.
  std::optional<protocol::DeviceInfo> spare_device(const std::string& device_key, std::vector<std::string> not_of, MakeUser make_user);
  // Asks for `count` further devices of that device's class, as long as the job lasts; each that comes has a user of its own. Whoever waits
  // for a first device is served before. `make_user` is called on the network thread, also when the job's thread has ended.
  void ask_for_more(const protocol::DeviceInfo& device, uint32_t count, MakeUser make_user);
  protocol::JobProgress in_phase(protocol::JobPhase phase, std::string message = "") const;
  void send_progress(protocol::JobProgress progress);
  // Progress of a job to which nothing came for a while. Where its device cannot work now, the job waits for that, whatever else it says.
  void send_waiting(protocol::JobProgress progress);

  const Request request_;  // without its payload
  SharedMemory payload_;   // of work()
  const JobContext context_;
  // Heard while a job prepares: it is cancelled with the job, and when the job's time is over.
  const std::shared_ptr<CancelToken> prepare_cancel_ = std::make_shared<CancelToken>();
  double spent_s() const;  // of the job's time, before its start and since; without the wait for a device
  // The sentence for what prepare_cancel_ has ended; any other error as it is.
  Error why_not_prepared(const Error& error) const;
  tuner::CancelToken cancel_;
  std::shared_ptr<Fences> fences_ = std::make_shared<Fences>(&context_.store);

 private:
  void run();
  Status put_job(const std::string& state, const std::string& message);
  void put_end(const Result<JobResult>& result);

  // Copies what came into memory that a child shares, which for a large model takes longer than the network's thread may.
  Status take_payload();

  const Events events_;
  SharedBytes received_;  // until then
  tracker::LeaseRequest lease_request(double wait_s) const;
  void start_leases(DeviceLease::Config config, size_t count = 1);  // only the first tells on_first

  std::vector<std::shared_ptr<DeviceLease>> leases_;  // started and stopped on the network thread
  std::string device_key_, device_id_;                // the job's thread; of the device that came first
  int64_t started_unix_ms_ = 0;
  double started_ms_ = 0, device_wait_ms_ = 0;  // the job's thread; by the reactor's clock
  std::thread thread_;
};

}  // namespace hone::server
