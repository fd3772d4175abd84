// RelayDesk: hands sessions on between agents and compile servers that agents cannot dial: /ws/relay. The agent opens it as a session socket, the tracker
// asks the lease's server for the other end, and from then on frames go from one to the other as they are. Who the agent is the server judges, by its
// session_hello; until the server has answered, the agent is a stranger (base/net/gate.h). On the event loop's thread.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "tracker/server_desk.h"

namespace hone::tracker {

class RelayDesk {
 public:
  // All outlives the desk, and the desk the sockets.
  RelayDesk(net::EventLoop& loop, ServerDesk& servers) : loop_(loop), servers_(servers) {}

  // For the endpoint kRelayPath.
  std::unique_ptr<net::Handler> accept(std::shared_ptr<net::Channel> channel);

 private:
  class End;
  net::EventLoop& loop_;
  ServerDesk& servers_;
  std::map<std::string, End*> waiting_;  // agents' ends without the other one, by relay_id
};

}  // namespace hone::tracker
