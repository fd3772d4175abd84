// AgentRunner: measures candidates on one leased device, over whatever session its agent has at the moment.
//
// A candidate waits in the queue until its task is prepared on the agent and a credit is free; then it is outstanding until a result
// comes or the session ends. There are as many credits as make kWorkAheadMs of work at the pace of the last candidates, so that a fast
// device never waits for a request to travel, and a slow one holds little that is lost with it. Finalists wait until all of them fit. A
// result is acknowledged to the agent after its record is committed (`committed`), so that an agent may forget only what the database
// holds. An agent that has work and answers nothing for kAnswerMaxMs is given up, whatever it sends besides. When the session ends, outstanding candidates are answered agent_gone (the one that ran longer than its cap: timeout) and the
// queue waits for the next session, at most kReattachMs. What the server answers of its own has fence 0.
#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "schema/generated/protocol.h"
#include "server/agents/frames.h"
#include "server/agents/reactor.h"
#include "server/agents/session_user.h"
#include "server/compile/expected_outputs.h"
#include "server/compile/timings.h"
#include "server/compile/worker_pool.h"
#include "tuner/measure/runner.h"

namespace hone::server {

class AgentRunner : public tuner::Runner, public SessionUser, public std::enable_shared_from_this<AgentRunner> {
 public:
  struct Config {
    std::string device_key;
    double reattach_ms;  // kReattachMs but in tests
    std::shared_ptr<const void>
        keep_alive;  // what the submitted tasks belong to: references may be made for a job that has ended
    std::string target;            // what the device runs: no result is faster than anything of its kind
    std::shared_ptr<Timings> encode_timings = std::make_shared<Timings>();
    std::function<void()> on_presence;  // network thread: a session opened or ended, or the device was given up
  };
  static std::shared_ptr<AgentRunner> make(Config config, Reactor& reactor, ExpectedOutputs& expected,
                                           WorkerPool& workers);

  // Any thread. Results come on the network thread. The job calls `close` before the tasks go.
  void submit(tuner::MeasureInput input, OnResult on_result) override;
  int capacity() const override;  // the credits of now
  std::string device_key() const override { return config_.device_key; }
  void cancel() override;  // the lease is given back once the results of before are committed
  tuner::RunnerWait waits_for() const override;
  // Network thread: as submit, at once.
  void enqueue(tuner::MeasureInput input, OnResult on_result);
  // Network thread. What was not sent yet, in order: it is the caller's again.
  std::vector<std::pair<tuner::MeasureInput, OnResult>> recall();
  // Network thread. Candidates queued or outstanding.
  size_t load() const { return queue_.size() + outstanding_.size(); }
  bool present() const { return present_; }  // any thread: there is a session
  // Network thread. Given up: it answers agent_gone.
  bool gone() const { return !gone_reason_.empty(); }
  // The reference of a task is made ahead of its first candidate.
  void prepare_ahead(const te::Task& task);
  // The record of a result is stored, or refused for good: the agent may forget it.
  void committed(const Hash& task, const Hash& source, int attempt);
  // No result is called back after this; what is outstanding is dropped. The agent is told to free its buffers, and the lease is given back.
  void close();

  // Network thread. A session of this device opened under the lease's fence, sent a message, ended.
  void leased(const protocol::DeviceInfo& device) override;
  void attach(AgentLink& link, uint64_t fence) override;
  void receive(const protocol::SessionFromAgent& message, const SharedBytes& payload) override;
  void detach() override;
  void await_turn(bool waits) override;
  // The device will not come back: what waits is answered agent_gone, and so is everything after it.
  void give_up(const std::string& reason) override;

  std::string enrolment() const;  // who vouches for its agent: the id of a token; "" until a session came. Any thread
  double device_ms() const { return device_ms_; }  // of all results so far; any thread

 private:
  enum class TaskState : uint8_t { kUnknown, kComputing, kPreparing, kReady };
  struct TaskEntry {
    TaskState state = TaskState::kUnknown;
    uint64_t request_id = 0;
  };
  struct Waiting {
    tuner::MeasureInput input;
    OnResult on_result;
  };
  using Key = std::pair<uint64_t, int>;  // trial, attempt
  struct Outstanding {
    OnResult on_result;
    Hash task, source;
    Asked asked;
    uint64_t batch = 0;
    uint64_t order = 0;  // of sending: the agent works in this order
  };

  AgentRunner(Config config, Reactor& reactor, ExpectedOutputs& expected, WorkerPool& workers)
      : config_(std::move(config)), reactor_(reactor), expected_(expected), workers_(workers) {}

  void set_link(AgentLink* link);
  void pump();
  void send_batch();
  bool fits_in_turns(const Waiting& first) const;
  void learn_pace(double device_ms);
  bool ensure_prepared(const te::Task& task);
  void send_prepare(const te::Task& task, const Expected& expected);
  void on_task_ready(const protocol::TaskReady& ready);
  void on_result(const protocol::CandidateResult& result);
  void on_timing(bool active);
  // `ends_search`: as MeasureResult's.
  void fail_task(const Hash& task, const Error& error, bool ends_search);
  void fail_all(ErrorCode outcome, const std::string& message);
  void answer_outstanding_as_gone();
  void answer(const Waiting& waiting, ErrorCode outcome, const std::string& message, bool ends_search = false);
  void start_reattach_timer();
  void abandon(const std::string& reason);
  void leave_when_settled();
  void leave();  // the session; its lease is given back
  bool agent_owes() const;
  void watch_answers();
  void note_wait();
  void note_enrolment(const std::string& enrolment);
  void look_for_answers();

  const Config config_;
  std::string agent_id_, physical_id_, fingerprint_json_ = "{}";  // network thread; of the device that is leased
  Reactor& reactor_;
  ExpectedOutputs& expected_;
  WorkerPool& workers_;

  // Network thread.
  AgentLink* link_ = nullptr;
  uint64_t fence_ = 0;
  uint64_t session_ = 0;  // counts attach and detach: a timer knows by it whether it is still meant
  std::deque<Waiting> queue_;
  std::map<Key, Outstanding> outstanding_;
  std::map<Key, std::pair<Hash, Hash>> uncommitted_;  // results handed on, not yet committed: their task and source
  std::map<Hash, TaskEntry> tasks_;
  std::map<Hash, ExpectedPtr> expected_of_;  // held while the job lives, so that the agent can fetch them
  uint64_t next_batch_ = 1, next_order_ = 1, next_request_ = 1;
  double running_since_ms_ = 0;  // the oldest outstanding candidate is on the device since then
  double answered_ms_ = 0;       // when the agent last answered something that it was sent, or got its first work
  bool watching_answers_ = false;
  bool awaits_turn_ = false;
  bool timing_ = false, pump_posted_ = false;
  std::string gone_reason_;  // set by give_up

  mutable std::mutex wait_mutex_;
  // Written on the network thread.
  tuner::RunnerWait wait_;
  std::string enrolment_;
  std::atomic<bool> closed_{false};  // written on the network thread
  std::atomic<bool> present_{false};
  std::atomic<double> device_ms_{0};
  std::atomic<double> candidate_ms_{0};  // the device's work for one candidate, of late; 0 = unknown
};

}  // namespace hone::server
