#include "tracker/fleet_counts.h"

#include "tracker/fleet.h"

namespace hone::tracker {

FleetCounts Fleet::counts() const {
  FleetCounts counts = lost_;
  counts.agents = registry_.links().size();
  const std::vector<const Device*> here = registry_.here();
  counts.gone = registry_.devices().all().size() - here.size();
  for (const Device* device : here) {
    const protocol::ServiceState state = device->service_state();
    if (state == protocol::ServiceState::kQuarantined) ++counts.quarantined;
    else if (state == protocol::ServiceState::kMaintenance) ++counts.maintenance;
    else if (state == protocol::ServiceState::kDraining) ++counts.draining;
    else if (device->agent->stuck) ++counts.stuck;
    else if (!device->is_ready()) ++counts.unready;
    else ++(device->lease_id.empty() ? counts.ready : counts.leased);
  }
  counts.leases = leases_.size();
  counts.grants = leases_.grants();
  counts.waiting = waiting_.size();
  counts.longest_wait = waiting_.longest_wait();
  return counts;
}

}  // namespace hone::tracker
