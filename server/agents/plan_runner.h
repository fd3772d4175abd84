// PlanRunner: runs whole models on one leased device, over whatever session its agent has at the moment.
//
// An execution is sent when there is a session, and sent once more when the session ends before its answer, or when the device is lost: then an
// equal one is asked for. Running a model twice does no harm. What else the agent answers is an answer; no answer within the plan's cap and the time to
// fetch its blobs is a timeout.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/agents/reactor.h"
#include "server/agents/session_user.h"

namespace hone::server {

// ms within which an agent answers the execution, the time to fetch its blobs included.
double answer_max_ms(const protocol::Execute& plan);

class PlanRunner : public SessionUser, public std::enable_shared_from_this<PlanRunner> {
 public:
  struct Answer {
    protocol::Executed frame;
    SharedBytes outputs;  // as many bytes as the plan's outputs have
    std::shared_ptr<const protocol::DeviceInfo> device;  // that ran it
  };
  using OnDone = std::function<void(Result<Answer>)>;  // once, on the network thread
  static std::shared_ptr<PlanRunner> make(double reattach_ms, Reactor& reactor);

  // Any thread, one execution at a time. Fails: what the agent says; agent_gone; protocol_error for an answer that fits no plan.
  void execute(protocol::Execute plan, OnDone on_done);
  // Both give the lease back.
  void cancel();  // this execution and all later ones are answered with kCancelled
  void close();   // tells the agent to free its buffers; nothing is called back after it
  // What keeps an execution from the device; thread-safe.
  tuner::RunnerWait waits_for() const;

  void leased(const protocol::DeviceInfo& device) override { device_ = std::make_shared<const protocol::DeviceInfo>(device); }
  void attach(AgentLink& link, uint64_t fence) override;
  void receive(const protocol::SessionFromAgent& message, const SharedBytes& payload) override;
  void detach() override;
  void await_turn(bool waits) override;
  void give_up(const std::string& reason) override;

 private:
  struct Waiting {
    protocol::Execute plan;
    OnDone on_done;
    int sent = 0;
  };
  PlanRunner(double reattach_ms, Reactor& reactor) : reattach_ms_(reattach_ms), reactor_(reactor) {}
  void send();
  void answer(Result<Answer> result);
  bool ask_for_another(const Error& why);
  void set_link(AgentLink* link);
  void start_reattach_timer();
  void abandon(const Error& why);
  void leave();  // the session; its lease is given back
  void start_answer_timer();

  const double reattach_ms_;
  Reactor& reactor_;
  std::shared_ptr<const protocol::DeviceInfo> device_ = std::make_shared<const protocol::DeviceInfo>();
  AgentLink* link_ = nullptr;
  std::atomic<bool> present_ = false;  // there is a link
  std::atomic<bool> awaits_turn_ = false;
  uint64_t session_ = 0;               // counts attach and detach: a timer knows by it whether it is still meant
  uint64_t next_id_ = 1;
  std::optional<Waiting> waiting_;
  std::optional<Error> over_;  // why nothing is executed any more
};

}  // namespace hone::server
