// Registry: the agents and their devices, known and connected. Pure: no sockets, no clock but the injected ones.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tracker/access.h"
#include "tracker/device_classes.h"
#include "tracker/device_table.h"
#include "tracker/limits.h"
#include "tracker/outcome.h"

namespace hone::tracker {

using MakeSecret = std::function<std::string()>;

class Registry {
 public:
  Registry(const Clock& steady, const Clock& wall, Limits limits, MakeSecret make_secret)
      : steady_(steady), wall_(wall), limits_(limits), make_secret_(std::move(make_secret)) {}

  void restore(const StoredFleet& fleet, Outcome& out);

  // An agent is in: known by its resume_agent_id and resume_secret or by its launch_id, else new. Writes it with its devices, welcomes it,
  // drops its older link.
  Result<protocol::Welcome> hello(Link link, const protocol::Hello& hello, const Identity& who, Outcome& out);
  // Null where the link is nobody's.
  Agent* heartbeat(Link link, const protocol::Heartbeat& beat, Outcome& out);
  Status device_state(Link link, const protocol::DeviceState& state, Outcome& out);
  // What people do; all but forgetting holds for each other device that is physically the same one, too. Fails: not_found, invalid_argument.
  // An empty label takes it away.
  Status label(const std::string& device_id, const std::string& label, const std::string& user, Outcome& out);
  // Drain, quarantine and resume, of a device_id or a physical_id: whoever is held back stays so, over restarts and under new ids. The devices; the caller ends their leases.
  Result<std::vector<Device*>> hold(const protocol::ManageDevice& ask, const std::string& user, Outcome& out);
  // kBusy where it is here or leased.
  Status forget(const std::string& device_id, Outcome& out);
  // The agent is gone. Its devices; none where the link is nobody's.
  std::vector<Device*> unlink(Link link, Outcome& out);
  // For so long this process did not run: silence in that time is nobody's.
  void excuse(std::chrono::milliseconds pause);
  // Agents whose heartbeats stopped become stuck.
  void tick(Outcome& out);
  // Forgets devices that are gone and unleased, where they are too many or too old (limits.h), and agents that are gone and have none.
  void forget(Outcome& out);

  // The ids under which a physical device was seen last, kHistoryIdsMax at most, this one first.
  std::vector<std::string> ids_of(const Device& device);
  DeviceTable& devices() { return devices_; }
  const DeviceTable& devices() const { return devices_; }
  // The connected devices, in the order in which their agents connected.
  std::vector<const Device*> here() const;
  static const std::string& why(const Device& device);  // it is not ready, or what there is to say of it
  // Only for a device that is here and not available.
  std::chrono::milliseconds unready_for(const Device& device) const;
  std::string problem() const;  // why a connected agent brings no device; empty when none says so
  protocol::AgentState agent_state(const std::string& launch_id) const;
  std::vector<Link> links() const;

 private:
  // Null: the hello shows no secret of an agent that is known.
  Agent* agent_of(const protocol::Hello& hello);
  Agent& enrol();
  void set_launch(Agent& agent, const std::optional<std::string>& launch_id);
  protocol::AgentState state_of(const std::string& launch_hash) const;
  Device& offer(Agent& agent, const protocol::DeviceOffer& offer, Outcome& out);
  Device& device_of(Agent& agent, const protocol::DeviceOffer& offer);
  Result<Device*> known(const std::string& device_id);
  Result<Device*> known_as(const std::string& id);  // a device_id, or a physical_id
  std::vector<Device*> same_as(Device& device);
  void remember(const Device& device, protocol::DeviceEventKind kind, const std::string& user, const std::string& text, Outcome& out) const;
  std::string label_of(const protocol::DeviceOffer& offer);
  Agent* by_link(Link link);
  void forget_device(const std::string& device_id, Outcome& out);
  // An agent that is gone, and whose devices are all forgotten, is, too.
  void forget_if_empty(const std::string& agent_id, Outcome& out);
  // Long enough after the change before it (steady clock; 0: none) to be remembered: an agent that changes all the time fills no disk.
  bool is_news(std::chrono::milliseconds before) const {
    return before.count() == 0 || steady_.now() - before >= kHealthEventEvery;
  }
  void set_stuck(Agent& agent, bool stuck, std::string message, Outcome& out);
  void settle(const Agent& agent);
  void tell(const Agent& agent, Outcome& out) const;

  const Clock& steady_;
  const Clock& wall_;
  const Limits limits_;
  const MakeSecret make_secret_;
  std::map<std::string, Agent> agents_;  // by agent_id
  DeviceTable devices_;
  std::map<Link, Agent*> linked_;  // the connected ones
  DeviceClasses classes_;
  std::map<std::string, std::string> launched_;  // agent_id by launch_hash
};

}  // namespace hone::tracker
