#include "cli/bench_places.h"

#include <algorithm>
#include <set>

#include "tracker/selector.h"

namespace hone::cli {

namespace {

bool works(const protocol::DeviceInfo& device) {
  const bool is_there = device.state == protocol::DeviceStateKind::kReady || device.state == protocol::DeviceStateKind::kRecovering;
  return is_there && (device.service_state == protocol::ServiceState::kIdle || device.service_state == protocol::ServiceState::kLeased);
}

Result<std::vector<const protocol::DeviceInfo*>> fitting(const BenchCase& one, const std::vector<protocol::DeviceInfo>& devices) {
  HONE_ASSIGN(selector, tracker::Selector::parse(one.device));
  std::vector<const protocol::DeviceInfo*> out;
  for (const protocol::DeviceInfo& device : devices) {
    const std::string label = device.label.value_or("");
    if (works(device) && device.fingerprint.target == one.target && selector.matches({device.device_id, device.device_key, device.agent_name, label, device.fingerprint}))
      out.push_back(&device);
  }
  return out;
}

}  // namespace

Result<std::vector<BenchPlace>> places_of(const BenchCase& one, const std::vector<protocol::DeviceInfo>& devices) {
  HONE_ASSIGN(all, fitting(one, devices));
  if (one.spread == Spread::kOne) return std::vector<BenchPlace>{{one.device, ""}};
  std::vector<BenchPlace> places;
  std::set<std::string> classes;
  for (const protocol::DeviceInfo* device : all)
    if (one.spread == Spread::kEach || classes.insert(device->device_key).second) places.push_back({device->device_id, device->device_id});
  return places;
}

Result<size_t> device_count(const BenchCase& one, const std::vector<protocol::DeviceInfo>& devices) {
  HONE_ASSIGN(all, fitting(one, devices));
  return all.size();
}

}  // namespace hone::cli
