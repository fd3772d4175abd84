// Fleet: registry, leases and waiting requests together: the tracker without sockets, disk or threads. Each call is one step; what it
// asks of the world stands in the Outcome. The service commits the writes, then performs the effects, in the order of the steps.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "tracker/fleet_counts.h"
#include "tracker/lease_table.h"
#include "tracker/outcome.h"
#include "tracker/registry.h"
#include "tracker/waiting_list.h"

namespace hone::tracker {

struct FleetConfig {
  Limits limits;
  std::string session_path = "/ws/session";  // where open_session sends agents whose lease says nothing else
  MakeSecret make_secret;                    // random_secret; tests count
};

class Fleet {
 public:
  Fleet(const Clock& steady, const Clock& wall, FleetConfig config);

  // Once, before anything else. Leases that an earlier run left open end: their holders died with it. Fences go on from where they were.
  Outcome restore(const StoredFleet& fleet);

  // From agents.
  // `who`: of the token that it showed.
  Result<Outcome> hello(Link link, const protocol::Hello& hello, const Identity& who = {});
  Outcome heartbeat(Link link, const protocol::Heartbeat& beat);
  Result<Outcome> device_state(Link link, const protocol::DeviceState& state);
  Outcome unlinked(Link link);
  Outcome evict(Link link, const std::string& reason);  // as unlinked; its leases end at once

  // From people. As Client's.
  Result<Outcome> label(const std::string& device_id, const std::string& label, const std::string& user, std::string* physical_id);
  Result<Outcome> manage(const protocol::ManageDevice& ask, const std::string& user);
  Result<protocol::DeviceShown> show(const std::string& device_id) const;       // without its events
  std::optional<protocol::ServiceState> service_state(const std::string& device_id) const;  // nothing where it is not known
  std::vector<std::string> ids_of(const std::string& device_id);                // of the same physical device; none where it is not known

  // From holders of leases. See client.h.
  Outcome acquire(Client::RequestId id, LeaseRequest request);  // ids grow; request.count devices
  Outcome cancel(Client::RequestId request);                    // while it waits; a granted one is released
  void progress(const std::string& lease_id, std::chrono::milliseconds work) { leases_.progress(lease_id, work); }
  Outcome release(const std::string& lease_id, const std::string& reason);
  Missing why_none(const LeaseRequest& request) const;
  std::string why_not_ready(const std::string& device_id) const;  // as Client's
  bool holds(const std::string& lease_id, uint64_t fence) const;
  Result<Lease> redeem(const std::string& session_token, const std::string& lease_id, const std::string& device_id);
  Result<Outcome> reopen(const std::string& lease_id);

  // This process did not run for so long (a debugger, a paused machine): the heartbeats of that time still lie in the sockets, so agents and
  // leases get it back.
  void excuse(std::chrono::milliseconds pause);
  // Time passed: silent agents, leases and requests that ran out.
  Outcome tick();
  Outcome drain() const;

  // Known devices, ordered by device_id, of those behind `after` ("" = from the first) `count_max` at most; and as Client's.
  std::vector<protocol::DeviceInfo> devices(const std::string& after, size_t count_max) const;
  protocol::Devices page_of_devices(std::string after) const;
  protocol::AgentState agent_state(const std::string& launch_id) const { return registry_.agent_state(launch_id); }
  FleetCounts counts() const;
  size_t leases() const { return leases_.size(); }
  size_t waiting() const { return waiting_.size(); }

 private:
  // Gives the devices that became idle in this step to those who wait; each step ends with it. `queue_changed`: also those that were kept
  // for a reservation, which may have gone, or be outranked by now.
  void serve(Outcome& out, bool queue_changed = false);
  std::vector<Device*> take_servable();
  // may_again: it waits with devices that are idle for longer, too, since its user had too many.
  void serve_one(const Waiting& one, std::vector<Device*>& idle, Outcome& out, bool may_again);
  void serve_many(const Waiting& one, std::vector<Device*>& idle, Outcome& out);
  // The idle devices of one class that fit, best first: of the first class that has enough; else, of those that could have enough, the one
  // that has most.
  std::vector<Device*> class_for(const Waiting& one);
  bool matches(const LeaseRequest& request, const Selector& selector, const Device& device) const;
  bool is_free_for(const Waiting& one, const Device& device) const;
  // Whether its user's quota permits what it asks for; the best idle device that it may have now, null: none, or it asks for several.
  bool may_have_more(const Waiting& one) const;
  Device* best_idle_for(const Waiting& one);
  void grant(Device& device, const Waiting& waiting, Outcome& out);
  Lease granted_lease(const Device& device, const LiveLease& lease, const std::string& session_token) const;
  void open_session(Device& device, LiveLease& lease, Outcome& out);
  // Ends a lease and tells the agent; `lose` tells its holder, too.
  void end(const std::string& lease_id, const std::string& reason, Outcome& out);
  void lose(const std::string& lease_id, const Error& why, Outcome& out);
  void end_overdue(Outcome& out);
  void forget_old(Outcome& out);
  // Whether another job, of no less priority, waits for the lease's device.
  bool wanted_by_another(const LiveLease& lease) const;
  Error no_device(const Waiting& waiting) const;
  Missing why_none(const LeaseRequest& request, const Selector& selector) const;
  std::string who_is_there() const;
  std::string who_uses(const Device& device) const;
  std::string why_not_ready(const Device& device) const;
  std::string why_held(const Device& device) const;
  protocol::DeviceInfo info(const Device& device) const;

  const Clock& steady_;
  const Clock& wall_;
  const FleetConfig config_;
  Registry registry_;
  LeaseTable leases_;
  WaitingList waiting_;
  std::set<std::string> kept_;        // idle devices that reservations wait with, by device_id
  std::set<std::string> may_again_;   // users of leases that ended in this step
  FleetCounts lost_;                  // the leases that were lost; nothing else of it is set
  std::chrono::milliseconds forgot_;  // when devices were last forgotten for their age
};

}  // namespace hone::tracker
