// Registry: the agents and their devices, known and connected. Pure: no sockets, no clock but the injected ones.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "tracker/device_classes.h"
#include "tracker/limits.h"
#include "tracker/outcome.h"
#include "tracker/selector.h"

namespace hone::tracker {

using MakeSecret = std::function<std::string()>;

struct Agent {
  StoredAgent stored;
  Link link = 0;                           // 0 = not connected
  std::chrono::milliseconds last_beat{0};  // of the steady clock; a hello counts
  bool visible = true;
  bool stuck = false;
  std::chrono::milliseconds stuck_since{0};  // of the steady clock
  std::string message;                       // why it is stuck, gone or without a device
  std::vector<std::string> device_ids;       // all that it ever brought
};

struct Device {
  StoredDevice stored;
  protocol::DeviceStateKind state = protocol::DeviceStateKind::kGone;
  std::string message;
  std::chrono::milliseconds unready_since{0};  // of the steady clock; while it is neither ready nor gone
  std::string lease_id;                        // empty = free
  uint64_t last_granted = 0;                   // order of grants, for fairness among devices
};

class Registry {
 public:
  Registry(const Clock& steady, const Clock& wall, Limits limits, MakeSecret make_secret)
      : steady_(steady), wall_(wall), limits_(limits), make_secret_(std::move(make_secret)) {}

  void restore(const StoredFleet& fleet);

  // An agent is in: known by its resume_agent_id and resume_secret or by its launch_id, else new. Writes it with its devices, welcomes it,
  // drops its older link.
  Result<protocol::Welcome> hello(Link link, const protocol::Hello& hello, Outcome& out);
  // Null where the link is nobody's.
  Agent* heartbeat(Link link, const protocol::Heartbeat& beat, Outcome& out);
  Status device_state(Link link, const protocol::DeviceState& state);
  // Gives a device a name for people, and each other that is the same one; an empty one takes it away. Fails: not_found, invalid_argument.
  Status label(const std::string& device_id, const std::string& label, Outcome& out);
  Agent* unlink(Link link, Outcome& out);
  // For so long this process did not run: silence in that time is nobody's.
  void excuse(std::chrono::milliseconds pause);
  // Agents whose heartbeats stopped become stuck.
  void tick(Outcome& out);
  // Forgets devices that are gone and unleased, where they are too many or too old (limits.h), and agents that are gone and have none.
  void forget(Outcome& out);

  Device* device(const std::string& device_id);
  const Agent& agent_of(const Device& device) const;
  std::vector<Device*> devices_of(const Agent& agent);
  std::map<std::string, Device>& devices() { return devices_; }
  const std::map<std::string, Device>& devices() const { return devices_; }
  // May be leased: its agent is connected and lives, and it is ready.
  bool is_available(const Device& device) const;
  // Its agent is connected and brings it, whether it is ready or not.
  bool is_here(const Device& device) const;
  const std::string& why(const Device& device) const;  // it is not ready, or what there is to say of it
  std::chrono::milliseconds unready_for(
      const Device& device) const;  // only for a device that is here and not available
  DeviceFace face(const Device& device) const;
  std::string problem() const;  // why a connected agent brings no device; empty when none says so
  protocol::AgentState agent_state(const std::string& launch_id) const;
  std::vector<Link> links() const;

 private:
  // Null: the hello shows no secret of an agent that is known.
  Agent* agent_of(const protocol::Hello& hello);
  Agent& enrol();
  void set_launch(Agent& agent, const std::optional<std::string>& launch_id);
  protocol::AgentState state_of(const std::string& launch_hash) const;
  std::vector<const Device*> gone_devices() const;  // unleased ones, oldest first
  void forget_device(const std::string& device_id, Outcome& out);
  Device& offer(Agent& agent, const protocol::DeviceOffer& offer, Outcome& out);
  const Device* twin(const std::string& physical_id, const std::string& target) const;
  Agent* by_link(Link link);
  void set_stuck(Agent& agent, bool stuck, std::string message, Outcome& out);
  void tell(const Agent& agent, Outcome& out) const;

  const Clock& steady_;
  const Clock& wall_;
  const Limits limits_;
  const MakeSecret make_secret_;
  std::map<std::string, Agent> agents_;    // by agent_id
  std::map<std::string, Device> devices_;  // by device_id
  std::map<Link, std::string> linked_;     // agent_id by link, of the connected ones
  DeviceClasses classes_;
  std::map<std::string, std::string> launched_;  // agent_id by launch_hash
};

}  // namespace hone::tracker
