// What a step of the fleet's state machine asks the world to do: first the writes, committed together, then the effects in order.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "base/net/channel.h"
#include "schema/generated/protocol.h"
#include "tracker/client.h"
#include "tracker/store.h"

namespace hone::tracker {

using Link = uint64_t;  // a control socket, numbered by the service; 0 = none

struct ToAgent {
  Link link = 0;
  protocol::ControlFromTracker message;
};
struct CloseLink {
  Link link = 0;
  net::CloseCode code = net::CloseCode::kNormal;
  std::string reason;
};
// One for each device of the request, all in one outcome.
struct Granted {
  Client::RequestId request = 0;
  Lease lease;
};
struct NotGranted {
  Client::RequestId request = 0;
  Error error;
};
struct LeaseLost {
  Client::RequestId request = 0;
  std::string lease_id;
  Error error;
};
struct AgentChanged {
  std::string launch_hash;     // whose watchers hear of it
  protocol::AgentState state;  // without the launch_id, which is known to its launcher and its watchers only
};
struct AgentEnrolled {  // one that was never here before
  std::string agent_id, agent_name;
};
// Called when the writes are on disk, or with why they are not.
struct Then {
  std::function<void(const Status&)> done;
};
using Effect = std::variant<ToAgent, CloseLink, Granted, NotGranted, LeaseLost, AgentChanged, AgentEnrolled, Then>;

struct Outcome {
  std::vector<Write> writes;
  std::vector<Effect> effects;
};

}  // namespace hone::tracker
