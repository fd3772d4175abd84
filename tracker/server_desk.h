// ServerDesk: the tracker's end of /ws/server: compile servers that are processes of their own, each with a token of the role server. What a server
// holds outlives its socket: its leases end Limits::lease_ttl after its last server_beat, whether the socket broke or the server hangs, and no
// earlier, for until then it may count on them. One that greets again has given them up, and one that closes as going away, too: they end at once. Requests that only wait end with the
// socket. On the event loop's thread.
#pragma once
#include <map>
#include <memory>
#include <string>

#include "base/audit_log.h"
#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "tracker/access.h"
#include "tracker/client.h"
#include "tracker/limits.h"
#include "tracker/told_trackers.h"

namespace hone::tracker {

class ServerDesk {
 public:
  struct Config {
    Limits limits;
    AuditLog* audit = nullptr;  // hears of servers that come; outlives the desk
    ListTrackers trackers = nullptr;  // for servers
  };
  // All outlives the desk, and the desk the sockets.
  ServerDesk(net::EventLoop& loop, Client& tracker, Access& access, Config config);
  ~ServerDesk();

  // For the endpoint /ws/server.
  std::unique_ptr<net::Handler> accept(std::shared_ptr<net::Channel> channel);
  size_t connected() const;
  // Asks the server that holds the lease to open its end of a relayed session. Fails: kStaleFence, where none does; kIoError, where it is cut off.
  Status relay(const std::string& lease_id, const std::string& relay_id);

 private:
  class Session;
  struct Server;
  std::shared_ptr<Server> add(const protocol::ServerHello& hello);
  void end(const std::string& server_id);  // with all that it holds and waits for
  void stop_waiting(Server& server);

  net::EventLoop& loop_;
  Client& tracker_;
  Access& access_;
  const Config config_;
  std::map<std::string, std::shared_ptr<Server>> servers_;  // by server_id
};

}  // namespace hone::tracker
