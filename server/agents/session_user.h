// SessionUser: what a job does with the sessions of its leased device. Network thread only.
#pragma once
#include <string>
#include <string_view>

#include "schema/generated/protocol.h"
#include "server/agents/agent_link.h"

namespace hone::server {

class SessionUser {
 public:
  virtual ~SessionUser() = default;
  // A session of the device opened under the lease's fence, sent a message, ended.
  virtual void attach(AgentLink& link, uint64_t fence) = 0;
  virtual void receive(const protocol::SessionFromAgent& message, std::string_view payload) = 0;
  virtual void detach() = 0;
  // The device will not come back.
  virtual void give_up(const std::string& reason) = 0;
};

}  // namespace hone::server
