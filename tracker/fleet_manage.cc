// What people do with devices, as steps of the fleet.
#include "base/cat.h"
#include "tracker/fleet.h"

namespace hone::tracker {

Result<Outcome> Fleet::label(const std::string& device_id, const std::string& label, const std::string& user, std::string* physical_id) {
  Outcome out;
  HONE_TRY(registry_.label(device_id, label, user, out));
  *physical_id = registry_.devices().find(device_id)->stored.physical_id;
  serve(out);  // somebody may wait for a device of that name
  return out;
}

Result<Outcome> Fleet::manage(const protocol::ManageDevice& ask, const std::string& user) {
  Outcome out;
  if (ask.action == protocol::DeviceAction::kForget) {
    HONE_TRY(registry_.forget(ask.device_id, out));
    return out;
  }
  HONE_ASSIGN(devices, registry_.hold(ask, user, out));
  for (const Device* device : devices) {
    if (device->stored.hold != Hold::kQuarantined || device->lease_id.empty()) continue;
    ++lost_.lost_quarantined;
    lose(std::string(device->lease_id), {ErrorCode::kStaleFence, cat("it was quarantined", ask.reason.empty() ? "" : ": ", ask.reason)}, out);
  }
  serve(out, !kept_.empty());
  return out;
}

std::optional<protocol::ServiceState> Fleet::service_state(const std::string& device_id) const {
  const auto found = registry_.devices().all().find(device_id);
  if (found == registry_.devices().all().end()) return std::nullopt;
  return found->second.service_state();
}

Result<protocol::DeviceShown> Fleet::show(const std::string& device_id) const {
  const auto found = registry_.devices().all().find(device_id);
  if (found == registry_.devices().all().end())
    return Error{ErrorCode::kNotFound, cat("there is no device ", device_id, "; hone devices lists them")};
  return protocol::DeviceShown{.device = info(found->second), .leases = found->second.stored.fence};
}

std::vector<std::string> Fleet::ids_of(const std::string& device_id) {
  const Device* device = registry_.devices().find(device_id);
  return device ? registry_.ids_of(*device) : std::vector<std::string>();
}

// "dev-77b0… is quarantined: it lies; hone devices resume dev-77b0… lets it work again"
std::string Fleet::why_held(const Device& device) const {
  using protocol::ServiceState;
  const std::string& id = device.stored.device_id;
  const std::string reason = device.stored.hold_reason.empty() ? "" : cat(": ", device.stored.hold_reason);
  const std::string lifted = cat("; hone devices resume ", id, " lets it work again");
  if (device.service_state() == ServiceState::kDraining)
    return cat(id, " is draining, and in maintenance once ", leases_.find(device.lease_id)->stored.job, " is done with it", reason, lifted);
  return cat(id, device.stored.hold == Hold::kQuarantined ? " is quarantined" : " is in maintenance", reason, lifted);
}

}  // namespace hone::tracker
