// AgentLink: the server's end of one session socket. Network thread only.
#pragma once
#include <string>
#include <string_view>

#include "schema/generated/protocol.h"
#include "tracker/client.h"

namespace hone::server {

class AgentLink {
 public:
  virtual ~AgentLink() = default;
  // `payload`: the bytes behind the message in its frame.
  virtual void send(const protocol::SessionFromServer& message, std::string_view payload = {}) = 0;
  // True when the agent runs on this host: its timed samples suffer from work here.
  virtual bool same_host() const = 0;
  virtual const tracker::Lease& lease() const = 0;  // under which it was opened
};

}  // namespace hone::server
