// RunnerGroup: several devices of one class as one Runner. A candidate goes to the present device with the most room. The finalists of a task
// all go to one device, as long as it is there: only times of one device under the same conditions are compared to decide. What a device
// that left had not been sent goes to the others; what was on it is answered agent_gone. With one device it is that device's AgentRunner.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/agents/agent_runner.h"

namespace hone::server {

class RunnerGroup : public tuner::Runner, public std::enable_shared_from_this<RunnerGroup> {
 public:
  // `config`: of each device's runner; what is a device's own is filled in.
  static std::shared_ptr<RunnerGroup> make(AgentRunner::Config config, Reactor& reactor, ExpectedOutputs& expected,
                                           WorkerPool& workers);

  // Network thread: one more device. The first before anything else.
  std::shared_ptr<SessionUser> add(const protocol::DeviceInfo& device);

  // As those of AgentRunner, for all devices. Any thread.
  void submit(tuner::MeasureInput input, OnResult on_result) override;
  int capacity() const override;
  std::string device_key() const override { return config_.device_key; }
  void cancel() override;
  tuner::RunnerWait waits_for() const override;  // nothing while some device of it works
  void prepare_ahead(const te::Task& task);
  void committed(const Hash& task, const Hash& source, int attempt);
  void close();
  const Timings& encode_timings() const { return *config_.encode_timings; }
  double device_ms() const;  // the sum over the devices
  int devices_used() const;  // that have measured something
  std::vector<std::string> enrolments() const;  // who vouches for the agents of its devices

 private:
  using Members = std::vector<std::shared_ptr<AgentRunner>>;

  RunnerGroup(AgentRunner::Config config, Reactor& reactor, ExpectedOutputs& expected, WorkerPool& workers)
      : config_(std::move(config)), reactor_(reactor), expected_(expected), workers_(workers) {}

  Members members() const;
  void deal(tuner::MeasureInput input, OnResult on_result);
  AgentRunner& choose(const tuner::MeasureInput& input);
  void on_presence();

  const AgentRunner::Config config_;
  Reactor& reactor_;
  ExpectedOutputs& expected_;
  WorkerPool& workers_;
  mutable std::mutex mutex_;
  Members members_;  // grows on the network thread, those that were given up included
  std::map<Hash, std::shared_ptr<AgentRunner>> finals_;  // network thread: where a task's finalists run
  bool ended_ = false;                                   // network thread: cancelled or closed
};

}  // namespace hone::server
