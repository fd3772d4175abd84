// FleetCounts: the fleet in numbers, for whoever watches a farm.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace hone::tracker {

struct FleetCounts {
  size_t agents = 0;  // connected
  // Devices that are known; each is of one state.
  size_t ready = 0;                           // free
  size_t leased = 0;                          // and working
  size_t draining = 0, maintenance = 0, quarantined = 0;  // held back by people
  size_t unready = 0;                         // lost, or being made again
  size_t stuck = 0;                           // their agent's socket is open and silent
  size_t gone = 0;                            // their agent is not connected, or brings them no more
  size_t leases = 0;                          // that live, also on devices that are gone for the moment
  size_t waiting = 0;                         // requests
  std::chrono::milliseconds longest_wait{0};  // of those requests
  // Since the service started.
  uint64_t grants = 0;
  uint64_t lost_silent = 0;   // leases that ended because nothing was heard of the device
  uint64_t lost_changed = 0;  // because it came back as another one
  uint64_t lost_stalled = 0;  // because its session answered nothing in time
  uint64_t lost_term = 0;     // because they reached their maximum term while another job waited
  uint64_t lost_quarantined = 0;
};

}  // namespace hone::tracker
