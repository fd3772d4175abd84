#include "tracker/fleet_counts.h"

#include "tracker/fleet.h"

namespace hone::tracker {

FleetCounts Fleet::counts() const {
  FleetCounts counts = lost_;
  counts.agents = registry_.links().size();
  for (const auto& [id, device] : registry_.devices()) {
    if (!registry_.is_here(device)) ++counts.gone;
    else if (registry_.agent_of(device).stuck) ++counts.stuck;
    else if (!registry_.is_available(device)) ++counts.unready;
    else ++(device.lease_id.empty() ? counts.ready : counts.leased);
  }
  counts.leases = leases_.size();
  counts.grants = leases_.grants();
  counts.waiting = waiting_.size();
  counts.longest_wait = waiting_.longest_wait();
  return counts;
}

}  // namespace hone::tracker
