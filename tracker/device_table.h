// DeviceTable: the agents' devices with what must be found of them at once: which can be leased, in the order of preference; which became so
// since it was asked; which are gone, oldest first; which are one physical device. A step of the fleet costs what it changes, however many
// devices are known. Pure.
#pragma once
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "tracker/fingerprints.h"
#include "tracker/outcome.h"
#include "tracker/selector.h"

namespace hone::tracker {

struct Agent {
  StoredAgent stored;
  Link link = 0;                           // 0 = not connected
  std::chrono::milliseconds last_beat{0};  // of the steady clock; a hello counts
  std::string enrolment;                   // the id of the token that it has shown; "" = not connected since this process began
  bool trusted = false;                    // that token is a canary's
  bool visible = true;
  bool stuck = false;
  std::chrono::milliseconds stuck_since{0};  // of the steady clock
  std::string message;                       // why it is stuck, gone or without a device
  std::vector<std::string> device_ids;       // all that it ever brought
};

struct Device {
  StoredDevice stored;
  Agent* agent = nullptr;  // never null; it outlives its devices
  protocol::DeviceStateKind state = protocol::DeviceStateKind::kGone;
  std::string message;
  std::chrono::milliseconds unready_since{0};  // of the steady clock; while it is neither ready nor gone
  std::string lease_id;                        // empty = free
  uint64_t last_granted = 0;                   // order of grants, for fairness among devices

  // Its agent is connected and brings it, whether it is ready or not.
  bool is_here() const { return agent->link != 0 && state != protocol::DeviceStateKind::kGone; }
  // It works, or could: its agent is connected and lives, and it is ready.
  bool is_ready() const { return agent->link != 0 && !agent->stuck && state == protocol::DeviceStateKind::kReady; }
  // May be leased: it is ready, and people let it.
  bool is_available() const { return is_ready() && stored.hold == Hold::kNone; }
  protocol::ServiceState service_state() const;
  DeviceFace face() const;
};

class DeviceTable {
 public:
  // An agent's device that is new, or was stored; gone until it is offered.
  Device& add(StoredDevice stored, Agent& agent);
  void forget(const std::string& device_id);
  Device* find(const std::string& device_id);
  std::vector<Device*> of(const Agent& agent);
  const std::map<std::string, Device>& all() const { return devices_; }  // by device_id

  // To be called after each change of what is_here, is_available, lease_id, last_granted, visible or seen_unix_ms say of the device.
  void settle(Device& device);
  // The same after a change of what selectors see: whoever waits may want it now.
  void show(Device& device);
  // The same fingerprint as devices of this table hold it, to be added with several.
  FingerprintPtr shared(const protocol::Fingerprint& fingerprint) { return fingerprints_.shared(fingerprint); }
  // What the agent says of itself and of its device. Call show when the step is over.
  void identify(Device& device, const protocol::DeviceOffer& offer);

  // The first idle device of the target ("" = of any) that `fits`: visible pages first, then the one that was idle longest. Null: none.
  Device* best_idle(const std::string& target, const std::function<bool(const Device&)>& fits);
  // All idle devices of the target ("" = of any) that `fit`, in that order.
  std::vector<Device*> idle(const std::string& target, const std::function<bool(const Device&)>& fits);
  bool is_idle(const Device& device) const { return places_.at(&device).is_idle; }
  bool any_newly_idle() const { return !newly_idle_.empty(); }
  // Those that became idle, or were shown, since the last call, and are idle now; in the order of their ids.
  std::vector<Device*> take_newly_idle();
  // Those that have this physical_id; none where it is empty.
  std::vector<Device*> twins(const std::string& physical_id);
  // Unleased ones that are not here, those first that were seen longest ago.
  size_t gone() const { return gone_.size(); }
  const Device& longest_gone() const { return *gone_.begin()->device; }
  size_t fingerprint_bytes() const { return fingerprints_.bytes(); }  // of all devices, as JSON, each distinct one once

 private:
  struct Idle {
    bool hidden = false;
    uint64_t last_granted = 0;
    Device* device = nullptr;
    bool operator<(const Idle& other) const {
      return std::tie(hidden, last_granted, device->stored.device_id) <
             std::tie(other.hidden, other.last_granted, other.device->stored.device_id);
    }
  };
  struct Gone {
    int64_t seen_unix_ms = 0;
    const Device* device = nullptr;
    bool operator<(const Gone& other) const {
      return std::tie(seen_unix_ms, device->stored.device_id) <
             std::tie(other.seen_unix_ms, other.device->stored.device_id);
    }
  };
  // Where the device stands in the orders, to be taken out again.
  struct Place {
    std::string target;  // of the order that `idle` is in
    std::set<Idle>::iterator idle;
    std::set<Gone>::iterator gone;
    bool is_idle = false, is_gone = false;
  };
  void take_out(Place& place);
  void set_physical_id(Device& device, const std::string& physical_id);

  std::map<std::string, Device> devices_;  // by device_id
  Fingerprints fingerprints_;
  std::unordered_map<const Device*, Place> places_;
  std::map<std::string, std::set<Idle>> idle_;  // by target
  std::set<Gone> gone_;
  std::set<std::string> newly_idle_;                       // device_ids
  std::map<std::string, std::set<std::string>> physical_;  // device_ids by physical_id
};

}  // namespace hone::tracker
