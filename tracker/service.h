// Service: binds the fleet to sockets, disk and time. Lives on the event loop's thread; commits on a thread of its own. What an agent or
// a holder of a lease is told was committed before.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/audit_log.h"
#include "base/clock.h"
#include "base/commit_meter.h"
#include "base/net/channel.h"
#include "base/net/event_loop.h"
#include "tracker/access_desk.h"
#include "tracker/client.h"
#include "tracker/fleet_counts.h"
#include "tracker/limits.h"
#include "tracker/store.h"
#include "tracker/told_trackers.h"

namespace hone::tracker {

struct ServiceConfig {
  std::string token;  // of the service itself, of the role admin: random_secret(), or that of the start before
  std::string session_path = "/ws/session";
  Limits limits;
  AuditLog* audit = nullptr;  // hears of new agents; outlives the service
  ListTrackers trackers;  // for agents
};

class Service : public Client {
 public:
  // Loads the store; leases that an earlier run left open end. The clocks outlive the service.
  static Result<std::unique_ptr<Service>> start(net::EventLoop& loop, std::unique_ptr<Store> store, const Clock& steady,
                                                const Clock& wall, ServiceConfig config);
  ~Service() override;  // commits what is queued; no callback comes any more

  // Who may come in, here and at the compile server.
  AccessDesk& access();

  // For the endpoint /ws/agent. The agent is greeted when its hello has shown a token of the role agent, or a code.
  std::unique_ptr<net::Handler> accept(std::shared_ptr<net::Channel> channel);

  // Tells `on_state` the state of the agent started under launch_id, now and on each change, until the returned function is called.
  std::function<void()> watch(const std::string& launch_id, std::function<void(protocol::AgentState)> on_state);
  // Tells what happens to devices from now on, each once it is on disk, until the returned function is called.
  std::function<void()> watch_events(std::function<void(const protocol::DeviceEvent&)> on_event);

  CommitReading commits() const;  // of the fleet
  FleetCounts counts() const;

  // Before the service stops: asks agents to finish and to come back later.
  void drain();

  RequestId reserve(LeaseRequest request, std::function<void(Result<std::vector<Lease>>)> on_leases,
                    std::function<void(const std::string& lease_id, Error)> on_lost) override;
  void why_none(const LeaseRequest& request, std::function<void(Missing)> done) override;
  void why_not_ready(const std::string& device_id, std::function<void(std::string)> done) override;
  void cancel(RequestId request) override;
  void release(const std::string& lease_id) override;
  void progress(const std::string& lease_id, std::chrono::milliseconds work) override;
  void redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id,
              std::function<void(Result<Lease>)> done) override;
  void reopen(const std::string& lease_id) override;
  void label(const std::string& device_id, const std::string& label, const std::string& user, std::function<void(Result<std::string>)> done) override;
  void manage(const protocol::ManageDevice& ask, const std::string& user, std::function<void(Result<protocol::DeviceManaged>)> done) override;
  void show(const std::string& device_id, std::function<void(Result<protocol::DeviceShown>)> done) override;
  void devices(const std::string& after, std::function<void(Result<protocol::Devices>)> done) override;

 private:
  class ControlSession;
  struct Impl;
  explicit Service(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

}  // namespace hone::tracker
