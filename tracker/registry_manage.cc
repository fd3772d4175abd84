// What people do with devices: names, drains, quarantines; and what is remembered of them.
#include <algorithm>

#include "base/cat.h"
#include "base/printable_text.h"
#include "tracker/registry.h"

namespace hone::tracker {

using protocol::DeviceAction;
using protocol::DeviceEventKind;

namespace {

Status check_printable(const std::string& text, const char* what) {
  if (printable(text) == text) return ok_status();
  return Error{ErrorCode::kInvalidArgument, cat(what, " holds letters, digits and signs that can be printed; leave the others out")};
}

struct Held {
  Hold hold;
  DeviceEventKind event;
};

Held held_by(DeviceAction action) {
  if (action == DeviceAction::kDrain) return {Hold::kMaintenance, DeviceEventKind::kDrained};
  if (action == DeviceAction::kQuarantine) return {Hold::kQuarantined, DeviceEventKind::kQuarantined};
  return {Hold::kNone, DeviceEventKind::kResumed};
}

}  // namespace

Result<Device*> Registry::known(const std::string& device_id) {
  if (Device* const device = devices_.find(device_id)) return device;
  return Error{ErrorCode::kNotFound, cat("there is no device ", device_id, "; hone devices lists them")};
}

Result<Device*> Registry::known_as(const std::string& id) {
  const std::vector<Device*> twins = devices_.twins(id);
  return twins.empty() ? known(id) : Result<Device*>(twins.front());
}

std::vector<Device*> Registry::same_as(Device& device) {
  std::vector<Device*> same = devices_.twins(device.stored.physical_id);
  return same.empty() ? std::vector<Device*>{&device} : same;
}

Status Registry::label(const std::string& device_id, const std::string& label, const std::string& user, Outcome& out) {
  HONE_ASSIGN(named, known(device_id));
  HONE_TRY(check_printable(label, "a label"));
  for (Device* device : same_as(*named)) {
    device->stored.label = label;
    devices_.show(*device);
    out.writes.push_back(device->stored);
  }
  remember(*named, DeviceEventKind::kLabelled, user, label, out);
  return ok_status();
}

Result<std::vector<Device*>> Registry::hold(const protocol::ManageDevice& ask, const std::string& user, Outcome& out) {
  HONE_ASSIGN(named, known_as(ask.device_id));
  HONE_TRY(check_printable(ask.reason, "a reason"));
  const Held held = held_by(ask.action);
  const std::vector<Device*> devices = same_as(*named);
  for (Device* device : devices) {
    device->stored.hold = held.hold;
    device->stored.hold_reason = held.hold == Hold::kNone ? "" : ask.reason;
    devices_.settle(*device);
    out.writes.push_back(device->stored);
  }
  remember(*named, held.event, user, ask.reason, out);
  return devices;
}

Status Registry::forget(const std::string& device_id, Outcome& out) {
  HONE_ASSIGN(device, known(device_id));
  if (device->is_here())
    return Error{ErrorCode::kBusy, cat(device_id, " is here: close its page or end its agent, then forget it; hone devices quarantine ",
                                       device_id, " keeps jobs from it")};
  if (!device->lease_id.empty())
    return Error{ErrorCode::kBusy, cat(device_id, " left in the middle of a lease, which ends within ", limits_.lease_ttl.count() / 1000,
                                       " s; forget it then")};
  forget_device(device_id, out);
  return ok_status();
}

std::vector<std::string> Registry::ids_of(const Device& device) {
  std::vector<Device*> twins = devices_.twins(device.stored.physical_id);
  std::erase(twins, &device);
  std::sort(twins.begin(), twins.end(), [](const Device* a, const Device* b) { return a->stored.seen_unix_ms > b->stored.seen_unix_ms; });
  std::vector<std::string> ids{device.stored.device_id};
  for (const Device* twin : twins)
    if (ids.size() < kHistoryIdsMax) ids.push_back(twin->stored.device_id);
  return ids;
}

void Registry::remember(const Device& device, DeviceEventKind kind, const std::string& user, const std::string& text, Outcome& out) const {
  out.writes.push_back(protocol::DeviceEvent{.unix_ms = static_cast<uint64_t>(std::max<int64_t>(0, wall_.now().count())),
                                             .device_id = device.stored.device_id,
                                             .kind = kind,
                                             .user = user,
                                             .text = shortened(printable(text))});
}

}  // namespace hone::tracker
