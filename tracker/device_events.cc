#include "tracker/device_events.h"

#include "base/cat.h"

namespace hone::tracker {

namespace {

using protocol::DeviceEvent;
using protocol::DeviceEventKind;

DeviceEvent event_of(const StoredLease& lease) {
  const bool ended = lease.ended_unix_ms > 0;
  return {.unix_ms = static_cast<uint64_t>(ended ? lease.ended_unix_ms : lease.granted_unix_ms),
          .device_id = lease.device_id,
          .kind = ended ? DeviceEventKind::kLeaseEnded : DeviceEventKind::kLeased,
          .user = lease.user,
          .text = ended ? cat(lease.job, ": ", lease.end_reason) : lease.job};
}

}  // namespace

std::vector<DeviceEvent> events_of(const std::vector<Write>& writes) {
  std::vector<DeviceEvent> events;
  for (const Write& write : writes) {
    if (const auto* event = std::get_if<DeviceEvent>(&write)) events.push_back(*event);
    if (const auto* lease = std::get_if<StoredLease>(&write)) events.push_back(event_of(*lease));
  }
  return events;
}

}  // namespace hone::tracker
