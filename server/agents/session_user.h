// SessionUser: what a job does with the sessions of its leased device. Network thread only.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/cat.h"
#include "base/shared_bytes.h"
#include "schema/generated/protocol.h"
#include "server/agents/agent_link.h"
#include "tuner/measure/runner.h"

namespace hone::server {

// What a job waits for while no session of its device is open.
inline tuner::RunnerWait device_away(double reattach_ms) {
  return {cat("the device, which is away (open its tab again) or out of service; it is given up after ", static_cast<int>(reattach_ms / 1000), " s"),
          true};
}

inline tuner::RunnerWait turn_of_others() { return {"its turn: another job uses the device", true}; }

class SessionUser {
 public:
  virtual ~SessionUser() = default;
  // The device that its lease is on now, before sessions of that lease: after the first one, an equal one perhaps.
  virtual void leased(const protocol::DeviceInfo& device) = 0;
  // A session of the device opened under the lease's fence, sent a message, ended. The link lives until detach returns.
  virtual void attach(AgentLink& link, uint64_t fence) = 0;
  virtual void receive(const protocol::SessionFromAgent& message, const SharedBytes& payload) = 0;  // payload: null where there is none
  virtual void detach() = 0;
  // Its device works for another job: until its turn comes it waits for that, not for its agent. False: the device is its again, and the
  // agent is to open a session. A user that never has its turn is given up.
  virtual void await_turn(bool waits) = 0;
  // The device will not come back.
  virtual void give_up(const std::string& reason) = 0;

  // Called once, when the user needs the device no more, or has given it up: its lease is of no use.
  void on_given_up(std::function<void()> call) { on_given_up_ = std::move(call); }
  // Called each time when the device is there and has failed the user, so that an equal one may do better: its lease is exchanged.
  void on_failing(std::function<void()> call) { on_failing_ = std::move(call); }

 protected:
  // False: nobody can exchange it.
  bool tell_failing() {
    if (on_failing_) on_failing_();
    return on_failing_ != nullptr;
  }
  void tell_given_up() {
    if (const auto call = std::exchange(on_given_up_, nullptr)) call();
  }

 private:
  std::function<void()> on_given_up_, on_failing_;
};

}  // namespace hone::server
