#include "tracker/device_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hone::tracker {

DeviceFace Device::face() const {
  return {stored.device_id, stored.device_key, agent->stored.agent_name, stored.label, *stored.fingerprint};
}

protocol::ServiceState Device::service_state() const {
  using protocol::ServiceState;
  if (stored.hold == Hold::kQuarantined) return ServiceState::kQuarantined;
  if (stored.hold == Hold::kMaintenance) return lease_id.empty() ? ServiceState::kMaintenance : ServiceState::kDraining;
  return lease_id.empty() ? ServiceState::kIdle : ServiceState::kLeased;
}

Device& DeviceTable::add(StoredDevice stored, Agent& agent) {
  const std::string id = stored.device_id, physical_id = std::exchange(stored.physical_id, "");
  stored.fingerprint = fingerprints_.shared(stored.fingerprint);
  Device& device = devices_[id];
  device.stored = std::move(stored);
  device.agent = &agent;
  agent.device_ids.push_back(id);
  set_physical_id(device, physical_id);
  settle(device);
  return device;
}

void DeviceTable::forget(const std::string& device_id) {
  Device& device = devices_.at(device_id);
  std::erase(device.agent->device_ids, device_id);
  set_physical_id(device, "");
  take_out(places_.at(&device));
  places_.erase(&device);
  newly_idle_.erase(device_id);
  devices_.erase(device_id);
}

Device* DeviceTable::find(const std::string& device_id) {
  const auto found = devices_.find(device_id);
  return found == devices_.end() ? nullptr : &found->second;
}

std::vector<Device*> DeviceTable::of(const Agent& agent) {
  std::vector<Device*> list;
  for (const std::string& id : agent.device_ids) list.push_back(&devices_.at(id));
  return list;
}

void DeviceTable::take_out(Place& place) {
  if (std::exchange(place.is_idle, false)) idle_[place.target].erase(place.idle);
  if (std::exchange(place.is_gone, false)) gone_.erase(place.gone);
}

void DeviceTable::settle(Device& device) {
  Place& place = places_[&device];
  const bool was_idle = place.is_idle, is_idle = device.lease_id.empty() && device.is_available();
  take_out(place);
  if (is_idle) {
    place.target = device.stored.fingerprint->target;
    place.idle = idle_[place.target].insert({!device.agent->visible, device.last_granted, &device}).first;
    place.is_idle = true;
  } else if (device.lease_id.empty() && !device.is_here()) {
    place.gone = gone_.insert({device.stored.seen_unix_ms, &device}).first;
    place.is_gone = true;
  }
  if (is_idle && !was_idle) newly_idle_.insert(device.stored.device_id);
}

void DeviceTable::show(Device& device) {
  settle(device);
  if (places_.at(&device).is_idle) newly_idle_.insert(device.stored.device_id);
}

void DeviceTable::identify(Device& device, const protocol::DeviceOffer& offer) {
  set_physical_id(device, offer.physical_id.value_or(""));
  device.stored.fingerprint = fingerprints_.shared(offer.fingerprint);
  device.stored.timer = offer.timer;
}

void DeviceTable::set_physical_id(Device& device, const std::string& physical_id) {
  const std::string before = std::exchange(device.stored.physical_id, physical_id);
  if (before == physical_id) return;
  if (const auto found = physical_.find(before); found != physical_.end()) {
    found->second.erase(device.stored.device_id);
    if (found->second.empty()) physical_.erase(found);
  }
  if (!physical_id.empty()) physical_[physical_id].insert(device.stored.device_id);
}

Device* DeviceTable::best_idle(const std::string& target, const std::function<bool(const Device&)>& fits) {
  const Idle* best = nullptr;
  for (const auto& [of_target, order] : idle_) {
    if (!target.empty() && of_target != target) continue;
    for (const Idle& one : order) {
      if (best && !(one < *best)) break;
      if (!fits(*one.device)) continue;
      best = &one;
      break;
    }
  }
  return best ? best->device : nullptr;
}

std::vector<Device*> DeviceTable::idle(const std::string& target, const std::function<bool(const Device&)>& fits) {
  std::vector<Idle> found;
  for (const auto& [of_target, order] : idle_)
    if (target.empty() || of_target == target)
      std::copy_if(order.begin(), order.end(), std::back_inserter(found), [&](const Idle& one) { return fits(*one.device); });
  std::sort(found.begin(), found.end());
  std::vector<Device*> list;
  for (const Idle& one : found) list.push_back(one.device);
  return list;
}

std::vector<Device*> DeviceTable::take_newly_idle() {
  std::vector<Device*> list;
  for (const std::string& id : std::exchange(newly_idle_, {}))
    if (Device& device = devices_.at(id); places_.at(&device).is_idle) list.push_back(&device);
  return list;
}

std::vector<Device*> DeviceTable::twins(const std::string& physical_id) {
  std::vector<Device*> list;
  const auto found = physical_.find(physical_id);
  if (found == physical_.end()) return list;
  for (const std::string& id : found->second) list.push_back(&devices_.at(id));
  return list;
}

}  // namespace hone::tracker
